# SPDX-License-Identifier: GPL-3.0-or-later
"""Edits the list of joints that count in an armature's costs."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.props import EnumProperty

from ...blender.data import compat
from ...blender.evaluation import joints
from ...blender.evaluation.joints import Joint
from ...errors import InertiaError
from ...motion.skeleton import naming
from ..shared import tool, words
from ..shared.made_of import plain
from ..shared.row_list import ClearsRows, RemovesRow
from ..shared.tool import Tool
from . import joint_list
from .joint_list import JOINTS


class INERTIA_OT_fill_joints(Tool, bpy.types.Operator):
    bl_idname = "inertia.fill_joints"
    bl_label = "Fill List of Joints"
    bl_description = (
        "Fill a new list with the joints found in the rig: hips, head, hands and feet with the weight 1, "
        "a tail with 0.5; in a rig without limbs, every bone. The weights can then be changed"
    )

    def act(self, context: Any) -> None:
        armature = context.object
        found = list(joints.default_joints(armature))
        if not found:
            raise InertiaError('"{armature}" has no bones; add some first.', armature=armature.name)
        JOINTS.clear(armature)
        joint_list.add(armature, found)
        armature.inertia_cost.active_index = 0
        self.say("{count} listed", count=words.count(len(found), "joint"))


class INERTIA_OT_add_joints(Tool, bpy.types.Operator):
    bl_idname = "inertia.add_joints"
    bl_label = "Add Selected Bones"
    bl_description = "Add the selected pose bones to the joints that count, each with the weight 1"

    needs = (
        tool.poll_settings,
        tool.need(lambda context: compat.selected_bones(context.object), "Select pose bones first"),
    )

    def act(self, context: Any) -> None:
        # who adds a bone by hand wants to see where it goes: a foot's trajectory is shown
        chosen = [Joint(bone.name, 1.0, naming.FOOT) for bone in compat.selected_bones(context.object)]
        added = joint_list.add(context.object, chosen)
        self.say("{count} added", count=words.count(added, "joint"))


class INERTIA_OT_remove_joint(RemovesRow, bpy.types.Operator):
    bl_idname = "inertia.remove_joint"
    bl_label = "Remove Joint"
    bl_description = "Remove the chosen joint from the list"
    needs = JOINTS.needs_active
    listed, spared = JOINTS, "This joint comes from the linked file; it has no weight now"


class INERTIA_OT_move_joint(Tool, bpy.types.Operator):
    bl_idname = "inertia.move_joint"
    bl_label = "Move Joint"
    bl_description = "Move the chosen joint up or down in the list; the cost does not depend on the order"
    needs = (
        *JOINTS.needs_active,
        tool.need(
            lambda context: context.object.override_library is None,
            "The order of a library override's list can't be changed",
        ),
    )

    direction: plain(
        EnumProperty,
        "Direction",
        "Where to move it",
        items=(("UP", "Up", "Towards the list's beginning"), ("DOWN", "Down", "Towards its end")),
        default="UP",
    )

    def act(self, context: Any) -> set[str] | None:
        own = context.object.inertia_cost
        target = own.active_index + (-1 if self.direction == "UP" else 1)
        if not 0 <= target < len(own.items):
            return {"CANCELLED"}
        own.items.move(own.active_index, target)
        own.active_index = target
        return None


class INERTIA_OT_clear_joints(ClearsRows, bpy.types.Operator):
    bl_idname = "inertia.clear_joints"
    bl_label = "Clear List of Joints"
    bl_description = "Remove all joints from the list"
    needs = JOINTS.needs_rows
    listed = JOINTS
