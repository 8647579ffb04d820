# SPDX-License-Identifier: GPL-3.0-or-later
"""What is drawn as pixels lands where it shall, and never outside of the sheet."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from inertia_addon.plots import raster, shapes
from inertia_addon.plots.shapes import BLACK, WHITE, Colour, Drawing, FilledShape, Picture, Shape, Text

RED: Colour = (1.0, 0.0, 0.0, 1.0)
PLACES = st.integers(-50, 80)
SIZES = st.integers(0, 60)


def block(text: str) -> np.ndarray:
    """The outlines of letters that are squares of half their size."""
    boxes = [shapes.box(0.6 * i, 0.0, 0.5, 0.5, BLACK).corners for i in range(len(text))]
    return np.concatenate(boxes or [np.zeros((0, 2), np.float32)])


def drawn(
    width: int, height: int, *found: Shape, background: Colour = WHITE, outlines: raster.Outlines = block
) -> np.ndarray:
    """Pixels (height, width, 3), row 0 at the bottom as shapes have it."""
    return raster.pixels(Drawing(width, height, background, found), outlines)[::-1]


def ink(pixels: np.ndarray) -> np.ndarray:
    """How dark each pixel is, 0 to 1."""
    return 1.0 - pixels.mean(axis=2) / 255.0


def test_the_first_row_is_the_highest() -> None:
    made = raster.pixels(Drawing(4, 3, WHITE, [shapes.box(0, 2, 4, 1, BLACK)]), block)
    assert made.shape == (3, 4, 3)
    assert made.dtype == np.uint8
    np.testing.assert_array_equal(ink(made)[:, 0], [1.0, 0.0, 0.0])


@given(PLACES, PLACES, SIZES, SIZES)
def test_a_box_is_filled_as_far_as_it_is_on_the_sheet(x: int, y: int, width: int, height: int) -> None:
    sheet = drawn(40, 30, shapes.box(x, y, width, height, BLACK))
    rows, columns = np.mgrid[:30, :40]
    inside = (x <= columns) & (columns < x + width) & (y <= rows) & (rows < y + height)
    np.testing.assert_array_equal(ink(sheet) == 1.0, inside)
    np.testing.assert_array_equal(ink(sheet) == 0.0, ~inside)


POINTS = st.tuples(st.floats(-10, 40), st.floats(-10, 40))


def area_on_sheet(corners: np.ndarray, size: float) -> float:
    """Return how much of a triangle (3, 2) lies on a square sheet: it is cut along each side."""
    for axis, side, sign in ((0, 0.0, 1.0), (0, size, -1.0), (1, 0.0, 1.0), (1, size, -1.0)):
        kept = []
        for here, there in zip(corners, np.roll(corners, -1, axis=0), strict=True):
            a, b = sign * (here[axis] - side), sign * (there[axis] - side)
            if a >= 0.0:
                kept.append(here)
            if a * b < 0.0:
                kept.append(here + (there - here) * a / (a - b))
        if not kept:
            return 0.0
        corners = np.array(kept)
    x, y = corners.T
    return 0.5 * abs(float(x @ np.roll(y, -1) - y @ np.roll(x, -1)))


@given(st.lists(st.tuples(POINTS, POINTS, POINTS), min_size=1, max_size=1))
@example([((0.0, 0.0), (0.0, 20.0), (0.03125, 0.0))])
@example([((0.0, 0.0), (0.0, 1.0), (12.0, 12.0))])
def test_pixels_have_as_much_ink_as_a_triangle_covers(found: list) -> None:
    corners = np.array(found, np.float32).reshape(-1, 2)
    dark = ink(drawn(30, 30, FilledShape(corners, BLACK)))
    # by samples, 16 times 16 a pixel
    ys, xs = (np.mgrid[:480, :480] + 0.5) / 16.0
    (ax, ay), (bx, by), (cx, cy) = corners.tolist()
    turn = np.sign((bx - ax) * (cy - ay) - (by - ay) * (cx - ax))
    sides = [
        (x1 - x0) * (ys - y0) - (y1 - y0) * (xs - x0)
        for (x0, y0), (x1, y1) in (((ax, ay), (bx, by)), ((bx, by), (cx, cy)), ((cx, cy), (ax, ay)))
    ]
    # those on an edge count half, as the pixels that a diagonal halves have a whole row of them there
    inside = abs(turn) * (0.5 + 0.5 * (turn * np.sign(sides)).min(axis=0))
    samples = inside.reshape(30, 16, 30, 16).mean(axis=(1, 3))
    np.testing.assert_allclose(dark, samples, atol=0.09)
    area = area_on_sheet(corners.astype(float), 30.0)
    assert dark.sum() == pytest.approx(area, abs=0.3 + 0.01 * area)


@given(st.floats(5, 25), st.floats(5, 25), st.floats(0.5, 5.0))
def test_a_disc_has_no_seam_where_triangles_meet(x: float, y: float, radius: float) -> None:
    dark = ink(drawn(30, 30, shapes.disc(x, y, radius, BLACK)))
    rows, columns = np.mgrid[:30, :30] + 0.5
    away = np.hypot(columns - x, rows - y)
    assert (dark[away < 0.96 * radius - 0.75] == 1.0).all()
    assert (dark[away > radius + 0.75] == 0.0).all()


def test_a_fill_may_let_through_what_is_below() -> None:
    sheet = drawn(2, 2, shapes.box(0, 0, 1, 2, (0.0, 0.0, 0.0, 0.4)))
    assert sheet[0, 0].tolist() == [153, 153, 153]
    assert sheet[0, 1].tolist() == [255, 255, 255]


@given(
    st.tuples(st.floats(10, 50), st.floats(10, 50)),
    st.tuples(st.floats(10, 50), st.floats(10, 50)),
    st.floats(2.0, 6.0),
)
def test_a_line_covers_what_is_near_it_and_nothing_else(start, end, width: float) -> None:
    dark = ink(drawn(60, 60, shapes.line([start, end], BLACK, width)))
    along = np.linspace(start, end, 400)
    rows, columns = np.mgrid[:60, :60] + 0.5
    away = np.min([np.hypot(columns - x, rows - y) for x, y in along], axis=0)
    assert (dark[away < 0.5 * width - 0.52] == 1.0).all()
    assert (dark[away > 0.5 * width + 0.52] == 0.0).all()
    # in between it fades by distance: edges are smooth
    np.testing.assert_allclose(dark, np.clip(0.5 * width + 0.5 - away, 0.0, 1.0), atol=0.03)


def test_a_level_line_in_the_middle_of_pixels_is_crisp() -> None:
    dark = ink(drawn(20, 5, shapes.line([(-5.0, 2.5), (30.0, 2.5)], BLACK, 1.0)))
    np.testing.assert_array_equal(dark, np.eye(5)[2][:, None] * np.ones(20))


def test_lines_break_where_there_is_no_number() -> None:
    points = [(0, 4.5), (10, 4.5), (np.nan, 4.5), (20, 4.5), (30, 4.5)]
    row = ink(drawn(40, 9, shapes.line(points, BLACK, 1.5)))[4]
    assert (row[:10] == 1.0).all()
    assert (row[12:19] == 0.0).all()
    assert (row[20:30] == 1.0).all()
    assert (row[31:] == 0.0).all()


def test_pairs_are_lines_of_their_own() -> None:
    points = [(0, 2.5), (10, 2.5), (20, 2.5), (30, 2.5)]
    row = ink(drawn(40, 5, shapes.line(points, BLACK, 1.0, pairs=True)))[2]
    assert (row[:10] == 1.0).all()
    assert (row[12:19] == 0.0).all()
    assert (row[20:30] == 1.0).all()


@given(st.floats(-20, 60), st.floats(-20, 60))
def test_a_dot_is_a_disc_within_an_edge(x: float, y: float) -> None:
    grey = (9 / 255, 9 / 255, 9 / 255, 1.0)
    sheet = drawn(
        40, 40, shapes.disc(x, y, 6.0, WHITE), shapes.disc(x, y, 4.0, RED), background=grey
    )  # of 16 corners, so that its edge is up to 2 % nearer
    rows, columns = np.mgrid[:40, :40] + 0.5
    away = np.hypot(columns - x, rows - y)
    assert (sheet[away < 3.2] == (255, 0, 0)).all()
    assert (sheet[(away > 4.75) & (away < 5.1)] == 255).all()
    assert (sheet[away > 6.75] == 9).all()


@pytest.mark.parametrize("vertical", [False, True])
@pytest.mark.parametrize("align", [0.0, 0.5, 1.0])
def test_text_stands_where_it_is_told(*, vertical: bool, align: float) -> None:
    dark = ink(drawn(200, 200, Text(100, 100, "HEH", 20.0, BLACK, align, vertical)))
    rows, columns = np.flatnonzero(dark.any(axis=1)), np.flatnonzero(dark.any(axis=0))
    along, across = (rows, columns) if vertical else (columns, rows)
    length, height = 20.0 * 1.7, 20.0 * 0.5
    assert (along[-1] - along[0] + 1, across[-1] - across[0] + 1) == (length, height)
    assert along[0] == 100 - align * length
    # upwards, what is above the line is at its left
    assert across[0] == (100 - height if vertical else 100)


@given(x=st.integers(-300, 300), y=st.integers(-300, 300), vertical=st.booleans(), size=st.floats(4.0, 40.0))
def test_text_may_hang_over_the_edge(x: int, y: int, *, vertical: bool, size: float) -> None:
    here = Text(x, y, "Walk to Run", size, BLACK, vertical=vertical)
    there = Text(x + 300, y + 300, "Walk to Run", size, BLACK, vertical=vertical)
    larger = drawn(60 + 600, 50 + 600, there)[300:350, 300:360].astype(int)
    np.testing.assert_allclose(drawn(60, 50, here).astype(int), larger, atol=1)


def test_an_empty_text_has_no_ink() -> None:
    assert not ink(drawn(30, 30, Text(5, 5, "", 12.0, BLACK, 0.5))).any()


@given(PLACES, PLACES)
def test_an_image_may_hang_over_the_edge(x: int, y: int) -> None:
    pixels = np.random.default_rng(0).random((12, 17, 4)).astype(np.float32)
    sheet = drawn(40, 30, Picture(pixels, (x, y, 17, 12)))
    larger = drawn(240, 230, Picture(pixels, (x + 100, y + 100, 17, 12)))
    np.testing.assert_array_equal(sheet, larger[100:130, 100:140])


def test_an_image_is_as_large_as_its_box_and_may_be_seen_through() -> None:
    pixels = np.zeros((2, 2, 4), np.float32)
    pixels[0, 0] = BLACK
    pixels[1, 1] = (0.0, 0.0, 0.0, 0.4)
    dark = ink(drawn(10, 8, Picture(pixels, (2, 2, 6, 4))))
    expected = np.zeros((8, 10))
    expected[2:4, 2:5] = 1.0
    expected[4:6, 5:8] = 0.4
    np.testing.assert_allclose(dark, expected, atol=0.002)
