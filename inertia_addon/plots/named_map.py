# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers of everything with everything, as colours: a heat map whose rows and columns have names."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from . import font
from .axes import INK, PAPER, Axes, Range, Scale, draw_axis_labels, draw_frame, room_left
from .canvas import Canvas, Pixels, resampled
from .heat_map import HeatMap
from .labels import MARGIN, title_height, write_notes, write_title

_CELL = font.LINE_HEIGHT
"""A row is as high as its name."""

_GAP = 12
_MOST = 44
"""Longer names are cut."""


@dataclasses.dataclass(frozen=True, eq=False)
class NamedMap(HeatMap):
    """A heat map whose first row is on top.

    x_names, y_names: of the columns and rows of ``values``. x_range and y_range follow from these.
    """

    x_range: Range = (0.0, 0.0)
    y_range: Range = (0.0, 0.0)
    x_names: Sequence[str] = ()
    y_names: Sequence[str] = ()

    @classmethod
    def of(
        cls, values: ArrayLike, x_names: Sequence[str], y_names: Sequence[str], **options: Any
    ) -> NamedMap:
        """A map of values (rows, columns), the options being those of :class:`HeatMap`."""
        rows, columns = np.shape(values)
        size = max(420, columns * _CELL), max(420, rows * _CELL)
        return cls(
            np.asarray(values, float)[::-1],
            (0.0, columns - 1.0),
            (0.0, rows - 1.0),
            size=size,
            x_names=[_short(name) for name in x_names],
            y_names=[_short(name) for name in reversed(y_names)],
            **options,
        )

    def draw(self) -> Pixels:
        """The map's pixels (height, width, 3)."""
        canvas = Canvas(*self._canvas_size, PAPER)
        left, top, width, height = self.axes.box
        write_title(canvas, self.axes, self.title)
        canvas.image(left, top, self._coloured(resampled(self._cells, height, width)[::-1]))
        unnamed = Scale(self._x_scale.values, [""] * len(self._x_scale.values))
        draw_frame(canvas, self.axes, unnamed, self._y_scale)
        draw_axis_labels(canvas, self.axes, "", self.y_label, self._y_scale)
        for value, name in zip(self._x_scale.values, self._x_scale.labels, strict=True):
            length, _ = font.measure(name)
            column = self.axes.x(value)
            below = top + height + _GAP + length
            canvas.text(column, below, name, INK, stand="middle", vertical=True)
        below = top + height + _GAP + self._x_scale.width + 10
        canvas.text(left + width / 2, below, self.x_label, INK, align="middle", stand="top")
        self._draw_legend(canvas)
        write_notes(
            canvas, left, top + height + self._below, self._notes(self._canvas_size[0] - left - MARGIN)
        )
        return canvas.pixels

    @cached_property
    def axes(self) -> Axes:
        """Where numbers are among the pixels: columns and rows from 0, the first row being the highest."""
        width, height = self._plot_size
        left = MARGIN + room_left(self._y_scale, self.y_label)
        rows, columns = self._cells.shape
        top = title_height(self.title, width)
        return Axes((left, top, width, height), (-0.5, columns - 0.5), (-0.5, rows - 0.5))

    @cached_property
    def _plot_size(self) -> tuple[int, int]:
        rows, columns = self._cells.shape
        return self.size[0] // columns * columns, self.size[1] // rows * rows

    @cached_property
    def _x_scale(self) -> Scale:
        return Scale([float(i) for i in range(len(self.x_names))], list(self.x_names))

    @cached_property
    def _y_scale(self) -> Scale:
        return Scale([float(i) for i in range(len(self.y_names))], list(self.y_names))

    @property
    def _below(self) -> int:
        """What names and label take below the plot."""
        return _GAP + self._x_scale.width + 10 + font.HEIGHT + 12

    @cached_property
    def _canvas_size(self) -> tuple[int, int]:
        left, top, width, height = self.axes.box
        wide = left + width + self._right + MARGIN
        notes = len(self._notes(wide - left - MARGIN))
        return wide, top + height + self._below + notes * font.LINE_HEIGHT + MARGIN


def _short(name: str) -> str:
    return name if len(name) <= _MOST else name[: _MOST - 3] + "..."
