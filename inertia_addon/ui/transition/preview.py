# SPDX-License-Identifier: GPL-3.0-or-later
"""What the panels know of the coming transition."""

from __future__ import annotations

from typing import Any

from ...blender.data import actions, recipe
from ...blender.evaluation import joint_motion
from ...blender.transition import bake, companions
from ...errors import InertiaError
from .. import translations
from ..shared import cache, words
from . import summary
from .properties import settings_from
from .summary import Preflight


def preflight(armature: Any) -> Preflight:
    """What the armature's settings would bake, or why they can't."""
    try:
        settings = settings_from(armature)
    except InertiaError as error:
        return summary.failed(error.sentence)
    own = armature.inertia
    states = (cache.scene_state(), cache.rig_state(armature), cache.action_states(armature))
    chosen = [action for action in (own.source, own.destination) if action is not None]
    key = (settings, *states, companions.state(armature, chosen), translations.language())

    def compute() -> Preflight:
        long = next((a for a in (own.source, own.destination) if not is_quick(a)), None)
        if long is not None:
            text = '"{action}" is so long that it is looked at only when you bake.'
            return Preflight(lines=(words.line(text, action=long.name),))
        plan = bake.plan_transition(armature, settings, play=False)
        return summary.preflight(plan, bake.of_strips(plan))

    try:
        return cache.answer("preflight", armature, key, compute)
    except InertiaError as error:
        return summary.failed(error.sentence)


def clip_range(armature: Any, action: Any, slot: str) -> tuple[float, float] | None:
    """The first and last key frame of what an action has for the armature; None when it has nothing."""

    def compute() -> tuple[float, float] | None:
        return actions.span(action, actions.choose_slot(action, armature, slot))

    key = (slot, cache.action_state(action))
    try:
        return cache.answer(f"range {action.session_uid}", armature, key, compute)
    except InertiaError:
        return None


def is_quick(action: Any | None) -> bool:
    """Whether all of an action can be read while a panel is drawn."""
    return action is None or actions.key_count(action) <= joint_motion.QUICK


def sources_changed(armature: Any, result: Any) -> bool:
    """Whether a result's source or destination has changed since it was baked; not seen of very long ones."""
    if not all(map(is_quick, recipe.made_from(result))):
        return False
    states = tuple(cache.action_state(action) for action in recipe.made_from(result))
    key = (str(result.get(recipe.RECIPE)), states)
    return cache.answer(
        f"changed {result.session_uid}", armature, key, lambda: recipe.has_changed(result, armature)
    )
