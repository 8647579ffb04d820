# SPDX-License-Identifier: GPL-3.0-or-later
"""How an offset goes to zero: cubic, quintics and critically damped spring.

An offset ``x`` with rate ``v`` decays as ``f(t) = p(t) x + q(t) v``. With s = t/T and blend time T

    CUBIC       (1 - s)^2 (x + (v T + 2 x) s)
    ZERO_JERK   (1 - s)^4 (x + (v T + 4 x) s)
    SMOOTH      (1 - s)^3 (x + (v T + 3 x) s + (pull x / 2 + 3 v T + 6 x) s^2)
    SOFT        2/3 of SMOOTH without its pull, and 1/3 of CUBIC
    SPRING      e^(-y t) (x + (v + x y) t),   y = 2 ln 2 / half-life

and zero from T on. All but the spring are a power of 1 - s times a polynomial, which stands once, in
the table of :mod:`inertia_addon.settings.methods`, and from which all else follows. CUBIC and ZERO_JERK
are n = 2 and n = 4 of ``(1 - s)^n (x + (v T + n x) s)``, whose limit for n to infinity with T = n / y is
the spring. Sources: D. Bollo, "Inertialization: High-Performance Animation Transitions in Gears of War"
(GDC 2018), for both quintics; D. Holden, "Inertialization Transition Cost" (2022), for the cubic; the same
author's "Spring-It-On: The Game Developer's Spring-Roll-Call" (2021), for the spring. SMOOTH starts without
a jump in acceleration and swings far; what SOFT takes from the cubic lowers the hardest moment of the
window for a little of that start.

``pull`` is SMOOTH's initial acceleration in units of x / T^2. Nothing in it depends on the axes:
vectors decay along their own direction.
"""

from __future__ import annotations

import math

import numpy as np

from ...records import record
from ...settings.methods import Form, Method
from ..arrays import Array, ArrayLike, Flags

__all__ = [
    "FORMS",
    "Decay",
    "Form",
    "Method",
    "evaluate",
    "make",
    "polynomial",
    "settled_after",
    "smooth_pull",
]


FORMS = {method: method.value.form for method in Method if method.value.form is not None}
"""The curves that end with their blend time, without SMOOTH's pull."""


@record(frozen=True)
class Decay:
    """A decay curve for each of many offsets.

    method: the curve.
    seconds: blend times T, or half-lives for SPRING; shape (...), greater than zero.
    pull: SMOOTH's initial acceleration over x / T^2, shape (...); see :func:`smooth_pull`.
    """

    method: Method
    seconds: Array
    pull: Array

    def weights(self, t: ArrayLike) -> tuple[Array, Array]:
        """p(t) and q(t) (seconds) of ``f = p x + q v``; ``t`` in seconds since the cut, >= 0.

        ``t`` broadcasts against ``seconds``; so do the results.
        """
        t = np.asarray(t, float)
        if self.method is Method.SPRING:
            y = 2.0 * math.log(2.0) / self.seconds
            fade = np.exp(-y * t)
            return fade * (1.0 + y * t), fade * t
        s = np.minimum(t / self.seconds, 1.0)
        form = FORMS[self.method]
        fade = (1.0 - s) ** form.power
        p, q = (polynomial(values, s) for values in (form.of_x, form.of_v))
        if self.method is Method.SMOOTH:
            p = p + 0.5 * self.pull * s * s
        return fade * p, fade * q * self.seconds


def polynomial(coefficients: ArrayLike, r: Array) -> Array:
    """Polynomials of coefficients (k, ...), in rising powers, at ``r``, which broadcasts to (...)."""
    return np.asarray(np.polynomial.polynomial.polyval(r, np.asarray(coefficients, float), tensor=False))


def make(method: Method, x: ArrayLike, v: ArrayLike, seconds: ArrayLike) -> Decay:
    """The decay of offsets ``x`` with rates ``v`` (..., components) over ``seconds`` (...)."""
    seconds = np.asarray(seconds, float)
    pull = smooth_pull(x, v, seconds) if method is Method.SMOOTH else np.zeros(seconds.shape)
    return Decay(method, seconds, pull)


def smooth_pull(x: ArrayLike, v: ArrayLike, seconds: ArrayLike) -> Array:
    """SMOOTH's initial acceleration, in units of x / T^2: 0, or just what it takes not to overshoot.

    x, v: (..., components); seconds: (...). With u = v T / x along x, the curve of zero initial
    acceleration overshoots from u < -2.5; from there the least acceleration that does not is
    ``-8 u - 20``, which is the ZERO_JERK curve. Beyond u = -5 none helps any more, and all that a
    pull would add is a jump in acceleration at the cut: it goes back to 0 as it came.
    """
    x = np.asarray(x, float)
    along = np.sum(x * np.asarray(v, float), axis=-1) * np.asarray(seconds, float)
    square = np.sum(x * x, axis=-1)
    # max(0, min(-20 - 8 u, 60 + 8 u)) without dividing by an x that may be zero
    scaled = np.maximum(np.minimum(-20.0 * square - 8.0 * along, 60.0 * square + 8.0 * along), 0.0)
    return np.divide(scaled, square, out=np.zeros_like(scaled), where=square > 0.0)


def evaluate(decay: Decay, x: ArrayLike, v: ArrayLike, t: ArrayLike) -> Array:
    """The offset ``t`` seconds after the cut; x, v (..., components), t broadcast to (...)."""
    p, q = decay.weights(t)
    return p[..., None] * np.asarray(x, float) + q[..., None] * np.asarray(v, float)


def settled_after(
    method: Method, x: ArrayLike, v: ArrayLike, seconds: ArrayLike, tolerance: ArrayLike
) -> Array:
    """Seconds after which an offset stays within ``tolerance`` of zero; shape (...).

    The blend time itself but for SPRING, which never ends: there the bound
    ``e^(-y t) (|x| + |v + x y| t)`` is solved for its last crossing of the tolerance.
    """
    seconds = np.asarray(seconds, float)
    if method is not Method.SPRING:
        return seconds
    x, v = np.asarray(x, float), np.asarray(v, float)
    y = 2.0 * math.log(2.0) / seconds
    size = np.linalg.norm(x, axis=-1)
    momentum = np.linalg.norm(v + x * y[..., None], axis=-1)
    tolerance = np.broadcast_to(np.asarray(tolerance, float), size.shape)

    def over(t: Array) -> Flags:
        return np.exp(-y * t) * (size + momentum * t) > tolerance

    # the bound rises until its peak and falls from there on: bisect behind the peak
    low = np.maximum(
        1.0 / y - np.divide(size, momentum, out=np.full_like(size, np.inf), where=momentum > 0.0), 0.0
    )
    settled = ~over(low)
    high = low + 1.0 / y
    while np.any(growing := over(high)):
        high = np.where(growing, 2.0 * high, high)
    for _ in range(50):
        middle = 0.5 * (low + high)
        above = over(middle)
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    return np.where(settled, 0.0, high)
