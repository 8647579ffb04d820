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

The displacement of a decaying offset: the area between its curve and zero, in closed form.

A curve (1 - s)^m g(s), as above, is in r = 1 - s a polynomial r^m (c0 + c1 r + ...), whose
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
        """Return p(t) and q(t), the latter in seconds, of the decay f(t) = p(t) x + q(t) v of an offset x
        with rate v.

        t: seconds since the cut, >= 0. It broadcasts against `seconds`, and both results have that shape.
        Both are 0 from the blend time on, but for SPRING, where they never quite are.
        """
        t = np.asarray(t, float)
        if self.method is Method.SPRING:
            # the family's limit of many powers, T = n / y: a spring has no end
            y = 2.0 * math.log(2.0) / self.seconds
            fade = np.exp(-y * t)
            return fade * (1.0 + y * t), fade * t
        # behind its end a curve stays at the zero to which the power of 1 - s brings it
        s = np.minimum(t / self.seconds, 1.0)
        form = FORMS[self.method]
        fade = (1.0 - s) ** form.power
        p, q = (polynomial(values, s) for values in (form.of_x, form.of_v))
        if self.method is Method.SMOOTH:
            # half of it, as an acceleration moves by half of itself times the square of the time
            p = p + 0.5 * self.pull * s * s
        return fade * p, fade * q * self.seconds


def polynomial(coefficients: ArrayLike, r: Array) -> Array:
    """Return the values at r of polynomials with coefficients (k, ...), in rising powers.

    r broadcasts with the coefficients' other axes (...), and the result has the shape of both. Raise
    IndexError for k = 0.
    """
    # by Horner's rule, as numpy's own has it, which takes longer to see what it is given than to work it out
    rising = np.asarray(coefficients, float)
    value = rising[-1]
    if len(rising) == 1:
        return np.asarray(value + 0.0 * r)
    for coefficient in rising[-2::-1]:
        value = value * r
        value += coefficient
    return np.asarray(value)


def make(method: Method, x: ArrayLike, v: ArrayLike, seconds: ArrayLike) -> Decay:
    """Return the decay curves of offsets; SMOOTH's pull is worked out for them, other methods have 0.

    Parameters
    ----------
    method
        The curve, for all offsets.
    x, v : (..., components)
        The offsets, and their rates per second.
    seconds : (...)
        Blend times, or half-lives for SPRING, above 0; not checked.

    Returns
    -------
    Decay
        Its `seconds` and `pull` have the shape of `seconds`.
    """
    seconds = np.asarray(seconds, float)
    pull = smooth_pull(x, v, seconds) if method is Method.SMOOTH else np.zeros(seconds.shape)
    return Decay(method, seconds, pull)


def smooth_pull(x: ArrayLike, v: ArrayLike, seconds: ArrayLike) -> Array:
    """Return SMOOTH's initial acceleration, in units of x / T^2: 0, or just what it takes not to overshoot;
    (...).

    x, v: (..., components), offsets and their rates per second; seconds: (...), the blend times T. With u = v
    T / x along x, it is max(0, min(-20 - 8 u, 60 + 8 u)), and 0 where x is zero. The curve of zero initial
    acceleration overshoots from u < -2.5; from there the least acceleration that does not is -8 u - 20, which
    is the ZERO_JERK curve. Beyond u = -5 none helps any more, and all that a pull would add is a jump in
    acceleration at the cut: it goes back to 0, at u = -7.5, as it came.
    """
    x = np.asarray(x, float)
    along = np.sum(x * np.asarray(v, float), axis=-1) * np.asarray(seconds, float)
    square = np.sum(x * x, axis=-1)
    # max(0, min(-20 - 8 u, 60 + 8 u)) without dividing by an x that may be zero
    scaled = np.maximum(np.minimum(-20.0 * square - 8.0 * along, 60.0 * square + 8.0 * along), 0.0)
    return np.divide(scaled, square, out=np.zeros_like(scaled), where=square > 0.0)


def evaluate(decay: Decay, x: ArrayLike, v: ArrayLike, t: ArrayLike) -> Array:
    """Return the offsets `t` seconds after the cut, as they decay.

    Parameters
    ----------
    decay
        The curves; their `seconds` are (...).
    x, v : (..., components)
        The offsets at the cut, and their rates per second.
    t
        Seconds since the cut, 0 or more; it broadcasts against (...).

    Returns
    -------
    Array (..., components)
        In the unit of x; zero from the blend time on, but for SPRING, which never quite
        gets there.
    """
    p, q = decay.weights(t)
    return p[..., None] * np.asarray(x, float) + q[..., None] * np.asarray(v, float)


def settled_after(
    method: Method, x: ArrayLike, v: ArrayLike, seconds: ArrayLike, tolerance: ArrayLike
) -> Array:
    """Return the seconds after the cut from which on offsets stay within `tolerance` of zero.

    Parameters
    ----------
    method
        The curve. For all but SPRING the result is `seconds` itself, as floats, in its own
        shape, whatever the tolerance and the shape of x.
    x, v : (..., components)
        The offsets at the cut, and their rates per second.
    seconds : (...)
        Blend times, or half-lives for SPRING, above 0.
    tolerance : (...)
        For SPRING the largest length that counts as settled, in the unit of x, above 0:
        with 0 the search for the end goes on until rounding ends it.

    Returns
    -------
    Array (...)
        For SPRING the last crossing of the tolerance by the bound e^(-y t) (|x| + |v + x y|
        t), with y = 2 ln 2 / half-life; 0 where the bound never exceeds it.
    """
    seconds = np.asarray(seconds, float)
    if method is not Method.SPRING:
        return seconds
    x, v = np.asarray(x, float), np.asarray(v, float)
    y = 2.0 * math.log(2.0) / seconds
    size = np.linalg.norm(x, axis=-1)
    # f = e^(-y t) (x + (v + x y) t), so this bounds |f|: it has one peak, where |f| itself may dip and return
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
    # the end lies near log(size / tolerance) / y, so that a few doublings reach it
    while np.any(growing := over(high)):
        high = np.where(growing, 2.0 * high, high)
    # so many halvings have all figures of a double
    for _ in range(50):
        middle = 0.5 * (low + high)
        above = over(middle)
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    return np.where(settled, 0.0, high)


TINY = 1e-300
"""Instead of 0 as a divisor where the dividend is 0 too, and the quotient may be anything from 0 to 1."""
NOWHERE = 1e-9
"""A root nearer to the blend's end than this part of it is the end itself, where all curves are zero."""
HALVINGS, STEPS = 8, 7
"""A root is halved into its bracket, and then found by Newton's steps, which double its figures each."""


def displacement(method: Method, x: ArrayLike, v: ArrayLike, seconds: ArrayLike) -> Array:
    """Return the unsigned areas between offsets' curves and zero, from the cut to their ends.

    Parameters
    ----------
    method
        The curve, for all offsets.
    x
        Offsets at the cut; scalars, a component of an offset each.
    v
        Their rates per second.
    seconds
        Blend times, or half-lives for SPRING, above 0.

    Returns
    -------
    Array
        In the unit of x times seconds, of the shape to which x, v and seconds broadcast.
        Parts of a curve beyond zero count as positive, too.
    """
    if method is Method.SPRING:
        size, rate, seconds = _upright(x, v, seconds)
        y = 2.0 * math.log(2.0) / seconds
        w = rate + size * y
        m = np.maximum(-w, 0.0)
        # the signed area less twice what lies behind the crossing, as that counts with the other sign
        return (w + size * y + 2.0 * m * np.exp(-size * y / np.maximum(m, TINY))) / (y * y)
    bracket, seconds = _bracket(method, x, v, seconds)
    power, flat = FORMS[method].power, bracket.reshape(len(bracket), -1)
    # r^k has the area 1 / (k + 1) from 0 to 1
    areas = np.abs((1.0 / _by_power(bracket, power + 1.0).ravel()) @ flat)
    crossing = _may_cross(flat)
    if crossing.any():
        # few offsets go through zero, and those alone are worked on
        some = flat[:, crossing]
        heights = _area_from(some, power, _breaks(some))
        areas[crossing] = np.sum(np.abs(np.diff(heights, axis=0)), axis=0)
    return np.asarray(seconds * areas.reshape(seconds.shape))


def unsigned_areas(coefficients: Array) -> Array:
    """Return the areas between polynomials (k, n) and zero from 0 to 1, parts below zero positive, too: (n,).

    coefficients: in rising powers.
    """
    # r^i has the area 1 / (i + 1) from 0 to 1
    areas = np.abs(np.sum(coefficients / _by_power(coefficients, 1.0), axis=0))
    crossing = _may_cross(coefficients)
    if crossing.any():
        some = coefficients[:, crossing]
        heights = _area_to(some, _breaks(some))
        areas[crossing] = np.sum(np.abs(np.diff(heights, axis=0)), axis=0)
    return np.asarray(areas)


def _breaks(coefficients: Array) -> Array:
    """Return 0, where polynomials (k, n) change sign between 0 and 1, and 1: (k + 1, n), sorted."""
    ends = np.zeros((1, coefficients.shape[1]))
    return np.concatenate([ends, roots(coefficients), ends + 1.0])


def _area_to(coefficients: Array, r: Array) -> Array:
    """Return the signed areas between polynomials (k, n) and zero from 0 to r (..., n)."""
    return polynomial(coefficients / _by_power(coefficients, 1.0), r) * r


def _may_cross(coefficients: Array) -> Flags:
    """Return which polynomials (k, n), in rising powers, may change sign between 0 and 1: (n,).

    Where it is False there is no change of sign; True promises none. They stay between the least and the
    highest of their Bernstein coefficients.
    """
    degree = len(coefficients) - 1
    # to Bernstein coefficients: a polynomial lies in their hull, so that of one sign it crosses nowhere
    rows = [[math.comb(i, j) / math.comb(degree, j) for j in range(degree + 1)] for i in range(degree + 1)]
    heights = np.array(rows) @ coefficients
    return np.asarray((heights.min(axis=0) < 0.0) & (heights.max(axis=0) > 0.0))


def _bracket(method: Method, x: ArrayLike, v: ArrayLike, seconds: ArrayLike) -> tuple[Array, Array]:
    """Return polynomials (k, ...) of r = 1 - s that, times r^power, are the decay curves, and the seconds,
    broadcast (...).

    x, v: offsets and their rates per second. seconds: blend times, above 0. They broadcast to (...).
    Coefficients are in rising powers, and SMOOTH's include its pull. Raise KeyError for SPRING, which is no
    such curve.
    """
    x, v, seconds = np.broadcast_arrays(*(np.asarray(a, float) for a in (x, v, seconds)))
    of_x, of_v = _from_end(FORMS[method])
    bracket = np.multiply.outer(of_x, x)
    bracket += np.multiply.outer(of_v, v * seconds)
    if method is Method.SMOOTH:
        pulled = 0.5 * smooth_pull(x[..., None], v[..., None], seconds) * x
        # s^2 as a polynomial of r = 1 - s
        bracket += np.multiply.outer(np.array([1.0, -2.0, 1.0]), pulled)
    return bracket, seconds


@functools.cache
def _from_end(form: Form) -> tuple[Array, Array]:
    """Return a form's polynomials of r = 1 - s, that of x and that of V, (k,) each."""
    r = np.polynomial.Polynomial([1.0, -1.0])
    of_x, of_v = (np.polynomial.Polynomial(values)(r).coef for values in (form.of_x, form.of_v))
    # numpy trims zeros at the end, and polynomials of x and of V are added up term by term
    return (np.pad(of_x, (0, len(form.of_x) - len(of_x))), np.pad(of_v, (0, len(form.of_v) - len(of_v))))


def _area_from(bracket: Array, power: int, r: Array) -> Array:
    """Return the signed areas from 1 - r to the end of the blend, for a blend time of 1.

    bracket: (k, n), or (k,). r: of any shape that broadcasts with (n,).
    """
    return polynomial(bracket / _by_power(bracket, power + 1.0), r) * r ** (power + 1)


def _by_power(coefficients: Array, first: float) -> Array:
    """Return ``first`` and its successors, one for each of a polynomial's coefficients (k, ...), shaped (k,
    1, ...).
    """
    return np.asarray(first + np.arange(len(coefficients))).reshape(-1, *[1] * (coefficients.ndim - 1))


def _upright(x: ArrayLike, v: ArrayLike, seconds: ArrayLike) -> tuple[Array, Array, Array]:
    """Return offsets turned so that x >= 0: |x|, the rate with the sign that goes with it, and the
    seconds.
    """
    x, v, seconds = np.asarray(x, float), np.asarray(v, float), np.asarray(seconds, float)
    # not np.sign, which is 0 for an offset of zero: the rate of that counts all the same
    return np.abs(x), np.where(np.signbit(x), -v, v), seconds


def feature_weights(method: Method, seconds: ArrayLike) -> tuple[Array, Array]:
    """Return the weights of an offset (seconds) and of its rate (seconds squared) in the signed area of its
    curve.

    seconds: blend times, or half-lives for SPRING; the weights have its shape. The area of a difference is so
    the difference of two features, one of each clip, and their distance is never more than the displacement.
    This does not hold for SMOOTH, whose pull depends on both clips and is left out.
    """
    seconds = np.asarray(seconds, float)
    if method is Method.SPRING:
        y = 2.0 * math.log(2.0) / seconds
        return 2.0 / y, 1.0 / (y * y)
    form = FORMS[method]
    of_x, of_v = (float(_area_from(values, form.power, np.ones(()))) for values in _from_end(form))
    return seconds * of_x, seconds * seconds * of_v


def crossings(method: Method, x: ArrayLike, v: ArrayLike, seconds: ArrayLike) -> Array:
    """Return the times at which decaying offsets cross zero, the earliest first.

    Parameters
    ----------
    method
        The curve, for all offsets.
    x, v
        Offsets at the cut, and their rates per second; scalars, a component each.
    seconds
        Blend times, or half-lives for SPRING, above 0.

    Returns
    -------
    Array (k, ...)
        Seconds after the cut; x, v and seconds broadcast to (...). k is the most crossings
        that the curve can have, 1 for SPRING. NaN, behind the others, stands for those that
        there are not, and for all where x is 0. To touch zero, and to reach it at the
        blend's end, is no crossing.
    """
    if method is Method.SPRING:
        size, rate, seconds = np.broadcast_arrays(*_upright(x, v, seconds))
        w = rate + size * 2.0 * math.log(2.0) / seconds
        # asked before it is divided: an epsilon in the divisor is no cure, as w may be its opposite
        crosses = (size > 0.0) & (w < 0.0)
        return np.divide(-size, w, out=np.full(size.shape, np.nan), where=crosses)[None]
    bracket, seconds = _bracket(method, x, v, seconds)
    # r runs against time
    r = roots(bracket)[::-1]
    return np.where((np.asarray(x) != 0.0) & (r > NOWHERE), seconds * (1.0 - r), np.nan)


def peak(method: Method, x: ArrayLike, v: ArrayLike, seconds: ArrayLike) -> tuple[Array, Array]:
    """Return when decaying offsets are furthest from zero, and the offsets there.

    Parameters
    ----------
    method
        The curve, for all offsets.
    x, v
        Offsets at the cut, and their rates per second; scalars, a component each.
    seconds
        Blend times, or half-lives for SPRING, above 0.

    Returns
    -------
    tuple[Array, Array]
        Seconds after the cut, and the signed offsets at these times; both of the shape to
        which x, v and seconds broadcast. Of peaks that are as high the cut counts first,
        then the earlier entry of :func:`find_turning_times`, which is not always the earlier time.
    """
    x, v, seconds = np.broadcast_arrays(*(np.asarray(a, float) for a in (x, v, seconds)))
    times = find_turning_times(method, x, v, seconds)
    curve = make(method, x[..., None], v[..., None], seconds)
    offsets = np.stack(
        [evaluate(curve, x[..., None], v[..., None], np.maximum(t, 0.0))[..., 0] for t in times]
    )
    best = np.argmax(np.abs(offsets), axis=0)[None]
    return np.take_along_axis(times, best, 0)[0], np.take_along_axis(offsets, best, 0)[0]


def find_turning_times(method: Method, x: Array, v: Array, seconds: Array) -> Array:
    """Return when a decaying offset may be furthest from zero: at 0, then where its rate is 0.

    Parameters
    ----------
    method
        The curve, for all offsets.
    x, v : (...)
        Offsets at the cut, and their rates per second; a component each.
    seconds : (...)
        Blend times, or half-lives for SPRING, above 0; of the same shape as x and v.

    Returns
    -------
    Array (k, ...)
        Seconds after the cut, unsorted; k is 2 for SPRING, else the number of the curve's
        coefficients. For times that there are not, SPRING has 0, the other curves the blend
        time.
    """
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
def calmest(method: Method, *, monotonic: bool = False) -> float:
    """Return the largest k for which an offset x with V = -k x never crosses zero; the result is cached.

    V is the rate v times the blend time. It is 3 for CUBIC, 5 for ZERO_JERK, and about 2.88 for SOFT. SMOOTH
    is pulled just so far that it crosses zero where ZERO_JERK does, so that it has the k of that. For SPRING
    V is v over y = 2 ln 2 / half-life, and k is 1, whatever `monotonic` is.

    monotonic: the offset may never grow on its way, either; that makes k a little less for SOFT, and no other
    for the rest.
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
    """Return the blend time that displaces as much as a spring of a half-life (seconds), from rest.

    For SPRING, that is the half-life itself. A curve's displacement is proportional to its blend time, so
    that one ratio is enough.
    """
    if method is Method.SPRING:
        return half_life
    return float(displacement(Method.SPRING, 1.0, 0.0, half_life) / displacement(method, 1.0, 0.0, 1.0))


def roots(coefficients: Array) -> Array:
    """Return where polynomials (k, ...), in rising powers, change sign between 0 and 1: (k - 1, ...).

    They are sorted along axis 0, with a 0 in front for each that there is not; a root at 0 can't be told from
    these, and one at exactly 1 may be left out. Roots that only touch zero do not count, but may come twice
    where rounding takes the polynomial to zero or beyond. With fewer than two coefficients the result is (0,
    ...). The result is a new array.
    """
    if len(coefficients) < 2:
        return np.zeros((0, *coefficients.shape[1:]))
    if len(coefficients) == 3:
        return _quadratic_roots(*coefficients)
    slope = coefficients[1:] * _by_power(coefficients[1:], 1.0)
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
        # where the slope is small a step would leave the bracket
        root = np.minimum(np.maximum(root - steps, low), high)
    zeros[where] = root
    return np.sort(zeros, axis=0)


def _quadratic_roots(c: Array, b: Array, a: Array) -> Array:
    """Return where a r^2 + b r + c changes sign strictly between 0 and 1: (2, ...), sorted, 0 for each it
    does not.

    c, b, a: (...), in rising powers. No figures are lost where the roots are far apart.
    """
    square = b * b - 4.0 * a * c
    # of both signs the one that adds up, as the other one loses figures
    half = -0.5 * (b + np.copysign(np.sqrt(np.maximum(square, 0.0)), b))
    with np.errstate(divide="ignore", invalid="ignore"):
        both = np.stack([half / a, c / half])
    # at a double root zero is touched, and not crossed
    return np.sort(np.where((square > 0.0) & (both > 0.0) & (both < 1.0), both, 0.0), axis=0)
