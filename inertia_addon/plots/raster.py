# SPDX-License-Identifier: GPL-3.0-or-later
"""Shapes as pixels, by numpy alone, as a Blender without a window has no other way to draw; and PNG files.

Of PNG (W3C Recommendation "Portable Network Graphics", second edition, 2003) only 8-bit RGB and RGBA are
written. Either no row is filtered, which makes text and lines small, or each is by the one above it, which
does so for shades; to choose for each row makes charts no smaller.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from .shapes import (
    Array,
    Colour,
    Drawing,
    FilledShape,
    Floats,
    Lines,
    Picture,
    Pixels,
    Shape,
    Text,
    as_bytes,
    turned_left,
)

Round = Callable[[float], float]
Outlines = Callable[[str], Floats]
"""The triangles (3 n, 2) of a line of text at size 1, which begins at 0, 0 and stands on y = 0."""


def pixels(drawing: Drawing, outlines: Outlines) -> Pixels:
    """Return a drawing as uint8 sRGB (height, width, 3), row 0 at the top.

    outlines: called with the string of each Text; returns its triangles (3 n, 2) at size 1, from the origin,
    y upwards. Shapes lie over each other in their order, mixed by their alpha in sRGB; what lies outside of
    the sheet is left out. The background's alpha is ignored.
    """
    sheet = np.full((drawing.height, drawing.width, 3), as_bytes(drawing.background[:3]))
    for shape in drawing.shapes:
        _draw(sheet, shape, outlines)
    return sheet[::-1]


def _draw(sheet: Pixels, shape: Shape, outlines: Outlines) -> None:
    if isinstance(shape, Picture):
        _paste(sheet, shape)
    elif isinstance(shape, Lines):
        _stroke(sheet, shape)
    else:
        corners = shape.corners if isinstance(shape, FilledShape) else _written(shape, outlines(shape.text))
        _fill_triangles(sheet, corners, shape.colour)


def _written(text: Text, letters: Floats) -> Floats:
    """Return a text's triangles (3 n, 2) in the drawing, pixels, y upwards, as a new array.

    letters: its triangles (3 n, 2) at size 1 from the origin; they may be none. They are scaled by the text's
    size and moved to the left by text.align (0 to 1) times their width, so that text.x is their left, middle
    or right. Their width is their greatest x, from the origin. If vertical, they are turned to the left to
    read upwards, (x, y) to (-y, x), and align moves them down from text.y. The baseline, y or of a vertical
    text x, is rounded to a whole pixel, so that letters are crisp; the other coordinate is not.
    """
    along = text.size * letters
    along = along - [text.align * max(float(along[:, 0].max(initial=0.0)), 0.0), 0.0]
    if text.vertical:
        return np.column_stack([round(text.x) - along[:, 1], text.y + along[:, 0]])
    return np.column_stack([text.x + along[:, 0], round(text.y) + along[:, 1]])


def _lay(patch: Pixels, cover: ArrayLike, colour: ArrayLike) -> None:
    """Lay colours (3,) or (rows, columns, 3) of 0 to 1 over a part, as far as ``cover`` says."""
    patch[:] = np.rint(patch + np.asarray(cover)[..., None] * (255.0 * np.asarray(colour) - patch))


def _paste(sheet: Pixels, picture: Picture) -> None:
    """Lay an image into its box on a sheet, which is changed in place, by the image's own alpha.

    sheet: (height, width, 3) uint8, row 0 at the bottom. The box is rounded to whole pixels and cut at the
    sheet's edges. Each pixel takes the cell in which its centre lies, without smoothing.
    """
    left, bottom, width, height = picture.box
    rows, columns = (
        _cut_to_pixels(bottom, bottom + height, sheet.shape[0]),
        _cut_to_pixels(left, left + width, sheet.shape[1]),
    )
    tall, wide = picture.pixels.shape[:2]
    ys = (np.arange(rows.start, rows.stop) + 0.5 - round(bottom)) * tall / max(round(height), 1)
    xs = (np.arange(columns.start, columns.stop) + 0.5 - round(left)) * wide / max(round(width), 1)
    i, j = np.clip(ys.astype(int), 0, tall - 1), np.clip(xs.astype(int), 0, wide - 1)
    cells = picture.pixels[i[:, None], j[None, :]]
    _lay(sheet[rows, columns], cells[..., 3], cells[..., :3])


def _stroke(sheet: Pixels, lines: Lines) -> None:
    """Draw a line, or with lines.pairs a line for each two points, onto a sheet, which is changed in place;
    ends are round, edges are smoothed over a pixel.

    sheet: (height, width, 3) uint8, row 0 at the bottom. All of it has the colour and alpha of the first
    point; parts that cross do not add up. What leads from or to a point that is not finite is left out.
    """
    points = lines.points.astype(float)
    pairs = np.stack([points[:-1], points[1:]], axis=1)[:: 2 if lines.pairs else 1]
    pairs = pairs[np.isfinite(pairs).all(axis=(1, 2))]
    if not len(pairs):
        return
    reach = 0.5 * lines.width + 1.0
    cover = np.zeros(sheet.shape[:2], np.float32)
    for pair in pairs:
        rows, columns = _find_reach(sheet, pair, reach)
        part = cover[rows, columns]
        np.maximum(part, _near(pair[0], pair[1], 0.5 * lines.width, rows, columns), out=part)
    all_ = _find_reach(sheet, pairs.reshape(-1, 2), reach)
    _lay(sheet[all_], lines.colours[0, 3] * cover[all_], lines.colours[0, :3])


def _find_reach(sheet: Pixels, points: Array, reach: float) -> tuple[slice, slice]:
    """Return the rows and the columns of a sheet that points (n, 2) reach, with `reach` pixels around
    them.
    """
    (left, low), (right, high) = points.min(axis=0) - reach, points.max(axis=0) + reach
    return (
        _cut_to_pixels(low, high, sheet.shape[0], np.floor, np.ceil),
        _cut_to_pixels(left, right, sheet.shape[1], np.floor, np.ceil),
    )


def _near(start: Array, end: Array, reach: float, rows: slice, columns: slice) -> Array:
    """Return how much of each pixel a straight stroke with round ends covers, 0 to 1, (rows, columns); edges
    are smoothed over a pixel.

    start, end: its ends (2,), x and y in pixels, whose centres are at halves; if they are equal, it is a
    disc. reach: half its width, pixels. rows, columns: slices with a start and a stop, which pixels of the
    sheet.
    """
    ys, xs = np.mgrid[rows, columns] + 0.5
    (x, y), (dx, dy) = start, end - start
    square = dx * dx + dy * dy
    along = np.clip(((xs - x) * dx + (ys - y) * dy) / square, 0.0, 1.0) if square > 0.0 else 0.0
    return np.clip(reach + 0.5 - np.hypot(xs - x - along * dx, ys - y - along * dy), 0.0, 1.0)


def _fill_triangles(sheet: Pixels, corners: Floats, colour: Colour) -> None:
    """Fill triangles with a colour on a sheet, which is changed in place: each pixel by the part of it that
    they cover, times the colour's alpha.

    sheet: (height, width, 3) uint8, row 0 at the bottom. corners: (3 n, 2), x and y in pixels, pixel i
    reaching from i to i + 1, triangles in either direction; (0, 2) does nothing, and what is outside of the
    sheet is left out. Where triangles overlap, a pixel is covered once. Each edge adds what lies between it
    and the right of the sheet; edges that triangles share cancel.
    """
    if not len(corners):
        return
    height, width = sheet.shape[:2]
    low = np.clip(np.floor(corners.min(axis=0)), 0, (width, height)).astype(int)
    high = np.clip(np.ceil(corners.max(axis=0)), low, (width, height)).astype(int)
    triangles = turned_left(corners).astype(float) - low
    start, end = triangles.reshape(-1, 2), np.roll(triangles, -1, axis=1).reshape(-1, 2)
    for axis in (0, 1):
        start, end = _cut(start, end, axis)
    across, tall = high - low
    middle, rise = 0.5 * (start + end), (end - start)[:, 1]
    row = np.floor(middle[:, 1]).astype(int)
    seen = (row >= 0) & (row < tall)
    x, row, rise = np.clip(middle[seen, 0], 0.0, across), row[seen], rise[seen]
    column = x.astype(int)
    added = np.zeros((tall, across + 2))
    np.add.at(added, (row, column), rise * (1.0 + column - x))
    np.add.at(added, (row, column + 1), rise * (x - column))
    cover = np.clip(np.abs(np.cumsum(added, axis=1))[:, :across], 0.0, 1.0)
    _lay(sheet[low[1] : high[1], low[0] : high[0]], colour[3] * cover, colour[:3])


def _cut(start: Array, end: Array, axis: int) -> tuple[Array, Array]:
    """Return the starts and ends of edges that are cut wherever they cross a whole number along an axis.

    start, end: (n, 2). axis: 0 for x, 1 for y. Both results are (m, 2), m at least n: the parts of each edge
    in order, edge by edge.
    """
    first = np.floor(np.minimum(start[:, axis], end[:, axis]))
    counts = np.maximum(np.ceil(np.maximum(start[:, axis], end[:, axis])) - first, 1.0).astype(int)
    edge = np.repeat(np.arange(len(start)), counts)
    whole = first[edge] + np.arange(len(edge)) - np.repeat(np.cumsum(counts) - counts, counts)
    way = (end - start)[edge]
    step = np.where(way[:, axis] == 0.0, np.inf, way[:, axis])
    ends = np.stack([whole, whole + 1.0]) - start[edge, axis]
    parts = np.sort(np.clip(ends / step, 0.0, 1.0), axis=0)
    parts[1, way[:, axis] == 0.0] = 1.0
    return start[edge] + parts[0, :, None] * way, start[edge] + parts[1, :, None] * way


def _cut_to_pixels(low: float, high: float, size: int, first: Round = round, last: Round = round) -> slice:
    """Return the whole pixels from low to high within a size; an empty slice where there are none."""
    start = min(max(int(first(low)), 0), size)
    return slice(start, min(max(int(last(high)), start), size))


_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_COLOUR_TYPES = {3: 2, 4: 6}
_DOTS_PER_METRE = round(96.0 / 0.0254)


def encode(pixels: Pixels) -> bytes:
    """Return the bytes of a PNG file of pixels (height, width, 3 or 4), uint8, sRGB, row 0 at the top, at 96
    dots an inch.

    The same pixels always make the same bytes under the same zlib. Raise ValueError for any other shape or
    type, and where there are no pixels.
    """
    pixels = np.asarray(pixels)
    has_shape = pixels.ndim == 3 and pixels.shape[2] in _COLOUR_TYPES and pixels.size
    if not has_shape or pixels.dtype != np.uint8:
        raise ValueError(f"pixels are uint8 (height, width, 3 or 4), not {pixels.dtype} {pixels.shape}")
    height, width, channels = pixels.shape
    rows = pixels.reshape(height, width * channels)
    below = rows - np.pad(rows, ((1, 0), (0, 0)))[:-1]
    data = min((_compressed(rows, 0), _compressed(below, 2)), key=len)
    return b"".join(
        [
            _SIGNATURE,
            _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, _COLOUR_TYPES[channels], 0, 0, 0)),
            _chunk(b"sRGB", b"\0"),
            _chunk(b"pHYs", struct.pack(">IIB", _DOTS_PER_METRE, _DOTS_PER_METRE, 1)),
            _chunk(b"IDAT", data),
            _chunk(b"IEND", b""),
        ]
    )


def _compressed(rows: Pixels, filtered: int) -> bytes:
    """Return rows as a PNG's compressed data, each behind the number of its filter; the highest level of zlib
    takes five times as long as the usual.
    """
    return zlib.compress(np.pad(rows, ((0, 0), (1, 0)), constant_values=((0, 0), (filtered, 0))).tobytes())


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
