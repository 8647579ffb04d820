# SPDX-License-Identifier: GPL-3.0-or-later
"""Gives the assigned action the travel that its feet tell of, in a new one, or takes it out."""

from __future__ import annotations

from typing import Any

import bpy

from ...blender.travel import bake
from ...blender.travel.bake import TravelReport
from ...settings.travel import TravelSettings
from ..shared import drawing, made_of, tool
from ..shared.tool import Tool
from ..transition import previewing, results
from ..transition.operators import poll_assigned
from . import properties

NEEDS = (tool.poll_settings, tool.poll_armature, poll_assigned)


class _Travelling(Tool):
    """What both operators have in common, who start from what the object remembers."""

    needs = NEEDS
    in_place = False
    names: tuple[str, ...] = properties.NAMES
    properties: Any
    layout: Any

    def act(self, context: Any) -> None:
        armature = context.object
        previewing.end(stay=True)
        made_of.start_from(self, armature.inertia_travel, TravelSettings, self.names)
        values = made_of.values_of(self, TravelSettings, self.names)
        settings = properties.settings_from(armature, in_place=self.in_place, **values)
        tell(self, bake.travel(armature, settings))

    def draw(self, _context: Any) -> None:
        draw_settings(drawing.split(self.layout), self, self.names)


@made_of.properties(TravelSettings)
class INERTIA_OT_travel(_Travelling, bpy.types.Operator):
    bl_idname = "inertia.travel"
    bl_label = "Make Travel"
    bl_description = (
        "Make a new action from the assigned one, which walks in place, that travels the way its feet "
        "tell, so they stand still while planted. The action itself stays unchanged"
    )


@made_of.properties(TravelSettings)
class INERTIA_OT_in_place(_Travelling, bpy.types.Operator):
    bl_idname = "inertia.in_place"
    bl_label = "In Place"
    bl_description = (
        "Make a new action from the assigned one that stays in place: the inverse of Make Travel, for games "
        "that move characters themselves. The action itself stays unchanged"
    )
    in_place = True
    names = ("on", "turns")


def draw_settings(layout: Any, own: Any, names: tuple[str, ...]) -> None:
    """The settings of an operator or an object."""
    for name in names:
        if not hasattr(own, f"use_{name}"):
            line = layout.row()
            # feet tell of a direction, too
            line.active = name != "direction" or own.use_speed
            line.prop(own, name)
            continue
        row = layout.row(align=True)
        value = row.row(align=True)
        value.active = getattr(own, f"use_{name}")
        value.prop(own, name)
        row.prop(own, f"use_{name}", text="")


def tell(operator: Tool, report: TravelReport) -> None:
    """Report what was made."""
    told = {
        "action": report.action,
        "result": report.result,
        "speed": report.speed,
        "way": report.way,
    }
    kind = "WARNING" if report.not_assigned_because else "INFO"
    if report.in_place:
        operator.say('"{result}" stays in place; {way:.2f} m of travel are removed.', kind, **told)
    elif report.told_by == "FEET":
        operator.say('"{result}" goes {speed:.2f} m/s, by its feet.', kind, **told)
    else:
        operator.say('"{result}" goes {speed:.2f} m/s, as given.', kind, **told)
    if report.not_assigned_because:
        operator.say(report.not_assigned_because, "WARNING")


REMAKE = results.remaking(bake.KIND, TravelSettings, bake.travelling, tell)

results.add(bake.KIND, results.Kind("Moved Root", REMAKE))
