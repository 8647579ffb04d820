# SPDX-License-Identifier: GPL-3.0-or-later
"""Least squares by asking."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from inertia_addon.motion import least_squares
from inertia_addon.motion.arrays import Array

angles = st.floats(-1.2, 1.2)


def arm(x: Array) -> Array:
    """Where the joints of an arm in a plane are."""
    turned = np.cumsum(x)
    return np.cumsum(np.stack([np.cos(turned), np.sin(turned)], axis=1), axis=0).ravel()


@given(st.lists(angles, min_size=1, max_size=3), st.lists(angles, min_size=3, max_size=3))
def test_an_arm_gets_to_where_it_was_posed(there: list[float], start: list[float]) -> None:
    wanted = arm(np.array(there))
    found = least_squares.solve(
        lambda x: arm(x) - wanted, np.array(start[: len(there)]), 1e-4, 0.5, 1e-8, 200
    )
    assert np.abs(arm(found) - wanted).max() < 1e-6


@given(st.lists(angles, min_size=2, max_size=2), st.floats(1.5, 4.0), st.floats(-1.2, 1.2))
def test_an_arm_is_as_near_as_can_be_to_what_is_out_of_reach(
    start: list[float], far: float, way: float
) -> None:
    """An arm of two bones of length 1 points there."""
    wanted = (2.0 + far) * np.array([np.cos(way), np.sin(way)])
    asked: list[Array] = []

    def residual(x: Array) -> Array:
        asked.append(x)
        return arm(x)[-2:] - wanted

    found = least_squares.solve(residual, np.array(start), 1e-4, 0.5, 1e-9, 300)
    assert np.linalg.norm(residual(found)) <= far * 1.001
    assert len(asked) < 600


def test_a_start_that_nothing_moves_stays_where_it_is() -> None:
    start = np.array([1.0, 2.0])
    found = least_squares.solve(lambda _: np.array([3.0, 4.0]), start, 0.1, 0.5, 1e-6, 10)
    np.testing.assert_array_equal(found, start)
