# SPDX-License-Identifier: GPL-3.0-or-later
"""The arrays that motion is made of, by what they hold."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["Array", "ArrayLike", "Flags", "Floats", "Halves", "Integers"]

Array = NDArray[np.float64]
Floats = NDArray[np.float32]
Halves = NDArray[np.float16]
Flags = NDArray[np.bool_]
Integers = NDArray[np.int64]
