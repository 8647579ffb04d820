# SPDX-License-Identifier: GPL-3.0-or-later
"""Stores the selected bones as those that take part."""

from __future__ import annotations

from typing import Any

import bpy

from ....blender.data import compat
from ...shared import common, lists


class INERTIA_OT_list_bones(bpy.types.Operator):
    bl_idname = "inertia.list_bones"
    bl_label = "Store Selected Bones"
    bl_description = "Let the pose bones that are selected now take part, whatever is selected later"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: Any) -> bool:
        return common.poll_settings(cls, context)

    def execute(self, context: Any) -> set[str]:
        names = [bone.name for bone in compat.selected_bones(context.object)]
        if not names:
            common.say(self, "ERROR", "No bone is selected; select pose bones first.")
            return {"CANCELLED"}
        own = context.object.inertia
        own.bone_list = lists.names_to_text(names)
        own.bones = "LISTED"
        return {"FINISHED"}
