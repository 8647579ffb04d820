# SPDX-License-Identifier: GPL-3.0-or-later
"""What a baked hop remembers of its making: its settings, its way, and the actions that it was made of."""

from __future__ import annotations

import json
from typing import Any

from ...errors import InertiaError
from ...settings.hops import HopSettings
from ..data import recipe

ACTION = "inertia_hop_action_"
"""What the actions of a hop are kept under, with their place in the way: pointers that survive renaming."""


def store(action: Any, armature: Any, settings: HopSettings, way: dict[str, Any], used: list[Any]) -> None:
    """Write the recipe into a result.

    way: as plain values. used: the source, the clips of the way and the destination.
    """
    for key in (recipe.RECIPE, recipe.SOURCE, recipe.DESTINATION):
        if key in action:
            # it was made of an action that is gone by now, and is no transition to be baked anew
            del action[key]
    values = {"settings": settings.as_dict(), "way": way, "armature": armature.name}
    action[recipe.HOP] = json.dumps(values)
    for i, one in enumerate(used):
        action[f"{ACTION}{i}"] = one


def load(action: Any) -> tuple[HopSettings, dict[str, Any]]:
    """The settings of a baked hop, and its way as plain values, with the actions by their present names.

    Raises InertiaError when the action is no baked hop that can be read, or one of its actions is gone.
    """
    if not recipe.is_hop(action):
        raise InertiaError(
            '"{action}" is no baked hop, so there is no recipe to make it anew from.', action=action.name
        )
    with recipe.reading(action):
        return _load(action)


def _load(action: Any) -> tuple[HopSettings, dict[str, Any]]:
    values = json.loads(action[recipe.HOP])
    settings, way = values["settings"], values["way"]
    former = [settings["transition"]["source"], *way["clips"], settings["transition"]["destination"]]
    present = []
    for i, name in enumerate(former):
        held = recipe.held(action, f"{ACTION}{i}")
        if held is None:
            raise InertiaError(
                '"{name}", of which "{action}" was made, is gone; bake another hop.',
                name=name,
                action=action.name,
            )
        present.append(held.name)
    renamed = dict(zip(former, present, strict=True))
    settings["transition"]["source"], settings["transition"]["destination"] = present[0], present[-1]
    settings["transition"]["result"] = action.name
    for field in ("clips", "cycles"):
        settings[field] = [renamed.get(name, name) for name in settings[field]]
    way["clips"] = present[1:-1]
    return HopSettings.from_dict(settings), way
