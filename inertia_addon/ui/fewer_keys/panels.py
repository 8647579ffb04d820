# SPDX-License-Identifier: GPL-3.0-or-later
"""Tells the assigned action by fewer keys, in a new one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import bpy

from ...blender.data import compat, result_kinds
from ...blender.fewer_keys import bake
from ...settings.fewer_keys import FewerKeysSettings
from ..shared import cache, drawing, forms, made_of, tab, tool, words
from ..shared.drawing import HolderPanel
from ..shared.long_work import LongWork
from ..transition import panels as transition
from ..transition import previewing, results
from ..transition.operators import poll_assigned

if TYPE_CHECKING:
    from ...blender.fewer_keys.bake import FewerKeysReport
    from ...motion.steps import Steps
    from ..shared.tool import Tool

NAMES = made_of.names(FewerKeysSettings)
"""The settings that the object remembers."""
REPORT = "fewer_keys:report"
"""What the report of the action that got fewer keys last is kept under."""


@made_of.properties(FewerKeysSettings)
class FewerKeysProperties(bpy.types.PropertyGroup):
    """How near the original an action with fewer keys stays."""


def gather_settings(armature: Any, **more: Any) -> FewerKeysSettings:
    """Return the settings that an armature's properties ask for, of the assigned action; see
    :func:`made_of.of_assigned`.
    """
    settings: FewerKeysSettings = made_of.of_assigned(
        armature, "inertia_fewer_keys", FewerKeysSettings, **more
    )
    return settings


@forms.redone(FewerKeysSettings)
class INERTIA_OT_fewer_keys(LongWork, bpy.types.Operator):
    bl_idname = "inertia.fewer_keys"
    bl_label = "Fewer Keys"
    bl_description = (
        "Make a new action from the assigned one that shows the same with the fewest keys: no joint is "
        "further away than the tolerance, and planted feet stay where they are. The action itself keeps all "
        "of its keys. ESC stops it"
    )
    needs = (tool.poll_settings, tool.poll_armature, poll_assigned)

    def work(self, context: Any) -> Steps[None]:
        armature = context.object
        previewing.end(stay=True)
        made_of.start_from(self, armature.inertia_fewer_keys, FewerKeysSettings, NAMES)
        self.stands_on(compat.assigned(armature)[0])
        values = made_of.values_of(self, FewerKeysSettings, NAMES)
        steps = bake.reduce_keys_steps(armature, gather_settings(armature, **values))
        return results.tell_after(self, context, steps, tell)


def tell(operator: Tool, context: Any, report: FewerKeysReport) -> None:
    """Report, through an operator, how many keys the new action has of how many, and how many centimetres
    joints are at most from where they were; keep the report for the panel, under REPORT and the result's
    name.

    It is an INFO; if the action was not assigned, a WARNING, and why not is another one. It works on the
    context's active object.
    """
    cache.put(REPORT, context.object, report.result, report)
    kind = "WARNING" if report.not_assigned_because else "INFO"
    text = '"{result}" has {keys} of {before} keys, {away:.2f} cm off at most.'
    operator.say(text, kind, result=report.result, **_figures(report))
    if report.not_assigned_because:
        operator.say(report.not_assigned_because, "WARNING")


def _figures(report: FewerKeysReport) -> dict[str, Any]:
    """Return what sentences say of a report: keys and before as text with commas, and away, how far a joint
    is off, in cm.
    """
    away = 100.0 * report.deviation.joint
    return {"keys": f"{report.keys:,}", "before": f"{report.keys_before:,}", "away": away}


results.add(result_kinds.KEYS, results.ResultKind("Fewer Keys", tell))


class FewerKeysPanel(HolderPanel):
    """Tells the action that plays by the fewest keys that show it, for editing by hand."""

    bl_label = "Fewer Keys"
    mode = tab.CLEAN

    def draw(self, context: Any) -> None:
        layout = drawing.split(self.layout)
        armature = context.object
        forms.draw(layout, armature.inertia_fewer_keys, FewerKeysSettings)
        row = layout.row()
        row.scale_y = 1.5
        row.operator("inertia.fewer_keys", icon="KEYFRAME")
        action = compat.assigned(armature)[0]
        report: FewerKeysReport | None = None
        if action is not None:
            report = cache.recall(REPORT, armature, action.name)
        if report is not None and transition.plays_kind(context, bake.KIND):
            line = words.line("{keys} of {before} keys, {away:.2f} cm off at most.", **_figures(report))
            with drawing.boxed(layout) as box:
                drawing.sentence(box, context, line)


PARTS = (FewerKeysPanel,)
