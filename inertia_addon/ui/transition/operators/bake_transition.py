# SPDX-License-Identifier: GPL-3.0-or-later
"""Bakes the transition; its properties are TransitionSettings' fields."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import bpy
from bpy.props import FloatProperty, StringProperty

from ....blender.data import compat
from ....blender.transition import bake
from ....motion.steps import part
from ....settings import methods
from ....settings.transition import TransitionSettings
from ...shared import common, lists
from ...shared.long_work import LongWork
from ...shared.made_of import OPTIONS
from .. import fields, telling
from ..fields import TransitionFields
from ..properties import values_from

COMPANIONS = {
    "source": ("source_library", "source_slot"),
    "destination": ("destination_library", "destination_slot", "destination_frame"),
}
"""What belongs to an action: a script that names another one does not mean the object's."""


READING = 0.4
"""About what part of a bake it is to read the clips."""

OWN = ("source", "source_library", "destination", "destination_library", "bones", "blend_scales")
"""The settings whose properties are of another kind here than on an object."""


class INERTIA_OT_bake_transition(LongWork, TransitionFields, bpy.types.Operator):
    bl_idname = "inertia.bake_transition"
    bl_label = "Bake Transition"
    bl_description = (
        "Make a new action that plays the source up to the cut and flows into the destination from there. "
        "Neither of the two is changed"
    )
    bl_options = {"REGISTER", "UNDO"}

    # what the blend time was left at: nobody has set it while it still is
    left_blend_frames: FloatProperty(
        **{**fields.BLEND_FRAMES, "default": 0.01, "options": {*OPTIONS, "HIDDEN"}}
    )
    source: StringProperty(name="Source", description="The action that plays up to the cut", options=OPTIONS)
    source_library: StringProperty(
        name="Source's File", description="The file that the source is linked from, if it is", options=OPTIONS
    )
    destination: StringProperty(
        name="Destination", description="The action that takes over at the cut", options=OPTIONS
    )
    destination_library: StringProperty(
        name="Destination's File",
        description="The file that the destination is linked from, if it is",
        options=OPTIONS,
    )
    bones: StringProperty(
        name="Bones",
        description="The bones that take part, separated by commas; empty for all. "
        "The others go on playing the source",
        options=OPTIONS,
    )
    blend_scales: StringProperty(
        name="Blend Scales",
        description="Multipliers of blend times, instead of the pose bones' own: hand.L=0.5, head=2",
        options=OPTIONS,
    )

    @classmethod
    def poll(cls, context: Any) -> bool:
        return common.poll_armature(cls, context)

    def work(self, context: Any) -> Generator[float, None, None]:
        armature = context.object
        self._take_from(armature)
        # only to read clips takes so long that ESC has to wait for less
        plan = yield from part(bake.planning(armature, self._settings()), 0.0, READING)
        telling.tell(self, bake.write_plan(plan), "Baked")

    def _take_from(self, armature: Any) -> None:
        """Take what was not given from the armature's settings, so that a redo starts from all of them."""
        names = [*fields.SHARED, "use_destination_frame", *OWN]
        given = {name for name in names if self.properties.is_property_set(name)}
        for action, companions in COMPANIONS.items():
            if action in given:
                given.update(companions)
        if "destination_frame" in given and "use_destination_frame" not in given:
            self.use_destination_frame = self.properties.is_property_set("destination_frame")
        values = values_from(armature, with_bones="bones" not in given)
        fields.put(self, values, [name for name in fields.SHARED if name not in given])
        for name in OWN[:4]:
            if name not in given:
                setattr(self, name, values[name])
        if "bones" not in given:
            self.bones = lists.names_to_text(values["bones"])

    def _settings(self) -> TransitionSettings:
        return TransitionSettings(
            source=self.source,
            source_library=self.source_library,
            destination=self.destination,
            destination_library=self.destination_library,
            bones=lists.text_to_names(self.bones),
            blend_scales=lists.text_to_scales(self.blend_scales),
            **fields.values_of(self),
        )

    def draw(self, context: Any) -> None:
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        column = layout.column()
        column.prop_search(self, "source", bpy.data, "actions")
        column.prop_search(self, "destination", bpy.data, "actions")
        column.prop(self, "cut")
        row = column.row(heading="Enter at")
        row.prop(self, "use_destination_frame", text="")
        sub = row.row()
        sub.active = self.use_destination_frame
        sub.prop(self, "destination_frame", text="")
        column.prop(self, "method")
        column.prop(self, methods.length(self.method))
        if self.method == "DEAD_BLENDING":
            column.prop(self, "extrapolation_half_life")
        column.prop(self, "alignment")
        column.prop(self, "result", text="Result", placeholder=f"{self.source} to {self.destination}")
        header, body = layout.panel("INERTIA_redo_more", default_closed=True)
        header.label(text="More")
        if body is not None:
            self._draw_more(body, context.object)

    def _draw_more(self, layout: Any, armature: Any) -> None:
        """What is rarely changed after a bake."""
        if self.method == "QUINTIC":
            layout.prop(self, "quintic_start")
        if self.method != "DEAD_BLENDING":
            for name in ("decomposition", "velocity", "guard"):
                layout.prop(self, name)
        if self.guard != "STRICT" and self.method != "DEAD_BLENDING":
            layout.prop(self, "guard_angle")
            layout.prop(self, "guard_length")
        for name in ("root", "bones", "blend_scales"):
            layout.prop(self, name)
        for side in ("source", "destination") if compat.has_slots() else ():
            fields.draw_slot(layout, self, side, armature)
        for name in ("assign", "extrapolate"):
            layout.prop(self, name)
