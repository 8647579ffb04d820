# SPDX-License-Identifier: GPL-3.0-or-later
"""A plain reading of how Blender evaluates an F-curve, frame by frame, and random curves to read."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from hypothesis import strategies as st
from scipy.optimize import brentq

from inertia_addon.motion.curves.keys import BEZIER, CONSTANT, LINEAR, Keys
from inertia_addon.motion.quaternion import Array

SINE = 3
"""The first easing's code."""


def evaluate(keys: Keys, frame: float) -> float:
    """The curve's value at a frame."""
    co = keys.co.astype(float)
    if frame <= co[0, 0]:
        return _beyond(keys, 0, 1, keys.left, frame)
    if frame >= co[-1, 0]:
        return _beyond(keys, len(keys) - 1, -1, keys.right, frame)
    i = int(np.searchsorted(co[:, 0], frame, side="right")) - 1
    (x0, y0), (x3, y3) = co[i], co[i + 1]
    code = keys.interpolation[i]
    if frame == x0 or code == CONSTANT:
        return float(y0)
    if code == LINEAR:
        return float(y0 + (y3 - y0) * (frame - x0) / (x3 - x0))
    if code == BEZIER:
        return _bezier((x0, y0), keys.right[i].astype(float), keys.left[i + 1].astype(float), (x3, y3), frame)
    # the easings' formulas do not matter here, as long as they belong to their segment
    part = (frame - x0) / (x3 - x0)
    return float(y0 + (y3 - y0) * (1.0 - np.cos(0.5 * np.pi * part)))


def _beyond(keys: Keys, edge: int, inwards: int, handles: Array, frame: float) -> float:
    """Extrapolation from the first or last key."""
    x, y = keys.co[edge].astype(float)
    code = keys.interpolation[edge]
    if not keys.linear_extrapolation or code == CONSTANT or (code == LINEAR and len(keys) == 1):
        return float(y)
    other = keys.co[edge + inwards] if code == LINEAR else handles[edge]
    across, up = other.astype(float) - (x, y)
    return float(y) if across == 0.0 else float(y + up / across * (frame - x))


def _bezier(p0: tuple[float, float], p1: Array, p2: Array, p3: tuple[float, float], frame: float) -> float:
    """A Bezier segment, its handles shortened to the segment's length."""
    length = p3[0] - p0[0]
    one, two = p1 - p0, np.asarray(p3) - p2
    if abs(one[0]) > length:
        one = one * length / abs(one[0])
    if abs(two[0]) > length:
        two = two * length / abs(two[0])
    xs, ys = zip(p0, p0 + one, p3 - two, p3, strict=True)

    def at(t: float, points: tuple[float, ...]) -> float:
        a, b, c, d = points
        u = 1.0 - t
        return u * u * u * a + 3.0 * t * u * (u * b + t * c) + t * t * t * d

    return at(brentq(lambda t: at(t, xs) - frame, 0.0, 1.0, xtol=1e-15), ys)


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
    inside = np.linspace(own.min() - 6.0, own.max() + 6.0, 41)
    return np.unique(np.concatenate([inside, own, own - 0.01, own + 0.01]))


CODES = st.sampled_from([BEZIER, BEZIER, LINEAR, CONSTANT])
SIZES = st.integers(1, 5)
HEIGHT = st.floats(-4.0, 4.0, width=32)


@st.composite
def curves(
    draw: st.DrawFn,
    codes: st.SearchStrategy[int] = CODES,
    linear: bool | None = None,
    longest_handle: float = 0.8,
    sizes: st.SearchStrategy[int] = SIZES,
) -> Keys:
    """Curves with keys on whole or fractional frames, free handles and any interpolation.

    longest_handle: the longest, in parts of its segment; Blender shortens those longer than 1.
    """
    n = draw(sizes)
    gap = st.one_of(st.integers(1, 12).map(float), st.floats(0.25, 12.0))
    gaps = [draw(gap) for _ in range(n)]
    frames = (draw(st.integers(-20, 20)) + np.cumsum(gaps)).astype(np.float32)
    values = np.array([draw(HEIGHT) for _ in range(n)], np.float32)
    before, after = np.append(gaps[:1], np.diff(frames)), np.append(np.diff(frames), gaps[-1:])
    reach = st.one_of(
        st.floats(0.1, longest_handle), st.sampled_from([0.0, 1.0 / 3.0, min(1.0, longest_handle)])
    )

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
