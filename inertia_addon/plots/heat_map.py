# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers over two axes, as colours."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..records import record
from . import plot, shapes
from .chart import Chart
from .plot import Plot, Range, Ticks, number
from .shapes import BLACK, WHITE, Array, Floats, Picture, Shape, Text
from .theme import Theme

Mark = tuple[float, float, str]
"""x, y and a label of a letter or a number or two."""

BAR = 8.0
"""Width of the legend's bar, pixels at a scale of 1."""
PERCENTILES: Range = (0.0, 98.0)
"""From the least to nearly the greatest of all values."""
MOST = 44
"""Longer names are cut."""

NO_VALUE = (0.72, 0.72, 0.72)
"""The colour of what is not a number: a grey, of which the maps have none as strong."""


_HEXADECIMAL = (
    "1f0845 251655 292465 2b3375 2a4381 235589 1a678e 197791 158894 "
    "139997 23aa96 3fb992 5fc78a 80d481 a2e076 c6ea6a e8f462"
)
SEQUENTIAL = np.array([list(bytes.fromhex(colour)) for colour in _HEXADECIMAL.split()])
"""From violet through blue and green to yellow, dark to light; (17, 3) of 0 to 255, sRGB.

Drawn up in OKLab (B. Ottosson, "A perceptual color space for image processing", 2020): its lightness rises
evenly from 0.22 to 0.93, so that order can be read without telling hues apart.
"""


def sequential(values: ArrayLike) -> Array:
    """Return the sRGB colours (..., 3), 0 to 1, for values (...) of 0 to 1: low ones dark, high ones light.

    Values beyond 0 and 1 have the colours of the ends, NaN has NO_VALUE, a grey.
    """
    values = np.asarray(values, float)
    stops = np.linspace(0.0, 1.0, len(SEQUENTIAL))
    colours = np.stack([np.interp(values, stops, channel) for channel in SEQUENTIAL.T], axis=-1) / 255.0
    return np.where(np.isnan(values)[..., None], NO_VALUE, colours)


@record(frozen=True, eq=False, kw_only=True)
class HeatMap(Chart):
    """Numbers over two axes, as colours.

    values: (rows, columns); columns run along x and rows along y, upwards.
    x_range, y_range: the numbers of the first and last column, and of the first and last row; each cell
        reaches half a step to either side.
    x_names, y_names: what columns and rows are called, instead of their numbers.
    marks: places to point out. current: the place that the user is at, with cross hairs.
    lines: straight lines across the map, each from and to an x and a y.
    span: the values at the ends of the colours; None: from the least to that which 2 % exceed, as few bad
        cells would otherwise take all the colours.
    legend: whether the colours are explained. unknown: how opaque cells without a value are.
    size: the plot's width and height at most. Maps are as large as that in one of both.
    """

    values: ArrayLike
    x_range: Range
    y_range: Range
    x_names: Sequence[str] = ()
    y_names: Sequence[str] = ()
    marks: Sequence[Mark] = ()
    current: tuple[float, float] | None = None
    lines: Sequence[tuple[Range, Range]] = ()
    span: Range | None = None
    legend: bool = True
    unknown: float = 1.0
    size: tuple[int, int] = (920, 720)

    @classmethod
    def named(
        cls, values: ArrayLike, x_names: Sequence[str], y_names: Sequence[str], theme: Theme, **options: Any
    ) -> HeatMap:
        """Return a map whose columns and rows have names, its first row on top, each row as high as its
        name.
        """
        rows, columns = np.shape(values)
        cell = int(1.4 * theme.font)
        return cls(
            values=np.asarray(values, float)[::-1],
            x_range=(0.0, columns - 1.0),
            y_range=(0.0, rows - 1.0),
            size=(max(420 // columns, cell) * columns, max(420 // rows, cell) * rows),
            x_names=[_short(name) for name in x_names],
            y_names=[_short(name) for name in reversed(y_names)],
            **options,
        )

    @cached_property
    def cells(self) -> Array:
        """The values (rows, columns)."""
        return np.asarray(self.values, float)

    @cached_property
    def steps(self) -> tuple[float, float]:
        """From one cell to the next along x and y; 1 where there is only one."""
        rows, columns = self.cells.shape
        across, up = (
            (last - first) / (count - 1) if count > 1 else 1.0
            for (first, last), count in ((self.x_range, columns), (self.y_range, rows))
        )
        return across, up

    @cached_property
    def ranges(self) -> tuple[Range, Range]:
        """The numbers at the plot's edges, half a cell beyond those of the cells."""
        (x_low, x_high), (y_low, y_high) = self.x_range, self.y_range
        across, up = 0.5 * self.steps[0], 0.5 * self.steps[1]
        return (x_low - across, x_high + across), (y_low - up, y_high + up)

    @cached_property
    def plot_size(self) -> tuple[int, int]:
        """The plot's (width, height), whole pixels, cached: within size, one of the two as large as that.

        Cells are square if the plot's width to height, which is columns to rows, is from 0.45 to 3.2; beyond
        these the ratio is kept at the limit. With x_names, both are as size says. Each is then rounded to a
        multiple of the number of its cells, if that is 15 % less to 10 % more, so that it may exceed size a
        little.
        """
        rows, columns = self.cells.shape
        width, height = self.size
        if not self.x_names:
            shape = min(max(columns / rows, 0.45), 3.2)
            if shape > width / height:
                height = round(width / shape)
            else:
                width = round(height * shape)
        return _whole(width, columns), _whole(height, rows)

    @cached_property
    def colour_span(self) -> Range:
        """The values at the ends of the colours."""
        low, high = span_of(self.cells) if self.span is None else self.span
        return low, high if high > low else low + 1.0

    def explained(self) -> HeatMap:
        """Return a copy of the map whose note also says what the colours do not show.

        The note that the map has comes first, if it is not empty. Sentences follow where they apply, in this
        order, joined by line breaks:

        - the one of :meth:`_clipped`, where the colours end before the least or greatest finite value; or
        "There are no values." if none is finite;

        - "Each pixel shows the least of the cells that share it.", as there are more columns or rows than
        :attr:`plot_size` has pixels on that side;

        - "Grey: no value.", where there are NaN beside finite values.
        """
        texts = [self.note] if self.note else []
        finite = self.cells[np.isfinite(self.cells)]
        texts += self._clipped(finite) if finite.size else ["There are no values."]
        if any(count > size for count, size in zip(self.cells.shape[::-1], self.plot_size, strict=True)):
            texts.append("Each pixel shows the least of the cells that share it.")
        if np.isnan(self.cells).any() and finite.size:
            texts.append("Grey: no value.")
        return dataclasses.replace(self, note="\n".join(texts))

    def _clipped(self, values: Array) -> list[str]:
        """Return a list of one sentence that says at which values the colours end, and which values lie
        beyond; [] if none does.

        With a `span` of (0.1, 2) it reads like "Colours end at 0.1 (least: 0 m) and at 2 (greatest: 3 m).";
        without one, where only the upper end can be named, "Colours end at 2, the 98th percentile (greatest:
        3 m)." The lower end comes first; either end is named only where values lie beyond it by more than a
        millionth of the span, and "and" only joins two. Numbers are written by :func:`plot.number`. The unit
        in the brackets is `aside`, left out if that is empty. values: the finite ones, at least one.
        """
        (low, high), least, greatest = self.colour_span, float(values.min()), float(values.max())
        rounding = 1e-6 * (high - low)
        unit = f" {self.aside}" if self.aside else ""
        ends = []
        if least < low - rounding:
            ends.append(f"at {number(low)} (least: {number(least)}{unit})")
        if greatest > high + rounding:
            share = f", the {PERCENTILES[1]:g}th percentile" if self.span is None else ""
            ends.append(f"at {number(high)}{share} (greatest: {number(greatest)}{unit})")
        return [f"Colours end {' and '.join(ends)}."] if ends else []

    def x_ticks(self, width: float, theme: Theme) -> Ticks:
        """Return the ticks of the lower axis; none where columns have names."""
        return ([], []) if self.x_names else plot.x_ticks(self.ranges[0], width, theme, self.steps[0])

    def y_ticks(self, height: float, theme: Theme) -> Ticks:
        """Return the ticks of the left axis: the rows' names, if they have any."""
        if self.y_names:
            return [float(i) for i in range(len(self.y_names))], list(self.y_names)
        return plot.y_ticks(self.ranges[1], height, theme, self.steps[1])

    def _legend_ticks(self, height: float, theme: Theme) -> Ticks:
        return plot.y_ticks(self.colour_span, height, theme)

    def _right(self, height: float, theme: Theme) -> float:
        if not self.legend:
            return super()._right(height, theme)
        labels = self._legend_ticks(height, theme)[1]
        return max(plot.width_of(text, theme.font) for text in labels) + (BAR + 14.0) * theme.scale

    def _below(self, theme: Theme) -> float:
        longest = max((plot.width_of(name, theme.font) for name in self.x_names), default=0.0)
        return super()._below(theme) + longest

    def pixels(self, width: int, height: int) -> Floats:
        """Return the map as float32 RGBA of 0 to 1, (height, width, 4), sRGB; row 0 is the lowest, the first
        row of values.

        Where there are more cells than pixels, a pixel shows the least of its cells, NaN aside, so that good
        ones stay in sight; where there are fewer, cells are blocks of pixels. Values beyond the span have the
        colours of its ends. A pixel with nothing but NaN is grey, with the opacity that `unknown` says; all
        else is opaque.
        """
        low, high = self.colour_span
        small = resampled(self.cells, height, width)
        rgba = np.ones((height, width, 4), np.float32)
        rgba[..., :3] = sequential((small - low) / (high - low))
        rgba[np.isnan(small), 3] = self.unknown
        return rgba

    def contents(self, axes: Plot, theme: Theme) -> list[Shape]:
        """Return the shapes of the map, those that lie behind first: the picture, both axes' labels without
        rules, the columns' names, the legend if `legend` is true, the lines, the current place and the marks.

        axes: where the plot lies, of :meth:`layout`. The picture fills the area, with as many pixels as that
        has whole ones, at least one. A line that leaves the plot is cut to the parts within it, to about
        1/2000 of its length; each part is a white line on a wider black one. Marks outside are left out, see
        :meth:`_current`. Labels make way for the numbers of the current place, even where that is outside of
        the plot.
        """
        width, height = axes.area[2:]
        current_x, current_y = self.current or (None, None)
        pixels = self.pixels(max(int(width), 1), max(int(height), 1))
        return [
            Picture(pixels, axes.area),
            *plot.x_axis(axes, theme, self.x_ticks(width, theme), grid=False, current=current_x),
            *plot.y_axis(axes, theme, self.y_ticks(height, theme), grid=False, current=current_y),
            *self._draw_names(axes, theme),
            *(self._bar(axes, theme) if self.legend else ()),
            *(shape for xs, ys in self.lines for shape in self._line(axes, xs, ys, theme)),
            *self._current(axes, theme),
        ]

    def _draw_names(self, axes: Plot, theme: Theme) -> list[Shape]:
        """Return the columns' names, written upwards below them."""
        low = axes.area[1] - 0.6 * theme.font
        return [
            Text(float(axes.x(i)) + 0.35 * theme.font, low, name, theme.font, theme.faint, 1.0, vertical=True)
            for i, name in enumerate(self.x_names)
        ]

    def _bar(self, axes: Plot, theme: Theme) -> list[Shape]:
        """Return the legend's shapes: right of the plot and as high, a bar of all colours, low ones at the
        bottom, and right of it the labels of values.

        axes: where the plot lies. The bar is a Picture of 64 rows, BAR (8) pixels wide and 11 pixels from the
        plot. The labels are Texts in the theme's faint colour, 3 pixels from the bar, their middles at the
        heights of their values; the bar's ends are the values of colour_span. These pixels are at a scale of
        1 and are multiplied by `theme.scale`.
        """
        left, bottom, width, height = axes.area
        s = theme.scale
        x = left + width + 11.0 * s
        ramp = np.ones((64, 1, 4), np.float32)
        ramp[:, 0, :3] = sequential(np.linspace(0.0, 1.0, 64))
        low, high = self.colour_span
        values, labels = self._legend_ticks(height, theme)
        drawn: list[Shape] = [Picture(ramp, (x, bottom, BAR * s, height))]
        for value, text in zip(values, labels, strict=True):
            y = bottom + height * (value - low) / (high - low) - 0.35 * theme.font
            drawn.append(Text(x + (BAR + 3.0) * s, y, text, theme.font, theme.faint))
        return drawn

    def _line(self, axes: Plot, xs: Range, ys: Range, theme: Theme) -> list[Shape]:
        points = np.column_stack([axes.x(np.linspace(*xs, 2001)), axes.y(np.linspace(*ys, 2001))])
        left, bottom, width, height = axes.area
        inside = np.all((points >= (left, bottom)) & (points <= (left + width, bottom + height)), axis=1)
        return [
            shapes.line(points[[i, j - 1]], colour, width * theme.scale)
            for i, j in plot.runs(inside)
            for colour, width in ((BLACK, 3.0), (WHITE, 1.2))
        ]

    def _current(self, axes: Plot, theme: Theme) -> list[Shape]:
        """Return the shapes of the current place and of the marks, those behind first; [] where there are
        none.

        Lengths are pixels at a scale of 1. At the current place, moved to the middle of its pixel, if there
        is one and it is in the plot, there are:

        - first the cross hairs over the whole plot, as Lines with pairs: black ones 3 wide, white ones 1.2
        wide on them;

        - last, above the marks, a white disc of radius 4.5, one of radius 3.2 in the theme's current colour,
        and the plates with its two numbers at the axes, see :meth:`_plates`.

        Each mark in the plot is a white disc of radius 6.5 on a black one that is 1 larger, with its label in
        it as a black Text; without a label, the white disc's radius is 3. Marks outside are left out; edges
        belong to the plot.
        """
        left, bottom, width, height = axes.area
        s, size = theme.scale, 0.8 * theme.font
        drawn: list[Shape] = []
        at = None
        if self.current is not None:
            # in the middle of pixels, so that hairs are crisp
            x, y = (math.floor(place) + 0.5 for place in (axes.x(self.current[0]), axes.y(self.current[1])))
            at = (x, y) if axes.at(x, y) is not None else None
        if at is not None:
            ends = [(x, bottom), (x, bottom + height), (left, y), (left + width, y)]
            drawn.append(shapes.line(ends, (*BLACK[:3], 0.6), 3.0 * s, pairs=True))
            drawn.append(shapes.line(ends, (*WHITE[:3], 0.9), 1.2 * s, pairs=True))
        for mark_x, mark_y, label in self.marks:
            spot = float(axes.x(mark_x)), float(axes.y(mark_y))
            if axes.at(*spot) is not None:
                radius = 6.5 * s if label else 3.0 * s
                drawn += [shapes.disc(*spot, radius + s, BLACK), shapes.disc(*spot, radius, WHITE)]
                if label:
                    drawn.append(Text(spot[0], spot[1] - 0.36 * size, label, size, BLACK, 0.5))
        if at is not None:
            drawn += [shapes.disc(x, y, 4.5 * s, WHITE), shapes.disc(x, y, 3.2 * s, theme.current)]
            drawn += self._plates(axes, at, theme)
        return drawn

    def _plates(self, axes: Plot, at: tuple[float, float], theme: Theme) -> list[Shape]:
        """Return the shapes of two plates in the current colour, each a box and then a Text in the panel's
        colour, opaque, with the numbers of the current place: x just below the plot, centred on the place;
        y at the place's height, ending 3 pixels (times the scale) left of the plot.

        at: the place in pixels. current must not be None. Plates may reach beyond the panel.
        """
        assert self.current is not None
        font, s = theme.font, theme.scale
        texts = [plot.current_text(value) for value in self.current]
        wide = [plot.width_of(text, font) + 6.0 * s for text in texts]
        tall = 1.3 * font
        lefts = at[0] - 0.5 * wide[0], axes.area[0] - 3.0 * s - wide[1]
        lows = axes.area[1] - 0.25 * font - tall, at[1] - 0.5 * tall
        drawn: list[Shape] = []
        for text, width, left, low in zip(texts, wide, lefts, lows, strict=True):
            drawn.append(shapes.box(left, low, width, tall, theme.current))
            ink = (*theme.panel[:3], 1.0)
            drawn.append(Text(left + 0.5 * width, low + 0.3 * font, text, font, ink, 0.5))
        return drawn


def span_of(values: ArrayLike) -> Range:
    """Return the least of the finite values and their 98th percentile.

    The second is one more than the first where it would not be greater; without finite values they are 0.0
    and 1.0.
    """
    finite = np.asarray(values, float)
    finite = finite[np.isfinite(finite)]
    low, high = map(float, np.percentile(finite, PERCENTILES)) if finite.size else (0.0, 1.0)
    return low, high if high > low else low + 1.0


def resampled(values: ArrayLike, height: int, width: int) -> Array:
    """Return a table of numbers (rows, columns) as one of (height, width).

    Where it grows, every cell becomes a block of about equal pixels; where it shrinks, a pixel is the least
    of its block, so that no valley is lost. NaN counts only where a block has nothing else.
    """
    return _resampled_rows(_resampled_rows(np.asarray(values, float), height).T, width).T


def _resampled_rows(values: Array, count: int) -> Array:
    rows = len(values)
    if count >= rows:
        return values[np.arange(count) * rows // count]
    edges = np.arange(count + 1) * rows // count
    return np.fmin.reduceat(values, edges[:-1], axis=0)


def _whole(pixels: int, cells: int) -> int:
    """Return a number of pixels near another that gives all cells the same, or that other if there is
    none.
    """
    even = max(1, round(pixels / cells)) * cells
    return even if 0.85 * pixels <= even <= 1.1 * pixels else pixels


def _short(name: str) -> str:
    return name if len(name) <= MOST else name[: MOST - 3] + "..."
