# SPDX-License-Identifier: GPL-3.0-or-later
"""Offsets that are given at both ends of a gap: what they meet there, and what they displace."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from numpy.typing import NDArray
from scipy import integrate, optimize

from inertia_addon.motion import quaternion
from inertia_addon.motion.decay import decay, two_ended
from inertia_addon.motion.decay.decay import Method
from inertia_addon.motion.decay.offset import Offset
from inertia_addon.motion.decay.two_ended import TwoEndedCurve

Array = NDArray[np.float64]

METHODS = pytest.mark.parametrize("method", [each for each in Method if each is not Method.SPRING])
ANY = st.floats(-1e3, 1e3, allow_subnormal=False)
FADES = st.floats(0.05, 1.5)
"""In parts of the gap."""


def integrated(start: Offset, end: Offset, span: TwoEndedCurve) -> Array:
    """Unsigned areas by trapezoids, fine enough for five digits: they are wrong by the square of a step."""
    t = np.linspace(0.0, span.seconds, 20_001)
    f = np.abs(two_ended.evaluate_both_ends(start, end, span, t))
    return np.asarray(np.sum(0.5 * (f[1:] + f[:-1]), axis=0) * (t[1] - t[0]))


@METHODS
@given(x0=ANY, v0=ANY, x1=ANY, v1=ANY, fade=FADES, seconds=st.floats(0.05, 5.0))
def test_a_two_ended_offset_has_its_values_and_rates_at_both_ends(
    method: Method, x0: float, v0: float, x1: float, v1: float, fade: float, seconds: float
) -> None:
    start, end = Offset(np.array([x0]), np.array([v0])), Offset(np.array([x1]), np.array([v1]))
    span, step = TwoEndedCurve(seconds, fade * seconds, method), 1e-5 * seconds * min(fade, 1.0)
    at = np.array([0.0, step, seconds - step, seconds])
    shown = two_ended.evaluate_both_ends(start, end, span, at)[:, 0]
    size = max(map(abs, (x0, x1, v0 * seconds, v1 * seconds, 1e-3)))
    assert shown[[0, -1]] == pytest.approx([x0, x1], abs=1e-9 * size)
    rates = np.array([shown[1] - shown[0], shown[3] - shown[2]]) / step
    assert rates * seconds == pytest.approx([v0 * seconds, v1 * seconds], abs=2e-3 * size / min(fade, 1.0))


@METHODS
@given(
    numbers=st.lists(st.tuples(ANY, ANY, ANY, ANY), min_size=1, max_size=4),
    fade=FADES,
    seconds=st.floats(0.05, 5.0),
)
def test_a_two_ended_displacement_is_the_area_under_the_curve(
    method: Method, numbers: list[tuple[float, float, float, float]], fade: float, seconds: float
) -> None:
    x0, v0, x1, v1 = np.array(numbers).T
    start, end, span = Offset(x0, v0), Offset(x1, v1), TwoEndedCurve(seconds, fade * seconds, method)
    area = two_ended.displacement(start, end, span)
    scale = seconds * (np.abs(x0) + np.abs(x1) + seconds * (np.abs(v0) + np.abs(v1))) + 1e-6
    assert_allclose(area / scale, integrated(start, end, span) / scale, atol=2e-6)
    signed = two_ended.signed_area(start, end, span)
    assert np.all(np.abs(signed) <= area + 1e-9 * scale)


def test_two_ended_displacements_agree_with_adaptive_quadrature() -> None:
    chance = np.random.default_rng(3)
    for method in (Method.CUBIC, Method.SMOOTH, Method.SOFT):
        for x0, v0, x1, v1, fade in chance.normal(size=(40, 5)):
            start, end = Offset(np.array([x0]), np.array([v0])), Offset(np.array([x1]), np.array([v1]))
            span = TwoEndedCurve(0.8, 0.1 + abs(fade), method)

            curve = functools.partial(two_ended.evaluate_both_ends, start, end, span)

            def offset(t: float, curve: Callable[[Array], Array] = curve) -> float:
                return float(curve(np.array([t]))[0, 0])

            # the size has a corner where the offset is zero, at which quadrature would try halves for long
            t = np.linspace(0.0, 0.8, 2001)
            signs = np.sign(curve(t)[:, 0])
            zeros = [
                optimize.brentq(offset, *t[i : i + 2]) for i in np.flatnonzero(signs[:-1] * signs[1:] < 0.0)
            ]
            breaks = sorted({span.fade_seconds, 0.8 - span.fade_seconds, *zeros})
            area = integrate.quad(
                lambda t, offset=offset: abs(offset(t)), 0.0, 0.8, points=breaks, limit=400, epsabs=1e-10
            )[0]
            assert two_ended.displacement(start, end, span)[0] == pytest.approx(area, abs=1e-7)


@pytest.mark.parametrize("method", [Method.CUBIC, Method.SMOOTH, Method.SOFT])
def test_rates_that_fade_over_the_whole_gap_are_two_offsets_that_decay_towards_each_other(
    method: Method,
) -> None:
    x0, v0, x1, v1 = np.random.default_rng(1).normal(size=(4, 6, 3))
    t, seconds = np.linspace(0.0, 0.7, 29), 0.7
    # that is Hermite's cubic, or quintic: each end's own decays to nothing at the other
    curve = decay.Decay(method, np.full(6, seconds), np.zeros(6))
    both = [
        decay.evaluate(curve, x0, v0, at) + decay.evaluate(curve, x1, -v1, seconds - at) for at in t.tolist()
    ]
    span = TwoEndedCurve(seconds, 2.0, method)
    assert_allclose(two_ended.evaluate_both_ends(Offset(x0, v0), Offset(x1, v1), span, t), both, atol=1e-12)


def test_rates_that_fade_soon_leave_a_straight_way_between() -> None:
    start, end = Offset(np.zeros(1), np.array([3.0])), Offset(np.ones(1), np.array([-2.0]))
    span = TwoEndedCurve(2.0, 0.5)
    t = np.linspace(0.5, 1.5, 11)
    assert_allclose(two_ended.evaluate_both_ends(start, end, span, t)[:, 0], 0.5 * t, atol=1e-12)


def test_a_two_ended_turn_does_not_go_the_long_way_round() -> None:
    axis = np.array([[0.0, 0.0, 1.0]])
    start = Offset(math.radians(170.0) * axis, 0.4 * axis)
    rate = np.array([[0.3, -0.2, 0.5]])
    end = Offset(math.radians(-175.0) * axis, rate)
    near = two_ended.unwrap_end(start, end)
    assert_allclose(near.x, math.radians(185.0) * axis)
    # it is the same turn, that goes on in the same way
    step = 1e-6
    for each in (end, near):
        moved = quaternion.exp(each.x + step * each.v)
        turn = quaternion.log(quaternion.multiply(moved, quaternion.conjugate(quaternion.exp(each.x)))) / step
        if each is end:
            wanted = turn
    assert_allclose(turn, wanted, atol=1e-5)
    assert two_ended.unwrap_end(start, start) is start
