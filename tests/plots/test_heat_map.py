# SPDX-License-Identifier: GPL-3.0-or-later
"""Colours of maps keep the order of numbers, and maps with names have cells and names in their places."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from inertia_addon.plots import chart, heat_map, shapes
from inertia_addon.plots.heat_map import HeatMap
from inertia_addon.plots.plot import width_of
from inertia_addon.plots.shapes import Picture, Text
from inertia_addon.plots.theme import PAPER

NUMBERS = hnp.arrays(float, hnp.array_shapes(min_dims=0, max_dims=3), elements=st.floats(allow_nan=True))


def lightness(srgb: np.ndarray) -> np.ndarray:
    """CIE L* of sRGB colours, by way of their luminance."""
    linear = np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)
    luminance = linear @ [0.2126, 0.7152, 0.0722]
    return np.where(luminance > 0.008856, 116.0 * np.cbrt(luminance) - 16.0, 903.3 * luminance)


def test_the_sequential_map_grows_lighter_evenly() -> None:
    steps = np.diff(lightness(heat_map.sequential(np.linspace(0.0, 1.0, 17))))
    assert steps.min() > 0.6 * steps.mean()
    assert steps.max() < 1.5 * steps.mean()
    assert lightness(heat_map.sequential(1.0)) - lightness(heat_map.sequential(0.0)) > 80.0


@given(values=NUMBERS)
def test_every_number_has_a_colour_and_what_is_none_is_grey(values: np.ndarray) -> None:
    found = heat_map.sequential(values)
    assert found.shape == (*values.shape, 3)
    assert ((found >= 0.0) & (found <= 1.0)).all()
    assert (found[np.isnan(values)] == heat_map.NO_VALUE).all()


def test_beyond_the_ends_are_the_ends() -> None:
    np.testing.assert_array_equal(heat_map.sequential([-3.0, -np.inf]), heat_map.sequential([0.0, 0.0]))
    np.testing.assert_array_equal(heat_map.sequential([4.0, np.inf]), heat_map.sequential([1.0, 1.0]))


def test_bytes_are_rounded() -> None:
    np.testing.assert_array_equal(
        shapes.as_bytes([0.0, 0.5, 0.998, 1.0, 2.0, -1.0]), [0, 128, 254, 255, 255, 0]
    )


@settings(max_examples=15, deadline=None)
@given(st.integers(1, 30), st.integers(1, 30), st.integers(0, 2**32 - 1))
def test_cells_are_where_their_names_are(rows: int, columns: int, seed: int) -> None:
    values = np.random.default_rng(seed).uniform(2.0, 5.0, (rows, columns))
    names = [f"column {j}" for j in range(columns)], [f"row {i}" for i in range(rows)]
    made = HeatMap.named(values, *names, PAPER, span=(2.0, 5.0), x_label="to", y_label="from", title="All")
    drawn = chart.sheet([made]).shapes
    shown = next(each for each in drawn if isinstance(each, Picture))
    left, bottom, width, height = shown.box
    texts = {each.text: each for each in drawn if isinstance(each, Text)}
    for i in {0, rows // 2, rows - 1}:
        for j in {0, columns // 2, columns - 1}:
            # the first row is the highest
            row, column = rows - 1 - i, j
            pixel = shown.pixels[int((row + 0.5) * height / rows), int((column + 0.5) * width / columns), :3]
            expected = heat_map.sequential((values[i, j] - 2.0) / 3.0)
            np.testing.assert_allclose(pixel, expected, atol=1e-5)
            assert abs(texts[f"row {i}"].y + 0.35 * PAPER.font - bottom - (row + 0.5) * height / rows) < 1.0
            assert abs(texts[f"column {j}"].x - 0.35 * PAPER.font - left - (j + 0.5) * width / columns) < 1.0


@given(st.lists(st.text("abcdefg", min_size=1, max_size=70), min_size=1, max_size=12))
@settings(max_examples=15, deadline=None)
def test_names_keep_apart_and_within_the_picture(names: list[str]) -> None:
    made = HeatMap.named(np.full((len(names), len(names)), np.nan), names, names, PAPER, x_label="to")
    drawing = chart.sheet([made])
    left, bottom, width, height = chart.alone(made).area
    # there is a row of text's room for each
    assert width / len(names) >= 1.3 * PAPER.font
    assert height / len(names) >= 1.3 * PAPER.font
    texts = [each for each in drawing.shapes if isinstance(each, Text)]
    upright = [each for each in texts if each.vertical]
    beside = [each for each in texts if not each.vertical and each.align == 1.0]
    assert len(upright) == len(beside) == len(names)
    for each in upright:
        assert 0.0 < each.y - width_of(each.text, each.size) < each.y < bottom
    for each in beside:
        assert 0.0 < each.x - width_of(each.text, each.size) < each.x < left
    (label,) = [each for each in texts if each.text == "to"]
    assert label.y + label.size < min(each.y - width_of(each.text, each.size) for each in upright)
