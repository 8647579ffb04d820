# SPDX-License-Identifier: GPL-3.0-or-later
"""Costs, as the animator sees them: properties, panels, operators and plots."""

from __future__ import annotations

from bpy.props import EnumProperty, IntProperty

from ...settings.fields import Range
from ..overlay.switches import PlotSwitch
from ..room import Room, menu, pointer, separator, tool
from ..shared.made_of import limits_of
from ..translations import OWN_CONTEXT
from . import (
    curve_plot,
    figures,
    joint_list,
    joint_trajectories,
    map_plot,
    offsets_plot,
    operators,
    panels,
    search,
)

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

GHOST_FRAMES = Range(0, 10_000, "frames", whole=True, soft_most=200)

PLOTS = (
    PlotSwitch(
        "curves",
        "Cost Curves",
        "Along the bottom of the 3D View: the cost in metre seconds of entering the destination "
        "at each of its frames, and of each cut",
        lambda: curve_plot.CostCurves(),
    ),
    PlotSwitch(
        "timelines",
        "Costs in Time Editors",
        "In the Dope Sheet and the Graph Editor, lined up with the keys: the cost of each cut, or of each "
        "destination frame where the destination is the assigned action; drag in the Dope Sheet to choose "
        "one",
        lambda: curve_plot.CostTimeline(),
    ),
    PlotSwitch(
        "map",
        "Cost Map",
        "In a corner of the 3D View: the cost of each cut with each destination frame. Click a "
        "cell to choose both",
        lambda: map_plot.CostMapPlot(),
        context=OWN_CONTEXT,
        details={
            "map_kind": (
                "Map",
                EnumProperty,
                {
                    "name": "Costs",
                    "translation_context": OWN_CONTEXT,
                    "description": "What the map shows",
                    "items": operators.MAP_ITEMS,
                    "default": "EXACT",
                },
            )
        },
    ),
    PlotSwitch(
        "offsets",
        "Bone Offset",
        "How the active bone's difference at the cut, its offset, fades with each method, and what it costs "
        "over position and velocity",
        lambda: offsets_plot.BoneOffset(),
    ),
    PlotSwitch(
        "ghosts",
        "Ghost Trajectories",
        "The trajectories of the hips, hands and feet: in the source, in the destination where it will be, "
        "and in the result",
        lambda: joint_trajectories.Ghosts(),
        details={
            "ghost_frames": (
                "Ghosts Around",
                IntProperty,
                {
                    "name": "Around",
                    "description": "How many frames before the cut and after the window trajectories show",
                    "default": 20,
                    **limits_of(GHOST_FRAMES),
                },
            )
        },
    ),
    PlotSwitch(
        "tint",
        "Tint Bones",
        "Colour the bones by their share of the cost at the cut",
        lambda: joint_trajectories.Tint(),
    ),
)

ROOM = Room(
    modules=(operators, joint_list, figures),
    properties=(*joint_list.CLASSES, *search.CLASSES),
    pointers=(
        pointer("inertia_cost", joint_list.CostProperties),
        pointer("inertia_search", search.SearchProperties),
    ),
    classes=panels.CLASSES,
    plots=PLOTS,
    menus=(MEETING, BEST, JOINTS),
)
