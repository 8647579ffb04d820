# SPDX-License-Identifier: GPL-3.0-or-later
"""Where ramps are found, and what is said of those that a spring can't be fitted to."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inertia_addon.motion.root_motion import ramps
from inertia_addon.motion.root_motion.ramps import Series
from tests.motion import springs

FPS = 60.0


def series_of(*changes: tuple[float, float, float], seconds: float, start: float = 0.0) -> Series:
    """Springs one after the other: (when, how much, half-life) of each."""
    at = np.arange(int(seconds * FPS)) / FPS
    values = start + sum(change * springs.exact(half, at, when) for when, change, half in changes)
    noise = np.random.default_rng(4).normal(0.0, 0.005, len(at))
    return Series(at, values + noise)


def measured(series: Series, window: float = 0.5) -> list[ramps.Ramp]:
    found = [ramps.measure_ramp(series, *span) for span in ramps.find(series, window)]
    assert all(found)
    return [ramp for ramp in found if ramp is not None]


def test_a_start_and_a_stop() -> None:
    found = measured(series_of((1.0, 3.0, 0.2), (5.0, -3.0, 0.3), seconds=9.0))
    assert [round(ramp.change) for ramp in found] == [3, -3]
    assert [ramp.fit.half_life for ramp in found] == pytest.approx([0.2, 0.3], rel=0.05)
    assert all(ramp.is_spring and ramp.agree and ramp.resolved and not ramp.is_bound for ramp in found)


def test_two_ramps_with_a_rest_between() -> None:
    found = measured(series_of((1.0, 1.5, 0.15), (4.0, 2.5, 0.25), seconds=8.0))
    assert [ramp.change for ramp in found] == pytest.approx([1.5, 2.5], abs=0.1)
    assert [ramp.fit.half_life for ramp in found] == pytest.approx([0.15, 0.25], rel=0.06)


@settings(max_examples=12, deadline=None)
@given(
    st.floats(0.08, 0.3),
    st.floats(0.08, 0.3),
    st.sampled_from([-1.0, 1.0]),
    st.floats(-6.0, 6.0),
    st.floats(0.5, 4.0),
)
def test_ranges_are_in_order_and_apart(
    first: float, second: float, sign: float, start: float, size: float
) -> None:
    series = series_of((1.0, sign * size, first), (3.5, -sign * size, second), seconds=7.0, start=start)
    found = ramps.find(series, 0.5)
    assert len(found) == 2
    (a, b), (c, d) = found
    assert series.seconds[0] <= a < b <= c < d <= series.seconds[-1]
    # the fits see their own ramp, whole
    assert a < 1.0 < 1.0 + 2.0 * first < b
    assert c < 3.5 < 3.5 + 2.0 * second < d


def test_strides_are_no_ramps() -> None:
    at = np.arange(int(5 * FPS)) / FPS
    walking = 1.4 + 0.15 * np.sin(2.0 * np.pi * 2.0 * at)
    assert ramps.find(Series(at, walking), 0.7) == []


@given(st.integers(0, 2**32 - 1), st.integers(0, 200))
def test_noise_is_no_ramp(seed: int, count: int) -> None:
    values = np.random.default_rng(seed).normal(1.0, 0.1, count)
    assert ramps.find(Series(np.arange(count) / FPS, values), 0.7) == []


@given(
    speed=st.floats(0.5, 10.0),
    far=st.floats(1.0, 1e4),
    start=st.floats(-100.0, 100.0),
)
def test_a_steady_speed_is_no_ramp_however_places_are_rounded(speed: float, far: float, start: float) -> None:
    at = np.arange(121.0) / FPS
    places = ((start + speed * at) * far).astype(np.float32).astype(float) / far
    assert ramps.find(Series(at[1:-1], (places[2:] - places[:-2]) * FPS / 2.0), 0.5) == []


def test_a_ramp_that_goes_on_after_the_clip() -> None:
    series = series_of((1.0, 3.0, 0.5), seconds=2.0)
    (ramp,) = measured(series)
    assert ramp.ends_after
    assert not ramp.begins_before
    assert ramp.closed_form < 0.5 * 1.02  # a lower bound
    assert ramp.fit.low < 0.5 < ramp.fit.high


def test_a_ramp_that_began_before_the_clip() -> None:
    whole = series_of((1.0, 3.0, 0.4), seconds=5.0)
    first = int(1.35 * FPS)
    series = Series(whole.seconds[first:], whole.values[first:])
    (ramp,) = measured(series)
    assert ramp.begins_before
    assert not ramp.ends_after
    assert ramp.closed_form < 0.4 * 1.02


@pytest.mark.parametrize("half", [0.25, 0.6])
def test_a_ramp_that_begins_at_half_speed_is_no_bound(half: float) -> None:
    whole = series_of((1.0, 3.0, half), seconds=1.0 + 7.0 * half)
    first = int(np.argmax(whole.values > 0.5 * whole.values.max()))
    noise = np.random.default_rng(3).normal(0.0, 0.01, len(whole.values) - first)
    ramp = ramps.measure_ramp(Series(whole.seconds[first:], whole.values[first:] + noise), 0.0, np.inf)
    assert ramp is not None
    assert ramp.fit is not None
    assert ramp.is_on_the_move
    assert not ramp.is_bound
    assert ramp.is_closed_form_bound
    assert ramp.fit.half_life == pytest.approx(half, rel=0.05)
    assert ramp.fit.low <= half <= ramp.fit.high


def test_a_ramp_that_is_no_spring_is_called_none() -> None:
    at = np.arange(int(6 * FPS)) / FPS
    steps = np.interp(at, [0, 1, 1.2, 2.6, 2.8, 6], [0, 0, 1.3, 1.1, 3, 3]) + 0.9 * np.sin(9 * at) * (at > 3)
    ramp = ramps.measure_ramp(Series(at, steps), 0.5, 5.5, 0.1)
    assert ramp is not None
    assert not ramp.is_spring


def test_estimators_that_disagree() -> None:
    # a straight ramp: its peak rate is its mean rate, its tail has no end
    at = np.arange(int(4 * FPS)) / FPS
    ramp = ramps.measure_ramp(Series(at, np.interp(at, [0, 1, 3, 4], [0, 0, 3, 3])), 0.5, 3.2)
    assert ramp is not None
    assert not ramp.agree


def test_a_flat_series_has_no_ramp() -> None:
    flat = Series(np.arange(50) / FPS, np.full(50, 2.0))
    assert ramps.measure_ramp(flat, 0.0, 0.8) is None
    assert ramps.measure_ramp(flat, 0.0, 0.05) is None
    assert ramps.measure_ramp(flat, 9.0, 9.5) is None
