# SPDX-License-Identifier: GPL-3.0-or-later
"""Looks at the assigned take, and finishes it."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.props import EnumProperty, FloatProperty, StringProperty

from ...blender.data import compat
from ...blender.finish import bake, look
from ...blender.finish.bake import FinishReport
from ...errors import InertiaError
from ...motion.steps import Steps, finish
from ...settings import fields
from ...settings.finish import FinishSettings
from ..shared import cache, drawing, tool, words
from ..shared.long_work import LongWork
from ..shared.made_of import keywords, names_to_text, plain, start_from, text_to_names, values_of
from ..shared.tool import Tool
from ..transition import previewing, results
from ..transition.operators import poll_assigned
from . import properties

SETTINGS = fields.settings(FinishSettings)
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
        take_findings = yield from look.look_steps(armature, properties.settings_from(armature))
        properties.keep(armature, take_findings)
        name = take_findings.clip.action.name
        for note in take_findings.notes:
            self.say(note)
        if not take_findings.findings:
            self.say('Nothing is to be mended in "{action}".', action=name)
            return
        count = words.count(len(take_findings.findings), "finding")
        self.say('{count} in "{action}".', count=count, action=name)


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

    feet: EnumProperty(**keywords(SETTINGS["feet"]))
    foot_release: FloatProperty(**keywords(SETTINGS["foot_release"]))
    hips_drop: FloatProperty(**keywords(SETTINGS["hips_drop"]))
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
        tell(self, finish(bake.finish_take_steps(armature, settings)))

    def draw(self, _context: Any) -> None:
        layout = drawing.split(self.layout)
        for name in properties.SHOWN:
            layout.prop(self, name)


def tell(operator: Tool, report: FinishReport) -> None:
    """Report, through an operator, how many findings were mended, and how many are left; keep the report for
    the panel. Notes are reported as well, and why the action was not assigned.
    """
    cache.put(REPORT, bpy.context.object, report.result, report)
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


REMAKE = results.make_rebaker(bake.KIND, FinishSettings, bake.finish_take_steps, tell)

results.add(bake.KIND, results.ResultKind("Finished", REMAKE))
