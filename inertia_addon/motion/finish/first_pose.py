# SPDX-License-Identifier: GPL-3.0-or-later
"""A take that begins with a pose that is no part of it, such as the one in which a character was bound."""

from __future__ import annotations

import numpy as np

from ...records import record
from ..arrays import Array

LONGEST_SECONDS = 1.0
"""A pose in front is held no longer."""
BEHIND_SECONDS = 0.5
"""So much behind the pose says what the take usually does."""
TIMES, SMALLEST = 5.0, np.radians(6.0)
"""The jump from the pose is so many times the largest step behind it, and so large, rms over the bones."""
STILL = 0.02
"""The pose is held: before the jump nothing goes further than this part of it."""


@record(frozen=True)
class FirstPose:
    """A pose in front of a take. frames: how many it has. size: of the jump behind it, radians, rms over the
    bones. times: how many times the largest step behind it that is."""

    frames: int
    size: float
    times: float


def find_first_pose(steps: Array, fps: float) -> FirstPose | None:
    """Return the pose that a take begins with, such as a T pose, with the first frame behind it, by index,
    how large the jump from it is, radians, and how many times the largest step behind; None where it begins
    with its motion.

    steps: (n - 1, bones, 3) rotation vectors from each frame to the next. A pose is held for a second at
    most, and left at once: by a jump of more than 6 degrees, rms over the bones, that is more than five times
    all that follows within half a second.
    """
    if not len(steps) or not steps.shape[1]:
        return None
    sizes = np.sqrt(np.mean(np.sum(steps**2, axis=2), axis=1))
    behind = max(2, round(BEHIND_SECONDS * fps))
    for i in range(min(max(1, round(LONGEST_SECONDS * fps)), len(sizes) - behind)):
        if i and sizes[:i].max() > STILL * sizes[i]:
            continue
        usual = float(sizes[i + 1 : i + 1 + behind].max())
        times = float(sizes[i]) / max(usual, 1e-9)
        if sizes[i] > SMALLEST and times > TIMES:
            return FirstPose(i + 1, float(sizes[i]), times)
    return None
