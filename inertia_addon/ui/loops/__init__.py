# SPDX-License-Identifier: GPL-3.0-or-later
"""Loops in the window: what is looked for, what was found, and making one."""

from __future__ import annotations

from ..room import Room, menu, pointer, tool
from . import operators, panels, properties
from .map_plot import LoopMapPlot

LOOPS = menu(
    "loops",
    "Loops",
    "Where an action loops best, and how to make it a loop",
    tool("find_loop", "VIEWZOOM"),
    tool("make_loop", "FILE_REFRESH"),
    icon="FILE_REFRESH",
)

ROOM = Room(
    modules=(operators,),
    properties=properties.CLASSES,
    pointers=(pointer("inertia_loops", properties.LoopsProperties),),
    panels=panels.PARTS,
    classes=panels.CLASSES,
    plots=(LoopMapPlot(),),
    menus=(LOOPS,),
)
