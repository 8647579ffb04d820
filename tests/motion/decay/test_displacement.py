# SPDX-License-Identifier: GPL-3.0-or-later
"""Displacements against integration of the very curves that bakes use."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.polynomial import polynomial
from numpy.testing import assert_allclose
from numpy.typing import NDArray

from inertia_addon.motion.decay import decay
from inertia_addon.motion.decay.decay import Method

Array = NDArray[np.float64]

PLACES = st.lists(st.integers(-40, 140).map(lambda n: n / 100.0), min_size=1, max_size=4, unique=True)

METHODS = pytest.mark.parametrize("method", list(Method))
ANY = st.floats(-1e3, 1e3, allow_subnormal=False)
SECONDS = st.floats(0.01, 10.0)
NODES, WEIGHTS = np.polynomial.legendre.leggauss(24)
HALF_LIVES, PIECES = 60.0, 60
"""How far a spring is integrated, and in how many pieces: e^-40 of it is left."""


def integrated(method: Method, x: Array, v: Array, seconds: Array) -> tuple[Array, Array]:
    """Unsigned and signed areas (n,) by Gauss' quadrature, in pieces up to and from the crossings."""
    end = seconds * (HALF_LIVES if method is Method.SPRING else 1.0)
    crossings = decay.crossings(method, x, v, seconds)
    splits = [np.zeros(len(x)), *np.where(np.isnan(crossings), end, np.minimum(crossings, end)), end]
    made = decay.make(method, x[:, None], v[:, None], seconds)
    unsigned, signed = np.zeros(len(x)), np.zeros(len(x))
    for low, high in itertools.pairwise(splits):
        area = np.zeros(len(x))
        pieces = PIECES if method is Method.SPRING else 1
        for i in range(pieces):
            a, b = low + (high - low) * i / pieces, low + (high - low) * (i + 1) / pieces
            for node, weight in zip(NODES, WEIGHTS, strict=True):
                t = 0.5 * (a + b) + 0.5 * (b - a) * node
                area += 0.5 * (b - a) * weight * decay.evaluate(made, x[:, None], v[:, None], t)[:, 0]
        unsigned += np.abs(area)
        signed += area
    return unsigned, signed


def many(seed: int, count: int = 10_000) -> tuple[Array, Array, Array]:
    """Random offsets, rates and times of all sizes and signs, with the degenerate ones among them."""
    chance = np.random.default_rng(seed)
    x, v = chance.normal(size=(2, count)) * 10.0 ** chance.uniform(-4.0, 4.0, (2, count))
    seconds = 10.0 ** chance.uniform(-2.0, 1.0, count)
    x[::50], v[1::50] = 0.0, 0.0
    v[2::50] = -x[2::50] * 2.0 * np.log(2.0) / seconds[2::50]  # the spring's v + x y = 0
    for i, n in enumerate((2.0, 4.0, 5.0, 7.5, 2.5, 3.0)):
        v[3 + i :: 50] = -n * x[3 + i :: 50] / seconds[3 + i :: 50]
    return x, v, seconds


@METHODS
def test_ten_thousand_areas_are_those_of_integration(method: Method) -> None:
    x, v, seconds = many(1)
    unsigned, signed = integrated(method, x, v, seconds)
    found = decay.displacement(method, x, v, seconds)
    assert np.max(np.abs(found - unsigned) / np.maximum(unsigned, 1e-300)) < 1e-9
    size = np.maximum(unsigned, 1e-300)
    if method is not Method.SMOOTH:  # whose pull is left out of features
        of_x, of_v = decay.feature_weights(method, seconds)
        assert np.max(np.abs(of_x * x + of_v * v - signed) / size) < 1e-9


TWICE = np.array([2.8801, 2.89, 2.93, 2.97, 2.999])
"""-V / x with which SOFT crosses zero twice."""


def test_a_curve_that_crosses_zero_twice_displaces_all_three_parts() -> None:
    x, seconds = np.full(5, 0.7), np.full(5, 0.4)
    v = -TWICE * x / seconds
    t = np.linspace(0.0, 0.4, 400_001)[:, None]
    f = decay.evaluate(decay.make(Method.SOFT, x[:, None], v[:, None], seconds), x[:, None], v[:, None], t)[
        ..., 0
    ]
    signs = np.sign(f[1:-1])
    assert np.all(np.sum(signs[1:] != signs[:-1], axis=0) == 2)
    expected = 1e-6 * (np.abs(f).sum(axis=0) - 0.5 * 0.7)
    found = decay.displacement(Method.SOFT, x, v, seconds)
    np.testing.assert_allclose(found, expected, rtol=1e-9)
    first = decay.crossings(Method.SOFT, x, v, seconds)[0]
    np.testing.assert_allclose(first, 1e-6 * (1 + np.argmax(signs < 0.0, axis=0)), atol=1e-6)
    of_x, of_v = decay.feature_weights(Method.SOFT, seconds)
    assert np.all(found > of_x * x + of_v * v)


@METHODS
def test_an_offset_of_zero_displaces_nothing(method: Method) -> None:
    assert decay.displacement(method, 0.0, 0.0, 0.4) == 0.0
    assert decay.displacement(method, -0.0, 0.0, 0.4) == 0.0


@METHODS
@given(x=ANY, v=ANY, seconds=SECONDS)
def test_displacement_is_the_same_for_either_sign(method: Method, x: float, v: float, seconds: float) -> None:
    there = decay.displacement(method, x, v, seconds)
    back = decay.displacement(method, -x, -v, seconds)
    assert there == pytest.approx(back, rel=1e-12)
    assert there >= 0.0


@METHODS
@given(x=ANY, v=ANY, seconds=SECONDS, factor=st.floats(0.01, 100.0))
def test_displacement_is_twice_as_much_for_twice_the_offset(
    method: Method, x: float, v: float, seconds: float, factor: float
) -> None:
    once = decay.displacement(method, x, v, seconds)
    more = decay.displacement(method, factor * x, factor * v, seconds)
    assert more == pytest.approx(factor * once, rel=1e-9, abs=1e-200)


@METHODS
@given(x=ANY, v=ANY, seconds=SECONDS)
def test_features_are_never_more_than_the_cost(method: Method, x: float, v: float, seconds: float) -> None:
    of_x, of_v = decay.feature_weights(method, seconds)
    exact = decay.displacement(method, x, v, seconds)
    pulled = method is Method.SMOOTH and x * v < 0.0 and 2.5 < abs(v) * seconds / abs(x) < 7.5
    if not pulled:
        assert abs(of_x * x + of_v * v) <= exact * (1.0 + 1e-9) + 1e-200


@METHODS
def test_crossings_are_where_the_curve_is_zero_and_alone(method: Method) -> None:
    x, v, seconds = many(2, 2000)
    crossing = decay.crossings(method, x, v, seconds)[0]
    end = seconds * (HALF_LIVES if method is Method.SPRING else 1.0)
    crosses = ~np.isnan(crossing) & (crossing < 0.999 * end) & (crossing > 1e-6 * end)
    made = decay.make(method, x[:, None], v[:, None], seconds)

    def at(t: Array) -> Array:
        return decay.evaluate(made, x[:, None], v[:, None], t)[:, 0]

    before, after = at(crossing * (1.0 - 1e-6)), at(np.minimum(crossing * (1.0 + 1e-6), end))
    assert np.all(before[crosses] * after[crosses] <= 0.0)
    none = np.isnan(crossing) & (x != 0.0)
    for part in (0.02, 0.2, 0.5, 0.8, 0.97):
        later = at(part * np.minimum(end, 20.0 * seconds))
        assert np.all((later * np.sign(x))[none] > -1e-12 * np.abs(x)[none])


@METHODS
def test_peaks_are_the_highest_of_a_fine_look(method: Method) -> None:
    x, v, seconds = many(3, 300)
    at, peak = decay.peak(method, x, v, seconds)
    made = decay.make(method, x[:, None], v[:, None], seconds)
    t = np.linspace(0.0, 1.0, 4001)[:, None] * seconds * (10.0 if method is Method.SPRING else 1.0)
    looked = np.abs(decay.evaluate(made, x[:, None], v[:, None], t)[..., 0]).max(axis=0)
    assert np.all(np.abs(peak) >= looked * (1.0 - 1e-9))
    assert np.all(np.abs(peak) <= looked * (1.0 + 1e-3) + 1e-12)
    np.testing.assert_allclose(decay.evaluate(made, x[:, None], v[:, None], at)[:, 0], peak)


@given(st.lists(PLACES, min_size=1, max_size=5), st.floats(0.1, 10.0), st.sampled_from([1.0, -1.0]))
def test_the_roots_within_are_found_and_no_others(many: list[list[float]], size: float, sign: float) -> None:
    degree = max(map(len, many))
    made = np.zeros((degree + 1, len(many)))
    for i, places in enumerate(many):
        made[: len(places) + 1, i] = sign * size * polynomial.polyfromroots(places)
    found = decay.roots(made)
    assert found.shape == (degree, len(many))
    for i, places in enumerate(many):
        # one on an end may count or not: nothing is on its other side
        inside = sorted(place for place in places if 0.0 < place < 1.0)
        some = [root for root in found[:, i] if 1e-9 < root < 1.0 - 1e-9]
        assert_allclose(some, inside, atol=1e-9)


def test_roots_of_no_polynomial_are_none() -> None:
    assert decay.roots(np.zeros((4, 3))).tolist() == np.zeros((3, 3)).tolist()
    assert decay.roots(np.ones((1, 2))).shape == (0, 2)
