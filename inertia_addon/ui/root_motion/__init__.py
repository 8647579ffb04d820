# SPDX-License-Identifier: GPL-3.0-or-later
"""Root motion, as the animator sees it: properties, panels, operators and plots."""

from __future__ import annotations

from ..overlay.switches import PlotSwitch
from ..room import Room, menu, pointer, separator, tool
from . import drag_ramp, histogram, operators, panels, plot, properties, springs_plot

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

PLOTS = (
    PlotSwitch(
        "root_motion",
        "Root Motion",
        "In the 3D View: the speed and the facing of the root over time, with the springs fitted "
        "to them. Drag the edges of a ramp to set its range",
        lambda: plot.RootMotionPlot(),
    ),
    PlotSwitch(
        "root_timelines",
        "Root in Time Editors",
        "In the Dope Sheet and the Graph Editor, lined up with the keys: the speed and the "
        "facing of the root, with the springs fitted to them",
        lambda: plot.RootTimeline(),
    ),
    PlotSwitch(
        "root_springs",
        "Spring Half-Lives",
        "In the 3D View: how springs of several half-lives go from 0 to 1, with their highest accelerations, "
        "and among them the root's largest ramp with the spring fitted to it",
        lambda: springs_plot.SpringFigure(),
    ),
    PlotSwitch(
        "root_histogram",
        "Speed Histogram",
        "In the 3D View: how often each speed and each turn rate occurs in all measured actions, "
        "to choose walk and run speeds. A wide panel shows accelerations, too",
        lambda: histogram.SpeedHistogram(),
    ),
)

ROOM = Room(
    modules=(drag_ramp, operators),
    properties=(*panels.CLASSES, *properties.CLASSES),
    pointers=(pointer("inertia_root", properties.RootMotionProperties, label="Inertia Root Motion"),),
    panels=panels.PARTS,
    plots=PLOTS,
    menus=(ROOT_MOTION,),
    classes=drag_ramp.GIZMOS,
)
