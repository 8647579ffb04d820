# SPDX-License-Identifier: GPL-3.0-or-later
"""Chooses what the transition is made of: actions or a pose, the cut and bones; and keys what clips leave
out."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, StringProperty

from ...blender.data import compat, recipe
from ...blender.transition import completing, pose_clips
from ...errors import InertiaError
from ...settings.fields import BLEND_SCALE
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
        props = context.object.inertia
        props.cut = context.scene.frame_current_final - props.shift


def poll_assigned(cls: Any, context: Any) -> bool:
    """Tell whether an action animates the armature now."""
    if compat.assigned(context.object)[0] is not None:
        return True
    return tool.unavailable(cls, '"{armature}" has no action assigned', armature=context.object.name)


def take_assigned(armature: Any, side: str) -> None:
    """Make the action that animates an armature, with its slot, the armature's source or destination, as
    `side` says; with no action assigned that side becomes empty.

    Where the other side is empty and the file has just one other action of objects, that becomes the other
    side.
    """
    props = armature.inertia
    action, slot = compat.assigned(armature)
    setattr(props, side, action)
    setattr(props, f"{side}_slot", slot)
    opposite = "destination" if side == "source" else "source"
    others = [other for other in bpy.data.actions if other != action and fields.object_slots(other)]
    if getattr(props, opposite) is None and len(others) == 1:
        setattr(props, opposite, others[0])


class INERTIA_OT_use_assigned_action(Tool, bpy.types.Operator):
    bl_idname = "inertia.use_assigned_action"
    bl_label = "Use Assigned Action"
    bl_description = (
        "Choose the action that animates the armature now. If the file has only one other action, and the "
        "other side is empty, that action becomes the other side"
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
        take_assigned(context.object, self.side.lower())
        tab.show(context, tab.JOIN)


class INERTIA_OT_swap_actions(Tool, bpy.types.Operator):
    bl_idname = "inertia.swap_actions"
    bl_label = "Swap Source and Destination"
    bl_description = "Exchange the two actions, for the way back. The cut stays where it is"

    def act(self, context: Any) -> None:
        props = context.object.inertia
        slots = props.destination_slot, props.source_slot
        props.source_scale, props.destination_scale = props.destination_scale, props.source_scale
        props.source, props.destination = props.destination, props.source
        # Only now: choosing another action forgets its slot.
        props.source_slot, props.destination_slot = slots


class INERTIA_OT_use_pose(Tool, bpy.types.Operator):
    bl_idname = "inertia.use_pose"
    bl_label = "Pose as Source"
    bl_description = (
        "Start from the current pose, keyed or not: it is kept as an action of its own, which becomes the "
        "source, and the cut moves to this frame"
    )
    needs = (tool.poll_settings, tool.poll_armature)

    moving: plain(
        BoolProperty,
        "In Motion",
        "Give the pose the motion that the assigned action has at this frame; otherwise it is at rest",
    )

    def act(self, context: Any) -> None:
        armature = context.object
        previewing.end()
        props, frame = armature.inertia, context.scene.frame_current_final
        pose = pose_clips.keep(armature, frame, moving=self.moving, destination=props.destination)
        props.source = pose.action
        props.source_slot, props.source_scale = pose.slot.identifier, 1.0
        props.cut = frame - props.shift
        template = 'The pose is kept as "{action}": {channels}'
        self.say(template, action=pose.action.name, channels=words.count(pose.channels, "channel"))


class INERTIA_OT_list_bones(Tool, bpy.types.Operator):
    bl_idname = "inertia.list_bones"
    bl_label = "Store Selected Bones"
    bl_description = "Let the pose bones that are selected now take part, whatever is selected later"

    def act(self, context: Any) -> None:
        names = [bone.name for bone in compat.selected_bones(context.object)]
        if not names:
            raise InertiaError("No bone is selected; select pose bones first.")
        props = context.object.inertia
        props.bone_list, props.bones = made_of.names_to_text(names), "LISTED"


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
        **multiplier(BLEND_SCALE),
    )

    def act(self, context: Any) -> None:
        bones = self._bones(context.object)
        for bone in bones:
            bone.inertia.blend_scale = self.value
        count = words.count(len(bones), "bone")
        self.say("Blend scale {value:.2f} on {bones}", value=self.value, bones=count)

    def _bones(self, armature: Any) -> list[Any]:
        """Return the pose bones that the operator's target names: the active one, the selected ones, all, or
        those of a collection and of the collections in it.

        Raise InertiaError if no bone is active or selected, or the collection is not there or empty.
        """
        if self.target == "ALL":
            return list(armature.pose.bones)
        if self.target == "COLLECTION":
            names = properties.bones_of_collection(armature, self.collection)
            return [armature.pose.bones[name] for name in names]
        bones = compat.selected_bones(armature)
        if self.target == "ACTIVE":
            bones = list(filter(None, [character.active_bone(armature)]))
        if not bones:
            raise InertiaError("No bone is selected; select a pose bone first.")
        return bones

    def draw(self, context: Any) -> None:
        layout = drawing.split(self.layout)
        layout.prop(self, "value")
        layout.prop(self, "target")
        if self.target == "COLLECTION":
            layout.prop_search(self, "collection", context.object.data, "collections_all")


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
            button = self.layout.operator(
                "inertia.set_blend_scale", text=collection.name, icon="GROUP_BONE", translate=False
            )
            button.target, button.collection = "COLLECTION", collection.name
            button.value = recipe.read_stored_scale(active)
        if not len(armature.data.collections_all):
            self.layout.label(text="The armature has no bone collections")


class INERTIA_OT_complete_clips(Tool, bpy.types.Operator):
    bl_idname = "inertia.complete_clips"
    bl_label = "Complete Clips"
    bl_description = (
        "In each clip, key the channels that only other clips key, at the bone's current value. Then clips "
        "look the same whatever played before. This edits the actions themselves"
    )
    needs = (tool.poll_settings, tool.poll_armature)

    which: EnumProperty(
        name="Clips",
        description="Which actions are given keys",
        items=(
            ("PAIR", "Source and Destination", "The source and the destination"),
            ("ALL", "All That Fit", "All actions of this armature that Inertia has not baked"),
        ),
        default="PAIR",
    )

    def act(self, context: Any) -> set[str] | None:
        armature = context.object
        previewing.end()
        props = armature.inertia
        clips = [(action, "") for action in completing.library(armature)]
        if self.which == "PAIR":
            if None in (props.source, props.destination):
                raise InertiaError("Choose a source and a destination action.")
            clips = [(props.source, props.source_slot), (props.destination, props.destination_slot)]
        done = completing.complete(armature, clips)
        count = sum(completed.channels for completed in done)
        if not count:
            self.say("Nothing is missing: the clips key the same channels.")
            return {"CANCELLED"}
        template = "Keys are given to {channels} in {clips}."
        self.say(template, channels=words.count(count, "channel"), clips=words.count(len(done), "clip"))
        return None
