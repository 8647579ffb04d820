# SPDX-License-Identifier: GPL-3.0-or-later
"""The automatic weight: the paper's procedure done by trying everything, and the same on every run."""

from __future__ import annotations

import dataclasses
import functools

import numpy as np
import pytest
from hypothesis import given

from inertia_addon.errors import InertiaError
from inertia_addon.motion.hops import search
from inertia_addon.motion.hops.recurrence import Objective, Problem, Strip
from tests.motion import made_up_hops
from tests.motion.hops.test_search import SEEDS, finish


@given(SEEDS)
def test_it_is_what_waiting_is_worth(seed: int) -> None:
    problem, objective, tables = made_up_hops.made_up(np.random.default_rng(seed), whole=True)
    objective = dataclasses.replace(objective, longest_stay=max(1, objective.longest_stay))
    chance = np.random.default_rng(seed)
    gains = []

    @functools.cache
    def best(trigger: int, longest_stay: int, weight: float) -> float:
        changed = dataclasses.replace(objective, longest_stay=longest_stay, weight=weight)
        return made_up_hops.brute_force(problem, changed, tables, trigger)

    for _ in range(search.CONDITIONS):
        chance.integers(1)
        trigger = int(chance.integers(problem.strips[problem.source].frames))
        without, free = best(trigger, 0, objective.weight), best(trigger, objective.longest_stay, 0.0)
        if np.isfinite(without):
            gains.append(without - free)
    if not gains:
        with pytest.raises(InertiaError, match="too short"):
            finish(search.automatic_weight([problem], objective, seed))
        return
    found = finish(search.automatic_weight([problem], objective, seed))
    assert found == pytest.approx(np.mean(gains) / (2 * objective.longest_stay), rel=1e-9, abs=1e-12)
    assert found == finish(search.automatic_weight([problem], objective, seed))


def test_without_stays_there_is_nothing_to_wait_for() -> None:
    problem = Problem((Strip(4), Strip(4)), lambda *_: np.ones((1, 1), np.float32), 0, 1, ())
    assert finish(search.automatic_weight([problem], Objective(0, 1.0, (1,)))) == 0.0


def test_a_longer_source_than_conditions_is_looked_at_frame_by_frame() -> None:
    chance = np.random.default_rng(2)
    table = chance.random((5000, 40), np.float32)
    strips = (Strip(5000), Strip(40), Strip(30))
    problem = Problem(strips, lambda a, b, _, rows, columns: table[rows, columns], 0, 1, (2,))
    few = Objective(3, 0.0, (4,))
    assert 0.0 < finish(search.automatic_weight([problem, problem], few, 7)) < 1.0
