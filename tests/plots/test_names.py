# SPDX-License-Identifier: GPL-3.0-or-later
"""A map with names has its first row on top, every cell its value's colour, and room for every name."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from inertia_addon.plots import chart, colours
from inertia_addon.plots.heat_map import HeatMap
from inertia_addon.plots.plot import width_of
from inertia_addon.plots.shapes import Picture, Text
from inertia_addon.plots.theme import PAPER


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
            expected = colours.sequential((values[i, j] - 2.0) / 3.0)
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
