# SPDX-License-Identifier: GPL-3.0-or-later
"""Edits the list of joints that count in an armature's costs."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.props import EnumProperty

from ....blender.data import compat
from ....blender.evaluation import joints
from ....blender.evaluation.joints import Joint
from ....motion.skeleton import extremities
from ...shared import common, words
from .. import joint_list


def poll_items(cls: Any, context: Any) -> bool:
    """Whether the active armature has a list that can be edited and is not empty."""
    if not common.poll_settings(cls, context):
        return False
    if len(context.object.inertia_cost.items):
        return True
    return common.unavailable(cls, "The list of joints is empty")


def poll_active(cls: Any, context: Any) -> bool:
    """Whether a joint of the list is chosen."""
    if not poll_items(cls, context):
        return False
    own = context.object.inertia_cost
    if own.active_index < len(own.items):
        return True
    return common.unavailable(cls, "Choose a joint of the list first")


class INERTIA_OT_fill_joints(bpy.types.Operator):
    bl_idname = "inertia.fill_joints"
    bl_label = "Fill List of Joints"
    bl_description = (
        "Make a new list of the joints that are found from the rig: hips, head, hands and feet with the "
        "weight 1, a tail with 0.5; of a rig without limbs, every bone. The weights can be changed then"
    )
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: Any) -> bool:
        return common.poll_settings(cls, context)

    def execute(self, context: Any) -> set[str]:
        armature = context.object
        found = list(joints.default_joints(armature))
        if not found:
            common.say(self, "ERROR", '"{armature}" has no bones; add some first.', armature=armature.name)
            return {"CANCELLED"}
        joint_list.clear(armature)
        joint_list.add(armature, found)
        armature.inertia_cost.active_index = 0
        common.say(self, "INFO", "{count} listed", count=words.count(len(found), "joint"))
        return {"FINISHED"}


class INERTIA_OT_add_joints(bpy.types.Operator):
    bl_idname = "inertia.add_joints"
    bl_label = "Add Selected Bones"
    bl_description = "Add the selected pose bones to the joints that count, each with the weight 1"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: Any) -> bool:
        if not common.poll_settings(cls, context):
            return False
        if compat.selected_bones(context.object):
            return True
        return common.unavailable(cls, "Select pose bones first")

    def execute(self, context: Any) -> set[str]:
        # who adds a bone by hand wants to see where it goes: a foot's trajectory is shown
        chosen = [Joint(bone.name, 1.0, extremities.FOOT) for bone in compat.selected_bones(context.object)]
        added = joint_list.add(context.object, chosen)
        common.say(self, "INFO", "{count} added", count=words.count(added, "joint"))
        return {"FINISHED"}


class INERTIA_OT_remove_joint(bpy.types.Operator):
    bl_idname = "inertia.remove_joint"
    bl_label = "Remove Joint"
    bl_description = "Remove the chosen joint from the list"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: Any) -> bool:
        return poll_active(cls, context)

    def execute(self, context: Any) -> set[str]:
        if not joint_list.remove(context.object, context.object.inertia_cost.active_index):
            common.say(self, "INFO", "This joint comes from the linked file; it has no weight now")
        return {"FINISHED"}


class INERTIA_OT_move_joint(bpy.types.Operator):
    bl_idname = "inertia.move_joint"
    bl_label = "Move Joint"
    bl_description = "Move the chosen joint up or down in the list; the cost does not depend on the order"
    bl_options = {"REGISTER", "UNDO"}

    direction: EnumProperty(
        name="Direction",
        description="Where to move it",
        items=(("UP", "Up", "Towards the list's beginning"), ("DOWN", "Down", "Towards its end")),
        default="UP",
        options={"SKIP_SAVE"},
    )

    @classmethod
    def poll(cls, context: Any) -> bool:
        if not poll_active(cls, context):
            return False
        if context.object.override_library is None:
            return True
        return common.unavailable(cls, "The order of a library override's list can't be changed")

    def execute(self, context: Any) -> set[str]:
        own = context.object.inertia_cost
        target = own.active_index + (-1 if self.direction == "UP" else 1)
        if not 0 <= target < len(own.items):
            return {"CANCELLED"}
        own.items.move(own.active_index, target)
        own.active_index = target
        return {"FINISHED"}


class INERTIA_OT_clear_joints(bpy.types.Operator):
    bl_idname = "inertia.clear_joints"
    bl_label = "Clear List of Joints"
    bl_description = "Remove all joints from the list"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: Any) -> bool:
        return poll_items(cls, context)

    def execute(self, context: Any) -> set[str]:
        joint_list.clear(context.object)
        return {"FINISHED"}


CLASSES = (
    INERTIA_OT_fill_joints,
    INERTIA_OT_add_joints,
    INERTIA_OT_remove_joint,
    INERTIA_OT_move_joint,
    INERTIA_OT_clear_joints,
)
