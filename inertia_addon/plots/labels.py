# SPDX-License-Identifier: GPL-3.0-or-later
"""What is written about and on plots: titles, notes, marks, cross hairs, and labels that keep apart."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from . import font
from .axes import ACCENT, CURRENT_DIGITS, INK, MUTED, PAPER, Axes, number
from .canvas import Box, Canvas, Colour

Mark = tuple[float, float, str]
"""x, y and a label, which may be empty."""

MARGIN = 18
WHITE: Colour = (255, 255, 255)

_PAD = 4


def title_height(title: str, width: int) -> int:
    """The pixels that a title takes above a plot of such a width, with the margin above it."""
    lines = len(font.wrap(title, width, bold=True)) if title else 0
    return MARGIN + lines * font.LINE_HEIGHT + (8 if lines else 0)


def write_title(canvas: Canvas, axes: Axes, title: str) -> None:
    """Write a title at the top of a canvas, from the plot's left edge on and as wide as it."""
    for i, line in enumerate(font.wrap(title, axes.box[2], bold=True)):
        canvas.text(axes.box[0], MARGIN + i * font.LINE_HEIGHT, line, INK, stand="top", bold=True)


def write_notes(canvas: Canvas, left: int, top: int, lines: Sequence[str]) -> None:
    """Write lines of text below each other."""
    for i, line in enumerate(lines):
        canvas.text(left, top + i * font.LINE_HEIGHT, line, MUTED, stand="top")


def plate(canvas: Canvas, box: Box, text: str, ink: Colour = INK, ground: Colour = PAPER) -> None:
    """Write a text on a ground of its own; the box is one of :func:`plate_size`."""
    canvas.fill(box, ground)
    canvas.text(box[0] + _PAD, box[1] + 4, text, ink, stand="top")


def plate_size(text: str) -> tuple[int, int]:
    """Width and height of a plate, pixels."""
    return font.measure(text)[0] + 2 * (_PAD), font.CAP_HEIGHT + 8


def place(size: tuple[int, int], x: float, y: float, away: int, area: Box, taken: Iterable[Box]) -> Box:
    """Where a plate goes beside a point: within an area, and clear of what is taken if it can be."""
    width, height = size
    column, row = round(x), round(y)
    tries = [
        (column + away, row - height // 2, width, height),
        (column - away - width, row - height // 2, width, height),
        (column - width // 2, row - away - height, width, height),
        (column - width // 2, row + away, width, height),
        (column + away, row + away, width, height),
        (column + away, row - away - height, width, height),
        (column - away - width, row + away, width, height),
        (column - away - width, row - away - height, width, height),
    ]
    inside = [box for box in tries if _within(box, area)]
    taken = list(taken)
    for box in inside:
        if not any(_overlap(box, other) for other in taken):
            return box
    return (inside or tries)[0]


def _within(box: Box, area: Box) -> bool:
    return (
        area[0] <= box[0]
        and area[1] <= box[1]
        and box[0] + box[2] <= area[0] + area[2]
        and box[1] + box[3] <= area[1] + area[3]
    )


def _overlap(a: Box, b: Box) -> bool:
    return a[0] < b[0] + b[2] and b[0] < a[0] + a[2] and a[1] < b[1] + b[3] and b[1] < a[1] + a[3]


def draw_marks(canvas: Canvas, axes: Axes, marks: Sequence[Mark]) -> None:
    """Rings with their labels, which avoid each other as far as there is room."""
    places = [(axes.x(x), axes.y(y), label) for x, y, label in marks]
    taken: list[Box] = [(round(x) - 6, round(y) - 6, 12, 12) for x, y, _ in places]
    for x, y, _ in places:
        canvas.marker(x, y, INK, 5.5, WHITE)
        canvas.marker(x, y, WHITE, 2.0)
    for x, y, label in places:
        if label:
            taken.append(place(plate_size(label), x, y, 10, axes.box, taken))
            plate(canvas, taken[-1], label)


def draw_current(canvas: Canvas, axes: Axes, current: tuple[float, float] | None) -> None:
    """Cross hairs, with their numbers on the axes."""
    if current is None:
        return
    left, top, width, height = axes.box
    x, y = (math.floor(at) + 0.5 for at in (axes.x(current[0]), axes.y(current[1])))
    gap = (np.nan, np.nan)
    upright = [(x, top), (x, y - 7), gap, (x, y + 7), (x, top + height)]
    across = [(left, y), (x - 7, y), gap, (x + 7, y), (left + width, y)]
    for thickness, colour in ((3.0, WHITE), (1.0, ACCENT)):
        for line in (upright, across):
            canvas.polyline(line, colour, thickness, axes.box)
    canvas.marker(x, y, ACCENT, 4.0, WHITE)
    draw_current_x(canvas, axes, current[0])
    label = number(current[1], CURRENT_DIGITS)
    size = plate_size(label)
    plate(canvas, (left - size[0] - 3, round(y) - size[1] // 2, *size), label, WHITE, ACCENT)


def draw_current_x(canvas: Canvas, axes: Axes, value: float) -> None:
    """The current number, on the axis below the plot."""
    _, top, _, height = axes.box
    label = number(value, CURRENT_DIGITS)
    size = plate_size(label)
    box = (round(axes.x(value)) - size[0] // 2, top + height + 4, *size)
    plate(canvas, box, label, WHITE, ACCENT)
