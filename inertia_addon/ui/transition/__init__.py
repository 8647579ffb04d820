# SPDX-License-Identifier: GPL-3.0-or-later
"""The transition itself, as the animator sees it: properties, panel and operators."""

from __future__ import annotations

from ...blender.data import compat
from ..room import END, Room, below, forget_at_end, handler, menu, once_read, pointer, tool
from . import (
    assigned_source,
    bake_operators,
    character,
    entry_search,
    operators,
    panels,
    preview_operators,
    previewing,
    properties,
    rebaking,
    warp,
)
from .operators import INERTIA_MT_scale_collection

SOURCE = menu(
    "source",
    "Source",
    "Other ways to choose the source",
    tool("use_assigned_action", "ACTION", "Use Current Action", side="SOURCE"),
    tool("use_pose", "POSE_HLT", "Use Current Pose"),
    tool("swap_actions", "ARROW_LEFTRIGHT", "Swap with Destination"),
)

DESTINATION = menu(
    "destination",
    "Destination",
    "Other ways to choose the destination",
    tool("use_assigned_action", "ACTION", "Use Current Action", side="DESTINATION"),
    tool("swap_actions", "ARROW_LEFTRIGHT", "Swap with Source"),
)

BONES = menu(
    "bones",
    "Bones",
    "Which bones take part in the transition, and how long each one blends",
    tool("list_bones", "RESTRICT_SELECT_OFF"),
    tool("set_blend_scale", "BONE_DATA"),
    below(INERTIA_MT_scale_collection, "GROUP_BONE"),
    icon="GROUP_BONE",
)

LIMBS = menu(
    "limbs",
    "Limbs",
    "Edit the list of limbs that switch between FK and IK",
    tool("find_limbs", "VIEWZOOM"),
    tool("add_limb", "ADD"),
    tool("remove_limb", "REMOVE"),
    tool("clear_limbs", "X"),
    icon="CON_KINEMATIC",
)

ROOM = Room(
    modules=(bake_operators, rebaking, preview_operators, operators, character, warp),
    properties=(*properties.CLASSES, *character.CLASSES),
    pointers=(
        pointer("inertia", properties.TransitionProperties),
        pointer("inertia", properties.BoneProperties, "PoseBone"),
        pointer("inertia_limbs", character.LimbsProperties),
    ),
    panels=(*rebaking.PARTS, *panels.PARTS),
    menus=(SOURCE, DESTINATION, BONES, LIMBS, INERTIA_MT_scale_collection),
    classes=(panels.INERTIA_PT_presets, panels.INERTIA_OT_add_preset),
    parts=(
        preview_operators.BUTTON,
        panels.PRESET_PATHS,
        forget_at_end(previewing.forget),
        *once_read(assigned_source, lambda: assigned_source.forget(), END),
        handler("save_pre", previewing.on_save),
        *(handler(moment, previewing.on_saved) for moment in ("save_post", "save_post_fail")),
        *(handler(moment, previewing.on_exit) for moment in compat.EXIT_MOMENTS),
        handler("frame_change_post", previewing.on_frame),
        *once_read(entry_search, lambda: entry_search.stop(), "load_pre", "undo_pre", "redo_pre"),
        handler("load_post", previewing.on_load),
        *(handler(moment, previewing.on_new_state) for moment in ("undo_post", "redo_post")),
    ),
)
