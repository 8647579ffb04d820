# SPDX-License-Identifier: GPL-3.0-or-later
"""What is drawn lands where it shall, and never outside of the canvas."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from inertia_addon.plots import canvas, font
from inertia_addon.plots.canvas import Canvas

BLACK, WHITE, RED = (0, 0, 0), (255, 255, 255), (255, 0, 0)
PLACES = st.integers(-50, 80)
SIZES = st.integers(0, 60)


def ink(sheet: Canvas) -> np.ndarray:
    """How dark each pixel is, 0 to 1."""
    return 1.0 - sheet.pixels.mean(axis=2) / 255.0


@given(PLACES, PLACES, SIZES, SIZES)
def test_a_box_is_filled_as_far_as_it_is_on_the_canvas(x: int, y: int, width: int, height: int) -> None:
    sheet = Canvas(40, 30)
    sheet.fill((x, y, width, height), BLACK)
    rows, columns = np.mgrid[:30, :40]
    inside = (x <= columns) & (columns < x + width) & (y <= rows) & (rows < y + height)
    np.testing.assert_array_equal(ink(sheet) == 1.0, inside)


def test_a_fill_may_let_through_what_is_below() -> None:
    sheet = Canvas(2, 2)
    sheet.fill((0, 0, 1, 2), BLACK, opacity=0.4)
    assert sheet.pixels[0, 0].tolist() == [153, 153, 153]
    assert sheet.pixels[0, 1].tolist() == [255, 255, 255]


def test_an_outline_stays_within_its_box() -> None:
    sheet = Canvas(10, 10)
    sheet.rectangle((2, 3, 5, 4), BLACK)
    expected = np.zeros((10, 10))
    expected[3:7, 2:7] = 1.0
    expected[4:6, 3:6] = 0.0
    np.testing.assert_array_equal(ink(sheet), expected)


@given(
    st.tuples(st.floats(10, 50), st.floats(10, 50)),
    st.tuples(st.floats(10, 50), st.floats(10, 50)),
    st.floats(2.0, 6.0),
)
def test_a_line_covers_what_is_near_it_and_nothing_else(start, end, width: float) -> None:
    sheet = Canvas(60, 60)
    sheet.polyline([start, end], BLACK, width)
    along = np.linspace(start, end, 400)
    rows, columns = np.mgrid[:60, :60] + 0.5
    away = np.min([np.hypot(columns - x, rows - y) for x, y in along], axis=0)
    dark = ink(sheet)
    assert (dark[away < 0.5 * width - 0.52] == 1.0).all()
    assert (dark[away > 0.5 * width + 0.52] == 0.0).all()
    # in between it fades by distance: edges are smooth
    np.testing.assert_allclose(dark, np.clip(0.5 * width + 0.5 - away, 0.0, 1.0), atol=0.03)


def test_a_level_line_in_the_middle_of_pixels_is_crisp() -> None:
    sheet = Canvas(20, 5)
    sheet.polyline([(-5.0, 2.5), (30.0, 2.5)], BLACK, 1.0)
    np.testing.assert_array_equal(ink(sheet), np.eye(5)[2][:, None] * np.ones(20))


def test_lines_break_where_there_is_no_number_and_stop_at_the_clip() -> None:
    sheet = Canvas(40, 9)
    sheet.polyline([(0, 4.5), (10, 4.5), (np.nan, 4.5), (20, 4.5), (40, 4.5)], BLACK, 1.0, clip=(0, 0, 30, 9))
    row = ink(sheet)[4]
    assert (row[:10] == 1.0).all()
    assert (row[12:19] == 0.0).all()
    assert (row[20:30] == 1.0).all()
    assert (row[30:] == 0.0).all()


@given(st.floats(-20, 60), st.floats(-20, 60))
def test_a_marker_is_a_disc_within_an_edge(x: float, y: float) -> None:
    sheet = Canvas(40, 40, (9, 9, 9))
    sheet.marker(x, y, RED, 4.0, edge=WHITE)
    rows, columns = np.mgrid[:40, :40] + 0.5
    away = np.hypot(columns - x, rows - y)
    assert (sheet.pixels[away < 3.4] == RED).all()
    assert (sheet.pixels[(away > 4.6) & (away < 4.9)] == WHITE).all()
    assert (sheet.pixels[away > 6.1] == (9, 9, 9)).all()


@pytest.mark.parametrize("vertical", [False, True])
@pytest.mark.parametrize("align", ["left", "middle", "right"])
@pytest.mark.parametrize("stand", ["top", "middle", "base"])
def test_text_stands_where_it_is_told(vertical: bool, align, stand) -> None:
    sheet = Canvas(200, 200)
    sheet.text(100, 100, "HEH", BLACK, align=align, stand=stand, vertical=vertical)
    rows = np.flatnonzero(ink(sheet).any(axis=1))
    columns = np.flatnonzero(ink(sheet).any(axis=0))
    along, across = (rows, columns) if vertical else (columns, rows)
    length, height = font.measure("HEH")[0], font.CAP_HEIGHT
    assert (along[-1] - along[0] + 1, across[-1] - across[0] + 1) == (length, height)
    before = {"left": 0.0, "middle": 0.5, "right": 1.0}[align] * length
    # upwards, the text's beginning is below
    start = 100 - (length - before) if vertical else 100 - before
    above = {"top": 0.0, "middle": 0.5, "base": 1.0}[stand] * height
    assert along[0] == pytest.approx(start, abs=0.5)
    assert across[0] == pytest.approx(100 - above, abs=0.5)


@given(st.integers(-300, 300), st.integers(-300, 300), st.booleans(), st.integers(1, 3))
def test_text_may_hang_over_the_edge(x: int, y: int, vertical: bool, scale: int) -> None:
    sheet, larger = Canvas(60, 50), Canvas(60 + 600, 50 + 600)
    options = {"vertical": vertical, "scale": scale}
    sheet.text(x, y, "Walk to Run", BLACK, **options)
    larger.text(x + 300, y + 300, "Walk to Run", BLACK, **options)
    np.testing.assert_array_equal(sheet.pixels, larger.pixels[300:350, 300:360])


@given(PLACES, PLACES)
def test_an_image_may_hang_over_the_edge(x: int, y: int) -> None:
    picture = np.random.default_rng(0).integers(0, 255, (12, 17, 3), np.uint8)
    sheet, larger = Canvas(40, 30), Canvas(240, 230)
    sheet.image(x, y, picture)
    larger.image(x + 100, y + 100, picture)
    np.testing.assert_array_equal(sheet.pixels, larger.pixels[100:130, 100:140])


TABLES = hnp.arrays(
    float,
    st.tuples(st.integers(1, 12), st.integers(1, 12)),
    elements=st.one_of(st.floats(-9, 9), st.just(np.nan)),
)


@given(TABLES, st.integers(1, 40), st.integers(1, 40))
def test_resampling_keeps_the_least_of_all(values: np.ndarray, height: int, width: int) -> None:
    made = canvas.resampled(values, height, width)
    assert made.shape == (height, width)
    assert set(made[~np.isnan(made)]) <= set(values[~np.isnan(values)])
    if not np.isnan(values).all():
        assert np.nanmin(made) == np.nanmin(values)


@given(TABLES, st.integers(1, 5), st.integers(1, 5))
def test_whole_enlargement_repeats_cells_and_reduction_undoes_it(values, down: int, across: int) -> None:
    rows, columns = values.shape
    larger = canvas.resampled(values, rows * down, columns * across)
    np.testing.assert_array_equal(larger, values.repeat(down, axis=0).repeat(across, axis=1))
    np.testing.assert_array_equal(canvas.resampled(larger, rows, columns), values)


def test_pictures_beside_each_other_keep_to_their_places() -> None:
    pictures = [np.full((2, 3, 3), 10 * i, np.uint8) for i in range(1, 4)]
    sheet = canvas.beside(pictures, 2, WHITE, gap=1)
    assert sheet.shape == (5, 7, 3)
    assert (sheet[:2, :3] == 10).all()
    assert (sheet[:2, 4:] == 20).all()
    assert (sheet[3:, :3] == 30).all()
    assert (sheet[3:, 3:] == 255).all()
