# SPDX-License-Identifier: GPL-3.0-or-later
"""The arrays that motion is made of, by what they hold; what smooths these on even frames, and eases from one
thing to another."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["Array", "ArrayLike", "Flags", "Floats", "Halves", "Integers", "runs"]

Array = NDArray[np.float64]
Floats = NDArray[np.float32]
Halves = NDArray[np.float16]
Flags = NDArray[np.bool_]
Integers = NDArray[np.int64]


def runs(flags: Flags) -> list[tuple[int, int]]:
    """Return (first, last) for each stretch of set flags (n,), both indices included, in order; [] where none
    is set.
    """
    edged = np.zeros(len(flags) + 2, bool)
    edged[1:-1] = flags
    edges = np.flatnonzero(edged[1:] != edged[:-1]).tolist()
    return [(first, end - 1) for first, end in zip(edges[::2], edges[1::2], strict=True)]


def smooth(values: Array, sigma: float) -> Array:
    """Return values (n, ...) smoothed over frames (axis 0) by a Gaussian, as a new array of the same shape.

    sigma: the standard deviation of the Gaussian, in frames. Its weights, which add up to 1, are those of the
    frames up to 3 sigma away, rounded up to whole frames, but at most n - 1. Behind each end the values go on
    point-mirrored about the last one, so that straight motion is unchanged, ends and all. With a sigma of 0
    or less, or fewer than 2 frames, an unchanged copy is returned.
    """
    reach = min(int(np.ceil(3.0 * sigma)), len(values) - 1)
    if reach < 1:
        return values.copy()
    weights = np.exp(-0.5 * (np.arange(-reach, reach + 1) / sigma) ** 2)
    weights /= weights.sum()
    before, after = 2.0 * values[0] - values[reach:0:-1], 2.0 * values[-1] - values[-2 : -reach - 2 : -1]
    long = np.concatenate([before, values, after])
    return sum((w * long[i : i + len(values)] for i, w in enumerate(weights)), np.zeros_like(values))


def eased(t: Array, seconds: float) -> Array:
    """Return 0 before 0, 1 after so many seconds, and between them a curve without a jump in speed. t: (n,)
    seconds.
    """
    s = np.clip(t / seconds, 0.0, 1.0)
    return np.asarray(s * s * (3.0 - 2.0 * s))


def eased_smoothly(t: Array, seconds: float) -> Array:
    """Return 0 before 0, 1 after so many seconds, and between them a curve without a jump in speed or
    acceleration. t: (n,) seconds.
    """
    s = np.clip(t / seconds, 0.0, 1.0)
    return np.asarray(s**3 * (10.0 - 15.0 * s + 6.0 * s * s))
