# SPDX-License-Identifier: GPL-3.0-or-later
"""Pixels as the bytes of a PNG file (W3C Recommendation "Portable Network Graphics", second edition, 2003).

Only writing, and only 8-bit RGB and RGBA: what is needed of the format is less than a library's interface.
Either no row is filtered, which makes text and lines small, or each is by the one above it, which does so for
shades; to choose for each row makes charts no smaller.
"""

from __future__ import annotations

import struct
import zlib

import numpy as np

from .shapes import Pixels

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_COLOUR_TYPES = {3: 2, 4: 6}
_DOTS_PER_METRE = round(96.0 / 0.0254)


def encode(pixels: Pixels) -> bytes:
    """A PNG file of pixels (height, width, 3 or 4), uint8, sRGB, row 0 at the top.

    The same pixels always make the same bytes under the same zlib. Raises ValueError for any other shape or
    type.
    """
    pixels = np.asarray(pixels)
    if (
        pixels.ndim != 3
        or pixels.dtype != np.uint8
        or pixels.shape[2] not in _COLOUR_TYPES
        or not pixels.size
    ):
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
    """Rows, each behind the number of its filter."""
    return zlib.compress(np.pad(rows, ((0, 0), (1, 0)), constant_values=((0, 0), (filtered, 0))).tobytes(), 9)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
