# SPDX-License-Identifier: GPL-3.0-or-later
"""The verdict on a transition that was baked, by its recipe, which says its window and its clips."""

from __future__ import annotations

import dataclasses
from typing import Any

from ...motion.steps import part
from ..data import clip_store, recipe
from ..data.recipe_reader import read_recipe
from ..evaluation.character import Character
from ..judging import verdict
from ..judging.verdict import Verdicts
from . import bake


def judge_result_steps(character: Character, action: Any, slot: str = "") -> Verdicts:
    """Judge a result as its action shows it now; yield how much is done, and return the one verdict.

    What plays as strips is judged as its recipe has it. Raise InertiaError where that can't be read, one of
    the two actions is gone, or they can't be joined any more.
    """
    plan = yield from part(
        bake.plan_transition_steps(
            character.armature, read_recipe(action, recipe.RECIPE, by_name=True).settings
        ),
        0.0,
        0.5,
    )
    played = plan.evidence
    if not plan.settings.strips:
        shown = dataclasses.replace(clip_store.read(character.armature, action, slot), cycle=None)
        late = plan.settings.shift
        played = dataclasses.replace(played, shown=shown, late=late, verdict=None, is_planned=False)
    return ((yield from part(verdict.of_played(played), 0.5, 1.0)),)
