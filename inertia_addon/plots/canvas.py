# SPDX-License-Identifier: GPL-3.0-or-later
"""A picture to draw on, in memory: areas, lines, markers, text and images.

Places are pixels from the top left corner, x to the right and y down; a whole number is a pixel's left or
upper edge, so that the middle of the first pixel is (0.5, 0.5). Colours are (red, green, blue) of 0 to 255.
What lies outside of the canvas is left out.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import font

Array = NDArray[np.float64]
Pixels = NDArray[np.uint8]
Colour = tuple[int, int, int]
Box = tuple[int, int, int, int]
"""Left, top, width and height, pixels."""


class Canvas:
    """Pixels (height, width, 3), and what draws on them."""

    def __init__(self, width: int, height: int, background: Colour = (255, 255, 255)) -> None:
        self.pixels = np.full((height, width, 3), background, np.uint8)

    def fill(self, box: Box, colour: Colour, opacity: float = 1.0) -> None:
        """Fill a box."""
        rows, columns = self._inside(box)
        self._blend(rows, columns, np.float64(opacity), colour)

    def rectangle(self, box: Box, colour: Colour, thickness: int = 1) -> None:
        """Draw a box's outline, within it."""
        x, y, width, height = box
        for side in (
            (x, y, width, thickness),
            (x, y + height - thickness, width, thickness),
            (x, y, thickness, height),
            (x + width - thickness, y, thickness, height),
        ):
            self.fill(side, colour)

    def image(self, x: int, y: int, pixels: Pixels) -> None:
        """Place an image (height, width, 3)."""
        rows, columns = self._inside((x, y, pixels.shape[1], pixels.shape[0]))
        self.pixels[rows, columns] = pixels[
            rows.start - y : rows.stop - y, columns.start - x : columns.stop - x
        ]

    def polyline(
        self, points: ArrayLike, colour: Colour, width: float = 1.5, clip: Box | None = None
    ) -> None:
        """Draw a smooth line through points (n, 2), interrupted at those that are not finite.

        clip: a box outside of which nothing is drawn.
        """
        points = np.asarray(points, float).reshape(-1, 2)
        height, across = self.pixels.shape[:2]
        cover = np.zeros((height, across))
        reach = 0.5 * width + 1.0
        for (x0, y0), (x1, y1) in itertools.pairwise(points.tolist()):
            if not np.isfinite([x0, y0, x1, y1]).all():
                continue
            rows = _span(min(y0, y1) - reach, max(y0, y1) + reach, height)
            columns = _span(min(x0, x1) - reach, max(x0, x1) + reach, across)
            ys, xs = _middles(rows, columns)
            away = _distance_to_segment(xs, ys, (x0, y0), (x1, y1))
            np.maximum(cover[rows, columns], _coverage(away - 0.5 * width), out=cover[rows, columns])
        rows, columns = self._inside(clip or (0, 0, across, height))
        self._blend(rows, columns, cover[rows, columns], colour)

    def marker(
        self, x: float, y: float, colour: Colour, radius: float = 4.0, edge: Colour | None = None
    ) -> None:
        """Draw a filled circle about a place, with an edge of 1.5 pixels about it."""
        size = radius + (1.5 if edge else 0.0)
        rows = _span(y - size - 1.0, y + size + 1.0, self.pixels.shape[0])
        columns = _span(x - size - 1.0, x + size + 1.0, self.pixels.shape[1])
        ys, xs = _middles(rows, columns)
        away = np.hypot(xs - x, ys - y)
        if edge:
            self._blend(rows, columns, _coverage(away - size), edge)
        self._blend(rows, columns, _coverage(away - radius), colour)

    def text(
        self,
        x: float,
        y: float,
        text: str,
        colour: Colour,
        *,
        align: Literal["left", "middle", "right"] = "left",
        stand: Literal["top", "middle", "base"] = "base",
        scale: int = 1,
        bold: bool = False,
        vertical: bool = False,
    ) -> None:
        """Write a line of text.

        align: which part of its length is at the place. stand: what of its height is there, with the
        middle that of a capital. vertical: it runs upwards, and length and height change places.
        """
        ink = font.mask(text, scale, bold)
        along = {"left": 0.0, "middle": 0.5, "right": 1.0}[align] * ink.shape[1]
        cap = font.CAP_HEIGHT * scale
        down = {"top": 0.0, "middle": 0.5 * cap, "base": float(cap)}[stand]
        if vertical:
            ink = np.rot90(ink)
            left, top = x - down, y - (ink.shape[0] - along)
        else:
            left, top = x - along, y - down
        column, row = round(left), round(top)
        rows, columns = self._inside((column, row, ink.shape[1], ink.shape[0]))
        part = ink[rows.start - row : rows.stop - row, columns.start - column : columns.stop - column]
        self.pixels[rows, columns][part] = colour

    def _inside(self, box: Box) -> tuple[slice, slice]:
        """The rows and columns of a box that are on the canvas."""
        x, y, width, height = box
        return _span(y, y + height, self.pixels.shape[0]), _span(x, x + width, self.pixels.shape[1])

    def _blend(self, rows: slice, columns: slice, cover: Array | np.float64, colour: Colour) -> None:
        """Lay a colour over a part, as far as ``cover`` (rows, columns) of 0 to 1 says."""
        part = self.pixels[rows, columns].astype(float)
        mixed = part + np.asarray(cover)[..., None] * (np.array(colour, float) - part)
        self.pixels[rows, columns] = np.rint(mixed)


def _span(low: float, high: float, size: int) -> slice:
    """The whole pixels from low to high that are within a size; empty where there is none."""
    start = min(max(int(np.floor(low)), 0), size)
    return slice(start, min(max(int(np.ceil(high)), start), size))


def _middles(rows: slice, columns: slice) -> tuple[Array, Array]:
    """y (rows, 1) and x (1, columns) of pixels' middles."""
    return (
        np.arange(rows.start, rows.stop)[:, None] + 0.5,
        np.arange(columns.start, columns.stop)[None, :] + 0.5,
    )


def _coverage(outside: Array) -> Array:
    """How much of a pixel is covered by a shape whose edge is so far away from the pixel's middle."""
    return np.clip(0.5 - outside, 0.0, 1.0)


def _distance_to_segment(xs: Array, ys: Array, start: tuple[float, float], end: tuple[float, float]) -> Array:
    dx, dy = end[0] - start[0], end[1] - start[1]
    square = dx * dx + dy * dy
    along = ((xs - start[0]) * dx + (ys - start[1]) * dy) / square if square > 0.0 else 0.0 * (xs + ys)
    along = np.clip(along, 0.0, 1.0)
    return np.hypot(xs - start[0] - along * dx, ys - start[1] - along * dy)


def resampled(values: ArrayLike, height: int, width: int) -> Array:
    """A table of numbers (rows, columns) as one of (height, width).

    Where it grows, every cell becomes a block of about equal pixels; where it shrinks, a pixel is the
    least of its block, so that no valley is lost. NaN counts only where a block has nothing else.
    """
    values = np.asarray(values, float)
    return _resampled_rows(_resampled_rows(values, height).T, width).T


def _resampled_rows(values: Array, count: int) -> Array:
    rows = len(values)
    if count >= rows:
        return values[np.arange(count) * rows // count]
    edges = np.arange(count + 1) * rows // count
    return np.fmin.reduceat(values, edges[:-1], axis=0)


def beside(pictures: Sequence[Pixels], columns: int, background: Colour, gap: int = 0) -> Pixels:
    """Pictures (height, width, 3) as one, row by row; places of unequal size are as large as the largest."""
    height = max(picture.shape[0] for picture in pictures)
    width = max(picture.shape[1] for picture in pictures)
    rows = -(-len(pictures) // columns)
    sheet = Canvas(columns * (width + gap) - gap, rows * (height + gap) - gap, background)
    for i, picture in enumerate(pictures):
        sheet.image((i % columns) * (width + gap), (i // columns) * (height + gap), picture)
    return sheet.pixels
