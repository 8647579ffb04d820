# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys that follow any function of time, between frames too: what easings and modifiers make of a curve.

A Bezier segment is fitted to four values of the function, and halved where it strays from others. Where the
function jumps, its value is held up to there.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..arrays import Array, ArrayLike
from . import keys as keylib
from .keys import ALIGNED, BEZIER, CONSTANT, FREE, LINEAR, STEP_FRAMES, Keys

Evaluate = Callable[[Array], Array]
"""Return the values (n,) of a function at frames (n,)."""

NEAR = 5e-5
"""Between keys a curve strays by at most this part of its range of values ..."""
ROUNDING = 1e-6
"""... or of the largest of them, as float32 has no more digits ..."""
SHORTEST = 1.0 / 32.0
"""... unless keys would lie nearer than this many frames."""
SUDDEN = 4.0
"""What changes so many times as fast all at once has jumped."""

_LOOKS = np.array([0.0, 1 / 6, 1 / 3, 1 / 2, 2 / 3, 5 / 6, 1.0])
"""Where a segment is looked at: fitted at the first, third, fifth and last, tried at others."""
_FIT = np.array([[-5.0, 18.0, -9.0, 2.0], [2.0, -9.0, 18.0, -5.0]]) / 6.0
"""The inner two control values of the cubic Bezier that goes through four values at even distances."""


def follow(evaluate: Evaluate, frames: ArrayLike) -> Keys:
    """Return keys on `frames` (n,), sorted, and on as many between them as it takes to follow a function.

    frames: one or more. With a single one there is just a key on it.

    evaluate: gives its values (n,) at frames (n,). Between keys the curve may stray by 5e-5 of the function's
    range on `frames`, or by 1e-6 of its largest value there, or by 1e-9, whichever is most; nearer than 1/32
    frame no keys are added for that. Where the function jumps, beside a key, its value is held up to there
    and a key stands STEP_FRAMES away.

    Segments are Bezier, linear where that is enough, or constant at a jump. Handles are aligned where that
    does not show, so that the curve can be edited as if it were smooth. The curve extrapolates level.
    """
    knots = np.asarray(frames, float)
    if len(knots) < 2:
        return keylib.sampled(knots, evaluate(knots))
    known = evaluate(knots)
    # of a function that is 0 throughout both are 0
    tolerance = max(NEAR * float(np.ptp(known)), ROUNDING * float(np.abs(known).max()), 1e-9)
    segments = _fit_segments(evaluate, knots[:-1], knots[1:], tolerance)
    starts = np.array([segment[0] for segment in segments])
    rows = [segments[i] for i in np.argsort(starts, kind="stable")]
    return _join_segments(rows, float(known[-1]), tolerance)


_Segment = tuple[float, float, Array, int]
"""The first and the last frame of a segment, its four control values (4,), and how it goes on."""


def _fit_segments(evaluate: Evaluate, firsts: Array, lasts: Array, tolerance: float) -> list[_Segment]:
    """Return the segments that follow a function between pairs of frames: (first frame, last frame, control
    values (4,), interpolation) each, in no certain order.

    firsts, lasts: (n,), where the spans begin and end. evaluate: gives the function's values (n,) at frames
    (n,). Together the segments of a span cover it.

    A cubic is fitted to four values of the function; where it strays by more than `tolerance`, the span is
    halved. A span of less than 2 SHORTEST gets what :func:`_fit_shortest` gives. If the function jumps at an
    end of a span, a constant segment of STEP_FRAMES stands there: at the beginning with the value on the
    first frame, at the end with the value just before the last.
    """
    found: list[_Segment] = []
    while len(firsts):
        widths = lasts - firsts
        times = firsts[:, None] + widths[:, None] * _LOOKS
        # beside both ends, where it may be another value that goes on
        beside = np.stack([firsts, firsts, lasts, lasts], 1) + STEP_FRAMES * np.array([1.0, 2.0, -2.0, -1.0])
        values = evaluate(np.concatenate([times, beside], 1).ravel()).reshape(len(firsts), -1)
        at, near = values[:, :7], values[:, 7:]
        begins = _find_jumps(at[:, 0], near[:, 0], near[:, 1], tolerance)
        ends = _find_jumps(at[:, 6], near[:, 3], near[:, 2], tolerance)
        split = []
        for i, (first, last) in enumerate(zip(firsts.tolist(), lasts.tolist(), strict=True)):
            # only where there is room for a step at each end
            if (begins[i] or ends[i]) and last - first > 4.0 * STEP_FRAMES:
                inner = (first + STEP_FRAMES if begins[i] else first, last - STEP_FRAMES if ends[i] else last)
                if begins[i]:
                    found.append((first, inner[0], np.full(4, at[i, 0]), CONSTANT))
                if ends[i]:
                    found.append((inner[1], last, np.full(4, near[i, 3]), CONSTANT))
                split.append(inner)
                continue
            controls = np.array([at[i, 0], *(_FIT @ at[i, ::2]), at[i, 6]])
            if np.abs(_evaluate_bezier(controls, _LOOKS[1::2]) - at[i, 1::2]).max() <= tolerance:
                found.append((first, last, controls, _choose_interpolation(controls, tolerance)))
            elif last - first < 2.0 * SHORTEST:
                found.append((first, last, *_fit_shortest(at[i])))
            else:
                middle = 0.5 * (first + last)
                split += [(first, middle), (middle, last)]
        firsts, lasts = np.array(split, float).reshape(-1, 2).T
    return found


def _fit_shortest(values: Array) -> tuple[Array, int]:
    """Return control values (4,) and interpolation for a segment that is too short to be halved.

    values: (7,), of the function at even distances from the segment's first frame to its last. Return a
    LINEAR segment from the first to the last value if it strays no more than the first value, held, would
    (the last of the seven left out of that); else a CONSTANT one of the first value, as for a jump.
    """
    line = values[0] + (values[6] - values[0]) * _LOOKS
    if np.abs(line - values).max() <= np.abs(values[0] - values[:6]).max():
        return line[::2], LINEAR
    return np.full(4, values[0]), CONSTANT


def _find_jumps(values: Array, beside: Array, further: Array, tolerance: float) -> Array:
    """Tell where values (n,) differ more from those beside them than these do from those further away."""
    step = np.abs(values - beside)
    return np.asarray((step > tolerance) & (step > SUDDEN * np.abs(beside - further)))


def _evaluate_bezier(controls: Array, parameters: Array) -> Array:
    """Return the values (n,) of a cubic Bezier of control values (4,) at parameters (n,)."""
    at, rest = parameters, 1.0 - parameters
    a, b, c, d = controls
    return np.asarray(rest**3 * a + 3.0 * rest**2 * at * b + 3.0 * rest * at**2 * c + at**3 * d)


def _choose_interpolation(controls: Array, tolerance: float) -> int:
    """Return the interpolation that shows control values (4,): a line where they lie on one."""
    line = controls[0] + (controls[3] - controls[0]) * np.array([1.0, 2.0]) / 3.0
    return LINEAR if np.abs(controls[1:3] - line).max() <= tolerance else BEZIER


def _join_segments(segments: list[_Segment], last_value: float, tolerance: float) -> Keys:
    """Return the curve of segments, one after the other, with one more key at the end that has `last_value`.

    segments: (first frame, last frame, control values (4,), interpolation), one or more in order of time,
    each beginning where the one before ends. A key has the first control value and the interpolation of its
    segment, so that the end of a constant segment may jump to the next; the last key has the last segment's
    interpolation.

    Handles are a third of a segment long; the outer ones at the ends mirror the inner ones. The two end keys
    have ALIGNED handles. The others have them, with the mean of both slopes, where this moves no handle by
    more than about `tolerance` and both neighbouring segments are Bezier; else FREE ones, with the slopes of
    their own segments.
    """
    frames = np.array([segment[0] for segment in segments] + [segments[-1][1]])
    controls = np.array([segment[2] for segment in segments])
    values = np.append(controls[:, 0], last_value)
    thirds = np.diff(frames) / 3.0
    before, after = np.append(thirds[:1], thirds), np.append(thirds, thirds[-1:])
    # slopes towards the key and away from it
    leaving = np.append((controls[:, 1] - controls[:, 0]) / thirds, 0.0)
    coming = np.append(0.0, (controls[:, 3] - controls[:, 2]) / thirds)
    # the outermost handles bend nothing, so they lie in line with the inner ones
    coming[0], leaving[-1] = leaving[0], coming[-1]
    bends = np.array([segment[3] == BEZIER for segment in segments])
    is_smooth = np.abs(leaving - coming) * np.maximum(before, after) <= tolerance
    is_smooth[1:-1] &= bends[1:] & bends[:-1]
    slope = 0.5 * (leaving + coming)
    leaving, coming = (np.where(is_smooth, slope, own) for own in (leaving, coming))
    points = np.empty((len(frames), 3, 2), np.float32)
    for side, reach, slopes in ((0, 0.0, slope), (1, -before, coming), (2, after, leaving)):
        points[:, side, 0] = frames + reach
        points[:, side, 1] = values + slopes * reach
    codes = np.zeros((len(frames), 5), np.uint8)
    codes[:, 0] = [segment[3] for segment in segments] + [segments[-1][3]]
    codes[:, 1:3] = np.where(is_smooth, np.uint8(ALIGNED), np.uint8(FREE))[:, None]
    return Keys(points, codes)
