# SPDX-License-Identifier: GPL-3.0-or-later
"""What closes a loop: both of its ends are led to one pose and one velocity, by offsets that decay.

A stretch ends elsewhere than it began, and moves otherwise. Between its two ends lies a pose and a velocity
at which they meet: the end's own, where the difference decays from the start on; the start's, where it grows
towards the end; or half-way. What is missing to that at an end is an offset x with a rate v, as at the cut of
a transition, and decays as one: forwards in time from the start, and backwards from the end. Each is gone
where the other one begins, so that value and slope are the same at both ends, whatever the curve. (D. Holden,
"Creating Looping Animations from Motion Capture", 2020, with springs; the meeting in the middle is his, too.)
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from ...records import record
from .. import quaternion
from ..arrays import Array, ArrayLike
from ..decay import decay
from ..decay.decay import Method
from ..decay.offset import Offset, onto_rotations, onto_vectors
from ..judging.evidence import velocity_changes


@record(frozen=True)
class Ends:
    """How channels begin and end: the end as a repetition's beginning would have to be, to go on from it.

    x: (2, k) values, or (2, 4) unit quaternions, at the start and at the end; v: (2, k) or (2, 3) their rates
    a second, of rotations angular velocities in the parent's frame. axes: (k, k) or (3, 3), what a repetition
    does to directions, None for nothing; the end's own are these times those here.
    """

    x: Array
    v: Array
    axes: Array | None = None


@record(frozen=True)
class ClosingBlend:
    """How the difference of both ends goes.

    method: along which curve. seconds: the blend time, or a spring's half-life. period: the loop's, seconds.
    share: the part of the difference that the start takes: 1 decays from there on, 0 grows towards the end.
    """

    method: Method
    seconds: float
    period: float
    share: float

    def left(self, offset: Offset, t: Array) -> Array:
        """Return what is left (n, k) of an offset (k,) at times (n,), in seconds from its end of the loop.

        A curve takes no longer than the period; what SPRING has left by then is faded out.
        """
        is_spring = self.method is Method.SPRING
        seconds = np.array(self.seconds if is_spring else min(self.seconds, self.period))
        curve = decay.make(self.method, offset.x, offset.v, seconds)
        left = decay.evaluate(curve, offset.x, offset.v, t)
        if is_spring:
            # it never ends: what it has left when it must is faded out by a smoothstep
            s = np.clip(t / self.period, 0.0, 1.0)[:, None]
            left = left * ((1.0 - s) ** 2 * (1.0 + 2.0 * s))
        return left


def of_vectors(ends: Ends, share: float) -> tuple[Offset, Offset]:
    """Return the offsets of both ends to where they meet; the second one's rate runs backwards in time.

    share: of the difference, the part that the start moves.
    """
    x, v = ends.x[1] - ends.x[0], ends.v[1] - ends.v[0]
    return Offset(share * x, share * v), Offset((share - 1.0) * x, (1.0 - share) * v)


def of_rotations(ends: Ends, share: float) -> tuple[Offset, Offset]:
    """Return the offsets of a rotation channel at the start and at the end of a loop, in this order, that
    make both ends meet in value and angular velocity.

    With x the rotation vector from the start to the end (exp(x) times the start's quaternion is the end's),
    their x are share * x and (share - 1) * x: rotation vectors (3,), radians, which turn the values from the
    left. Their v are the rates of these rotation vectors a second, the end's backwards in time; they are
    found from angular velocities by the inverse of the left Jacobian.

    ends: both ends' rotations and angular velocities, in the parent's frame. share: of the difference, the
    part that the start turns by; the end turns by the rest, the other way. Both ends' angular velocities are
    first turned as their end is; they meet at 1 - share of the start's plus share of the end's.
    """
    x = quaternion.log(quaternion.multiply(ends.x[1], quaternion.conjugate(ends.x[0])))
    at_start, at_end = share * x, (share - 1.0) * x
    spins = quaternion.rotate(quaternion.exp(np.stack([at_start, at_end])), ends.v)
    meeting = (1.0 - share) * spins[0] + share * spins[1]
    rates = quaternion.inverse_left_jacobian(np.stack([at_start, at_end]), meeting - spins)
    return Offset(at_start, rates[0]), Offset(at_end, -rates[1])


def closed(values: Array, t: Array, ends: Ends, blend: ClosingBlend, *, is_rotation: bool) -> Array:
    """Return a channel's values closed to a loop, so that both ends meet in value and rate.

    What is left of the offset at the end is put on first, and what is left of that at the start on top of it:
    added to values, or from the left of quaternions. See :func:`of_vectors` and :func:`of_rotations`.

    Parameters
    ----------
    values : (n, k)
        The channel, or unit quaternions (n, 4).
    t : (n,)
        Seconds from the start; the end is at blend.period.
    ends
        How the channel begins and ends. If it has axes, what is left of the end's offset is
        turned by them before it is put on.
    blend
        How the difference of both ends is distributed.
    is_rotation
        Whether the values are quaternions.

    Returns
    -------
    Array
        A new array, of the shape of values.
    """
    of, onto = (of_rotations, onto_rotations) if is_rotation else (of_vectors, onto_vectors)
    at_start, at_end = of(ends, blend.share)
    away = blend.left(at_end, blend.period - t)
    moved = onto(values, away if ends.axes is None else away @ ends.axes.T)
    return onto(moved, blend.left(at_start, t))


def measure_rates(x: Array, seconds: Array, *, is_rotation: bool) -> Array:
    """Return how fast values change at the second of three times: the rate of the parabola through them.

    Parameters
    ----------
    x : (3, k)
        The values, or unit quaternions (3, 4).
    seconds : (3,)
        Their times, all different; the second may also be the first or the last in time.
    is_rotation
        Whether the values are quaternions.

    Returns
    -------
    Array
        (k,) per second; (3,) of quaternions, an angular velocity in the parent's frame,
        radians a second.
    """
    moves = [_find_way(x[1], x[i], is_rotation=is_rotation) for i in (0, 2)]
    a, b = seconds[0] - seconds[1], seconds[2] - seconds[1]
    return np.asarray((moves[0] * b / a - moves[1] * a / b) / (b - a))


def _find_way(start: Array, end: Array, *, is_rotation: bool) -> Array:
    if not is_rotation:
        return np.asarray(end - start)
    return quaternion.log(quaternion.multiply(end, quaternion.conjugate(start)))


STILL = 1e-9
"""A clip whose joints' velocity never changes by more, in metres a second, does not move."""


def seam_ratio(across: Array, pieces: Iterable[Array]) -> float:
    """Return the highest change of joint velocity around a seam over the clip's own highest, 0 if that is
    none.

    across: (5, joints, 3), two frames before the seam, the seam and two behind it. The seam is where a cycle
    ends and its next repetition begins. pieces: (n, joints, 3) each, of the clip, frame by frame.
    """
    usual = max(float(velocity_changes(piece, 1.0).max(initial=0.0)) for piece in pieces)
    return float(velocity_changes(across, 1.0).max()) / usual if usual > STILL else 0.0


SWAY = math.radians(12.0)
"""Who turns by less from one end to the other only sways ..."""
RUNNING = math.radians(24.0)
"""... and by less than this, if to turn to and fro once is all that it does all the while ..."""
TO_AND_FRO = 0.03
"""... but for this part of how far it turns (root mean square)."""
PERIODS = np.linspace(1.0, 1.35, 15)
"""As long may be what it does so in, in parts of the stretch."""


def turn_of(headings: ArrayLike) -> float:
    """Return how far a character turns from the first to the last of its headings (n,), radians; 0 if it only
    sways.

    Headings may have jumps of whole turns, which are taken out; the sign is that of the headings' own. At
    least one is needed. It only sways if it turns by less than 12 degrees, or by less than 24 degrees while
    its headings follow a single wave to and fro: what the best of 15 waves leaves of them (root mean square,
    see :func:`_measure_misfit`) is below 0.03 of their range.
    """
    faced = np.unwrap(np.asarray(headings, float))
    turned = float(faced[-1] - faced[0])
    sways = abs(turned) < SWAY or (
        abs(turned) < RUNNING and _measure_misfit(faced) < TO_AND_FRO * np.ptp(faced)
    )
    return 0.0 if sways else turned


def _measure_misfit(faced: Array) -> float:
    """Return the root mean square, radians, of what the best-fitting wave leaves of headings (n,).

    A wave is a constant plus a sine and a cosine of one period; 15 periods from 1 to 1.35 times the length of
    the stretch are tried. faced: without jumps of whole turns.
    """
    t = 2.0 * np.pi * np.linspace(0.0, 1.0, len(faced))
    waves = (np.stack([np.ones(len(t)), np.sin(t / p), np.cos(t / p)], axis=1) for p in PERIODS)
    errors = (faced - wave @ np.linalg.lstsq(wave, faced, rcond=None)[0] for wave in waves)
    return min(float(np.sqrt(np.mean(error * error))) for error in errors)
