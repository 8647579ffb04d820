# SPDX-License-Identifier: GPL-3.0-or-later
"""Paths in the window: what is followed with which clips, the way that is found, and baking it."""

from __future__ import annotations

from ..overlay.switches import PlotSwitch
from ..room import END, Room, menu, once_read, pointer, separator, tool
from . import join_operators, operators, panels, path_plot, properties, searching

PATHS = menu(
    "paths",
    "Path",
    "A character that follows a curve or an object with the clips it has",
    tool("find_path", "VIEWZOOM"),
    tool("stop_path", "X"),
    tool("bake_path", "CURVE_PATH"),
    separator,
    tool("path_clips", "PRESET_NEW", "List All Actions That Fit", change="ALL"),
    separator,
    tool("take_clip", "PINNED", "Take the Next Best Clip at the Join"),
    tool("forbid_clip", "CANCEL", "Forbid the Clip at the Join"),
    tool("set_goal", "TRACKING"),
    tool("pin_clip", "PINNED", "Pin Clip at 3D Cursor"),
    tool("unpin_clip", "TRASH", "Remove All Goals and Pins", change="ALL"),
    icon="CURVE_PATH",
)

PLOTS = (
    PlotSwitch(
        "path",
        "Path",
        "In the 3D View: the path that is followed, coloured by how far away from it the character will be, "
        "the way that it goes, the character as it will be on the current frame, and a mark for each join of "
        "two clips. Click a mark to look at its join",
        lambda: path_plot.PathPlot(),
        is_on_at_first=True,
    ),
)

ROOM = Room(
    modules=(operators, join_operators),
    properties=properties.CLASSES,
    pointers=(pointer("inertia_path", properties.PathProperties),),
    panels=panels.PANELS,
    classes=panels.CLASSES,
    plots=PLOTS,
    menus=(PATHS,),
    parts=(*once_read(searching, lambda: searching.forget(), END, "load_post"),),
)
