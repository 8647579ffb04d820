# SPDX-License-Identifier: GPL-3.0-or-later
"""What differs at the cut, the offset of a pose and its rate, and how that fades.

An offset is what has to be put on top of the destination to get the source: ``source -
destination`` for vectors, the rotation vector of ``source destination^-1`` for rotations. Both
are vectors of three numbers that decay to zero:

source, destination at the cut -> offset -> guard -> decay -> on top of the destination

The overshoot guard: how far an offset may go beyond its size at the cut, or past zero.

An offset that starts with a large velocity first grows, or crosses zero and swings out on the
other side. Shortening its blend time tames both, because the excursion grows with the blend time.
"""

from __future__ import annotations

import dataclasses
import enum
import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ...records import record
from .. import quaternion
from ..arrays import Array, ArrayLike, Flags
from . import decay
from .decay import FORMS, Decay, Method

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
class ChannelMotion:
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
    source: ChannelMotion, destination: ChannelMotion, decomposition: Decomposition, velocity: Velocity
) -> Offset:
    """Return the offsets (..., 3), and their rates, of locations, scales or other vectors."""
    rate = (source.after - source.before) / source.seconds
    if velocity is Velocity.RELATIVE:
        rate = rate - (destination.after - destination.before) / destination.seconds
    x = source.now - destination.now
    return Offset(x, _rate_to_keep(x, rate, decomposition))


def of_rotations(
    source: ChannelMotion, destination: ChannelMotion, decomposition: Decomposition, velocity: Velocity
) -> Offset:
    """Return the offsets of unit quaternions (..., 4) as rotation vectors (..., 3), and their rates.

    The rate goes through the inverse left Jacobian, so that the output's angular velocity at the cut is the
    source's for an offset of any size.
    """
    turn = quaternion.multiply(source.now, quaternion.conjugate(destination.now))
    omega = quaternion.angular_velocity(source.before, source.after, source.seconds)
    if velocity is Velocity.RELATIVE:
        held = quaternion.angular_velocity(destination.before, destination.after, destination.seconds)
        omega = omega - quaternion.rotate(turn, held)
    x = quaternion.log(turn)
    return Offset(x, _rate_to_keep(x, quaternion.inverse_left_jacobian(x, omega), decomposition))


def onto_vectors(destination: ArrayLike, offset: ArrayLike) -> Array:
    """Return the output: destination vectors with decayed offsets added, (..., 3)."""
    return np.asarray(destination, float) + np.asarray(offset, float)


def onto_rotations(destination: ArrayLike, offset: ArrayLike) -> Array:
    """Return the output: unit quaternions (..., 4), turned by decayed rotation vectors (..., 3)."""
    return quaternion.multiply(quaternion.exp(offset), destination)


def _rate_to_keep(x: Array, rate: Array, decomposition: Decomposition) -> Array:
    """Return the rate to keep: all of it, or its part along the offset (none where x is zero)."""
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

    def at(self, indices: Any, t: Array) -> Array:
        """Offsets (..., k, 3) at times (k,), seconds after the cut; zero once they are gone.

        indices: the index of one of them, or of several (n,).
        """
        lengths, pull, gone = (
            np.asarray(each[indices])[..., None]
            for each in (self.decay.seconds, self.decay.pull, self.seconds)
        )
        curves = dataclasses.replace(self.decay, seconds=lengths, pull=pull)
        x, v = (each[indices][..., None, :] for each in (self.x, self.guarded.velocity))
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
    guarded = guard(kind, method, offset.x, offset.v, np.where(at_once, 1.0, seconds), limit)
    curve = decay.make(method, offset.x, guarded.velocity, guarded.seconds)
    gone = decay.settled_after(method, offset.x, guarded.velocity, guarded.seconds, tolerance)
    is_nothing = _never_leaves(curve, offset.x, guarded, NOTHING * tolerance)
    return Fading(offset.x, curve, np.where(at_once | is_nothing, 0.0, gone), guarded)


def _never_leaves(curve: Decay, x: Array, guarded: Guarded, tolerance: Array) -> Flags:
    """Return which offsets x (..., 3) stay within a tolerance (...) of zero.

    How far they swing is asked of none that start beyond it, or are beyond it at one time: of most.
    """
    size = np.linalg.norm(x, axis=-1)
    on_the_way = decay.evaluate(curve, x, guarded.velocity, 0.3 * guarded.seconds)
    within = (size <= tolerance) & (np.linalg.norm(on_the_way, axis=-1) <= (1.0 + 1e-6) * tolerance)
    if np.any(within & ((size > 0.0) | np.any(guarded.velocity != 0.0, axis=-1))):
        return np.asarray(size + guarded.excursion_after <= tolerance)
    return np.asarray(within)


class Guard(enum.Enum):
    """OFF lets offsets swing; LIMIT bounds the excursion; STRICT forbids it."""

    OFF = "OFF"
    LIMIT = "LIMIT"
    STRICT = "STRICT"


@record(frozen=True)
class Guarded:
    """The outcome of a guard: blend times and velocities to use, and the excursions.

    seconds (...), velocity (..., 3); dropped (...): whether a velocity that points away was dropped.
    swings_before, swings_after: say how far offsets go, see :func:`excursion`.
    """

    seconds: Array
    velocity: Array
    dropped: Flags
    swings_before: Callable[[], Array]
    swings_after: Callable[[], Array]

    # to find these takes longer than all the rest of a fade, and few ask
    @functools.cached_property
    def excursion_before(self) -> Array:
        """How far offsets would go without the guard (...), in their unit."""
        return self.swings_before()

    @functools.cached_property
    def excursion_after(self) -> Array:
        """How far offsets go (...), in their unit."""
        return self.swings_after()


def guard(
    guard: Guard, method: Method, x: ArrayLike, v: ArrayLike, seconds: ArrayLike, limit: ArrayLike
) -> Guarded:
    """Guard offsets x with rates v (..., 3) that decay over ``seconds`` (...); return what they begin
    with, and how long.

    OFF changes nothing. LIMIT shortens the blend, so that an offset grows no more than ``limit`` (...) beyond
    its size at the cut, nor swings as far past zero. STRICT changes the rate, too, or takes the offset away.
    """
    x, v = np.asarray(x, float), np.asarray(v, float)
    seconds = np.broadcast_to(np.asarray(seconds, float), x.shape[:-1]).copy()
    limit = np.broadcast_to(np.asarray(limit, float), seconds.shape)
    before = functools.cache(functools.partial(excursion, method, x, v, seconds.copy()))
    dropped = np.zeros(seconds.shape, bool)
    if guard is Guard.OFF:
        return Guarded(seconds, v, dropped, before, before)
    acting = before() > limit
    if guard is Guard.LIMIT and np.any(acting):
        seconds[acting] = _limited(method, x[acting], v[acting], seconds[acting], limit[acting])
    elif guard is Guard.STRICT:
        seconds, v, dropped = _strict(method, x, v, seconds)
    return Guarded(seconds, v, dropped, before, functools.partial(excursion, method, x, v, seconds))


def excursion(method: Method, x: ArrayLike, v: ArrayLike, seconds: ArrayLike) -> Array:
    """Return how far offsets go beyond their size at the cut, or past zero, whichever is more; (...).

    x, v: (..., 3); seconds: (...). Past zero means against the direction of x; an x of zero has no direction
    and can only grow. The extremes come from the closed forms below, but for the size of curves that are not
    plain, polynomials of higher degree, which is searched.
    """
    x, v, seconds = np.asarray(x, float), np.asarray(v, float), np.asarray(seconds, float)
    curve = decay.make(method, x, v, seconds)
    size = np.linalg.norm(x, axis=-1)
    direction = np.divide(x, size[..., None], out=np.zeros_like(x), where=size[..., None] > 0.0)
    along = np.sum(v * direction, axis=-1)
    across = np.linalg.norm(v - along[..., None] * direction, axis=-1)
    # the offset lives in the plane of x and v: two coordinates say everything
    times = _stationary_times(curve, size, along, across)
    p, q = curve.weights(times)
    main, side = p * size + q * along, q * across
    grown = np.max(np.hypot(main, side), axis=0) - size
    past_zero = np.where(size > 0.0, -np.min(main, axis=0), 0.0)
    return np.maximum(np.maximum(grown, past_zero), 0.0)


def _stationary_times(curve: Decay, size: Array, along: Array, across: Array) -> Array:
    """Return times (k, ...) among which |f| and the part of f along x take their extreme values."""
    if curve.method is Method.SPRING:
        y = 2.0 * math.log(2.0) / curve.seconds
        w = along + size * y
        square = w * w + across * across
        times = [
            *_quadratic_roots(-y * square, square - 2.0 * y * size * w, size * w - y * size * size),
            _ratio(w - y * size, y * w),
        ]
        return np.maximum(np.stack([np.zeros_like(size), *times]), 0.0)
    main, side = along * curve.seconds, across * curve.seconds
    form = FORMS[curve.method]
    if not form.is_plain:
        turns = decay.turns(curve.method, size, along, curve.seconds) / curve.seconds
        s = np.stack([*turns, _peak(curve, size, along, across)])
    else:
        n = form.power
        w = main + n * size
        square = w * w + side * side
        roots = _quadratic_roots(
            -(n + 1) * square, square - (2 * n + 1) * size * w, size * w - n * size * size
        )
        s = np.stack([np.zeros_like(size), *roots, _ratio(main, (n + 1) * w)])
    return np.clip(s, 0.0, 1.0) * curve.seconds


def _peak(curve: Decay, size: Array, along: Array, across: Array) -> Array:
    """Return where |f| peaks after the cut, as a part of the blend time, for a curve of higher degree: by
    grids.

    Of the first grid's points only those that a rise leads to count: an offset may shrink and then grow to
    just beyond its size at the cut. Without a rise a peak hides in the first step.
    """
    peak, reach = np.full_like(size, 0.5), 0.5
    for points in (65, 17, 17, 17):
        steps = np.linspace(-reach, reach, points).reshape(-1, *([1] * size.ndim))
        s = np.clip(peak + steps, 0.0, 1.0)
        p, q = curve.weights(s * curve.seconds)
        height = np.hypot(p * size + q * along, q * across)
        top = np.argmax(np.where(height[1:] >= height[:-1], height[1:], 0.0), axis=0) + 1
        peak = np.take_along_axis(s, top[None], axis=0)[0]
        reach *= 2.0 / (points - 1)
    return np.asarray(peak)


def _quadratic_roots(a: Array, b: Array, c: Array) -> tuple[Array, Array]:
    """Return both roots of a s^2 + b s + c; 0 where a root is not real or does not exist."""
    root = np.sqrt(np.maximum(b * b - 4.0 * a * c, 0.0))
    half = -0.5 * (b + np.where(b < 0.0, -root, root))
    return _ratio(half, a), _ratio(c, half)


def _ratio(a: Array, b: Array) -> Array:
    """Return a / b, and 0 where that is not a finite number."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        ratio = a / b
    return np.where(np.isfinite(ratio), ratio, 0.0)


def _limited(method: Method, x: Array, v: Array, seconds: Array, limit: Array) -> Array:
    """Return the longest blend times under ``seconds`` whose excursion stays within ``limit``."""
    low, high = np.zeros_like(seconds), seconds
    for _ in range(40):
        middle = 0.5 * (low + high)
        over = excursion(method, x, v, middle) > limit
        low, high = np.where(over, low, middle), np.where(over, middle, high)
    return np.maximum(low, 1e-9 * seconds)


def _strict(method: Method, x: Array, v: Array, seconds: Array) -> tuple[Array, Array, Flags]:
    """Bollo's clamp: no velocity but towards zero, and no blend longer than what it takes to get there.

    That is -(n+1) x / v for ``(1 - s)^n (x + W s)``, and 2 ln 2 half-lives of the spring.
    """
    square = np.sum(x * x, axis=-1)
    along = np.sum(x * v, axis=-1)
    towards = np.minimum(along, 0.0)
    velocity = _ratio(towards, square)[..., None] * x
    factor = decay.calmest(method, monotonic=True)
    if method is Method.SPRING:
        factor *= 2.0 * math.log(2.0)
    longest = np.divide(-factor * square, towards, out=np.full_like(square, np.inf), where=towards < 0.0)
    return np.minimum(seconds, np.maximum(longest, 1e-9 * seconds)), velocity, along > 0.0
