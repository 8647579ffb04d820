# SPDX-License-Identifier: GPL-3.0-or-later
"""A plot: a panel with a title, and axes on which numbers have a place."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...plots import axes
from . import shapes
from .shapes import Colour, Shape, Text
from .theme import Theme

Array = NDArray[np.float64]

PADDING, RADIUS = 8.0, 5.0
"""Around the contents of a panel, and of its corners; pixels at a scale of 1."""
WIDE_FROM = "\u2e80"
"""From this letter on Unicode has those of East Asia, which are as wide as they are high."""
Rect = tuple[float, float, float, float]
"""Left, bottom, width, height, pixels."""


@dataclasses.dataclass(frozen=True)
class Plot:
    """A panel and the plot in it. panel, area: on the region. x_range, y_range: what the area shows."""

    panel: Rect
    area: Rect
    x_range: tuple[float, float]
    y_range: tuple[float, float]

    def x(self, value: ArrayLike) -> Array:
        """The region's x of numbers."""
        low, high = self.x_range
        return self.area[0] + self.area[2] * (np.asarray(value, float) - low) / (high - low)

    def y(self, value: ArrayLike) -> Array:
        """The region's y of numbers."""
        low, high = self.y_range
        return self.area[1] + self.area[3] * (np.asarray(value, float) - low) / (high - low)

    def points(self, xs: ArrayLike, ys: ArrayLike) -> Array:
        """Places (n, 2) of numbers."""
        return np.column_stack([self.x(xs), self.y(ys)])

    def at(self, x: float, y: float) -> tuple[float, float] | None:
        """The numbers at a place of the region; None outside of the plot."""
        left, bottom, width, height = self.area
        if not (left <= x <= left + width and bottom <= y <= bottom + height):
            return None
        (x0, x1), (y0, y1) = self.x_range, self.y_range
        return x0 + (x1 - x0) * (x - left) / width, y0 + (y1 - y0) * (y - bottom) / height


def placed(
    panel: Rect,
    theme: Theme,
    x_range: tuple[float, float],
    y_range: tuple[float, float],
    left_labels: float = 44.0,
    right: float = 0.0,
) -> Plot:
    """A plot within a panel, with room for a title, tick labels and a label below.

    left_labels, right: room at the sides, pixels at a scale of 1.
    """
    s, line = theme.scale, 1.45 * theme.font
    head = 1.8 * theme.font  # a tick label at the top keeps clear of the title
    left, bottom, width, height = panel
    inner_left, inner_bottom = left + (PADDING + left_labels) * s, bottom + PADDING * s + line
    area = (
        inner_left,
        inner_bottom,
        left + width - (PADDING + right) * s - inner_left,
        bottom + height - PADDING * s - head - inner_bottom,
    )
    return Plot(panel, area, x_range, y_range)


def background(plot: Plot, theme: Theme, title: str, note: str = "") -> list[Shape]:
    """The panel, its title, and a fainter note at the right of it."""
    left, bottom, width, height = plot.panel
    s = theme.scale
    top = bottom + height - PADDING * s - 0.85 * theme.font
    found: list[Shape] = [
        shapes.rounded(*plot.panel, RADIUS * s, theme.panel),
        Text(left + PADDING * s, top, title, theme.font, theme.text),
    ]
    if note:
        found.append(Text(left + width - PADDING * s, top, note, theme.font, theme.faint, 1.0))
    return found


def ticks_of(low: float, high: float, pixels: float, room: float) -> tuple[list[float], list[str]]:
    """Ticks that leave room for their labels, and these."""
    return axes.spaced(low, high, pixels, room)


def x_axis(plot: Plot, theme: Theme, grid: bool = True) -> list[Shape]:
    """Ticks and their labels below the plot."""
    values, labels = ticks_of(*plot.x_range, plot.area[2], 42.0 * theme.scale)
    bottom, top = plot.area[1], plot.area[1] + plot.area[3]
    found: list[Shape] = []
    if grid:
        found.append(_rules(plot.x(values), bottom, top, theme.grid, upright=True))
    edge = plot.panel[0] + plot.panel[2] - 2.0 * theme.scale
    for x, text in zip(plot.x(values), labels, strict=True):
        x = min(float(x), edge - 0.5 * width_of(text, theme.font))
        found.append(Text(x, bottom - 1.25 * theme.font, text, theme.font, theme.faint, 0.5))
    return found


def y_axis(plot: Plot, theme: Theme, grid: bool = True) -> list[Shape]:
    """Ticks and their labels at the left of the plot."""
    values, labels = ticks_of(*plot.y_range, plot.area[3], 26.0 * theme.scale)
    left, right = plot.area[0], plot.area[0] + plot.area[2]
    found: list[Shape] = []
    if grid:
        found.append(_rules(plot.y(values), left, right, theme.grid, upright=False))
    for y, text in zip(plot.y(values), labels, strict=True):
        at = float(y) - 0.35 * theme.font
        found.append(Text(left - 5.0 * theme.scale, at, text, theme.font, theme.faint, 1.0))
    return found


def _rules(places: Array, low: float, high: float, colour: Colour, upright: bool) -> Shape:
    """Parallel lines across a plot."""
    ends = np.array([[(p, low), (p, high)] if upright else [(low, p), (high, p)] for p in places])
    return shapes.line(ends.reshape(-1, 2), colour, 1.0, pairs=True)


def thinned(xs: Array, ys: Array, columns: int) -> tuple[Array, Array]:
    """A curve's points (n,), no more than its lowest and highest in each of so many columns."""
    if len(xs) <= 4 * columns:
        return xs, ys
    column = np.minimum(((xs - xs[0]) / max(xs[-1] - xs[0], 1e-9) * columns).astype(int), columns - 1)
    starts = np.flatnonzero(np.diff(column, prepend=-1))
    low, high = np.minimum.reduceat(ys, starts), np.maximum.reduceat(ys, starts)
    return np.repeat(xs[starts], 2), np.column_stack([low, high]).ravel()


def marker(
    x: float, y: float, text: str, theme: Theme, colour: Colour, inside: Rect, radius: float = 3.5
) -> list[Shape]:
    """A dot with a label beside it, on the side that has room."""
    s = theme.scale
    left, bottom, width, height = inside
    found: list[Shape] = [shapes.disc(x, y, radius * s, colour)]
    if text:
        wide = width_of(text, theme.font)
        near_right = x + 7.0 * s + wide > left + width
        start = max(x - 7.0 * s - wide, left) if near_right else x + 7.0 * s
        up = min(max(y + 3.0 * s, bottom + 2.0 * s), bottom + height - theme.font)
        found.append(Text(start, up, text, theme.font, theme.text))
    return found


def width_of(text: str, font: float) -> float:
    """About how wide a line of text is, pixels; only the GPU's side knows exactly."""
    return sum((1.0 if letter >= WIDE_FROM else 0.6) for letter in text) * font


def shortened(text: str, font: float, room: float) -> str:
    """As much of a text as there is room for, pixels; it ends in an ellipsis where that is not all."""
    if width_of(text, font) <= room:
        return text
    kept = text[:-1]
    while len(kept) > 1 and width_of(f"{kept}…", font) > room:
        kept = kept[:-1]
    return f"{kept}…"


def rule(plot: Plot, value: float, colour: Colour, width: float) -> Shape:
    """A line upright across a plot."""
    x = float(plot.x(value))
    return shapes.line([(x, plot.area[1]), (x, plot.area[1] + plot.area[3])], colour, width)


def span_of(values: Sequence[ArrayLike]) -> tuple[float, float]:
    """From zero to a little over the highest of curves of costs."""
    highest = max((float(np.nanmax(v)) for v in map(np.asarray, values) if v.size), default=0.0)
    return 0.0, 1.08 * highest if highest > 0.0 else 1.0
