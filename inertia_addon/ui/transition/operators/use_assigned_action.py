# SPDX-License-Identifier: GPL-3.0-or-later
"""Takes the action that animates the armature now as the source, or the destination."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.props import EnumProperty

from ....blender.data import compat
from ...shared import common
from .. import fields


class INERTIA_OT_use_assigned_action(bpy.types.Operator):
    bl_idname = "inertia.use_assigned_action"
    bl_label = "Use Assigned Action"
    bl_description = (
        "Choose the action that animates the armature now. Where the file has just one other, and the "
        "other side is empty, that becomes the other side"
    )
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
            return common.unavailable(
                cls, '"{armature}" has no action assigned', armature=context.object.name
            )
        return True

    def execute(self, context: Any) -> set[str]:
        own, side = context.object.inertia, self.side.lower()
        action, slot = compat.assigned(context.object)
        setattr(own, side, action)
        setattr(own, f"{side}_slot", slot)
        opposite = "destination" if side == "source" else "source"
        others = [other for other in bpy.data.actions if other != action and fields.object_slots(other)]
        if getattr(own, opposite) is None and len(others) == 1:
            setattr(own, opposite, others[0])
        return {"FINISHED"}
