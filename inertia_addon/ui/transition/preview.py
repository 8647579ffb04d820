# SPDX-License-Identifier: GPL-3.0-or-later
"""What the panels know of the coming transition."""

from __future__ import annotations

from typing import Any

from ...blender.data import actions, clip_store, recipe, rigs, roots
from ...blender.evaluation import cycles, joint_motion
from ...blender.transition import bake, companions
from ...errors import InertiaError
from ...motion.steps import finish
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
            text = '"{action}" is so long that it is checked only when you bake.'
            return Preflight(lines=(words.line(text, action=long.name),))
        plan = bake.plan_transition(armature, settings, play=False)
        return summary.preflight(plan, bake.of_strips(plan))

    try:
        return cache.answer("preflight", armature, key, compute)
    except InertiaError as error:
        return summary.failed(error.sentence)


def clip_range(armature: Any, side: str) -> tuple[float, float] | None:
    """The first and last key frame of what a side's action has for the armature, as it is scaled.

    None when it has nothing.
    """
    own = armature.inertia
    action, slot, scale = (getattr(own, side + name) for name in ("", "_slot", "_scale"))

    def compute() -> tuple[float, float] | None:
        return actions.span(action, actions.choose_slot(action, armature, slot))

    key = (slot, cache.action_state(action))
    try:
        span = cache.answer(f"range {action.session_uid}", armature, key, compute)
    except InertiaError:
        return None
    return span and (span[0], span[0] + (span[1] - span[0]) * scale)


def is_cycle(armature: Any, side: str) -> bool:
    """Whether the action on a side is a cycle, as Blender, a choice or its ends say.

    Long ones are not looked at.
    """
    return cycles_of(armature)[side == "destination"]


def cycles_of(armature: Any) -> tuple[bool, bool]:
    """Whether the actions on both sides are cycles."""
    return cache.in_redraw("cycles", armature, lambda: _cycles_of(armature))


def _cycles_of(armature: Any) -> tuple[bool, bool]:
    own = armature.inertia
    if own.source is None or own.destination is None:
        return False, False
    what = (
        *(own.source_cycle, own.destination_cycle, own.source_slot, own.destination_slot, own.root),
        *(own.source_scale, own.destination_scale),
    )
    states = (cache.scene_state(), cache.rig_state(armature), cache.action_states(armature))

    def compute() -> tuple[bool, bool]:
        if not (is_quick(own.source) and is_quick(own.destination)):
            return False, False
        settings = settings_from(armature)
        clips = clip_store.scaled_ends(settings, finish(clip_store.reading_named(armature, settings.ends())))
        rig = rigs.read(armature)
        root = roots.find_root(rig, clips, settings.root)
        source, destination = cycles.both(rig, root, settings, clips)
        return source.cycle is not None, destination.cycle is not None

    try:
        return cache.answer("cycles", armature, (*what, *states), compute)
    except InertiaError:
        return False, False  # the preflight says why


def is_quick(action: Any | None) -> bool:
    """Whether all of an action can be read while a panel is drawn."""
    return action is None or actions.key_count(action) <= joint_motion.QUICK


def sources_changed(armature: Any, result: Any) -> bool:
    """Whether what a result was made of has changed since; not seen of very long actions, nor of a path's
    where all together are as long."""
    used = recipe.ingredients(result)

    def has_changed() -> bool:
        if not all(map(is_quick, used)):
            return False
        if (
            recipe.is_baked(result, recipe.PATH)
            and sum(map(actions.key_count, filter(None, used))) > joint_motion.QUICK
        ):
            return False
        return recipe.has_changed(result, armature)

    key = (
        *(str(result.get(name)) for name in (recipe.RECIPE, recipe.HOP, recipe.PATH, recipe.REWRITTEN)),
        *(cache.action_state(action) for action in used),
    )
    return cache.answer(f"changed {result.session_uid}", armature, key, has_changed)


def path_changed(armature: Any, result: Any) -> bool:
    """Whether what a result follows, goes over or goes around has moved or changed since."""
    noted = recipe.noted_things(result)
    if not noted:
        return False
    states = tuple(
        cache.moving_state(thing) if key == recipe.FOLLOWED else cache.thing_state(thing)
        for key, thing in noted.items()
    )
    stored = tuple(str(result.get(name)) for name in (recipe.PATH, recipe.LEARNED, recipe.FILL))
    return cache.answer(
        f"moved {result.session_uid}", armature, (stored, states), lambda: recipe.has_moved(result)
    )
