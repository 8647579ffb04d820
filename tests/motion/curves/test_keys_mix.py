# SPDX-License-Identifier: GPL-3.0-or-later
"""Weighted sums of curves are exact or refused, and sampled curves are smooth."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.interpolate import CubicHermiteSpline

from inertia_addon.motion.curves import keys as keylib
from inertia_addon.motion.curves.keys import BEZIER, CONSTANT, LINEAR, Keys, NotCuttable
from inertia_addon.motion.quaternion import Array
from tests.motion.reference_curve import SINE, assert_follows, curves, evaluate, frames_around

WEIGHTS = st.floats(-2.0, 2.0).map(lambda w: w if abs(w) > 1e-3 else 0.0)


def assert_mixes(parts: list[Keys], weights: list[float], shift: float) -> Keys:
    """The mix is the weighted sum of its parts at every frame."""
    mixed = keylib.mixed(parts, weights, shift)
    frames = np.unique(np.concatenate([frames_around(part) for part in parts]))

    def expected(frame: float) -> float:
        return sum(w * evaluate(part, frame) for w, part in zip(weights, parts, strict=True)) + shift

    assert_follows(mixed, expected, frames, 1e-4)
    return mixed


@st.composite
def siblings(draw: st.DrawFn) -> list[Keys]:
    """Curves with keys and handles on the same frames, as the channels of one bone usually have."""
    first = draw(curves(linear=False))
    family = [first]
    for _ in range(draw(st.integers(1, 3))):
        rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
        other = first.copy()
        for points in (other.co, other.left, other.right):
            points[:, 1] = rng.uniform(-4.0, 4.0, len(first))
        family.append(other)
    return family


def of_values(keys: Keys, values: list[float]) -> Keys:
    """The keys with other values."""
    other = keys.copy()
    other.co[:, 1] = values
    return other


# mixing


@given(siblings(), st.tuples(WEIGHTS, WEIGHTS, WEIGHTS, WEIGHTS), st.floats(-3.0, 3.0))
def test_channels_keyed_together_mix_exactly(
    family: list[Keys], weights: tuple[float, ...], shift: float
) -> None:
    mixed = assert_mixes(family, list(weights[: len(family)]), shift)
    assert len(mixed) <= len(family[0])


@given(
    st.lists(curves(linear=False), min_size=1, max_size=3),
    st.tuples(WEIGHTS, WEIGHTS, WEIGHTS),
    st.floats(-3, 3),
)
def test_a_mix_is_exact_or_refused(parts: list[Keys], weights: tuple[float, ...], shift: float) -> None:
    # all start on one frame, as tails of one cut do
    start = float(parts[0].co[0, 0])
    parts = [keylib.move(part, start - float(part.co[0, 0])) for part in parts]
    try:
        assert_mixes(parts, list(weights[: len(parts)]), shift)
    except NotCuttable:
        assert sum(not keylib.is_flat(part) for part in parts) > 1


@given(curves(), st.sampled_from([1.0, -1.0]), st.floats(-3.0, 3.0))
def test_a_single_curve_keeps_its_keys_and_all(keys: Keys, weight: float, shift: float) -> None:
    still = keylib.constant(float(keys.co[0, 0]), 5.0)
    mixed = assert_mixes([still, keys], [0.0, weight], shift)
    assert len(mixed) == len(keys)
    assert mixed.interpolation.tolist() == keys.interpolation.tolist()
    assert mixed.linear_extrapolation == keys.linear_extrapolation


def test_straight_curves_with_other_keys_mix_exactly() -> None:
    one = keylib.sampled([0.0, 10.0, 30.0], [0.0, 3.0, 1.0], LINEAR)
    two = keylib.sampled([0.0, 7.0, 20.0, 30.0], [1.0, -1.0, 4.0, 2.0], LINEAR)
    mixed = assert_mixes([one, two], [0.6, -0.8], 1.0)
    assert mixed.co[:, 0].tolist() == [0.0, 7.0, 10.0, 20.0, 30.0]


def test_smooth_curves_of_even_handles_mix_exactly_whatever_their_keys() -> None:
    # handles a third of the way make time run evenly, so a key more changes no other's handle frames
    one, two = keylib.sampled([0.0, 10.0], [0.0, 3.0]), keylib.sampled([0.0, 4.0, 10.0], [1.0, 2.0, 0.0])
    assert_mixes([one, two], [0.6, -0.8], 0.0)


def test_a_resting_channel_needs_no_keys_in_common() -> None:
    bending = keylib.sampled([0.0, 4.0, 9.0], [0.0, 3.0, 1.0])
    resting = keylib.sampled([0.0, 5.0, 50.0], [2.0, 2.0, 2.0])
    mixed = assert_mixes([bending, resting], [0.6, -0.8], 0.0)
    assert len(mixed) == 3


def test_a_mix_of_nothing_is_still() -> None:
    mixed = keylib.mixed([keylib.sampled([2.0, 4.0], [0.0, 3.0])], [0.0], 7.0)
    assert [evaluate(mixed, frame) for frame in (0.0, 3.0, 9.0)] == [7.0, 7.0, 7.0]


def with_long_handles() -> Keys:
    """A line whose right handles are longer than those of what is sampled."""
    keys = keylib.sampled([0.0, 10.0], [1.0, 2.0])
    keys.right[:] = [[6.0, 1.0], [11.0, 2.0]]
    return keys


@pytest.mark.parametrize(
    "other",
    [
        keylib.sampled([0.0, 10.0], [1.0, 2.0], LINEAR),
        keylib.sampled([0.0, 10.0], [1.0, 2.0], CONSTANT),
        keylib.sampled([0.0, 10.0], [1.0, 2.0], SINE),
        with_long_handles(),
        dataclasses.replace(keylib.sampled([0.0, 10.0], [1.0, 2.0]), linear_extrapolation=True),
    ],
    ids=["linear", "constant", "easing", "other handles", "goes on"],
)
def test_a_mixture_that_keys_can_not_say_is_refused(other: Keys) -> None:
    bending = keylib.sampled([0.0, 10.0], [0.0, 3.0])
    with pytest.raises(NotCuttable):
        keylib.mixed([bending, other], [0.6, -0.8], 0.0)


# flat curves


@given(curves())
def test_a_flat_curve_has_one_value_everywhere(keys: Keys) -> None:
    values = [evaluate(keys, frame) for frame in frames_around(keys)]
    if keylib.is_flat(keys):
        assert set(values) == {float(keys.co[0, 1])}
    elif keys.interpolation.max() < BEZIER:
        assert np.ptp(values) > 0.0


@given(curves(sizes=st.integers(2, 4)), st.floats(-4.0, 4.0, width=32))
def test_keys_of_one_value_are_flat_unless_handles_bend_them(keys: Keys, value: float) -> None:
    level = of_values(keys, [value] * len(keys))
    values = [evaluate(level, frame) for frame in frames_around(level)]
    if np.ptp(values) > 1e-9:
        assert not keylib.is_flat(level)
    level.left[:, 1] = level.right[:, 1] = value
    assert keylib.is_flat(level)


def test_a_last_handle_alone_makes_a_curve_bend() -> None:
    keys = keylib.sampled([0.0, 10.0], [1.0, 1.0])
    keys.interpolation[1] = LINEAR
    keys.left[1] = 6.0, 3.0
    assert evaluate(keys, 5.0) > 1.5
    assert not keylib.is_flat(keys)


# sampling


@st.composite
def samples(draw: st.DrawFn) -> tuple[Array, Array]:
    """Rising frames, equally far apart or not, and values."""
    gaps = draw(st.lists(st.one_of(st.just(1.0), st.floats(0.1, 3.0)), min_size=2, max_size=10))
    values = [draw(st.floats(-5.0, 5.0)) for _ in range(len(gaps) + 1)]
    return np.concatenate([[0.0], np.cumsum(gaps)]), np.array(values)


@given(samples())
def test_a_sampled_curve_passes_through_its_samples_smoothly(sampled: tuple[Array, Array]) -> None:
    frames, values = sampled
    keys = keylib.sampled(frames, values)
    assert_allclose([evaluate(keys, float(frame)) for frame in keys.co[:, 0]], values, rtol=1e-6, atol=1e-6)
    # handles in line: no corner at any key
    before, after = keys.co - keys.left, keys.right - keys.co
    assert_allclose(before[:, 1] / before[:, 0], after[:, 1] / after[:, 0], rtol=1e-3, atol=1e-3)


@given(samples())
def test_a_sampled_curve_is_the_hermite_spline_of_its_central_slopes(sampled: tuple[Array, Array]) -> None:
    frames, values = sampled
    keys = keylib.sampled(frames, values)
    spline = CubicHermiteSpline(frames, values, np.gradient(values, frames, edge_order=2))
    inside = np.linspace(frames[0], frames[-1], 41)
    found = [evaluate(keys, float(frame)) for frame in inside]
    scale = 1.0 + np.abs(np.gradient(values, frames, edge_order=2)).max()
    assert_allclose(found, spline(inside), atol=1e-5 * scale)


@given(samples(), st.tuples(*[st.floats(-1.0, 1.0)] * 3))
def test_samples_of_a_parabola_give_the_parabola(
    sampled: tuple[Array, Array], factors: tuple[float, ...]
) -> None:
    frames, _ = sampled
    keys = keylib.sampled(frames, np.polyval(factors, frames))
    inside = np.linspace(frames[0], frames[-1], 41)
    found = [evaluate(keys, float(frame)) for frame in inside]
    assert_allclose(found, np.polyval(factors, inside), rtol=1e-5, atol=1e-3)


@given(samples(), st.sampled_from([LINEAR, CONSTANT, BEZIER]))
def test_curves_sampled_together_are_each_as_alone(sampled: tuple[Array, Array], code: int) -> None:
    frames, values = sampled
    columns = np.column_stack([values, 2.0 * values, values**2])
    for keys, column in zip(keylib.sampled_together(frames, columns, code), columns.T, strict=True):
        alone = keylib.sampled(frames, column, code)
        for name in ("co", "left", "right", "interpolation", "left_type", "right_type"):
            assert np.array_equal(getattr(keys, name), getattr(alone, name))
        assert keys.interpolation.tolist() == [code] * len(frames)


@given(st.floats(-100.0, 100.0, width=32), st.floats(-10.0, 10.0, width=32), st.floats(-200.0, 200.0))
def test_a_constant_is_the_same_everywhere(frame: float, value: float, where: float) -> None:
    keys = keylib.constant(frame, value)
    assert evaluate(keys, where) == np.float32(value)
