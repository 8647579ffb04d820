# SPDX-License-Identifier: GPL-3.0-or-later
"""Colour maps for numbers.

Both are drawn up in OKLab (B. Ottosson, "A perceptual color space for image processing", 2020): along the
sequential one the lightness rises evenly from 0.22 to 0.93, so that order can be read without telling hues
apart; along the diverging one it falls evenly from a light middle to both ends.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]

NO_VALUE = (0.72, 0.72, 0.72)
"""The colour of what is not a number: a grey, of which the maps have none as strong."""


def _table(colours: str) -> Array:
    """Colours (n, 3) of 0 to 1 from their hexadecimal sRGB."""
    return np.array([list(bytes.fromhex(colour)) for colour in colours.split()]) / 255.0


SEQUENTIAL = _table(
    "1f0845 251655 292465 2b3375 2a4381 235589 1a678e 197791 158894 "
    "139997 23aa96 3fb992 5fc78a 80d481 a2e076 c6ea6a e8f462"
)
"""From violet through blue and green to yellow, dark to light; (17, 3) of 0 to 1, sRGB."""

DIVERGING = _table(
    "0055a7 2868b5 437cc3 5c8fd0 75a3dd 93b6e4 b1cae9 d0ddee f3efee "
    "edd6cf e7bcb1 dfa393 d68975 c7725d b85c45 a8442c 982b0d"
)
"""From blue over a near white to red; (17, 3) of 0 to 1, sRGB."""


def sequential(values: ArrayLike) -> Array:
    """sRGB colours (..., 3) of 0 to 1 for values (...) of 0 to 1, low ones dark; beyond, the ends'."""
    return _look_up(SEQUENTIAL, np.asarray(values, float))


def diverging(values: ArrayLike) -> Array:
    """sRGB colours (..., 3) of 0 to 1 for values (...) of -1 to 1, 0 the lightest; beyond, the ends'."""
    return _look_up(DIVERGING, 0.5 + 0.5 * np.asarray(values, float))


def _look_up(table: Array, values: Array) -> Array:
    stops = np.linspace(0.0, 1.0, len(table))
    known = ~np.isnan(values)
    result = np.empty((*values.shape, 3))
    for i in range(3):
        found = np.interp(np.where(known, values, 0.0), stops, table[:, i])
        result[..., i] = np.where(known, found, NO_VALUE[i])
    return result


def as_bytes(colours: ArrayLike) -> NDArray[np.uint8]:
    """Colours of 0 to 1 as the bytes of pixels, rounded."""
    return np.rint(255.0 * np.clip(np.asarray(colours, float), 0.0, 1.0)).astype(np.uint8)
