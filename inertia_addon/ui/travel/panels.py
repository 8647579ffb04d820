# SPDX-License-Identifier: GPL-3.0-or-later
"""Gives the assigned action the travel that its feet tell of, in a new one, or takes it out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import bpy

from ...blender.data import compat, result_kinds, scene
from ...blender.travel import bake, reading
from ...settings.travel import TravelSettings
from ..overlay.panels import PlotPanel
from ..shared import drawing, forms, made_of, tab, tool, words
from ..shared.tool import Tool
from ..transition import panels as transition
from ..transition import previewing, results
from ..transition.operators import poll_assigned

if TYPE_CHECKING:
    from ...blender.travel.bake import TravelReport

NAMES = made_of.names(TravelSettings)
"""The settings that the object remembers, ..."""
IN_PLACE = ("on", "turns")
"""... and those of them by which travel is taken out."""
NEEDS = (tool.poll_settings, tool.poll_armature, poll_assigned)


@made_of.properties(TravelSettings)
class TravelProperties(bpy.types.PropertyGroup):
    """How actions that stay in place get their travel."""


def settings_from(armature: Any, **more: Any) -> TravelSettings:
    """Return the settings of travel that an armature's properties ask for, of the assigned action; see
    :func:`made_of.of_assigned`.
    """
    settings: TravelSettings = made_of.of_assigned(armature, "inertia_travel", TravelSettings, **more)
    return settings


class _Travelling(Tool):
    """What both operators have in common, who start from what the object remembers."""

    needs = NEEDS
    in_place = False
    names: tuple[str, ...] = NAMES
    properties: Any

    def act(self, context: Any) -> None:
        armature = context.object
        previewing.end(stay=True)
        made_of.start_from(self, armature.inertia_travel, TravelSettings, self.names)
        values = made_of.values_of(self, TravelSettings, self.names)
        settings = settings_from(armature, in_place=self.in_place, **values)
        tell(self, context, bake.travel(armature, settings))


@forms.redone(TravelSettings)
class INERTIA_OT_travel(_Travelling, bpy.types.Operator):
    bl_idname = "inertia.travel"
    bl_label = "Make Travel"
    bl_description = (
        "Make a new action from the assigned one, which walks in place, that travels the way its feet "
        "tell, so they stand still while planted. If it travels already, its travel moves to what On says, "
        "such as from the hips to the root bone. The action itself stays unchanged"
    )


@forms.redone(TravelSettings, IN_PLACE)
class INERTIA_OT_in_place(_Travelling, bpy.types.Operator):
    bl_idname = "inertia.in_place"
    bl_label = "In Place"
    bl_description = (
        "Make a new action from the assigned one that stays in place: the inverse of Make Travel, for games "
        "that move characters themselves. The action itself stays unchanged"
    )
    in_place = True
    names = IN_PLACE


def tell(operator: Tool, context: Any, report: TravelReport) -> None:
    """Report, through an operator, what the new action does, as a WARNING if it was not assigned, else as
    INFO. The sentence is one of these:

    - in_place: '"NAME" stays in place; 1.23 m of travel are removed.'
    - only moved (moved_from is not None): '"NAME" goes its 1.23 m on "ROOT" now.', or "... on
      the object now."
    - told by its feet (told_by "FEET"): '"NAME" goes 1.23 m/s, by its feet.'
    - any other told_by: '"NAME" goes 1.23 m/s, as given.'

    They are translated. If it was not assigned, a second WARNING says why. The report's notes are not
    reported.
    """
    kind = "WARNING" if report.not_assigned_because else "INFO"
    values = {"result": report.result, "speed": report.speed, "way": report.way}
    if report.in_place:
        operator.say('"{result}" stays in place; {way:.2f} m of travel are removed.', kind, **values)
    elif report.moved_from is not None:
        if report.root:
            operator.say('"{result}" goes its {way:.2f} m on "{root}" now.', kind, root=report.root, **values)
        else:
            operator.say('"{result}" goes its {way:.2f} m on the object now.', kind, **values)
    elif report.told_by == "FEET":
        operator.say('"{result}" goes {speed:.2f} m/s, by its feet.', kind, **values)
    else:
        operator.say('"{result}" goes {speed:.2f} m/s, as given.', kind, **values)
    if report.not_assigned_because:
        operator.say(report.not_assigned_because, "WARNING")


results.add(result_kinds.TRAVEL, results.ResultKind("Moved Root", tell))


class TravelPanel(PlotPanel):
    """Gives an action in place the way over the ground that its feet tell of, or takes it out again."""

    bl_label = "Travel from Feet"
    mode = tab.TRAVEL

    def draw(self, context: Any) -> None:
        layout = drawing.split(self.layout)
        forms.draw(layout, context.object.inertia_travel, TravelSettings)
        row = layout.row(align=True)
        row.scale_y = 1.5
        row.operator("inertia.travel", icon="FORWARD")
        row.operator("inertia.in_place", icon="PINNED")
        action, _ = compat.assigned(context.object)
        noted = None if action is None else reading.noted_way(action)
        if noted is None or noted.taken:
            return
        if transition.plays_kind(context, bake.KIND):
            gone = noted.way.places[-1] - noted.way.places[0]
            seconds = scene.to_seconds(float(noted.way.frames[-1] - noted.way.frames[0]))
            way = scene.length_text(float((gone @ gone) ** 0.5) * scene.metres_per_unit())
            text = "It goes {way} in {seconds:.2f} s."
            with drawing.boxed(layout) as box:
                drawing.sentence(box, context, words.line(text, way=way, seconds=seconds))
