# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers along one axis, as lines, and how much there is of each, as bars."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from ..records import record
from . import plot, shapes
from .chart import Chart
from .plot import PADDING, ROW, Dot, Plot, Range, Ticks
from .shapes import Array, Colour, Shape, Text
from .theme import Theme, mixed

LINE_COLOURS: tuple[Colour, ...] = (
    (0.094, 0.373, 0.647, 1.0),
    (0.839, 0.471, 0.039, 1.0),
    (0.078, 0.502, 0.376, 1.0),
    (0.698, 0.133, 0.353, 1.0),
    (0.416, 0.290, 0.690, 1.0),
    (0.431, 0.447, 0.471, 1.0),
)
"""Told apart by lightness as well as by hue, on white."""

SWATCH = 20.0
"""A sample of a line, pixels at a scale of 1."""
DASH = 6.0
"""A dash, and the gap behind it, likewise."""
UNDER = 0.16
"""How much of a line's colour the area below it has."""


@record(frozen=True, eq=False)
class ChartSeries:
    """A line through xs (n,), rising, and ys (n,); a gap where these are not finite.

    label: in the legend, unless it is empty. colour: None for the next of :data:`LINE_COLOURS`.
    width: pixels at a scale of 1. under: with the area down to the plot's lower edge. dashed: told apart from
    others by more than its colour.
    """

    label: str
    xs: ArrayLike
    ys: ArrayLike
    colour: Colour | None = None
    width: float = 2.0
    under: bool = False
    dashed: bool = False

    def line(self, points: ArrayLike, colour: Colour, scale: float) -> Shape:
        """Return the line through places (n, 2), in pixels."""
        if self.dashed:
            points = shapes.dashes(points, DASH * scale)
        return shapes.line(points, colour, self.width * scale, pairs=self.dashed)


@record(frozen=True, eq=False, kw_only=True)
class LineChart(Chart):
    """Lines over a common axis.

    dots: places to point out. current: where along x the user is, as a dot with a rule through it.
    rules: other numbers along x, and their colours. x_range, y_range: the numbers at the plot's edges;
    None: of all that is drawn, and for y with 0 in it where that is near, or a margin. decades: whether ys
    are logarithms to the base of ten, whose ticks say the numbers themselves.
    """

    series: Sequence[ChartSeries]
    dots: Sequence[Dot] = ()
    current: Dot | None = None
    rules: Sequence[tuple[float, Colour]] = ()
    x_range: Range | None = None
    y_range: Range | None = None
    decades: bool = False

    @cached_property
    def ranges(self) -> tuple[Range, Range]:
        """The numbers at the plot's edges."""
        low, high = _extent([each.xs for each in self.series])
        x_extent = (low, high) if high > low else (low - 1.0, low + 1.0)
        return self.x_range or x_extent, self.y_range or self._y_extent()

    def y_ticks(self, height: float, theme: Theme) -> Ticks:
        """Return the ticks of the left axis."""
        if not self.decades:
            return super().y_ticks(height, theme)
        return plot.decades(*self.ranges[1], most=max(2, int(height / (ROW * theme.font))))

    def _y_extent(self) -> Range:
        low, high = _extent([each.ys for each in self.series] + [[dot.y] for dot in self.dots])
        if 0.0 < low <= 0.5 * high:
            low = 0.0
        if 0.5 * low <= high < 0.0:
            high = 0.0
        margin = 0.05 * (high - low) or 0.5
        return low - margin * (low != 0.0), high + margin * (high != 0.0)

    @cached_property
    def colours(self) -> list[Colour]:
        """The series' colours."""
        return [each.colour or LINE_COLOURS[i % len(LINE_COLOURS)] for i, each in enumerate(self.series)]

    def contents(self, axes: Plot, theme: Theme) -> list[Shape]:
        """Return the lines with their axes' numbers and the legend above."""
        return [
            *plot.x_axis(axes, theme, self.x_ticks(axes.area[2], theme)),
            *plot.y_axis(axes, theme, self.y_ticks(axes.area[3], theme)),
            *self.legend(axes, theme),
            *self.lines(axes, theme),
        ]

    def lines(self, axes: Plot, theme: Theme) -> list[Shape]:
        """Return the shapes within the plot, those behind first: the zero line, the rules, the series, and
        the dots.

        The zero line, in the theme's faint colour, is drawn if 0 lies inside of the y range and `decades` is
        false. Each of `rules` is a line as high as the plot, in its colour; the last rule is that of the
        `current` dot, in that dot's colour or the theme's current one. Rules more than a pixel beyond the
        plot's sides are left out.

        Series are cut at the plot's sides, clipped at its lower and upper edge, and broken where they are not
        finite, see :func:`plot.curves`. Each part is one line, in the series' colour of :attr:`colours`,
        dashed if the series is; with `under`, the area below it lies behind it as a FilledShape of opacity
        UNDER (0.16). The dots are `dots` and then `current`, by :func:`plot.dots`.
        """
        left, bottom, width, height = axes.area
        s = theme.scale
        drawn: list[Shape] = []
        if axes.y_range[0] < 0.0 < axes.y_range[1] and not self.decades:
            zero = float(axes.y(0.0))
            drawn.append(shapes.line([(left, zero), (left + width, zero)], theme.faint, s))
        current = [] if self.current is None else [self.current]
        for value, colour in [*self.rules, *((dot.x, dot.colour or theme.current) for dot in current)]:
            x = float(axes.x(value))
            if left - 1.0 <= x <= left + width + 1.0:
                drawn.append(shapes.line([(x, bottom), (x, bottom + height)], colour, 1.4 * s))
        for each, colour in zip(self.series, self.colours, strict=True):
            for points in plot.curves(axes, each.xs, each.ys):
                if each.under:
                    drawn.append(plot.under(points, bottom, (*colour[:3], UNDER)))
                drawn.append(each.line(points, colour, s))
        return drawn + plot.dots(axes, [*self.dots, *current], theme)

    def _above(self, width: float, theme: Theme) -> float:
        return ROW * theme.font * len(self._legend_rows(width, theme))

    def _legend_rows(self, width: float, theme: Theme) -> list[list[tuple[float, int]]]:
        """Return the legend's rows, from the top, each as (start, index) pairs: where a series' sample
        begins, pixels right of the plot's left edge, and its index in `series`.

        width: of the panel, pixels. Series come in order, those without a label are left out; a row takes as
        many as fit, at least one. [] without labels. A row starts at 0. A series takes SWATCH (20) + 8 pixels
        times `theme.scale` and its label's width; the next begins 1.5 font sizes behind it. A row's room is
        the panel's width less both paddings (8 each, times the scale) and 5 font sizes.
        """
        s = theme.scale
        rows: list[list[tuple[float, int]]] = []
        used = room = width - 2.0 * PADDING * s - 5.0 * theme.font
        for i, each in enumerate(self.series):
            if not each.label:
                continue
            wide = (SWATCH + 8.0) * s + plot.width_of(each.label, theme.font)
            if not rows or used + wide > room:
                rows.append([])
                used = 0.0
            rows[-1].append((used, i))
            used += wide + 1.5 * theme.font
        return rows

    def legend(self, axes: Plot, theme: Theme) -> list[Shape]:
        """Return the shapes of the legend above the plot: for each series with a label, a sample of its line
        and then the label, a Text, right of it.

        They run from the plot's left in the rows of :meth:`_legend_rows`, the first row at the top, the last
        one 0.6 font sizes above the plot. A sample is level, SWATCH (20) long and 3 wide, pixels at a scale
        of 1, whatever the series' width; it has the series' colour and dashes. Labels are in the theme's text
        colour. axes: of :meth:`layout`. [] where no series has a label.
        """
        s, font = theme.scale, theme.font
        rows = self._legend_rows(axes.panel[2], theme)
        drawn: list[Shape] = []
        for i, row in enumerate(rows):
            y = axes.area[1] + axes.area[3] + (0.6 + ROW * (len(rows) - 1 - i)) * font
            for start, index in row:
                x = axes.area[0] + start
                middle = y + 0.36 * font
                sample = dataclasses.replace(self.series[index], width=3.0)
                drawn.append(sample.line([(x, middle), (x + SWATCH * s, middle)], self.colours[index], s))
                drawn.append(Text(x + (SWATCH + 8.0) * s, y, self.series[index].label, font, theme.text))
        return drawn


def from_zero(arrays: Sequence[ArrayLike]) -> Range:
    """Return the range from zero to 8 % over the greatest finite number of all arrays, to 1 where none is
    above 0.
    """
    highest = _extent(arrays)[1]
    return 0.0, 1.08 * highest if highest > 0.0 else 1.0


def _extent(arrays: Sequence[ArrayLike]) -> Range:
    """Return the least and the greatest finite number of all arrays; 0 and 1 where there is none."""
    numbers = np.concatenate([np.ravel(np.asarray(array, float)) for array in arrays] or [np.zeros(0)])
    numbers = numbers[np.isfinite(numbers)]
    return (float(numbers.min()), float(numbers.max())) if numbers.size else (0.0, 1.0)


@record(frozen=True, eq=False, kw_only=True)
class Bars(Chart):
    """A bar for each bin. edges: the bins', (n + 1,). heights: (n,), which are cut off at ``top``. dots:
    places to point out."""

    edges: Array
    heights: Array
    top: float
    dots: Sequence[Dot] = ()

    @property
    def ranges(self) -> tuple[Range, Range]:
        """The numbers at the plot's edges."""
        return (float(self.edges[0]), float(self.edges[-1])), (0.0, self.top)

    def contents(self, axes: Plot, theme: Theme) -> list[Shape]:
        """Return the bars with their axes' numbers."""
        return [
            *plot.x_axis(axes, theme, grid=False),
            *plot.y_axis(axes, theme),
            boxes(axes, self.edges, np.minimum(self.heights, self.top), theme),
            *plot.dots(axes, self.dots, theme),
        ]


def boxes(axes: Plot, edges: ArrayLike, heights: Array, theme: Theme) -> Shape:
    """Return all bars as one FilledShape, from the plot's lower edge up to each height, in the theme's curve
    colour mixed with a fifth of the panel's, opaque.

    edges: (n + 1,), rising, along x, n at least 1. heights: (n,), along y; they are not cut off at the plot's
    edges. Bars of height 0 or less, or NaN, are left out. If the first bin is wider than four pixels (times
    the theme's scale), each bar ends a pixel (times the scale) before its right edge. The shape's corners are
    pixels, (6 k, 2) for k bars: two triangles each, bar after bar.
    """
    xs, tops = axes.x(edges), axes.y(heights)
    gap = theme.scale if xs[1] - xs[0] > 4.0 * theme.scale else 0.0
    used = np.flatnonzero(heights > 0.0)
    a, b, c = xs[used], xs[used + 1] - gap, tops[used]
    low = np.full(len(used), axes.area[1])
    corners = [(a, low), (b, low), (b, c), (a, low), (b, c), (a, c)]
    places = np.stack([np.column_stack(corner) for corner in corners], axis=1)
    return shapes.FilledShape(places.reshape(-1, 2).astype(np.float32), mixed(theme.curve, theme.panel, 0.2))
