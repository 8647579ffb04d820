# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a sampled motion jumps, in its pose or its velocity."""

from __future__ import annotations

import numpy as np
import pytest

from inertia_addon.motion import quaternion
from inertia_addon.motion.decay import jump

FRAMES = np.arange(60.0)
SMOOTH = np.stack([np.sin(0.2 * FRAMES), 0.5 * np.cos(0.13 * FRAMES), 0.0 * FRAMES], axis=1)


def found(values: np.ndarray, *, is_rotation: bool = False, least: float = 1e-4) -> list[int]:
    """The steps that jump."""
    gap = jump.gaps(jump.steps_of(values, is_rotation=is_rotation))
    return [i for i in range(1, len(gap) - 1) if jump.jumps(gap, i, least)]


def test_a_smooth_motion_has_none_nor_has_one_that_shakes_everywhere() -> None:
    assert found(SMOOTH) == []
    noise = np.random.default_rng(1).normal(0.0, 0.01, SMOOTH.shape)
    assert found(SMOOTH + noise) == []


@pytest.mark.parametrize("size", [0.02, 0.5])
def test_a_pose_that_jumps_is_one_step(size: float) -> None:
    values = SMOOTH + np.where(FRAMES >= 30, size, 0.0)[:, None] * np.array([1.0, 0.0, -1.0])
    assert found(values) == [29]
    assert jump.gaps(jump.steps_of(values, is_rotation=False))[29] == pytest.approx(
        size * np.sqrt(2.0), rel=0.1
    )


def test_a_velocity_that_jumps_shows_before_and_behind_the_frame() -> None:
    values = SMOOTH + np.where(FRAMES >= 30, 0.05 * (FRAMES - 30.0), 0.0)[:, None]
    assert found(values) == [29, 30]


def test_rotations_jump_by_their_angle_whatever_their_signs() -> None:
    turns = quaternion.exp(SMOOTH)
    turns[40:] *= -1.0
    assert found(turns, is_rotation=True) == []
    turns[30:] = quaternion.multiply(quaternion.exp(np.array([0.0, 0.2, 0.0])), turns[30:])
    assert found(turns, is_rotation=True) == [29]
    assert jump.gaps(jump.steps_of(turns, is_rotation=True))[29] == pytest.approx(0.2, rel=0.1)


def test_a_jump_that_is_too_small_to_see_is_none() -> None:
    values = SMOOTH + np.where(FRAMES >= 30, 0.02, 0.0)[:, None]
    assert found(values, least=0.1) == []


def test_the_sides_of_a_jump_are_smooth_and_those_of_another_frame_are_not() -> None:
    steps = jump.steps_of(SMOOTH + np.where(FRAMES >= 30, 0.5, 0.0)[:, None], is_rotation=False)
    rough = [jump.roughness(steps, i) for i in (28, 29, 30)]
    assert rough[1] < 0.2 * min(rough[0], rough[2])
    # at the ends there is less to look at
    assert jump.roughness(steps, 0) >= 0.0 <= jump.roughness(steps, len(steps) - 1)
