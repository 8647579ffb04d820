# SPDX-License-Identifier: GPL-3.0-or-later
"""The way from one pose to another without any clip between: it has the velocities of both.

Each channel goes along a two-ended cubic, see :mod:`motion.decay.two_ended`: from its value at the start to
that at the end, with its rate at both. A rotation goes along the rotation vector that leads from the first
pose's, in its parent's frame, so that all velocities are met for a turn of any size.

A whole character keeps its velocity, so vectors are Hermite's cubic. A limb that swings turns back, and the
longer a gap is, the further Hermite's cubic throws it. So what the velocity of a rotation adds fades earlier,
if it would else add more than a limb swings; legs swing less than arms. How much that is was chosen on
windows of captured motion, see `bench/inbetween.py --chosen`.
"""

from __future__ import annotations

import numpy as np

from .. import quaternion
from ..arrays import Array, ArrayLike
from ..decay.offset import ChannelMotion, Offset, onto_rotations
from ..decay.two_ended import TwoEndedCurve, evaluate_both_ends, evaluate_fading_apart

SWING, LEG_SWING = 1.0, 0.45
"""What the velocity of a rotation adds at most is about so much, radians, and of a leg's less, ..."""
LEAST_SECONDS = 0.7
"""... but it fades in so long at least, or in the whole gap if that is shorter."""
HIGHEST = 4.0 / 27.0
"""A rate of 1 that a cubic fades within 1 s adds so much at most."""


def connect_vectors(start: ChannelMotion, end: ChannelMotion, seconds: float, times: Array) -> Array:
    """Return vectors that lead from one to another by Hermite's cubic, with the rates of both.

    start, end: the channels at both ends, (..., k) each. seconds: how long that takes, above 0. times: (n,)
    since the start, 0 to `seconds`. The result is (n, ..., k), in their unit.
    """
    leaving, arriving = (Offset(each.now, (each.after - each.before) / each.seconds) for each in (start, end))
    return evaluate_both_ends(leaving, arriving, TwoEndedCurve(seconds, seconds), times)


def connect_rotations(
    start: ChannelMotion, end: ChannelMotion, seconds: float, times: Array, swing: ArrayLike = SWING
) -> Array:
    """Return rotations that lead from one to another the shorter way round, with the velocities of both.

    start, end: the rotations at both ends, unit quaternions (..., 4). seconds, times: see
    :func:`connect_vectors`. swing: (...), or one for all, about how much a velocity adds at most, radians.
    The result is (n, ..., 4), unit quaternions.
    """
    spins = [quaternion.angular_velocity(each.before, each.after, each.seconds) for each in (start, end)]
    way = quaternion.log(quaternion.multiply(end.now, quaternion.conjugate(start.now)))
    leaving = Offset(np.zeros_like(way), spins[0])
    arriving = Offset(way, quaternion.inverse_left_jacobian(way, spins[1]))
    fades = (
        _find_fade(leaving.v - way / seconds, seconds, swing),
        _find_fade(arriving.v - way / seconds, seconds, swing),
    )
    return onto_rotations(start.now, evaluate_fading_apart(leaving, arriving, seconds, fades, times))


def _find_fade(rates: Array, seconds: float, swing: ArrayLike) -> Array:
    """Return in how many seconds (...) rates fade. rates: (..., 3), radians a second beside the even turn.
    swing: (...), see :func:`connect_rotations`.
    """
    adding = HIGHEST * np.linalg.norm(rates, axis=-1)
    longest = np.divide(swing, adding, out=np.full_like(adding, seconds), where=adding > 1e-9)
    return np.clip(longest, min(LEAST_SECONDS, seconds), seconds)
