# SPDX-License-Identifier: GPL-3.0-or-later
"""The way through knots: exact on each, and the spline that scipy has for the same."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.interpolate import CubicSpline

from inertia_addon.motion.fill.knots import interpolate_knots


@given(st.integers(2, 9), st.integers(0, 2**31))
def test_the_way_through_knots_is_the_clamped_spline(count: int, seed: int) -> None:
    drawn = np.random.default_rng(seed)
    knot_times, values = np.cumsum(drawn.uniform(0.02, 3.0, count)), drawn.normal(size=(count, 2, 3))
    times = np.linspace(knot_times[0], knot_times[-1], 40)
    spline = CubicSpline(knot_times, values, bc_type="clamped")
    np.testing.assert_allclose(interpolate_knots(knot_times, values, times), spline(times), atol=1e-9)


@given(st.integers(2, 9), st.integers(0, 2**31))
def test_knots_are_met_exactly(count: int, seed: int) -> None:
    drawn = np.random.default_rng(seed)
    knot_times, values = np.cumsum(drawn.uniform(0.02, 3.0, count)), drawn.normal(size=(count, 3))
    np.testing.assert_array_equal(interpolate_knots(knot_times, values, knot_times), values)
