# SPDX-License-Identifier: GPL-3.0-or-later
"""The displacement of a decaying offset: the area between its curve and zero, in closed form.

With V = v T, x >= 0 (else both change sign) and W = V + n x, the curve (1 - s)^n (x + W s) of CUBIC
(n = 2) and ZERO_JERK (n = 4) crosses zero once at s0 = -x / W if W < -x, and

    displacement = T / ((n+1)(n+2)) (W + (n+2) x + 2 w r^(n+2)),   w = max(-W, x),   r = 1 - x / w

where the last term is twice the area behind the crossing: r = 0 without one, so nothing branches. The
spring is its limit, ``(w + x y + 2 m e^(-x y / m)) / y^2`` with w = v + x y and m = max(-w, 0). SMOOTH is
a quadratic times (1 - s)^3, which crosses zero once, if V < -5 x. Source of the idea, with other formulas:
D. Holden, "Inertialization Transition Cost" (2022).

All is elementwise over scalars, a component of an offset each; arguments broadcast. Lengths in, length
seconds out. ``seconds`` is the blend time T, or the half-life of SPRING.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import decay
from .decay import Method

Array = NDArray[np.float64]

TINY = 1e-300
"""Instead of 0 as a divisor where the dividend is 0 too, and the quotient may be anything from 0 to 1."""

_POWER = {Method.CUBIC: 2, Method.ZERO_JERK: 4}


def displacement(method: Method, x: ArrayLike, v: ArrayLike, seconds: ArrayLike) -> Array:
    """The unsigned area under an offset's curve, from the cut to its end."""
    size, rate, seconds = _upright(x, v, seconds)
    if method is Method.SPRING:
        y = 2.0 * math.log(2.0) / seconds
        w = rate + size * y
        m = np.maximum(-w, 0.0)
        return (w + size * y + 2.0 * m * np.exp(-size * y / np.maximum(m, TINY))) / (y * y)
    speed = rate * seconds
    if method is Method.SMOOTH:
        return seconds * _smooth(size, speed)
    n = _POWER[method]
    w = speed + n * size
    larger = np.maximum(-w, size)
    r = 1.0 - size / np.maximum(larger, TINY)
    return seconds / ((n + 1) * (n + 2)) * (w + (n + 2) * size + 2.0 * larger * r ** (n + 2))


def _smooth(x: Array, speed: Array) -> Array:
    """SMOOTH's displacement for T = 1 and x >= 0.

    In r = 1 - s the curve is r^3 (q0 - q1 r + q2 r^2); with q0 = 0 for a curve that does not cross, its
    first zero is ``2 q0 / (q1 - sqrt(q1^2 - 4 q0 q2))``, where nothing cancels as both parts are negative.
    """
    pull = np.maximum(np.minimum(-20.0 * x - 8.0 * speed, 60.0 * x + 8.0 * speed), 0.0)
    q2 = 0.5 * pull + 3.0 * speed + 6.0 * x
    q1 = np.minimum(7.0 * speed + 15.0 * x + pull, 0.0)
    q0 = np.minimum(10.0 * x + 4.0 * speed + 0.5 * pull, 0.0)
    root = np.sqrt(np.maximum(q1 * q1 - 4.0 * q0 * q2, 0.0))
    r = 2.0 * q0 / np.minimum(q1 - root, -TINY)
    behind = q1 * r**5 / 20.0 - q2 * r**6 / 12.0
    return 0.5 * x + 0.1 * speed + pull / 120.0 - 2.0 * behind


def _upright(x: ArrayLike, v: ArrayLike, seconds: ArrayLike) -> tuple[Array, Array, Array]:
    """The same offset with x >= 0: |x|, its rate with the sign that goes with it, and the seconds."""
    x, v, seconds = np.asarray(x, float), np.asarray(v, float), np.asarray(seconds, float)
    return np.abs(x), np.where(np.signbit(x), -v, v), seconds


def signed_area(method: Method, x: ArrayLike, v: ArrayLike, seconds: ArrayLike) -> Array:
    """The signed area under an offset's curve, from the cut to its end."""
    x, v, seconds = np.asarray(x, float), np.asarray(v, float), np.asarray(seconds, float)
    of_x, of_v = feature_weights(method, seconds)
    area = of_x * x + of_v * v
    if method is Method.SMOOTH:
        pull = decay.smooth_pull(
            x[..., None], v[..., None], np.broadcast_to(seconds, np.broadcast(x, v).shape)
        )
        area = area + pull * x * seconds / 120.0
    return area


def feature_weights(method: Method, seconds: ArrayLike) -> tuple[Array, Array]:
    """What of an offset (seconds) and of its rate (seconds squared) the signed area consists of.

    So the area of a difference is the difference of two features, one of each clip, whose distance is never
    more than the displacement; but for SMOOTH, whose pull depends on both clips and is left out.
    """
    seconds = np.asarray(seconds, float)
    if method is Method.SPRING:
        y = 2.0 * math.log(2.0) / seconds
        return 2.0 / y, 1.0 / (y * y)
    of_x, of_v = {Method.CUBIC: (2, 12), Method.ZERO_JERK: (3, 30), Method.SMOOTH: (2, 10)}[method]
    return seconds / of_x, seconds * seconds / of_v


def crossing(method: Method, x: ArrayLike, v: ArrayLike, seconds: ArrayLike) -> Array:
    """Seconds after the cut at which an offset crosses zero; NaN where it does not, or starts there."""
    size, rate, seconds = np.broadcast_arrays(*_upright(x, v, seconds))
    if method is Method.SPRING:
        w = rate + size * 2.0 * math.log(2.0) / seconds
        crosses = (size > 0.0) & (w < 0.0)
        return np.divide(-size, w, out=np.full(size.shape, np.nan), where=crosses)
    speed = rate * seconds
    if method is Method.SMOOTH:
        # as in _smooth; a pull acts on the way to u = -7.5, beyond -5 it no longer prevents the crossing
        pull = np.maximum(np.minimum(-20.0 * size - 8.0 * speed, 60.0 * size + 8.0 * speed), 0.0)
        a, b, c = 0.5 * pull + 3.0 * speed + 6.0 * size, speed + 3.0 * size, size
        crosses = (size > 0.0) & (speed < -5.0 * size)
        root = np.sqrt(np.maximum(b * b - 4.0 * a * c, 0.0))
        s = np.divide(2.0 * c, root - b, out=np.full(size.shape, np.nan), where=crosses)
        return s * seconds
    w = speed + _POWER[method] * size
    crosses = (size > 0.0) & (w < -size)
    return seconds * np.divide(-size, w, out=np.full(size.shape, np.nan), where=crosses)


def peak(method: Method, x: ArrayLike, v: ArrayLike, seconds: ArrayLike) -> tuple[Array, Array]:
    """Where an offset is furthest from zero: seconds after the cut, and the offset there."""
    x, v, seconds = np.broadcast_arrays(*(np.asarray(a, float) for a in (x, v, seconds)))
    times = _turns(method, x, v, seconds)
    made = decay.make(method, x[..., None], v[..., None], seconds)
    offsets = np.stack(
        [decay.evaluate(made, x[..., None], v[..., None], np.maximum(t, 0.0))[..., 0] for t in times]
    )
    best = np.argmax(np.abs(offsets), axis=0)[None]
    return np.take_along_axis(times, best, 0)[0], np.take_along_axis(offsets, best, 0)[0]


def _turns(method: Method, x: Array, v: Array, seconds: Array) -> Array:
    """Where an offset may be furthest from zero (k, ...): at the cut, and where its rate is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        if method is Method.SPRING:
            y = 2.0 * math.log(2.0) / seconds
            found = [v / (y * (v + x * y))]
            end = np.full(x.shape, np.inf)
        elif method is Method.SMOOTH:
            speed = v * seconds
            pull = decay.smooth_pull(x[..., None], v[..., None], seconds) * x
            c2, c1, c0 = 0.5 * pull + 3.0 * speed + 6.0 * x, speed + 3.0 * x, x
            # the derivative of (1 - s)^3 (c0 + c1 s + c2 s^2) is (1 - s)^2 times a quadratic
            a, b, c = -5.0 * c2, 2.0 * c2 - 4.0 * c1, c1 - 3.0 * c0
            root = np.sqrt(b * b - 4.0 * a * c)
            q = -0.5 * (b + np.copysign(root, b))
            found = [seconds * q / a, seconds * c / q]
            end = seconds
        else:
            n = _POWER[method]
            speed = v * seconds
            found = [seconds * speed / ((speed + n * x) * (n + 1))]
            end = seconds
    inside = [np.where((t > 0.0) & (t < end), t, 0.0) for t in found]
    return np.stack([np.zeros(x.shape), *inside])


def blend_seconds_like(method: Method, half_life: float) -> float:
    """The blend time that displaces as much as a spring of a half-life (seconds), for an offset at rest.

    That is the half-life itself for SPRING. Blend times scale what they displace, so that one ratio will do.
    """
    if method is Method.SPRING:
        return half_life
    return float(displacement(Method.SPRING, 1.0, 0.0, half_life) / displacement(method, 1.0, 0.0, 1.0))
