# SPDX-License-Identifier: GPL-3.0-or-later
"""What of a motion is not foreseen, at its ends as well, and how much of that is usual."""

from __future__ import annotations

import numpy as np
import pytest

from inertia_addon.motion.pops import expected


@pytest.mark.parametrize("fps", [24.0, 30.0, 120.0])
def test_a_long_motion_is_as_the_whole_covariance_says(fps: float) -> None:
    long = expected.precision(300, fps)
    seconds = np.sqrt(5.0) * np.arange(300) / (fps * expected.SMOOTH_SECONDS)
    of_lag = (1.0 + seconds + seconds**2 / 3.0) * np.exp(-seconds)
    apart = np.abs(np.arange(300)[:, None] - np.arange(300)[None, :])
    whole = np.linalg.inv(of_lag[apart] + expected.NOISE * np.eye(300))
    largest = np.abs(whole).max()
    for lag in (0, 1, 2, 7, expected.REACH, 40):
        np.testing.assert_allclose(long.diagonal(lag), np.diagonal(whole, lag), atol=2e-4 * largest)
    for step in (0, 5, 130, 294, 299):
        near = slice(max(step - 8, 0), step + 9)
        np.testing.assert_allclose(
            long.column(step, near)[: 300 - near.start], whole[step, near], atol=2e-4 * largest
        )
    steps = np.random.default_rng(1).normal(size=(300, 2, 3))
    said = np.einsum("ij,jmk->imk", whole, steps)
    np.testing.assert_allclose(long.unforeseen(steps), said, atol=2e-3 * np.abs(said).max())


def test_a_smooth_motion_is_foreseen_and_a_jump_is_not() -> None:
    fit = expected.precision(90, 30.0)
    smooth = 0.3 * np.sin(0.2 * np.arange(90.0))[:, None, None] * np.ones(3)
    jumps = smooth.copy()
    jumps[45] += 0.2
    left = np.abs(fit.unforeseen(smooth))[10:-10].max()
    assert np.abs(fit.unforeseen(jumps))[45].min() > 10.0 * left


def test_a_usual_change_goes_by_direction_and_a_rare_one_hardly_counts() -> None:
    rng = np.random.default_rng(1)
    alike = rng.normal(size=(2000, 1, 3)) * (1.0, 0.2, 0.0)
    (factors,) = expected.usual(alike, 0.01).factors
    times = np.linalg.norm(np.eye(3) * (1.0, 0.2, 0.05) @ factors, axis=1)
    assert times[:2] == pytest.approx(1.0, abs=0.06)
    assert times[2] == pytest.approx(1.0, abs=0.06)
    alike[:20] = (0.0, 50.0, 0.0)
    (again,) = expected.usual(alike, 0.01).factors
    assert np.linalg.norm(np.array([0.0, 0.2, 0.0]) @ again) > 0.8


def test_a_part_can_be_told_anew() -> None:
    alike = np.random.default_rng(2).normal(size=(40, 2, 3))
    alike[10] = 30.0
    usual = expected.usual(alike, 0.01)
    other = alike[5:15, 1].copy()
    other[5] = 0.1
    changed = alike.copy()
    changed[5:15, 1] = other
    (_, wanted) = expected.usual(changed, 0.01).factors
    vectors = np.random.default_rng(3).normal(size=(20, 3))
    told = np.linalg.norm(vectors @ usual.factors_with(1, slice(5, 15), other), axis=1)
    np.testing.assert_allclose(told, np.linalg.norm(vectors @ wanted, axis=1), rtol=0.1)
