# SPDX-License-Identifier: GPL-3.0-or-later
"""Paths that stand still where a foot is held, and are smooth on both sides."""

from __future__ import annotations

import hypothesis.strategies as st
import numpy as np
from hypothesis import given
from numpy.typing import NDArray

from inertia_addon.motion.feet import corrections
from inertia_addon.motion.feet.corrections import BLEED_SECONDS, Hold

Array = NDArray[np.float64]

RATE = 2000
TIMES = np.arange(2 * RATE + 1) / RATE
FREE = np.column_stack([np.sin(3.0 * TIMES), TIMES**2, 0.1 * np.cos(9.0 * TIMES)])


def speed_jumps(path: Array) -> float:
    """The highest change of speed from frame to frame."""
    return float(np.abs(np.diff(path, 2, axis=0)).max() * RATE)


def test_a_held_foot_stands_and_its_way_there_and_back_is_smooth() -> None:
    holds = [Hold(800, 1400, np.array([0.7, 0.6, 0.0])), Hold(1800, 2600, np.array([0.9, 1.2, 0.0]))]
    path = corrections.hold_path(TIMES, FREE, holds, 0.25)
    for hold in holds:
        np.testing.assert_array_equal(
            path[hold.first : hold.last + 1], np.broadcast_to(hold.point, (hold.last - hold.first + 1, 3))
        )
    away = np.flatnonzero(np.any(path != FREE, axis=1))
    assert (away[0], away[-1]) == (800 - RATE // 4 + 1, 2600 + RATE // 4 - 1)
    # a jump in speed would be as high at any frame rate
    assert speed_jumps(path) < 0.1


def test_corrections_of_two_holds_add_up_where_they_meet() -> None:
    holds = [Hold(0, 0, np.zeros(3)), Hold(700, 900, np.ones(3)), Hold(4000, 4000, np.zeros(3))]
    path = corrections.hold_path(TIMES, FREE, holds, 0.25)
    alone = [corrections.hold_path(TIMES, FREE, [hold], 0.25) for hold in holds]
    between = np.r_[1:700, 901:4000]
    np.testing.assert_allclose(path[between], sum(alone)[between] - 2.0 * FREE[between], atol=1e-12)
    assert np.any(path[[1, 3999]] != FREE[[1, 3999]], axis=1).all()


def test_a_foot_that_lifts_does_not_lag_behind_its_own_height() -> None:
    """Else its toes, which turn as they did, would brush the ground."""
    free = FREE.copy()
    free[:, 2] = 0.05 + 0.4 * np.maximum(TIMES - 1.0, 0.0)
    path = corrections.hold_path(
        TIMES, free, [Hold(500, 1010, free[1000].copy())], 0.25, near=np.full(3, 1e-4)
    )
    lag = free[1011:, 2] - path[1011:, 2]
    assert lag.max() < 0.008
    assert np.abs(lag[85:]).max() < 1e-9
    # what is held elsewhere over the ground still comes back slowly
    assert np.abs(path[1011 + 85, :2] - free[1011 + 85, :2]).max() > 1e-3


def test_a_foot_that_lands_is_not_down_long_before() -> None:
    free = FREE.copy()
    free[:, 2] = 0.05 + 0.4 * np.maximum(1.0 - TIMES, 0.0)
    path = corrections.hold_path(
        TIMES, free, [Hold(1990, 2500, free[2000].copy())], 0.25, near=np.full(3, 1e-4)
    )
    early = free[:1990, 2] - path[:1990, 2]
    assert early.max() < 0.01
    assert np.abs(early[: 1990 - round(corrections.LIFT_SECONDS * RATE) - 1]).max() < 0.0041


def test_a_held_path_does_not_change_before_a_cut() -> None:
    path = corrections.hold_path(TIMES, FREE, [Hold(100, 500, np.zeros(3))], 0.25, within=(0.0, np.inf))
    np.testing.assert_array_equal(path[0], FREE[0])
    assert np.abs(path[1] - FREE[1]).max() < 1e-4
    assert speed_jumps(path) < 1.0


def test_a_foot_that_is_held_at_once_loses_its_speed_smoothly() -> None:
    speed = np.array([0.4, -0.2, 0.1])
    hold = Hold(0, 1000, corrections.find_rest_point(FREE[0], speed), speed)
    path = corrections.hold_path(TIMES, FREE, [hold], 0.25, within=(0.0, np.inf))
    np.testing.assert_allclose(path[0], FREE[0], atol=1e-12)
    np.testing.assert_allclose((path[1] - path[0]) * RATE, speed, rtol=1e-3)
    rest = int(np.ceil(BLEED_SECONDS * RATE))
    np.testing.assert_allclose(path[rest:1001], np.broadcast_to(hold.point, (1001 - rest, 3)), atol=1e-12)
    assert speed_jumps(path) < 0.1


def test_a_foot_comes_to_stand_without_a_jump_in_acceleration() -> None:
    path = corrections.hold_path(TIMES, FREE, [Hold(1000, 2000, np.array([0.3, 0.5, 0.1]))], 0.25)
    accelerations = np.linalg.norm(np.diff(path, 2, axis=0), axis=1) * RATE**2
    # its own path bends there
    own = np.linalg.norm(np.diff(FREE[999:1002], 2, axis=0)) * RATE**2
    assert accelerations[998:1005].max() < 0.2 * own


def test_accelerations_are_those_of_a_parabola_at_any_times() -> None:
    times = np.concatenate([[0.0, 0.011], 0.011 + np.arange(1, 20) / 30.0])
    path = np.column_stack([3.0 * times**2 - times, -(times**2)])
    np.testing.assert_allclose(corrections.accelerations_of(path, times)[1:-1, 0], 6.0, rtol=1e-9)
    fine = np.arange(200) / 240.0
    noisy = np.column_stack([3.0 * fine**2, 0.0 * fine]) + 1e-4 * (-1.0) ** np.arange(200)[:, None]
    found = corrections.accelerations_of(noisy, fine)[8:-8, 0]
    np.testing.assert_allclose(found, 6.0, atol=0.5)


def test_an_offset_fades_with_its_rate_and_ends_at_rest() -> None:
    x, v, a = np.array([1.0, -2.0]), np.array([3.0, 0.5]), np.array([-20.0, 7.0])
    t = np.linspace(0.0, 0.3, 3001)
    found = corrections.faded(x, v, a, 0.3, t)
    np.testing.assert_allclose(found[0], x)
    np.testing.assert_allclose((found[1] - found[0]) / (t[1] - t[0]), v, atol=0.02)
    # its acceleration at the start, and none of rate or acceleration at the end
    np.testing.assert_allclose(np.diff(found[:3], 2, axis=0)[0] / (t[1] - t[0]) ** 2, a, atol=1.5)
    np.testing.assert_allclose(found[-3:], 0.0, atol=1e-8)


@given(
    lifts=st.floats(0.2, 3.0),
    wobble=st.floats(0.0, 0.9),
    seed=st.integers(0, 1000),
)
def test_a_foot_that_stands_by_itself_comes_and_goes_at_its_own_speed(
    lifts: float, wobble: float, seed: int
) -> None:
    """What it wobbles less than what is near is taken out, and beside the hold it goes nowhere else."""
    hold = Hold(1500, 2500, np.array([0.3, 0.2, 0.0]))
    away = np.maximum(np.abs(np.arange(len(TIMES)) - 2000) - 500, 0)[:, None] / RATE
    near = np.full(3, 0.003)
    free = hold.point + away * lifts + wobble * near * np.random.default_rng(seed).uniform(-1.0, 1.0, (1, 3))
    path = corrections.hold_path(TIMES, free, [hold], 0.25, near=near)
    np.testing.assert_array_equal(path[1500:2501], np.broadcast_to(hold.point, (1001, 3)))
    assert np.abs(path - free).max() <= near.max()
    # led there and back it lags behind its own way by more, the faster it lifts
    assert np.abs(corrections.hold_path(TIMES, free, [hold], 0.25) - free).max() > 0.01 * lifts


@given(
    lands=st.integers(0, 200),
    lifts=st.integers(0, 200),
    speed=st.floats(0.3, 3.0),
    noise=st.floats(0.0, 0.9),
    seed=st.integers(0, 1000),
)
def test_a_foot_is_not_held_while_it_lands_or_lifts_by_itself(
    lands: int, lifts: int, speed: float, noise: float, seed: int
) -> None:
    """Of a foot that stands for most of a hold; of one that goes on all the time the hold stays whole."""
    hold, near = Hold(1500, 2500, np.array([0.3, 0.2, 0.0])), np.full(3, 0.003)
    index = np.arange(len(TIMES))
    away = np.maximum(np.maximum(1500 + lands - index, index - 2500 + lifts), 0) / RATE * speed
    # as slow as what captures leave of it
    phases = np.random.default_rng(seed).uniform(0.0, 2.0 * np.pi, 3)
    wobble = 0.2 * noise * near * np.sin(TIMES[:, None] * 10.0 + phases)
    free = hold.point + wobble + away[:, None] * (1.0, 0.0, 0.0)
    found = corrections.trim_to_standing(TIMES, free, hold, near)
    slack = round(2.0 * near[0] / speed * RATE) + 1
    assert 0 <= found.first - 1500 <= lands + 5
    assert 0 <= 2500 - found.last <= lifts + 5
    assert found.first >= 1500 + lands - slack
    assert found.last <= 2500 - lifts + slack
    # over however long a way it drifts
    drifting = hold.point + 0.02 * speed * (TIMES[:, None] - TIMES[2000]) * (1.0, 0.0, 0.0)
    whole = corrections.trim_to_standing(TIMES, drifting, hold, near)
    assert (whole.first, whole.last) == (hold.first, hold.last)
