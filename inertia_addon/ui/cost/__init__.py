# SPDX-License-Identifier: GPL-3.0-or-later
"""Costs, as the animator sees them: properties, panels, operators and plots."""

from __future__ import annotations

from ..room import Room, menu, pointer, separator, tool
from . import joint_list, operators, panels, search
from .curve_plot import CostCurves, CostTimeline
from .joint_trajectories import Ghosts, Tint
from .map_plot import CostMapPlot
from .offsets_plot import BoneOffset

MEETING = menu(
    "meeting",
    "Find Best Frames",
    "Find where a transition costs least, and see what it costs elsewhere",
    tool("find_meeting", "VIEWZOOM", "Best Entry", goal="DESTINATION"),
    tool("find_meeting", "VIEWZOOM", "Best Cut", goal="CUT"),
    tool("find_meeting", "VIEWZOOM", "Best Pair", goal="PAIR"),
    tool("find_meeting", "VIEWZOOM", "Ten Best Pairs", goal="PAIRS"),
    separator,
    tool("step_pair", "TRIA_DOWN", "Next Pair", step=1),
    tool("step_pair", "TRIA_UP", "Previous Pair", step=-1),
    separator,
    tool("evaluate_clips", "PLAY"),
    tool("judge", "HIDE_OFF"),
    tool("suggest_blend_time", "VIEWZOOM"),
    tool("save_map", "FILE_IMAGE", as_image=False),
    tool("save_map", "IMAGE_DATA", "Cost Map as Image", as_image=True),
    icon="VIEWZOOM",
)

BEST = menu(
    "best",
    "Best",
    "Find the frames that look best, by their verdict",
    tool("find_meeting", "ARROW_LEFTRIGHT", "Best Pair", goal="PAIR"),
    tool("find_meeting", "FORWARD", "Best Entry", goal="DESTINATION"),
    tool("find_meeting", "BACK", "Best Cut", goal="CUT"),
    tool("find_meeting", "SORTSIZE", "Ten Best Pairs", goal="PAIRS"),
)

JOINTS = menu(
    "joints",
    "Joints That Count",
    "Edit the list of joints that count in the cost of a transition",
    tool("fill_joints", "GREASEPENCIL"),
    tool("add_joints", "ADD"),
    tool("remove_joint", "REMOVE"),
    tool("clear_joints", "X"),
    separator,
    tool("move_joint", "TRIA_UP", "Move Joint Up", direction="UP"),
    tool("move_joint", "TRIA_DOWN", "Move Joint Down", direction="DOWN"),
    icon="BONE_DATA",
)

ROOM = Room(
    modules=(operators, joint_list),
    properties=(*joint_list.CLASSES, *search.CLASSES),
    pointers=(
        pointer("inertia_cost", joint_list.CostProperties),
        pointer("inertia_search", search.SearchProperties),
    ),
    classes=panels.CLASSES,
    plots=(CostCurves(), CostTimeline(), CostMapPlot(), BoneOffset(), Ghosts(), Tint()),
    menus=(MEETING, BEST, JOINTS),
)
