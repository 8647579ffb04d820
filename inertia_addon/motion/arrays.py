# SPDX-License-Identifier: GPL-3.0-or-later
"""The arrays that motion is made of, by what they hold, and stretches of flags."""

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
    """The first and the last index of each stretch in which flags (n,) are set."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], flags, [False]]).astype(np.int8)))
    return [(int(first), int(end) - 1) for first, end in edges.reshape(-1, 2)]
