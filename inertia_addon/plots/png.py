# SPDX-License-Identifier: GPL-3.0-or-later
"""Pixels as the bytes of a PNG file (W3C Recommendation "Portable Network Graphics", second edition, 2003).

Only writing, and only 8-bit RGB and RGBA. The pure library for it, pypng (MIT), is 2400 lines, reads and
writes pixels one by one in Python, and writes unfiltered rows, which makes maps several times larger;
what is needed of the format is less than that library's interface.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.uint8]

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_COLOUR_TYPES = {3: 2, 4: 6}
_BAND = 128
"""So many rows are filtered at a time, which bounds the memory."""


def encode(pixels: Pixels, dots_per_inch: float = 96.0, texts: Mapping[str, str] | None = None) -> bytes:
    """A PNG file of pixels (height, width, 3 or 4), uint8, sRGB, row 0 at the top.

    texts: what the file says about itself, by keyword ("Title", "Description", ...; 1 to 79 characters of
    Latin-1). The same pixels and texts always make the same bytes under the same zlib.

    Raises ValueError for any other shape or type.
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
    per_metre = round(dots_per_inch / 0.0254)
    compressor = zlib.compressobj(9)
    data = b"".join([compressor.compress(band) for band in _filtered(pixels)]) + compressor.flush()
    return b"".join(
        [
            _SIGNATURE,
            _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, _COLOUR_TYPES[channels], 0, 0, 0)),
            _chunk(b"sRGB", b"\0"),
            _chunk(b"pHYs", struct.pack(">IIB", per_metre, per_metre, 1)),
            *(_chunk(b"iTXt", _text(keyword, text)) for keyword, text in (texts or {}).items()),
            _chunk(b"IDAT", data),
            _chunk(b"IEND", b""),
        ]
    )


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _text(keyword: str, text: str) -> bytes:
    """An iTXt chunk's data: keyword, not compressed, no language, no translated keyword, text."""
    name = keyword.encode("latin-1")
    if not 1 <= len(name) <= 79:
        raise ValueError(f"a keyword has 1 to 79 characters, not {len(name)}")
    return name + b"\0\0\0\0\0" + text.encode("utf-8")


def _filtered(pixels: Pixels) -> Iterator[bytes]:
    """The rows, each behind the number of its filter: the one whose residues are smallest in sum."""
    height, width, channels = pixels.shape
    rows = np.ascontiguousarray(pixels).reshape(height, width * channels)
    above = np.zeros((1, width * channels), np.uint8)
    for start in range(0, height, _BAND):
        band = rows[start : start + _BAND].astype(np.int16)
        up = np.concatenate([above, rows[start : start + _BAND][:-1]]).astype(np.int16)
        above = rows[start + len(band) - 1 : start + len(band)]
        left, corner = (np.pad(side, ((0, 0), (channels, 0)))[:, :-channels] for side in (band, up))
        predictions = (np.zeros_like(band), left, up, (left + up) >> 1, _paeth(left, up, corner))
        residues = np.stack([(band - guess).astype(np.uint8) for guess in predictions])
        sizes = np.abs(residues.view(np.int8).astype(np.int16)).sum(axis=2, dtype=np.int64)
        best = np.argmin(sizes, axis=0)
        chosen = residues[best, np.arange(len(band))]
        yield np.concatenate([best[:, None].astype(np.uint8), chosen], axis=1).tobytes()


def _paeth(left: NDArray[np.int16], up: NDArray[np.int16], corner: NDArray[np.int16]) -> NDArray[np.int16]:
    """The neighbour nearest to left + up - corner; the first of them when two are as near."""
    to_left, to_up = np.abs(up - corner), np.abs(left - corner)
    to_corner = np.abs(left + up - 2 * corner)
    nearest = np.where(to_up <= to_corner, up, corner)
    return np.where((to_left <= to_up) & (to_left <= to_corner), left, nearest)
