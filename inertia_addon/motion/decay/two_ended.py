# SPDX-License-Identifier: GPL-3.0-or-later
"""An offset that is given at both ends of a gap, with its rates there.

With x0, v0 at the start, x1, v1 at the end, T seconds between them and d = (x1 - x0) / T, it goes straight
from one value to the other. What its rates have beside that fades from either end within F seconds, F <= T:

    f(t) = x0 + d t + q(t) (v0 - d) - q(T - t) (v1 - d)

where q(t) v is how an offset of nothing with the rate v decays within F, see :mod:`motion.decay.decay`. With
F = T, CUBIC's is Hermite's cubic, and SMOOTH's the quintic without acceleration at both ends. Shorter rates
swing less: over a long gap, a velocity says little of what comes later.

Rotations have rotation vectors as offsets. Of the two that stand for one turn at the end, that counts which
is nearer to the start's, so that no offset goes the long way round.

The displacement is the area between the curve and zero, in closed form: a polynomial on each of three
parts, between whose roots the antiderivative is taken, see :func:`decay.unsigned_areas`. All offsets of a gap
have one T and one F, so that a part's polynomial is a matrix times (x0, v0, x1, v1).
"""

from __future__ import annotations

import functools
import math

import numpy as np
from numpy.polynomial import Polynomial

from ...records import record
from ..arrays import Array, ArrayLike
from ..quaternion import inverse_left_jacobian
from . import decay
from .decay import FORMS, Method
from .offset import Offset


@record(frozen=True)
class TwoEndedCurve:
    """How long a gap is, and how rates fade in it.

    seconds: T, above 0. fade: F, above 0; what exceeds T counts as T. method: the curve of the rates, any but
    SPRING; SMOOTH without its pull.
    """

    seconds: float
    fade: float
    method: Method = Method.CUBIC

    @property
    def fade_seconds(self) -> float:
        """F, seconds."""
        return min(self.fade, self.seconds)

    def rate_weights(self, t: ArrayLike) -> tuple[Array, Array]:
        """Return what the rates that are left, v0 - d and v1 - d, weigh at times t (...), seconds: (...)
        each, in seconds, the second negative or 0.
        """
        t = np.asarray(t, float)
        fading = decay.make(self.method, np.zeros(1), np.zeros(1), np.asarray(self.fade_seconds))
        return fading.weights(t)[1], -fading.weights(np.maximum(self.seconds - t, 0.0))[1]


def evaluate_both_ends(start: Offset, end: Offset, curve: TwoEndedCurve, t: Array) -> Array:
    """Return offsets at times t (n,), seconds after the start, from 0 to curve.seconds: (n, ..., k).

    start, end: values and rates at both ends, (..., k) each, in one unit and per second. An offset goes
    straight from one value to the other; what either rate has beside that slope is added, and fades from its
    end by the curve's method within curve.fade_seconds.
    """
    shape = (-1, *[1] * start.x.ndim)
    leaving, arriving = (weights.reshape(shape) for weights in curve.rate_weights(t))
    straight = (end.x - start.x) / curve.seconds
    line = start.x + t.reshape(shape) * straight
    return np.asarray(line + leaving * (start.v - straight) + arriving * (end.v - straight))


def evaluate_fading_apart(
    start: Offset, end: Offset, seconds: float, fades: tuple[Array, Array], t: Array
) -> Array:
    """Return offsets (n, ..., k) at times t, with both values and rates at both ends of a gap, each of whose
    rates fades in its own time.

    An offset goes straight from one value to the other; what either rate has beside that slope is added, and
    fades from its end by the cubic. start, end: values and rates per second, (..., k) each. seconds: T, the
    gap's, above 0. fades: (...) each, the seconds in which the rates at the start, and those at the end,
    fade, above 0. t: (n,), seconds after the start, 0 to T.
    """
    times = t.reshape(-1, *[1] * (start.x.ndim - 1))
    straight = (end.x - start.x) / seconds
    still = np.zeros(1)
    leaving, arriving = (
        decay.make(Method.CUBIC, still, still, fade).weights(at)[1][..., None]
        for fade, at in zip(fades, (times, np.maximum(seconds - times, 0.0)), strict=True)
    )
    line = start.x + times[..., None] * straight
    return np.asarray(line + leaving * (start.v - straight) - arriving * (end.v - straight))


def displacement(start: Offset, end: Offset, curve: TwoEndedCurve) -> Array:
    """Return the unsigned areas between offsets' curves and zero, over the whole gap.

    start, end: values and rates per second at both ends; scalars (...), a component of an offset each. The
    result is (...), in the unit of the values times seconds. Raise KeyError for SPRING.
    """
    numbers = np.stack([np.asarray(a, float).ravel() for a in (start.x, start.v, end.x, end.v)])
    total = np.zeros(numbers.shape[1])
    for seconds, matrix in _polynomial_parts(curve):
        total += seconds * decay.unsigned_areas(matrix @ numbers)
    return total.reshape(np.shape(start.x))


def signed_area(start: Offset, end: Offset, curve: TwoEndedCurve) -> Array:
    """Return the areas between offsets' curves and zero, what is below zero negative: never further from zero
    than the displacement, and found in a fraction of the time. Otherwise as :func:`displacement`.
    """
    weights = sum(
        seconds * (matrix / np.arange(1.0, len(matrix) + 1.0)[:, None]).sum(axis=0)
        for seconds, matrix in _polynomial_parts(curve)
    )
    x0, v0, x1, v1 = np.asarray(weights, float)
    return np.asarray(x0 * start.x + v0 * start.v + x1 * end.x + v1 * end.v)


@functools.lru_cache(maxsize=64)
def _polynomial_parts(curve: TwoEndedCurve) -> tuple[tuple[float, Array], ...]:
    """Return the parts of a gap on each of which the curve is one polynomial, at most three, in order: their
    seconds, and matrices (k, 4).

    A matrix times (x0, v0, x1, v1), the values and rates at both ends, gives the polynomial's coefficients in
    rising powers of 0 to 1 over the part. Parts shorter than 1e-12 of the gap are left out. The result is
    cached. Raise KeyError for SPRING.
    """
    whole, fading = curve.seconds, curve.fade_seconds
    form = FORMS[curve.method]
    # q over F as a polynomial of t: (1 - t/F)^power of_v(t/F) F
    share = Polynomial([0.0, 1.0 / fading])
    rate = fading * (1.0 - share) ** form.power * Polynomial(form.of_v)(share)
    time, back = Polynomial([0.0, 1.0]), Polynomial([whole, -1.0])
    middle = sorted((fading, whole - fading))
    parts: list[tuple[float, Array]] = []
    for first, last in zip([0.0, *middle], [*middle, whole], strict=True):
        if last - first < 1e-12 * whole:
            continue
        centre = 0.5 * (first + last)
        leaving = rate if centre < fading else Polynomial([0.0])
        arriving = rate(back) if centre > whole - fading else Polynomial([0.0])
        straight = (leaving - arriving) / whole
        shapes = (1.0 - time / whole + straight, leaving, time / whole - straight, -arriving)
        within = Polynomial([first, last - first])
        rows = [np.asarray(shape(within).coef, float) for shape in shapes]
        count = max(map(len, rows))
        matrix = np.stack([np.pad(row, (0, count - len(row))) for row in rows], axis=1)
        parts.append((last - first, matrix))
    return tuple(parts)


def unwrap_end(start: Offset, end: Offset) -> Offset:
    """Return the end's rotation vectors (..., 3), with their rates, as those of the same turns that are
    nearest to the start's.

    Compared are a vector of the angle a, radians, and that of a - 2 pi about the same axis, which stands for
    the same turn; vectors shorter than 1e-9 stay. The rates become those of the same angular velocity. The
    end itself is returned if nothing changes; else a copy.
    """
    angle = np.linalg.norm(end.x, axis=-1, keepdims=True)
    axis = np.divide(end.x, angle, out=np.zeros_like(end.x), where=angle > 1e-9)
    other = end.x - 2.0 * math.pi * axis
    nearer = np.linalg.norm(other - start.x, axis=-1) < np.linalg.norm(end.x - start.x, axis=-1)
    nearer &= angle[..., 0] > 1e-9
    if not nearer.any():
        return end
    x, v = end.x.copy(), end.v.copy()
    x[nearer] = other[nearer]
    v[nearer] = inverse_left_jacobian(other[nearer], _left_jacobian(end.x[nearer], end.v[nearer]))
    return Offset(x, v)


def _left_jacobian(r: Array, v: Array) -> Array:
    """Return the angular velocities (n, 3), radians per second in the frame that the turns start from, of
    rotation vectors r (n, 3) with rates v (n, 3).

    They are v + (1 - cos a) / a^2 r x v + (a - sin a) / a^3 r x (r x v), with a = |r|, which must not be 0.
    It is the inverse of :func:`inverse_left_jacobian`.
    """
    angle = np.linalg.norm(r, axis=-1, keepdims=True)
    across = np.cross(r, v)
    turned, squared = (1.0 - np.cos(angle)) / angle**2, (angle - np.sin(angle)) / angle**3
    return np.asarray(v + turned * across + squared * np.cross(r, across))
