# SPDX-License-Identifier: GPL-3.0-or-later
"""Smooths what jumps in the assigned action, and takes a pose for a source."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty

from ...blender.data import compat
from ...blender.transition import bake, pose_clips
from ...settings import fields as record
from ...settings import limits, methods
from ...settings.transition import TransitionSettings
from ..shared import drawing, tool, words
from ..shared.made_of import keywords, limits_of, plain
from ..shared.tool import Tool
from . import after, fields, previewing, summary
from .operators import poll_assigned
from .properties import values_from

SETTINGS = record.settings(TransitionSettings)


class INERTIA_OT_smooth_jump(Tool, bpy.types.Operator):
    bl_idname = "inertia.smooth_jump"
    bl_label = "Smooth This Jump"
    bl_description = (
        "Make a new action from the assigned one, in which nothing jumps at this frame: the jump in pose "
        "or velocity fades within the blend time. The rest, and the action itself, stay unchanged"
    )
    needs = (tool.poll_settings, tool.poll_armature, poll_assigned)

    frame: plain(
        FloatProperty,
        "Frame",
        "The last frame before the jump, or the first one after it",
        **limits_of(limits.FRAME),
    )
    method: EnumProperty(**keywords(SETTINGS["method"]))
    blend_frames: FloatProperty(**fields.BLEND_FRAMES)
    half_life: FloatProperty(**keywords(SETTINGS["half_life"]))

    def act(self, context: Any) -> None:
        armature = context.object
        previewing.end(stay=True)
        own = armature.inertia
        defaults = {
            "frame": context.scene.frame_current_final,
            "method": own.method,
            "blend_frames": own.blend_time,
            "half_life": own.half_life,
        }
        for name, value in defaults.items():
            if not self.properties.is_property_set(name):
                setattr(self, name, value)
        report = bake.bake_transition(armature, self._settings(armature))
        if own.show_result and report.assigned:
            after.show(context, report)
        summary.tell(self, report, "Smoothed")

    def _settings(self, armature: Any) -> TransitionSettings:
        """How the object's transitions blend, of the assigned action alone."""
        action, slot = compat.assigned(armature)
        assert action is not None
        library = action.library.filepath if action.library is not None else ""
        ends = {
            f"{side}{name}": value
            for side in ("source", "destination")
            for name, value in (("", action.name), ("_library", library), ("_slot", slot))
        }
        chosen = {name: getattr(self, name) for name in ("method", "blend_frames", "half_life")}
        rest = {"cut": self.frame, "destination_frame": None, "result": "", "bones": (), "alignment": "NONE"}
        apart = {"shift": 0.0, "strips": False, "extrapolate": False, "smooth_jump": True}
        unscaled = {"source_scale": 1.0, "destination_scale": 1.0}
        values = values_from(armature, with_bones=False)
        return TransitionSettings(**{**values, **ends, **chosen, **rest, **apart, **unscaled})

    def draw(self, context: Any) -> None:
        layout = drawing.split(self.layout)
        for name in ("frame", "method", methods.length(self.method)):
            layout.prop(self, name)


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
        own = armature.inertia
        frame = context.scene.frame_current_final
        made = pose_clips.keep(armature, frame, self.moving, own.destination)
        own.source = made.action
        own.source_slot, own.source_scale = made.slot.identifier, 1.0
        own.cut = frame - own.shift
        self.say(
            'The pose is kept as "{action}": {channels}',
            action=made.action.name,
            channels=words.count(made.channels, "channel"),
        )
