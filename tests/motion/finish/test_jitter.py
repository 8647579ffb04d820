# SPDX-License-Identifier: GPL-3.0-or-later
"""Noise is measured as it is, and what is smoothed keeps peaks, timing and what has no noise."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inertia_addon.motion import quaternion
from inertia_addon.motion.arrays import Array
from inertia_addon.motion.finish import jitter
from inertia_addon.motion.pops import finding

FRAMES = np.arange(160)


def swing(slow: float = 20.0, size: float = 0.6) -> Array:
    """A bone that swings about two axes (n, 4)."""
    turns = np.stack([np.sin(FRAMES / slow), 0.5 * np.cos(FRAMES / slow), 0.0 * FRAMES], axis=1)
    return quaternion.exp(size * turns)


def noisy(turns: Array, deviation: float, seed: int = 0) -> Array:
    """The same with noise about each axis."""
    rng = np.random.default_rng(seed)
    return quaternion.multiply(quaternion.exp(deviation * rng.normal(size=(len(turns), 3))), turns)


def away(one: Array, other: Array) -> Array:
    """How far rotations are apart, radians."""
    return np.linalg.norm(quaternion.log(quaternion.multiply(one, quaternion.conjugate(other))), axis=1)


def measured(turns: Array) -> Array:
    """The noise of one bone in each window."""
    return jitter.measure_noise(finding.steps_of(turns[:, None], is_rotation=True))[1][:, 0]


@settings(deadline=None, max_examples=15)
@given(st.floats(0.003, 0.03), st.integers(0, 99))
def test_noise_is_measured_as_it_is(deviation: float, seed: int) -> None:
    assert np.median(measured(noisy(swing(), deviation, seed))) == pytest.approx(deviation, rel=0.3)


def test_motion_without_noise_has_none() -> None:
    assert measured(swing()).max() < 1e-4


def test_takes_of_a_few_frames_say_nothing_of_noise() -> None:
    firsts, deviations = jitter.measure_noise(np.zeros((8, 2, 3)))
    assert len(firsts) == 0
    assert deviations.shape == (0, 2)


@settings(deadline=None, max_examples=15)
@given(st.floats(0.004, 0.02), st.integers(0, 99))
def test_smoothing_comes_nearer_to_the_motion_and_moves_nothing_further_than_the_noise(
    deviation: float, seed: int
) -> None:
    clean = swing()
    given_turns = noisy(clean, deviation, seed)
    smooth = jitter.smooth_rotations(given_turns, deviation)
    rms = [np.sqrt(np.mean(away(each, clean) ** 2)) for each in (given_turns, smooth)]
    assert rms[1] < 0.6 * rms[0]
    assert away(smooth, given_turns).max() <= jitter.FURTHEST * deviation + 1e-9


def test_peaks_keep_their_height_and_their_frame() -> None:
    deviation = 0.008
    height = 0.9 * np.exp(-0.5 * ((FRAMES - 70) / 2.5) ** 2)
    clean = quaternion.exp(height[:, None] * np.array([1.0, 0.0, 0.0]))
    smooth = jitter.smooth_rotations(noisy(clean, deviation), deviation)
    angles = 2.0 * np.arccos(np.clip(np.abs(smooth[:, 0]), 0.0, 1.0))
    assert abs(int(np.argmax(angles)) - 70) <= 1
    assert angles.max() == pytest.approx(0.9, abs=jitter.FURTHEST * deviation)


def test_frames_that_may_not_change_stay() -> None:
    turns, may = noisy(swing(), 0.01), FRAMES > 80
    smooth = jitter.smooth_rotations(turns, 0.01, may)
    np.testing.assert_allclose(smooth[~may], turns[~may], atol=1e-12)
    assert away(smooth[may], turns[may]).max() > 1e-3


def test_places_are_smoothed_as_rotations_are() -> None:
    clean = np.stack([np.sin(FRAMES / 25.0), FRAMES / 40.0, 0.0 * FRAMES], axis=1)
    noise = 0.01 * np.random.default_rng(1).normal(size=clean.shape)
    smooth = jitter.smooth_places(clean + noise, 0.01)
    assert np.sqrt(np.mean((smooth - clean) ** 2)) < 0.6 * np.sqrt(np.mean(noise**2))
    # what goes straight on stays, ends and all
    straight = np.outer(FRAMES, [0.1, 0.0, -0.2])
    np.testing.assert_allclose(jitter.smooth_places(straight, 0.01), straight, atol=1e-9)


@pytest.mark.parametrize("half", jitter.HALF_WIDTHS)
def test_cubics_keep_cubics(half: int) -> None:
    t = np.arange(-half, half + 1.0)
    for power in range(4):
        assert jitter.cubic_weights(half) @ (t + 2.0) ** power == pytest.approx(2.0**power, abs=1e-7)


@pytest.mark.parametrize("count", [1, 3, 5])
def test_takes_of_a_few_frames_stay_as_they_are(count: int) -> None:
    np.testing.assert_array_equal(jitter.smooth_rotations(swing()[:count], 0.1), swing()[:count])
    np.testing.assert_array_equal(jitter.smooth_places(swing()[:count, 1:], 0.1), swing()[:count, 1:])
