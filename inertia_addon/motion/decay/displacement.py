# SPDX-License-Identifier: GPL-3.0-or-later
"""The displacement of a decaying offset: the area between its curve and zero, in closed form.

A curve (1 - s)^m g(s), see :mod:`decay`, is in r = 1 - s a polynomial r^m (c0 + c1 r + ...), whose
antiderivative is one too. Between the roots of the bracket it keeps its sign, so that the displacement is T
times the sum of the antiderivative's steps from root to root, and nothing branches: a bracket of degree 1 or
2 has one root at most within the blend, SOFT's cubic two where V = v T is just above -3 x. The spring is
their limit, ``(w + x y + 2 m e^(-x y / m)) / y^2`` with w = v + x y and m = max(-w, 0). Source of the idea,
with other formulas: D. Holden, "Inertialization Transition Cost" (2022).

All is elementwise over scalars, a component of an offset each; arguments broadcast. Lengths in, length
seconds out. ``seconds`` is the blend time T, or the half-life of SPRING. Polynomials are by value:
coefficients in rising powers, (k, ...) for degree k - 1.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from ..arrays import Array, ArrayLike
from . import decay
from .decay import FORMS, Form, Method, polynomial

TINY = 1e-300
"""Instead of 0 as a divisor where the dividend is 0 too, and the quotient may be anything from 0 to 1."""
NOWHERE = 1e-9
"""A root nearer to the blend's end than this part of it is the end itself, where all curves are zero."""
HALVINGS, STEPS = 8, 7
"""A root is halved into its bracket, and then found by Newton's steps, which double its figures each."""


def displacement(method: Method, x: ArrayLike, v: ArrayLike, seconds: ArrayLike) -> Array:
    """The unsigned area under an offset's curve, from the cut to its end."""
    if method is Method.SPRING:
        size, rate, seconds = _upright(x, v, seconds)
        y = 2.0 * math.log(2.0) / seconds
        w = rate + size * y
        m = np.maximum(-w, 0.0)
        return (w + size * y + 2.0 * m * np.exp(-size * y / np.maximum(m, TINY))) / (y * y)
    bracket, seconds = _bracket(method, x, v, seconds)
    breaks = [np.zeros(seconds.shape), *roots(bracket), np.ones(seconds.shape)]
    heights = [_area_from(bracket, FORMS[method].power, r) for r in breaks]
    return np.asarray(seconds * np.sum(np.abs(np.diff(heights, axis=0)), axis=0))


def _bracket(method: Method, x: ArrayLike, v: ArrayLike, seconds: ArrayLike) -> tuple[Array, Array]:
    """The polynomial of r = 1 - s (k, ...) which r^power makes a curve; the seconds (...)."""
    x, v, seconds = np.broadcast_arrays(*(np.asarray(a, float) for a in (x, v, seconds)))
    of_x, of_v = _from_end(FORMS[method])
    bracket = np.multiply.outer(of_x, x)
    bracket += np.multiply.outer(of_v, v * seconds)
    if method is Method.SMOOTH:
        pulled = 0.5 * decay.smooth_pull(x[..., None], v[..., None], seconds) * x
        bracket += np.multiply.outer(np.array([1.0, -2.0, 1.0]), pulled)
    return bracket, seconds


@functools.cache
def _from_end(form: Form) -> tuple[Array, Array]:
    """A form's polynomials of r = 1 - s, of x and of V, (k,) each."""
    r = np.polynomial.Polynomial([1.0, -1.0])
    of_x, of_v = (np.polynomial.Polynomial(values)(r).coef for values in (form.of_x, form.of_v))
    return (np.pad(of_x, (0, len(form.of_x) - len(of_x))), np.pad(of_v, (0, len(form.of_v) - len(of_v))))


def _area_from(bracket: Array, power: int, r: Array) -> Array:
    """The signed area from 1 - r to the end of the blend, for a blend time of 1."""
    return polynomial(bracket / _by_power(bracket, power + 1.0), r) * r ** (power + 1)


def _by_power(coefficients: Array, first: float) -> Array:
    """``first`` and its successors, one for each of a polynomial's coefficients (k, ...)."""
    return np.asarray(first + np.arange(len(coefficients))).reshape(-1, *[1] * (coefficients.ndim - 1))


def _upright(x: ArrayLike, v: ArrayLike, seconds: ArrayLike) -> tuple[Array, Array, Array]:
    """An offset turned so that x >= 0: |x|, its rate with the sign that goes with it, and the seconds."""
    x, v, seconds = np.asarray(x, float), np.asarray(v, float), np.asarray(seconds, float)
    return np.abs(x), np.where(np.signbit(x), -v, v), seconds


def feature_weights(method: Method, seconds: ArrayLike) -> tuple[Array, Array]:
    """What of an offset (seconds) and of its rate (seconds squared) the signed area consists of.

    So the area of a difference is the difference of two features, one of each clip, whose distance is never
    more than the displacement; but for SMOOTH, whose pull depends on both clips and is left out.
    """
    seconds = np.asarray(seconds, float)
    if method is Method.SPRING:
        y = 2.0 * math.log(2.0) / seconds
        return 2.0 / y, 1.0 / (y * y)
    form = FORMS[method]
    of_x, of_v = (float(_area_from(values, form.power, np.ones(()))) for values in _from_end(form))
    return seconds * of_x, seconds * seconds * of_v


def crossings(method: Method, x: ArrayLike, v: ArrayLike, seconds: ArrayLike) -> Array:
    """Seconds after the cut at which an offset crosses zero (k, ...), the first one first.

    NaN for those that there are not, and all where it starts at zero.
    """
    if method is Method.SPRING:
        size, rate, seconds = np.broadcast_arrays(*_upright(x, v, seconds))
        w = rate + size * 2.0 * math.log(2.0) / seconds
        crosses = (size > 0.0) & (w < 0.0)
        return np.divide(-size, w, out=np.full(size.shape, np.nan), where=crosses)[None]
    bracket, seconds = _bracket(method, x, v, seconds)
    r = roots(bracket)[::-1]
    return np.where((np.asarray(x) != 0.0) & (r > NOWHERE), seconds * (1.0 - r), np.nan)


def peak(method: Method, x: ArrayLike, v: ArrayLike, seconds: ArrayLike) -> tuple[Array, Array]:
    """Where an offset is furthest from zero: seconds after the cut, and the offset there."""
    x, v, seconds = np.broadcast_arrays(*(np.asarray(a, float) for a in (x, v, seconds)))
    times = turns(method, x, v, seconds)
    curve = decay.make(method, x[..., None], v[..., None], seconds)
    offsets = np.stack(
        [decay.evaluate(curve, x[..., None], v[..., None], np.maximum(t, 0.0))[..., 0] for t in times]
    )
    best = np.argmax(np.abs(offsets), axis=0)[None]
    return np.take_along_axis(times, best, 0)[0], np.take_along_axis(offsets, best, 0)[0]


def turns(method: Method, x: Array, v: Array, seconds: Array) -> Array:
    """Seconds at which an offset may be furthest from zero (k, ...): 0, and where its rate is 0."""
    if method is Method.SPRING:
        y = 2.0 * math.log(2.0) / seconds
        with np.errstate(divide="ignore", invalid="ignore"):
            turn = v / (y * (v + x * y))
        return np.stack([np.zeros(x.shape), np.where((turn > 0.0) & (turn < np.inf), turn, 0.0)])
    power = FORMS[method].power
    bracket, _ = _bracket(method, x, v, seconds)
    # the curve's rate is r^(power - 1) times this, but for its sign
    stationary = seconds * (1.0 - roots(bracket * _by_power(bracket, power)))
    return np.concatenate([np.zeros((1, *x.shape)), stationary])


@functools.cache
def calmest(method: Method, monotonic: bool = False) -> float:
    """The largest k for which an offset of V = -k x does not cross zero; monotonic: nor ever grows.

    The spring's V is v over its y, and SMOOTH is pulled to where ZERO_JERK goes.
    """
    if method is Method.SPRING:
        return 1.0
    form = FORMS[Method.ZERO_JERK if method is Method.SMOOTH else method]
    r = np.linspace(0.0, 1.0, 200_001)
    of_x, of_v = _from_end(form)
    if monotonic:
        of_x, of_v = of_x * _by_power(of_x, form.power), of_v * _by_power(of_v, form.power)
    # of_x - k of_v may be negative nowhere
    above, below = polynomial(of_x, r), polynomial(of_v, r)
    return float(np.min(np.divide(above, below, out=np.full(r.shape, np.inf), where=below > 0.0)))


def blend_seconds_like(method: Method, half_life: float) -> float:
    """The blend time that displaces as much as a spring of a half-life (seconds), for an offset at rest.

    That is the half-life itself for SPRING. Blend times scale what they displace, so that one ratio will do.
    """
    if method is Method.SPRING:
        return half_life
    return float(displacement(Method.SPRING, 1.0, 0.0, half_life) / displacement(method, 1.0, 0.0, 1.0))


def roots(coefficients: Array) -> Array:
    """Where polynomials (k, ...) change sign between 0 and 1: (k - 1, ...) sorted, 0 for those that don't.

    Between two neighbouring extremes, the roots of the derivative, there is one at most.
    """
    if len(coefficients) < 2:
        return np.zeros((0, *coefficients.shape[1:]))
    if len(coefficients) == 3:
        return _quadratic_roots(*coefficients)
    slope = np.asarray(np.polynomial.polynomial.polyder(coefficients), float)
    inner = roots(slope)
    low = np.concatenate([np.zeros((1, *coefficients.shape[1:])), inner])
    high = np.concatenate([inner, np.ones((1, *coefficients.shape[1:]))])
    start, end = polynomial(coefficients, low), polynomial(coefficients, high)
    crosses = (start < 0.0) != (end < 0.0)
    if len(coefficients) == 2:
        return np.divide(start, start - end, out=np.zeros_like(start), where=crosses)
    zeros = np.zeros_like(start)
    # few have a root between two extremes, and those alone are worked on
    where = np.nonzero(crosses)
    which: Any = (slice(None), *where[1:])
    crossing, crossing_slope = coefficients[which], slope[which]
    low, high, rising = low[where], high[where], (end > start)[where]
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        below = (polynomial(crossing, middle) < 0.0) == rising
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    root = 0.5 * (low + high)
    for _ in range(STEPS):
        slopes, steps = polynomial(crossing_slope, root), polynomial(crossing, root)
        steps = np.divide(steps, slopes, out=np.zeros_like(steps), where=slopes != 0.0)
        root = np.clip(root - steps, low, high)
    zeros[where] = root
    return np.sort(zeros, axis=0)


def _quadratic_roots(c: Array, b: Array, a: Array) -> Array:
    """Where ``a r^2 + b r + c`` changes sign between 0 and 1, without loss of figures where the roots are far
    apart."""
    square = b * b - 4.0 * a * c
    half = -0.5 * (b + np.copysign(np.sqrt(np.maximum(square, 0.0)), b))
    with np.errstate(divide="ignore", invalid="ignore"):
        both = np.stack([half / a, c / half])
    return np.sort(np.where((square > 0.0) & (both > 0.0) & (both < 1.0), both, 0.0), axis=0)
