# SPDX-License-Identifier: GPL-3.0-or-later
"""The colour map for numbers.

It is drawn up in OKLab (B. Ottosson, "A perceptual color space for image processing", 2020): its lightness
rises evenly from 0.22 to 0.93, so that order can be read without telling hues apart.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .shapes import Array, Pixels

NO_VALUE = (0.72, 0.72, 0.72)
"""The colour of what is not a number: a grey, of which the maps have none as strong."""


_HEXADECIMAL = (
    "1f0845 251655 292465 2b3375 2a4381 235589 1a678e 197791 158894 "
    "139997 23aa96 3fb992 5fc78a 80d481 a2e076 c6ea6a e8f462"
)
SEQUENTIAL = np.array([list(bytes.fromhex(colour)) for colour in _HEXADECIMAL.split()])
"""From violet through blue and green to yellow, dark to light; (17, 3) of 0 to 255, sRGB."""


def sequential(values: ArrayLike) -> Array:
    """sRGB colours (..., 3) of 0 to 1 for values (...) of 0 to 1, low ones dark; beyond, the ends'."""
    values = np.asarray(values, float)
    stops = np.linspace(0.0, 1.0, len(SEQUENTIAL))
    found = np.stack([np.interp(values, stops, channel) for channel in SEQUENTIAL.T], axis=-1) / 255.0
    return np.where(np.isnan(values)[..., None], NO_VALUE, found)


def as_bytes(colours: ArrayLike) -> Pixels:
    """Colours of 0 to 1 as the bytes of pixels, rounded."""
    return np.rint(255.0 * np.clip(np.asarray(colours, float), 0.0, 1.0)).astype(np.uint8)
