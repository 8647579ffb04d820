# SPDX-License-Identifier: GPL-3.0-or-later
"""How a character that clips lead from one pose to another keeps the posture that both have.

Clips of a set seldom begin and end as the character stands: where it is bent they are upright. What a clip is
not like both ends does not fade with the joins, but stays in part until the other end (displacement mapping,
A. Bruderlin and L. Williams, "Motion Signal Processing", 1995). And the less a clip is like both, the less
it knows of what lies between: its rotations are then drawn to those that lead straight from pose to pose, and
its root to a cubic and a steady turn.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Array, eased_smoothly
from ..quaternion import conjugate, exp, log, multiply
from .search import cubic

STAYS = 0.3
"""This part of what a clip is not like the ends stays."""
UNLIKE = 0.3
"""A clip that is u radians unlike the ends is drawn to what leads straight by u^2 / (u^2 + UNLIKE^2), ..."""
ROOT, FACING = 0.6, 0.5
"""... and its root, to a cubic, and its facing, to a steady turn, by these parts of that."""
RISES_SECONDS = 0.5
"""It is drawn wholly so long after one end and before the other, or half-way."""


def unlike(apart: Array) -> float:
    """Return how unlike both ends a clip is, radians, rms.

    apart: (2, bones, 3), rotation vectors from the clip's rotations at both ends to those wanted there.
    """
    return float(np.sqrt(np.sum(apart**2, axis=-1).mean())) if apart.size else 0.0


def drawn(away: float, times: Array) -> Array:
    """Return how much of the way to what leads straight a gap is drawn (n,) at times (n,), seconds.

    It rises smoothly from 0 at the first time within 0.5 s, or half of the gap if that is less, to u^2 / (u^2
    + 0.3^2), which is below 1, and falls as it rose to 0 at the last. away: u, how unlike both ends its clips
    are, radians.
    """
    rises = min(RISES_SECONDS, 0.5 * float(times[-1] - times[0]))
    part = np.minimum(eased_smoothly(times - times[0], rises), eased_smoothly(times[-1] - times, rises))
    return part * away**2 / (away**2 + UNLIKE**2)


def keep_posture(turns: Array, apart: Array, fraction: Array, times: Array, blend: float) -> Array:
    """Return the rotations of a filled gap's bones, changed so that they keep the posture of both ends.

    First exp(0.3 stays) is multiplied onto each rotation from the left, 0.3 being STAYS. `stays` is the sum
    (rise - over) * apart[0] + (over - fallen) * apart[1] of three smooth steps from 0 to 1: `rise` within
    `blend` from the start, `over` during the whole gap, and `fallen` within `blend` before the end. So it is
    0 at both ends, and throughout where the gap is no longer than `blend`.

    Then each bone is drawn towards the shortest turn, at an even rate, from its first rotation to its last.
    Where it is off that by an angle a it is turned by fraction * sin(a) (for small angles the fraction of a),
    which is 0 where they are half a turn apart. The first and the last rotation stay, with their rates if
    `fraction` has none there.

    Parameters
    ----------
    turns : (n, bones, 4)
        Unit quaternions relative to the parents; they are not changed.
    apart : (2, bones, 3)
        Rotation vectors, radians, from the clip's rotations at both ends to those wanted
        there, in the parents' axes.
    fraction : (n,)
        How much of the way to what leads straight they are drawn, see :func:`drawn`; 0 at
        both ends.
    times : (n,)
        Seconds, rising, not all alike.
    blend
        How long the joins at both ends take, seconds, above 0. As long as the gap or longer,
        it leaves `stays` at 0.

    Returns
    -------
    Array (n, bones, 4)
        Unit quaternions.
    """
    since, left = times - times[0], times[-1] - times
    whole = float(times[-1] - times[0])
    later = eased_smoothly(since, whole)
    leaving = eased_smoothly(since, min(blend, whole)) - later
    arriving = later - 1.0 + eased_smoothly(left, min(blend, whole))
    stays = leaving[:, None, None] * apart[0] + arriving[:, None, None] * apart[1]
    led = multiply(exp(STAYS * stays), turns)
    across = log(multiply(turns[-1], conjugate(turns[0])))
    straight = multiply(exp((since / whole)[:, None, None] * across), turns[0])
    # the sine of the angle about the axis: it has no other side to change to where they are half a turn apart
    off = multiply(straight, conjugate(led))
    return multiply(exp(fraction[:, None, None] * 2.0 * off[..., :1] * off[..., 1:]), led)


def faced(headings: Array, fraction: Array, times: Array) -> Array:
    """Return by how much a gap's root is turned about the vertical to turn more steadily: half of `fraction`
    (FACING) of the way to a smoothstep from its first heading to its last.

    Parameters
    ----------
    headings : (n,)
        Which way it faces, radians without a jump.
    fraction : (n,)
        How much of the way to what leads straight it is drawn, see :func:`drawn`.
    times : (n,)
        Seconds, rising, not all alike.

    Returns
    -------
    Array (n,)
        Radians to the left; 0 at both ends.
    """
    s = (times - times[0]) / (times[-1] - times[0])
    steady = headings[0] + (headings[-1] - headings[0]) * s * s * (3.0 - 2.0 * s)
    return np.asarray(FACING * fraction * (steady - headings))


def led(places: Array, leaving: Array, arriving: Array, fraction: Array, times: Array) -> Array:
    """Return by how much a gap's root is moved: 0.6 (ROOT) of `fraction` of the way to a cubic between both
    ends.

    Parameters
    ----------
    places : (n, 3)
        Where it is.
    leaving, arriving : (3,)
        Its velocities at both ends, per second.
    fraction : (n,)
        How much of the way to what leads straight it is drawn, see :func:`drawn`.
    times : (n,)
        Seconds, rising, not all alike.

    Returns
    -------
    Array (n, 3)
        In the unit of places; 0 at both ends.
    """
    whole = times[-1] - times[0]
    straight = cubic((times - times[0]) / whole, places[0], leaving * whole, places[-1], arriving * whole)
    return np.asarray(ROOT * fraction[:, None] * (straight - places))
