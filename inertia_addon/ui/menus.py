# SPDX-License-Identifier: GPL-3.0-or-later
"""Inertia's menu, and its entries in Blender's own menus.

Blender's search (F3) finds the operators that are in a menu, and draws the menus to find them: each of
them must draw without an armature too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import bpy

from ..blender.data import compat, recipe
from .shared import words

Row = Callable[[Any], object]
"""Draws an entry into a layout."""


def tool(name: str, icon: str, text: str | None = None, **values: object) -> Row:
    """An operator of the extension, with what its properties are set to."""

    def draw(layout: Any) -> None:
        entry = layout.operator(f"inertia.{name}", text=text, icon=icon)
        for key, value in values.items():
            setattr(entry, key, value)

    return draw


def below(menu: type, icon: str) -> Row:
    """A menu in a menu."""
    return lambda layout: layout.menu(menu.__name__, icon=icon)


def separator(layout: Any) -> None:
    """A line between entries."""
    layout.separator()


def menu(name: str, label: str, description: str, *rows: Row) -> type:
    """A menu's class."""

    def draw(self: Any, _context: Any) -> None:
        for row in rows:
            row(self.layout)

    members = {"bl_label": label, "bl_description": description, "draw": draw, "__module__": __name__}
    return type(f"INERTIA_MT_{name}", (bpy.types.Menu,), members)


class INERTIA_MT_scale_collection(bpy.types.Menu):
    bl_label = "Copy Blend Scale to Collection"
    bl_description = "Give the active bone's blend scale to the bones of a bone collection"

    def draw(self, context: Any) -> None:
        armature = context.object
        active = words.active_bone(armature)
        if active is None:
            self.layout.label(text="Select a bone first")
            return
        for collection in armature.data.collections_all:
            entry = self.layout.operator(
                "inertia.set_blend_scale", text=collection.name, icon="GROUP_BONE", translate=False
            )
            entry.target, entry.collection = "COLLECTION", collection.name
            entry.value = recipe.shown_scale(active)
        if not len(armature.data.collections_all):
            self.layout.label(text="The armature has no bone collections")


MEETING = menu(
    *("meeting", "Find Best Frames", "Find where a transition costs least, and see what it costs elsewhere"),
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
)
JOINTS = menu(
    *("joints", "Joints That Count", "Edit the list of joints that count in the cost of a transition"),
    tool("fill_joints", "GREASEPENCIL"),
    tool("add_joints", "ADD"),
    tool("remove_joint", "REMOVE"),
    tool("clear_joints", "X"),
    separator,
    tool("move_joint", "TRIA_UP", "Move Joint Up", direction="UP"),
    tool("move_joint", "TRIA_DOWN", "Move Joint Down", direction="DOWN"),
)
HOPS = menu(
    *("hops", "Hops", "Ways from the source to the destination by a third clip"),
    tool("find_hops", "VIEWZOOM"),
    tool("bake_hop", "IPO_EASE_IN_OUT"),
    separator,
    tool("hop_clips", "PRESET_NEW", "List All Clips That Fit", change="ALL"),
    tool("save_hops", "EXPORT"),
)
LOOPS = menu(
    *("loops", "Loops", "Where an action goes round best, and what makes a loop of it"),
    tool("find_loop", "VIEWZOOM"),
    tool("make_loop", "FILE_REFRESH"),
)
PATHS = menu(
    *("paths", "Path", "A character that follows a curve or an object with the clips it has"),
    tool("find_path", "VIEWZOOM"),
    tool("stop_path", "X"),
    tool("bake_path", "CURVE_PATH"),
    separator,
    tool("path_clips", "PRESET_NEW", "List All Actions That Fit", change="ALL"),
    separator,
    tool("take_clip", "PINNED", "Take the Next Best Clip at the Join"),
    tool("forbid_clip", "CANCEL", "Forbid the Clip at the Join"),
    tool("pin_clip", "PINNED", "Pin Clip at 3D Cursor"),
    tool("unpin_clip", "TRASH", "Take Back All Pins", change="ALL"),
)
LEARNED = menu(
    *("learned", "Learned", "A model that plays the actions without them"),
    tool("train_model", "PLAY", "Train Model", resume=False),
    tool("train_model", "FILE_REFRESH", "Go On Training", resume=True),
    tool("stop_training", "X"),
    tool("check_model", "CHECKMARK"),
    separator,
    tool("bake_model", "CURVE_PATH"),
    tool("bake_crowd", "COMMUNITY"),
)
ROOT_MOTION = menu(
    *(
        "root_motion",
        "Root Motion",
        "How fast the root goes and turns, and the springs that would move it so",
    ),
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
)
FEET = menu(
    *("feet", "Feet", "When each foot is planted, and which legs there are"),
    tool("find_contacts", "VIEWZOOM"),
    tool("add_contact", "ADD", "Add Contact of All Feet"),
    tool("remove_contact", "REMOVE", "Remove Contact of All Feet"),
    tool("reset_contacts", "LOOP_BACK"),
    separator,
    tool("fill_legs", "BONE_DATA"),
    tool("add_leg", "ADD"),
    tool("remove_leg", "REMOVE"),
    tool("clear_legs", "X"),
    separator,
    tool("lock_feet", "LOCKED"),
)
BONES = menu(
    *("bones", "Bones", "Which bones take part in the transition, and how long each of them blends"),
    tool("list_bones", "RESTRICT_SELECT_OFF"),
    tool("set_blend_scale", "BONE_DATA"),
    below(INERTIA_MT_scale_collection, "GROUP_BONE"),
)
LIMBS = menu(
    *("limbs", "Limbs", "Edit the list of limbs that go between FK and IK"),
    tool("find_limbs", "VIEWZOOM"),
    tool("add_limb", "ADD"),
    tool("remove_limb", "REMOVE"),
    tool("clear_limbs", "X"),
)
LIBRARY = menu(
    *("library", "List of Transitions", "Bake many transitions of one armature"),
    tool("bake_library", "IPO_EASE_IN_OUT"),
    tool("save_library", "EXPORT"),
    separator,
    tool("library_pairs", "ADD", "Add Pair to List", change="ADD"),
    tool("library_pairs", "REMOVE", "Remove Pair from List", change="REMOVE"),
    tool("library_pairs", "PRESET_NEW", "List All Pairs", change="ALL"),
    tool("library_pairs", "TRASH", "Clear List of Transitions", change="CLEAR"),
)
POPS = menu(
    *("pops", "Pops", "Where the assigned action jumps, and what smooths that"),
    tool("find_pops", "VIEWZOOM"),
    tool("smooth_pops", "SMOOTHCURVE"),
)
TRAVEL = menu(
    *("travel", "Travel", "Whether the assigned action goes anywhere, or stays in place"),
    tool("travel", "FORWARD"),
    tool("in_place", "PINNED"),
)
TRANSITION = menu(
    *("transition", "Inertia", "Transitions between two actions"),
    tool("bake_transition", "IPO_EASE_IN_OUT"),
    tool("bake_selected", "COMMUNITY", "Bake Selected Armatures", whose="ACTIVE"),
    tool("bake_selected", "COMMUNITY", "Bake Selected Armatures, Each Its Own", whose="OWN"),
    tool("preview", "PLAY"),
    tool("compare", "SPLIT_VERTICAL"),
    tool("use_current_frame", "TIME"),
    tool("use_assigned_action", "ARMATURE_DATA", "Assigned Action as Source", side="SOURCE"),
    tool("use_assigned_action", "ARMATURE_DATA", "Assigned Action as Destination", side="DESTINATION"),
    tool("use_pose", "POSE_HLT"),
    tool("swap_actions", "ARROW_LEFTRIGHT"),
    tool("use_strips", "NLA"),
    tool("bake_transition", "NLA", "Bake from Strips", from_strips=True),
    tool("complete_clips", "KEYTYPE_KEYFRAME_VEC"),
    separator,
    below(MEETING, "VIEWZOOM"),
    below(JOINTS, "BONE_DATA"),
    below(HOPS, "NLA"),
    below(LOOPS, "FILE_REFRESH"),
    below(PATHS, "CURVE_PATH"),
    below(LEARNED, "OUTLINER_OB_POINTCLOUD"),
    below(LIBRARY, "PRESET"),
    below(POPS, "SMOOTHCURVE"),
    below(ROOT_MOTION, "CURVE_DATA"),
    below(FEET, "POSE_HLT"),
    below(TRAVEL, "FORWARD"),
    below(BONES, "GROUP_BONE"),
    below(LIMBS, "CON_KINEMATIC"),
    separator,
    tool("smooth_jump", "SMOOTHCURVE"),
    tool("rebake", "FILE_REFRESH"),
    tool("load_recipe", "COPYDOWN"),
    tool("remove_strips", "X"),
    separator,
    tool("reset_plots", "LOOP_BACK", "Reset Places of Plots"),
)

CLASSES = (
    TRANSITION,
    MEETING,
    JOINTS,
    HOPS,
    LOOPS,
    PATHS,
    LEARNED,
    LIBRARY,
    POPS,
    ROOT_MOTION,
    FEET,
    TRAVEL,
    BONES,
    LIMBS,
    INERTIA_MT_scale_collection,
)

PLACES = (
    "VIEW3D_MT_pose",
    "VIEW3D_MT_pose_context_menu",
    "VIEW3D_MT_object_animation",
    "DOPESHEET_MT_action",
    "DOPESHEET_MT_key",
    "GRAPH_MT_key",
    "NLA_MT_strips",
)
"""Menus that get an Inertia entry."""


def places() -> list[Any]:
    """Those of the menus that this Blender has."""
    return compat.types_named(PLACES)


def draw_entry(self: Any, _context: Any) -> None:
    """The entry at a menu's end."""
    self.layout.separator()
    self.layout.menu(TRANSITION.__name__, icon="IPO_EASE_IN_OUT")


def attach() -> None:
    """Add the entries."""
    for menu in places():
        menu.append(draw_entry)


def detach() -> None:
    """Remove the entries."""
    for menu in reversed(places()):
        menu.remove(draw_entry)
