# SPDX-License-Identifier: GPL-3.0-or-later
"""Bakes the transition of several characters at once: of all armatures that are selected."""

from __future__ import annotations

import dataclasses
from collections.abc import Generator
from typing import Any

import bpy
from bpy.props import BoolProperty, EnumProperty

from ...blender.data import actions
from ...blender.transition import bake
from ...blender.transition.bake import Plan
from ...errors import InertiaError
from ...motion.steps import part
from ...settings.transition import TransitionSettings
from .. import translations
from ..shared import character, tool, words
from ..shared.long_work import LongWork
from ..shared.made_of import plain
from . import after, previewing, summary
from .properties import settings_from

WHOSE_ITEMS = (
    ("ACTIVE", "Same for All", "Bake all selected armatures with the active one's actions, cut and settings"),
    (
        "OWN",
        "Each Its Own",
        "Bake all selected armatures, each with its own actions, cut and settings",
    ),
)


def chosen(context: Any) -> list[Any]:
    """The selected armatures that can hold settings, the active one first."""
    found = [thing for thing in context.selected_objects if character.missing_armature(thing) is None]
    return sorted(found, key=lambda armature: (armature != context.object, armature.name))


def settings_of(armature: Any, active: Any, whose: str) -> TransitionSettings:
    """What an armature is baked with. Raises InertiaError where it lacks something.

    Results of the same two actions are told apart by their characters, and a slot that was chosen for the
    active one means nothing to the others.
    """
    settings = settings_from(armature if whose == "OWN" else active)
    if armature == active or whose == "OWN":
        return settings
    usual = settings.result or f"{settings.source} to {settings.destination}"
    result = f"{usual}, {armature.name}"
    return dataclasses.replace(settings, result=result, source_slot="", destination_slot="")


class INERTIA_OT_bake_selected(LongWork, bpy.types.Operator):
    bl_idname = "inertia.bake_selected"
    bl_label = "Bake Selected Armatures"
    bl_description = "Bake the transitions of all selected armatures; ESC stops it and changes nothing"
    needs = (
        tool.poll_armature,
        tool.need(lambda context: len(chosen(context)) > 1, "Select several armatures first"),
    )
    told_by = "whose"

    whose: plain(EnumProperty, "Settings", "Whose settings each is baked with", items=WHOSE_ITEMS)
    replace: plain(
        BoolProperty,
        "In Its Place",
        "Update the earlier result of the same two actions, instead of adding another",
        default=True,
    )

    def work(self, context: Any) -> Generator[float, None, None]:
        previewing.end(stay=True)
        armatures = chosen(context)
        for armature in armatures:
            self.stands_on(armature, armature.inertia.source, armature.inertia.destination)
        plans: list[Plan] = []
        left: list[tuple[Any, InertiaError]] = []
        for i, armature in enumerate(armatures):
            try:
                settings = settings_of(armature, context.object, self.whose)
                steps = bake.planning(armature, settings)
                plans.append((yield from part(steps, i / len(armatures), (i + 1) / len(armatures))))
            except InertiaError as error:
                left.append((armature, error))
        if not plans:
            raise left[0][1]
        # all of them are planned now: from here on the file changes, and nothing can stop it half-way
        for plan in plans:
            self._write(context, plan)
        for armature, why in left:
            said = translations.sentence(why.sentence, translations.report)
            self.say('"{armature}" was not changed: {why}', "WARNING", armature=armature.name, why=said)
        self.say("The transitions of {count} are baked.", count=words.count(len(plans), "armature"))

    def _write(self, context: Any, plan: Plan) -> None:
        settings = plan.settings
        earlier = None
        if self.replace:
            source, destination = (actions.find(*end[:2]) for end in settings.ends())
            earlier = after.replaceable(plan.armature, source, destination, settings.result, settings.strips)
        report = bake.write_plan(plan, earlier)
        if plan.armature == context.object and plan.armature.inertia.show_result and report.assigned:
            after.show(context, report)
        for text in summary.bake_warnings(report):
            self.say(text, "WARNING")


def draw_crowd(layout: Any, context: Any) -> None:
    """What bakes several characters, where several are selected."""
    count = len(chosen(context))
    if count < 2:
        return
    row = layout.row(align=True)
    text = translations.translated("Bake {0} Armatures", count)
    row.operator("inertia.bake_selected", text=text, icon="COMMUNITY", translate=False).whose = "ACTIVE"
    row.operator("inertia.bake_selected", text="Each Its Own").whose = "OWN"
