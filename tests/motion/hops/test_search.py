# SPDX-License-Identifier: GPL-3.0-or-later
"""Hops are the best of all ways, exactly, and what a table tells can be followed."""

from __future__ import annotations

import dataclasses
import functools
import math
import tracemalloc
from collections.abc import Generator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inertia_addon.errors import InertiaError
from inertia_addon.motion.hops import search as hop
from inertia_addon.motion.hops.distances import JointTrack, PointClouds
from inertia_addon.motion.hops.recurrence import ClipStrip, HopProblem, Objective
from tests.motion import made_up_hops
from tests.motion.pruned_search import Tables

SEEDS = st.integers(0, 2**32 - 1)


def finish(steps: Generator[float, None, Any]) -> Any:
    done = 0.0
    while True:
        try:
            part = next(steps)
        except StopIteration as end:
            return end.value
        assert 0.0 <= part <= 1.0
        done = max(done, part)


@given(SEEDS)
def test_the_best_of_one_hop_is_the_best_of_all_ways_exactly(seed: int) -> None:
    problem, objective, tables = made_up_hops.made_up(np.random.default_rng(seed), whole=True)
    found = finish(hop.solve(problem, objective))
    assert len(found.cost) == problem.strips[problem.source].frames
    for row, trigger in enumerate(found.triggers.tolist()):
        assert found.cost[row] == made_up_hops.brute_force(problem, objective, tables, trigger)


@settings(max_examples=15)
@given(SEEDS, st.integers(2, 3))
def test_hops_in_a_row_are_the_best_of_all(seed: int, hops: int) -> None:
    problem, objective, tables = made_up_hops.made_up(np.random.default_rng(seed), whole=True, hops=hops)
    triggers = min(2, problem.strips[problem.source].frames)
    found = finish(hop.solve(problem, objective, (0, triggers)))
    for row, trigger in enumerate(found.triggers.tolist()):
        if hops == 2:
            assert found.cost[row] == made_up_hops.brute_force(problem, objective, tables, trigger)
        if math.isfinite(found.cost[row]):
            assert made_up_hops.cost_of(problem, objective, tables, found, row) == found.cost[row]
    fewer = finish(hop.solve(problem, dataclasses.replace(objective, hops=hops - 1), (0, triggers)))
    assert np.all(found.cost <= fewer.cost)


@given(SEEDS)
def test_a_table_tells_the_way_that_costs_so_much(seed: int) -> None:
    problem, objective, tables = made_up_hops.made_up(np.random.default_rng(seed), whole=False)
    found = finish(hop.solve(problem, objective))
    for row, trigger in enumerate(found.triggers.tolist()):
        if math.isinf(found.cost[row]):
            assert found.stays[row, 0] == -1
            continue
        followed = made_up_hops.cost_of(problem, objective, tables, found, row)
        assert followed == pytest.approx(found.cost[row], rel=1e-12)
        best = made_up_hops.brute_force(problem, objective, tables, trigger)
        assert found.cost[row] == pytest.approx(best, rel=1e-6)
        assert found.cost[row] <= found.direct[row] * (1.0 + 1e-12)


@given(SEEDS)
def test_hops_of_some_triggers_are_as_among_all(seed: int) -> None:
    problem, objective, _ = made_up_hops.made_up(np.random.default_rng(seed), whole=True)
    whole = finish(hop.solve(problem, objective))
    frames = problem.strips[problem.source].frames
    some = finish(hop.solve(problem, objective, (frames // 2, 1)))
    assert some.triggers.tolist() == [frames // 2]
    for field in dataclasses.fields(whole):
        np.testing.assert_array_equal(getattr(some, field.name)[0], getattr(whole, field.name)[frames // 2])


def test_blocks_of_triggers_join(monkeypatch: pytest.MonkeyPatch) -> None:
    problem, objective, _ = made_up_hops.made_up(np.random.default_rng(12), whole=True)
    problem = dataclasses.replace(problem, alongside=True)
    whole = finish(hop.solve(problem, objective))
    monkeypatch.setattr(hop, "BLOCK_TRIGGERS", 2)
    np.testing.assert_array_equal(finish(hop.solve(problem, objective)).cost, whole.cost)


@given(SEEDS, st.integers(1, 3))
def test_ranked_ways_are_in_order_and_begin_with_the_best_hop(seed: int, apart: int) -> None:
    problem, objective, tables = made_up_hops.made_up(np.random.default_rng(seed), whole=True)
    found = finish(hop.ranked(problem, objective, 0, 5, apart))
    column = problem.start
    ways = made_up_hops.every_way(problem, objective, tables, problem.source, 0, column, 1)
    hopping = [cost for cost, steps in ways if len(steps) == 2]
    best = min(hopping, default=math.inf)
    assert (len(found.cost) > 0) == math.isfinite(best)
    assert list(found.cost) == sorted(found.cost)
    assert np.all(found.clips >= 0)
    if len(found.cost):
        assert found.cost[0] == best
    for row in range(len(found.cost)):
        assert made_up_hops.cost_of(problem, objective, tables, found, row) == found.cost[row]
        for other in range(row):
            same = found.clips[row, 0] == found.clips[other, 0]
            assert not same or abs(found.entries[row, 0] - found.entries[other, 0]) >= apart


@given(SEEDS, st.integers(1, 4))
def test_the_best_way_through_each_clip_is_ranked_though_others_are_better(seed: int, count: int) -> None:
    problem, objective, _ = made_up_hops.made_up(np.random.default_rng(seed), whole=True)
    every = finish(hop.ranked(problem, objective, 0, 1000))
    found = finish(hop.ranked(problem, objective, 0, count, each_first=True))
    assert list(found.cost) == sorted(found.cost)
    assert len(found.cost) == min(count, len(every.cost))
    _, firsts = np.unique(every.clips[:, 0], return_index=True)
    best = np.sort(every.cost[firsts])[:count]
    assert set(best.tolist()) <= set(found.cost.tolist())


@given(SEEDS)
def test_a_hop_leads_through_what_is_not_too_short(seed: int) -> None:
    problem, objective, _ = made_up_hops.made_up(np.random.default_rng(seed), whole=True)
    short = hop.too_short(problem, objective, 0)
    ends = {problem.source, problem.destination}
    found = finish(hop.ranked(problem, objective, 0, 1000))
    if ends & set(short) or {*problem.candidates} <= set(short):
        assert len(found.cost) == 0
    elif objective.hops == 1:
        # a source or destination that is gone through needs room for both blends, too
        room = 2 * min(objective.blends)
        gone_through = {
            c for c in problem.candidates if problem.strips[c].cyclic or problem.strips[c].frames >= room
        }
        assert set(found.clips[:, 0].tolist()) == gone_through - set(short)


def test_hops_never_cost_more_with_more_clips_stays_and_blends() -> None:
    for seed in range(30):
        problem, objective, _ = made_up_hops.made_up(np.random.default_rng(seed), whole=True)
        cost = finish(hop.solve(problem, objective)).cost
        fewer = dataclasses.replace(problem, candidates=problem.candidates[:-1])
        assert np.all(cost <= finish(hop.solve(fewer, objective)).cost)
        shorter = dataclasses.replace(objective, longest_stay=max(0, objective.longest_stay - 1))
        assert np.all(cost <= finish(hop.solve(problem, shorter)).cost)
        one = dataclasses.replace(objective, blends=objective.blends[:1])
        assert np.all(cost <= finish(hop.solve(problem, one)).cost)


@given(SEEDS)
def test_the_published_search_finds_the_same(seed: int) -> None:
    chance = np.random.default_rng(seed)
    frames, blend = chance.integers(8, 40, 4), int(chance.integers(1, 4))
    tables = {
        (a, b): chance.integers(0, 50, (frames[a], frames[b])).astype(np.float32)
        for a in range(4)
        for b in range(4)
    }
    for table in tables.values():
        table[len(table) - blend + 1 :] = np.inf
        table[:, table.shape[1] - blend + 1 :] = np.inf
    objective = Objective(int(chance.integers(0, 9)), float(chance.integers(0, 4)), (blend,))
    problem = HopProblem(
        tuple(ClipStrip(int(n)) for n in frames),
        lambda a, b, _, rows, columns: tables[a, b][rows, columns],
        *(2, 3, (0, 1)),
        start=int(chance.integers(0, 3)),
        alongside=bool(chance.integers(2)),
    )
    found = finish(hop.solve(problem, objective))
    search = Tables(
        [tables[2, 0], tables[2, 1]],
        [tables[0, 3], tables[1, 3]],
        tables[2, 3],
        blend,
        objective.longest_stay,
        objective.weight,
    )
    for row, trigger in enumerate(found.triggers.tolist()):
        start = problem.start + (trigger if problem.alongside else 0)
        if start < frames[3]:
            assert search.find(trigger, start).cost == found.cost[row]
            assert search.find_in_loops(trigger, start).cost == found.cost[row]


@pytest.mark.slow
@pytest.mark.variants(1)
@pytest.mark.parametrize("alongside", [False, True])
def test_no_table_of_all_distances_is_ever_made(*, alongside: bool) -> None:
    frames, chance = 4000, np.random.default_rng(1)
    tracks = [JointTrack(chance.normal(size=(frames, 1, 3)), np.zeros((frames, 1, 3))) for _ in range(3)]
    distances = PointClouds(tracks, np.ones(1))
    problem = HopProblem((ClipStrip(frames),) * 3, distances, 0, 1, (2,), alongside=alongside)
    tracemalloc.start()
    finish(hop.solve(problem, Objective(4, 0.1, (3,))))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4 * frames * frames


@given(SEEDS)
def test_the_weight_is_what_waiting_is_worth(seed: int) -> None:
    problem, objective, tables = made_up_hops.made_up(np.random.default_rng(seed), whole=True)
    objective = dataclasses.replace(objective, longest_stay=max(1, objective.longest_stay))
    chance = np.random.default_rng(seed)
    gains = []

    @functools.cache
    def best(trigger: int, longest_stay: int, weight: float) -> float:
        changed = dataclasses.replace(objective, longest_stay=longest_stay, weight=weight)
        return made_up_hops.brute_force(problem, changed, tables, trigger)

    for _ in range(hop.CONDITIONS):
        chance.integers(1)
        trigger = int(chance.integers(problem.strips[problem.source].frames))
        without, free = best(trigger, 0, objective.weight), best(trigger, objective.longest_stay, 0.0)
        if np.isfinite(without):
            gains.append(without - free)
    if not gains:
        with pytest.raises(InertiaError, match="too short"):
            finish(hop.automatic_weight([problem], objective, seed))
        return
    found = finish(hop.automatic_weight([problem], objective, seed))
    assert found == pytest.approx(np.mean(gains) / (2 * objective.longest_stay), rel=1e-9, abs=1e-12)
    assert found == finish(hop.automatic_weight([problem], objective, seed))


def test_hops_without_stays_have_nothing_to_wait_for() -> None:
    problem = HopProblem((ClipStrip(4), ClipStrip(4)), lambda *_: np.ones((1, 1), np.float32), 0, 1, ())
    assert finish(hop.automatic_weight([problem], Objective(0, 1.0, (1,)))) == 0.0


def test_a_longer_source_than_conditions_is_looked_at_frame_by_frame() -> None:
    chance = np.random.default_rng(2)
    table = chance.random((5000, 40), np.float32)
    strips = (ClipStrip(5000), ClipStrip(40), ClipStrip(30))
    problem = HopProblem(strips, lambda a, b, _, rows, columns: table[rows, columns], 0, 1, (2,))
    few = Objective(3, 0.0, (4,))
    assert 0.0 < finish(hop.automatic_weight([problem, problem], few, 7)) < 1.0
