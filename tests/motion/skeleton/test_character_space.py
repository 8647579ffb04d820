# SPDX-License-Identifier: GPL-3.0-or-later
"""Character space: the same motion looks the same wherever it takes place and whichever way it faces."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from inertia_addon.motion import quaternion
from inertia_addon.motion.skeleton import character_space

FINITE = st.floats(-3.0, 3.0)
VECTORS = st.tuples(FINITE, FINITE, FINITE).map(np.array)
ANGLES = st.floats(-3.0, 3.0)
SEEDS = st.integers(0, 2**32 - 1)


def turns(chance: np.random.Generator, count: int, tilt: float) -> np.ndarray:
    """Random headings with random tilts of up to so many radians."""
    yaw = Rotation.from_euler("z", chance.uniform(-3.0, 3.0, (count, 1)))
    axes = chance.normal(size=(count, 3)) * (1.0, 1.0, 0.0)
    axes /= np.linalg.norm(axes, axis=1)[:, None]
    lean = Rotation.from_rotvec(axes * chance.uniform(0.0, tilt, (count, 1)))
    return (yaw * lean).as_quat(scalar_first=True)


@given(SEEDS)
def test_headings_are_found_again_whatever_the_roots_axes(seed: int) -> None:
    chance = np.random.default_rng(seed)
    yaw = chance.uniform(-3.0, 3.0, 7)
    axes = Rotation.random(random_state=seed % 2**31)  # which way the root's own axes point
    rotations = (Rotation.from_euler("z", yaw[:, None]) * axes).as_quat(scalar_first=True)
    found = character_space.headings(rotations, character_space.upright([rotations]))
    difference = (found - found[0]) - (yaw - yaw[0])
    np.testing.assert_allclose(np.cos(difference), 1.0, atol=1e-9)


@given(SEEDS)
def test_upright_stands_up_and_turns_no_heading_into_tilt(seed: int) -> None:
    chance = np.random.default_rng(seed)
    rotations = turns(chance, 20, 0.6)
    reference = character_space.upright([rotations[:7], rotations[7:]])
    assert np.linalg.norm(reference) == pytest.approx(1.0)
    up = quaternion.rotate(quaternion.conjugate(rotations), character_space.VERTICAL).mean(axis=0)
    up /= np.linalg.norm(up)
    np.testing.assert_allclose(quaternion.rotate(reference, up), character_space.VERTICAL, atol=1e-6)


def test_a_tumbling_root_still_has_a_heading() -> None:
    tumbling = Rotation.from_euler("x", [[0.0], [np.pi]]).as_quat(scalar_first=True)
    np.testing.assert_array_equal(character_space.upright([tumbling]), tumbling[0])
    upside_down = Rotation.from_euler("x", [[np.pi]]).as_quat(scalar_first=True)
    assert np.all(np.isfinite(character_space.upright([upside_down])))


@given(SEEDS, ANGLES, VECTORS)
def test_moving_the_whole_on_the_ground_changes_nothing(seed: int, yaw: float, shift: np.ndarray) -> None:
    chance = np.random.default_rng(seed)
    n, joints = 5, 4
    positions, velocities = chance.normal(size=(2, n, joints, 3))
    root, rotations = chance.normal(size=(n, 3)), turns(chance, n, 0.4)
    reference = character_space.upright([rotations])
    before = character_space.to_character_space(
        positions, velocities, root, character_space.headings(rotations, reference)
    )
    turn = Rotation.from_euler("z", yaw)
    shift[2] = 0.0
    moved = [turn.apply(v.reshape(-1, 3)).reshape(v.shape) for v in (positions, velocities, root)]
    turned = (turn * Rotation.from_quat(rotations, scalar_first=True)).as_quat(scalar_first=True)
    after = character_space.to_character_space(
        moved[0] + shift, moved[1], moved[2] + shift, character_space.headings(turned, reference)
    )
    np.testing.assert_allclose(after[0], before[0], atol=1e-9)
    np.testing.assert_allclose(after[1], before[1], atol=1e-9)


def test_height_and_speed_stay() -> None:
    chance = np.random.default_rng(3)
    positions, velocities = chance.normal(size=(2, 6, 3, 3))
    root, heading = chance.normal(size=(6, 3)), chance.uniform(-3.0, 3.0, 6)
    seen = character_space.to_character_space(positions, velocities, root, heading)
    np.testing.assert_allclose(seen[0][..., 2], positions[..., 2])
    np.testing.assert_allclose(np.linalg.norm(seen[1], axis=-1), np.linalg.norm(velocities, axis=-1))


@given(st.floats(-1.0, 6.0), SEEDS)
def test_a_cubic_motion_is_exact_between_frames(frame: float, seed: int) -> None:
    fps, frames = 24.0, np.arange(6.0)
    c = np.random.default_rng(seed).normal(size=(4, 2, 3))

    def position(t: np.ndarray) -> np.ndarray:
        t = np.asarray(t)[..., None, None]
        return c[0] + c[1] * t + c[2] * t**2 + c[3] * t**3

    def velocity(t: np.ndarray) -> np.ndarray:
        t = np.asarray(t)[..., None, None]
        return (c[1] + 2.0 * c[2] * t + 3.0 * c[3] * t**2) * fps

    found, rate = character_space.interpolated(frames, position(frames), velocity(frames), frame, fps)
    if 0.0 <= frame <= 5.0:
        np.testing.assert_allclose(found, position(frame), atol=1e-9 * (1.0 + np.abs(position(frame)).max()))
    else:
        end = 0.0 if frame < 0.0 else 5.0
        np.testing.assert_allclose(found, position(end) + velocity(end) * (frame - end) / fps, atol=1e-9)
        np.testing.assert_allclose(rate, velocity(end))
    if frame in frames:
        np.testing.assert_allclose(rate, velocity(frame), atol=1e-9)


def test_a_clip_of_one_frame_has_that_frame() -> None:
    found, rate = character_space.interpolated(
        np.array([4.0]), np.ones((1, 2, 3)), np.zeros((1, 2, 3)), 4.3, 30.0
    )
    np.testing.assert_array_equal(found, np.ones((2, 3)))
    np.testing.assert_array_equal(rate, np.zeros((2, 3)))
