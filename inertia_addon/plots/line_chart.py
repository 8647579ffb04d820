# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers along one axis, as lines."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import font
from .axes import (
    ACCENT,
    INK,
    MUTED,
    PAPER,
    Axes,
    Range,
    Scale,
    draw_axis_labels,
    draw_frame,
    room_below,
    room_left,
)
from .canvas import Canvas, Colour, Pixels
from .labels import MARGIN, WHITE, Mark, draw_current_x, draw_marks, title_height, write_notes, write_title

Array = NDArray[np.float64]
Series = tuple[str, ArrayLike, ArrayLike, Colour | None]
"""A label, x and y (n,), and a colour; None for the next of LINE_COLOURS. Not finite: a gap."""

LINE_COLOURS: tuple[Colour, ...] = (
    (24, 95, 165),
    (214, 120, 10),
    (20, 128, 96),
    (178, 34, 90),
    (106, 74, 176),
    (110, 114, 120),
)
"""Told apart by lightness as well as by hue."""

_SWATCH = 20
_ROW = 20


@dataclasses.dataclass(frozen=True, eq=False)
class LineChart:
    """Lines over a common axis.

    series: the lines, with labels for the legend above the plot; one without a label is not in it.
    marks: places to point out. current: where along x the user is.
    note: what is written below.
    x_range, y_range: the numbers at the plot's edges; None: of all that is drawn, and for y with 0 in it
        where that is near, or a margin.
    size: the plot's width and height, pixels.
    """

    series: Sequence[Series]
    title: str = ""
    x_label: str = ""
    y_label: str = ""
    marks: Sequence[Mark] = ()
    current: float | None = None
    note: str = ""
    x_range: Range | None = None
    y_range: Range | None = None
    size: tuple[int, int] = (860, 360)

    def draw(self) -> Pixels:
        """The chart's pixels (height, width, 3)."""
        canvas = Canvas(*self._canvas_size, PAPER)
        left, top, width, height = self.axes.box
        write_title(canvas, self.axes, self.title)
        self._draw_legend(canvas)
        canvas.fill(self.axes.box, WHITE)
        here = None if self.current is None else (self.current, None)
        draw_frame(canvas, self.axes, self._x_scale, self._y_scale, grid=True, current=here)
        draw_axis_labels(canvas, self.axes, self.x_label, self.y_label, self._y_scale)
        low, high = self.axes.y_range
        if low < 0.0 < high:
            canvas.fill((left, round(self.axes.y(0.0) - 0.5), width, 1), MUTED)
        if self.current is not None:
            column = self.axes.x(self.current)
            canvas.polyline([(column, top), (column, top + height)], ACCENT, 1.6, self.axes.box)
            draw_current_x(canvas, self.axes, self.current)
        for (_, xs, ys, _), colour in zip(self.series, self._colours, strict=True):
            canvas.polyline(self.axes.points(xs, ys), colour, 2.0, self.axes.box)
        draw_marks(canvas, self.axes, self.marks)
        below = top + height + room_below(self.x_label) + 12
        write_notes(canvas, left, below, self._notes)
        return canvas.pixels

    @cached_property
    def axes(self) -> Axes:
        """Where numbers are among the pixels."""
        left = MARGIN + room_left(self._y_scale, self.y_label)
        top = title_height(self.title, self.size[0]) + len(self._legend_rows) * _ROW
        return Axes((left, top, *self.size), self._x_span, self._y_span)

    @cached_property
    def _x_span(self) -> Range:
        if self.x_range is not None:
            return self.x_range
        low, high = _extent([xs for _, xs, _, _ in self.series])
        return low, high if high > low else low + 1.0

    @cached_property
    def _y_span(self) -> Range:
        if self.y_range is not None:
            return self.y_range
        low, high = _extent([ys for _, _, ys, _ in self.series] + [[y] for _, y, _ in self.marks])
        if 0.0 < low <= 0.5 * high:
            low = 0.0
        if 0.5 * low <= high < 0.0:
            high = 0.0
        margin = 0.05 * (high - low) or 0.5
        return low - margin * (low != 0.0), high + margin * (high != 0.0)

    @cached_property
    def _x_scale(self) -> Scale:
        return Scale.of(self._x_span, self.size[0], 56)

    @cached_property
    def _y_scale(self) -> Scale:
        return Scale.of(self._y_span, self.size[1], 44)

    @cached_property
    def _colours(self) -> list[Colour]:
        return [
            colour or LINE_COLOURS[i % len(LINE_COLOURS)] for i, (_, _, _, colour) in enumerate(self.series)
        ]

    @cached_property
    def _notes(self) -> list[str]:
        return font.wrap(self.note, self.size[0]) if self.note else []

    @cached_property
    def _canvas_size(self) -> tuple[int, int]:
        left, top, width, height = self.axes.box
        notes = len(self._notes) * font.LINE_HEIGHT + (6 if self._notes else 0)
        return left + width + MARGIN + 6, top + height + room_below(self.x_label) + notes + MARGIN

    @cached_property
    def _legend_rows(self) -> list[list[int]]:
        """The series of each row of the legend."""
        rows: list[list[int]] = []
        used = self.size[0]
        for i, (label, *_) in enumerate(self.series):
            if not label:
                continue
            width = _SWATCH + 8 + font.measure(label)[0] + 22
            if used + width > self.size[0] + 22:
                rows.append([])
                used = 0
            rows[-1].append(i)
            used += width
        return rows

    def _draw_legend(self, canvas: Canvas) -> None:
        left, top = self.axes.box[:2]
        for i, row in enumerate(self._legend_rows):
            x, y = left, top - (len(self._legend_rows) - i) * _ROW
            for index in row:
                label = self.series[index][0]
                canvas.polyline([(x, y + 5), (x + _SWATCH, y + 5)], self._colours[index], 3.0)
                canvas.text(x + _SWATCH + 8, y, label, INK, stand="top")
                x += _SWATCH + 8 + font.measure(label)[0] + 22


def _extent(arrays: Sequence[ArrayLike]) -> Range:
    """The least and the greatest finite number of all arrays; 0 and 1 where there is none."""
    numbers = np.concatenate([np.ravel(np.asarray(array, float)) for array in arrays] or [np.zeros(0)])
    numbers = numbers[np.isfinite(numbers)]
    return (float(numbers.min()), float(numbers.max())) if numbers.size else (0.0, 1.0)
