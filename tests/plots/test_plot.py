# SPDX-License-Identifier: GPL-3.0-or-later
"""Ticks and their labels."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from inertia_addon.plots import plot
from inertia_addon.plots.plot import Plot

ENDS = st.floats(-1e6, 1e6)


@given(ENDS, ENDS, st.integers(2, 20))
def test_ticks_are_few_within_the_range_and_at_round_numbers(low: float, high: float, most: int) -> None:
    assume(high - low > 1e-6 * max(abs(low), abs(high), 1e-3))
    found = plot.ticks(low, high, most)
    slack = 1e-6 * (high - low)
    assert 1 <= len(found) <= most
    assert all(low - slack <= value <= high + slack for value in found)
    if len(found) > 1:
        step = found[1] - found[0]
        mantissa = step / 10.0 ** math.floor(math.log10(step) + 1e-6)
        assert min(abs(mantissa - round_one) for round_one in (1.0, 2.0, 5.0)) < 1e-3
        np.testing.assert_allclose(np.diff(found), step, rtol=1e-6, atol=1e-9 * abs(high))


@given(st.integers(-1000, 1000), st.integers(0, 30), st.integers(2, 20))
def test_ticks_of_frames_are_frames(first: int, more: int, most: int) -> None:
    found = plot.ticks(first, first + more, most, least_step=1.0)
    assert found
    np.testing.assert_allclose(found, np.rint(found), atol=1e-6)


@given(ENDS, ENDS, st.integers(2, 20))
def test_labels_tell_ticks_apart(low: float, high: float, most: int) -> None:
    assume(high - low > 1e-2 * max(abs(low), abs(high), 1e-3))
    labels = plot.tick_labels(plot.ticks(low, high, most))
    assert len(set(labels)) == len(labels)


def test_labels_have_the_decimals_they_need() -> None:
    assert plot.tick_labels([-0.5, 0.0, 0.5]) == ["\u20130.5", "0.0", "0.5"]
    assert plot.tick_labels([-1e-17, 20.0, 40.0]) == ["0", "20", "40"]
    assert plot.tick_labels([0.15]) == ["0.15"]
    assert plot.tick_labels([]) == []


@pytest.mark.parametrize(
    ("value", "text"),
    [(86.0, "86"), (1234.4, "1234"), (0.12345, "0.123"), (-2.5, "\u20132.5"), (0.0, "0"), (2e7, "2e+07")],
)
def test_numbers_for_reading(value: float, text: str) -> None:
    assert plot.number(value) == text


def test_a_cut_between_frames_is_named_exactly() -> None:
    assert plot.number(1234.5, 5) == "1234.5"


@given(st.floats(-5.0, 5.0), st.floats(0.01, 10.0), st.floats(170.0, 3000.0))
def test_an_axis_has_a_scale(low: float, span: float, pixels: float) -> None:
    values, labels = plot.spaced(low, low + span, pixels, 42.0)
    assert 2 <= len(values) == len(set(labels)) <= plot.MOST + 3
    assert (values[1] - values[0]) * pixels / span >= 0.79 * 42.0  # labels stay apart
    assert low - 1e-6 <= values[0]
    assert values[-1] <= low + span + 1e-6


@given(st.floats(-2, 2), st.floats(-3, 3))
def test_a_number_s_place_is_in_the_plot_and_is_that_number(x: float, y: float) -> None:
    found = Plot((0.0, 0.0, 120.0, 80.0), (10.0, 20.0, 100.0, 50.0), (-2.0, 2.0), (-3.0, 3.0))
    place = float(found.x(x)), float(found.y(y))
    assert found.at(*place) == pytest.approx((x, y))
    assert 10.0 <= place[0] <= 110.0
    assert 20.0 <= place[1] <= 70.0
    # upwards
    assert found.y(3.0) == 70.0
    assert found.at(place[0], 71.0) is None


@given(st.floats(-6.0, 2.0), st.floats(0.7, 6.0), st.integers(2, 20))
def test_ticks_of_logarithms_are_few_and_say_the_numbers(low: float, more: float, most: int) -> None:
    values, texts = plot.decades(low, low + more, most)
    assert len(values) <= most
    # somewhere in it is one, two or five times a power of ten
    assert values
    assert all(low - 1e-6 <= value <= low + more + 1e-6 for value in values)
    np.testing.assert_allclose([10.0**value for value in values], [float(text) for text in texts], rtol=0.01)
    assert len(set(texts)) == len(texts)
