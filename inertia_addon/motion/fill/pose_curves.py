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

from collections.abc import Callable, Sequence

import numpy as np

from .. import quaternion
from ..arrays import Array, ArrayLike
from ..decay.offset import ChannelMotion, Offset, onto_rotations
from ..decay.two_ended import TwoEndedCurve, evaluate_both_ends, evaluate_fading_apart

SWING, LEG_SWING = 1.0, 0.45
"""What the velocity of a rotation adds at most is about so much, radians, and of a leg's less, ..."""
LEAST_SECONDS = 0.7
"""... but it fades in so long at least, or in the whole gap if that is shorter."""
MOMENT = 1e-3
"""A rate is told by how far it leads in so many seconds."""
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
    """Return rotations that lead from one to another the shorter way round, with the angular velocities of
    both.

    They turn evenly about one axis, but for what either velocity has beside that: this fades from its end by
    the cubic, in so long that it adds about `swing` at most, but in 0.7 s (LEAST_SECONDS) at least, and
    within `seconds` in any case.

    start, end: the rotations at both ends, unit quaternions (..., 4), in the parent's frame. seconds: how
    long it takes, above 0. times: (n,) since the start, 0 to `seconds`. swing: radians, (...) or one for all.
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


def pass_vectors(values: Array, knot_times: Array) -> list[ChannelMotion]:
    """Return how vectors go at each of their inner knots, a list of k - 2, where nobody says it: at the mean
    of both ways' rates, of which the shorter counts more (Catmull and Rom 1974, for uneven times).

    values: (k, ..., 3) at knot_times (k,), rising, seconds.
    """
    rates = _weigh_rates(np.diff(values, axis=0), np.diff(knot_times))
    return [ChannelMotion(now, now, now + rate, 1.0) for now, rate in zip(values[1:-1], rates, strict=True)]


def pass_rotations(values: Array, knot_times: Array) -> list[ChannelMotion]:
    """Return how rotations go at each of their inner knots, a list of k - 2, where nobody says it.

    values: unit quaternions (k, ..., 4) at knot_times (k,), rising, seconds. The angular velocity is the mean
    of those of the shortest turns before and behind the knot, of which the shorter time counts more, see
    :func:`_weigh_rates`. In the result `before` and `now` are the knot's rotation, and `after` is where the
    velocity leads in `seconds`, 0.001 s (MOMENT).
    """
    ways = quaternion.log(quaternion.multiply(values[1:], quaternion.conjugate(values[:-1])))
    # so short that no spin is half a turn away
    rates = _weigh_rates(ways, np.diff(knot_times)) * MOMENT
    turned = quaternion.multiply(quaternion.exp(rates), values[1:-1])
    return [ChannelMotion(now, now, after, MOMENT) for now, after in zip(values[1:-1], turned, strict=True)]


def _weigh_rates(changes: Array, seconds: Array) -> Array:
    """Return the rates (k - 2, ...), a second, at inner knots: the mean of the even rates on both sides, each
    weighed by the other side's seconds.

    changes: (k - 1, ...) from knot to knot, over seconds (k - 1,), above 0.
    """
    seconds = seconds.reshape(-1, *[1] * (changes.ndim - 1))
    rates = changes / seconds
    weighed = seconds[1:] * rates[:-1] + seconds[:-1] * rates[1:]
    return np.asarray(weighed / (seconds[1:] + seconds[:-1]))


def connect_all(
    connect: Callable[[ChannelMotion, ChannelMotion, float, Array], Array],
    motions: Sequence[ChannelMotion],
    knot_times: Array,
    times: Array,
) -> Array:
    """Return channels (n, ...) at times that lead from each of some motions to the next one.

    connect: leads from one to another, as :func:`connect_vectors`; it is called once for each two neighbours,
    with the seconds between them and the times since the earlier one, maybe none. motions: k of them, two at
    least, at knot_times (k,), rising, seconds. times: (n,), rising, from the first of these to the last; one
    on a knot belongs to what comes behind, on the last to what comes before.
    """
    parts, span = [], np.clip(np.searchsorted(knot_times, times, side="right") - 1, 0, len(motions) - 2)
    for i in range(len(motions) - 1):
        seconds = float(knot_times[i + 1] - knot_times[i])
        parts.append(connect(motions[i], motions[i + 1], seconds, times[span == i] - knot_times[i]))
    return np.concatenate(parts)


def _find_fade(rates: Array, seconds: float, swing: ArrayLike) -> Array:
    """Return in how many seconds (...) rates fade. rates: (..., 3), radians a second beside the even turn.
    swing: (...), see :func:`connect_rotations`.
    """
    adding = HIGHEST * np.linalg.norm(rates, axis=-1)
    longest = np.divide(swing, adding, out=np.full_like(adding, seconds), where=adding > 1e-9)
    return np.clip(longest, min(LEAST_SECONDS, seconds), seconds)
