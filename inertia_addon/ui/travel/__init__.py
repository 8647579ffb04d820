# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel that has the assigned action travel, or stay in place."""

from __future__ import annotations

from ..room import Room, forget_at_end, handler, menu, pointer, tool
from . import panels, way_plot

TRAVEL = menu(
    "travel",
    "Travel",
    "Whether the assigned action goes anywhere, or stays in place",
    tool("travel", "FORWARD"),
    tool("in_place", "PINNED"),
    icon="FORWARD",
)

ROOM = Room(
    modules=(panels,),
    properties=(panels.TravelProperties,),
    pointers=(pointer("inertia_travel", panels.TravelProperties),),
    panels=(panels.TravelPanel,),
    plots=(way_plot.WayPlot(),),
    menus=(TRAVEL,),
    parts=(
        forget_at_end(way_plot.forget),
        *(handler(moment, way_plot.forget) for moment in ("load_pre", "undo_pre", "redo_pre")),
    ),
)
