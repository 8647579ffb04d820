# SPDX-License-Identifier: GPL-3.0-or-later
"""What can be drawn, by value: in pixels of a picture, or in the world where points have three numbers.

Places are (x, y) with y upwards, pixels from the lower left corner. Colours are (red, green, blue, alpha) of
0 to 1, as Blender's themes have them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..records import record

Array = NDArray[np.float64]
Floats = NDArray[np.float32]
Pixels = NDArray[np.uint8]
Colour = tuple[float, float, float, float]
Rect = tuple[float, float, float, float]
"""Left, bottom, width, height, pixels."""

BLACK: Colour = (0.0, 0.0, 0.0, 1.0)
WHITE: Colour = (1.0, 1.0, 1.0, 1.0)


@record(frozen=True, eq=False)
class Lines:
    """A line through points (n, 2 or 3) with their colours (n, 4); or, as ``pairs``, a line for each two."""

    points: Floats
    colours: Floats
    width: float = 1.0
    pairs: bool = False


@record(frozen=True, eq=False)
class FilledShape:
    """Triangles of one colour: corners (3 n, 2)."""

    corners: Floats
    colour: Colour


@record(frozen=True)
class Text:
    """A line of text. x, y: its baseline at its left, middle or right (align 0, 0.5, 1), pixels."""

    x: float
    y: float
    text: str
    size: float
    colour: Colour
    align: float = 0.0
    vertical: bool = False


@record(frozen=True, eq=False)
class Picture:
    """An image. pixels: (rows, columns, 4) float32, row 0 at the bottom. box: where it goes."""

    pixels: Floats
    box: Rect


Shape = Lines | FilledShape | Text | Picture


@record(frozen=True, eq=False)
class Drawing:
    """Shapes, one over the other, on a sheet of a size, pixels, and a colour."""

    width: int
    height: int
    background: Colour
    shapes: Sequence[Shape]


def line(points: object, colour: Colour, width: float = 1.0, *, pairs: bool = False) -> Lines:
    """Return a line of one colour through points (n, 2 or 3)."""
    at = np.ascontiguousarray(points, np.float32)
    return Lines(at, np.tile(np.array(colour, np.float32), (len(at), 1)), width, pairs)


def dashes(points: object, length: float) -> Array:
    """Return the ends of dashes (2 n, 2), two rows for each, along a line through points (m, 2), m at least
    1.

    length: of a dash, and of the gap behind it, in the points' unit; it must be above 0. The first dash
    begins at the first point, the last one may be shorter. A dash over a corner is straight. A line without
    length has one dash without length.
    """
    at = np.asarray(points, float)
    along = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(at, axis=0), axis=1))])
    starts = np.arange(0.0, max(along[-1], 1e-9), 2.0 * length)
    ends = np.column_stack([starts, np.minimum(starts + length, along[-1])]).ravel()
    return np.column_stack([np.interp(ends, along, at[:, axis]) for axis in (0, 1)])


def box(left: float, bottom: float, width: float, height: float, colour: Colour) -> FilledShape:
    """Return a filled rectangle."""
    right, top = left + width, bottom + height
    corners = [(left, bottom), (right, bottom), (right, top), (left, bottom), (right, top), (left, top)]
    return FilledShape(np.array(corners, np.float32), colour)


def rounded(
    left: float, bottom: float, width: float, height: float, radius: float, colour: Colour
) -> FilledShape:
    """Return a filled rectangle with round corners as one shape of triangles.

    left, bottom, width, height: pixels, y upwards. radius: of the corners, pixels, at most half of the
    shorter side; more is cut to that.
    """
    radius = min(radius, 0.5 * width, 0.5 * height)
    right, top = left + width - radius, bottom + height - radius
    left, bottom = left + radius, bottom + radius
    quarter = np.linspace(0.0, 0.5 * np.pi, 7)
    rim = []
    for i, (x, y) in enumerate(((right, top), (left, top), (left, bottom), (right, bottom))):
        angle = quarter + 0.5 * np.pi * i
        rim.append(np.column_stack([x + radius * np.cos(angle), y + radius * np.sin(angle)]))
    return fan(np.concatenate(rim), colour)


def fan(rim: object, colour: Colour) -> FilledShape:
    """Return a filled convex outline (n, 2)."""
    at = np.asarray(rim, np.float32)
    middle = np.broadcast_to(at.mean(axis=0), at.shape)
    return FilledShape(np.stack([middle, at, np.roll(at, -1, axis=0)], axis=1).reshape(-1, 2), colour)


def disc(x: float, y: float, radius: float, colour: Colour) -> FilledShape:
    """Return a filled circle."""
    angle = np.linspace(0.0, 2.0 * np.pi, 17)[:-1]
    return fan(np.column_stack([x + radius * np.cos(angle), y + radius * np.sin(angle)]), colour)


def turned_left(corners: Floats) -> Floats:
    """Return triangles (n, 3, 2), each with its corners in the order that turns left. corners: (3 n, 2)."""
    triangles = corners.reshape(-1, 3, 2)
    (ax, ay), (bx, by) = (triangles[:, 1] - triangles[:, 0]).T, (triangles[:, 2] - triangles[:, 0]).T
    return np.where((ax * by < ay * bx)[:, None, None], triangles[:, ::-1], triangles)


def as_bytes(colours: ArrayLike) -> Pixels:
    """Return colours of 0 to 1 as the bytes of pixels, rounded; others are cut to that."""
    return np.rint(255.0 * np.clip(np.asarray(colours, float), 0.0, 1.0)).astype(np.uint8)
