# SPDX-License-Identifier: GPL-3.0-or-later
"""Gaps in the window: how long one is, where it leads, what fills it, and baking it."""

from __future__ import annotations

from ..room import Room, menu, pointer, separator, tool
from . import operators, panels, properties
from .fill_plot import FillPlot

FILL = menu(
    "fill",
    "Fill",
    "Clips that lead from the source to the destination, to arrive there on a frame",
    tool("find_fill", "VIEWZOOM"),
    tool("bake_fill", "SNAP_MIDPOINT"),
    tool("bake_fill", "NLA", "Fill Gap between Strips", from_strips=True),
    tool("bake_fill", "KEYFRAME", "Fill Between Keys", from_keys=True),
    separator,
    tool("fill_at_cursor", "PIVOT_CURSOR"),
    tool("fill_clips", "PRESET_NEW", "List All Clips That Fit", change="ALL"),
    icon="SNAP_MIDPOINT",
)

ROOM = Room(
    modules=(operators,),
    properties=properties.CLASSES,
    pointers=(pointer("inertia_fill", properties.FillProperties),),
    plots=(FillPlot(),),
    menus=(FILL,),
    classes=panels.CLASSES,
)
