# SPDX-License-Identifier: GPL-3.0-or-later
"""What is foreseen of a transition is what is seen of one whose joints go along lines by themselves."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inertia_addon.motion import quaternion
from inertia_addon.motion.arrays import Array
from inertia_addon.motion.cost import foresight
from inertia_addon.motion.cost.foresight import AlignedClip, Foresight
from inertia_addon.motion.decay import dead_blending, decay
from inertia_addon.motion.decay.decay import Method
from inertia_addon.motion.judging import faults
from inertia_addon.motion.judging.evidence import Evidence, Track
from inertia_addon.motion.skeleton.character_space import VERTICAL

FPS, SIZE, JOINTS = 30.0, 2.0, 4
SEEDS = st.integers(0, 10_000)
METHODS = st.sampled_from([*Method, None])


def uniform(seed: int, frames: int = 40) -> AlignedClip:
    """A clip whose joints go on evenly, so that it changes no velocity."""
    chance = np.random.default_rng(seed)
    start, velocity = chance.normal(0.0, 0.5, (2, JOINTS, 3))
    times = np.arange(frames)[:, None, None] / FPS
    positions = start + times * velocity
    return AlignedClip(
        positions, np.broadcast_to(velocity, positions.shape), np.zeros((frames, 3)), np.zeros(frames)
    )


def joined(
    here: AlignedClip, there: AlignedClip, method: Method | None, frames: int, hips: int | None = 0
) -> Foresight:
    return Foresight(here, there, method, frames / FPS, 0.1, frames, FPS, SIZE, hips)


def shown(foresight: Foresight, cut: int, entry: int) -> Array:
    """The transition (frames, joints, 3) from the source's first frame on."""
    here, there = foresight.source, foresight.destination
    t = np.arange(foresight.frames + 3)[:, None] / FPS
    own = there.positions[entry : entry + foresight.frames + 3]
    x, v = here.positions[cut] - own[0], here.velocities[cut] - there.velocities[entry]
    if foresight.method is None:
        way = dead_blending.reach(t, foresight.half_life)[..., None] * here.velocities[cut]
        left = dead_blending.source_share(t, foresight.seconds)[..., None]
        return np.concatenate([here.positions[:cut], own + left * (here.positions[cut] + way - own)])
    made = decay.make(foresight.method, x, v, np.full(JOINTS, foresight.seconds))
    return np.concatenate([here.positions[:cut], own + decay.evaluate(made, x, v, t)])


@given(SEEDS, METHODS, st.integers(3, 15), st.integers(2, 12), st.integers(1, 10))
def test_foresight_is_what_the_judge_sees(
    seed: int, method: Method | None, frames: int, cut: int, entry: int
) -> None:
    here, there = uniform(seed), uniform(seed + 1)
    foresight = joined(here, there, method, frames)
    (total,) = foresight.totals(np.array([cut]), np.array([entry]))
    around = round(0.5 * FPS)
    tracks = [Track(np.arange(len(way.positions), dtype=float), way.positions) for way in (here, there)]
    near = [
        Track(track.frames[max(0, at - around) : at + frames + around + 1] + late, positions)
        for track, at, late in ((tracks[0], cut, 0.0), (tracks[1], entry, cut - entry))
        for positions in [track.positions[max(0, at - around) : at + frames + around + 1]]
    ]
    result = shown(foresight, cut, entry)
    ends = tuple(range(JOINTS))
    names, parents = tuple("abcd"), (-1,) * JOINTS
    evidence = Evidence(
        FPS,
        *(names, parents, 0, ends, (), SIZE),
        *(float(cut), float(cut + frames), float(cut + frames), *near),
        Track(np.arange(len(result), dtype=float), result),
    )
    judged = faults.judge(evidence)
    kinds = {faults.POP, faults.LIFT, faults.REACH}
    seen = sum(fault.severity**2 for fault in judged.faults if fault.kind in kinds)
    assert total == pytest.approx(seen, rel=1e-6, abs=1e-9)


@given(SEEDS, METHODS, st.floats(-3.0, 3.0))
def test_foresight_does_not_depend_on_what_is_aligned(seed: int, method: Method | None, angle: float) -> None:
    here, there = uniform(seed), uniform(seed + 1)
    foresight = joined(here, there, method, 8)
    at = np.array([4, 9, 20]), np.array([2, 13, 5])
    turn, way = quaternion.exp(angle * VERTICAL), np.array([1.5, -0.7, 0.2])
    moved = AlignedClip(
        quaternion.rotate(turn, there.positions) + way,
        quaternion.rotate(turn, there.velocities),
        there.places + way,
        there.headings + angle,
    )
    other = dataclasses.replace(foresight, destination=moved)
    assert other.totals(*at) == pytest.approx(foresight.totals(*at), rel=1e-6, abs=1e-9)


def test_clips_that_meet_show_nothing_and_those_apart_do() -> None:
    here = uniform(1)
    places = np.array([5, 10, 15])
    same = joined(here, here, Method.SOFT, 10)
    assert same.totals(places, places) == pytest.approx(np.zeros(3), abs=1e-9)
    rising = same.totals(np.full(4, 20), 20 - np.array([1, 3, 6, 12]))
    assert (np.diff(rising) > 0.0).all()


def test_foresight_without_hips_is_of_changes_alone() -> None:
    here, there = uniform(3), uniform(4)
    at = np.array([7]), np.array([9])
    assert joined(here, there, Method.CUBIC, 10, None).totals(*at) <= joined(
        here, there, Method.CUBIC, 10
    ).totals(*at)


SECONDS, FRAMES = 0.4, 16


@pytest.mark.parametrize("method", Method)
def test_skates_are_the_way_in_their_own_prediction(method: Method) -> None:
    chance = np.random.default_rng(3)
    source = chance.normal(size=(4, 3)), chance.normal(size=(4, 3))
    destination = chance.normal(size=(5, 3)), chance.normal(size=(5, 3))
    lands, lifts = np.array([0, 0, 2, 5, 11]), np.array([12, 4, 10, 5, 15])
    found = foresight.skates(source, destination, (lands / FPS, lifts / FPS), method, SECONDS)
    assert found.shape == (4, 5)
    for i in range(4):
        for j in range(5):
            x, v = source[0][i] - destination[0][j], source[1][i] - destination[1][j]
            made = decay.make(method, x[None], v[None], np.full(1, SECONDS))
            left = decay.evaluate(made, x[None], v[None], np.arange(FRAMES)[:, None] / FPS)[:, 0, :2]
            left = left[lands[j] : lifts[j] + 1]
            steps = np.linalg.norm(np.diff(left, axis=0), axis=1)
            # where a foot turns back between two of the few times, a little of its way is not seen
            assert 0.9 * steps.sum() - 1e-9 <= found[i, j] <= steps.sum() + 1e-9


def test_a_foot_that_swings_out_and_back_has_skated() -> None:
    none, thrown = np.zeros((1, 3)), np.array([[3.0, 4.0, 7.0]])
    times = np.zeros(1), np.full(1, SECONDS)
    assert foresight.skates((none, thrown), (none, none), times, Method.CUBIC, SECONDS) > 0.3


def test_a_foot_that_stands_for_the_whole_blend_skates_all_the_way() -> None:
    none, moved = np.zeros((1, 3)), np.array([[0.3, 0.4, 7.0]])
    times = np.zeros(1), np.full(1, SECONDS)
    assert foresight.skates((moved, none), (none, none), times, Method.SMOOTH, SECONDS) == pytest.approx(0.5)
