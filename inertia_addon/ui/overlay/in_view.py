# SPDX-License-Identifier: GPL-3.0-or-later
"""What lies in a 3D View's world and is drawn as large from near and far: marks and labels."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...motion.arrays import Array, Flags
from ...plots import plot, shapes
from ...plots.shapes import Colour, Shape, Text
from ...plots.theme import Theme

EDGE: Colour = (0.0, 0.0, 0.0, 0.55)
"""Of lines and marks, which lie before anything."""


def projected(points: Array, matrix: Array, size: tuple[float, float]) -> tuple[Array, Flags]:
    """Where points (n, 3) of the world are in a region of a size, pixels (n, 2), and whether before the eye.

    matrix: (4, 4), from the world to the view, whose sides are at -1 and 1.
    """
    seen = np.column_stack([points, np.ones(len(points))]) @ matrix.T
    depth = seen[:, 3]
    ahead = depth > 1e-6
    at = (0.5 + 0.5 * seen[:, :2] / np.where(ahead, depth, 1.0)[:, None]) * np.array(size)
    return at, ahead


def seen(context: Any, points: Array) -> tuple[Array, Flags]:
    """Where points (n, 3) of the world are in the region in use, pixels (n, 2), and whether before the
    eye."""
    region = context.region
    return projected(points, np.array(context.region_data.perspective_matrix), (region.width, region.height))


def dot(x: float, y: float, size: float, colour: Colour, theme: Theme) -> list[Shape]:
    """A disc with an edge. size: its radius."""
    return [shapes.disc(x, y, size + 1.5 * theme.scale, EDGE), shapes.disc(x, y, size, colour)]


def label(text: str, x: float, y: float, theme: Theme) -> list[Shape]:
    """A text on a panel, beside a mark."""
    s, font = theme.scale, theme.font
    left, height = x + 14.0 * s, 1.9 * font
    width = plot.width_of(text, font) + 2.0 * plot.PADDING * s
    return [
        plot.panel((left, y - 0.5 * height, width, height), theme),
        Text(left + plot.PADDING * s, y - 0.35 * font, text, font, theme.text),
    ]
