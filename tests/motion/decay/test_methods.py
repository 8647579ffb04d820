# SPDX-License-Identifier: GPL-3.0-or-later
"""Offsets start with the value and rate they had, and end as smoothly as each curve promises."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp

from inertia_addon.motion import quaternion
from inertia_addon.motion.decay import decay
from inertia_addon.motion.decay.decay import Method
from inertia_addon.motion.quaternion import Array
from tests.motion.strategies import axes, methods, seconds, unit_quaternions, vectors

POLYNOMIALS = {method: form.power + len(form.of_x) - 1 for method, form in decay.FORMS.items()}
"""Degree in t; all else that these curves promise can be read from their exact coefficients."""

ENDS_WITH = {method: form.power for method, form in decay.FORMS.items()}
"""How many derivatives, from the value on, are zero at the blend time."""

PLAIN = {method: form.power for method, form in decay.FORMS.items() if form.is_plain}
"""The curves of one formula, with its n."""

polynomials = st.sampled_from(list(POLYNOMIALS))


def at(method: Method, x: Array, v: Array, length: float, t: Array | float) -> Array:
    curve = decay.make(method, x, v, length)
    return decay.evaluate(curve, x, v, t)


def polynomial(method: Method, x: Array, v: Array, length: float) -> Array:
    """Coefficients in s = t/T of a curve, fitted through as many samples as it has: (degree + 1, 3)."""
    degree = POLYNOMIALS[method]
    s = np.linspace(0.0, 1.0, degree + 1)
    fitted: Array = np.linalg.solve(np.vander(s, increasing=True), at(method, x, v, length, s * length))
    return fitted


def derivatives(coefficients: Array, s: float) -> list[Array]:
    """Value, first, second, ... derivative in s at s."""
    curve = np.polynomial.Polynomial
    return [
        np.array([curve(column).deriv(k)(s) if k else curve(column)(s) for column in coefficients.T])
        for k in range(len(coefficients))
    ]


def test_the_table_has_the_published_powers() -> None:
    degrees = {Method.CUBIC: 3, Method.SOFT: 5, Method.SMOOTH: 5, Method.ZERO_JERK: 5}
    ends = {Method.CUBIC: 2, Method.SOFT: 2, Method.SMOOTH: 3, Method.ZERO_JERK: 4}
    assert {method: POLYNOMIALS[method] for method in degrees} == degrees
    assert {method: ENDS_WITH[method] for method in ends} == ends
    assert {method: PLAIN[method] for method in (Method.CUBIC, Method.ZERO_JERK)} == {
        Method.CUBIC: 2,
        Method.ZERO_JERK: 4,
    }
    assert set(decay.FORMS) == {*Method} - {Method.SPRING}


@pytest.mark.parametrize("form", decay.FORMS.values(), ids=[method.name for method in decay.FORMS])
def test_every_form_starts_as_it_has_to(form: decay.Form) -> None:
    assert form.of_x[:2] == (1.0, form.power)
    assert form.of_v[:2] == (0.0, 1.0)
    assert len(form.of_x) == len(form.of_v)


# the start


@given(methods(), vectors(), vectors(), seconds())
def test_an_offset_starts_where_it_is(method: Method, x: Array, v: Array, length: float) -> None:
    assert_allclose(at(method, x, v, length, 0.0), x, rtol=0.0, atol=0.0)


@given(methods(), vectors(), vectors(), seconds())
def test_an_offset_starts_at_its_rate(method: Method, x: Array, v: Array, length: float) -> None:
    step = 1e-4 * length
    f = at(method, x, v, length, step * np.arange(4.0))
    # third order, one-sided: the error is a fourth derivative away
    rate = (-11.0 * f[0] + 18.0 * f[1] - 9.0 * f[2] + 2.0 * f[3]) / (6.0 * step)
    scale = np.linalg.norm(x) / length + np.linalg.norm(v) + 1e-9
    assert_allclose(rate / scale, v / scale, atol=1e-8)


# the end


@given(polynomials, vectors(), vectors(), seconds())
def test_a_blend_ends_with_every_derivative_it_promises(
    method: Method, x: Array, v: Array, length: float
) -> None:
    found = derivatives(polynomial(method, x, v, length), 1.0)
    scale = np.linalg.norm(x) + np.linalg.norm(v) * length
    for value in found[: ENDS_WITH[method]]:
        assert_allclose(value, 0.0, atol=1e-10 * scale + 1e-100)


@given(polynomials, vectors(), vectors(), seconds(), st.floats(0.0, 100.0))
def test_an_offset_is_gone_from_the_end_on(
    method: Method, x: Array, v: Array, length: float, later: float
) -> None:
    assert_allclose(at(method, x, v, length, length + later), 0.0, atol=0.0)


# accelerations at the start


@given(vectors(), vectors(), seconds())
def test_zero_jerk_starts_with_bollos_acceleration(x: Array, v: Array, length: float) -> None:
    second = derivatives(polynomial(Method.ZERO_JERK, x, v, length), 0.0)[2]
    expected = -8.0 * v * length - 20.0 * x
    assert_allclose(second, expected, atol=1e-10 * (np.abs(expected).max() + np.abs(x).max()) + 1e-100)


@given(axes(), st.floats(1e-3, 10.0), st.floats(-8.0, 8.0), seconds())
def test_smooth_starts_with_the_engines_acceleration(
    axis: Array, size: float, u: float, length: float
) -> None:
    # a well known engine, for x >= 0 and v <= 0: max(0, (-8 v T - 20 x) / T^2)
    x, v = size * axis, u * size / length * axis
    second = derivatives(polynomial(Method.SMOOTH, x, v, length), 0.0)[2] @ axis / size
    pull = float(decay.smooth_pull(x, v, length))
    assert second == pytest.approx(pull, abs=1e-8)
    if u >= -2.5:
        assert pull == pytest.approx(0.0, abs=1e-12)
    elif u >= -5.0:
        assert pull == pytest.approx(max(0.0, -8.0 * u - 20.0), abs=1e-9)
    else:
        assert pull == pytest.approx(max(0.0, 8.0 * u + 60.0), abs=1e-9)


@given(axes(), st.floats(1e-3, 10.0), st.floats(-5.0, 0.0), seconds())
def test_smooth_neither_overshoots_nor_grows_before_its_velocity_does(
    axis: Array, size: float, u: float, length: float
) -> None:
    f = at(Method.SMOOTH, size * axis, u * size / length * axis, length, np.linspace(0, length, 400)) @ axis
    assert f.min() >= -1e-12 * size
    assert f.max() <= size * (1.0 + 1e-12)
    assert np.diff(f).max() <= 1e-12 * size


@given(vectors(), vectors(), seconds(), st.floats(0.0, 1.0))
def test_soft_is_a_third_of_the_cubic_and_two_of_the_quintic_without_acceleration(
    x: Array, v: Array, length: float, s: float
) -> None:
    quintic = (1.0 - s) ** 3 * ((1.0 + 3.0 * s + 6.0 * s * s) * x + (s + 3.0 * s * s) * length * v)
    expected = 2.0 / 3.0 * quintic + at(Method.CUBIC, x, v, length, s * length) / 3.0
    assert_allclose(at(Method.SOFT, x, v, length, s * length), expected, rtol=1e-9, atol=1e-12)


@given(axes(), st.floats(1e-3, 10.0), st.floats(-8.0, 8.0), seconds())
def test_soft_starts_and_ends_with_a_third_of_the_cubics_accelerations(
    axis: Array, size: float, u: float, length: float
) -> None:
    curve = polynomial(Method.SOFT, size * axis, u * size / length * axis, length)
    start, end = (derivatives(curve, s)[2] @ axis / size for s in (0.0, 1.0))
    assert start == pytest.approx(-(6.0 + 4.0 * u) / 3.0, abs=1e-8)
    assert end == pytest.approx((6.0 + 2.0 * u) / 3.0, abs=1e-8)


# nothing depends on the axes, and nothing jumps


@given(methods(), vectors(), vectors(), seconds(), unit_quaternions(), st.floats(0.0, 1.2))
def test_a_turned_offset_decays_along_turned_ways(
    method: Method, x: Array, v: Array, length: float, turn: Array, part: float
) -> None:
    plain = at(method, x, v, length, part * length)
    turned = at(method, quaternion.rotate(turn, x), quaternion.rotate(turn, v), length, part * length)
    scale = np.linalg.norm(x) + np.linalg.norm(v) * length
    assert_allclose(quaternion.rotate(turn, plain), turned, atol=1e-10 * scale + 1e-100)


@given(methods(), vectors(), vectors(), seconds(), vectors(1.0), vectors(1.0), st.floats(0.0, 1.0))
def test_a_nearly_equal_offset_decays_nearly_equally(
    method: Method, x: Array, v: Array, length: float, dx: Array, dv: Array, part: float
) -> None:
    # SMOOTH chooses its pull by x and v: offsets a hair apart must not be pulled differently
    hair = 1e-7
    one = at(method, x, v, length, part * length)
    two = at(method, x + hair * dx, v + hair * dv / length, length, part * length)
    assert np.abs(one - two).max() <= 60.0 * hair


@given(methods(), vectors(), vectors(), seconds(), st.floats(-6.0, 6.0), st.floats(0.0, 1.2))
def test_the_unit_of_an_offset_does_not_matter(
    method: Method, x: Array, v: Array, length: float, exponent: float, part: float
) -> None:
    unit = 10.0**exponent
    plain = at(method, x, v, length, part * length)
    scaled = at(method, unit * x, unit * v, length, part * length)
    assert_allclose(
        scaled / unit, plain, rtol=1e-9, atol=1e-10 * (np.abs(x).max() + length * np.abs(v).max()) + 1e-100
    )


@given(methods(), vectors(), seconds())
def test_a_velocity_without_an_offset_swings_out_and_back(method: Method, v: Array, length: float) -> None:
    assume(np.linalg.norm(v) > 1e-6)
    f = at(method, np.zeros(3), v, length, np.linspace(0.0, 20.0 * length, 2000))
    heights = f @ v / np.linalg.norm(v)
    assert np.all(np.isfinite(f))
    assert heights.max() > 0.0
    assert heights.min() >= 0.0
    assert abs(heights[-1]) < 1e-3 * heights.max()


# the family


@given(st.sampled_from(list(PLAIN)), vectors(), vectors(), seconds(), st.floats(0.0, 1.0))
def test_plain_curves_are_one_formula(method: Method, x: Array, v: Array, length: float, s: float) -> None:
    n = PLAIN[method]
    expected = (1.0 - s) ** n * (x + (v + n * x / length) * s * length)
    assert_allclose(at(method, x, v, length, s * length), expected, rtol=1e-9, atol=1e-12)


@given(vectors(), vectors(), st.floats(0.05, 1.0), st.floats(0.0, 5.0))
def test_the_spring_is_the_familys_limit(x: Array, v: Array, halflife: float, part: float) -> None:
    y, t = 2.0 * math.log(2.0) / halflife, part * halflife
    errors = []
    for n in (10_000, 20_000):
        length = n / y
        polynomial_n = (1.0 - t / length) ** n * (x + (v + n * x / length) * t)
        errors.append(np.abs(polynomial_n - at(Method.SPRING, x, v, halflife, t)).max())
    assert errors[1] <= 0.6 * errors[0] + 1e-9
    assert errors[1] < 2e-3 * (np.abs(x).max() + np.abs(v).max() * halflife) + 1e-9


@given(vectors(), vectors(), st.floats(0.05, 1.0))
def test_the_spring_obeys_its_differential_equation(x: Array, v: Array, halflife: float) -> None:
    y = 2.0 * math.log(2.0) / halflife
    times = np.linspace(0.0, 4.0 * halflife, 9)
    solved = solve_ivp(
        lambda _, state: np.concatenate([state[3:], -2.0 * y * state[3:] - y * y * state[:3]]),
        (0.0, times[-1]),
        np.concatenate([x, v]),
        t_eval=times,
        rtol=1e-8,
        atol=1e-10,
    )
    assert_allclose(at(Method.SPRING, x, v, halflife, times), solved.y[:3].T, rtol=1e-5, atol=1e-6)


# when a spring counts as gone


@given(vectors(), vectors(), st.floats(0.02, 1.0), st.floats(-6.0, 0.0))
def test_a_settled_spring_stays_within_the_tolerance(
    x: Array, v: Array, halflife: float, exponent: float
) -> None:
    tolerance = 10.0**exponent
    gone = float(decay.settled_after(Method.SPRING, x, v, halflife, tolerance))
    f = at(Method.SPRING, x, v, halflife, gone + np.linspace(0.0, 20.0 * halflife, 500))
    assert np.linalg.norm(f, axis=-1).max() <= tolerance * (1.0 + 1e-9)


@given(axes(), st.floats(0.1, 10.0), st.floats(0.0, 20.0), st.floats(0.02, 1.0), st.floats(-6.0, -2.0))
def test_a_spring_settles_no_earlier_than_it_must(
    axis: Array, size: float, rate: float, halflife: float, exponent: float
) -> None:
    # with a velocity along the offset the bound is the offset itself, so it is met exactly
    x, v, tolerance = size * axis, rate * axis, 10.0**exponent
    gone = float(decay.settled_after(Method.SPRING, x, v, halflife, tolerance))
    before = np.linalg.norm(at(Method.SPRING, x, v, halflife, 0.999 * gone))
    assert before > tolerance
    assert np.linalg.norm(at(Method.SPRING, x, v, halflife, gone)) == pytest.approx(tolerance, rel=1e-6)


@given(polynomials, vectors(), vectors(), seconds())
def test_a_polynomial_is_gone_at_its_blend_time(method: Method, x: Array, v: Array, length: float) -> None:
    assert decay.settled_after(method, x, v, length, 1e-3) == length


def test_an_offset_within_the_tolerance_is_settled_at_once() -> None:
    x = np.array([[0.0, 0.0, 0.0], [1e-5, 0.0, 0.0]])
    assert decay.settled_after(Method.SPRING, x, 0.0 * x, np.array([0.2, 0.2]), 1e-3).tolist() == [0.0, 0.0]


# many offsets at once


@given(methods(), st.integers(0, 2**32 - 1))
def test_offsets_together_decay_as_each_would_alone(method: Method, seed: int) -> None:
    rng = np.random.default_rng(seed)
    x, v = rng.normal(size=(2, 4, 3))
    length = rng.uniform(0.1, 1.0, 4)
    times = np.linspace(0.0, 1.0, 5)
    together = at(method, x, v, length, times[:, None])
    assert together.shape == (5, 4, 3)
    for bone in range(4):
        assert_allclose(together[:, bone], at(method, x[bone], v[bone], length[bone], times), atol=1e-13)
    gone = decay.settled_after(method, x, v, length, 1e-3)
    assert gone.shape == (4,)
