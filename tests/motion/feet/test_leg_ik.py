# SPDX-License-Identifier: GPL-3.0-or-later
"""Legs brought to targets: where they end up, how little they turn, and how far they reach."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from inertia_addon.motion import quaternion
from inertia_addon.motion.feet import leg_ik
from inertia_addon.motion.feet.leg_ik import LegPose

Array = NDArray[np.float64]

UPPER, LOWER = 0.45, 0.4
FRAMES = 400


def legs(bent: Array, seed: int = 5) -> LegPose:
    """Legs of random directions whose knees are bent by so many radians (n,), about random axes."""
    chance = np.random.default_rng(seed)
    turns = quaternion.normalise(chance.normal(size=(len(bent), 4)))
    thigh = np.array([0.0, 0.0, -UPPER])
    shin = LOWER * np.column_stack([0.0 * bent, np.sin(bent), -np.cos(bent)])
    hip = chance.normal(size=(len(bent), 3))
    knee = hip + quaternion.rotate(turns, np.broadcast_to(thigh, shin.shape))
    axis = quaternion.rotate(turns, np.broadcast_to([1.0, 0.0, 0.0], shin.shape))
    return LegPose(hip, knee, knee + quaternion.rotate(turns, shin), axis)


def solved(pose: LegPose, target: Array, longest: float = UPPER + LOWER) -> tuple[Array, Array]:
    """The knees and ankles (n, 3) of legs that are brought to targets."""
    thigh, shin, ankle = leg_ik.solve(pose, pose.hip, target, np.full(len(target), longest))
    knee = pose.hip + quaternion.rotate(thigh, pose.thigh)
    np.testing.assert_allclose(knee + quaternion.rotate(shin, pose.shin), ankle, atol=1e-12)
    return knee, ankle


def test_an_ankle_gets_where_it_shall_and_bones_keep_their_lengths() -> None:
    pose = legs(np.linspace(0.5, 2.0, FRAMES))
    target = pose.hip + 0.7 * quaternion.rotate(
        quaternion.exp(np.random.default_rng(1).normal(0.0, 0.3, (FRAMES, 3))), pose.ankle - pose.hip
    )
    knee, ankle = solved(pose, target)
    np.testing.assert_allclose(ankle, target, atol=1e-9)
    np.testing.assert_allclose(np.linalg.norm(knee - pose.hip, axis=1), UPPER, atol=1e-12)


@pytest.mark.parametrize("bent", [0.0, 1e-9, 1e-4, 0.03, 0.1, 1.5, -0.05])
def test_a_leg_that_is_asked_for_nothing_stays(bent: float) -> None:
    pose = legs(np.full(FRAMES, bent))
    thigh, shin, _ = leg_ik.solve(pose, pose.hip, pose.ankle, np.full(FRAMES, UPPER + LOWER))
    assert np.abs(thigh[:, 1:]).max() < 1e-8
    assert np.abs(shin[:, 1:]).max() < 1e-8


def test_a_straight_knee_bends_about_the_hinge() -> None:
    pose = legs(np.zeros(FRAMES))
    knee, ankle = solved(pose, pose.hip + 0.8 * (pose.ankle - pose.hip))
    bends = np.cross(knee - pose.hip, ankle - knee)
    along = np.sum(bends * pose.hinge, axis=1)
    np.testing.assert_allclose(along, np.linalg.norm(bends, axis=1), rtol=1e-6)


def test_a_knee_that_bends_the_wrong_way_is_righted() -> None:
    pose = legs(np.full(FRAMES, -0.3))
    knee, ankle = solved(pose, pose.hip + 0.8 * (pose.ankle - pose.hip))
    assert np.all(np.sum(np.cross(knee - pose.hip, ankle - knee) * pose.hinge, axis=1) > 0.0)
    np.testing.assert_allclose(
        np.linalg.norm(ankle - pose.hip, axis=1),
        0.8 * leg_ik.extension(np.array(UPPER), np.array(LOWER), 0.3),
        atol=1e-9,
    )


def test_a_knee_that_is_folded_too_far_is_no_wrong_one() -> None:
    pose = legs(np.full(FRAMES, -2.8))
    own = np.linalg.norm(pose.ankle - pose.hip, axis=1)[:, None]
    target = pose.hip + (1.0 + 0.05 / own) * (pose.ankle - pose.hip)
    thigh, shin, ankle = leg_ik.solve(pose, pose.hip, target, np.full(FRAMES, 0.83), np.ones(FRAMES))
    np.testing.assert_allclose(ankle, target, atol=1e-9)
    for turn in (thigh, shin):
        assert np.degrees(2.0 * np.arccos(np.clip(np.abs(turn[:, 0]), 0.0, 1.0))).max() < 15.0


def test_a_place_out_of_reach_is_approached_softly_and_never_passed() -> None:
    longest, soft = 0.82, 0.02
    wanted = np.linspace(0.5, 1.5, 20_001)
    found = leg_ik.reached(wanted, *(np.full(len(wanted), each) for each in (longest, soft)))
    near = wanted <= longest - soft
    np.testing.assert_array_equal(found[near], wanted[near])
    assert found.max() <= longest
    slopes = np.diff(found) / np.diff(wanted)
    assert np.all(slopes >= 0.0)
    assert np.abs(np.diff(slopes)).max() < 0.01, "the slope jumps"
    assert leg_ik.reached(*(np.array([each]) for each in (0.95, 0.9, 0.0))) == 0.9


@pytest.mark.parametrize("free", [None, np.ones(FRAMES)], ids=["held", "free"])
def test_a_leg_that_is_straight_by_itself_stays_so_unless_it_is_led(free: Array | None) -> None:
    pose = legs(np.full(FRAMES, 0.01))
    for led in (0.0, 1e-4):
        *_, ankle = leg_ik.solve(pose, pose.hip, pose.ankle + led, np.full(FRAMES, 0.83), free)
        np.testing.assert_allclose(ankle, pose.ankle, atol=2.0 * led + 1e-12)


def test_a_free_foot_that_is_led_away_stretches_its_leg_without_a_jerk() -> None:
    # by itself the leg comes to be straight while its foot is led further and further ahead
    bent = np.linspace(0.8, 0.0, FRAMES)
    pose = legs(bent)
    target = pose.ankle + 0.1 * np.linspace(0.0, 1.0, FRAMES)[:, None] * (pose.ankle - pose.hip)
    rises = []
    for free in (None, np.ones(FRAMES)):
        *_, ankle = leg_ik.solve(pose, pose.hip, target, np.full(FRAMES, UPPER + LOWER), free)
        far = np.linalg.norm(ankle - pose.hip, axis=1)
        flexed = leg_ik.flexion(np.full(FRAMES, UPPER), np.full(FRAMES, LOWER), far)
        rises.append(np.abs(np.diff(flexed, 2)).max())
    assert rises[1] < 0.5 * rises[0]


@pytest.mark.parametrize("free", [None, np.ones(FRAMES)], ids=["held", "free"])
def test_a_knee_that_goes_through_straight_while_it_is_led_does_not_jump(free: Array | None) -> None:
    bent = np.linspace(-0.3, 0.3, FRAMES)
    one = legs(np.zeros(1))
    thigh, hinge = one.thigh[0], one.hinge[0]
    shins = quaternion.rotate(quaternion.exp(bent[:, None] * hinge), LOWER / UPPER * thigh)
    hip = np.zeros((FRAMES, 3))
    pose = LegPose(hip, hip + thigh, thigh + shins, np.broadcast_to(hinge, (FRAMES, 3)))
    # led towards the hip, which asks for a bent knee where it is straight
    target = pose.ankle * (1.0 - 0.006)
    turned, _, _ = leg_ik.solve(pose, hip, target, np.full(FRAMES, UPPER + LOWER), free)
    knee = quaternion.rotate(turned, pose.thigh)
    assert np.linalg.norm(np.diff(knee, axis=0), axis=1).max() < 0.01


def test_flexion_and_extension_are_each_others_inverse() -> None:
    bent = np.concatenate([np.logspace(-7, -1, 50), np.linspace(0.1, 3.0, 50)])
    far = leg_ik.extension(np.full(100, UPPER), np.full(100, LOWER), bent)
    np.testing.assert_allclose(
        leg_ik.flexion(np.full(100, UPPER), np.full(100, LOWER), far)[50:], bent[50:], rtol=1e-9
    )
    assert np.all(np.diff(far) <= 0.0)


def test_an_ankle_out_of_reach_is_a_straight_leg_and_one_too_near_a_folded_one() -> None:
    upper, lower = np.full(4, 0.5), np.full(4, 0.3)
    found = leg_ik.flexion(upper, lower, np.array([0.0, 0.1, 0.8, 2.0]))
    np.testing.assert_allclose(found, [np.pi, np.pi, 0.0, 0.0])


def test_a_clips_hinge_is_about_what_it_bends_and_a_straight_ones_what_is_given() -> None:
    shins = quaternion.normalise(np.random.default_rng(2).normal(size=(50, 4)))
    axes = 0.3 * quaternion.rotate(shins, np.broadcast_to([0.0, 1.0, 0.0], (50, 3)))
    forward = np.array([1.0, 0.0, 0.0])
    np.testing.assert_allclose(leg_ik.hinges(axes, shins, forward), [0.0, 1.0, 0.0], atol=1e-12)
    np.testing.assert_array_equal(leg_ik.hinges(0.0 * axes, shins, forward), forward)
