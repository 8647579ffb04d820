# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel that has the assigned action travel, or stay in place."""

from __future__ import annotations

from ..room import Room, forgetting, handler, menu, pointer, tool
from . import looking, operators, panels, properties
from .way_plot import WayPlot

TRAVEL = menu(
    *("travel", "Travel", "Whether the assigned action goes anywhere, or stays in place"),
    tool("travel", "FORWARD"),
    tool("in_place", "PINNED"),
    icon="FORWARD",
)

ROOM = Room(
    modules=(operators,),
    properties=properties.CLASSES,
    pointers=(pointer("inertia_travel", properties.TravelProperties),),
    panels=panels.PARTS,
    plots=(WayPlot(),),
    menus=(TRAVEL,),
    parts=(
        forgetting(looking.forget),
        *(handler(moment, looking.forget) for moment in ("load_pre", "undo_pre", "redo_pre")),
    ),
)
