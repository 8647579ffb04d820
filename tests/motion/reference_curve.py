# SPDX-License-Identifier: GPL-3.0-or-later
"""A plain reading of how Blender evaluates an F-curve, frame by frame, and random curves to read."""

from __future__ import annotations

import bisect
import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import strategies as st
from scipy.optimize import brentq

from inertia_addon.motion.curves.keys import BEZIER, CONSTANT, LINEAR, Keys
from inertia_addon.motion.quaternion import Array

SINE = 3
"""The first easing's code."""


def evaluate(keys: Keys, frame: float) -> float:
    """The curve's value at a frame."""
    # numbers of Python's own, which are quicker one by one than numpy's
    frame, points = float(frame), keys.points.tolist()
    if frame <= points[0][0][0]:
        return _beyond(keys, points, 0, 1, 1, frame)
    if frame >= points[-1][0][0]:
        return _beyond(keys, points, len(keys) - 1, -1, 2, frame)
    i = bisect.bisect_right(points, frame, key=lambda key: key[0][0]) - 1
    ((x0, y0), _, right), ((x3, y3), left, _) = points[i], points[i + 1]
    code = keys.interpolation[i]
    if frame == x0 or code == CONSTANT:
        return float(y0)
    if code == LINEAR:
        return float(y0 + (y3 - y0) * (frame - x0) / (x3 - x0))
    if code == BEZIER:
        return _bezier((x0, y0), right, left, (x3, y3), frame)
    # the easings' formulas do not matter here, as long as they belong to their segment
    part = (frame - x0) / (x3 - x0)
    return float(y0 + (y3 - y0) * (1.0 - math.cos(0.5 * math.pi * part)))


def _beyond(keys: Keys, points: list[Any], edge: int, inwards: int, handle: int, frame: float) -> float:
    """Extrapolation from the first or last key."""
    x, y = points[edge][0]
    code = keys.interpolation[edge]
    if not keys.linear_extrapolation or code == CONSTANT or (code == LINEAR and len(keys) == 1):
        return float(y)
    other = points[edge + inwards][0] if code == LINEAR else points[edge][handle]
    across, up = other[0] - x, other[1] - y
    return float(y) if across == 0.0 else float(y + up / across * (frame - x))


Point = tuple[float, float]


def _bezier(p0: Point, p1: Point, p2: Point, p3: Point, frame: float) -> float:
    """A Bezier segment, its handles shortened to the segment's length."""
    length = p3[0] - p0[0]
    one, two = (
        _shortened(p1[0] - p0[0], p1[1] - p0[1], length),
        _shortened(p3[0] - p2[0], p3[1] - p2[1], length),
    )
    xs, ys = ((p0[i], p0[i] + one[i], p3[i] - two[i], p3[i]) for i in range(2))

    def at(t: float, points: tuple[float, ...]) -> float:
        a, b, c, d = points
        u = 1.0 - t
        return u * u * u * a + 3.0 * t * u * (u * b + t * c) + t * t * t * d

    return at(brentq(lambda t: at(t, xs) - frame, 0.0, 1.0, xtol=1e-15), ys)


def _shortened(across: float, up: float, length: float) -> Point:
    return (
        (across, up) if abs(across) <= length else (across * length / abs(across), up * length / abs(across))
    )


def assert_follows(
    found: Keys, expected: Callable[[float], float], frames: Array, frame_error: float
) -> None:
    """A curve has the expected values at all frames, but for float32's rounding of frames and values.

    Where a curve is steep a rounded frame is a large change of value, so the expected value may be
    that of any frame within ``frame_error``.
    """
    for frame in frames:
        close = [expected(frame + shift) for shift in (-frame_error, 0.0, frame_error)]
        value = evaluate(found, frame)
        error = 2e-5 * (1.0 + max(map(abs, close)))
        assert min(close) - error <= value <= max(close) + error, f"{value!r} at {frame!r}, not {close[1]!r}"


def assert_same(found: Keys, expected: Keys, frames: Array, frame_error: float = 5e-5) -> None:
    """Two curves agree at all frames, but for float32's rounding."""
    assert_follows(found, lambda frame: evaluate(expected, frame), frames, frame_error)


def frames_around(keys: Keys, *more: float) -> Array:
    """Frames to compare curves on: between keys, on them, beside them, beyond them."""
    own = np.concatenate([keys.co[:, 0].astype(float), more])
    inside = np.linspace(own.min() - 6.0, own.max() + 6.0, 25)
    return np.unique(np.concatenate([inside, own, own - 0.01, own + 0.01]))


CODES = st.sampled_from([BEZIER, BEZIER, LINEAR, CONSTANT])
SIZES = st.integers(1, 5)
HEIGHT = st.floats(-4.0, 4.0, width=32)
GAP = st.one_of(st.integers(1, 12).map(float), st.floats(0.25, 12.0))
FIRST = st.integers(-20, 20)


@functools.cache
def _reach(longest: float) -> st.SearchStrategy[float]:
    """How far handles reach, in parts of their segment."""
    return st.one_of(st.floats(0.1, longest), st.sampled_from([0.0, 1.0 / 3.0, min(1.0, longest)]))


@st.composite
def curves(
    draw: st.DrawFn,
    codes: st.SearchStrategy[int] = CODES,
    *,
    linear: bool | None = None,
    longest_handle: float = 0.8,
    sizes: st.SearchStrategy[int] = SIZES,
) -> Keys:
    """Curves with keys on whole or fractional frames, free handles and any interpolation.

    longest_handle: the longest, in parts of its segment; Blender shortens those longer than 1.
    """
    n = draw(sizes)
    gaps = [draw(GAP) for _ in range(n)]
    frames = (draw(FIRST) + np.cumsum(gaps)).astype(np.float32)
    values = np.array([draw(HEIGHT) for _ in range(n)], np.float32)
    before, after = np.append(gaps[:1], np.diff(frames)), np.append(np.diff(frames), gaps[-1:])
    reach = _reach(longest_handle)

    def handle(i: int, length: float) -> tuple[float, float]:
        across, up = draw(reach) * length, draw(HEIGHT)
        # float32 keeps no slope of a handle much shorter than a frame, and Blender none that is upright
        return (frames[i] + across, values[i] + up) if abs(across) >= 0.1 else (frames[i], values[i])

    left = [handle(i, -before[i]) for i in range(n)]
    right = [handle(i, after[i]) for i in range(n)]
    codes_of = np.zeros((n, 5), np.uint8)
    codes_of[:, 0] = [draw(codes) for _ in range(n)]
    points = np.stack([np.column_stack([frames, values]), np.array(left), np.array(right)], axis=1)
    extrapolates = draw(st.booleans()) if linear is None else linear
    return Keys(points.astype(np.float32), codes_of, linear_extrapolation=extrapolates)


def cuts(keys: Keys) -> st.SearchStrategy[float]:
    """Frames to cut a curve at: on keys, between them, before the first, after the last; never beside one."""
    first, last = float(keys.co[0, 0]), float(keys.co[-1, 0])
    on = st.sampled_from([float(frame) for frame in keys.co[:, 0]])
    anywhere = st.one_of(
        st.floats(first - 10.0, last + 10.0), st.integers(int(first) - 5, int(last) + 5).map(float)
    )
    apart = anywhere.filter(lambda frame: np.abs(keys.co[:, 0] - frame).min() > 0.05)
    return st.one_of(on, apart).map(lambda frame: float(np.float32(frame)))
