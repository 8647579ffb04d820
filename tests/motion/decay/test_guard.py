# SPDX-License-Identifier: GPL-3.0-or-later
"""The guard keeps what it promises, measured by sampling the curves densely."""

from __future__ import annotations

import functools
import math

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from inertia_addon.motion import quaternion
from inertia_addon.motion.decay import decay
from inertia_addon.motion.decay.decay import Method
from inertia_addon.motion.decay.offset import Guard, excursion, guard
from inertia_addon.motion.quaternion import Array
from tests.motion.strategies import axes, methods, seconds, unit_quaternions, vectors

LONG = 30.0
"""Half-lives after which a spring is sampled no further."""

SOFT_PEAK = max(
    np.polynomial.Polynomial([0.0, 1.0, -2.0 / 3.0, -11.0 / 3.0, 16.0 / 3.0, -2.0])(
        np.linspace(0.0, 1.0, 100_001)
    )
)
"""The peak of SOFT's (1 - s)^2 (s + 4/3 s^2 - 2 s^3), multiplied out."""

POWER = {method: form.power for method, form in decay.FORMS.items() if form.is_plain}


@functools.cache
def sampled_peak(method: Method) -> float:
    """How far a velocity of 1 alone swings out in a blend time of 1."""
    v = np.array([1.0, 0.0, 0.0])
    return float(sampled_curve(method, 0.0 * v, v, 1.0, 100_001)[:, 0].max())


def sampled_curve(method: Method, x: Array, v: Array, length: float, samples: int = 4001) -> Array:
    """An offset's way to zero, densest just after the cut: (samples, 3)."""
    end = LONG * length if method is Method.SPRING else length
    times = end * np.linspace(0.0, 1.0, samples) ** 2
    return decay.evaluate(decay.make(method, x, v, length), x, v, times)


def sampled_excursion(method: Method, x: Array, v: Array, length: float) -> float:
    """How far an offset grows, or swings past zero against its first direction."""
    f = sampled_curve(method, x, v, length)
    size = float(np.linalg.norm(x))
    grown = np.linalg.norm(f, axis=-1).max() - size
    past_zero = -(f @ x).min() / size if size > 0.0 else 0.0
    return float(max(grown, past_zero, 0.0))


@st.composite
def offsets(draw: st.DrawFn) -> tuple[Array, Array, float]:
    """Offset, rate and blend time: in general position, along one line, with x or v of zero or tiny."""
    x, length = draw(vectors(2.0)), draw(seconds())
    kind = draw(st.sampled_from(["general", "along", "at rest", "no offset", "tiny offset", "fast"]))
    v = draw(vectors(10.0))
    if kind == "along":
        v = x * draw(st.floats(-10.0, 10.0)) / length
    elif kind == "at rest":
        v = np.zeros(3)
    elif kind == "no offset":
        x = np.zeros(3)
    elif kind == "tiny offset":
        x = 1e-6 * x
    elif kind == "fast":
        v = 20.0 * v
    assume(not 0.0 < np.linalg.norm(x) < 1e-12)
    return x, v, length


# the excursion


NEAR_ITS_SIZE = (np.array([1.0, 0.0, 0.0]), np.array([-1.15, 3.95, 0.0]), 1.0)
"""A SMOOTH offset that first shrinks, then grows to 5e-5 beyond its size at the cut."""

SLOW = (np.array([1.0, 0.0, 0.0]), np.array([0.01, 0.0, 0.0]), 1.0)
"""An offset whose peak lies close to the cut."""


@given(methods(), offsets())
@example(Method.SMOOTH, NEAR_ITS_SIZE)
@example(Method.SMOOTH, SLOW)
def test_the_excursion_is_what_dense_sampling_finds(
    method: Method, offset: tuple[Array, Array, float]
) -> None:
    x, v, length = offset
    found = float(excursion(method, x, v, length))
    expected = sampled_excursion(method, x, v, length)
    scale = float(np.linalg.norm(x))
    assert found == pytest.approx(expected, rel=1e-4, abs=2e-6 * scale + 1e-12)
    # samples can only miss a peak, so the guard's answer is never below them
    assert found >= expected * (1.0 - 1e-6) - 1e-9 * scale


@given(st.sampled_from(list(POWER)), axes(), st.floats(0.01, 10.0), st.floats(0.0, 20.0), seconds())
def test_an_offset_that_moves_away_peaks_where_the_closed_form_says(
    method: Method, axis: Array, size: float, rate: float, length: float
) -> None:
    n = POWER[method]
    reach = rate * length
    w = reach + n * size
    s = reach / (w * (n + 1))
    expected = (1.0 - s) ** n * (size + w * s) - size
    found = excursion(method, size * axis, rate * axis, length)
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-12 * size)


@given(axes(), st.floats(0.01, 100.0), seconds())
def test_a_velocity_alone_swings_out_by_a_known_part(axis: Array, rate: float, length: float) -> None:
    zero = np.zeros(3)
    for method, n in POWER.items():
        expected = rate * length * n**n / (n + 1) ** (n + 1)
        assert excursion(method, zero, rate * axis, length) == pytest.approx(expected, rel=1e-12)
    # SMOOTH: (1 - s)^3 (s + 3 s^2) has its peak where 1 + 2 s - 15 s^2 is zero, at s = 1/3
    expected = rate * length * (2.0 / 3.0) ** 3 * (1.0 / 3.0 + 1.0 / 3.0)
    assert excursion(Method.SMOOTH, zero, rate * axis, length) == pytest.approx(expected, rel=1e-6)
    expected = rate * length / (2.0 * math.log(2.0) * math.e)
    assert excursion(Method.SPRING, zero, rate * axis, length) == pytest.approx(expected, rel=1e-12)


@given(methods(), offsets(), unit_quaternions())
def test_the_excursion_does_not_depend_on_the_axes(
    method: Method, offset: tuple[Array, Array, float], turn: Array
) -> None:
    x, v, length = offset
    turned = excursion(method, quaternion.rotate(turn, x), quaternion.rotate(turn, v), length)
    scale = float(np.linalg.norm(x))
    assert turned == pytest.approx(float(excursion(method, x, v, length)), rel=1e-6, abs=1e-9 * scale + 1e-12)


@given(methods(), offsets(), st.floats(1.0, 3.0))
def test_a_longer_blend_never_swings_less(
    method: Method, offset: tuple[Array, Array, float], factor: float
) -> None:
    # what makes bisection for the longest allowed blend time right
    x, v, length = offset
    scale = float(np.linalg.norm(x))
    shorter, longer = excursion(
        method, np.stack([x, x]), np.stack([v, v]), np.array([length, length * factor])
    )
    assert longer >= shorter * (1.0 - 1e-6) - 1e-9 * scale


@given(methods(), axes(), axes(), st.floats(0.0, 10.0), st.floats(0.0, 15.0))
def test_blends_of_growing_length_swing_ever_more(
    method: Method, axis: Array, other: Array, towards: float, away: float
) -> None:
    lengths = np.geomspace(0.01, 5.0, 300)
    x = np.broadcast_to(axis, (300, 3))
    v = np.broadcast_to(away * other - towards * axis, (300, 3))
    assert np.diff(excursion(method, x, v, lengths)).min() >= -1e-7


# LIMIT


@given(methods(), offsets(), st.floats(-3.0, 0.5))
@example(Method.SMOOTH, NEAR_ITS_SIZE, -4.0)
def test_limit_bounds_the_excursion(
    method: Method, offset: tuple[Array, Array, float], exponent: float
) -> None:
    x, v, length = offset
    limit = 10.0**exponent
    guarded = guard(Guard.LIMIT, method, x[None], v[None], length, limit)
    after = sampled_excursion(method, x, v, float(guarded.seconds[0]))
    assert after <= limit * (1.0 + 1e-6) + 1e-12
    assert guarded.excursion_after[0] == pytest.approx(after, rel=1e-3, abs=1e-6)
    assert_array_equal(guarded.velocity[0], v)
    assert not guarded.dropped[0]


@given(methods(), offsets(), st.floats(-3.0, 0.5))
def test_limit_shortens_no_blend_more_than_it_must(
    method: Method, offset: tuple[Array, Array, float], exponent: float
) -> None:
    x, v, length = offset
    limit = 10.0**exponent
    guarded = guard(Guard.LIMIT, method, x[None], v[None], length, limit)
    before = sampled_excursion(method, x, v, length)
    if before < limit * (1.0 - 1e-3):
        assert guarded.seconds[0] == length
        assert guarded.excursion_after[0] == guarded.excursion_before[0]
    elif before > limit * (1.0 + 1e-3):
        assert 0.0 < guarded.seconds[0] < length
        after = sampled_excursion(method, x, v, float(guarded.seconds[0]))
        assert after == pytest.approx(limit, rel=1e-3)


@given(methods(), axes(), st.floats(0.1, 100.0), st.floats(0.001, 1.0))
def test_limit_finds_the_blend_time_that_the_closed_form_gives(
    method: Method, axis: Array, rate: float, limit: float
) -> None:
    per_second = {
        Method.CUBIC: 4.0 / 27.0,
        Method.ZERO_JERK: 256.0 / 3125.0,
        Method.SMOOTH: 16.0 / 81.0,
        Method.SOFT: SOFT_PEAK,
        Method.SPRING: 1.0 / (2.0 * math.log(2.0) * math.e),
    }
    longest = limit / (rate * (per_second.get(method) or sampled_peak(method)))
    guarded = guard(Guard.LIMIT, method, np.zeros((1, 3)), rate * axis[None], 2.0, limit)
    assert guarded.seconds[0] == pytest.approx(min(2.0, longest), rel=1e-5)


# STRICT


@given(methods(), offsets())
def test_strict_never_crosses_zero_nor_grows(method: Method, offset: tuple[Array, Array, float]) -> None:
    x, v, length = offset
    guarded = guard(Guard.STRICT, method, x[None], v[None], length, 0.0)
    f = sampled_curve(method, x, guarded.velocity[0], float(guarded.seconds[0]))
    size = float(np.linalg.norm(x))
    assert np.diff(np.linalg.norm(f, axis=-1)).max() <= 1e-12 * size
    assert (f @ x).min() >= -1e-12 * size * size
    assert guarded.seconds[0] <= length
    assert guarded.excursion_after[0] <= 1e-12 * size


@given(methods(), axes(), st.floats(0.01, 2.0), st.floats(0.01, 50.0), seconds())
def test_strict_is_bollos_clamp(method: Method, axis: Array, size: float, rate: float, length: float) -> None:
    towards = guard(Guard.STRICT, method, size * axis[None], -rate * axis[None], length, 0.0)
    # SOFT would swing past zero from 3 on, and dips and rises again just before that
    known = {Method.SMOOTH: 5.0, Method.SOFT: 2.8715268, Method.SPRING: 2.0 * math.log(2.0)}
    known |= {plain: n + 1.0 for plain, n in POWER.items()}
    factor = known.get(method) or decay.calmest(method, monotonic=True)
    assert towards.seconds[0] == pytest.approx(
        min(length, factor * size / rate), rel=1e-7 if method is Method.SOFT else 1e-9
    )
    assert_allclose(towards.velocity[0], -rate * axis, rtol=1e-9, atol=1e-12 * rate)
    assert not towards.dropped[0]
    # a hair longer and the curve would cross zero: the clamp takes no more than it must
    if towards.seconds[0] < length:
        assert sampled_excursion(method, size * axis, -rate * axis, 1.2 * float(towards.seconds[0])) > 0.0
    away = guard(Guard.STRICT, method, size * axis[None], rate * axis[None], length, 0.0)
    assert away.seconds[0] == length
    assert_array_equal(away.velocity[0], 0.0)
    assert away.dropped[0]


def test_strict_stops_an_offset_of_nothing() -> None:
    guarded = guard(Guard.STRICT, Method.CUBIC, np.zeros((1, 3)), np.ones((1, 3)), 0.4, 0.0)
    assert_array_equal(guarded.velocity, np.zeros((1, 3)))
    assert guarded.seconds[0] == 0.4


# OFF, and many at once


@given(methods(), offsets())
def test_a_guard_that_is_off_changes_nothing(method: Method, offset: tuple[Array, Array, float]) -> None:
    x, v, length = offset
    guarded = guard(Guard.OFF, method, x[None], v[None], length, 0.0)
    assert_array_equal(guarded.seconds, [length])
    assert_array_equal(guarded.velocity, v[None])
    assert_array_equal(guarded.excursion_before, guarded.excursion_after)
    assert not guarded.dropped[0]


@given(methods(), st.sampled_from(list(Guard)), st.integers(0, 2**32 - 1))
def test_offsets_are_each_guarded_as_if_alone(method: Method, kind: Guard, seed: int) -> None:
    rng = np.random.default_rng(seed)
    x, v = rng.normal(size=(4, 3)), 10.0 * rng.normal(size=(4, 3))
    x[0], v[1] = 0.0, 0.0
    length, limit = rng.uniform(0.1, 1.0, 4), rng.uniform(0.01, 1.0, 4)
    limit[2] = np.inf
    given_x, given_v, given_length = x.copy(), v.copy(), length.copy()
    together = guard(kind, method, x, v, length, limit)
    for i in range(4):
        alone = guard(kind, method, x[i : i + 1], v[i : i + 1], length[i : i + 1], limit[i : i + 1])
        assert_allclose(together.seconds[i], alone.seconds[0], rtol=1e-9)
        assert_allclose(together.velocity[i], alone.velocity[0], rtol=1e-9)
        assert_allclose(together.excursion_after[i], alone.excursion_after[0], rtol=1e-6, atol=1e-12)
    # what was handed in is left as it was
    assert_array_equal(x, given_x)
    assert_array_equal(v, given_v)
    assert_array_equal(length, given_length)
