# SPDX-License-Identifier: GPL-3.0-or-later
"""Toes and heels kept above a floor, beside the published look-at, written out here."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from inertia_addon.motion import quaternion
from inertia_addon.motion.feet import crossing, locking, toes
from inertia_addon.motion.feet.corrections import Hold
from inertia_addon.motion.feet.crossing import LockLimits
from inertia_addon.motion.feet.ground import GroundSurface
from inertia_addon.motion.feet.leg_ik import LegPose
from inertia_addon.motion.feet.locking import LegMotion, Toe, Turned

Array = NDArray[np.float64]

FPS, COUNT = 60.0, 90
TIMES = np.arange(COUNT) / FPS
LENGTH = 0.08
REACH = 2 * round(0.5 * toes.REACH_SECONDS * FPS)
"""Frames."""
AHEAD = np.tile([1.0, 0.0, 0.0], (COUNT, 1))


def look_at(joint: Array, tip: Array, target: Array) -> Array:
    """Where the tip (3,) of a bone gets that is turned by the least rotation towards a target."""
    way = target - joint
    return np.asarray(joint + way / np.linalg.norm(way) * np.linalg.norm(tip - joint))


def clamped(joint: Array, tip: Array, floor: float) -> Array:
    """Where a tip gets by the published look-at at itself with its height clamped: over and over, as each
    time the bone is longer than the way to there."""
    for _ in range(400):
        tip = look_at(joint, tip, np.array([tip[0], tip[1], max(tip[2], floor)]))
    return tip


def pitched(pitches: Array, yaw: float = 0.3, height: float = 0.03) -> Toe:
    """A toe that points up by angles (n,)."""
    joint = np.tile([0.2, -0.1, height], (len(pitches), 1))
    level = np.cos(pitches)[:, None] * [np.cos(yaw), np.sin(yaw)]
    return Toe(joint, joint + LENGTH * np.column_stack([level, np.sin(pitches)]))


def tips(toe: Toe, turns: Array) -> Array:
    return np.asarray(toe.joint + quaternion.rotate(turns, toe.tip - toe.joint))


@given(st.floats(-0.9, 0.9), st.floats(-3.1, 3.1), st.floats(-0.02, 0.07))
def test_a_toe_looks_where_the_published_look_at_has_it(pitch: float, yaw: float, floor: float) -> None:
    toe = pitched(np.full(COUNT, pitch), yaw)
    wanted = np.arcsin(np.clip((floor - 0.03) / LENGTH, -1.0, 1.0))
    turns = toes.raised(TIMES, toe, np.full(COUNT, floor), AHEAD)
    if wanted - pitch <= 1e-9:
        np.testing.assert_array_equal(turns, np.tile(quaternion.IDENTITY, (COUNT, 1)))
    elif wanted - pitch < toes.MOST and wanted < toes.STEEPEST:
        np.testing.assert_allclose(tips(toe, turns)[0], clamped(toe.joint[0], toe.tip[0], floor), atol=1e-6)
    else:
        turned = 2.0 * np.arccos(turns[:, 0])
        assert turned.max() <= toes.MOST + 1e-9
        assert tips(toe, turns)[:, 2].max() <= 0.03 + LENGTH * np.sin(max(toes.STEEPEST, pitch)) + 1e-9


@settings(max_examples=25)
@given(st.integers(0, 2**32 - 1))
def test_no_tip_is_below_and_what_is_above_for_longer_stays(seed: int) -> None:
    chance = np.random.default_rng(seed)
    waves = [
        chance.uniform(-0.4, 0.4) * np.sin(chance.uniform(2, 20) * TIMES + chance.uniform(0, 6))
        for _ in range(3)
    ]
    toe, floor = pitched(np.sum(waves, axis=0)), np.full(COUNT, chance.uniform(0.0, 0.03))
    turns = toes.raised(TIMES, toe, floor, AHEAD)
    assert np.all(tips(toe, turns)[:, 2] >= floor - 1e-9)
    below = toe.tip[:, 2] < floor
    near = np.convolve(below, np.ones(2 * REACH + 1), "same") > 0.0
    np.testing.assert_array_equal(turns[~near], np.tile(quaternion.IDENTITY, ((~near).sum(), 1)))
    # no snap: from frame to frame no more than a raised cosine of that width lets through
    angles = 2.0 * np.arccos(np.clip(turns[:, 0], -1.0, 1.0))
    assert np.abs(np.diff(angles)).max() <= angles.max() / (REACH // 2 + 1) + 1e-9


def test_a_toe_that_dips_at_once_rises_softly() -> None:
    dips = np.where((np.arange(COUNT) > 40) & (np.arange(COUNT) < 50), -0.6, 0.2)
    turns = toes.raised(TIMES, pitched(dips), np.full(COUNT, 0.03), AHEAD)
    angles = 2.0 * np.arccos(np.clip(turns[:, 0], -1.0, 1.0))
    # the hard clamp sets in with all of 0.6 within a frame
    assert 0.55 < angles.max() < 0.61
    assert np.abs(np.diff(angles)).max() < 0.2


def test_a_toe_that_points_straight_down_goes_where_the_knee_points() -> None:
    toe = pitched(np.full(COUNT, -np.pi / 2.0))
    turned = tips(toe, toes.raised(TIMES, toe, np.full(COUNT, 0.0), AHEAD)) - toe.joint
    assert np.all(turned[:, 0] > 0.0)
    np.testing.assert_allclose(turned[:, 1], 0.0, atol=1e-12)


def leg(toe: Toe | None) -> LegMotion:
    """A leg that stands, its ball where the toe begins."""
    point = np.tile([0.2, -0.1, 0.03], (COUNT, 1))
    ankle = point + np.array([-0.1, 0.0, 0.08])
    hip = ankle + np.array([0.0, 0.0, 0.8])
    pose = LegPose(hip, 0.5 * (hip + ankle) + [0.15, 0.0, 0.0], ankle, np.tile([0.0, -1.0, 0.0], (COUNT, 1)))
    return LegMotion(
        pose, point, np.tile(quaternion.IDENTITY, (COUNT, 1)), 0.95, 0.98, is_loose=False, toe=toe
    )


LEVEL = GroundSurface(lambda points: (np.zeros(len(points)), np.tile([0.0, 0.0, 1.0], (len(points), 1))))


@pytest.mark.parametrize("ground", [None, LEVEL])
def test_feet_without_a_toe_bone_and_toes_that_are_left_alone_stay(ground: GroundSurface | None) -> None:
    toe = pitched(np.linspace(0.3, -1.0, COUNT))
    for motion, how in ((leg(None), LockLimits(toes=0.0)), (leg(toe), LockLimits())):
        locked = crossing.stay(TIMES, [motion], [[(0, 60)]], how, ground)
        assert not any(turns is not None for turns in locked.toes)


def test_toes_on_the_clips_own_floor_are_no_lower_than_where_the_foot_is_planted() -> None:
    toe = pitched(np.linspace(0.3, -1.0, COUNT))
    locked = crossing.stay(TIMES, [leg(toe)], [[(0, 60)]], LockLimits(toes=0.0))
    (turns,) = locked.toes
    assert turns is not None
    np.testing.assert_array_equal(turns[: 60 - REACH], np.tile(quaternion.IDENTITY, (60 - REACH, 1)))
    assert np.all(tips(toe, turns)[:, 2] >= toe.tip[60, 2] - 1e-9)


def test_the_tip_of_a_toe_on_a_step_is_above_what_is_below_the_tip() -> None:
    def step(points: Array) -> tuple[Array, Array]:
        return np.where(points[:, 0] > 0.25, 0.05, 0.0), np.tile([0.0, 0.0, 1.0], (len(points), 1))

    toe = pitched(np.zeros(COUNT))
    motion, below = leg(toe), toes.Below([None], [None], GroundSurface(step))
    still = crossing.stay(TIMES, [motion], [[(0, COUNT - 1)]], LockLimits())
    (turns,) = crossing.keep_above(TIMES, [motion], still, LockLimits(toes=0.0), below).toes
    assert turns is not None
    np.testing.assert_allclose(tips(toe, turns)[:, 2], 0.05, atol=1e-9)


def test_toes_are_not_raised_at_once_between_two_ends_that_stay() -> None:
    come = toes.ends(TIMES)
    turns = toes.raised(TIMES, pitched(np.full(COUNT, -0.5)), np.full(COUNT, 0.03), AHEAD, come)
    np.testing.assert_array_equal(turns[[0, -1]], np.tile(quaternion.IDENTITY, (2, 1)))
    assert np.all(come[10:-10] == 1.0)


def test_the_floor_goes_smoothly_from_one_hold_to_the_next() -> None:
    holds = [Hold(0, 20, np.array([0.0, 0.0, 0.1, 0.0])), Hold(60, 80, np.array([0.0, 0.0, 0.3, 0.0]))]
    floor = toes.floor_of_holds(TIMES, holds, -0.02)
    assert floor is not None
    np.testing.assert_allclose(floor[:21], 0.08)
    np.testing.assert_allclose(floor[60:], 0.28)
    assert np.all(np.diff(floor) >= 0.0)
    assert toes.floor_of_holds(TIMES, [], 0.0) is None


# --- heels


def standing(lacks: float, yaw: float, heel: float = 0.0) -> tuple[LegMotion, Array]:
    """A leg that stands straight, bar a degree or two of its knee, its foot ahead; and a path (n, 4) on which
    its ball stays so far below where the leg reaches, metres. heel: how high the heel is above the ball."""
    ahead = np.array([np.cos(yaw), np.sin(yaw), 0.0])
    ankle = np.tile([0.1, 0.2, 0.1], (COUNT, 1))
    point, hip = ankle + (0.14 * ahead + [0.0, 0.0, -0.08]), ankle + np.array([0.0, 0.0, 0.8])
    hinge = np.tile(np.cross([0.0, 0.0, 1.0], ahead), (COUNT, 1))
    pose = LegPose(hip, 0.5 * (hip + ankle) + 0.04 * ahead, ankle, hinge)
    foot = np.tile(quaternion.IDENTITY, (COUNT, 1))
    toe = Toe(point, point + 0.07 * ahead)
    back = point - 0.2 * ahead + [0.0, 0.0, heel]
    motion = LegMotion(pose, point, foot, 0.804, 0.802, False, toe, back)
    return motion, motion.point_and_heading - [0.0, 0.0, lacks, 0.0]


def places(motion: LegMotion, turned: Turned) -> tuple[Array, Array, Array]:
    """Where the ankle, the ball and the heel of a leg are (n, 3) each, by its bones alone."""
    ankle = motion.pose.hip + quaternion.rotate(turned.thigh, motion.pose.thigh)
    ankle = ankle + quaternion.rotate(turned.shin, motion.pose.shin)
    assert motion.heel is not None
    ball, heel = (
        ankle + quaternion.rotate(turned.foot, place - motion.pose.ankle)
        for place in (motion.point, motion.heel)
    )
    return ankle, ball, heel


@given(st.floats(0.0, 0.06), st.floats(-3.1, 3.1))
def test_a_foot_whose_leg_is_too_short_is_nearer_to_its_place_than_by_the_published_look_at(
    lacks: float, yaw: float
) -> None:
    motion, path = standing(lacks, yaw)
    before = locking.led(motion, path)
    ankle, ball, _ = places(motion, before)
    after, _ = toes.keep_above_at_once(motion, before, path, np.full((COUNT, 2), np.nan), heels=True)
    here = np.linalg.norm(places(motion, after)[1] - path[:, :3], axis=1)
    looks = np.array([look_at(*each) for each in zip(ankle, ball, path[:, :3], strict=True)])
    assert np.all(here <= np.linalg.norm(looks - path[:, :3], axis=1) + 1e-4)
    assert np.all(here < 0.004)
    if lacks == 0.0:
        np.testing.assert_array_equal(after.foot, before.foot)


@given(st.floats(-0.03, 0.03), st.floats(-3.1, 3.1), st.floats(-0.02, 0.04))
def test_no_heel_is_below_a_floor_and_the_ball_stays(high: float, yaw: float, floor: float) -> None:
    motion, path = standing(-0.05, yaw, high)
    before = locking.led(motion, path)
    floors = np.column_stack([np.full(COUNT, np.nan), path[:, 2] + floor])
    after, _ = toes.keep_above_at_once(motion, before, path, floors, heels=True)
    _, ball, heel = places(motion, after)
    np.testing.assert_allclose(ball, path[:, :3], atol=1e-6)
    assert np.all(heel[:, 2] >= floors[:, 1] - 1e-6)
    if high >= floor:
        np.testing.assert_array_equal(after.foot, before.foot)


def test_heels_stay_as_they_are_unless_they_are_asked_for() -> None:
    motion, path = standing(0.03, 0.4, -0.02)
    still = crossing.Locked(
        [[Hold(0, COUNT - 1, path[0])]], [path], np.zeros(COUNT), [locking.led(motion, path)]
    )
    below = toes.Below([0.0], [0.0])
    toes_alone, both = (
        crossing.keep_above(TIMES, [motion], still, LockLimits(toes=0.0, heels=heels), below)
        for heels in (False, True)
    )
    assert toes_alone.turned is still.turned
    _, ball, heel = places(motion, both.turned[0])
    assert heel[:, 2].min() > path[0, 2] - 1e-6
    assert np.linalg.norm(ball - path[:, :3], axis=1).max() < 0.004
