# SPDX-License-Identifier: GPL-3.0-or-later
"""Teleports in made-up walks, wherever they are and in whatever unit, and none in what only moves fast."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from inertia_addon.motion.pops import teleports
from inertia_addon.motion.pops.teleports import Teleport

Array = NDArray[np.float64]

SIZE, JOINTS = 2.0, 12
UNITS = st.sampled_from([0.01, 1.0, 100.0])
SEEDS = st.integers(0, 10_000)


def walk(seed: int, frames: int = 40, speed: float = 0.05) -> Array:
    """Joints (frames, JOINTS, 3) that go along Y and swing, with the noise of a capture."""
    random = np.random.default_rng(seed)
    t = np.arange(frames)[:, None, None]
    rest, swing = random.normal(0.0, 0.4, (2, JOINTS, 3))
    phase = random.uniform(0.0, 6.0, (1, JOINTS, 1))
    noise = random.normal(0.0, 5e-4, (frames, JOINTS, 3))
    return np.asarray(
        3.0 + rest + 0.3 * swing * np.sin(0.25 * t + phase) + speed * t * (0.0, 1.0, 0.0) + noise
    )


def bind_pose(seed: int) -> Array:
    """Another pose (1, JOINTS, 3) of the same character, at the origin."""
    return np.random.default_rng(seed + 1).normal(0.0, 0.4, (1, JOINTS, 3))


def steps(positions: Array, unit: float = 1.0) -> list[int]:
    return [i for i, _ in teleports.find(positions * unit, SIZE * unit)]


@given(SEEDS, UNITS, st.integers(1, 3))
@settings(max_examples=20, deadline=None)
def test_a_bind_pose_first_last_and_between_is_found(seed: int, unit: float, held: int) -> None:
    motion, bind = walk(seed), np.repeat(bind_pose(seed), held, axis=0)
    count = len(motion)
    assert steps(motion, unit) == []
    assert steps(np.concatenate([bind, motion]), unit) == [held - 1]
    assert steps(np.concatenate([motion, bind]), unit) == [count - 1]
    assert steps(np.concatenate([bind, motion, bind]), unit) == [held - 1, held + count - 1]
    between = np.concatenate([motion[:20], bind, motion[20:]])
    assert steps(between, unit) == [19, 19 + held]


@given(SEEDS, UNITS, st.floats(0.3, 5.0), st.floats(0.0, 6.3))
@settings(max_examples=20, deadline=None)
def test_two_takes_that_were_joined_are_found_with_how_far_they_are_apart(
    seed: int, unit: float, way: float, angle: float
) -> None:
    motion = walk(seed)
    motion[15:] += way * np.array([np.cos(angle), np.sin(angle), 0.0])
    ((step, found),) = teleports.find(motion * unit, SIZE * unit)
    assert step == 14
    assert found == pytest.approx(way * unit, rel=0.1)


@given(SEEDS, st.floats(0.1, 1.0), st.integers(10, 30))
@settings(max_examples=20, deadline=None)
def test_a_fast_limb_a_start_and_a_pose_by_pose_clip_are_no_teleports(
    seed: int, reach: float, at: int
) -> None:
    kick = walk(seed)
    # a leg of three joints that is thrown out within two frames, and comes back as fast
    kick[:, :3] += reach * np.interp(np.arange(40), [at - 2, at, at + 2], [0.0, 1.0, 0.0])[:, None, None]
    assert steps(kick) == []
    start = walk(seed, speed=0.0)
    start[at:, :, 1] += reach * np.arange(40 - at)[:, None]
    assert steps(start) == []
    # every pose is held for some frames
    assert steps(walk(seed, speed=0.3)[np.arange(40) // 8 * 8]) == []


def test_teleports_of_a_few_frames_are_not_told() -> None:
    assert steps(np.concatenate([bind_pose(1), walk(1, frames=4)])) == []
    assert teleports.find(np.zeros((40, JOINTS, 3)), SIZE) == []
    assert teleports.find(walk(1), 0.0) == []


@given(st.integers(5, 20), st.sampled_from([0.0, 0.5]), st.integers(2, 8))
@settings(max_examples=20, deadline=None)
def test_rates_are_those_of_each_part(last: int, offset: float, apart: int) -> None:
    frames = np.arange(40.0)
    jump = Teleport(last + offset, last + offset + 0.5, 1.0)
    values = 2.0 * frames[:, None] + np.where(frames[:, None] > last + offset, 100.0 * apart, 0.0)
    np.testing.assert_allclose(teleports.rates(values, frames, [jump]), 2.0)
    parts = teleports.parts_of(frames, [jump])
    assert np.array_equal(parts, frames > last + offset)


def test_a_lone_pose_does_not_move() -> None:
    frames = np.arange(1.0, 31.0)
    ends = [Teleport(1.0, 2.0, 1.0), Teleport(29.0, 30.0, 1.0)]
    moving = teleports.is_moving(frames, ends)
    assert not moving[0]
    assert not moving[-1]
    assert moving[1:-1].all()
    assert teleports.is_moving(frames[:1], []).all()


@pytest.mark.parametrize(("moving", "teleports_seen"), [(12, [16]), (4, [])])
def test_a_teleport_amid_a_hold_counts_in_a_clip_that_mostly_moves(
    moving: int, teleports_seen: list[int]
) -> None:
    lengths = np.zeros(21)
    lengths[:moving] = 0.02 * SIZE
    lengths[16] = SIZE
    gap = np.where(np.arange(21) == 16, SIZE, 0.0)
    assert [i for i, _ in teleports.steps_of((gap, lengths), SIZE)] == teleports_seen


@given(SEEDS, st.integers(13, 19))
@settings(max_examples=20, deadline=None)
def test_a_pose_that_is_none_of_a_short_clip_is_found_at_both_of_its_ends(seed: int, frames: int) -> None:
    clip = np.concatenate([bind_pose(seed), walk(seed, frames), bind_pose(seed)])
    assert steps(clip) == [0, frames]
