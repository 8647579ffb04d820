# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet between two stretches that stay as they are: nothing moves at the ends, and what stands, stands."""

from __future__ import annotations

import hypothesis.strategies as st
import numpy as np
from hypothesis import given
from numpy.typing import NDArray

from inertia_addon.motion.feet import crossing
from inertia_addon.motion.feet.corrections import BLEED_SECONDS
from inertia_addon.motion.feet.crossing import Locked, LockLimits
from inertia_addon.motion.feet.leg_ik import LegPose
from inertia_addon.motion.feet.locking import LegMotion

Array = NDArray[np.float64]

FPS = 120.0
TIMES = np.arange(181) / FPS
SECONDS = float(TIMES[-1])
ANKLE = 0.08
SKATES = st.tuples(*[st.floats(-0.25, 0.25)] * 4)


def leg_along(point: Array) -> LegMotion:
    """A leg of 1 m whose foot's point goes a way (n, 3), and whose hip is above the middle of that."""
    ankle = point + np.array([0.0, -0.12, ANKLE])
    hip = np.column_stack([ankle[:, :2].mean(axis=0) * np.ones((len(point), 2)), np.full(len(point), 0.9)])
    knee = 0.5 * (hip + ankle) + np.array([0.0, 0.1, 0.0])
    still = np.tile([1.0, 0.0, 0.0, 0.0], (len(point), 1))
    pose = LegPose(hip, knee, ankle, np.tile([1.0, 0.0, 0.0], (len(point), 1)))
    return LegMotion(pose, point, still, 1.1, 1.2)


def skating(skates: tuple[float, ...]) -> Array:
    """A foot that drifts over the ground, as a blend has it drift (n, 3)."""
    s = TIMES / SECONDS
    across, along, bends, sinks = skates
    low = 0.1 * sinks * np.sin(np.pi * s) ** 2
    return np.column_stack([across * s + 0.2 * bends * np.sin(5.0 * s), along * s * s, low])


def bridged(leg: LegMotion, spans: list[tuple[int, int]]) -> Locked:
    heights = np.tile([0.0, ANKLE], (len(TIMES), 1))
    return crossing.bridge(TIMES, [leg], [spans], [heights], LockLimits())


@given(SKATES, st.integers(0, 60), st.integers(20, 80))
def test_ends_of_a_bridged_path_stay_as_they_are_whatever_is_held(
    skates: tuple[float, ...], first: int, count: int
) -> None:
    free = skating(skates)
    (path,) = bridged(leg_along(free), [(first, first + count)]).paths
    for frame, step in ((0, 1), (-1, -2)):
        np.testing.assert_allclose(path[frame, :3], free[frame], atol=1e-9)
        # nor does the foot set out at once
        apart = (path[step, :3] - path[frame, :3]) - (free[step] - free[frame])
        assert np.linalg.norm(apart) * FPS < 0.2
    np.testing.assert_allclose(path[[0, -1], 4:], 0.0, atol=1e-9)


@given(SKATES)
def test_a_foot_that_stands_at_an_end_stands_there_all_the_while(skates: tuple[float, ...]) -> None:
    free = skating(skates)
    for spans, end in (([(0, 70)], 0), ([(110, 180)], -1)):
        (path,) = bridged(leg_along(free), spans).paths
        (first, last) = spans[0]
        loose = round(BLEED_SECONDS * FPS) + 1
        inside = slice(first + loose * (end == 0), last + 1 - loose * (end == -1))
        assert np.ptp(path[inside, :2], axis=0).max() < 1e-9
        # and nearly where it is there: it rolls out at the speed that it has
        assert np.linalg.norm(path[inside][0, :2] - free[end, :2]) < 0.05


@given(SKATES)
def test_a_foot_that_stands_all_the_while_steps_from_one_end_to_the_other(skates: tuple[float, ...]) -> None:
    free = skating(skates)
    locked = bridged(leg_along(free), [(0, 180)])
    (path,), ((*holds,),) = locked.paths, locked.holds
    assert (holds[0].first, holds[-1].last) == (0, 180)
    # low feet stand
    steps = np.linalg.norm(np.diff(path[:, :2], axis=0), axis=1) * FPS
    low = path[1:, 2] < min(path[0, 2], path[-1, 2]) + 0.002
    held = np.zeros(181, bool)
    for hold in holds:
        held[hold.first : hold.last + 1] = True
    assert steps[held[1:] & held[:-1]].max() < 0.6
    gone = float(np.linalg.norm(free[-1, :2] - free[0, :2]))
    assert float((steps * low).sum() / FPS) < 0.05 + 0.25 * gone


@given(st.floats(-0.2, 0.2), st.floats(0.0, 0.1))
def test_no_foot_swings_lower_than_its_clips_have_it(sinks: float, over: float) -> None:
    free = skating((0.3, 0.5, 0.0, 0.0))
    free[:, 2] = over * np.sin(np.pi * TIMES / SECONDS) ** 2 * np.sign(sinks)
    leg, swing = leg_along(free), 0.12 * np.sin(np.pi * TIMES / SECONDS) ** 2
    heights = np.column_stack([swing, swing + ANKLE])
    ((path,),) = (crossing.bridge(TIMES, [leg], [[]], [heights], LockLimits()).paths,)
    middle = slice(60, 121)
    # but for what a foot need not be off the ground
    assert (path[middle, 2] > np.minimum(swing[middle], 0.1) - 0.03).all()


@given(st.floats(0.0, 0.3), st.integers(30, 80), st.integers(100, 150))
def test_no_foot_is_lifted_or_let_down_within_a_few_frames(over: float, last: int, first: int) -> None:
    free = skating((0.3, 0.5, 0.0, 0.0))
    # the blend has the foot low when its clip swings it quickly
    swing = over * np.exp(-(((TIMES - 0.75) / 0.08) ** 2))
    heights = np.column_stack([swing, swing + ANKLE])
    spans = [(0, last), (first, 180)]
    ((path,),) = (crossing.bridge(TIMES, [leg_along(free)], [spans], [heights], LockLimits()).paths,)
    rises = np.abs(np.diff(path[:, 2], 2)) * FPS**2
    # a step of less than a third of a second has to be as much quicker
    seconds = (first - last) / FPS
    assert rises.max() < 60.0 * max(1.0, 1.0 / (3.0 * seconds)) ** 2
