# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers over two axes, as colours."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import colours, font
from .axes import (
    INK,
    PAPER,
    Axes,
    Range,
    Scale,
    draw_axis_labels,
    draw_frame,
    number,
    room_below,
    room_left,
)
from .canvas import Canvas, Pixels, resampled
from .labels import MARGIN, WHITE, Mark, draw_current, draw_marks, title_height, write_notes, write_title

Array = NDArray[np.float64]

_BAR = 18
"""Width of the legend's bar, pixels."""


@dataclasses.dataclass(frozen=True, eq=False)
class HeatMap:
    """Numbers over two axes, as colours.

    values: (rows, columns); columns run along x and rows along y, upwards. NaN is grey.
    x_range, y_range: the numbers of the first and last column, and of the first and last row; each cell
        reaches half a step to either side.
    unit: of the values, at the legend.
    marks: places to point out. current: the place that the user is at, with cross hairs.
    lines: lines across the map, each x (n,) and y (n,).
    note: what is written below, before what the legend has to say.
    span: the values at the ends of the colours; None: those at ``percentiles`` of the values, by default
        from the least to that which 2 % exceed, as few bad cells would otherwise take all the colours.
    size: the plot's width and height at most, pixels. Maps are as large as that in one of both.
    """

    values: ArrayLike
    x_range: Range
    y_range: Range
    title: str = ""
    x_label: str = ""
    y_label: str = ""
    unit: str = ""
    marks: Sequence[Mark] = ()
    current: tuple[float, float] | None = None
    lines: Sequence[tuple[ArrayLike, ArrayLike]] = ()
    note: str = ""
    span: Range | None = None
    percentiles: Range = (0.0, 98.0)
    size: tuple[int, int] = (920, 720)

    def draw(self) -> Pixels:
        """The map's pixels (height, width, 3)."""
        canvas = Canvas(*self._canvas_size, PAPER)
        left, top, width, height = self.axes.box
        write_title(canvas, self.axes, self.title)
        canvas.image(left, top, self._coloured(resampled(self._cells, height, width)[::-1]))
        draw_frame(canvas, self.axes, self._x_scale, self._y_scale, current=self.current)
        draw_axis_labels(canvas, self.axes, self.x_label, self.y_label, self._y_scale)
        for xs, ys in self.lines:
            self._draw_line(canvas, xs, ys)
        self._draw_legend(canvas)
        draw_current(canvas, self.axes, self.current)
        draw_marks(canvas, self.axes, self.marks)
        below = top + height + room_below(self.x_label) + 12
        write_notes(canvas, left, below, self._notes(self._canvas_size[0] - left - MARGIN))
        return canvas.pixels

    @cached_property
    def axes(self) -> Axes:
        """Where numbers are among the pixels."""
        width, height = self._plot_size
        left = MARGIN + room_left(self._y_scale, self.y_label)
        x_step, y_step = self._steps
        return Axes(
            (left, title_height(self.title, width), width, height),
            (self.x_range[0] - x_step / 2, self.x_range[1] + x_step / 2),
            (self.y_range[0] - y_step / 2, self.y_range[1] + y_step / 2),
        )

    @cached_property
    def _cells(self) -> Array:
        return np.asarray(self.values, float)

    @cached_property
    def _steps(self) -> tuple[float, float]:
        """From one cell to the next along x and y; 1 where there is only one."""
        rows, columns = self._cells.shape
        across, up = (
            (last - first) / (count - 1) if count > 1 else 1.0
            for (first, last), count in ((self.x_range, columns), (self.y_range, rows))
        )
        return across, up

    @cached_property
    def _plot_size(self) -> tuple[int, int]:
        """Cells are as square as leaves neither side short, and whole pixels if about as many."""
        rows, columns = self._cells.shape
        width, height = self.size
        shape = min(max(columns / rows, 0.45), 3.2)
        if shape > width / height:
            height = round(width / shape)
        else:
            width = round(height * shape)
        return _whole(width, columns), _whole(height, rows)

    @cached_property
    def _x_scale(self) -> Scale:
        return Scale.of(self.x_range, self._plot_size[0], 56, self._steps[0])

    @cached_property
    def _y_scale(self) -> Scale:
        return Scale.of(self.y_range, self._plot_size[1], 44, self._steps[1])

    @cached_property
    def _colour_span(self) -> Range:
        """The values at the ends of the colours."""
        known = self._cells[np.isfinite(self._cells)]
        if self.span is not None:
            low, high = self.span
        elif not known.size:
            low, high = 0.0, 1.0
        else:
            low, high = map(float, np.percentile(known, self.percentiles))
        return low, high if high > low else low + 1.0

    @cached_property
    def _legend_scale(self) -> Scale:
        return Scale.of(self._colour_span, self._plot_size[1], 44)

    @property
    def _right(self) -> int:
        """What the legend takes right of the plot."""
        return 20 + _BAR + 10 + max(self._legend_scale.width, font.measure(self.unit)[0] - _BAR - 10)

    @cached_property
    def _canvas_size(self) -> tuple[int, int]:
        left, top, width, height = self.axes.box
        wide = left + width + self._right + MARGIN
        notes = len(self._notes(wide - left - MARGIN))
        tall = top + height + room_below(self.x_label) + MARGIN
        return wide, tall + (notes * font.LINE_HEIGHT + 6 if notes else 0)

    def _coloured(self, values: Array) -> Pixels:
        low, high = self._colour_span
        return colours.as_bytes(colours.sequential((values - low) / (high - low)))

    def _draw_line(self, canvas: Canvas, xs: ArrayLike, ys: ArrayLike) -> None:
        points = self.axes.points(xs, ys)
        canvas.polyline(points, INK, 3.0, self.axes.box)
        canvas.polyline(points, WHITE, 1.2, self.axes.box)

    def _draw_legend(self, canvas: Canvas) -> None:
        left, top, width, height = self.axes.box
        bar = Axes((left + width + 20, top, _BAR, height), (0.0, 1.0), self._colour_span)
        low, high = self._colour_span
        middles = high - (np.arange(height) + 0.5) / height * (high - low)
        canvas.image(bar.box[0], top, self._coloured(np.repeat(middles[:, None], _BAR, axis=1)))
        canvas.rectangle((bar.box[0] - 1, top - 1, _BAR + 2, height + 2), INK)
        for value, label in zip(self._legend_scale.values, self._legend_scale.labels, strict=True):
            row = round(bar.y(value) - 0.5)
            canvas.fill((bar.box[0] + _BAR + 1, row, 4, 1), INK)
            canvas.text(bar.box[0] + _BAR + 10, row + 0.5, label, INK, stand="middle")
        canvas.text(bar.box[0], top - 8, self.unit, INK)

    def _notes(self, width: int) -> list[str]:
        """What is written below the plot: the note, and how to read the colours."""
        texts = [self.note] if self.note else []
        known = self._cells[np.isfinite(self._cells)]
        if not known.size:
            texts.append("There are no values.")
        else:
            texts += self._clipped(float(known.min()), float(known.max()))
        rows, columns = self._cells.shape
        wide, tall = self._plot_size
        if rows > tall or columns > wide:
            texts.append("Each pixel shows the least of the cells that share it.")
        if np.isnan(self._cells).any() and known.size:
            texts.append("Grey: no value.")
        return font.wrap("\n".join(texts), width) if texts else []

    def _clipped(self, least: float, greatest: float) -> list[str]:
        """Which values the colours leave out, if any."""
        low, high = self._colour_span
        rounding = 1e-6 * (high - low)
        unit = f" {self.unit}" if self.unit else ""
        ends = []
        if least < low - rounding:
            ends.append(f"at {number(low)} (least: {number(least)}{unit})")
        if greatest > high + rounding:
            share = f", the {self.percentiles[1]:g}th percentile" if self.span is None else ""
            ends.append(f"at {number(high)}{share} (greatest: {number(greatest)}{unit})")
        return [f"Colours end {' and '.join(ends)}."] if ends else []


def _whole(pixels: int, cells: int) -> int:
    """A number of pixels near another that gives all cells the same, if there is one."""
    even = max(1, round(pixels / cells)) * cells
    return even if 0.85 * pixels <= even <= 1.1 * pixels else pixels
