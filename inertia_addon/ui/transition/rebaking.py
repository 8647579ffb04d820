# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes results anew in their place, by one operator for all kinds; and gets a transition's settings back."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
from collections.abc import Generator
from typing import Any

import bpy
from bpy.props import StringProperty

from ...blender.data import actions, compat, recipe
from ...blender.nla import tracks
from ...blender.transition import bake
from ...errors import InertiaError
from ...settings.transition import TransitionSettings
from ..shared import tool
from ..shared.long_work import LongWork
from ..shared.made_of import plain
from ..shared.tool import Tool
from . import after, preview, previewing, properties, results, summary

poll_results = tool.need(
    lambda _context: any(map(recipe.kind, bpy.data.actions)),
    "No action of this file was baked by Inertia yet",
)


class OfResult(Tool):
    """An operator about a result of Inertia's."""

    action: plain(StringProperty, "Action", "The result; empty for the assigned action")

    def find(self, armature: Any) -> Any:
        """The named result, or the one that animates an armature.

        Raises InertiaError when it is none of Inertia's.
        """
        action = actions.find(self.action) if self.action else compat.assigned(armature)[0]
        if action is None:
            action = next(iter(tracks.results(armature)), None)
        if action is None:
            raise InertiaError('"{armature}" has no action; assign a result first.', armature=armature.name)
        if results.kind_of(action) is None:
            raise InertiaError(
                '"{action}" was not baked by Inertia; choose one that was.', action=action.name
            )
        return action


class INERTIA_OT_rebake(OfResult, LongWork, bpy.types.Operator):
    bl_idname = "inertia.rebake"
    bl_label = "Update Result"
    bl_description = (
        "Update a result in place, with the settings that it was baked with, from its current actions, "
        "path, contacts or model"
    )
    needs = (tool.poll_armature, poll_results)

    def work(self, context: Any) -> Generator[float, None, None]:
        previewing.end(stay=True)
        action = self.find(context.object)
        name, kind = action.name, recipe.kind(action)
        if kind != recipe.RECIPE and action not in tracks.playing(context.object):
            raise InertiaError('"{action}" is not assigned; assign it first.', action=name)
        if not action.is_editable:
            raise InertiaError(
                '"{action}" is linked from another file and can\'t be updated; bake a new one.', action=name
            )
        followed, ground = (action.get(key) for key in (recipe.FOLLOWED, recipe.GROUND))
        self.stands_on(action, *recipe.ingredients(action), followed, ground)
        found = results.kind_of(action)
        assert found is not None
        steps = found.rebake(self, context, action)
        if steps is not None:
            yield from steps
        self.action = name


def rebake(operator: Tool, context: Any, action: Any) -> None:
    """Make a transition anew. Who plays it goes on playing it; what else is assigned now must stay."""
    armature = context.object
    assigned = compat.assigned(armature)[0] == action or tracks.is_played(armature, action)
    settings = dataclasses.replace(recipe.load(action), assign=assigned, assign_others=False)
    report = bake.bake_transition(armature, settings, into=action)
    if armature.inertia.show_result and report.assigned:
        after.show(context, report)
    summary.tell(operator, report, "Rebaked")


def is_as_asked(armature: Any, action: Any) -> bool | None:
    """Whether a transition is as the panel asks for; None where the panel is about another one."""
    own = armature.inertia
    if None in (own.source, own.destination):
        return None
    if after.replaceable(armature, own.source, own.destination, own.result, own.strips) != action:
        return None
    with contextlib.suppress(InertiaError):  # what can't be asked for or read its own panel says
        span = preview.clip_range(armature, "destination")
        entered = None if span is None else span[0]
        return not _differ(properties.settings_from(armature), recipe.load(action), entered)
    return None


@functools.lru_cache(maxsize=64)
def _differ(asked: TransitionSettings, stored: TransitionSettings, entered: float | None) -> bool:
    """Whether a result is of other settings than are asked for, compared but once, as panels ask for that in
    each redraw. entered: the frame at which the destination is where none is said."""
    values = asked.as_dict()
    if values["destination_frame"] is None and entered is not None:
        values["destination_frame"] = entered
    return results.differ(values, stored.as_dict(), results.NOT_COMPARED)


def steps(armature: Any, action: Any) -> tuple[results.Step, ...]:
    """What usually comes after a transition."""
    as_strips = results.Step("As Strips", "inertia.bake_transition", "NLA", {"strips": True})
    can_be = is_as_asked(armature, action) and not recipe.is_strips(action)
    return (as_strips,) if can_be else ()


def anew(armature: Any, action: Any) -> str:
    """The operator that bakes a transition anew, where the panel's settings are others than its own."""
    return "bake_transition" if is_as_asked(armature, action) is False else ""


def load(armature: Any, action: Any) -> None:
    """Have the panels ask for the settings of a transition."""
    settings = recipe.load(action)
    source = actions.find(settings.source, settings.source_library)
    destination = actions.find(settings.destination, settings.destination_library)
    result = "" if action.name == f"{source.name} to {destination.name}" else action.name
    own = armature.inertia
    settings = dataclasses.replace(
        settings, result=result, assign=own.assign, assign_others=own.assign_others
    )
    properties.put_settings(armature, settings, source, destination)


class INERTIA_OT_load_recipe(OfResult, bpy.types.Operator):
    bl_idname = "inertia.load_recipe"
    bl_label = "Settings from Result"
    bl_description = "Copy the settings that a result was baked with into the panels"
    needs = (tool.poll_settings, poll_results)

    def act(self, context: Any) -> None:
        action = self.find(context.object)
        kind = results.kind_of(action)
        if kind is None or kind.load is None or recipe.is_smoothed(action):
            raise InertiaError(
                'No panel has the settings of "{action}"; press Update to bake it again with its own.',
                action=action.name,
            )
        kind.load(context.object, action)
        self.say('The settings are those of "{action}"', action=action.name)


results.add(
    recipe.RECIPE,
    results.Kind(
        "Transition",
        rebake,
        anew=anew,
        steps=steps,
        load=load,
    ),
)
