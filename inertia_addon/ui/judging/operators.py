# SPDX-License-Identifier: GPL-3.0-or-later
"""Judges a transition that takes a while to be judged, goes to what is wrong with one, and mends it."""

from __future__ import annotations

import dataclasses
from typing import Any

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, StringProperty

from ...blender.data import result_kinds, scene
from ...blender.judging import remedies, verdict
from ...blender.transition import bake, meeting
from ...errors import InertiaError, Sentence
from ...motion.steps import Steps, part
from ...settings import fields as record
from ...settings.transition import TransitionSettings
from .. import translations
from ..shared import drawing, forms, tool
from ..shared.long_work import LongWork
from ..shared.made_of import keywords, limits_of, plain, rounded
from ..shared.tool import Tool
from ..transition import fields, outlook, results
from ..transition.properties import settings_from
from . import live

REMEDIES = (
    (
        "JUMP",
        "Jump",
        "A cut or a destination frame that no jump separates from the rest of its action",
    ),
    ("LENGTH", "Blend Time", "Another blend time, or another half-life of a spring"),
    ("FEET", "Feet", "Feet locked where that looks better"),
    ("PAIR", "Pair", "Another cut and destination frame nearby"),
    (
        "MATCH",
        "Match Lengths",
        "A destination that begins as slowly or as quickly as the source's cycle",
    ),
)
SETTINGS = record.settings(TransitionSettings)
PLANNING, JUDGED = 0.15, 0.25
"""About what part is done once the transition is planned, and judged; the rest looks for what helps."""


class INERTIA_OT_judge(LongWork, bpy.types.Operator):
    bl_idname = "inertia.judge"
    bl_label = "Judge"
    bl_description = "Check the coming transition as Blender would play it, and say what is wrong with it"
    bl_options = {"REGISTER"}
    needs = (tool.poll_settings,)

    def work(self, context: Any) -> Steps[None]:
        armature = context.object
        self.stands_on(armature.inertia.source, armature.inertia.destination)
        finding = outlook.find_entry(armature, settings_from(armature))
        settings = yield from part(finding, 0.0, 0.5 * PLANNING)
        steps = bake.plan_transition_steps(
            armature, settings, meeting.PlanOptions(footage=outlook.footage(armature, settings), constants={})
        )
        plan = yield from part(steps, 0.5 * PLANNING, PLANNING)
        judged = yield from part(verdict.of_played(plan.evidence), PLANNING, JUDGED)
        job = live.keep(armature, judged, None)
        helps: tuple[remedies.Remedy, ...] = ()
        try:
            # the verdict is read meanwhile
            yield JUDGED
            helps = yield from part(bake.find_remedies_steps(plan, judged), JUDGED, 1.0)
        finally:
            # where it is stopped, too, nothing is looked for any more
            job.help(judged, helps)


class INERTIA_OT_suggest_blend_time(LongWork, bpy.types.Operator):
    bl_idname = "inertia.suggest_blend_time"
    bl_label = "Suggest Blend Time"
    bl_description = (
        "Judge the transition with blend times from 0.1 to 1 s, or a spring's half-lives, and take the one "
        "that looks best"
    )
    needs = (tool.poll_settings,)

    def work(self, context: Any) -> Steps[None]:
        armature = context.object
        transition = armature.inertia
        self.stands_on(transition.source, transition.destination)
        settings = yield from part(outlook.find_entry(armature, settings_from(armature)), 0.0, 0.3)
        asked = dataclasses.replace(settings, suggest_blend_time=True)
        steps = bake.plan_transition_steps(
            armature, asked, meeting.PlanOptions(footage=outlook.footage(armature, asked), constants={})
        )
        plan = yield from part(steps, 0.3, 0.9)
        judged = yield from part(verdict.of_played(plan.evidence), 0.9, 1.0)
        names = remedies.changed_by("LENGTH", plan.settings.method)
        fields.put(transition, plan.settings.as_dict(), names)
        what, rating = (
            remedies.spoken("LENGTH", plan.settings),
            Sentence(verdict.RATINGS[judged.rating]),
        )
        self.say("{remedy}: {rating}", remedy=what, rating=rating)


class INERTIA_OT_use_remedy(Tool, bpy.types.Operator):
    bl_idname = "inertia.use_remedy"
    bl_label = "Use What Helps"
    bl_description = "Apply the settings that made the transition look better when they were tried"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}

    kind: plain(EnumProperty, "What Helps", "What is changed", items=REMEDIES)
    seen: plain(StringProperty, "Verdict", "How the transition looks then")
    blend_frames: FloatProperty(**fields.BLEND_FRAMES)
    half_life: FloatProperty(**keywords(SETTINGS["half_life"]))
    feet: EnumProperty(**keywords(SETTINGS["feet"]))
    cut: FloatProperty(**keywords(SETTINGS["cut"]))
    destination_frame: FloatProperty(**keywords(SETTINGS["destination_frame"]))
    match_lengths: BoolProperty(**keywords(SETTINGS["match_lengths"]))

    @classmethod
    def description(cls, _context: Any, properties: Any) -> str:
        """Return the tooltip, with what is seen after the remedy."""
        return "\n".join(filter(None, (properties.seen, translations.tip(cls.bl_description))))

    def act(self, context: Any) -> None:
        transition = context.object.inertia
        values = rounded(self, self._names(transition))
        fields.put(transition, values, values)

    def draw(self, context: Any) -> None:
        names = self._names(context.object.inertia)
        forms.draw(drawing.split(self.layout), self, TransitionSettings, names)

    def _names(self, transition: Any) -> tuple[str, ...]:
        """Return the names of the settings that the remedy changes."""
        return remedies.changed_by(self.kind, transition.method)


class INERTIA_OT_go_to_fault(Tool, bpy.types.Operator):
    bl_idname = "inertia.go_to_fault"
    bl_label = "Go to Fault"
    bl_description = "Go to the frame where this is worst, and select its control"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}
    needs = (tool.poll_armature,)

    bone: plain(StringProperty, "Bone", "The bone that is at fault")
    frame: plain(FloatProperty, "Frame", "The frame where it is worst", **limits_of(record.FRAME))

    def act(self, context: Any) -> None:
        armature = context.object
        if self.bone not in armature.pose.bones:
            # what an operator within another one refuses comes as an error that nobody foresaw
            raise InertiaError('"{armature}" has no bone "{bone}".', armature=armature.name, bone=self.bone)
        bpy.ops.inertia.select_bone(bone=self.bone)
        scene.show_action_frame(context.scene, self.frame)


results.judge_by(result_kinds.RECIPE, lambda armature, action: live.verdict_on_result(armature, action))
