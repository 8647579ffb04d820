# SPDX-License-Identifier: GPL-3.0-or-later
"""Charts show the numbers they are given, where their axes say."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from inertia_addon.plots import chart, heat_map, plot, raster, shapes
from inertia_addon.plots.chart import Chart, alone, sheet
from inertia_addon.plots.heat_map import HeatMap
from inertia_addon.plots.line_chart import LINE_COLOURS, ChartSeries, LineChart
from inertia_addon.plots.plot import Dot
from inertia_addon.plots.shapes import Picture, Text
from inertia_addon.plots.theme import PAPER, contrast

TABLE = shapes.as_bytes(heat_map.sequential(np.linspace(0.0, 1.0, 1001))).astype(int)
CURRENT = shapes.as_bytes(PAPER.current[:3])
PINK = (0.8, 0.0, 0.8, 1.0)


def widest(text: str) -> np.ndarray:
    """Outlines of letters that are as wide and as high as any may be."""
    wide = plot.width_of(text, 1.0)
    return shapes.box(0.0, -0.2, wide, 0.95, shapes.BLACK).corners if text.strip() else np.zeros((0, 2))


def draw(made: Chart) -> np.ndarray:
    """The chart's pixels, row 0 at the bottom."""
    return raster.pixels(sheet([made]), widest)[::-1]


def level(pixel: np.ndarray) -> float:
    """Where in the sequential colours a pixel is, 0 to 1."""
    return float(np.argmin(np.abs(TABLE - pixel.astype(int)).sum(axis=1))) / 1000.0


def at(picture: np.ndarray, made: Chart, x: float, y: float) -> np.ndarray:
    found = alone(made)
    return picture[int(found.y(y)), int(found.x(x))]


def inner(picture: np.ndarray, made: Chart) -> np.ndarray:
    """The plot's own pixels."""
    left, bottom, width, height = map(int, alone(made).area)
    return picture[bottom : bottom + height, left : left + width]


def plain(picture: np.ndarray, colour: Any) -> np.ndarray:
    return (picture == colour).all(axis=2)


def full_map(values: np.ndarray, **options: Any) -> HeatMap:
    rows, columns = values.shape
    return HeatMap(values=values, x_range=(1, columns), y_range=(1, rows), **options)


@given(st.integers(1, 20), st.integers(1, 20), st.integers(0, 2**32 - 1))
def test_every_cell_has_its_value_s_colour(rows: int, columns: int, seed: int) -> None:
    values = np.random.default_rng(seed).uniform(2.0, 5.0, (rows, columns))
    ranges = {"x_range": (10, 9 + columns), "y_range": (-3, rows - 4)}
    made = HeatMap(values=values, **ranges, span=(2.0, 5.0), size=(160, 160))
    picture = draw(made)
    for i in {0, rows // 2, rows - 1}:
        for j in {0, columns // 2, columns - 1}:
            shown = 2.0 + 3.0 * level(at(picture, made, 10 + j, i - 3))
            assert shown == pytest.approx(values[i, j], abs=0.02)


def test_x_runs_right_and_y_upwards() -> None:
    values = np.zeros((20, 30))
    values[2, 25] = 1.0
    made = full_map(values, span=(0.0, 1.0))
    picture = draw(made)
    assert level(at(picture, made, 26, 3)) == 1.0
    assert level(at(picture, made, 26, 18)) == 0.0
    assert alone(made).x(26) > picture.shape[1] / 2
    assert alone(made).y(3) < picture.shape[0] / 2


def test_a_cell_without_a_value_is_grey() -> None:
    values = np.arange(12.0).reshape(3, 4)
    values[1, 2] = np.nan
    made = full_map(values)
    assert at(draw(made), made, 3, 2).tolist() == shapes.as_bytes(heat_map.NO_VALUE).tolist()
    assert "Grey: no value." in made.explained().note


def test_a_few_bad_cells_do_not_take_all_the_colours() -> None:
    values = np.tile(np.linspace(0.0, 1.0, 50), (50, 1))
    values[0, :20] = 1000.0
    made = full_map(values, aside="m")
    picture = draw(made)
    assert level(at(picture, made, 1, 31)) == 0.0
    assert level(at(picture, made, 26, 31)) == pytest.approx(0.5, abs=0.05)
    assert level(at(picture, made, 4, 1)) == 1.0
    assert made.explained().note == "Colours end at 1, the 98th percentile (greatest: 1000 m)."


@pytest.mark.variants(2)
@pytest.mark.parametrize("shape", [(1800, 2000), (1, 3000), (2500, 3), (20, 30), (1, 1)])
def test_a_map_is_of_a_size_to_look_at(shape: tuple[int, int]) -> None:
    values = np.ones(shape)
    values[shape[0] // 3, shape[1] // 3] = 0.0
    made = full_map(values, title="Cost", x_label="cut", y_label="frame")
    picture = draw(made)
    assert 300 <= picture.shape[0] <= 900
    assert 300 <= picture.shape[1] <= 1200
    if min(shape) > 1000:
        assert picture.shape[1] >= 900
        assert "Each pixel shows the least of the cells that share it." in made.explained().note
    # the one good cell is seen, however many cells share a pixel
    assert level(inner(picture, made).reshape(-1, 3).min(axis=0)) == 0.0


@pytest.mark.parametrize("values", [np.full((5, 6), np.nan), np.full((5, 6), 3.0), np.array([[np.inf, 1.0]])])
def test_maps_of_nothing_or_of_one_number_are_drawn(values: np.ndarray) -> None:
    assert draw(full_map(values, aside="m\u00b7s").explained()).shape[2] == 3


def test_texts_change_what_is_around_the_plot_and_nothing_within() -> None:
    bare = full_map(np.arange(600.0).reshape(20, 30))
    full = dataclasses.replace(
        bare,
        title="A title " * 40,
        x_label="cut " * 99,
        y_label="frame " * 99,
        aside="m\u00b7s",
        note="A note. " * 60,
    )
    found = []
    for made in (bare, full):
        picture = draw(made)
        found.append(inner(picture, made))
        # nothing is cut off: a margin is free all around
        edge = np.ones(picture.shape[:2], bool)
        edge[6:-6, 6:-6] = False
        assert (picture[edge] == 255).all()
    np.testing.assert_array_equal(*found)


@given(
    title=st.text("abc ", max_size=90),
    aside=st.text("ab ", max_size=20),
    note=st.text("abc ", max_size=90),
    width=st.integers(150, 400),
    is_map=st.booleans(),
)
def test_no_two_texts_of_a_chart_overlap(
    title: str, aside: str, note: str, width: int, *, is_map: bool
) -> None:
    common = {"title": title, "aside": aside, "note": note, "x_label": "frame", "y_label": "cost"}
    made: Chart
    if is_map:
        made = full_map(np.arange(600.0).reshape(20, 30), current=(7, 4), size=(width, width), **common)
    else:
        lines = [ChartSeries(f"line {i}", [0.0, 1.0], [-1.0, i]) for i in range(7)]
        made = LineChart(series=lines, size=(width, 120), **common)
    texts = [each for each in sheet([made]).shapes if isinstance(each, Text) and each.text]
    boxes = []
    for each in texts:
        wide = plot.width_of(each.text, each.size)
        if each.vertical:
            boxes.append((each.x - 0.72 * each.size, each.y - 0.5 * wide, each.x, each.y + 0.5 * wide))
        else:
            left = each.x - each.align * wide
            boxes.append((left, each.y, left + wide, each.y + 0.72 * each.size))
    for i, box in enumerate(boxes):
        assert not [t for t, b in zip(texts, boxes[:i], strict=False) if plot.overlap(box, b)], texts[i]


def test_the_current_place_has_cross_hairs() -> None:
    made = full_map(np.zeros((20, 30)), current=(12.5, 8))
    picture = draw(made)
    found = alone(made)
    left, bottom, width, height = map(int, found.area)
    upright = picture[bottom : bottom + height, int(found.x(12.5))]
    across = picture[int(found.y(8)), left : left + width]
    assert (upright.min(axis=1) > 200).mean() > 0.9
    assert (across.min(axis=1) > 200).mean() > 0.9
    # and its numbers are beside the axes
    red = plain(picture, CURRENT)
    assert red[int(found.y(8)), int(found.x(12.5))]
    assert red[: bottom - 2, :].any()
    assert red[:, : left - 2].any()
    texts = [each.text for each in sheet([made]).shapes if isinstance(each, Text)]
    assert {"12.5", "8"} <= set(texts)


@pytest.mark.variants(2)
@pytest.mark.parametrize("place", [(1, 1), (30, 20), (1, 20), (30, 1), (15, 10)])
def test_marks_have_their_labels_and_change_nothing_else(place: tuple[int, int]) -> None:
    bare = full_map(np.zeros((20, 30)))
    other = (16, 11)
    marked = dataclasses.replace(bare, marks=[(*place, "1"), (*other, "10")])
    changed = np.argwhere((draw(bare) != draw(marked)).any(axis=2))
    found = alone(bare)
    spots = [(float(found.y(y)), float(found.x(x))) for x, y in (place, other)]
    away = np.min([np.abs(changed - spot).max(axis=1) for spot in spots], axis=0)
    assert away.max() <= 9
    assert {"1", "10"} <= {each.text for each in sheet([marked]).shapes if isinstance(each, Text)}


def test_a_line_across_a_map_stays_in_it() -> None:
    made = full_map(np.zeros((20, 30)), lines=[((-50.0, 50.0), (1.0, 20.0)), ((5.0, 5.0), (1.0, 20.0))])
    drawn = [each for each in sheet([made]).shapes if isinstance(each, shapes.Lines)]
    left, bottom, width, height = alone(made).area
    assert len(drawn) == 4
    for each in drawn:
        x, y = each.points.T
        assert left - 0.1 <= x.min()
        assert x.max() <= left + width + 0.1
        assert bottom - 0.1 <= y.min()
        assert y.max() <= bottom + height + 0.1
    slopes = [np.diff(each.points, axis=0)[0] for each in drawn]
    assert slopes[2][0] == pytest.approx(0.0, abs=1e-3)
    expected = (100.0 / 30.0 * width) / (19.0 / 20.0 * height)
    assert slopes[0][0] / slopes[0][1] == pytest.approx(expected, rel=1e-2)


TABLES = hnp.arrays(
    float,
    st.tuples(st.integers(1, 12), st.integers(1, 12)),
    elements=st.one_of(st.floats(-9, 9), st.just(np.nan)),
)


@given(TABLES, st.integers(1, 40), st.integers(1, 40))
def test_resampling_keeps_the_least_of_all(values: np.ndarray, height: int, width: int) -> None:
    made = heat_map.resampled(values, height, width)
    assert made.shape == (height, width)
    assert set(made[~np.isnan(made)]) <= set(values[~np.isnan(values)])
    if not np.isnan(values).all():
        assert np.nanmin(made) == np.nanmin(values)


@given(TABLES, st.integers(1, 5), st.integers(1, 5))
def test_whole_enlargement_repeats_cells_and_reduction_undoes_it(values, down: int, across: int) -> None:
    rows, columns = values.shape
    larger = heat_map.resampled(values, rows * down, columns * across)
    np.testing.assert_array_equal(larger, values.repeat(down, axis=0).repeat(across, axis=1))
    np.testing.assert_array_equal(heat_map.resampled(larger, rows, columns), values)


def test_a_line_goes_through_its_points_and_breaks_at_gaps() -> None:
    x = np.arange(101.0)
    y = np.where((x > 40) & (x < 60), np.nan, np.sin(x / 9.0))
    made = LineChart(series=[ChartSeries("cost", x, y, PINK)], x_label="frame", y_label="cost")
    picture = draw(made)
    colour = shapes.as_bytes(PINK[:3]).astype(int)
    for i in (5, 20, 39, 61, 80, 95):
        assert np.abs(at(picture, made, x[i], y[i]).astype(int) - colour).max() < 90
    found = alone(made)
    _, bottom, _, height = map(int, found.area)
    gap = picture[bottom : bottom + height, int(found.x(42)) : int(found.x(58))]
    assert not plain(gap, colour).any()


@pytest.mark.parametrize("points", [[(0.0, 0.0), (100.0, 0.0)], [(0.0, 0.0), (30.0, 40.0), (30.0, 90.0)]])
def test_dashes_lie_on_the_line_and_cover_half_of_it(points: list[tuple[float, float]]) -> None:
    ends = shapes.dashes(points, 5.0).reshape(-1, 2, 2)
    assert ends[0, 0].tolist() == [0.0, 0.0]
    np.testing.assert_allclose(np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1), 5.0)
    assert len(ends) == 10
    dashed = ChartSeries("a", [0.0, 1.0], [0.0, 1.0], dashed=True).line(points, LINE_COLOURS[0], 1.0)
    assert isinstance(dashed, shapes.Lines)
    assert dashed.pairs


def test_a_line_stays_in_its_plot() -> None:
    x = np.arange(101.0)
    made = LineChart(series=[ChartSeries("", x, x, PINK)], x_range=(20.5, 60.0), y_range=(30.0, 50.0))
    (points,) = (s.points for s in sheet([made]).shapes if isinstance(s, shapes.Lines) and not s.pairs)
    left, bottom, width, height = alone(made).area
    assert (points[:, 0].min(), points[:, 0].max()) == pytest.approx((left, left + width))
    assert (points[:, 1].min(), points[:, 1].max()) == pytest.approx((bottom, bottom + height))


def test_a_line_chart_shows_all_its_lines_and_dots() -> None:
    x = np.linspace(0.0, 1.0, 20)
    made = LineChart(
        series=[ChartSeries("low", x, x - 50.0), ChartSeries("high", x, x + 70.0)],
        dots=[Dot(0.5, 90.0, "up")],
    )
    x_range, (low, high) = made.ranges
    assert low < -50.0
    assert high > 90.0
    assert x_range == (0.0, 1.0)
    drawn = draw(made)
    top = alone(made).area[1] + alone(made).area[3]
    for colour in LINE_COLOURS[:2]:
        # in the plot, and in the legend above it
        found = np.flatnonzero(plain(drawn, shapes.as_bytes(colour[:3])).any(axis=1))
        assert found[0] < top < found[-1]
    texts = {each.text for each in sheet([made]).shapes if isinstance(each, Text)}
    assert {"low", "high", "up"} <= texts


@given(st.lists(st.tuples(st.floats(0.0, 1.0), st.floats(0.0, 1.0)), min_size=1, max_size=4))
def test_labels_of_dots_stay_within_the_plot_and_apart(places: list[tuple[float, float]]) -> None:
    dots = [Dot(x, y, f"{i} of them") for i, (x, y) in enumerate(places)]
    made = LineChart(series=(), dots=dots, x_range=(0.0, 1.0), y_range=(0.0, 1.0))
    left, bottom, width, height = alone(made).area
    labels = [s for s in sheet([made]).shapes if isinstance(s, Text) and s.text.endswith("of them")]
    assert labels
    assert len(labels) == len(dots) or len(places) > 2
    boxes = [(s.x, s.y, s.x + plot.width_of(s.text, s.size), s.y + 0.75 * s.size) for s in labels]
    assert not any(plot.overlap(box, other) for i, box in enumerate(boxes) for other in boxes[:i])
    for each in labels:
        assert left <= each.x
        assert each.x + plot.width_of(each.text, each.size) <= left + width
        assert bottom <= each.y
        assert each.y + 0.75 * each.size <= bottom + height


def test_two_labels_at_one_place_are_both_to_be_read() -> None:
    made = LineChart(series=(), dots=[Dot(0.5, 0.5, "first"), Dot(0.5, 0.5, "second")], x_range=(0.0, 1.0))
    first, second = (s for s in sheet([made]).shapes if isinstance(s, Text) and s.text in {"first", "second"})
    assert abs(first.x - second.x) > 30 or abs(first.y - second.y) > first.size


def test_a_range_that_begins_near_zero_begins_at_zero() -> None:
    assert LineChart(series=[ChartSeries("", [0, 1], [0.1, 3.0])]).ranges[1][0] == 0.0


@pytest.mark.parametrize(
    "series",
    [
        [],
        [ChartSeries("none", [], [])],
        [ChartSeries("nan", [0, 1], [np.nan, np.nan])],
        [ChartSeries("level", [3, 3], [2, 2])],
    ],
    ids=["no line", "no point", "no number", "one place"],
)
def test_line_charts_of_nothing_are_drawn(series: list[ChartSeries]) -> None:
    assert draw(LineChart(series=series, title="Nothing", current=Dot(0.5, 0.0))).shape[2] == 3


def test_charts_of_a_sheet_keep_to_their_places() -> None:
    charts = [
        LineChart(
            series=[ChartSeries("", [0, 1], [0, 1], (0.1 * i, 0.0, 1.0, 1.0))],
            size=(100 + 50 * i, 80 + 9 * i),
        )
        for i in range(5)
    ]
    made = sheet(charts, 2)
    sizes = [each.room(PAPER) for each in charts]
    columns = [max(sizes[i][0] for i in (0, 2, 4)), max(sizes[i][0] for i in (1, 3))]
    rows = [max(sizes[0][1], sizes[1][1]), max(sizes[2][1], sizes[3][1]), sizes[4][1]]
    assert (made.width, made.height) == (sum(columns) + 2 * chart.MARGIN, sum(rows) + 2 * chart.MARGIN)
    lines = [s for s in made.shapes if isinstance(s, shapes.Lines) and not s.pairs]
    assert len(lines) == 5
    for i, each in enumerate(lines):
        row, column = divmod(i, 2)
        left, top = chart.MARGIN + sum(columns[:column]), made.height - chart.MARGIN - sum(rows[:row])
        x, y = each.points.T
        assert left < x.min() < x.max() < left + columns[column]
        assert top - rows[row] < y.min() < y.max() < top


def test_colours_of_texts_and_lines_can_be_read_on_paper() -> None:
    for colour in (PAPER.text, PAPER.faint):
        assert contrast(colour, PAPER.panel) >= 4.5
    for colour in (PAPER.curve, PAPER.current, *LINE_COLOURS):
        assert contrast(colour, PAPER.panel) >= 3.0


@given(st.lists(st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=4)), st.integers(80, 400))
def test_wrapped_rows_fit_and_keep_the_words(words: list[str], width: int) -> None:
    rows = plot.wrapped(" ".join(words), 12.0, width)
    assert " ".join(rows).split() == words
    assert all(plot.width_of(row, 12.0) <= width for row in rows)


def test_wrapping_keeps_the_rows_that_are_there() -> None:
    assert plot.wrapped("one two\nthree", 12.0, 1000.0) == ["one two", "three"]
    assert plot.wrapped("", 12.0, 1000.0) == []


def test_a_picture_has_a_pixel_for_each_of_its_box() -> None:
    made = full_map(np.arange(600.0).reshape(20, 30))
    (shown, _) = (each for each in sheet([made]).shapes if isinstance(each, Picture))
    assert shown.pixels.shape == (shown.box[3], shown.box[2], 4)
