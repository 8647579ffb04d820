# SPDX-License-Identifier: GPL-3.0-or-later
"""Charts show the numbers they are given, where their axes say."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inertia_addon.plots import chart, colours
from inertia_addon.plots.axes import ACCENT, PAPER
from inertia_addon.plots.labels import plate_size

TABLE = colours.as_bytes(colours.sequential(np.linspace(0.0, 1.0, 1001))).astype(int)


def level(pixel: np.ndarray) -> float:
    """Where in the sequential colours a pixel is, 0 to 1."""
    return float(np.argmin(np.abs(TABLE - pixel.astype(int)).sum(axis=1))) / 1000.0


def at(picture: np.ndarray, made: chart.HeatMap | chart.LineChart, x: float, y: float) -> np.ndarray:
    return picture[int(made.axes.y(y)), int(made.axes.x(x))]


def plain(picture: np.ndarray, colour: tuple[int, int, int]) -> np.ndarray:
    return (picture == colour).all(axis=2)


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 60), st.integers(1, 60), st.integers(0, 2**32 - 1))
def test_every_cell_has_its_value_s_colour(rows: int, columns: int, seed: int) -> None:
    values = np.random.default_rng(seed).uniform(2.0, 5.0, (rows, columns))
    made = chart.HeatMap(values, (10, 9 + columns), (-3, rows - 4), span=(2.0, 5.0), size=(400, 400))
    picture = made.draw()
    for i in {0, rows // 2, rows - 1}:
        for j in {0, columns // 2, columns - 1}:
            shown = 2.0 + 3.0 * level(at(picture, made, 10 + j, i - 3))
            assert shown == pytest.approx(values[i, j], abs=0.02)


def test_x_runs_right_and_y_upwards() -> None:
    values = np.zeros((20, 30))
    values[2, 25] = 1.0
    made = chart.HeatMap(values, (1, 30), (1, 20), percentiles=(0.0, 100.0))
    picture = made.draw()
    assert level(at(picture, made, 26, 3)) == 1.0
    assert level(at(picture, made, 26, 18)) == 0.0
    assert made.axes.x(26) > picture.shape[1] / 2
    assert made.axes.y(3) > picture.shape[0] / 2


def test_a_cell_without_a_value_is_grey() -> None:
    values = np.arange(12.0).reshape(3, 4)
    values[1, 2] = np.nan
    made = chart.HeatMap(values, (0, 3), (0, 2))
    grey = colours.as_bytes(colours.NO_VALUE).tolist()
    assert at(made.draw(), made, 2, 1).tolist() == grey


def test_a_few_bad_cells_do_not_take_all_the_colours() -> None:
    values = np.tile(np.linspace(0.0, 1.0, 50), (50, 1))
    values[0, :20] = 1000.0
    made = chart.HeatMap(values, (0, 49), (0, 49))
    picture = made.draw()
    assert level(at(picture, made, 0, 30)) == 0.0
    assert level(at(picture, made, 25, 30)) == pytest.approx(0.5, abs=0.05)
    assert level(at(picture, made, 3, 0)) == 1.0


@pytest.mark.parametrize("shape", [(1800, 2000), (1, 3000), (2500, 3), (20, 30), (1, 1)])
def test_a_map_is_of_a_size_to_look_at(shape: tuple[int, int]) -> None:
    values = np.ones(shape)
    values[shape[0] // 3, shape[1] // 3] = 0.0
    made = chart.HeatMap(values, (1, shape[1]), (1, shape[0]), title="Cost", x_label="cut", y_label="frame")
    picture = made.draw()
    assert 300 <= picture.shape[0] <= 900
    assert 300 <= picture.shape[1] <= 1200
    if min(shape) > 1000:
        assert picture.shape[1] >= 900
    # the one good cell is seen, however many cells share a pixel
    left, top, width, height = made.axes.box
    assert level(picture[top : top + height, left : left + width].reshape(-1, 3).min(axis=0)) == 0.0


@pytest.mark.parametrize("values", [np.full((5, 6), np.nan), np.full((5, 6), 3.0), np.array([[np.inf, 1.0]])])
def test_maps_of_nothing_or_of_one_number_are_drawn(values: np.ndarray) -> None:
    made = chart.HeatMap(values, (1, values.shape[1]), (1, values.shape[0]), unit="m\u00b7s")
    assert made.draw().shape[2] == 3


def test_texts_change_what_is_around_the_plot_and_nothing_within() -> None:
    values = np.arange(600.0).reshape(20, 30)
    bare = chart.HeatMap(values, (1, 30), (1, 20))
    full = dataclasses.replace(
        bare, title="A title " * 40, x_label="cut", y_label="frame", unit="m\u00b7s", note="A note. " * 60
    )
    inner = []
    for made in (bare, full):
        left, top, width, height = made.axes.box
        picture = made.draw()
        inner.append(picture[top : top + height, left : left + width])
        # nothing is cut off: a margin is free all around
        edge = np.ones(picture.shape[:2], bool)
        edge[6:-6, 6:-6] = False
        assert (picture[edge] == PAPER).all()
    np.testing.assert_array_equal(*inner)


def test_the_current_place_has_cross_hairs() -> None:
    made = chart.HeatMap(np.zeros((20, 30)), (1, 30), (1, 20), current=(12.5, 8))
    picture = made.draw()
    left, top, width, height = made.axes.box
    red = plain(picture, ACCENT)
    assert red[top : top + height, int(made.axes.x(12.5))].mean() > 0.9
    assert red[int(made.axes.y(8)), left : left + width].mean() > 0.9
    # and its numbers are beside the axes
    assert red[top + height + 2 :, :].any()
    assert red[:, : left - 2].any()


@pytest.mark.parametrize("place", [(1, 1), (30, 20), (1, 20), (30, 1), (15, 10)])
def test_marks_and_their_labels_stay_within_the_plot(place: tuple[int, int]) -> None:
    bare = chart.HeatMap(np.zeros((20, 30)), (1, 30), (1, 20))
    marked = dataclasses.replace(bare, marks=[(*place, "first"), (*place, "second")])
    changed = np.argwhere((bare.draw() != marked.draw()).any(axis=2))
    left, top, width, height = bare.axes.box
    spot = (bare.axes.y(place[1]), bare.axes.x(place[0]))
    assert np.abs(changed - spot).sum(axis=1).min() < 3
    assert (changed.min(axis=0) >= (top - 8, left - 8)).all()
    assert (changed.max(axis=0) < (top + height + 8, left + width + 8)).all()
    # two labels at one place are both to be read
    outside = (np.abs(changed - spot) > 8).any(axis=1).sum()
    assert outside == sum(width * height for width, height in map(plate_size, ("first", "second")))


def test_a_line_goes_through_its_points_and_breaks_at_gaps() -> None:
    x = np.arange(101.0)
    y = np.where((x > 40) & (x < 60), np.nan, np.sin(x / 9.0))
    made = chart.LineChart([("cost", x, y, (200, 0, 200))], x_label="frame", y_label="cost")
    picture = made.draw()
    for i in (5, 20, 39, 61, 80, 95):
        assert np.abs(at(picture, made, x[i], y[i]).astype(int) - (200, 0, 200)).max() < 90
    _, top, _, height = made.axes.box
    columns = slice(int(made.axes.x(42)), int(made.axes.x(58)))
    gap = picture[top : top + height, columns]
    assert not plain(gap, (200, 0, 200)).any()


def test_a_line_chart_shows_all_its_lines_and_marks() -> None:
    x = np.linspace(0.0, 1.0, 20)
    made = chart.LineChart(
        [("low", x, x - 50.0, None), ("high", x, x + 70.0, None)], marks=[(0.5, 90.0, "up")]
    )
    low, high = made.axes.y_range
    assert low < -50.0
    assert high > 90.0
    assert made.axes.x_range == (0.0, 1.0)
    drawn = made.draw()
    for colour in ((24, 95, 165), (214, 120, 10)):
        # in the plot, and in the legend above it
        found = np.flatnonzero(plain(drawn, colour).any(axis=1))
        assert found[0] < made.axes.box[1] < found[-1]


def test_a_range_that_begins_near_zero_begins_at_zero() -> None:
    made = chart.LineChart([("", [0, 1], [0.1, 3.0], None)])
    assert made.axes.y_range[0] == 0.0


@pytest.mark.parametrize(
    "series",
    [
        [],
        [("none", [], [], None)],
        [("nan", [0, 1], [np.nan, np.nan], None)],
        [("level", [3, 3], [2, 2], None)],
    ],
    ids=["no line", "no point", "no number", "one place"],
)
def test_line_charts_of_nothing_are_drawn(series) -> None:
    assert chart.line_chart(series, title="Nothing", current=0.5).shape[2] == 3


def test_the_short_way_draws_the_same() -> None:
    values = np.arange(6.0).reshape(2, 3)
    np.testing.assert_array_equal(
        chart.heat_map(values, (1, 3), (1, 2), title="T", note="N"),
        chart.HeatMap(values, (1, 3), (1, 2), title="T", note="N").draw(),
    )
