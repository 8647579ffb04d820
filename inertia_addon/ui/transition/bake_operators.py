# SPDX-License-Identifier: GPL-3.0-or-later
"""Bakes transitions, and gets the settings of one back."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import bpy
from bpy.props import BoolProperty, FloatProperty, StringProperty

from ...blender.data import actions, compat
from ...blender.nla import strips
from ...blender.transition import bake
from ...motion.steps import part
from ...settings import methods
from ...settings.transition import TransitionSettings
from ..shared import drawing, made_of, tool
from ..shared.long_work import LongWork
from ..shared.made_of import OPTIONS, plain
from . import after, fields, pickers, previewing, properties, summary, taken
from .fields import TransitionFields
from .properties import values_from

COMPANIONS = {
    "source": ("source_library", "source_slot", "source_cycle", "source_scale"),
    "destination": (
        *("destination_library", "destination_slot", "destination_frame"),
        *("destination_cycle", "destination_scale", "go_on", "go_on_cycles"),
    ),
}
"""What belongs to an action: a script that names another one does not mean the object's."""


SEARCHED: dict[str, Any] = {"search": pickers.search_names, "search_options": set()}
"""What shows the actions in their order."""
READING = 0.4
"""About what part of a bake it is to read the clips."""

OWN = ("source", "source_library", "destination", "destination_library", "bones", "blend_scales")
"""The settings whose properties are of another kind here than on an object."""


class INERTIA_OT_bake_transition(LongWork, TransitionFields, bpy.types.Operator):
    """The properties are TransitionSettings' fields."""

    bl_idname = "inertia.bake_transition"
    bl_label = "Bake Transition"
    bl_description = (
        "Make a new action that plays the source up to the cut and flows into the destination from there. "
        "Both actions stay unchanged"
    )
    needs = (tool.poll_armature,)

    # what the blend time was left at: nobody has set it while it still is
    left_blend_frames: FloatProperty(
        **{**fields.BLEND_FRAMES, "default": 0.01, "options": {*OPTIONS, "HIDDEN"}}
    )
    source: plain(StringProperty, "Source", "The action that plays up to the cut", **SEARCHED)
    source_library: plain(
        StringProperty, "Source's File", "The file that the source is linked from, if it is"
    )
    destination: plain(StringProperty, "Destination", "The action that takes over at the cut", **SEARCHED)
    destination_library: plain(
        StringProperty, "Destination's File", "The file that the destination is linked from, if it is"
    )
    bones: plain(
        StringProperty,
        "Bones",
        "The bones that take part, separated by commas; empty for all. The others go on playing the source",
    )
    blend_scales: plain(
        StringProperty,
        "Blend Scales",
        "Multipliers of blend times, instead of the pose bones' own: hand.L=0.5, head=2",
    )

    replace: plain(
        BoolProperty,
        "In Its Place",
        "Update the earlier result of the same two actions, instead of adding another",
    )

    from_strips: plain(
        BoolProperty,
        "From Strips",
        "Take source, destination, cut and destination frame from the two selected strips",
    )

    def work(self, context: Any) -> Generator[float, None, None]:
        armature = context.object
        previewing.end(stay=True)
        if self.from_strips and not self.options.is_repeat:
            taken.put_named(self, strips.meeting(armature))
        self._take_from(armature)
        # only to read clips takes so long that ESC has to wait for less
        settings = self._settings()
        source, destination = ends = [actions.find(*end[:2]) for end in settings.ends()]
        self.stands_on(*ends)
        plan = yield from part(bake.planning(armature, settings), 0.0, READING)
        earlier = None
        if self.replace:
            earlier = after.replaceable(armature, source, destination, settings.result, settings.strips)
        report = bake.write_plan(plan, earlier)
        if armature.inertia.show_result and report.assigned:
            after.show(context, report)
        if (self.options.is_repeat or self.from_strips) and armature.is_editable:
            self._keep(armature, settings, ends)
        summary.tell(self, report, "Baked")

    def _keep(self, armature: Any, settings: TransitionSettings, ends: list[Any]) -> None:
        """Let the next bake start from what the redo panel was changed to."""
        own = armature.inertia
        unchanged = settings.bones == values_from(armature)["bones"]
        bones, listed = own.bones, own.bone_list
        properties.put_settings(armature, settings, *ends)
        if unchanged:
            own.bones, own.bone_list = bones, listed

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
            self.bones = made_of.names_to_text(values["bones"])

    def _settings(self) -> TransitionSettings:
        return TransitionSettings(
            **{name: getattr(self, name) for name in OWN[:4]},
            bones=made_of.text_to_names(self.bones),
            blend_scales=made_of.text_to_scales(self.blend_scales),
            **fields.values_of(self),
        )

    def draw(self, context: Any) -> None:
        layout = drawing.split(self.layout)
        column = layout.column()
        column.prop(self, "source", icon="ACTION")
        column.prop(self, "destination", icon="ACTION")
        column.prop(self, "cut")
        row = column.row(heading="Enter at")
        row.prop(self, "use_destination_frame", text="")
        sub = row.row()
        sub.active = self.use_destination_frame
        sub.prop(self, "destination_frame", text="")
        column.prop(self, "go_on")
        if self.go_on == "CYCLES":
            column.prop(self, "go_on_cycles")
        column.prop(self, "method")
        column.prop(self, methods.length(self.method))
        if self.method == "DEAD_BLENDING":
            column.prop(self, "extrapolation_half_life")
        column.prop(self, "alignment")
        column.prop(self, "feet")
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
        for name in fields.LOCKING if self.feet != "OFF" else ():
            layout.prop(self, name)
        for name in (
            "source_cycle",
            "destination_cycle",
            "source_scale",
            "destination_scale",
            "match_lengths",
            "align_height",
            "align_bone",
            "root",
            "bones",
            "blend_scales",
        ):
            layout.prop(self, name)
        for side in ("source", "destination") if compat.has_slots() else ():
            fields.draw_slot(layout, self, side, armature)
        layout.prop(self, "strips")
        layout.prop(self, "shift")
        layout.prop(self, "key_tolerance")
        layout.prop(self, "assign")
        fields.draw_assign_others(layout, self)
        for name in ("replace", "extrapolate"):
            layout.prop(self, name)
