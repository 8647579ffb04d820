# SPDX-License-Identifier: GPL-3.0-or-later
"""What differs at the cut, the offset of a pose and its rate, and how that fades.

An offset is what has to be put on top of the destination to get the source: ``source -
destination`` for vectors, the rotation vector of ``source destination^-1`` for rotations. Both
are vectors of three numbers that decay to zero:

source, destination at the cut -> offset -> guard -> decay -> on top of the destination
"""

from __future__ import annotations

import dataclasses
import enum
from typing import Any

import numpy as np

from ...records import record
from .. import quaternion
from ..arrays import Array, ArrayLike
from . import decay, guard
from .decay import Decay, Method
from .guard import Guard, Guarded

NOTHING = 0.25
"""An offset that stays under this part of the tolerance needs no keys. Rounding stays well under it."""


class Decomposition(enum.Enum):
    """ROTATION_VECTOR keeps all of a velocity; AXIS_ANGLE only its part along the offset (Bollo)."""

    ROTATION_VECTOR = "ROTATION_VECTOR"
    AXIS_ANGLE = "AXIS_ANGLE"


class Velocity(enum.Enum):
    """RELATIVE is source minus destination (Holden); SOURCE holds the destination still (Bollo)."""

    RELATIVE = "RELATIVE"
    SOURCE = "SOURCE"


@record(frozen=True)
class Motion:
    """A channel's value at a frame with its neighbours, from which its velocity is taken.

    before, now, after: vectors (..., 3) or unit quaternions (..., 4). seconds: the time from
    ``before`` to ``after``, greater than zero: twice the frame's time for a central difference,
    once for a one-sided one at a clip's end, where ``before`` or ``after`` equals ``now``.
    """

    before: Array
    now: Array
    after: Array
    seconds: float


@record(frozen=True)
class Offset:
    """Offsets x and their rates v per second, (..., 3) each: radians, or the channel's unit."""

    x: Array
    v: Array


def of_vectors(
    source: Motion, destination: Motion, decomposition: Decomposition, velocity: Velocity
) -> Offset:
    """The offsets of locations, scales or other vectors, (..., 3)."""
    rate = (source.after - source.before) / source.seconds
    if velocity is Velocity.RELATIVE:
        rate = rate - (destination.after - destination.before) / destination.seconds
    x = source.now - destination.now
    return Offset(x, _kept_rate(x, rate, decomposition))


def of_rotations(
    source: Motion, destination: Motion, decomposition: Decomposition, velocity: Velocity
) -> Offset:
    """The offsets of rotations as rotation vectors, from unit quaternions (..., 4).

    With the rate taken through the inverse left Jacobian the output's angular velocity at the cut
    is the source's for an offset of any size.
    """
    turn = quaternion.multiply(source.now, quaternion.conjugate(destination.now))
    omega = quaternion.angular_velocity(source.before, source.after, source.seconds)
    if velocity is Velocity.RELATIVE:
        held = quaternion.angular_velocity(destination.before, destination.after, destination.seconds)
        omega = omega - quaternion.rotate(turn, held)
    x = quaternion.log(turn)
    return Offset(x, _kept_rate(x, quaternion.inverse_left_jacobian(x, omega), decomposition))


def onto_vectors(destination: ArrayLike, offset: ArrayLike) -> Array:
    """The output: destination vectors with decayed offsets on top, (..., 3)."""
    return np.asarray(destination, float) + np.asarray(offset, float)


def onto_rotations(destination: ArrayLike, offset: ArrayLike) -> Array:
    """The output: destination unit quaternions (..., 4) with decayed rotation vectors (..., 3) on top."""
    return quaternion.multiply(quaternion.exp(offset), destination)


def _kept_rate(x: Array, rate: Array, decomposition: Decomposition) -> Array:
    """The rate that is kept: all of it, or its part along the offset (none where x is zero)."""
    if decomposition is Decomposition.ROTATION_VECTOR:
        return rate
    square = np.sum(x * x, axis=-1, keepdims=True)
    along = np.sum(x * rate, axis=-1, keepdims=True)
    return np.divide(along, square, out=np.zeros_like(square), where=square > 1e-24) * x


@record(frozen=True)
class Fading:
    """Offsets x (n, 3) on their way to zero.

    decay: their curves. seconds: (n,) when each is gone, 0 where there is nothing to decay. guarded: what the
    guard did, and the rates that they start with.
    """

    x: Array
    decay: Decay
    seconds: Array
    guarded: Guarded

    def at(self, which: Any, t: Array) -> Array:
        """Offsets (..., k, 3) at times (k,), seconds after the cut; zero once they are gone.

        which: the index of one of them, or of several (n,).
        """
        lengths, pull, gone = (
            np.asarray(each[which])[..., None] for each in (self.decay.seconds, self.decay.pull, self.seconds)
        )
        curves = dataclasses.replace(self.decay, seconds=lengths, pull=pull)
        x, v = (each[which][..., None, :] for each in (self.x, self.guarded.velocity))
        return np.where((t < gone - 1e-9)[..., None], decay.evaluate(curves, x, v, t), 0.0)


def fade(
    offset: Offset, method: Method, seconds: ArrayLike, kind: Guard, limit: ArrayLike, tolerance: ArrayLike
) -> Fading:
    """Decide how offsets decay.

    seconds: blend times, or half-lives for SPRING, (...); 0 cuts at once. limit: the guard's, in
    the offset's unit, inf where it does not act. tolerance: an offset that never leaves it is no
    offset, and a spring ends within it.
    """
    seconds = np.broadcast_to(np.asarray(seconds, float), offset.x.shape[:-1])
    tolerance = np.broadcast_to(np.asarray(tolerance, float), seconds.shape)
    at_once = seconds <= 0.0
    guarded = guard.apply(kind, method, offset.x, offset.v, np.where(at_once, 1.0, seconds), limit)
    curve = decay.make(method, offset.x, guarded.velocity, guarded.seconds)
    gone = decay.settled_after(method, offset.x, guarded.velocity, guarded.seconds, tolerance)
    largest = np.linalg.norm(offset.x, axis=-1) + guarded.excursion_after
    is_nothing = largest <= NOTHING * tolerance
    return Fading(offset.x, curve, np.where(at_once | is_nothing, 0.0, gone), guarded)
