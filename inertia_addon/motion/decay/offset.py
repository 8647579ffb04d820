# SPDX-License-Identifier: GPL-3.0-or-later
"""What differs at the cut: the offset of a pose and its rate.

An offset is what has to be put on top of the destination to get the source: ``source -
destination`` for vectors, the rotation vector of ``source destination^-1`` for rotations. Both
are vectors of three numbers that decay to zero.
"""

from __future__ import annotations

import enum

import numpy as np

from ...records import record
from .. import quaternion
from ..arrays import Array, ArrayLike


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
    return Offset(x, _decompose(x, rate, decomposition))


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
    return Offset(x, _decompose(x, quaternion.inverse_left_jacobian(x, omega), decomposition))


def onto_vectors(destination: ArrayLike, offset: ArrayLike) -> Array:
    """The output: destination vectors with decayed offsets on top, (..., 3)."""
    return np.asarray(destination, float) + np.asarray(offset, float)


def onto_rotations(destination: ArrayLike, offset: ArrayLike) -> Array:
    """The output: destination unit quaternions (..., 4) with decayed rotation vectors (..., 3) on top."""
    return quaternion.multiply(quaternion.exp(offset), destination)


def _decompose(x: Array, rate: Array, decomposition: Decomposition) -> Array:
    """The rate that is kept: all of it, or its part along the offset (none where x is zero)."""
    if decomposition is Decomposition.ROTATION_VECTOR:
        return rate
    square = np.sum(x * x, axis=-1, keepdims=True)
    along = np.sum(x * rate, axis=-1, keepdims=True)
    return np.divide(along, square, out=np.zeros_like(square), where=square > 1e-24) * x
