# SPDX-License-Identifier: GPL-3.0-or-later
"""Root motion, as the animator sees it: properties, panels, operators and plots."""

from __future__ import annotations

from ..room import Room, menu, pointer, separator, tool
from . import drag_ramp, operators, panels, properties
from .histogram import SpeedHistogram
from .plot import RootMotionPlot, RootTimeline
from .springs_plot import SpringFigure

ROOT_MOTION = menu(
    "root_motion",
    "Root Motion",
    "How fast the root goes and turns, and the springs that would move it so",
    tool("measure_actions", "PLAY"),
    tool("use_half_life", "IPO_EASE_IN_OUT"),
    separator,
    tool("list_actions", "ADD", "List All Actions", change="ALL"),
    tool("list_actions", "ARMATURE_DATA", "List Assigned Action", change="ACTION"),
    tool("list_actions", "RESTRICT_SELECT_OFF", "List Selected Actions", change="SELECTED"),
    tool("list_actions", "X", "Clear List of Actions", change="CLEAR"),
    separator,
    tool("reset_ramps", "LOOP_BACK", "Find Speed Ramps Again", kind="speed"),
    tool("reset_ramps", "LOOP_BACK", "Find Turns Again", kind="turn"),
    separator,
    tool("save_root_motion", "EXPORT"),
    tool("copy_root_motion", "COPYDOWN"),
    icon="CURVE_DATA",
)

ROOM = Room(
    modules=(drag_ramp, operators),
    properties=(*panels.CLASSES, *properties.CLASSES),
    pointers=(pointer("inertia_root", properties.RootMotionProperties, label="Inertia Root Motion"),),
    panels=panels.PARTS,
    plots=(RootMotionPlot(), RootTimeline(), SpringFigure(), SpeedHistogram()),
    menus=(ROOT_MOTION,),
    classes=drag_ramp.GIZMOS,
)
