# SPDX-License-Identifier: GPL-3.0-or-later
"""SVG files that say what their shapes say."""

from __future__ import annotations

import base64
import io
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inertia_addon.plots import shapes, svg
from inertia_addon.plots.shapes import BLACK, WHITE, Drawing, Picture, Shape, Text

NAMES = {"svg": "http://www.w3.org/2000/svg"}


def read(*found: Shape) -> ElementTree.Element:
    return ElementTree.fromstring(svg.encode(Drawing(200, 100, WHITE, found)))


def test_a_file_is_as_large_as_its_sheet_and_has_its_colour() -> None:
    made = read()
    assert (made.get("width"), made.get("height"), made.get("viewBox")) == ("200", "100", "0 0 200 100")
    (ground,) = made.findall("svg:rect", NAMES)
    assert ground.get("fill") == "#ffffff"


@pytest.mark.slow
@given(st.text(st.characters(codec="utf-8")))
def test_text_stays_text(text: str) -> None:
    (made,) = read(Text(10, 20, text, 12.0, BLACK)).findall("svg:text", NAMES)
    expected = svg.NO_CHARACTER.sub("\ufffd", text).replace("\r\n", "\n").replace("\r", "\n")
    assert (made.text or "") == expected


@pytest.mark.parametrize(("align", "anchor"), [(0.0, "start"), (0.5, "middle"), (1.0, "end")])
def test_text_stands_on_its_line(align: float, anchor: str) -> None:
    flat, upright = read(
        Text(10, 20, "Cost", 12.0, BLACK, align), Text(10, 20, "Cost", 12.0, BLACK, align, vertical=True)
    ).findall("svg:text", NAMES)
    for each in (flat, upright):
        assert (each.get("x"), each.get("y"), each.get("text-anchor")) == ("10.00", "80.00", anchor)
    assert flat.get("transform") is None
    assert upright.get("transform") == "rotate(-90 10.00 80.00)"


def test_an_image_is_embedded_upright() -> None:
    image = pytest.importorskip("PIL.Image", reason="an independent reader of PNG comes with matplotlib")
    pixels = np.random.default_rng(0).random((3, 5, 4)).astype(np.float32)
    (made,) = read(Picture(pixels, (20, 30, 50, 40))).findall("svg:image", NAMES)
    assert [made.get(key) for key in ("x", "y", "width", "height")] == ["20.00", "30.00", "50.00", "40.00"]
    data = made.get("{http://www.w3.org/1999/xlink}href", "").removeprefix("data:image/png;base64,")
    with image.open(io.BytesIO(base64.b64decode(data))) as shown:
        np.testing.assert_allclose(np.asarray(shown)[::-1] / 255.0, pixels, atol=0.002)


def test_lines_break_where_there_is_no_number() -> None:
    points = [(0, 0), (10, 10), (np.nan, 0), (20, 10), (30, 0), (40, np.inf)]
    (made,) = read(shapes.line(points, (1.0, 0.0, 0.0, 0.5), 2.0)).findall("svg:path", NAMES)
    assert made.get("d") == "M0.00 100.00L10.00 90.00M20.00 90.00L30.00 100.00"
    assert (made.get("stroke"), made.get("stroke-opacity"), made.get("stroke-width")) == (
        "#ff0000",
        "0.5",
        "2",
    )


def test_pairs_are_lines_of_their_own() -> None:
    points = [(0, 0), (10, 0), (20, 0), (30, 0)]
    (made,) = read(shapes.line(points, BLACK, pairs=True)).findall("svg:path", NAMES)
    assert made.get("d") == "M0.00 100.00L10.00 100.00M20.00 100.00L30.00 100.00"


def area(rim: np.ndarray) -> float:
    x, y = rim.T
    return 0.5 * float(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)))


@given(st.floats(1.0, 50.0), st.floats(1.0, 50.0))
def test_a_fill_is_its_outline(width: float, height: float) -> None:
    (rim,) = svg.rims(shapes.box(3.0, 4.0, width, height, BLACK).corners)
    assert len(rim) == 4
    assert area(rim) == pytest.approx(width * height, rel=1e-4)
    (rim,) = svg.rims(shapes.disc(30.0, 40.0, width, BLACK).corners)
    assert len(rim) == 16
    assert area(rim) == pytest.approx(np.pi * width**2, rel=0.03)


def test_fills_apart_have_an_outline_each() -> None:
    corners = np.concatenate([shapes.box(10.0 * i, 0.0, 5.0, 5.0, BLACK).corners for i in range(3)])
    (made,) = read(shapes.FilledShape(corners, (0.0, 0.0, 1.0, 0.25))).findall("svg:path", NAMES)
    assert made.get("d", "").count("M") == made.get("d", "").count("Z") == 3
    assert (made.get("fill"), made.get("fill-opacity")) == ("#0000ff", "0.25")
