# SPDX-License-Identifier: GPL-3.0-or-later
"""What the overlays show of hops, by value: nothing here knows of Blender, pixels or colours.

Frames are scene frames of an action's own time, costs are in metre seconds, angles in degrees.
"""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclasses.dataclass(frozen=True, eq=False)
class HopCurves:
    """Cost over the trigger frames: direct, and the best way with a hop.

    frames, direct, best: (n,), infinity where there is no way. clips: (n,) which of ``names`` the best way
    leads through, -1 for the direct one. current: the trigger. unit: of the costs.
    """

    frames: Array
    direct: Array
    best: Array
    clips: NDArray[np.int64]
    names: tuple[str, ...]
    current: float
    unit: str
