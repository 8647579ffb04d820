# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes a result anew from its recipe, in place."""

from __future__ import annotations

import dataclasses
from typing import Any

import bpy
from bpy.props import StringProperty

from ....blender.data import compat, recipe
from ....blender.transition import bake
from ....errors import InertiaError
from ...shared import common
from .. import telling


class INERTIA_OT_rebake(bpy.types.Operator):
    bl_idname = "inertia.rebake"
    bl_label = "Rebake"
    bl_description = (
        "Make a baked transition anew, in place, with the settings it was baked with and its source and "
        "destination as they are now"
    )
    bl_options = {"REGISTER", "UNDO"}

    action: StringProperty(
        name="Action",
        description="The baked transition; empty for the assigned action",
        options={"SKIP_SAVE"},
    )

    @classmethod
    def poll(cls, context: Any) -> bool:
        return common.poll_armature(cls, context) and common.poll_results(cls, context)

    def execute(self, context: Any) -> set[str]:
        armature = context.object
        try:
            action = common.find_result(context, self.action)
            # Who plays it goes on playing it; another action that is assigned now must stay.
            assigned = compat.assigned(armature)[0] == action
            settings = dataclasses.replace(recipe.load(action), assign=assigned)
            report = bake.bake_transition(armature, settings, into=action)
        except InertiaError as error:
            return common.refuse(self, error)
        self.action = action.name
        telling.tell(self, report, "Rebaked")
        return {"FINISHED"}
