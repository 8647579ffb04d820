# SPDX-License-Identifier: GPL-3.0-or-later
"""How high feet are between where they are held."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from inertia_addon.motion.feet import corrections, locking
from inertia_addon.motion.feet.corrections import Hold
from inertia_addon.motion.feet.handover import Foot

Array = NDArray[np.float64]

RATE = 120
TIMES = np.arange(RATE + 1) / RATE
LENGTH = 0.8
NONE = np.zeros(RATE + 1, bool)


def foot(*, stood: bool = True, offset: float = 0.5, up: float = 0.0, own_up: float = 0.0) -> Foot:
    """A foot that skates ``offset`` along x over 0.4 s, to where the destination stands."""
    free, own = np.zeros((len(TIMES), 4)), np.zeros((len(TIMES), 4))
    s = np.clip(TIMES / 0.4, 0.0, 1.0)
    free[:, 0], own[:, 0] = offset * s**3 * (10.0 - 15.0 * s + 6.0 * s * s), offset
    free[:, 2], own[:, 2] = up * (1.0 - s), own_up
    return Foot(free, np.zeros(4), own, ~NONE, stood, lambda _: ~NONE, LENGTH)


def way(one: Foot, holds: list[Hold], carried: NDArray[np.bool_] = ~NONE, step: float = 1.0) -> Array:
    path = corrections.hold_path(TIMES, one.free, holds, 0.25, (0.0, np.inf))
    return locking.lifted(TIMES, path, one, holds, carried, step)


def skated(path: Array, height: float = 0.02) -> float:
    """How far a foot goes while it is lower."""
    steps = np.linalg.norm(np.diff(path[:, :2], axis=0), axis=1)
    return float(steps[np.maximum(path[1:, 2], path[:-1, 2]) < height].sum())


LANDED = [Hold(40, RATE, np.array([0.5, 0.0, 0.0, 0.0]))]


def test_a_step_goes_up_and_comes_down_where_it_stands() -> None:
    path = way(foot(), LANDED)
    assert 0.9 * locking.STEP_LENGTH * LENGTH < path[:, 2].max() <= locking.STEP_LENGTH * LENGTH
    assert skated(path) < 0.06
    np.testing.assert_array_equal(path[40:, 2], 0.0)
    # it sets out and lands without a jump in speed
    speeds = np.abs(np.diff(path[:, 2])) * RATE
    assert speeds[0] < 0.02 > speeds[39]
    higher = way(foot(), LANDED, step=1.5)
    assert higher[:, 2].max() > 1.3 * path[:, 2].max()


def test_a_step_is_low_while_no_other_foot_stands() -> None:
    path = way(foot(), LANDED, NONE)
    assert 0.8 * locking.LOW_LENGTH * LENGTH < path[:, 2].max() <= locking.LOW_LENGTH * LENGTH
    assert path[:, 2].max() < way(foot(), LANDED)[:, 2].max()


def test_a_foot_that_swings_high_enough_is_left_alone() -> None:
    high = foot(stood=False, up=0.3)
    held = corrections.hold_path(TIMES, high.free, LANDED, 0.25, (0.0, np.inf))
    up = held[:, 2] > 1.1 * locking.STEP_LENGTH * LENGTH
    # but that it begins a little sooner to come down as it lands, by less than anyone sees
    np.testing.assert_allclose(way(high, LANDED)[up], held[up], atol=0.006)


def test_a_foot_that_is_let_go_while_it_should_stand_steps_over_to_it() -> None:
    early = [Hold(0, 12, np.zeros(4))]
    path = way(foot(), early)
    assert path[30, 2] > 0.03
    assert skated(path) < 0.06 < skated(corrections.hold_path(TIMES, foot().free, early, 0.25, (0.0, np.inf)))
    np.testing.assert_allclose(path[-20:, 2], 0.0, atol=1e-6)


def test_a_foot_is_above_the_destinations_but_no_higher_than_it_must() -> None:
    planted = foot(stood=False, up=0.0, own_up=0.05)
    swinging = Foot(
        planted.free, planted.speed, planted.own, NONE, stood=False, reaches=planted.reaches, length=LENGTH
    )
    path = way(swinging, [])
    assert path[-20, 2] > 0.03
    # what follows plays as it is
    assert path[-1, 2] == planted.free[-1, 2]
    hopping = foot(own_up=0.0)
    hopping.own[:60, 2] = 0.6
    hops = Foot(
        hopping.free, hopping.speed, hopping.own, NONE, stood=False, reaches=hopping.reaches, length=LENGTH
    )
    assert 0.03 < way(hops, [])[55, 2] < 0.2


def test_a_foot_that_is_where_it_shall_be_is_not_lifted() -> None:
    still = foot(offset=0.0)
    np.testing.assert_allclose(way(still, [Hold(0, RATE, np.zeros(4))])[:, 2], 0.0, atol=1e-12)


def test_a_foot_that_was_let_go_comes_down_to_where_the_destination_stands_lower_later() -> None:
    lower = foot()
    lower.own[60:, 2] = lower.free[60:, 2] = -0.05
    path = way(lower, [Hold(0, 12, np.zeros(4))])
    np.testing.assert_allclose(path[80:, 2], lower.free[80:, 2], atol=1e-3)


def test_a_foot_is_kept_up_without_a_jerk_before_it_lands() -> None:
    high = foot(own_up=0.1)
    lands = [Hold(100, RATE, np.array([0.5, 0.0, 0.0, 0.0]))]
    swinging = Foot(high.free, high.speed, high.own, NONE, stood=False, reaches=high.reaches, length=LENGTH)
    path = way(swinging, lands)
    assert path[60, 2] > 0.05
    # the highest acceleration, in leg lengths a second squared
    assert np.abs(np.diff(path[60:, 2], 2)).max() * RATE**2 < 1.5 * locking.FALLS * LENGTH
