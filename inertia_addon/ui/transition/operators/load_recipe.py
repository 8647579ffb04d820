# SPDX-License-Identifier: GPL-3.0-or-later
"""Copies what a result was baked with back into the armature's settings."""

from __future__ import annotations

import dataclasses
from typing import Any

import bpy
from bpy.props import StringProperty

from ....blender.data import actions, recipe
from ....errors import InertiaError
from ...shared import common
from .. import properties


class INERTIA_OT_load_recipe(bpy.types.Operator):
    bl_idname = "inertia.load_recipe"
    bl_label = "Settings from Result"
    bl_description = "Copy the settings that a baked transition was made with into the panel"
    bl_options = {"REGISTER", "UNDO"}

    action: StringProperty(
        name="Action",
        description="The baked transition; empty for the assigned action",
        options={"SKIP_SAVE"},
    )

    @classmethod
    def poll(cls, context: Any) -> bool:
        return common.poll_settings(cls, context) and common.poll_results(cls, context)

    def execute(self, context: Any) -> set[str]:
        own = context.object.inertia
        try:
            action = common.find_result(context, self.action)
            settings = recipe.load(action)
            source = actions.find(settings.source, settings.source_library)
            destination = actions.find(settings.destination, settings.destination_library)
        except InertiaError as error:
            return common.refuse(self, error)
        usual = action.name == f"{source.name} to {destination.name}"
        settings = dataclasses.replace(settings, result="" if usual else action.name, assign=own.assign)
        properties.put_settings(context.object, settings, source, destination)
        common.say(self, "INFO", 'The settings are those of "{action}"', action=action.name)
        return {"FINISHED"}
