# SPDX-License-Identifier: GPL-3.0-or-later
"""Looks at the assigned take, and finishes it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import StringProperty

from ...blender.data import compat, result_kinds
from ...blender.finish import bake, insertion, look
from ...errors import InertiaError
from ...motion.steps import Steps, finish
from ...settings.finish import FinishSettings
from ..hops import operators as hops
from ..shared import cache, forms, tool, words
from ..shared.long_work import LongWork
from ..shared.made_of import names_to_text, plain, start_from, text_to_names, values_of
from ..shared.tool import Tool
from ..transition import previewing, results
from ..transition.operators import poll_assigned
from . import properties

if TYPE_CHECKING:
    from ...blender.finish.bake import FinishReport
    from ...blender.finish.findings import TakeFindings
    from ...blender.hops.bake import HopReport

REPORT = "finish:report"
"""What the report of the take that was finished last is kept under."""
NEEDS = (tool.poll_settings, tool.poll_armature, poll_assigned)


class INERTIA_OT_find_faults(LongWork, bpy.types.Operator):
    bl_idname = "inertia.find_faults"
    bl_label = "Find What to Mend"
    bl_description = (
        "List what the assigned action still needs: a pose in front, left-over channels, jitter, pops, a "
        "tilted floor, stalls, and feet off the floor or skating. The action stays unchanged; ESC stops it"
    )
    needs = NEEDS

    def work(self, context: Any) -> Steps[None]:
        armature = context.object
        previewing.end(stay=True)
        self.stands_on(compat.assigned(armature)[0])
        steps = look.look_steps(armature, properties.settings_from(armature))
        return results.tell_after(self, context, steps, _list_findings)


def _list_findings(operator: Tool, context: Any, take_findings: TakeFindings) -> None:
    """List findings in the panel, and report through an operator all notes, and then how many findings there
    are, or that nothing is to be mended; all as INFO.
    """
    properties.keep(context.object, take_findings)
    name = take_findings.clip.action.name
    for note in take_findings.notes:
        operator.say(note)
    if not take_findings.findings:
        operator.say('Nothing is to be mended in "{action}".', action=name)
        return
    count = words.count(len(take_findings.findings), "finding")
    operator.say('{count} in "{action}".', count=count, action=name)


@forms.redone(FinishSettings, properties.SHOWN)
class INERTIA_OT_finish_take(Tool, bpy.types.Operator):
    bl_idname = "inertia.finish_take"
    bl_label = "Finish Take"
    bl_description = (
        "Make one new action from the assigned one, in which all that is ticked is mended, in the right "
        "order. What is not ticked, and the action itself, stay unchanged"
    )
    needs = (
        *NEEDS,
        tool.need(lambda context: properties.FOUND.of_assigned(context.object), "Find what to mend first"),
    )

    leave: plain(StringProperty, "Leave", "The findings to leave as they are, with commas between them")

    def act(self, context: Any) -> None:
        armature = context.object
        previewing.end(stay=True)
        start_from(self, armature.inertia_finish, FinishSettings, properties.SHOWN)
        listed = properties.FOUND.of_assigned(armature)
        if not self.properties.is_property_set("leave"):
            mended = [item for item in listed if item.is_mended]
            if not any(item.chosen for item in mended):
                raise InertiaError("No finding is chosen; tick those to mend in the list.")
            self.leave = names_to_text(item.finding for item in mended if not item.chosen)
        more = values_of(self, FinishSettings, properties.SHOWN)
        settings = properties.settings_from(armature, leave=text_to_names(self.leave), **more)
        tell(self, context, finish(bake.finish_take_steps(armature, settings)))


class INERTIA_OT_insert_take(LongWork, bpy.types.Operator):
    bl_idname = "inertia.insert_take"
    bl_label = "Put Take into Action"
    bl_description = (
        "Make a new action that plays another one up to a frame, then the assigned take, and then goes on "
        "from that frame. Both joins are where they look best. The two actions stay unchanged; ESC stops it"
    )
    needs = (
        *NEEDS,
        tool.need(
            lambda context: context.object.inertia_finish.into, "Choose the action to put the take into"
        ),
    )

    def work(self, context: Any) -> Steps[None]:
        armature = context.object
        previewing.end(stay=True)
        take = armature.inertia_finish
        self.stands_on(compat.assigned(armature)[0], take.into)
        place = values_of(take, FinishSettings, ["at"])
        settings = properties.settings_from(armature, into=take.into.name, **place)
        steps = insertion.insert_take_steps(armature, settings, settings.action)
        return results.tell_after(self, context, steps, _tell_of_hop)


def _tell_of_hop(operator: Tool, context: Any, report: HopReport) -> None:
    hops.tell(operator, context, report, "Baked")


def tell(operator: Tool, context: Any, report: FinishReport) -> None:
    """Report, through an operator, how many findings are gone or better, and how many are left, if any, then
    all notes; keep the report for the panel, under REPORT and the result's name.

    Where the action was not assigned the first is a WARNING, and why is another one.
    """
    cache.put(REPORT, context.object, report.result, report)
    mended = sum(each.became in (bake.GONE, bake.BETTER) for each in report.outcomes)
    text = '{count} mended in "{result}".'
    if report.left:
        text = '{count} mended in "{result}"; {left} left.'
    kind = "WARNING" if report.not_assigned_because else "INFO"
    left = words.count(report.left, "finding")
    operator.say(text, kind, count=words.count(mended, "finding"), result=report.result, left=left)
    for note in report.notes:
        operator.say(note)
    if report.not_assigned_because:
        operator.say(report.not_assigned_because, "WARNING")


def recall_report(armature: Any, action: Any) -> FinishReport | None:
    """Return the report on a finished take, where it was made since the file was opened."""
    report: FinishReport | None = None if action is None else cache.recall(REPORT, armature, action.name)
    return report


results.add(result_kinds.FINISH, results.ResultKind("Finished", tell))
