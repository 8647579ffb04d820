# SPDX-License-Identifier: GPL-3.0-or-later
"""A rig by value is posed by its channels alone: the same as matrix products, frame by frame."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from inertia_addon.motion import quaternion
from inertia_addon.motion.skeleton import kinematics, posing
from inertia_addon.motion.skeleton.kinematics import Skeleton
from inertia_addon.motion.skeleton.posing import Frame, Rig
from tests.motion.skeleton.matrix_products import pose

COUNT = posing.BLOCK_FRAMES + 3
MODES = ("QUATERNION", "ZXY", "AXIS_ANGLE", "XYZ")


def made_up(chance: np.random.Generator) -> Rig:
    names = ("Hips", "Spine", "Hand", "Prop")
    turns = quaternion.normalise(chance.normal(size=(5, 4)))
    rest = kinematics.basis(chance.normal(size=(4, 3)), turns[:4], np.ones((4, 3)))
    place = kinematics.basis(chance.normal(size=3), turns[4], (2.0, 2.0, 2.0))
    standing = {("location", i): 0.5 * i for i in range(3)} | {("scale", i): 1.0 + i for i in range(3)}
    standing |= {("rotation_euler", i): 0.3 * i for i in range(3)}
    return Rig(
        Skeleton(names, (-1, 0, 1, -1), rest),
        MODES,
        tuple(f"{name}." for name in names),
        "XYZ",
        Frame(place, chance.normal(size=3), turns[0]),
        np.array([1.0, 2.0, 0.5]),
        standing,
    )


def values_of(rig: Rig, chance: np.random.Generator) -> dict[posing.Address, np.ndarray]:
    own = (at for at in rig.transforms if not at[0].startswith("delta_"))
    return {at: chance.uniform(0.5, 1.5, COUNT).astype(np.float32) for at in own}


def raw(values: dict[posing.Address, np.ndarray], path: str, count: int) -> np.ndarray:
    return np.stack([values[path, i] for i in range(count)], axis=-1).astype(float)


def own_transforms(values: dict[posing.Address, np.ndarray], prefix: str, mode: str) -> np.ndarray:
    prop, count = quaternion.rotation_property(mode)
    turn = quaternion.to_quaternion(raw(values, prefix + prop, count), mode)
    return kinematics.basis(raw(values, prefix + "location", 3), turn, raw(values, prefix + "scale", 3))


@pytest.mark.parametrize("wanted", ["Spine", "Hand", "<object>"])
def test_poses_are_matrix_products(wanted: str) -> None:
    chance = np.random.default_rng(7)
    rig = made_up(chance)
    values = values_of(rig, chance)
    object_scale = raw(values, "scale", 3) * rig.delta_scale
    turn = quaternion.multiply(
        rig.frame.turn, quaternion.to_quaternion(raw(values, "rotation_euler", 3), "XYZ")
    )
    world = rig.frame.basis @ kinematics.basis(
        raw(values, "location", 3) + rig.frame.offset, turn, object_scale
    )
    bases = [own_transforms(values, *bone) for bone in zip(rig.paths, rig.modes, strict=True)]
    expected = world[:, None] @ pose(rig.bones, np.stack(bases, axis=1))
    shown = expected[:, rig.bones.names.index(wanted)] if wanted in rig.bones.names else world
    for span, heads, matrices in posing.poses(rig, values, COUNT, wanted):
        np.testing.assert_allclose(heads, expected[span, :, :3, 3], atol=1e-6)
        np.testing.assert_allclose(matrices.transpose(2, 0, 1), shown[span], atol=1e-6)
    np.testing.assert_allclose(posing.positions(rig, values, COUNT), expected[..., :3, 3], atol=1e-6)


@pytest.mark.parametrize("seed", range(5))
def test_a_few_frames_are_posed_as_many_are(seed: int) -> None:
    chance = np.random.default_rng(seed)
    rig = made_up(chance)
    told = {"connected": frozenset({"Spine"}), "unturned": frozenset({"Hand", "Prop"})}
    rig = dataclasses.replace(rig, bones=dataclasses.replace(rig.bones, **told))
    values = values_of(rig, chance)
    moving = [2, 3]
    each = [*zip(rig.paths, rig.modes, strict=True), ("", rig.mode)]
    turns = [
        quaternion.to_quaternion(raw(values, path + prop, count), mode)
        for path, mode in each
        for prop, count in (quaternion.rotation_property(mode),)
    ]
    places, scales = (
        np.stack([raw(values, path + prop, 3) for path, _ in each]) for prop in ("location", "scale")
    )
    few = posing.posed_few(rig, np.stack(turns)[:, :3], places[:, :3], scales[:, :3], moving)
    many = posing.at_frames(posing.posed(rig, values, COUNT, moving), slice(0, 3))
    for name in ("heads", "sizes"):
        np.testing.assert_allclose(getattr(few, name), getattr(many, name), atol=1e-5, rtol=1e-5)
    for name in ("axes", "places"):
        alike = np.abs(np.sum(getattr(few, name) * getattr(many, name), axis=-1))
        np.testing.assert_allclose(alike, 1.0, atol=1e-6)
    for bone in moving:
        np.testing.assert_allclose(few.above[bone], many.above[bone], atol=1e-5)


def test_a_rig_without_values_stands_as_it_is_and_bones_rest() -> None:
    rig = made_up(np.random.default_rng(8))
    zero = dataclasses.replace(rig, frame=Frame(np.eye(4), np.zeros(3), quaternion.IDENTITY))
    turn = quaternion.from_euler(np.array([0.0, 0.3, 0.6]), "XYZ")
    world = kinematics.basis((0.0, 0.5, 1.0), turn, np.array([1.0, 2.0, 3.0]) * rig.delta_scale)
    expected = (world @ rig.bones.rest)[:, :3, 3]
    np.testing.assert_allclose(posing.positions(zero, {}, 2), [expected, expected], atol=1e-12)


def test_a_bone_with_one_channel_rests_in_the_others() -> None:
    rig = made_up(np.random.default_rng(9))
    values = {("Hips.scale", 1): np.full(1, 2.0, np.float32)}
    all_of_it = {("Hips.scale", i): np.full(1, (1.0, 2.0, 1.0)[i], np.float32) for i in range(3)}
    np.testing.assert_array_equal(posing.positions(rig, values, 1), posing.positions(rig, all_of_it, 1))


def test_points_move_with_their_bones() -> None:
    chance = np.random.default_rng(5)
    rig = made_up(chance)
    values = values_of(rig, chance)
    marks = [(1, (0.3, -0.2, 0.5)), (3, (0.0, 0.0, 0.0)), (1, (0.0, 1.0, 0.0))]
    carrying = posing.marked(rig, marks)
    # no more of the rig is posed than carries a point
    assert carrying.bones.names[:3] == ("Hips", "Spine", "Prop")
    found = posing.positions(carrying, values, COUNT)[:, -3:]
    for k, (bone, offset) in enumerate(marks):
        for span, _, matrices in posing.poses(rig, values, COUNT, rig.bones.names[bone]):
            wanted = np.einsum("ijn,j->ni", matrices, (*offset, 1.0))[:, :3]
            np.testing.assert_allclose(found[span, k], wanted, atol=1e-9)
