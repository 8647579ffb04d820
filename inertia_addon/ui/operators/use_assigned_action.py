# SPDX-License-Identifier: GPL-3.0-or-later
"""Takes the action that animates the armature now as the source, or the destination."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.props import EnumProperty

from ...blender import compat
from . import common


class INERTIA_OT_use_assigned_action(bpy.types.Operator):
    bl_idname = "inertia.use_assigned_action"
    bl_label = "Use Assigned Action"
    bl_description = "Choose the action that animates the armature now"
    bl_options = {"REGISTER", "UNDO"}

    side: EnumProperty(
        name="As",
        description="What to use the assigned action as",
        items=(
            ("SOURCE", "Source", "Play it up to the cut"),
            ("DESTINATION", "Destination", "Play it from the cut on"),
        ),
        default="SOURCE",
    )

    @classmethod
    def poll(cls, context: Any) -> bool:
        if not common.poll_settings(cls, context):
            return False
        if compat.assigned(context.object)[0] is None:
            return common.unavailable(cls, f'"{context.object.name}" has no action assigned')
        return True

    def execute(self, context: Any) -> set[str]:
        side = self.side.lower()
        action, slot = compat.assigned(context.object)
        setattr(context.object.inertia, side, action)
        setattr(context.object.inertia, f"{side}_slot", slot)
        return {"FINISHED"}
