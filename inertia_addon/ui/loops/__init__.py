# SPDX-License-Identifier: GPL-3.0-or-later
"""Loops in the window: what is looked for, what was found, and making one."""

from __future__ import annotations

from ..overlay.switches import PlotSwitch
from ..room import Room, menu, pointer, tool
from . import map_plot, operators, panels, properties

LOOPS = menu(
    "loops",
    "Loops",
    "Where an action loops best, and how to make it a loop",
    tool("find_loop", "VIEWZOOM"),
    tool("make_loop", "FILE_REFRESH"),
    icon="FILE_REFRESH",
)

PLOTS = (
    PlotSwitch(
        "loops",
        "Loop Map",
        "In a corner of the 3D View: what each stretch of the action costs as a loop, by its first frame and "
        "its length, once Find Loop has looked. Click a place to take it",
        lambda: map_plot.LoopMapPlot(),
        is_on_at_first=True,
    ),
)

ROOM = Room(
    modules=(operators,),
    properties=properties.CLASSES,
    pointers=(pointer("inertia_loops", properties.LoopsProperties),),
    panels=panels.PARTS,
    classes=panels.CLASSES,
    plots=PLOTS,
    menus=(LOOPS,),
)
