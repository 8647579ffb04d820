# SPDX-License-Identifier: GPL-3.0-or-later
"""Gaps in the window: how long one is, where it leads, what fills it, and baking it."""

from __future__ import annotations

from ..overlay.switches import PlotSwitch
from ..room import Room, menu, pointer, separator, tool
from . import drag_wish, fill_plot, operators, panels, properties

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

PLOTS = (
    PlotSwitch(
        "fill",
        "Fill",
        "In the 3D View: the way on which the gap will be filled, poses of the character on it, and a mark "
        "where each of its clips takes over. Drag the way to pass elsewhere, or a joint to have it touch a "
        "point",
        lambda: fill_plot.FillPlot(),
        is_on_at_first=True,
    ),
)

ROOM = Room(
    modules=(drag_wish, operators),
    properties=properties.CLASSES,
    pointers=(pointer("inertia_fill", properties.FillProperties),),
    plots=PLOTS,
    menus=(FILL,),
    classes=(*panels.CLASSES, *drag_wish.GIZMOS),
)
