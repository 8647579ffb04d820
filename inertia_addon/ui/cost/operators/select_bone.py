# SPDX-License-Identifier: GPL-3.0-or-later
"""Selects a bone from the list of costs."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.props import BoolProperty, StringProperty

from ....blender.data import compat
from ...shared import common


class INERTIA_OT_select_bone(bpy.types.Operator):
    bl_idname = "inertia.select_bone"
    bl_label = "Select Bone"
    bl_description = "Select this bone alone, and make it the active one. Shift adds it to the selection"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}

    bone: StringProperty(name="Bone", description="The bone to select", options={"SKIP_SAVE"})
    extend: BoolProperty(
        name="Extend", description="Keep the other bones selected", default=False, options={"SKIP_SAVE"}
    )

    @classmethod
    def poll(cls, context: Any) -> bool:
        return common.poll_armature(cls, context)

    def invoke(self, context: Any, event: Any) -> set[str]:
        self.extend = event.shift
        return self.execute(context)

    def execute(self, context: Any) -> set[str]:
        armature = context.object
        if self.bone not in armature.pose.bones:
            common.say(
                self, "ERROR", '"{armature}" has no bone "{bone}".', armature=armature.name, bone=self.bone
            )
            return {"CANCELLED"}
        if not self.extend:
            for bone in armature.pose.bones:
                compat.select_bone(bone, False)
        compat.select_bone(armature.pose.bones[self.bone], True)
        armature.data.bones.active = armature.data.bones[self.bone]
        return {"FINISHED"}
