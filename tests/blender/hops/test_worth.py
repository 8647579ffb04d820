# SPDX-License-Identifier: GPL-3.0-or-later
"""Hops are shown where they cost enough less than going straight, and look better once they are baked."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender.evaluation import joints
from inertia_addon.blender.evaluation.character import read_character
from inertia_addon.blender.hops import bake as hop_bake
from inertia_addon.blender.hops import hop_gain
from inertia_addon.blender.hops import search as hops
from inertia_addon.blender.hops.search import FoundHop
from inertia_addon.blender.judging import verdict
from inertia_addon.blender.transition import bake
from inertia_addon.motion.steps import Steps, finish
from inertia_addon.settings.hops import HopSettings
from inertia_addon.settings.transition import TransitionSettings
from tests.blender import stepper
from tests.blender.file_state import differences, everything

TRIGGER = 20.0


@pytest.fixture
def biped(fresh_file: None) -> Any:
    """A biped with three walks that are not in step."""
    armature = stepper.biped()
    for name, late in (("Walk", 0.0), ("Between", 0.2), ("Late", 0.4)):
        stepper.walk(armature, name, frames=55, late=late)
    return armature


def settings_of(**how: Any) -> HopSettings:
    once = {"source_cycle": "OFF", "destination_cycle": "OFF", "feet": "OFF", "assign": False}
    transition = TransitionSettings("Walk", "Late", TRIGGER, blend_frames=6.0, **once)
    return HopSettings(transition, clips=("Between",), longest_stay=6, weight=0.0, find_cycles=False, **how)


def found(armature: Any, settings: HopSettings) -> tuple[list[FoundHop], float]:
    weights = joints.named_weights(armature, "found")
    return finish(hops.ranked(finish(hops.prepare(armature, settings, weights)), 4))


def test_the_verdict_on_a_hop_is_what_baking_it_gives(biped: Any) -> None:
    settings = settings_of()
    ways, _ = found(biped, settings)
    assert ways
    before = everything()
    judged = finish(hop_gain.judge_worth_steps(read_character(biped), settings, ways, math.inf))
    assert differences(before, everything()) == {}
    assert judged.straight is None
    assert judged.is_worth == (True,) * len(ways)
    for way, told in zip(ways[:2], judged.verdicts, strict=False):
        baked = hop_bake.bake_hop(biped, settings, way).verdict
        assert told is not None
        assert told.rating == baked.rating
        assert told.total == pytest.approx(baked.total, rel=1e-3, abs=1e-4)
        assert [fault.kind for fault in told.faults] == [fault.kind for fault in baked.faults]


def test_a_hop_has_to_look_better_than_going_straight(biped: Any) -> None:
    settings = settings_of()
    ways, direct = found(biped, settings)
    told: list[float] = []

    def judging() -> Steps[hop_gain.Worth]:
        steps = hop_gain.judge_worth_steps(
            read_character(biped), settings, ways, 100.0 * max(way.cost for way in ways)
        )
        while True:
            try:
                told.append(next(steps))
            except StopIteration as end:
                return end.value
            yield told[-1]

    judged = finish(judging())
    # how far it is only rises, and none of what is done by and by is done at once
    assert len(told) > len(ways)
    assert told == sorted(told)
    assert 0.0 <= told[0] < told[-1] <= 1.0
    assert max(np.diff(told)) < 0.5
    plan = bake.plan_transition(biped, dataclasses.replace(settings.transition, destination_frame=1.0))
    straight = finish(verdict.of_played(plan.evidence))
    assert judged.straight is not None
    assert judged.straight.total == pytest.approx(straight.total, rel=1e-3, abs=1e-4)
    for seen, is_worth in zip(judged.verdicts, judged.is_worth, strict=True):
        assert seen is not None
        assert is_worth is (seen.order < judged.straight.order)
    # what costs as much as going straight is not even looked at
    dear = finish(
        hop_gain.judge_worth_steps(read_character(biped), settings, ways, min(way.cost for way in ways))
    )
    assert dear == hop_gain.Worth((None,) * len(ways), None, (False,) * len(ways))
    by_cost = finish(hop_gain.judge_worth_steps(read_character(biped), settings, ways, direct, judged=False))
    assert by_cost.is_worth == tuple(hop_gain.is_cheaper([way.cost for way in ways], direct).tolist())
    assert set(by_cost.verdicts) == {None}


COSTS = st.floats(0.0, 1e6) | st.just(math.inf)


@given(COSTS, COSTS)
def test_a_hop_costs_enough_less(cost: float, direct: float) -> None:
    counts = bool(hop_gain.is_cheaper(cost, direct))
    if math.isinf(cost):
        assert not counts
    elif math.isinf(direct):
        assert counts
    else:
        assert counts is (cost <= hop_gain.CHEAPER * direct)
    assert np.array_equal(hop_gain.is_cheaper([cost, cost], [direct, direct]), [counts, counts])
