# SPDX-License-Identifier: GPL-3.0-or-later
"""Half-lives of springs: the published pairs, the closed form against integration, and how near fits come."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, optimize, special

from inertia_addon.errors import InertiaError
from inertia_addon.motion.decay import decay
from inertia_addon.motion.decay.decay import Method
from inertia_addon.motion.root_motion import half_life, on_the_move
from tests.motion import springs

half_lives = st.floats(0.05, 2.0)


@pytest.mark.parametrize(
    ("change", "peak_rate", "published", "digits"),
    [(5.0, 2.0, 1.27, 2), (4.86, 3.94, 0.63, 2), (180.0, 154.68, 0.593, 3), (10.44, 2.80, 1.90, 2)],
)
def test_the_published_pairs(change: float, peak_rate: float, published: float, digits: int) -> None:
    found = half_life.from_peak(change, peak_rate)
    # 1.2746 s is printed as 1.27
    assert math.floor(found * 10**digits + 0.5) / 10**digits == pytest.approx(published)


def test_the_published_peak_that_is_wrong() -> None:
    # 0 to 5 m/s with a half-life of 0.2 s is said to peak at 0.14 m/s^2
    assert half_life.from_peak(5.0, 0.2) == pytest.approx(12.75, abs=0.005)


@given(half_lives, st.floats(0.1, 10.0))
def test_the_response_is_steepest_where_the_closed_form_says(half: float, change: float) -> None:
    y = float(half_life.frequency(half))
    steepest = optimize.minimize_scalar(
        lambda t: -(half_life.response(t + 1e-6, y) - half_life.response(t - 1e-6, y)) / 2e-6,
        bounds=(0.0, 10.0 / y),
        method="bounded",
        options={"xatol": 1e-9},
    )
    assert steepest.x == pytest.approx(1.0 / y, rel=1e-3)
    assert half_life.from_peak(change, -steepest.fun * change) == pytest.approx(half, rel=1e-6)
    assert half_life.from_peak(change, half_life.from_peak(change, half)) == pytest.approx(half)


@given(half_lives)
def test_the_response_solves_the_spring(half: float) -> None:
    y = float(half_life.frequency(half))
    solved = integrate.solve_ivp(
        lambda _, s: (s[1], -2.0 * y * s[1] - y * y * (s[0] - 1.0)),
        (0.0, 3.0),
        (0.0, 0.0),
        rtol=1e-10,
        atol=1e-12,
        t_eval=np.linspace(0.0, 3.0, 30),
    )
    np.testing.assert_allclose(half_life.response(solved.t, y), solved.y[0], atol=1e-8)


@given(half_lives, st.floats(-0.1, 1.0), st.floats(0.001, 0.1))
def test_means_are_areas(half: float, at: float, over: float) -> None:
    y = float(half_life.frequency(half))
    area = integrate.quad(half_life.response, at - 0.5 * over, at + 0.5 * over, args=(y,), points=[0.0])[0]
    assert half_life.response(at, y, over) == pytest.approx(area / over, abs=1e-9)


def test_no_change_has_no_half_life() -> None:
    for change, rate in ((0.0, 1.0), (1.0, 0.0), (math.nan, 1.0)):
        with pytest.raises(InertiaError, match="other than zero"):
            half_life.from_peak(change, rate)


@pytest.mark.parametrize("method", Method)
@given(half=half_lives)
def test_blend_times_that_displace_as_much(method: Method, half: float) -> None:
    seconds = decay.blend_seconds_like(method, half)
    spring = decay.displacement(Method.SPRING, 1.0, 0.0, half)
    assert decay.displacement(method, 1.0, 0.0, seconds) == pytest.approx(spring)


@settings(max_examples=10, deadline=None)
@given(
    half=half_lives,
    fps=st.sampled_from(springs.RATES),
    means=st.booleans(),
    before=st.floats(-8.0, 8.0),
    after=st.floats(-8.0, 8.0),
)
def test_springs_without_noise_are_found_exactly(
    half: float, fps: float, *, means: bool, before: float, after: float
) -> None:
    if abs(after - before) < 0.01:
        after = before + 1.0
    over = 1.0 / fps if means else 0.0
    seconds = np.arange(int((0.5 + 7.0 * half) * fps) + 8) / fps
    values = before + (after - before) * springs.exact(half, seconds, 0.3, over)
    found = half_life.fit(seconds, values, over) if means else half_life.fit(seconds, values)
    assert found is not None
    assert found.half_life == pytest.approx(half, rel=1e-3)
    assert (found.before, found.after) == pytest.approx((before, after), abs=0.01 * abs(after - before))
    assert found.begin == pytest.approx(0.3, abs=0.05 * half)
    assert found.residual**2 < 0.00001 * values.var()


def test_random_springs_are_fitted(some: Callable[[int], int]) -> None:
    """As many as a check has time for; ``make half-lives`` fits a thousand."""
    found = springs.outcomes(some(60), seed=20)
    assert np.mean([one.fit_error < 0.05 for one in found]) >= 0.95
    assert np.mean([one.closed_form_error < 0.15 for one in found if springs.resolvable(one)]) >= 0.90
    assert 0.90 <= np.mean([one.covered for one in found]) <= 0.99


def test_a_spring_is_found_below_strides(some: Callable[[int], int]) -> None:
    found = springs.strided_outcomes(some(4), seed=31)
    assert all(one.ramp is not None for one in found)
    assert np.median([one.fit_error for one in found]) < 0.05
    assert np.mean([one.covered for one in found]) >= 0.8
    assert np.mean([one.ramp.is_spring for one in found]) >= 0.8


def test_a_ramp_that_frames_can_not_resolve_is_told() -> None:
    random = np.random.default_rng(3)
    for _ in range(5):
        quick = springs.outcome(springs.spring(random, half=0.012, fps=30.0))
        assert quick.ramp is None or not quick.ramp.resolved
        slow = springs.outcome(springs.spring(random, half=0.2, fps=30.0))
        assert slow.ramp is not None
        assert slow.ramp.resolved


@pytest.mark.slow
def test_correlated_noise_widens_the_interval() -> None:
    random = np.random.default_rng(5)
    seconds = np.arange(240) / 120.0
    covered, widths = [], []
    for _ in range(15):
        stride = 0.08 * np.sin(2.0 * np.pi * (2.8 * seconds + random.random()))
        found = half_life.fit(seconds, springs.exact(0.25, seconds, 0.4) + stride)
        assert found is not None
        covered.append(found.low <= 0.25 <= found.high)
        widths.append(found.high / max(found.low, 1e-9))
    assert np.mean(covered) >= 0.9


def test_a_fit_of_too_little_or_of_nothing_is_none() -> None:
    assert half_life.fit(np.arange(5) / 30.0, np.arange(5.0)) is None
    assert half_life.fit(np.arange(50) / 30.0, np.full(50, 3.0)) is None


@given(st.floats(2.0, 500.0))
def test_quantiles_are_those_of_student(freedom: float) -> None:
    expected = special.stdtrit(freedom, 0.5 * (1.0 + half_life.CONFIDENCE))
    assert half_life._quantile(freedom) == pytest.approx(expected, rel=0.03)


def spring_on_the_move(x: float, v: float, goal: float, half: float, seconds: np.ndarray) -> np.ndarray:
    """A critically damped spring from any start at times (n,), by integration."""
    y = 2.0 * np.log(2.0) / half

    def moved(_: float, state: np.ndarray) -> list[float]:
        return [state[1], y * y * (goal - state[0]) - 2.0 * y * state[1]]

    found = integrate.solve_ivp(
        moved, (0.0, float(seconds[-1])), [x, v], t_eval=seconds, rtol=1e-9, atol=1e-12
    )
    return np.asarray(found.y)


@given(half_lives, st.floats(-3.0, 3.0), st.floats(-8.0, 8.0), st.floats(0.5, 6.0))
def test_the_peak_from_any_start_is_where_integration_has_it(
    half: float, x: float, v: float, goal: float
) -> None:
    seconds = np.linspace(0.0, 8.0 * half, 4001)
    rates = spring_on_the_move(x, v, goal, half, seconds)[1]
    at, rate = half_life.peak_on_the_move(x, v, goal, half)
    i = int(np.argmax(np.abs(rates)))
    assert abs(rate) == pytest.approx(abs(rates[i]), rel=1e-4, abs=1e-6)
    if abs(rate) - abs(v) > 1e-3 * abs(rate):
        assert at == pytest.approx(seconds[i], abs=4.0 * half / 1000.0)


@given(half=half_lives, part=st.floats(0.05, 0.45), is_rising=st.booleans())
def test_the_half_life_follows_from_the_peak_of_a_spring_that_moves_already(
    half: float, part: float, *, is_rising: bool
) -> None:
    goal = 4.0 if is_rising else -4.0
    v = part * goal * 2.0 * np.log(2.0) / half
    _, rate = half_life.peak_on_the_move(0.0, v, goal, half)
    assert half_life.from_peak_on_the_move(goal, v, rate) == pytest.approx(half, rel=1e-6)
    assert half_life.from_peak_on_the_move(
        goal, 0.0, half_life.peak_on_the_move(0.0, 0.0, goal, half)[1]
    ) == pytest.approx(half)
    with pytest.raises(InertiaError, match="above the first rate"):
        half_life.from_peak_on_the_move(goal, v, 0.5 * v)


@given(half_lives, st.sampled_from(springs.RATES), st.floats(0.1, 0.9), st.floats(0.05, 0.9))
def test_a_spring_that_moves_already_is_found_whatever_its_start(
    half: float, fps: float, part: float, speed: float
) -> None:
    goal, y = 5.0, 2.0 * np.log(2.0) / half
    # as fast as one that came from further back may be, so that it does not go beyond its goal
    x = part * goal
    v = speed * (goal - x) * y
    seconds = np.arange(int(7.0 * half * fps) + 12) / fps
    values = spring_on_the_move(x, v, goal, half, seconds)[0]
    found = on_the_move.fit_moving(seconds, values)
    assert found is not None
    assert found.half_life == pytest.approx(half, rel=0.01)
    assert (found.before, found.after) == pytest.approx((x, goal), abs=0.01)
    assert found.rate == pytest.approx(v, rel=0.02, abs=0.02)
    np.testing.assert_allclose(found.at(seconds), values, atol=1e-3)
