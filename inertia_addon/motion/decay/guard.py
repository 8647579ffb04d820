# SPDX-License-Identifier: GPL-3.0-or-later
"""The overshoot guard: how far an offset may go beyond its size at the cut, or past zero.

An offset that starts with a large velocity first grows, or crosses zero and swings out on the
other side. Shortening its blend time tames both, because the excursion grows with the blend time.
"""

from __future__ import annotations

import enum
import math

import numpy as np

from ...records import record
from ..arrays import Array, ArrayLike, Flags
from . import decay, displacement
from .decay import FORMS, Decay, Method


class Guard(enum.Enum):
    """OFF lets offsets swing; LIMIT bounds the excursion; STRICT forbids it."""

    OFF = "OFF"
    LIMIT = "LIMIT"
    STRICT = "STRICT"


@record(frozen=True)
class Guarded:
    """The outcome of a guard: blend times and velocities to use, and the excursions.

    seconds (...), velocity (..., 3); excursion_before, excursion_after (...) in the offset's unit;
    dropped (...): whether a velocity that points away was dropped.
    """

    seconds: Array
    velocity: Array
    excursion_before: Array
    excursion_after: Array
    dropped: Flags


def apply(
    guard: Guard, method: Method, x: ArrayLike, v: ArrayLike, seconds: ArrayLike, limit: ArrayLike
) -> Guarded:
    """Guard offsets x with rates v (..., 3) that decay over ``seconds`` (...).

    limit: how far LIMIT lets an offset grow beyond its size at the cut or swing past zero, (...).
    """
    x, v = np.asarray(x, float), np.asarray(v, float)
    seconds = np.broadcast_to(np.asarray(seconds, float), x.shape[:-1]).copy()
    limit = np.broadcast_to(np.asarray(limit, float), seconds.shape)
    before = after = excursion(method, x, v, seconds)
    dropped = np.zeros(seconds.shape, bool)
    acting = before > limit
    if guard is Guard.LIMIT and np.any(acting):
        seconds[acting] = _limited(method, x[acting], v[acting], seconds[acting], limit[acting])
    elif guard is Guard.STRICT:
        seconds, v, dropped = _strict(method, x, v, seconds)
    if guard is not Guard.OFF:
        after = excursion(method, x, v, seconds)
    return Guarded(seconds, v, before, after, dropped)


def excursion(method: Method, x: ArrayLike, v: ArrayLike, seconds: ArrayLike) -> Array:
    """How far offsets go beyond their size at the cut, or past zero, whichever is more; (...).

    x, v: (..., 3); seconds: (...). Past zero means against the direction of x; an x of zero has
    no direction and can only grow. The extremes come from the closed forms below, but for the
    size of curves that are not plain, polynomials of higher degree, which is searched.
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
    """Times (k, ...) among which |f| and the part of f along x take their extreme values."""
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
        turns = displacement.turns(curve.method, size, along, curve.seconds) / curve.seconds
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
    """Where |f| peaks after the cut, for a curve of higher degree, as a part of the blend time: by grids.

    Of the first grid's points only those that a rise leads to count: an offset may shrink and
    then grow to just beyond its size at the cut. Without a rise a peak hides in the first step.
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
    """Both roots of a s^2 + b s + c; 0 where a root is not real or does not exist."""
    root = np.sqrt(np.maximum(b * b - 4.0 * a * c, 0.0))
    half = -0.5 * (b + np.where(b < 0.0, -root, root))
    return _ratio(half, a), _ratio(c, half)


def _ratio(a: Array, b: Array) -> Array:
    """a / b, and 0 where that is not a finite number."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        ratio = a / b
    return np.where(np.isfinite(ratio), ratio, 0.0)


def _limited(method: Method, x: Array, v: Array, seconds: Array, limit: Array) -> Array:
    """The longest blend times under ``seconds`` whose excursion stays within ``limit``."""
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
    factor = displacement.calmest(method, monotonic=True)
    if method is Method.SPRING:
        factor *= 2.0 * math.log(2.0)
    longest = np.divide(-factor * square, towards, out=np.full_like(square, np.inf), where=towards < 0.0)
    return np.minimum(seconds, np.maximum(longest, 1e-9 * seconds)), velocity, along > 0.0
