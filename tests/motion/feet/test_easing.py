# SPDX-License-Identifier: GPL-3.0-or-later
"""Ways of locked feet eased, so that no joint of a leg changes much harder than its own."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from inertia_addon.motion import quaternion
from inertia_addon.motion.feet import corrections, crossing, easing, easing_rounds, own_motion
from inertia_addon.motion.feet.corrections import Hold
from inertia_addon.motion.feet.crossing import Locked, LockLimits
from inertia_addon.motion.feet.easing_rounds import FootPaths
from inertia_addon.motion.feet.leg_ik import LegPose
from inertia_addon.motion.feet.locking import LegMotion
from inertia_addon.motion.feet.own_motion import ClipJoints, OwnMotion
from inertia_addon.motion.steps import finish

Array = NDArray[np.float64]

BONE = 0.42
SPEED, STRIDE, HIGH = 1.4, 0.25, 0.05
"""Of a walk, m/s, and how far before and behind the hips a foot swings, and how high, m."""
HOW = LockLimits()
STEADY = settings(max_examples=3, deadline=None)


def leg(times: Array, phase: float) -> LegMotion:
    """A leg whose foot swings along below hips that go on, and is lowest where it all but stands."""
    turn = 2.0 * np.pi * (times + phase)
    hip = np.column_stack([0.0 * times, SPEED * times, np.full(len(times), 0.86)])
    ahead, up = -STRIDE * np.cos(turn), HIGH * (1.0 + np.sin(turn))
    ankle = np.column_stack([0.0 * times, SPEED * times + ahead, 0.08 + up])
    way = ankle - hip
    square = BONE**2 - 0.25 * np.sum(way**2, axis=1, keepdims=True)
    forward = np.cross([1.0, 0.0, 0.0], way)
    forward *= np.sign(forward[:, 1:2]) / np.linalg.norm(forward, axis=1, keepdims=True)
    knee = hip + 0.5 * way + np.sqrt(square) * forward
    hinge = np.cross(knee - hip, ankle - knee)
    hinge /= np.linalg.norm(hinge, axis=1, keepdims=True)
    still = np.tile([1.0, 0.0, 0.0, 0.0], (len(times), 1))
    pose = LegPose(hip, knee, ankle, hinge)
    return LegMotion(pose, ankle + np.array([0.0, 0.08, -0.08]), still, 2.0 * BONE, 2.0 * BONE - 0.003)


def seen(times: Array, one: LegMotion) -> ClipJoints:
    return ClipJoints(times, np.stack([one.pose.hip, one.pose.knee, one.pose.ankle, one.point])[None])


def held(rate: float, lasts: float, lands: float, drop: float = 0.05) -> tuple[Array, LegMotion, Locked]:
    """A leg at so many frames a second, that stands where it is at first for so long, and lands again, so
    many seconds after the first frame, where it is then."""
    times = np.arange(round(1.2 * rate) + 1) / rate
    one = leg(times, 0.75)
    spans = [(0, round(lasts * rate)), (round(lands * rate), round((lands + 0.1) * rate))]
    holds = [Hold(*span, one.point_and_heading[span[0]]) for span in spans]
    path = corrections.hold_path(times, one.point_and_heading, holds, HOW.release, (0.0, np.inf))
    down = np.zeros(len(times))
    locked = Locked([holds], [path], down, easing.turned_along([one], FootPaths([path], down)))
    return times, one, locked


def usual(times: Array, one: LegMotion) -> OwnMotion:
    around = np.arange(-0.6, times[-1] + 0.6, times[1])
    clip = seen(around, leg(around, 0.75))
    before = seen(times[:1] - times[1], leg(times[:1] - times[1], 0.75)).joints[..., 0, :]
    return OwnMotion.of(times, [clip, clip], one.point[None], before, -float(times[1]))


def hardest(times: Array, one: LegMotion, locked: Locked) -> float:
    """How hard its knee, or its ankle, changes, m/s^2, by differences over a thirtieth of a second."""
    (turned,) = locked.turned
    knee = (
        one.pose.hip
        - locked.drop[:, None] * [0.0, 0.0, 1.0]
        + quaternion.rotate(turned.thigh, one.pose.thigh)
    )
    step = round(1.0 / (30.0 * times[1]))
    changes = [np.diff(each[::step], 2, axis=0) * 900.0 for each in (knee, turned.ankle)]
    return max(float(np.linalg.norm(each, axis=1).max()) for each in changes)


def eased(times: Array, one: LegMotion, locked: Locked, how: LockLimits = HOW) -> Locked:
    return crossing.ease(times, [one], locked, usual(times, one), how)


RELEASED, LANDS = st.floats(0.2, 0.35), st.floats(0.75, 0.95)


@STEADY
@given(RELEASED, LANDS)
def test_a_leg_that_is_let_go_late_changes_less_hard(lasts: float, lands: float) -> None:
    times, one, first = held(30.0, lasts, lands)
    after = eased(times, one, first)
    assert hardest(times, one, after) < 0.75 * hardest(times, one, first)


@STEADY
@given(RELEASED, LANDS, st.sampled_from((24.0, 30.0, 60.0, 120.0)))
def test_held_feet_stay_and_ends_go_on_as_they_did(lasts: float, lands: float, rate: float) -> None:
    times, one, first = held(rate, lasts, lands)
    after = eased(times, one, first)
    (path,), (before,) = after.paths, first.paths
    assert after is not first
    for hold in after.holds[0]:
        np.testing.assert_array_equal(path[hold.first : hold.last + 1], before[hold.first : hold.last + 1])
    for frame in (0, -2, -1):
        np.testing.assert_array_equal(path[frame], before[frame])
        assert after.drop[frame] == first.drop[frame]
    # and no foot turns otherwise
    np.testing.assert_array_equal(path[:, 3], before[:, 3])


def test_paths_with_more_frames_are_eased_alike() -> None:
    coarse, fine = (held(rate, 0.3, 0.9) for rate in (30.0, 120.0))
    each = [eased(*case) for case in (coarse, fine)]
    np.testing.assert_allclose(each[1].paths[0][::4], each[0].paths[0], atol=0.03)
    assert hardest(*fine[:2], each[1]) < 0.8 * hardest(*fine)


def test_frames_that_do_not_move_count_as_if_they_were_looked_at_in_each_round(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    times, one, first = held(30.0, 0.3, 0.9)
    # it stands on for so long that most frames stay as they are
    longer = np.arange(4 * len(times)) / 30.0
    one = leg(longer, 0.75)
    hold = first.holds[0][0]
    holds = [hold, Hold(30, len(longer) - 20, one.point_and_heading[30])]
    path = corrections.hold_path(longer, one.point_and_heading, holds, HOW.release, (0.0, np.inf))
    down = np.zeros(len(longer))
    asked = Locked([holds], [path], down, easing.turned_along([one], FootPaths([path], down)))
    some = eased(longer, one, asked)
    assert some is not asked
    monkeypatch.setattr(easing_rounds, "_find_moving", lambda changes: np.arange(len(changes)))
    every = eased(longer, one, asked)
    np.testing.assert_allclose(some.paths[0], every.paths[0], atol=1e-9)
    np.testing.assert_allclose(some.drop, every.drop, atol=1e-9)


def test_a_gentle_path_stays_as_it_is() -> None:
    times = np.arange(31) / 30.0
    one = leg(times, 0.75)
    still = np.zeros(len(times))
    free = Locked(
        [[]],
        [one.point_and_heading],
        still,
        easing.turned_along([one], FootPaths([one.point_and_heading], still)),
    )
    assert eased(times, one, free) is free


@pytest.mark.parametrize("drop", [0.0, 0.04])
def test_hips_go_no_further_down_than_they_may(drop: float) -> None:
    times, one, first = held(30.0, 0.35, 0.9)
    after = eased(times, one, first, dataclasses.replace(HOW, drop=drop))
    assert after.drop.max() <= drop * one.length + 0.002
    assert after.drop.min() >= -0.002
    if not drop:
        np.testing.assert_array_equal(after.drop, 0.0)


@STEADY
@given(RELEASED, LANDS)
def test_no_foot_skates_for_it(lasts: float, lands: float) -> None:
    times, one, first = held(30.0, lasts, lands)
    after = eased(times, one, first)

    def skated(path: Array) -> float:
        steps = np.linalg.norm(np.diff(path[:, :2], axis=0), axis=1)
        return float(steps[np.maximum(path[1:, 2], path[:-1, 2]) < 0.01].sum())

    assert skated(after.paths[0]) < skated(first.paths[0]) + 0.03
    assert after.paths[0][:, 2].min() > min(first.paths[0][:, 2].min(), 0.0) - 0.01


def test_a_joints_own_change_is_that_of_either_clip_and_of_its_image() -> None:
    times = np.arange(-15, 16) / 30.0
    still = np.zeros((2, own_motion.JOINTS, len(times), 3))
    still[:, 1, :, 2], still[:, 2, :, 2] = -0.4, -0.8
    jumps = still.copy()
    # the knee of one leg, near the cut
    jumps[0, 1, 18, 0] = 0.1
    both = [ClipJoints(times, jumps), ClipJoints(times, still)]
    for clips in (both, both[::-1]):
        found = OwnMotion.of(
            times[15:], clips, still[:, -1, 15:], still[..., 0, :], -1.0 / 30.0
        ).accelerations
        np.testing.assert_allclose(found[:, 1, 0], 0.2 * 900.0)
        np.testing.assert_allclose(found[:, 2], own_motion.STILL * 0.8)


@STEADY
@given(st.lists(st.tuples(st.sampled_from([24.0, 30.0, 60.0]), RELEASED, LANDS), min_size=2, max_size=4))
def test_paths_are_eased_together_as_each_by_itself(kinds: list[tuple[float, float, float]]) -> None:
    together, works, alone = easing.EasedTogether(), [], []
    for rate, lasts, lands in kinds:
        times, one, first = held(rate, lasts, lands)
        alone.append(eased(times, one, first))
        asked = crossing.prepare_easing(times, [one], first, usual(times, one), HOW)
        steps = together.wait_steps(asked)
        next(steps)
        works.append((asked, steps))
    assert together.count == len(kinds)
    finish(together.solve_steps())
    assert together.count == 0
    for (asked, steps), expected in zip(works, alone, strict=True):
        finish(steps)
        np.testing.assert_allclose(asked.eased.paths[0], expected.paths[0], atol=1e-9)
        np.testing.assert_allclose(asked.eased.drop, expected.drop, atol=1e-9)


def test_a_path_may_change_within_half_a_second_of_the_first_frame_and_of_holds() -> None:
    times = np.arange(81) / 32.0
    rest = np.zeros(4)
    first, late = easing._mark_free(times, [[], [Hold(50, 54, rest)]])
    np.testing.assert_array_equal(np.flatnonzero(first), np.arange(1, 17))
    np.testing.assert_array_equal(np.flatnonzero(late), [*range(1, 17), *range(34, 50), *range(55, 71)])


@pytest.mark.parametrize("count", [1, 2, 3, 40])
def test_a_path_is_solved_on_its_first_and_last_frames_and_a_holds_ends(count: int) -> None:
    times = np.arange(count) / 120.0
    holds = [[Hold(11, 17, np.zeros(4))]] if count > 17 else [[]]
    found = easing._looked_at(times, holds).tolist()
    assert found == sorted({*found})
    assert {0, max(count - 2, 0), count - 1, *([11, 17] if holds[0] else [])} <= {*found}
