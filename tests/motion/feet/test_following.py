# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet in clips that are joined one behind the other: what stands, stands, and what no join moves stays."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import hypothesis.strategies as st
import numpy as np
from hypothesis import given, settings
from numpy.typing import NDArray

from inertia_addon.motion.feet import crossing
from inertia_addon.motion.feet.corrections import BLEED_SECONDS
from inertia_addon.motion.feet.crossing import FollowedClips, Locked, LockLimits
from inertia_addon.motion.feet.leg_ik import LegPose
from inertia_addon.motion.feet.locking import LegMotion

Array = NDArray[np.float64]

FPS, FRAMES, JOIN, WINDOW = 30.0, 120, 67, 0.4
TIMES = np.arange(FRAMES) / FPS
STEP, HIGH = 0.7, 0.12
"""A foot of the walk stands for half a second, then swings as long, so far and so high, metres."""
FLAT = LockLimits(drop=0.0)
FEW = settings(max_examples=12)
LATE, ACROSS, ALONG = st.floats(-0.3, 0.3), st.floats(-0.25, 0.25), st.floats(-0.2, 0.2)


def walk(late: float) -> tuple[list[Array], list[NDArray[np.bool_]]]:
    """Where both feet of a walk are (n, 3), and when they stand; late: seconds."""
    feet, planted = [], []
    for side in (0.0, 0.5):
        s = TIMES - late + side + 2.0
        within = np.maximum(s % 1.0 - 0.5, 0.0) * 2.0
        gone = within * within * (3.0 - 2.0 * within)
        way = np.column_stack([0.2 * (side - 0.25) + 0.0 * s, STEP * (np.floor(s) + gone), 0.0 * s])
        way[:, 2] = HIGH * np.sin(np.pi * within) ** 2
        feet.append(way)
        planted.append(within == 0.0)
    return feet, planted


def leg(point: Array, hips: Array) -> LegMotion:
    """A leg of 1.4 m under hips that go along (n,), whose foot's point goes a way (n, 3)."""
    ankle = point + np.array([0.0, -0.08, 0.08])
    hip = np.column_stack([point[:, 0], hips, np.full(len(point), 0.95)])
    knee = 0.5 * (hip + ankle) + np.array([0.0, 0.1, 0.0])
    still = np.tile([1.0, 0.0, 0.0, 0.0], (len(point), 1))
    pose = LegPose(hip, knee, ankle, np.tile([1.0, 0.0, 0.0], (len(point), 1)))
    return LegMotion(pose, point, still, 1.4, 1.4)


def joined(late: float, across: float, along: float, window: float = WINDOW) -> tuple[Locked, list[Array]]:
    """A walk that goes on as one that is late, and stands elsewhere, with its feet locked; and where they
    would go."""
    before, stood = walk(0.0)
    behind, stands = walk(late)
    hips = STEP * (TIMES + 2.25)
    since = (TIMES - TIMES[JOIN])[:, None]
    s = np.clip(since / window, 0.0, 1.0)
    legs, own, planted = [], [], []
    for k in range(2):
        there = behind[k] + [across, along + STEP * late, 0.0]
        left = (before[k][JOIN] - there[JOIN]) * (1.0 - s) ** 3 * (1.0 + 3.0 * s + 6.0 * s * s)
        legs.append(leg(np.where(since < 0.0, before[k], there + left), hips))
        own.append(leg(np.where(since < 0.0, before[k], there), hips))
        planted.append(np.where(TIMES[JOIN] > TIMES, stood[k], stands[k]))
    clips = FollowedClips(own, planted, [0, JOIN], window)
    return crossing.follow(TIMES, legs, clips, FLAT), [one.point for one in legs]


@given(st.floats(-0.5, 0.5), ACROSS, ALONG, st.floats(0.02, 0.8))
def test_a_foot_that_is_held_stands_still(late: float, across: float, along: float, window: float) -> None:
    locked, _ = joined(late, across, along, window)
    for path, row in zip(locked.paths, locked.holds, strict=True):
        assert row
        for hold in row:
            # what comes to stand at the join rolls out first
            first = hold.first + (round(BLEED_SECONDS * FPS) + 1 if hold.speed is not None else 0)
            inside = path[first : hold.last + 1, :3]
            assert not len(inside) or np.ptp(inside, axis=0).max() < 1e-9
        assert all(a.last < b.first for a, b in itertools.pairwise(row))


@FEW
@given(LATE, ACROSS, ALONG)
def test_a_foot_that_no_join_moves_plays_as_it_is(late: float, across: float, along: float) -> None:
    locked, free = joined(late, across, along)
    for path, own, row in zip(locked.paths, free, locked.holds, strict=True):
        np.testing.assert_allclose(path[:JOIN, :3], own[:JOIN], atol=1e-9)
        last = max((hold.last for hold in row if TIMES[hold.first] < TIMES[JOIN] + WINDOW), default=0)
        settled = max(TIMES[last], TIMES[JOIN] + WINDOW) + FLAT.release + 1.0 / FPS < TIMES
        np.testing.assert_allclose(path[settled, :3], own[settled], atol=1e-9)


@FEW
@given(LATE, ACROSS, ALONG)
def test_no_foot_sinks_as_deep_as_it_is_blended_or_jumps(late: float, across: float, along: float) -> None:
    locked, free = joined(late, across, along)
    for path, own in zip(locked.paths, free, strict=True):
        assert path[:, 2].min() > 0.3 * min(own[:, 2].min(), 0.0) - 0.005
        quickest = np.abs(np.diff(path[:, :3], axis=0)).max() * FPS
        assert quickest < 2.0 * np.abs(np.diff(own, axis=0)).max() * FPS


@FEW
@given(LATE, ACROSS, ALONG)
def test_a_foot_skates_hardly_more_than_in_its_clips(late: float, across: float, along: float) -> None:
    locked, free = joined(late, across, along)

    def skates(ways: Sequence[Array]) -> float:
        """How far low feet go over the ground."""
        steps = [np.linalg.norm(np.diff(way[:, :2], axis=0), axis=1) * (way[1:, 2] < 0.02) for way in ways]
        return float(np.sum(steps))

    clips = skates(walk(0.0)[0])
    assert skates(locked.paths) < clips + 0.4 * max(skates(free) - clips, 0.0) + 0.1


def test_a_foot_that_stands_on_both_sides_stays_where_that_is_near_and_else_steps() -> None:
    for across, count in ((0.05, 1), (0.6, 2)):
        since = TIMES - TIMES[JOIN]
        s = np.clip(since / WINDOW, 0.0, 1.0)[:, None]
        legs, own = [], []
        for side in (-0.1, 0.1):
            here, there = np.array([side, 0.0, 0.0]), np.array([side + across, 0.0, 0.0])
            clips = np.where(since[:, None] < 0.0, here, there)
            own.append(leg(clips, 0.0 * TIMES))
            left = (here - there) * (1.0 - s) ** 3 * (1.0 + 3.0 * s + 6.0 * s * s)
            legs.append(leg(np.where(since[:, None] < 0.0, here, there + left), 0.0 * TIMES))
        stands = [np.ones(FRAMES, bool)] * 2
        locked = crossing.follow(TIMES, legs, FollowedClips(own, stands, [0, JOIN], WINDOW), FLAT)
        assert max(len(row) for row in locked.holds) == count


def test_a_foot_that_stands_on_until_it_is_planted_again_is_held_once_at_a_time() -> None:
    own = leg(np.zeros((FRAMES, 3)), 0.0 * TIMES)
    planted = np.ones(FRAMES, bool)
    planted[JOIN + 9 : JOIN + 11] = False
    clips = FollowedClips([own], [planted], [0, JOIN], 0.3)
    (row,) = crossing.follow(TIMES, [own], clips, FLAT).holds
    assert all(a.last < b.first for a, b in itertools.pairwise(row))
    assert row[-1].last == FRAMES - 1


def test_a_clip_may_last_for_a_frame_or_none() -> None:
    feet, planted = walk(0.0)
    legs = [leg(way, STEP * (TIMES + 2.25)) for way in feet]
    alone, brief, several = (
        crossing.follow(TIMES, legs, FollowedClips(legs, planted, begins, WINDOW), FLAT).paths
        for begins in ([0, JOIN], [0, 0, 1, JOIN, JOIN, JOIN + 1], [0, JOIN, JOIN, JOIN + 1, JOIN + 1])
    )
    np.testing.assert_array_equal(brief, alone)
    np.testing.assert_array_equal(several, alone)


def test_a_clip_may_begin_on_the_last_frame() -> None:
    feet, planted = walk(0.0)
    legs = [leg(way, STEP * (TIMES + 2.25)) for way in feet]
    ends = [
        crossing.follow(TIMES, legs, FollowedClips(legs, planted, begins, WINDOW), FLAT)
        for begins in ([0], [0, FRAMES - 1])
    ]
    for alone, joined_last in zip(*(each.paths for each in ends), strict=True):
        np.testing.assert_array_equal(alone, joined_last)
