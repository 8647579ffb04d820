# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet of many transitions are eased at once, whatever else looks at the same clips meanwhile."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender.judging import verdict
from inertia_addon.blender.judging.played import Footage
from inertia_addon.blender.judging.verdict import Verdict
from inertia_addon.blender.transition import bake, entering
from inertia_addon.blender.transition.meeting import PlanOptions
from inertia_addon.motion.steps import Steps, finish, part
from inertia_addon.settings.transition import TransitionSettings
from tests.blender import stepper

ASKED = TransitionSettings("Walk", "Late", 25.0, blend_frames=10.0, enter_at="AUTO", destination_cycle="ON")
MOST_STEPS = 3_000
"""Either work takes some hundred steps where it has an end."""


@pytest.fixture(scope="module")
def stepping() -> tuple[Any, list[Any]]:
    """Return a biped with two walks, the feet of which are planted at other times, and what each of two works
    on them finds alone."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    armature = stepper.biped()
    stepper.walk(armature, "Walk", frames=55)
    stepper.walk(armature, "Late", frames=70, late=0.2)
    alone = [finish(entering.entered(armature, ASKED)), finish(judge_steps(armature, Footage()))]
    return armature, alone


def judge_steps(armature: Any, footage: Footage) -> Steps[Verdict]:
    """Judge one entry, as the panel does while another work goes on."""
    asked = dataclasses.replace(ASKED, destination_frame=20.0)
    options = PlanOptions(footage=footage, constants={})
    plan = yield from part(bake.plan_transition_steps(armature, asked, options), 0.0, 0.5)
    return (yield from part(verdict.of_played(plan.evidence), 0.5, 1.0))


@settings(max_examples=1)
@example(turns=[2, 3, 2])
@given(turns=st.lists(st.integers(1, 12), min_size=1, max_size=6))
def test_ease_together_ends_beside_a_verdict_on_the_same_clips(
    stepping: tuple[Any, list[Any]], turns: list[int]
) -> None:
    """Both works take turns of so many steps, as in slices of a window, and find what each finds alone."""
    armature, alone = stepping
    footage = Footage()
    works: list[Steps[Any]] = [entering.entered(armature, ASKED, footage), judge_steps(armature, footage)]
    found: list[Any] = [None, None]
    left = {0, 1}
    for i in range(MOST_STEPS):
        which = i % 2 if len(left) == 2 else min(left)
        try:
            for _ in range(turns[i // 2 % len(turns)]):
                next(works[which])
        except StopIteration as end:
            found[which] = end.value
            left.discard(which)
        if not left:
            break
    assert not left
    assert found == alone
