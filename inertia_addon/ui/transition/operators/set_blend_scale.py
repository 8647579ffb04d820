# SPDX-License-Identifier: GPL-3.0-or-later
"""Sets how long bones blend: one, the selected ones, a collection, or all."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.props import EnumProperty, FloatProperty, StringProperty

from ....blender.data import compat
from ....errors import InertiaError
from ....settings import limits
from ...shared import common, words
from ...shared.made_of import limits_of
from .. import properties

TARGET_ITEMS = (
    ("ACTIVE", "Active Bone", "The active pose bone"),
    ("SELECTED", "Selected Bones", "The selected pose bones"),
    ("COLLECTION", "Bone Collection", "The bones of a bone collection and of those below it"),
    ("ALL", "All Bones", "Every bone of the armature"),
)


class INERTIA_OT_set_blend_scale(bpy.types.Operator):
    bl_idname = "inertia.set_blend_scale"
    bl_label = "Set Blend Scale"
    bl_description = "Set the multiplier of the blend time on several bones"
    bl_options = {"REGISTER", "UNDO"}

    target: EnumProperty(
        name="Bones", description="Which bones to set it on", items=TARGET_ITEMS, default="SELECTED"
    )
    collection: StringProperty(
        name="Collection", description="The bone collection to set it on", options={"SKIP_SAVE"}
    )
    value: FloatProperty(
        name="Blend Scale",
        description="Multiplies the bones' blend time or half-life: 0 cuts at once, 2 takes twice as long",
        default=1.0,
        **limits_of(limits.BLEND_SCALE),
        step=5,
        precision=2,
        options={"SKIP_SAVE"},
    )

    @classmethod
    def poll(cls, context: Any) -> bool:
        return common.poll_settings(cls, context)

    def execute(self, context: Any) -> set[str]:
        try:
            bones = self._bones(context.object)
        except InertiaError as error:
            return common.refuse(self, error)
        for bone in bones:
            bone.inertia.blend_scale = self.value
        common.say(
            self,
            "INFO",
            "Blend scale {value:.2f} on {bones}",
            value=self.value,
            bones=words.count(len(bones), "bone"),
        )
        return {"FINISHED"}

    def _bones(self, armature: Any) -> list[Any]:
        """The pose bones to set it on. Raises InertiaError when there are none."""
        if self.target == "ALL":
            return list(armature.pose.bones)
        if self.target == "COLLECTION":
            names = properties.bones_of_collection(armature, self.collection)
            return [armature.pose.bones[name] for name in names]
        if self.target == "ACTIVE":
            active = armature.data.bones.active
            bones = [armature.pose.bones[active.name]] if active is not None else []
        else:
            bones = compat.selected_bones(armature)
        if not bones:
            raise InertiaError("No bone is selected; select a pose bone first.")
        return bones

    def draw(self, context: Any) -> None:
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        layout.prop(self, "value")
        layout.prop(self, "target")
        if self.target == "COLLECTION":
            layout.prop_search(self, "collection", context.object.data, "collections_all")
