# SPDX-License-Identifier: GPL-3.0-or-later
"""What charts stand on: colours of paper and ink, numbers to pixels, ticks, and frames around plots."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import font
from .canvas import Box, Canvas, Colour

Array = NDArray[np.float64]

PAPER: Colour = (252, 252, 250)
INK: Colour = (34, 37, 42)
MUTED: Colour = (98, 103, 112)
GRID: Colour = (228, 229, 232)
ACCENT: Colour = (214, 62, 32)
"""Of what is current: where the playhead is."""

CURRENT_DIGITS = 5
"""So exact is the current place named: cuts may lie between frames."""

Range = tuple[float, float]

_TICK = 5
_PAD = 5


@dataclasses.dataclass(frozen=True)
class Axes:
    """Where numbers are on a canvas.

    box: the plot's area, pixels. x_range, y_range: the numbers at its left and right edge, and at its
    lower and upper edge.
    """

    box: Box
    x_range: Range
    y_range: Range

    def x(self, value: float) -> float:
        """The column of a number, pixels."""
        low, high = self.x_range
        return self.box[0] + self.box[2] * (value - low) / (high - low)

    def y(self, value: float) -> float:
        """The row of a number, pixels."""
        low, high = self.y_range
        return self.box[1] + self.box[3] * (high - value) / (high - low)

    def points(self, xs: ArrayLike, ys: ArrayLike) -> Array:
        """Pixels (n, 2) of the numbers xs (n,) and ys (n,)."""
        (x_low, x_high), (y_low, y_high) = self.x_range, self.y_range
        left, top, width, height = self.box
        columns = left + width * (np.ravel(np.asarray(xs, float)) - x_low) / (x_high - x_low)
        rows = top + height * (y_high - np.ravel(np.asarray(ys, float))) / (y_high - y_low)
        return np.stack([columns, rows], axis=-1)


def ticks(low: float, high: float, most: int, least_step: float = 0.0) -> list[float]:
    """At most ``most`` numbers from low to high, multiples of 1, 2 or 5 times a power of ten.

    least_step: they lie no nearer than that, where they count things that have no halves.
    """
    wanted = max((high - low) / max(most, 1), least_step, 1e-300)
    power = 10.0 ** math.floor(math.log10(wanted))
    for step in (power * factor for factor in (1.0, 2.0, 5.0, 10.0, 20.0)):
        first = math.ceil(low / step - 1e-9)
        last = math.floor(high / step + 1e-9)
        if step >= wanted * (1.0 - 1e-9) and last - first < max(most, 1):
            break
    return [index * step for index in range(first, last + 1)]


def tick_labels(values: list[float]) -> list[str]:
    """The numbers of ticks as text, with as many decimals as tell them apart."""
    if not values:
        return []
    if len(values) == 1:
        return [number(values[0])]
    step = values[1] - values[0]
    greatest = max(map(abs, values))
    if greatest >= 1e6 or step < 1e-4:
        texts = [f"{value:.3g}" for value in values]
    else:
        decimals = max(0, -math.floor(math.log10(step) + 1e-9))
        texts = [f"{value:.{decimals}f}" for value in values]
    # a zero that rounding made negative is none, and a minus is as wide as a plus
    return [text.lstrip("-") if not text.strip("-0.") else text.replace("-", "\u2013") for text in texts]


def number(value: float, digits: int = 3) -> str:
    """A number for reading, to so many digits, but whole up to a million."""
    if 10.0**digits <= abs(value) < 1e6:
        text = f"{value:.0f}"
    else:
        text = f"{value:.{digits}g}"
    return text.replace("-", "\u2013", 1) if text.startswith("-") else text


@dataclasses.dataclass(frozen=True)
class Scale:
    """The ticks of one axis and what they say."""

    values: list[float]
    labels: list[str]

    @classmethod
    def of(cls, span: Range, pixels: int, apart: int, least_step: float = 0.0) -> Scale:
        """Ticks for a span of numbers over so many pixels, at least ``apart`` pixels from each other."""
        values = ticks(*span, max(2, pixels // apart), least_step)
        return cls(values, tick_labels(values))

    @property
    def width(self) -> int:
        """The widest label, pixels."""
        return max((font.measure(label)[0] for label in self.labels), default=0)


def draw_frame(
    canvas: Canvas,
    axes: Axes,
    x_scale: Scale,
    y_scale: Scale,
    grid: bool = False,
    current: tuple[float | None, float | None] | None = None,
) -> None:
    """Draw a plot's outline outside of its area, with ticks and their labels left of and below it.

    grid: with faint lines across the area. current: the numbers that are to be written on the axes
    themselves, for which labels in their way are left out.
    """
    left, top, width, height = axes.box
    here_x, here_y = current or (None, None)
    for value, label in zip(x_scale.values, x_scale.labels, strict=True):
        column = round(axes.x(value) - 0.5)
        if grid:
            canvas.fill((column, top, 1, height), GRID)
        canvas.fill((column, top + height, 1, _TICK), INK)
        if here_x is None or abs(axes.x(here_x) - column) > _half_widths(
            label, number(here_x, CURRENT_DIGITS)
        ):
            canvas.text(column + 0.5, top + height + _TICK + _PAD, label, INK, align="middle", stand="top")
    for value, label in zip(y_scale.values, y_scale.labels, strict=True):
        row = round(axes.y(value) - 0.5)
        if grid:
            canvas.fill((left, row, width, 1), GRID)
        canvas.fill((left - _TICK, row, _TICK, 1), INK)
        if here_y is None or abs(axes.y(here_y) - row) > font.LINE_HEIGHT:
            canvas.text(left - _TICK - _PAD, row + 0.5, label, INK, align="right", stand="middle")
    canvas.rectangle((left - 1, top - 1, width + 2, height + 2), INK)


def _half_widths(*labels: str) -> float:
    """How far apart the middles of two labels have to be, pixels."""
    return sum(font.measure(label)[0] / 2 + 5 for label in labels)


def draw_axis_labels(canvas: Canvas, axes: Axes, x_label: str, y_label: str, y_scale: Scale) -> None:
    """Write what the axes are: below the ticks' labels, and upwards left of them."""
    left, top, width, height = axes.box
    below = top + height + _TICK + _PAD + font.CAP_HEIGHT + 10
    canvas.text(left + width / 2, below, x_label, INK, align="middle", stand="top")
    beside = left - _TICK - _PAD - y_scale.width - 10
    canvas.text(
        beside - font.CAP_HEIGHT, top + height / 2, y_label, INK, align="middle", stand="top", vertical=True
    )


def room_left(y_scale: Scale, y_label: str) -> int:
    """The pixels that ticks and labels need left of a plot."""
    return _TICK + _PAD + y_scale.width + ((10 + font.CAP_HEIGHT + 3) if y_label else 0)


def room_below(x_label: str) -> int:
    """The pixels that ticks and labels need below a plot."""
    return _TICK + _PAD + font.CAP_HEIGHT + ((10 + font.HEIGHT) if x_label else 3)
