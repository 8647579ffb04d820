# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds the pops of the assigned action, and smooths those that are chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import StringProperty

from ...blender.data import compat, result_kinds
from ...blender.judging import verdict
from ...blender.pops import bake
from ...errors import InertiaError
from ...motion.steps import Steps, finish
from ...settings import fields
from ...settings.pops import PopSettings
from ..shared import cache, forms, tool, words
from ..shared.long_work import LongWork
from ..shared.made_of import names, names_to_text, plain, start_from, text_to_names, values_of
from ..shared.tool import Tool
from ..transition import previewing, results
from ..transition.operators import poll_assigned
from . import properties

if TYPE_CHECKING:
    from ...blender.judging.verdict import Verdict
    from ...blender.pops.bake import PopReport

SETTINGS = fields.settings(PopSettings)
SHOWN = tuple(name for name in names(PopSettings) if SETTINGS[name].group == SETTINGS["side"].group)
"""The settings that the redo panel has: all that say how pops are smoothed."""

REPORT = "pops:report"
"""What the report of the action whose pops were smoothed last is kept under."""

NEEDS = (tool.poll_settings, tool.poll_armature, poll_assigned)


class INERTIA_OT_find_pops(LongWork, bpy.types.Operator):
    bl_idname = "inertia.find_pops"
    bl_label = "Find Pops"
    bl_description = (
        "List where bones of the assigned action jump more than they do elsewhere. The action stays "
        "unchanged; ESC stops it"
    )
    needs = NEEDS

    def work(self, context: Any) -> Steps[None]:
        armature = context.object
        previewing.end(stay=True)
        self.stands_on(compat.assigned(armature)[0])
        pops = yield from bake.find_pops_steps(armature, properties.settings_from(armature))
        properties.keep(armature, pops)
        name = pops.clip.action.name
        if not pops.pops:
            self.say('Nothing pops in "{action}".', action=name)
            return
        count = words.count(len(pops.pops), "pop")
        self.say('{count} in "{action}".', count=count, action=name)


@forms.redone(PopSettings, SHOWN)
class INERTIA_OT_smooth_pops(Tool, bpy.types.Operator):
    bl_idname = "inertia.smooth_pops"
    bl_label = "Smooth Pops"
    bl_description = (
        "Make a new action from the assigned one, in which the chosen pops are gone: a spike goes where "
        "its neighbours say, a step fades, a stretch is led back. The rest, and the action itself, stay "
        "unchanged"
    )
    needs = (
        *NEEDS,
        tool.need(lambda context: properties.FOUND.of_assigned(context.object), "Find pops first"),
    )

    pops: plain(StringProperty, "Pops", "The pops to smooth, such as Head@12, with commas between them")

    def act(self, context: Any) -> None:
        armature = context.object
        previewing.end(stay=True)
        start_from(self, armature.inertia_pops, PopSettings, SHOWN)
        if not self.pops:
            chosen = [item.pop_name for item in properties.FOUND.of_assigned(armature) if item.chosen]
            if not chosen:
                raise InertiaError("No pop is chosen; tick those to smooth in the list.")
            self.pops = names_to_text(chosen)
        more = values_of(self, PopSettings, SHOWN)
        settings = properties.settings_from(armature, pops=text_to_names(self.pops), **more)
        tell(self, context, finish(bake.smooth_pops_steps(armature, settings)))


def tell(operator: Tool, context: Any, report: PopReport) -> None:
    """Report, through an operator, how many pops were smoothed and, if there are any, how many of the same
    strictness are left, and, if it was judged, what is seen where they were; keep the report for the panel,
    under REPORT and the result's name.

    All are INFO. If the action was not assigned, the first is a WARNING, and why not is reported last, as
    another. It works on the context's active object.
    """
    cache.put(REPORT, context.object, report.result, report)
    count = words.count(len(report.pops), "pop")
    text = '{count} smoothed in "{result}".'
    if report.left:
        text = '{count} smoothed in "{result}"; {left} of the same strictness left.'
    kind = "WARNING" if report.not_assigned_because else "INFO"
    operator.say(text, kind, count=count, result=report.result, left=words.count(report.left, "pop"))
    if report.verdict is not None:
        operator.say(verdict.sentences(report.verdict)[0])
    if report.not_assigned_because:
        operator.say(report.not_assigned_because, "WARNING")


def recall_verdict(armature: Any, action: Any) -> Verdict | None:
    """Return the verdict on an action without pops, where these were smoothed since the file was opened; else
    None.
    """
    report: PopReport | None = None if action is None else cache.recall(REPORT, armature, action.name)
    return None if report is None else report.verdict


LOCK = results.NextStep("Lock Feet", "inertia.lock_feet", "LOCKED")

results.add(
    result_kinds.POPS,
    results.ResultKind("Smoothed", tell, verdict=recall_verdict, steps=lambda _armature, _action: (LOCK,)),
)
