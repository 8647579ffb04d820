# SPDX-License-Identifier: GPL-3.0-or-later
"""Which stretches of a made-up walk loop, found among all."""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.testing import assert_allclose

from inertia_addon.motion.loops import search
from inertia_addon.motion.loops.search import FoundLoop, LoopTake
from inertia_addon.motion.steps import finish

FPS, CYCLE = 30.0, 32
FRAMES = np.arange(1.0, 151.0)


def walk(cycle: float = CYCLE, slows: float = 1e9) -> LoopTake:
    """Two feet that swing to and fro and land each cycle, the one half a cycle behind the other.

    Each step is a little different, so that the stretch from frame 40 is the best. slows: from where on it
    stands about.
    """
    phase = 2.0 * np.pi * (FRAMES - 1.0)[:, None] / cycle + np.array([0.0, np.pi])
    odd = 1e-3 * np.abs(FRAMES - 40.0)[:, None] * np.array([1.0, 0.7])
    places = np.stack([0.3 * np.sin(phase) + odd, 0.0 * phase, 0.1 * np.cos(phase)], axis=2)
    velocities = np.gradient(places, 1.0 / FPS, axis=0)
    landings = np.zeros(phase.shape, bool)
    landings[1:] = np.floor(phase[1:] / (2.0 * np.pi)) > np.floor(phase[:-1] / (2.0 * np.pi))
    speed = np.where(slows > FRAMES, 1.4, 0.2)
    return LoopTake(FRAMES, places, velocities, np.ones(2), landings, speed, 1.8)


def best(take: LoopTake, count: int = 3, shortest: float = 12.0, longest: float = 51.0) -> list[FoundLoop]:
    found = finish(search.costs(take, shortest, longest, FRAMES[0], FRAMES[-1]))
    return search.ranked(found, count, 6.0)


def test_costs_are_the_means_that_they_are_said_to_be() -> None:
    take = dataclasses.replace(walk(), weights=np.array([3.0, 1.0]))
    found = finish(search.costs(take, 30.0, 34.0, FRAMES[0], FRAMES[-1]))
    here, there = 11, 11 + 33
    apart = np.linalg.norm(
        take.places[there] - take.places[here] + 0.05 * (take.velocities[there] - take.velocities[here]),
        axis=1,
    )
    assert found.lengths.tolist() == [30.0, 31.0, 32.0, 33.0, 34.0]
    assert_allclose(found.values[here, 3], apart @ [0.75, 0.25], rtol=1e-6)
    assert np.isinf(found.values[-20]).all()


def test_a_whole_cycle_is_found_and_its_neighbours_are_not_listed() -> None:
    found = best(walk())
    assert all(abs(one.frames - CYCLE) <= 1.0 and one.landings == 1 for one in found)
    assert [one.cost for one in found] == sorted(one.cost for one in found)
    for i, one in enumerate(found):
        for other in found[:i]:
            assert max(abs(one.start - other.start), abs(one.end - other.end)) >= 6.0


def test_half_a_cycle_is_none_and_neither_is_standing() -> None:
    # all frames look alike
    same = dataclasses.replace(walk(), places=np.zeros((150, 2, 3)), velocities=np.zeros((150, 2, 3)))
    assert all(one.landings >= 1 for one in best(same, count=200))
    without = dataclasses.replace(same, landings=same.landings[:, :0])
    assert best(without, 1)[0].frames < 0.5 * CYCLE
    assert all(one.end < 100.0 for one in best(walk(slows=100.0), count=50))
    # who stays in place goes on at no speed at all
    assert best(dataclasses.replace(walk(), speed=np.zeros(len(FRAMES))))


def test_no_foot_that_lands_means_no_loop() -> None:
    take = walk()
    assert best(dataclasses.replace(take, landings=np.zeros_like(take.landings))) == []


def test_a_standing_take_loops_where_all_feet_do_for_one_of_the_longer_lengths() -> None:
    take = walk()
    rests = np.arange(len(FRAMES)) >= 40
    stands = dataclasses.replace(take, landings=np.zeros_like(take.landings), rests=rests)
    assert all(one.start >= FRAMES[40] and one.frames >= 31.5 for one in best(stands, 200))
    assert best(stands)
    # where there are steps, nobody is taken to stand
    assert best(dataclasses.replace(take, rests=np.ones_like(rests))) == best(take)


def test_an_end_between_frames_costs_less_where_the_cycle_ends_there() -> None:
    take = walk(cycle=31.5)
    (found,) = best(take, 1)
    finer = search.refined(take, found)
    assert finer.cost < 0.7 * found.cost
    assert abs(finer.frames - 31.5) < 0.15
    whole = best(walk(), 1)[0]
    assert abs(search.refined(walk(), whole).frames - CYCLE) < 0.15
