# SPDX-License-Identifier: GPL-3.0-or-later
"""A map with names has its first row on top, every cell its value's colour, and room for every name."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from inertia_addon.plots import colours, font
from inertia_addon.plots.axes import PAPER
from inertia_addon.plots.named_map import NamedMap

TABLE = colours.as_bytes(colours.sequential(np.linspace(0.0, 1.0, 1001))).astype(int)


def level(pixel: np.ndarray) -> float:
    return float(np.argmin(np.abs(TABLE - pixel.astype(int)).sum(axis=1))) / 1000.0


@settings(max_examples=15, deadline=None)
@given(st.integers(1, 30), st.integers(1, 30), st.integers(0, 2**32 - 1))
def test_cells_are_where_their_names_are(rows: int, columns: int, seed: int) -> None:
    values = np.random.default_rng(seed).uniform(2.0, 5.0, (rows, columns))
    names = [f"column {j}" for j in range(columns)], [f"row {i}" for i in range(rows)]
    made = NamedMap.of(values, *names, span=(2.0, 5.0), x_label="to", y_label="from", title="All")
    picture = made.draw()
    left, top, width, height = made.axes.box
    for i in {0, rows // 2, rows - 1}:
        for j in {0, columns // 2, columns - 1}:
            x, y = left + (j + 0.5) * width / columns, top + (i + 0.5) * height / rows
            assert abs(level(picture[int(y), int(x)]) - (values[i, j] - 2.0) / 3.0) < 0.02


@given(st.lists(st.text("abcdefg", min_size=1, max_size=70), min_size=1, max_size=12))
@settings(max_examples=15, deadline=None)
def test_names_keep_apart_and_within_the_picture(names: list[str]) -> None:
    made = NamedMap.of(np.full((len(names), len(names)), np.nan), names, names)
    picture = made.draw()
    left, top, width, height = made.axes.box
    assert width // len(names) >= font.LINE_HEIGHT
    assert height // len(names) >= font.LINE_HEIGHT
    # nothing is cut off by the picture's edges
    for edge in (picture[0], picture[-1], picture[:, 0], picture[:, -1]):
        assert (edge == PAPER).all()
    # there is a name beside each row, and below each column
    for i in range(len(names)):
        rows = slice(top + i * height // len(names), top + (i + 1) * height // len(names))
        assert (picture[rows, : left - 8] != PAPER).any()
        columns = slice(left + i * width // len(names), left + (i + 1) * width // len(names))
        assert (picture[top + height + 10 : top + height + 60, columns] != PAPER).any()
