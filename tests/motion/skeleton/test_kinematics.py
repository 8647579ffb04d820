# SPDX-License-Identifier: GPL-3.0-or-later
"""Kinematics over many frames: the same as matrix products frame by frame."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from inertia_addon.motion import quaternion
from inertia_addon.motion.skeleton import kinematics
from inertia_addon.motion.skeleton.kinematics import BoneMoves, Skeleton
from tests.motion.skeleton.matrix_products import pose
from tests.motion.strategies import rotation_vectors, unit_quaternions

FRAMES = 5


def transforms(chance: np.random.Generator, *shape: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Random locations, unit quaternions and scales."""
    q = quaternion.normalise(chance.normal(size=(*shape, 4)))
    return chance.normal(size=(*shape, 3)), q, chance.uniform(0.5, 2.0, (*shape, 3))


def random_skeleton(chance: np.random.Generator, count: int) -> Skeleton:
    parents = tuple(int(chance.integers(-1, i)) if i else -1 for i in range(count))
    location, q, _ = transforms(chance, count)
    rest = kinematics.basis(location, q, np.ones((count, 3)))
    return Skeleton(tuple(f"bone{i}" for i in range(count)), parents, rest)


@given(st.integers(0, 10**6), st.integers(1, 7))
def test_follow_is_pose_in_the_world(seed: int, count: int) -> None:
    chance = np.random.default_rng(seed)
    bones = random_skeleton(chance, count)
    channels = transforms(chance, FRAMES, count)
    world = kinematics.basis(*transforms(chance, FRAMES))
    expected = world[:, None] @ pose(bones, kinematics.basis(*channels))
    location, rotation, scale = (part.transpose(1, 2, 0) for part in channels)
    moves = BoneMoves(np.arange(count), rotation, dict(enumerate(location)), scale)
    wanted = int(chance.integers(count))
    heads, axes = bones.follow(moves, world.transpose(1, 2, 0), wanted)
    np.testing.assert_allclose(heads.transpose(2, 0, 1), expected[..., :3, 3], atol=1e-9 * 4.0**count)
    np.testing.assert_allclose(axes.transpose(2, 0, 1), expected[:, wanted, :3, :3], atol=1e-9 * 4.0**count)


def test_a_bone_that_is_not_keyed_rests() -> None:
    bones = random_skeleton(np.random.default_rng(3), 6)
    world = np.repeat(np.eye(4)[:, :, None], FRAMES, axis=2)
    heads, axes = bones.follow(BoneMoves(np.arange(0), np.empty((0, 4, FRAMES)), {}), world)
    np.testing.assert_allclose(heads.transpose(2, 0, 1) - bones.rest[:, :3, 3], 0.0, atol=1e-12)
    assert axes is None


@given(st.lists(unit_quaternions(), min_size=1, max_size=5), st.floats(1e-3, 1e3))
def test_orientations_give_rotations_back(several: list[np.ndarray], size: float) -> None:
    q = np.array(several)
    found = kinematics.orientations(size * quaternion.to_matrix(q).transpose(1, 2, 0))
    np.testing.assert_allclose(np.abs(np.sum(found * q, axis=1)), 1.0, atol=1e-12)
    assert np.all(found[:, 0] >= 0.0)


@given(rotation_vectors(), st.tuples(*[st.floats(0.2, 3.0)] * 3), st.sampled_from([1.0, -1.0]))
def test_orientations_leave_scale_and_mirrors_out(
    turn: np.ndarray, scale: tuple[float, ...], sign: float
) -> None:
    matrix = quaternion.to_matrix(quaternion.exp(turn)) * np.array(scale) * (1.0, sign, 1.0)
    found = kinematics.orientations(matrix[:, :, None])[0]
    expected = quaternion.from_matrix(matrix)
    np.testing.assert_allclose(abs(np.dot(found, expected)), 1.0, atol=1e-8)
