# SPDX-License-Identifier: GPL-3.0-or-later
"""The menu that gives the active bone's blend scale to a bone collection."""

from __future__ import annotations

from typing import Any

import bpy

from ...blender.data import recipe
from ..shared import character


class INERTIA_MT_scale_collection(bpy.types.Menu):
    bl_label = "Copy Blend Scale to Collection"
    bl_description = "Give the active bone's blend scale to the bones of a bone collection"

    def draw(self, context: Any) -> None:
        armature = context.object
        active = character.active_bone(armature)
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
