# SPDX-License-Identifier: GPL-3.0-or-later
"""Values of animation curves at many frames at once, as Blender itself evaluates them.

Blender reckons in float32, with a cubic solved in float64 for where along a Bezier segment a frame
lies. The same steps are taken here in the same precision, so that values agree but for the last bits.
Easings are R. Penner's (*Robert Penner's Programming Macromedia Flash MX*, 2002), with Blender's numbers.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..arrays import Array, ArrayLike, Flags, Floats
from .keys import BEZIER, CONSTANT, LINEAR, Keys

Indices = NDArray[np.intp]

ON_KEY = np.float32(1e-4)
"""Frames nearer to a key than this show the key's value."""

_LOWEST, _HIGHEST = np.float32(-1e-10), np.float32(1.000001)
"""The parameters that Blender takes for being within a segment."""

_THREE = np.float32(3.0)

BLOCK = 2**17
"""So many values are reckoned at once, at most: more don't fit into a processor's own memory."""

SHORT = 32
"""Of curves with fewer keys all are looked at."""

LONG, FEW = 1000, 4
"""Of a curve with more keys than that, and so many times as many as frames, only those around these count."""


def evaluate(keys: Keys, frames: ArrayLike) -> Array:
    """Return the values (n,) of a curve at frames (n,), in any order, beyond its ends too.

    The curve is that of the keys alone: without modifiers, and not of a property that can only jump, whose
    values Blender holds and rounds.
    """
    return evaluate_together([keys], frames)[0].astype(float)


def evaluate_together(curves: Sequence[Keys], frames: ArrayLike) -> Floats:
    """Return the values (curves, n), float32, of several curves at the same frames (n,), in any order.

    They are those of the keys alone, as Blender evaluates them: without modifiers. Beyond its ends a curve
    goes on along its end slopes if it extrapolates linearly, else it holds. Every curve needs at least one
    key; raise IndexError otherwise. Curves whose keys and handles lie on the same frames, with the same
    interpolations, are evaluated together, which is quicker.
    """
    at = np.asarray(frames, np.float32)
    result = np.empty((len(curves), len(at)), np.float32)
    many = max(LONG, FEW * len(at)) if len(at) else np.inf
    curves = [_take_around(keys, at) if len(keys) > many else keys for keys in curves]
    alike: dict[tuple[bytes, bytes], list[int]] = {}
    for i, keys in enumerate(curves):
        alike.setdefault(keys.pattern, []).append(i)
    most = max(1, BLOCK // max(1, len(at)))
    for rows in alike.values():
        near = _take_near([curves[i] for i in rows], at)
        places = _Places(near[0], at)
        for first in range(0, len(rows), most):
            result[rows[first : first + most]] = places.values(near[first : first + most])
    return result


def _take_near(curves: Sequence[Keys], frames: Floats) -> Sequence[Keys]:
    """Return the keys from before the first of frames (n,) to behind the last, of curves with keys on the
    same frames; the curves themselves if that would leave few out."""
    count = len(curves[0])
    if count < SHORT or not len(frames):
        return curves
    first, last = np.searchsorted(curves[0].co[:, 0], (frames.min(), frames.max()), side="right").tolist()
    # two keys at least, as by two a curve goes on beyond an end
    first = max(min(first - 1, count - 2), 0)
    span = slice(first, max(last, 1) + 1)
    return curves if span.stop - first > count // 2 else [keys.take(span) for keys in curves]


def _take_around(keys: Keys, frames: Floats) -> Keys:
    """Return those keys of a curve, two at least, on which its values at frames (n,), in any order, depend;
    or some more. The curve has two keys or more.
    """
    following = np.searchsorted(keys.co[:, 0], frames, side="right")
    # two keys at least, as by two a curve goes on beyond an end
    first = max(min(int(following.min()) - 1, len(keys) - 2), 0)
    near = keys.take(slice(first, max(int(following.max()), 1) + 1))
    if len(near) <= FEW * len(frames):
        return near
    needed = np.zeros(len(near), bool)
    needed[np.maximum(following - 1 - first, 0)] = True
    needed[np.minimum(following - first, len(near) - 1)] = True
    needed[:2] = needed[-2:] = True
    return near.take(needed)


class _Places:
    """Where frames (n,) lie among the keys (m,) of curves that have these, and handles, on the same frames.

    key: the key on each frame, or the one before it; 0 before the first. straight, bent, easing: the indices
    of frames that lie between two keys, by what is there. before, after: those of frames beyond the ends.
    """

    def __init__(self, keys: Keys, frames: Floats) -> None:
        x = np.ascontiguousarray(keys.co[:, 0])
        self.frames = frames
        later = np.searchsorted(x, frames, side="right")
        self.key = np.maximum(later - 1, 0)
        following = np.minimum(later, len(x) - 1)
        near = np.abs(x[following] - frames) <= ON_KEY
        on = near | (np.abs(frames - x[self.key]) <= ON_KEY)
        self.key[near] = following[near]
        outside = (frames <= x[0]) | (frames >= x[-1])
        # on the last key itself every way of going on starts from its value
        self.before = np.flatnonzero(frames < x[0])
        self.after = np.flatnonzero(frames > x[-1])
        between = np.flatnonzero(~on & ~outside)
        kinds = keys.interpolation[self.key[between]]
        self.straight, self.bent = between[kinds == LINEAR], between[kinds == BEZIER]
        self.easing = between[kinds > BEZIER]
        self.bezier = _Bezier(keys, self.key[self.bent], frames[self.bent]) if len(self.bent) else None

    def values(self, curves: Sequence[Keys]) -> Floats:
        """Return the values (curves, n), float32, of curves at these frames.

        All of the curves must have their keys and handles on the frames, and the interpolations, for which
        this object was made.
        """
        y = np.array([keys.points[..., 1] for keys in curves])
        values = y[:, self.key, 0]
        if len(self.straight) or self.bezier is not None:
            if len(self.straight):
                values[:, self.straight] = self._lines(curves[0].co[:, 0], y[..., 0])
            if self.bezier is not None:
                values[:, self.bent] = self.bezier.values(y)
        for row, keys in zip(values, curves, strict=True):
            if len(self.easing):
                self._ease(keys, row)
            for edge, indices in ((0, self.before), (-1, self.after)) if keys.linear_extrapolation else ():
                if len(indices):
                    row[indices] = self._beyond(keys, edge, self.frames[indices])
        return values

    def _lines(self, x: Floats, y: Floats) -> Floats:
        i = self.key[self.straight]
        return (y[:, i + 1] - y[:, i]) * (self.frames[self.straight] - x[i]) / (x[i + 1] - x[i]) + y[:, i]

    def _ease(self, keys: Keys, row: Floats) -> None:
        """Write the values of a curve's easing segments into `row` (n,), in place; all other values stay.

        row: the curve's values at all of the frames.
        """
        at = self.key[self.easing]
        kinds, ends = keys.interpolation[at], keys.easing[at]
        for code in np.unique(kinds).tolist():
            for end in np.unique(ends[kinds == code]).tolist():
                these = self.easing[(kinds == code) & (ends == end)]
                row[these] = self._evaluate_easing(keys, these, code, end)

    def _evaluate_easing(self, keys: Keys, indices: Indices, code: int, ends: int) -> Array:
        """Return the values (n,) of a curve at some of the frames, all within segments of one easing.

        indices: (n,), which of this object's frames. code: the easing. ends: which end is eased; both as
        Blender numbers them. Amplitude, back and period are those of the key at which a segment begins; in a
        curve without shapes they are all 0.
        """
        i = self.key[indices]
        (x, y), (x_next, y_next) = keys.co[i].astype(float).T, keys.co[i + 1].astype(float).T
        duration, change = x_next - x, y_next - y
        part = (self.frames[indices] - x) / duration
        shapes = np.zeros((len(i), 3)) if keys.shapes is None else keys.shapes[i].astype(float)
        amplitude, back, period = shapes.T
        if code == ELASTIC:
            return y + ease_elastic(ends, part, change, duration, amplitude, period)
        return y + change * ease(code, ends, part, back)

    def _beyond(self, keys: Keys, edge: int, frames: Floats) -> Floats:
        """Return the values (n,) at frames beyond the first key (edge 0) or the last key (edge -1), by linear
        extrapolation.

        The slope is that to the neighbouring key if the end key is linear, else that of its outer handle. It
        is level if the key is constant, is linear and the only key, or has its handle on its own frame.
        """
        x, y = keys.co[edge]
        code = int(keys.interpolation[edge])
        if code == LINEAR and len(keys) > 1:
            other = keys.co[1] if edge == 0 else keys.co[-2]
        else:
            other = keys.left[0] if edge == 0 else keys.right[-1]
        across = x - other[0]
        if code == CONSTANT or (code == LINEAR and len(keys) == 1) or across == 0.0:
            return np.full(len(frames), y, np.float32)
        return y - (y - other[1]) / across * (x - frames)


class _Bezier:
    """Where along Bezier segments frames (n,) lie, which depends on the frames of keys and handles alone.

    i: the key before each. t: the parameters. first, second: how much of each handle is used, as
    Blender shortens those that are longer than their segment. found: where there is a parameter at all.
    """

    def __init__(self, keys: Keys, i: Indices, frames: Floats) -> None:
        self.i = i
        x0, x3 = keys.co[i, 0], keys.co[i + 1, 0]
        length = x3 - x0
        h1, h2 = x0 - keys.right[i, 0], x3 - keys.left[i + 1, 0]
        self.first, self.second = _shortened(h1, length), _shortened(h2, length)
        x1 = np.where(self.first < 1.0, x0 - self.first * h1, keys.right[i, 0])
        x2 = np.where(self.second < 1.0, x3 - self.second * h2, keys.left[i + 1, 0])
        _, c1, c2, c3 = _coefficients(x0, x1, x2, x3)
        self.t, self.found = _root(x0.astype(float) - frames, c1, c2, c3)

    def values(self, y: Floats) -> Floats:
        """Return the values (curves, n), float32, of Bezier segments at the frames for which this object was
        made.

        y: (curves, m, 3), float32, the values of each curve's m keys: the key's own, its left and its right
        handle's. The keys' and handles' frames are those of this object for all curves. Where Blender finds
        no place on the segment it shows 0, and so does this, except in a segment that is level.
        """
        i = self.i
        y0, y3 = y[:, i, 0], y[:, i + 1, 0]
        y1, y2 = y[:, i, 2], y[:, i + 1, 1]
        # as Blender has it, in its float32: a segment that is so flat shows its first key
        flat = np.maximum(np.abs(y0 - y3), np.maximum(np.abs(y1 - y2), np.abs(y2 - y3))) < np.finfo("f4").eps
        y1 = np.where(self.first < 1.0, y0 - self.first * (y0 - y1), y1)
        y2 = np.where(self.second < 1.0, y3 - self.second * (y3 - y2), y2)
        c0, c1, c2, c3 = _coefficients(y0, y1, y2, y3)
        t = self.t
        values = c0 + t * c1 + t * t * c2 + t * t * t * c3
        # where it finds no parameter Blender shows 0
        return np.where(flat, y0, np.where(self.found, values, np.float32(0.0)))


def _shortened(handle: Floats, length: Floats) -> Floats:
    """Return the factor, at most 1, that shortens each handle to the length of its segment."""
    reach = np.abs(handle)
    longer = reach > length
    return np.where(longer, length / np.where(longer, reach, np.float32(1.0)), np.float32(1.0))


def _coefficients(p0: Floats, p1: Floats, p2: Floats, p3: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Return the coefficients of a Bezier segment as a polynomial, from the constant upwards."""
    return (p0, _THREE * (p1 - p0), _THREE * (p0 - np.float32(2.0) * p1 + p2), p3 - p0 + _THREE * (p1 - p2))


def _root(c0: Array, c1: Floats, c2: Floats, c3: Floats) -> tuple[Floats, Flags]:
    """Return the parameter t (n,), float32, at which cubics c0 + c1 t + c2 t^2 + c3 t^3 are zero, and whether
    there is one (n,).

    Only roots from 0 to 1, with Blender's slack, count; t is 0 without one. If there are several it is the
    first in Cardano's order, as Blender takes it, which matters where a handle points away from its segment.
    Lower degrees are handled too.
    """
    c1, c2, c3 = c1.astype(float), c2.astype(float), c3.astype(float)
    candidates = np.full((3, len(c0)), np.nan)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        cubic = c3 != 0.0
        # by Cardano, in double precision as Blender has it
        a, b, c = c2 / c3 / 3.0, c1 / c3, c0 / c3
        p, q = b / 3.0 - a * a, (2.0 * a * a * a - a * b + c) / 2.0
        d = q * q + p * p * p
        root = np.sqrt(np.maximum(d, 0.0))
        single = np.cbrt(-q + root) + np.cbrt(-q - root)
        candidates[0] = single - a
        # with d = 0 two of the three are one
        double = cubic & (d == 0.0)
        candidates[1, double] = (-np.cbrt(-q) - a)[double]
        three = cubic & (d < 0.0)
        if three.any():
            candidates[:, three] = _three_roots(a[three], p[three], q[three])
        if not cubic.all():
            flat = ~cubic
            candidates[:, flat] = _square_roots(c0[flat], c1[flat], c2[flat])
    # in float32 before it is compared, as Blender does
    narrow = candidates.astype(np.float32)
    inside = (narrow >= _LOWEST) & (narrow <= _HIGHEST)
    chosen = np.argmax(inside, axis=0)
    t = np.take_along_axis(narrow, chosen[None], axis=0)[0]
    is_root = np.asarray(inside.any(axis=0))
    return np.where(is_root, t, np.float32(0.0)), is_root


def _three_roots(a: Array, p: Array, q: Array) -> Array:
    """Return the roots (3, n) of cubics that have three, by Viete's trigonometric solution."""
    third = np.cos(np.arccos(np.clip(-q / np.sqrt(-(p * p * p)), -1.0, 1.0)) / 3.0)
    t, other = np.sqrt(-p), np.sqrt(np.maximum(3.0 - 3.0 * third * third, 0.0))
    return np.stack([2.0 * t * third - a, -t * (third + other) - a, -t * (third - other) - a])


def _square_roots(c0: Array, c1: Array, c2: Array) -> Array:
    """Return the real roots (3, n) of c0 + c1 t + c2 t^2, with NaN for missing ones; the third row is always
    NaN.

    The first row has (-c1 - d) / (2 c2), the second (-c1 + d) / (2 c2), with d the root of the discriminant,
    so that a double root is in both. Where c2 is 0 the root of the line is in the first row: 0 if the line is
    zero everywhere, NaN if it is another constant.

    c0, c1, c2: (n,). Divisions by 0 and roots of negative numbers warn as numpy's settings say; the caller
    silences them.
    """
    roots = np.full((3, len(c0)), np.nan)
    square = c2 != 0.0
    d = np.sqrt(c1 * c1 - 4.0 * c2 * c0)
    roots[0], roots[1] = (-c1 - d) / (2.0 * c2), (-c1 + d) / (2.0 * c2)
    # with no slope either every parameter will do, or none
    straight = np.where(c1 != 0.0, -c0 / c1, np.where(c0 == 0.0, 0.0, np.nan))
    roots[0, ~square], roots[1, ~square] = straight[~square], np.nan
    return roots


BACK, BOUNCE, CIRC, CUBIC, ELASTIC, EXPO, QUAD, QUART, QUINT, SINE = range(3, 13)
"""Interpolation codes."""

AUTO, IN, OUT, IN_OUT = 0, 1, 2, 3
"""Easing codes: which end is eased."""

_POWERS = {QUAD: 2, CUBIC: 3, QUART: 4, QUINT: 5}
_LEAST = 2.0**-10


def ease(code: int, ends: int, fraction: Array, back: Array) -> Array:
    """Return how far easings have come: 0 at the beginning of the segment, 1 at its end.

    Parameters
    ----------
    code
        Any easing but ELASTIC; a code that :func:`ease_in` does not know is taken for
        BOUNCE.
    ends
        IN, OUT or IN_OUT; AUTO is OUT for BACK and BOUNCE, else IN.
    fraction : (n,)
        The part of the segment's time, from 0 to 1.
    back : (n,)
        By how much BACK overshoots, 1.525 times as much for IN_OUT; only its results leave the
        range from 0 to 1.

    Returns
    -------
    Array (n,)
        A part of the change of value.
    """
    if ends == AUTO:
        ends = OUT if code in (BACK, BOUNCE) else IN
    if ends == IN:
        return ease_in(code, fraction, back)
    if ends == OUT:
        return 1.0 - ease_in(code, 1.0 - fraction, back)
    early = fraction < 0.5
    half = 0.5 * ease_in(code, 2.0 * np.where(early, fraction, 1.0 - fraction), 1.525 * back)
    return np.where(early, half, 1.0 - half)


def ease_in(code: int, t: Array, back: Array) -> Array:
    """Return how far an easing at the beginning of a segment has come at times t (n,), from 0 to 1: 0 at 0
    and 1 at 1.

    back: (n,), by how much BACK overshoots, whose results fall below 0. Any code other than the powers, SINE,
    CIRC, EXPO and BACK is taken for BOUNCE.
    """
    if code in _POWERS:
        return t ** _POWERS[code]
    if code == SINE:
        return 1.0 - np.cos(0.5 * np.pi * t)
    if code == CIRC:
        return 1.0 - np.sqrt(np.maximum(1.0 - t * t, 0.0))
    if code == EXPO:
        return np.where(t == 0.0, 0.0, (2.0 ** (10.0 * (t - 1.0)) - _LEAST) / (1.0 - _LEAST))
    if code == BACK:
        return t * t * ((back + 1.0) * t - back)
    return 1.0 - _bounce(1.0 - t)


def _bounce(t: Array) -> Array:
    """Return the height (n,) of a ball that falls to 1 and bounces ever lower."""
    return np.select(
        [t < 1.0 / 2.75, t < 2.0 / 2.75, t < 2.5 / 2.75],
        [7.5625 * t * t, 7.5625 * (t - 1.5 / 2.75) ** 2 + 0.75, 7.5625 * (t - 2.25 / 2.75) ** 2 + 0.9375],
        7.5625 * (t - 2.625 / 2.75) ** 2 + 0.984375,
    )


def ease_elastic(
    ends: int, fraction: Array, change: Array, duration: Array, amplitude: Array, period: Array
) -> Array:
    """Return how far (n,) an elastic easing has come, in units of values: 0 at the beginning, `change` at the
    end.

    ends: IN, OUT or IN_OUT, where it eases; AUTO is OUT. fraction: (n,), the part of the segment's time; held
    beyond 0 and 1. change, duration: (n,), of the segment, in values and frames. period: (n,), of the
    oscillation, in frames; 0 stands for 0.3 of the duration, 0.45 for IN_OUT.

    amplitude: (n,), of the oscillation, in values. One that is less than the change's size counts as the
    change; the swings are then scaled by amplitude / |change|, though. Within a quarter of a period from the
    end that is not eased that scale rises evenly to 1; with IN_OUT it does so within an eighth before and
    behind the middle.
    """
    usual = 0.3 * (1.5 if ends == IN_OUT else 1.0)
    period = np.where(period == 0.0, duration * usual, period)
    t = {IN: fraction - 1.0, IN_OUT: 2.0 * fraction - 1.0}.get(ends, -fraction)
    small = (amplitude == 0.0) | (amplitude < np.abs(change))
    size = np.where(small, change, amplitude)
    with np.errstate(divide="ignore", invalid="ignore"):
        shift = np.where(small, period / 4.0, period / (2.0 * np.pi) * np.arcsin(change / size))
        blend = np.where(small & (change != 0.0), _blend(t, change, duration, amplitude, shift), 1.0)
    late = t > 0.0
    if ends == IN_OUT:
        t = -np.abs(t)
    swing = blend * size * 2.0 ** (10.0 * t) * np.sin((t * duration - shift) * (2.0 * np.pi) / period)
    if ends == IN:
        values = -swing
    elif ends == IN_OUT:
        values = np.where(late, change + 0.5 * swing, -0.5 * swing)
    else:
        values = change + swing
    return np.where(fraction <= 0.0, 0.0, np.where(fraction >= 1.0, change, values))


def _blend(t: Array, change: Array, duration: Array, amplitude: Array, shift: Array) -> Array:
    """Return the factors (n,) on an amplitude too small for its segment, so that the last swing reaches the
    end.
    """
    factor = amplitude / np.abs(change)
    near = np.abs(t * duration) / np.abs(shift)
    return np.where(near < 1.0, factor * near + (1.0 - near), factor)
