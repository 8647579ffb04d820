# SPDX-License-Identifier: GPL-3.0-or-later
"""Filters against polynomials fitted sample by sample, and the removal of single jumps."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.polynomial import Polynomial

from inertia_addon.motion.root_motion import filters

seeds = st.integers(0, 2**32 - 1)


def fit_around(values: np.ndarray, samples: int, degree: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the values and the slopes per sample, each (n,), of polynomials fitted around each sample.

    values: (n,). samples: how many each is fitted to; at the ends these are the first and the last ones.
    """
    fitted = []
    for i in range(len(values)):
        start = min(max(i - samples // 2, 0), len(values) - samples)
        window = np.arange(start, start + samples)
        polynomial = Polynomial.fit(window, values[window], degree)
        fitted.append((polynomial(i), polynomial.deriv()(i)))
    return tuple(np.array(fitted).T)


@given(seeds, st.integers(1, 20), st.integers(1, 3), st.integers(0, 60))
def test_smoothing_and_slopes_are_those_of_fitted_polynomials(
    seed: int, half: int, degree: int, more: int
) -> None:
    samples = 2 * half + 1
    degree = min(degree, samples - 1)
    values = np.random.default_rng(seed).normal(size=(samples + more, 2))
    smooth, slopes = np.moveaxis([fit_around(column, samples, degree) for column in values.T], 0, -1)
    np.testing.assert_allclose(filters.smoothed(values, samples, degree), smooth, atol=1e-8)
    np.testing.assert_allclose(filters.slopes(values, samples, 30.0, degree), 30.0 * slopes, atol=1e-6)


@given(seeds, st.integers(0, 8), st.integers(3, 99))
def test_short_clips_are_no_error(seed: int, count: int, samples: int) -> None:
    values = np.random.default_rng(seed).normal(size=count)
    samples += 1 - samples % 2
    assert filters.smoothed(values, samples).shape == values.shape
    assert filters.slopes(values, samples, 30.0).shape == values.shape


@given(seeds)
def test_smoothing_delays_nothing(seed: int) -> None:
    values = np.random.default_rng(seed).normal(size=60)
    np.testing.assert_allclose(
        filters.smoothed(values[::-1], 9)[::-1], filters.smoothed(values, 9), atol=1e-9
    )


@given(st.floats(0.0, 3.0), st.floats(1.0, 240.0))
def test_windows_are_odd_and_about_as_long(seconds: float, rate: float) -> None:
    samples = filters.window_samples(seconds, rate)
    assert samples % 2 == 1
    assert samples >= 3
    assert samples == 3 or abs(samples - seconds * rate) <= 1.0 + 1e-9


@given(seeds, st.integers(2, 97), st.floats(0.05, 2.0))
def test_a_jump_is_found_and_mended(seed: int, at: int, size: float) -> None:
    random = np.random.default_rng(seed)
    t = np.arange(100) / 30.0
    clean = np.column_stack([0.3 * t, 0.2 * np.sin(2.0 * t)])
    values = clean + random.normal(0.0, 0.0005, clean.shape)
    angle = random.uniform(0.0, 2.0 * np.pi)
    values[at] += size * np.array([np.cos(angle), np.sin(angle)])
    found, jumps = filters.without_jumps(values)
    assert jumps == (at,)
    np.testing.assert_allclose(found[at], clean[at], atol=0.005)
    others = np.arange(100) != at
    np.testing.assert_array_equal(found[others], values[others])


@given(st.floats(0.03, 2.0), st.sampled_from([24.0, 60.0, 120.0]), st.floats(0.5, 8.0))
def test_starts_stops_and_turning_points_are_no_jumps(half: float, fps: float, change: float) -> None:
    t = np.arange(int(6 * fps)) / fps
    y = 2.0 * np.log(2.0) / half
    z = y * np.maximum(t - 1.0, 0.0)
    start = change * (1.0 - (1.0 + z) * np.exp(-z))
    for values in (start, start[::-1], np.cumsum(start) / fps, np.abs(t - 3.0), np.sin(3.0 * t)):
        assert filters.without_jumps(values[:, None])[1] == ()


@given(seeds)
def test_a_step_is_no_jump(seed: int) -> None:
    values = np.random.default_rng(seed).normal(0.0, 0.001, (80, 1))
    values[40:] += 1.0
    assert filters.without_jumps(values)[1] == ()


def test_three_quick_steps_that_go_on_are_no_jump() -> None:
    values = 1e-3 * np.random.default_rng(0).normal(size=(21, 2))
    for at, step in ((10, (0.06, 0.67)), (11, (1.16, -0.63)), (12, (1.68, 0.85))):
        values[at:] += step
    assert filters.without_jumps(values)[1] == ()


def test_jumps_are_found_where_there_are_several() -> None:
    values = np.random.default_rng(1).normal(0.0, 0.001, (200, 1))
    for at in (10, 50, 51 + 20, 150):
        values[at] += 0.5
    assert filters.without_jumps(values)[1] == (10, 50, 71, 150)
