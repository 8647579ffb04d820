# SPDX-License-Identifier: GPL-3.0-or-later
"""What an action that a model has played remembers of its making."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import bpy

from ...errors import InertiaError
from ...settings.matching import PathSettings
from ..data import compat, recipe
from .follow import Learned


def note(result: Any, armature: Any, found: Learned) -> None:
    """Write the recipe into a result, with a pointer to what it follows, which survives renaming."""
    own = found.settings
    values = {"settings": own.as_dict(), "armature": armature.name, "model": found.file}
    result[recipe.LEARNED] = json.dumps(values)
    followed = bpy.data.objects.get(own.curve or own.target)
    if followed is not None:
        result[recipe.FOLLOWED] = followed
    recipe.keep(result)


def recipe_of(action: Any) -> tuple[PathSettings, Path]:
    """The settings that a result was baked with, by the present name of what it follows, and the model.

    Raises InertiaError when there is no recipe that can be read, or when what it follows is gone.
    """
    if not recipe.is_learned(action):
        raise InertiaError(
            '"{action}" was not baked by Inertia, so there is no recipe to make it anew from.',
            action=action.name,
        )
    with recipe.reading(action):
        values = json.loads(action[recipe.LEARNED])
        settings = PathSettings.from_dict(values["settings"])
        model = str(values.get("model", ""))
    if not model:
        raise InertiaError(
            '"{action}" does not say which model it was baked with; bake it anew.', action=action.name
        )
    followed = action.get(recipe.FOLLOWED)
    if not settings.points and not isinstance(followed, bpy.types.Object):
        raise InertiaError(
            'What "{action}" follows is gone; choose another curve or object and bake anew.',
            action=action.name,
        )
    return dataclasses.replace(
        settings,
        transition=dataclasses.replace(settings.transition, result=action.name),
        curve=followed.name if settings.curve else "",
        target=followed.name if settings.target else "",
    ), Path(model)


def assigned_result(armature: Any) -> Any | None:
    """The assigned action if a model has played it and it can be made anew."""
    action, _ = compat.assigned(armature)
    return action if action is not None and recipe.is_learned(action) and action.is_editable else None


def replaceable(armature: Any, followed: Any, result: str) -> Any | None:
    """The assigned result along an object, whose place a new one can take; None for another name."""
    action = assigned_result(armature)
    if action is None or (result and action.name != result) or action.get(recipe.FOLLOWED) != followed:
        return None
    return action
