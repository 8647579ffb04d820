# SPDX-License-Identifier: GPL-3.0-or-later
"""How a character that clips lead from one pose to another keeps the posture that both have.

Clips of a set seldom begin and end as the character stands: where it is bent they are upright. What a clip is
not like both ends does not fade with the joins, but stays in part until the other end (displacement mapping,
A. Bruderlin and L. Williams, "Motion Signal Processing", 1995). And the less a clip is like both, the less
it knows of what lies between: its rotations are then drawn to those that lead straight from pose to pose.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Array
from ..quaternion import conjugate, exp, log, multiply
from ..smoothing import eased_smoothly

STAYS = 0.3
"""This part of what a clip is not like the ends stays."""
DRAWN, UNLIKE = 1.0, 0.3
"""A clip that is u radians unlike the ends is drawn to what leads straight, by DRAWN u^2 / (u^2 + UNLIKE^2)
of the way."""
RISES_SECONDS = 0.5
"""It is drawn wholly so long after one end and before the other, or half-way."""


def unlike(apart: Array) -> float:
    """How unlike both ends a clip is, radians, rms. apart: (2, bones, 3) rotation vectors, from the clip's
    rotations at both ends to those that are wanted there."""
    return float(np.sqrt(np.sum(apart**2, axis=-1).mean())) if apart.size else 0.0


def kept(turns: Array, apart: Array, away: float, times: Array, blend: float, much: float = 1.0) -> Array:
    """Unit quaternions (n, bones, 4) of a filled gap's bones to their parents, at times (n,), seconds, that
    keep the posture of both ends. The first and the last are as they were, with their rates.

    apart: (2, bones, 3), see :func:`unlike`; away: what that says of all that count, radians. blend: how long
    the joins at both ends take, seconds. much: how much of all that is done, from 0 to 1.
    """
    since, left = times - times[0], times[-1] - times
    whole = float(times[-1] - times[0])
    later = eased_smoothly(since, whole)
    leaving = eased_smoothly(since, min(blend, whole)) - later
    arriving = later - 1.0 + eased_smoothly(left, min(blend, whole))
    stays = leaving[:, None, None] * apart[0] + arriving[:, None, None] * apart[1]
    led = multiply(exp(much * STAYS * stays), turns)
    rises = min(RISES_SECONDS, 0.5 * whole)
    drawn = np.minimum(eased_smoothly(since, rises), eased_smoothly(left, rises))
    drawn *= much * DRAWN * away**2 / (away**2 + UNLIKE**2)
    across = log(multiply(turns[-1], conjugate(turns[0])))
    straight = multiply(exp(np.linspace(0.0, 1.0, len(times))[:, None, None] * across), turns[0])
    # the sine of the angle about the axis: it has no other side to change to where they are half a turn apart
    off = multiply(straight, conjugate(led))
    return multiply(exp(drawn[:, None, None] * 2.0 * off[..., :1] * off[..., 1:]), led)
