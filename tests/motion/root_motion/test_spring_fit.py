# SPDX-License-Identifier: GPL-3.0-or-later
"""Springs fitted to made-up motion: how close they come, and whether their intervals hold the truth."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from inertia_addon.motion.root_motion import spring_fit
from tests.motion import springs

half_lives = st.floats(0.05, 2.0)


@settings(max_examples=30, deadline=None)
@given(half_lives, st.sampled_from(springs.RATES), st.booleans(), st.floats(-8.0, 8.0), st.floats(-8.0, 8.0))
def test_springs_without_noise_are_found_exactly(
    half: float, fps: float, means: bool, before: float, after: float
) -> None:
    if abs(after - before) < 0.01:
        after = before + 1.0
    over = 1.0 / fps if means else 0.0
    seconds = np.arange(int((0.5 + 7.0 * half) * fps) + 8) / fps
    values = before + (after - before) * springs.exact(half, seconds, 0.3, over)
    found = spring_fit.fit(seconds, values, over) if means else spring_fit.fit(seconds, values)
    assert found is not None
    assert found.half_life == pytest.approx(half, rel=1e-3)
    assert (found.before, found.after) == pytest.approx((before, after), abs=0.01 * abs(after - before))
    assert found.begin == pytest.approx(0.3, abs=0.05 * half)
    assert found.residual**2 < 0.00001 * values.var()


def test_random_springs(some: Callable[[int], int]) -> None:
    """As many as a check has time for; ``make half-lives`` fits a thousand."""
    found = springs.outcomes(some(120), seed=20)
    assert np.mean([one.fit_error < 0.05 for one in found]) >= 0.95
    assert np.mean([one.closed_form_error < 0.15 for one in found if springs.resolvable(one)]) >= 0.90
    assert 0.90 <= np.mean([one.covered for one in found]) <= 0.99


def test_what_frames_can_not_resolve_is_said() -> None:
    random = np.random.default_rng(3)
    for _ in range(10):
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
    for _ in range(30):
        stride = 0.08 * np.sin(2.0 * np.pi * (2.8 * seconds + random.random()))
        found = spring_fit.fit(seconds, springs.exact(0.25, seconds, 0.4) + stride)
        assert found is not None
        covered.append(found.low <= 0.25 <= found.high)
        widths.append(found.high / max(found.low, 1e-9))
    assert np.mean(covered) >= 0.9


def test_nothing_to_fit() -> None:
    assert spring_fit.fit(np.arange(5) / 30.0, np.arange(5.0)) is None
    assert spring_fit.fit(np.arange(50) / 30.0, np.full(50, 3.0)) is None


@given(st.floats(2.0, 500.0))
def test_quantiles_are_those_of_student(freedom: float) -> None:
    expected = stats.t.ppf(0.5 * (1.0 + spring_fit.CONFIDENCE), freedom)
    assert spring_fit._quantile(freedom) == pytest.approx(expected, rel=0.03)
