# SPDX-License-Identifier: GPL-3.0-or-later
"""Roots between 0 and 1, many at once, against polynomials made of their roots."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.polynomial import polynomial
from numpy.testing import assert_allclose

from inertia_addon.motion.decay import polynomials

PLACES = st.lists(st.integers(-40, 140).map(lambda n: n / 100.0), min_size=1, max_size=4, unique=True)


@given(st.lists(PLACES, min_size=1, max_size=5), st.floats(0.1, 10.0), st.sampled_from([1.0, -1.0]))
def test_the_roots_within_are_found_and_no_others(many: list[list[float]], size: float, sign: float) -> None:
    degree = max(map(len, many))
    made = np.zeros((degree + 1, len(many)))
    for i, places in enumerate(many):
        made[: len(places) + 1, i] = sign * size * polynomial.polyfromroots(places)
    found = polynomials.roots(made)
    assert found.shape == (degree, len(many))
    for i, places in enumerate(many):
        # one on an end may count or not: nothing is on its other side
        inside = sorted(place for place in places if 0.0 < place < 1.0)
        some = [root for root in found[:, i] if 1e-9 < root < 1.0 - 1e-9]
        assert_allclose(some, inside, atol=1e-9)


@given(st.lists(st.floats(-5.0, 5.0), min_size=1, max_size=6), st.floats(0.0, 1.0))
def test_values_and_derivatives_are_numpys(coefficients: list[float], r: float) -> None:
    made = np.array(coefficients)
    assert_allclose(polynomials.value(made, np.array(r)), polynomial.polyval(r, made), atol=1e-12)
    slope = polynomials.derivative(made)
    assert_allclose(
        polynomials.value(slope, np.array(r)), polynomial.polyval(r, polynomial.polyder(made)), atol=1e-12
    )


def test_of_nothing_there_are_none() -> None:
    assert polynomials.roots(np.zeros((4, 3))).tolist() == np.zeros((3, 3)).tolist()
    assert polynomials.roots(np.ones((1, 2))).shape == (0, 2)
