# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel that has the assigned action travel, or stay in place."""

from __future__ import annotations

from ..overlay.switches import PlotSwitch
from ..room import END, Room, menu, once_read, pointer, tool
from . import panels, way_plot

TRAVEL = menu(
    "travel",
    "Travel",
    "Whether the assigned action goes anywhere, or stays in place",
    tool("travel", "FORWARD"),
    tool("in_place", "PINNED"),
    icon="FORWARD",
)

PLOTS = (
    PlotSwitch(
        "travel",
        "Travel",
        "In the 3D View, while the tab is in the mode Travel: the way that the assigned action would go with "
        "travel, its speed, and a mark for each second and each place where a foot stands",
        lambda: way_plot.WayPlot(),
        is_on_at_first=True,
    ),
)

ROOM = Room(
    modules=(panels,),
    properties=(panels.TravelProperties,),
    pointers=(pointer("inertia_travel", panels.TravelProperties),),
    panels=(panels.TravelPanel,),
    plots=PLOTS,
    menus=(TRAVEL,),
    parts=(*once_read(way_plot, lambda: way_plot.forget(), END, "load_pre", "undo_pre", "redo_pre"),),
)
