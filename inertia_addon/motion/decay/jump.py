# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a motion that is sampled on each frame jumps: its pose, or its velocity.

A step leads from a frame to the next one. In a motion that goes on as it was going a step is the mean of the
two beside it; what is missing to that, half the third difference, is the step's gap. A pose that jumps by d
makes a gap of d, and a velocity that jumps by v a frame makes gaps of v / 2 before and behind that frame.
"""

from __future__ import annotations

import numpy as np

from .. import quaternion
from ..arrays import Array

TIMES = 3.0
"""A jump is so many times what the motion around it has nearly everywhere ..."""
NEARLY = 90.0
"""... in this many of a hundred steps."""
BESIDE = 0.75
"""A step whose gap is less than so much of one beside it only shows the jump of that."""
REACH = 2
"""A jump makes gaps in so many steps before and behind it as well."""


def steps_of(values: Array, *, is_rotation: bool) -> Array:
    """Return the steps (n - 1, ...) between values (n, k): differences, or rotation vectors of
    quaternions.
    """
    if is_rotation:
        return quaternion.log(quaternion.multiply(values[1:], quaternion.conjugate(values[:-1])))
    return np.diff(values, axis=0)


def gaps(steps: Array) -> Array:
    """Return by how much each step (n, k) differs from the mean of its neighbours (n,); 0 at both ends."""
    inner = np.linalg.norm(steps[1:-1] - 0.5 * (steps[:-2] + steps[2:]), axis=1)
    return np.pad(inner, 1)


def roughness(steps: Array, i: int) -> float:
    """Return by how much the velocity changes right before and right behind step `i` of steps (n, k)."""
    before = np.linalg.norm(steps[i - 1] - steps[i - 2]) if i >= 2 else 0.0
    behind = np.linalg.norm(steps[i + 2] - steps[i + 1]) if i + 2 < len(steps) else 0.0
    return float(before + behind)


def jumps(gap: Array, i: int, least: float) -> bool:
    """Tell whether a step jumps: its gap is larger than `least` and than three times the usual gap.

    The usual gap is the 90th percentile of the other steps' gaps, without the first and the last step and two
    on each side of i; without any others only `least` counts. A step with less than 0.75 of a neighbour's gap
    is no jump: it only shows the neighbour's.

    Parameters
    ----------
    gap : (n,)
        The gaps of all steps, see :func:`gaps`.
    i
        The step's index, from 1 to n - 2; this is not checked.
    least
        In the unit of the gaps; a gap that equals it is no jump.

    Returns
    -------
    bool
        True for a jump.
    """
    if gap[i] < BESIDE * max(gap[i - 1], gap[i + 1]):
        return False
    others = np.concatenate([gap[1 : max(i - REACH, 1)], gap[i + REACH + 1 : -1]])
    usual = float(np.percentile(others, NEARLY)) if len(others) else 0.0
    return bool(gap[i] > max(least, TIMES * usual))
