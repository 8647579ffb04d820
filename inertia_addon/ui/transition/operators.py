# SPDX-License-Identifier: GPL-3.0-or-later
"""Chooses what the transition is made of: actions, the cut and bones; and keys what clips leave out."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.props import EnumProperty, FloatProperty, StringProperty

from ...blender.data import compat
from ...blender.transition import completing
from ...errors import InertiaError
from ...settings import limits
from ..shared import character, drawing, made_of, tab, tool, words
from ..shared.made_of import multiplier, plain
from ..shared.tool import Tool
from . import fields, previewing, properties

TARGET_ITEMS = (
    ("ACTIVE", "Active Bone", "The active pose bone"),
    ("SELECTED", "Selected Bones", "The selected pose bones"),
    ("COLLECTION", "Bone Collection", "The bones of a bone collection and of those below it"),
    ("ALL", "All Bones", "Every bone of the armature"),
)


class INERTIA_OT_use_current_frame(Tool, bpy.types.Operator):
    bl_idname = "inertia.use_current_frame"
    bl_label = "Cut at Current Frame"
    bl_description = "Put the cut where the playhead is"

    def act(self, context: Any) -> None:
        own = context.object.inertia
        own.cut = context.scene.frame_current_final - own.shift


def poll_assigned(cls: Any, context: Any) -> bool:
    """Whether an action animates the armature now."""
    if compat.assigned(context.object)[0] is not None:
        return True
    return tool.unavailable(cls, '"{armature}" has no action assigned', armature=context.object.name)


class INERTIA_OT_use_assigned_action(Tool, bpy.types.Operator):
    bl_idname = "inertia.use_assigned_action"
    bl_label = "Use Assigned Action"
    bl_description = (
        "Choose the action that animates the armature now. Where the file has just one other, and the "
        "other side is empty, that becomes the other side"
    )
    needs = (tool.poll_settings, poll_assigned)

    side: EnumProperty(
        name="As",
        description="What to use the assigned action as",
        items=(
            ("SOURCE", "Source", "Play it up to the cut"),
            ("DESTINATION", "Destination", "Play it from the cut on"),
        ),
        default="SOURCE",
    )

    def act(self, context: Any) -> None:
        own, side = context.object.inertia, self.side.lower()
        action, slot = compat.assigned(context.object)
        setattr(own, side, action)
        setattr(own, f"{side}_slot", slot)
        tab.show(context, tab.JOIN)
        opposite = "destination" if side == "source" else "source"
        others = [other for other in bpy.data.actions if other != action and fields.object_slots(other)]
        if getattr(own, opposite) is None and len(others) == 1:
            setattr(own, opposite, others[0])


class INERTIA_OT_swap_actions(Tool, bpy.types.Operator):
    bl_idname = "inertia.swap_actions"
    bl_label = "Swap Source and Destination"
    bl_description = "Exchange the two actions, for the way back. The cut stays where it is"

    def act(self, context: Any) -> None:
        own = context.object.inertia
        slots = own.destination_slot, own.source_slot
        own.source_scale, own.destination_scale = own.destination_scale, own.source_scale
        own.source, own.destination = own.destination, own.source
        # Only now: choosing another action forgets its slot.
        own.source_slot, own.destination_slot = slots


class INERTIA_OT_list_bones(Tool, bpy.types.Operator):
    bl_idname = "inertia.list_bones"
    bl_label = "Store Selected Bones"
    bl_description = "Let the pose bones that are selected now take part, whatever is selected later"

    def act(self, context: Any) -> None:
        names = [bone.name for bone in compat.selected_bones(context.object)]
        if not names:
            raise InertiaError("No bone is selected; select pose bones first.")
        own = context.object.inertia
        own.bone_list = made_of.names_to_text(names)
        own.bones = "LISTED"


class INERTIA_OT_set_blend_scale(Tool, bpy.types.Operator):
    bl_idname = "inertia.set_blend_scale"
    bl_label = "Set Blend Scale"
    bl_description = "Set the multiplier of the blend time on several bones"

    target: EnumProperty(
        name="Bones", description="Which bones to set it on", items=TARGET_ITEMS, default="SELECTED"
    )
    collection: plain(StringProperty, "Collection", "The bone collection to set it on")
    value: plain(
        FloatProperty,
        "Blend Scale",
        "Multiplies the bones' blend time or half-life: 0 cuts at once, 2 takes twice as long",
        **multiplier(limits.BLEND_SCALE),
    )

    def act(self, context: Any) -> None:
        bones = self._bones(context.object)
        for bone in bones:
            bone.inertia.blend_scale = self.value
        count = words.count(len(bones), "bone")
        self.say("Blend scale {value:.2f} on {bones}", value=self.value, bones=count)

    def _bones(self, armature: Any) -> list[Any]:
        """The pose bones to set it on. Raises InertiaError when there are none."""
        if self.target == "ALL":
            return list(armature.pose.bones)
        if self.target == "COLLECTION":
            names = properties.bones_of_collection(armature, self.collection)
            return [armature.pose.bones[name] for name in names]
        if self.target == "ACTIVE":
            active = character.active_bone(armature)
            bones = [active] if active is not None else []
        else:
            bones = compat.selected_bones(armature)
        if not bones:
            raise InertiaError("No bone is selected; select a pose bone first.")
        return bones

    def draw(self, context: Any) -> None:
        layout = drawing.split(self.layout)
        layout.prop(self, "value")
        layout.prop(self, "target")
        if self.target == "COLLECTION":
            layout.prop_search(self, "collection", context.object.data, "collections_all")


class INERTIA_OT_complete_clips(Tool, bpy.types.Operator):
    bl_idname = "inertia.complete_clips"
    bl_label = "Complete Clips"
    bl_description = (
        "In each clip, key every channel that another clip keys and it does not, at the bone's current "
        "value: then clips look the same whatever played before. This edits the actions themselves"
    )
    needs = (tool.poll_settings, tool.poll_armature)

    which: EnumProperty(
        name="Clips",
        description="Which actions are given keys",
        items=(
            ("PAIR", "Source and Destination", "The two that are chosen for the transition"),
            ("ALL", "All That Fit", "All actions of this armature that Inertia has not baked"),
        ),
        default="PAIR",
    )

    def act(self, context: Any) -> set[str] | None:
        armature = context.object
        previewing.end()
        own = armature.inertia
        clips = [(action, "") for action in completing.library(armature)]
        if self.which == "PAIR":
            if own.source is None or own.destination is None:
                raise InertiaError("Choose a source and a destination action.")
            clips = [(own.source, own.source_slot), (own.destination, own.destination_slot)]
        done = completing.complete(armature, clips)
        count = sum(one.channels for one in done)
        if not count:
            self.say("Nothing is missing: the clips key the same channels.")
            return {"CANCELLED"}
        self.say(
            "Keys are given to {channels} in {clips}.",
            channels=words.count(count, "channel"),
            clips=words.count(len(done), "clip"),
        )
        return None
