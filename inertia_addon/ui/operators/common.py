# SPDX-License-Identifier: GPL-3.0-or-later
"""What the operators have in common: when they can run, and how they say what happened."""

from __future__ import annotations

from typing import Any

import bpy

from ...blender import actions, compat, recipe, rig
from ...blender.report import BakeReport
from ...motion.errors import InertiaError
from .. import summary


def poll_armature(cls: Any, context: Any) -> bool:
    """Whether the active object is an armature that can be read; a tooltip says why not."""
    try:
        rig.check_armature(context.object)
    except InertiaError as error:
        cls.poll_message_set(str(error).rstrip("."))
        return False
    return True


def poll_settings(cls: Any, context: Any) -> bool:
    """Whether the active object is an armature whose settings can be changed."""
    active = context.object
    if active is None or active.type != "ARMATURE":
        cls.poll_message_set("Select an armature")
        return False
    if not active.is_editable:
        cls.poll_message_set(f'"{active.name}" is linked; make a library override to give it settings')
        return False
    return True


def poll_actions(cls: Any, context: Any) -> bool:
    """Whether both actions are chosen."""
    own = context.object.inertia
    if own.source is not None and own.destination is not None:
        return True
    cls.poll_message_set("Choose a source and a destination action first")
    return False


def poll_results(cls: Any, context: Any) -> bool:
    """Whether the file has a transition that Inertia baked."""
    if any(map(recipe.is_result, bpy.data.actions)):
        return True
    cls.poll_message_set("No action of this file was baked by Inertia yet")
    return False


def find_result(context: Any, name: str) -> Any:
    """The named result, or the one that animates the active object.

    Raises InertiaError when it is none of Inertia's.
    """
    action = actions.find(name) if name else compat.assigned(context.object)[0]
    if action is None:
        raise InertiaError(f'"{context.object.name}" has no action; assign a baked transition first.')
    if not recipe.is_result(action):
        raise InertiaError(f'"{action.name}" was not baked by Inertia; choose a baked transition.')
    return action


def tell(operator: Any, report: BakeReport, verb: str) -> None:
    """Report a bake: what was made, then what the animator should know of it."""
    operator.report({"INFO"}, summary.bake_sentence(report, verb))
    for text in summary.bake_warnings(report):
        operator.report({"WARNING"}, text)


def refuse(operator: Any, error: InertiaError) -> set[str]:
    """Report why nothing was done."""
    operator.report({"ERROR"}, str(error))
    return {"CANCELLED"}
