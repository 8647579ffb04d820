# SPDX-License-Identifier: GPL-3.0-or-later
"""What the operators have in common: when they can run, and how they say what happened."""

from __future__ import annotations

from typing import Any

import bpy

from ...blender.data import actions, compat, recipe, rig
from ...errors import InertiaError, Sentence
from .. import translations


def unavailable(cls: Any, why: str, /, **values: object) -> bool:
    """Have a tooltip say, in an English sentence, why an operator is greyed out; returns False.

    Blender puts the full stop itself.
    """
    cls.poll_message_set(translations.sentence(Sentence(why, **values), translations.tip).rstrip(".\u3002"))
    return False


def say(operator: Any, kind: str, text: str, /, **values: object) -> None:
    """Report an English sentence. kind: ``INFO``, ``WARNING`` or ``ERROR``."""
    operator.report({kind}, translations.sentence(Sentence(text, **values), translations.report))


def poll_armature(cls: Any, context: Any) -> bool:
    """Whether the active object is an armature that can be read; a tooltip says why not."""
    try:
        rig.check_armature(context.object)
    except InertiaError as error:
        return unavailable(cls, error.sentence)
    return True


def poll_settings(cls: Any, context: Any) -> bool:
    """Whether the active object is an armature whose settings can be changed."""
    active = context.object
    if active is None or active.type != "ARMATURE":
        return unavailable(cls, "Select an armature")
    if not active.is_editable:
        return unavailable(
            cls, '"{active}" is linked; make a library override to give it settings', active=active.name
        )
    return True


def poll_actions(cls: Any, context: Any) -> bool:
    """Whether both actions are chosen."""
    own = context.object.inertia
    if own.source is not None and own.destination is not None:
        return True
    return unavailable(cls, "Choose a source and a destination action first")


def poll_results(cls: Any, context: Any) -> bool:
    """Whether the file has a transition that Inertia baked."""
    if any(map(recipe.is_result, bpy.data.actions)):
        return True
    return unavailable(cls, "No action of this file was baked by Inertia yet")


def find_result(context: Any, name: str) -> Any:
    """The named result, or the one that animates the active object.

    Raises InertiaError when it is none of Inertia's.
    """
    action = actions.find(name) if name else compat.assigned(context.object)[0]
    if action is None:
        raise InertiaError(
            '"{armature}" has no action; assign a baked transition first.', armature=context.object.name
        )
    if not recipe.is_result(action):
        raise InertiaError(
            '"{action}" was not baked by Inertia; choose a baked transition.', action=action.name
        )
    return action


def refuse(operator: Any, error: InertiaError) -> set[str]:
    """Report why nothing was done."""
    say(operator, "ERROR", error.sentence)
    return {"CANCELLED"}
