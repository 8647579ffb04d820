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
    """Return the offsets source minus destination, and their rates, of locations, scales and other vectors.

    Parameters
    ----------
    source, destination
        The motions at the cut; their `before`, `now` and `after` are (..., 3). A velocity is
        that from `before` to `after`, over its own `seconds`.
    decomposition
        ROTATION_VECTOR keeps all of the rate, AXIS_ANGLE only its part along the offset,
        and none where the offset is shorter than 1e-12.
    velocity
        RELATIVE takes the source's velocity less the destination's, SOURCE the source's
        alone.

    Returns
    -------
    Offset
        Its x, the difference of `now`, and v are (..., 3), in the channels' unit, v per
        second.
    """
    rate = (source.after - source.before) / source.seconds
    if velocity is Velocity.RELATIVE:
        rate = rate - (destination.after - destination.before) / destination.seconds
    x = source.now - destination.now
    return Offset(x, _rate_to_keep(x, rate, decomposition))


def of_rotations(
    source: ChannelMotion, destination: ChannelMotion, decomposition: Decomposition, velocity: Velocity
) -> Offset:
    """Return the offsets of rotations as rotation vectors, and their rates.

    An offset is the shortest rotation vector of source destination^-1, of both `now`, in the parent's frame.
    The rate goes through the inverse left Jacobian, so that the output's angular velocity at the cut is the
    source's for an offset of any size.

    Parameters
    ----------
    source, destination
        The motions at the cut; their `before`, `now` and `after` are unit quaternions (...,
        4). An angular velocity is the shorter turn from `before` to `after`, over its own
        `seconds`.
    decomposition
        ROTATION_VECTOR keeps all of the rate, AXIS_ANGLE only its part along the offset,
        and none where the offset is shorter than 1e-12.
    velocity
        RELATIVE takes the source's angular velocity less the destination's, which is turned
        by the offset first; SOURCE takes the source's alone.

    Returns
    -------
    Offset
        Its x and v are (..., 3), in radians, v per second.
    """
    turn = quaternion.multiply(source.now, quaternion.conjugate(destination.now))
    omega = quaternion.angular_velocity(source.before, source.after, source.seconds)
    if velocity is Velocity.RELATIVE:
        held = quaternion.angular_velocity(destination.before, destination.after, destination.seconds)
        # the destination's turning is carried along by the offset that lies on top of it
        omega = omega - quaternion.rotate(turn, held)
    x = quaternion.log(turn)
    # a rotation vector changes at another rate than its rotation turns, but for small ones
    return Offset(x, _rate_to_keep(x, quaternion.inverse_left_jacobian(x, omega), decomposition))


def onto_vectors(destination: ArrayLike, offset: ArrayLike) -> Array:
    """Return the output: destination vectors with decayed offsets added, (..., 3)."""
    return np.asarray(destination, float) + np.asarray(offset, float)


def onto_rotations(destination: ArrayLike, offset: ArrayLike) -> Array:
    """Return the output: unit quaternions (..., 4), turned by decayed rotation vectors (..., 3)."""
    return quaternion.multiply(quaternion.exp(offset), destination)


def _rate_to_keep(x: Array, rate: Array, decomposition: Decomposition) -> Array:
    """Return the rates to keep of offsets x (..., 3) with rates (..., 3): all, or their parts along the
    offsets.

    ROTATION_VECTOR keeps the rate as it is; AXIS_ANGLE keeps its projection on x, and zero where x is shorter
    than 1e-12.
    """
    if decomposition is Decomposition.ROTATION_VECTOR:
        return rate
    square = np.sum(x * x, axis=-1, keepdims=True)
    along = np.sum(x * rate, axis=-1, keepdims=True)
    # an offset of nothing has no direction for its rate to lie along
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
        """Return offsets at times t (k,), in seconds after the cut: (k, 3) of one offset, (n, k, 3) of
        several.

        indices: the index of one offset, or an index array (n,) or slice of several. An offset is zero from
        its `seconds` on.
        """
        lengths, pull, gone = (
            np.asarray(each[indices])[..., None]
            for each in (self.decay.seconds, self.decay.pull, self.seconds)
        )
        curves = dataclasses.replace(self.decay, seconds=lengths, pull=pull)
        x, v = (each[indices][..., None, :] for each in (self.x, self.guarded.velocity))
        # a time that rounding puts just before the end is the end, where the last key has to show zero
        return np.where((t < gone - 1e-9)[..., None], decay.evaluate(curves, x, v, t), 0.0)


def fade(
    offset: Offset, method: Method, seconds: ArrayLike, kind: Guard, limit: ArrayLike, tolerance: ArrayLike
) -> Fading:
    """Return how offsets decay: their curves, and when each is gone.

    Parameters
    ----------
    offset
        Its x and v are (..., 3).
    method
        The curve, for all offsets.
    seconds
        Blend times, or half-lives for SPRING; (...) or a number. With 0 or less the offset
        is gone at once.
    kind
        The guard against overshoot, see :func:`guard`.
    limit
        How far LIMIT lets an offset swing, in the offset's unit; (...) or a number,
        infinite for no limit.
    tolerance
        In the offset's unit; (...) or a number. An offset that never gets further from zero
        than a quarter of it is taken for none, and SPRING ends where it stays within it.
        For SPRING it must be above 0.

    Returns
    -------
    Fading
        `seconds` (...) says when each offset is gone, after the guard; 0 for those that are
        gone at once or taken for none. `x` is the offsets' own, `guarded` the outcome of
        :func:`guard`, with the rates that decay, and `decay` the curves for its blend times. In
        these two, an offset that is gone at once has 1 s instead of its own time, before the
        guard. Nothing is changed in place.
    """
    seconds = np.broadcast_to(np.asarray(seconds, float), offset.x.shape[:-1])
    tolerance = np.broadcast_to(np.asarray(tolerance, float), seconds.shape)
    at_once = seconds <= 0.0
    # any blend time will do where there is none, as nothing of that curve is used
    guarded = guard(kind, method, offset.x, offset.v, np.where(at_once, 1.0, seconds), limit)
    curve = decay.make(method, offset.x, guarded.velocity, guarded.seconds)
    gone = decay.settled_after(method, offset.x, guarded.velocity, guarded.seconds, tolerance)
    is_nothing = _never_leaves(curve, offset.x, guarded, NOTHING * tolerance)
    return Fading(offset.x, curve, np.where(at_once | is_nothing, 0.0, gone), guarded)


def _never_leaves(curve: Decay, x: Array, guarded: Guarded, tolerance: Array) -> Flags:
    """Return which offsets x (..., 3) stay within a tolerance (...) of zero from the cut on, as flags (...).

    tolerance: in the unit of x. guarded: the rates, blend times and excursions of these offsets. An offset
    stays within it where its size at the cut plus its excursion is no more than the tolerance; offsets that
    are zero and have no rate count as staying. Excursions are only computed if some moving offset passes a
    quick test.
    """
    size = np.linalg.norm(x, axis=-1)
    # two looks that are cheap: excursions, which are not, are worked out only if any offset passes them
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
    """Return the blend times and the rates with which offsets decay without too much of an overshoot.

    Parameters
    ----------
    guard
        OFF changes nothing. LIMIT shortens the blend of offsets whose excursion (see
        :func:`excursion`) exceeds `limit`, to the longest that stays within it, but to 1e-9
        of the time at least. STRICT keeps of each rate only the part straight towards zero,
        none where it points away, and shortens the blend so that the offset neither grows
        nor goes past zero; it ignores `limit`.
    method
        The curve, for all offsets.
    x, v : (..., 3)
        The offsets, and their rates per second.
    seconds
        Blend times, or half-lives for SPRING, above 0; they broadcast to (...).
    limit
        In the unit of x; it broadcasts to (...).

    Returns
    -------
    Guarded
        `seconds` (...) and the rates `velocity` (..., 3), both after the guard; `dropped` (...),
        True only where STRICT drops a rate that points away from zero; `excursion_before` and
        `excursion_after` (...), how far offsets go without and with the guard, in the unit of x.
        Excursions are worked out when they are first asked for, unless the guard needs them.
        The arguments are not changed.
    """
    x, v = np.asarray(x, float), np.asarray(v, float)
    # LIMIT writes to it below
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
    """Return how far offsets go beyond their size at the cut, or past zero, whichever is more: (...), 0 or
    more.

    x, v: (..., 3), rates per second; seconds: (...), blend times, or half-lives for SPRING. Past zero means
    against the direction of x; an x of zero has no direction and can only grow. The result is in the unit of
    x. It is exact but for the growth under SOFT and SMOOTH, which is searched on grids.
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
    # an offset of nothing has no far side
    past_zero = np.where(size > 0.0, -np.min(main, axis=0), 0.0)
    return np.maximum(np.maximum(grown, past_zero), 0.0)


def _stationary_times(curve: Decay, size: Array, along: Array, across: Array) -> Array:
    """Return candidate times (k, ...), seconds after the cut, for the extremes of a decaying offset f(t), 0
    among them.

    Among them |f| and the part of f along x take their extreme values; not every candidate is an extreme, and
    they are not sorted. size: |x|; along: the rate along x; across: the size of the rate's other part; all
    (...). All times lie within the blend, or are 0 or more for SPRING; a candidate that does not exist is
    replaced by 0 or by the blend's end.
    """
    if curve.method is Method.SPRING:
        y = 2.0 * math.log(2.0) / curve.seconds
        w = along + size * y
        square = w * w + across * across
        times = [
            # where |f|^2 is stationary is a quadratic once e^(-2 y t) is divided out; then where the part
            # along x turns
            *_quadratic_roots(-y * square, square - 2.0 * y * size * w, size * w - y * size * size),
            _ratio(w - y * size, y * w),
        ]
        return np.maximum(np.stack([np.zeros_like(size), *times]), 0.0)
    main, side = along * curve.seconds, across * curve.seconds
    form = FORMS[curve.method]
    if not form.is_plain:
        # of other forms |f| has no peak in closed form
        turns = decay.find_turning_times(curve.method, size, along, curve.seconds) / curve.seconds
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
    """Return where the size |f| of a decaying offset peaks, as a fraction of the blend time from 0 to 1:
    (...).

    It is searched on grids, for curves that have no closed form (SOFT, SMOOTH). size: |x|; along: the rate
    along x; across: the size of the rate's other part; all (...). Of the first grid's points only those that
    a rise leads to count: an offset may shrink and then grow to just beyond its size at the cut. Where
    nothing rises, the first step of the grid is searched.
    """
    peak, reach = np.full_like(size, 0.5), 0.5
    # the first round finds the highest of several peaks, each later one comes eight times as near to it
    for points in (65, 17, 17, 17):
        steps = np.linspace(-reach, reach, points).reshape(-1, *([1] * size.ndim))
        s = np.clip(peak + steps, 0.0, 1.0)
        p, q = curve.weights(s * curve.seconds)
        height = np.hypot(p * size + q * along, q * across)
        # a peak is where it has risen: the size at the cut is counted by who asks
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
    """Return the longest blend times (n,), at most `seconds` (n,), for which no excursion exceeds `limit`
    (n,).

    x, v: offsets and rates (n, 3); limit: in the unit of x. The times are found by 40 bisections, which
    assume that the excursion grows with the time. A result is never below 1e-9 of `seconds`, even where that
    exceeds the limit.
    """
    low, high = np.zeros_like(seconds), seconds
    # so many halvings leave a million millionth of the blend time
    for _ in range(40):
        middle = 0.5 * (low + high)
        over = excursion(method, x, v, middle) > limit
        low, high = np.where(over, low, middle), np.where(over, middle, high)
    # never 0, by which curves divide
    return np.maximum(low, 1e-9 * seconds)


def _strict(method: Method, x: Array, v: Array, seconds: Array) -> tuple[Array, Array, Flags]:
    """Return blend times (...), rates (..., 3) and flags (...) of a STRICT guard: Bollo's clamp.

    x, v: offsets and rates (..., 3); seconds: (...), blend times, or half-lives for SPRING. Of each rate only
    the component along x and towards zero is kept; otherwise the new rate is zero. Each blend is cut to the
    longest for which the offset never grows nor crosses zero: -k x / v, with k from :func:`decay.calmest`,
    monotonic, which is n + 1 for (1 - s)^n (x + W s); and -2 ln 2 x / v as SPRING's half-life. It is never
    below 1e-9 of `seconds`. The flags say where a rate pointed away from zero.
    """
    square = np.sum(x * x, axis=-1)
    along = np.sum(x * v, axis=-1)
    # a rate that leads away from zero is dropped, one that leads there kept
    towards = np.minimum(along, 0.0)
    velocity = _ratio(towards, square)[..., None] * x
    factor = decay.calmest(method, monotonic=True)
    if method is Method.SPRING:
        # the spring's factor is in units of 1 / y, and blend times are half-lives
        factor *= 2.0 * math.log(2.0)
    longest = np.divide(-factor * square, towards, out=np.full_like(square, np.inf), where=towards < 0.0)
    return np.minimum(seconds, np.maximum(longest, 1e-9 * seconds)), velocity, along > 0.0
