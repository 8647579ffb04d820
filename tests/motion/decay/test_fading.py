# SPDX-License-Identifier: GPL-3.0-or-later
"""Offsets of many channels fade together, each within its own blend time, and none where there is nothing."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from inertia_addon.motion.decay import decay, offset
from inertia_addon.motion.decay.decay import Method
from inertia_addon.motion.decay.offset import Fading, Guard, Offset
from inertia_addon.motion.quaternion import Array
from tests.motion.strategies import methods, seconds, vectors

TOLERANCE = 1e-4
guards = st.sampled_from(list(Guard))


def fade(
    x: Array,
    v: Array,
    method: Method = Method.CUBIC,
    length: Array | float = 0.4,
    kind: Guard = Guard.OFF,
    limit: float = np.inf,
    tolerance: float = TOLERANCE,
) -> Fading:
    return offset.fade(Offset(np.atleast_2d(x), np.atleast_2d(v)), method, length, kind, limit, tolerance)


@given(methods(), guards, vectors(), vectors(), seconds(), st.floats(0.01, 1.0))
def test_an_offset_starts_whole_and_fades_to_nothing(
    method: Method, kind: Guard, x: Array, v: Array, length: float, limit: float
) -> None:
    fading = fade(x, v, method, length, kind, limit)
    gone = float(fading.seconds[0])
    if gone == 0.0:
        assert np.linalg.norm(x) <= TOLERANCE
        return
    assert_allclose(fading.at(0, np.zeros(1))[0], x, atol=1e-12)
    later = gone * (1.0 + np.linspace(0.0, 5.0, 50))
    assert_array_equal(fading.at(0, later), np.zeros((50, 3)))
    # what is dropped at the end is too small to see
    assert np.linalg.norm(fading.at(0, np.array([gone - 2e-9]))[0]) <= TOLERANCE * 1.001


@given(methods(), guards, vectors(), vectors(), seconds(), st.floats(0.01, 1.0))
def test_no_polynomial_outlasts_its_blend_time(
    method: Method, kind: Guard, x: Array, v: Array, length: float, limit: float
) -> None:
    fading = fade(x, v, method, length, kind, limit)
    if method is not Method.SPRING:
        assert fading.seconds[0] <= length
    assert_array_equal(fading.x[0], x)
    if kind is not Guard.STRICT:
        assert_array_equal(fading.guarded.velocity[0], v)


@given(methods(), vectors(), vectors(), seconds(), st.floats(0.0, 1.0))
def test_a_fading_offset_is_the_guarded_curve_while_it_lasts(
    method: Method, x: Array, v: Array, length: float, part: float
) -> None:
    fading = fade(x, v, method, length, Guard.STRICT)
    t = np.array([part * (float(fading.seconds[0]) - 2e-9)])
    curve = decay.make(method, x[None], fading.guarded.velocity, fading.guarded.seconds)
    if fading.seconds[0] > 0.0:
        assert_array_equal(fading.at(0, t), decay.evaluate(curve, x[None], fading.guarded.velocity, t))


@given(methods().filter(lambda method: method is not Method.SPRING), seconds(), st.floats(0.3, 0.95))
def test_an_offset_that_the_tolerance_would_hide_in_part_is_kept(
    method: Method, length: float, part: float
) -> None:
    """What is left out adds to what keys leave out, and may only be a small part of the tolerance."""
    x = np.array([part * TOLERANCE, 0.0, 0.0])
    assert_allclose(fade(x, np.zeros(3), method, length).at(0, np.zeros(1))[0], x, atol=1e-12)


@given(methods(), guards, seconds())
def test_no_offset_takes_no_time(method: Method, kind: Guard, length: float) -> None:
    fading = fade(np.zeros(3), np.zeros(3), method, length, kind, 0.1)
    assert fading.seconds.tolist() == [0.0]
    assert_array_equal(fading.at(0, np.zeros(1)), np.zeros((1, 3)))


@given(methods(), seconds())
def test_a_velocity_without_an_offset_is_not_nothing(method: Method, length: float) -> None:
    fading = fade(np.zeros(3), np.array([1.0, 0.0, 0.0]), method, length)
    assert fading.seconds[0] > 0.0
    assert fading.at(0, np.array([0.3 * length]))[0, 0] > 0.0


@given(methods(), guards, vectors(), vectors())
def test_a_blend_time_of_zero_cuts_at_once(method: Method, kind: Guard, x: Array, v: Array) -> None:
    fading = fade(x, v, method, 0.0, kind, 0.1)
    assert fading.seconds.tolist() == [0.0]
    assert_array_equal(fading.at(0, np.array([0.0, 0.01, 10.0])), np.zeros((3, 3)))


@given(methods(), st.floats(-9.0, -6.5))
def test_an_offset_too_small_to_see_is_nothing(method: Method, exponent: float) -> None:
    x = np.array([10.0**exponent, 0.0, 0.0])
    assert fade(x, 0.0 * x, method).seconds.tolist() == [0.0]
    assert fade(1e6 * x, 0.0 * x, method).seconds[0] > 0.0


@given(methods(), guards, st.integers(0, 2**32 - 1))
def test_channels_fade_each_on_their_own(method: Method, kind: Guard, seed: int) -> None:
    rng = np.random.default_rng(seed)
    x, v = rng.normal(size=(2, 5, 3))
    x[0] = v[0] = 0.0
    lengths = np.array([0.3, 0.0, 0.2, 0.5, 1.0])
    together = fade(x, v, method, lengths, kind, 0.2)
    assert together.seconds[:2].tolist() == [0.0, 0.0]
    assert np.all(together.seconds[2:] > 0.0)
    times = np.linspace(0.0, 1.5, 7)
    for i in range(5):
        alone = fade(x[i], v[i], method, lengths[i], kind, 0.2)
        assert alone.seconds[0] == pytest.approx(together.seconds[i], rel=1e-9)
        found = together.at(i, times)
        assert found.shape == (7, 3)
        assert_allclose(found, alone.at(0, times), atol=1e-9)


@given(methods(), guards, vectors(), vectors(), seconds(), st.sampled_from((0.0, 1e-9, 1e-5, 1.0)))
def test_an_offset_is_none_where_it_swings_no_further_than_nobody_sees(
    method: Method, kind: Guard, x: Array, v: Array, length: float, scale: float
) -> None:
    # of several at once, of which some are nothing
    x, v = np.stack([scale * x, x, scale * x]), np.stack([scale * v, scale * v, 0.0 * v])
    guarded = (fading := fade(x, v, method, length, kind, 0.5)).guarded
    swings = offset.excursion(method, x, guarded.velocity, guarded.seconds)
    is_nothing = np.linalg.norm(x, axis=-1) + swings <= offset.NOTHING * TOLERANCE
    # what a spring has brought within the tolerance at once needs no time, either
    ends = decay.settled_after(method, x, guarded.velocity, guarded.seconds, TOLERANCE)
    assert_array_equal(fading.seconds, np.where(is_nothing, 0.0, ends))
    assert_array_equal(guarded.excursion_after, swings)
    assert_array_equal(guarded.excursion_before, offset.excursion(method, x, v, np.full(3, length)))
