# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the whole pose jumps is told from where single bones do, and what each bone does there."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inertia_addon.motion import quaternion
from inertia_addon.motion.arrays import Array
from inertia_addon.motion.pops import finding, templates
from inertia_addon.motion.pops.templates import Pop, PopKind, PopPlace
from tests.motion.pops.test_finding import FPS, LIMITS, found, swing, turned

BONES = 12


def whole(motion: Array) -> list[tuple[PopPlace, float]]:
    """Where several bones pop, with how many times as clear as elsewhere the pose does."""
    pops = found(motion)
    places = templates.whole_pose_places(pops)
    clear = [finding.at_once(motion, FPS, LIMITS, place)[0] for place in places]
    return [
        (place, templates.times_elsewhere(each, place, places))
        for place, each in zip(places, clear, strict=True)
    ]


def elsewhere(motion: Array, frames: slice, seed: int, degrees: float) -> Array:
    """The same with each bone turned about an axis of its own, some hardly, on some frames."""
    rng = np.random.default_rng(seed)
    turns = np.radians(degrees) * rng.uniform(0.1, 1.0, (BONES, 1)) * rng.normal(size=(BONES, 3))
    motion = motion.copy()
    motion[frames] = quaternion.multiply(quaternion.exp(turns), motion[frames])
    return motion


@settings(max_examples=10)
@given(
    at=st.integers(8, 50),
    frames=st.sampled_from([1, 5, 200]),
    seed=st.integers(0, 1000),
    degrees=st.floats(20.0, 60.0),
)
def test_a_pose_jumps_where_all_bones_do(at: int, frames: int, seed: int, degrees: float) -> None:
    motion = elsewhere(swing(60, BONES), slice(at, at + frames), seed, degrees)
    places = {place for place, times in whole(motion) if times >= templates.CLEARLY}
    if frames == 200:
        assert PopPlace(PopKind.STEP, at - 1, at) in places
    else:
        kind = PopKind.SPIKE if frames == 1 else PopKind.STRETCH
        assert PopPlace(kind, at, at + frames - 1) in places


@given(bones=st.integers(2, 4), at=st.integers(8, 50), seed=st.integers(0, 1000))
def test_a_pose_does_not_jump_where_some_bones_do(bones: int, at: int, seed: int) -> None:
    motion = swing(60, BONES)
    for bone in np.random.default_rng(seed).choice(BONES, bones, replace=False).tolist():
        motion = turned(motion, bone, slice(at, None), 40.0)
    assert all(times < templates.CLEARLY for _, times in whole(motion))


def test_cuts_are_told_each_where_there_are_several() -> None:
    motion = elsewhere(swing(bones=BONES), slice(25, None), 1, 40.0)
    motion = elsewhere(motion, slice(60, None), 2, 40.0)
    told = {place: times for place, times in whole(motion) if times >= templates.CLEARLY}
    assert set(told) == {PopPlace(PopKind.STEP, 24, 25), PopPlace(PopKind.STEP, 59, 60)}


def test_a_cut_tells_what_each_bone_does_even_if_it_hardly_jumps() -> None:
    motion = elsewhere(swing(bones=BONES), slice(40, None), 3, 40.0)
    place = PopPlace(PopKind.STEP, 39, 40)
    _, each = finding.at_once(motion, FPS, LIMITS, place)
    assert [pop.motion for pop in each] == list(range(BONES))
    assert {pop.place for pop in each} == {place}
    for pop in each:
        turn = quaternion.exp(pop.jump)
        led = quaternion.multiply(turn, swing(bones=BONES)[40, pop.motion])
        apart = quaternion.log(quaternion.multiply(motion[40, pop.motion], quaternion.conjugate(led)))
        assert np.degrees(np.linalg.norm(apart)) < 2.0


def test_two_bones_are_no_pose() -> None:
    assert templates.times_elsewhere(np.ones((30, 2)), PopPlace(PopKind.STEP, 9, 10), []) == 0.0


@pytest.mark.parametrize(("first", "is_part"), [(38, True), (41, True), (50, False)])
def test_a_pop_beside_a_cut_is_a_part_of_it(first: int, *, is_part: bool) -> None:
    pop = Pop(0, PopKind.SPIKE, first, first, np.zeros(3), np.zeros(3), 7.0)
    assert templates.is_part(pop, PopPlace(PopKind.STEP, 39, 40)) is is_part
