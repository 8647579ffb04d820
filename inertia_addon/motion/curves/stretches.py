# SPDX-License-Identifier: GPL-3.0-or-later
"""Stretches of curves that show other values: dense keys there, the curve's own before and behind.

A stretch should begin and end with what the curve shows there anyway, unless it begins or ends the curve. At
both ends it then has the curve's own slope, or the central one of what is on the two sides where the curve is
made of lines: it goes on without a kink as far as the values do.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence

import numpy as np

from .. import quaternion
from ..arrays import Array, ArrayLike
from . import keys as keylib
from .evaluation import evaluate, evaluate_together
from .keys import BEZIER, SAME_FRAME, Keys, NotCuttable
from .representation import continuous, followed, restatement, same, sizes

Cut = Callable[[Keys, float], Keys]
Span = tuple[float, float]
"""The first and the last frame of something."""

AS_IT_WAS = 1e-5
"""A value nearer than this to the curve's own is the curve's own, as of the numbers of a rotation."""


def whole_frames(first: float, last: float) -> Array:
    """``first``, the whole frames after it, and ``last``."""
    inner = np.arange(math.floor(first + 1e-4) + 1, math.ceil(last - 1e-4))
    return np.concatenate([[first], inner, [last] if last > first + 1e-4 else []])


def parted(cut: Cut, keys: Keys, frame: float) -> tuple[Keys, Span | None]:
    """A curve up to a frame, or from there on: of an easing there samples, and from where to where.

    cut: which of the two, :func:`keylib.head` or :func:`keylib.tail`.
    """
    try:
        return cut(keys, frame), None
    except NotCuttable:
        first, last = keylib.segment(keys, frame)
        frames = np.unique(np.concatenate([whole_frames(first, last), [frame]]))
        sampled = keylib.with_baked_segment(keys, frame, frames, evaluate(keys, frames))
        return cut(sampled, frame), (first, last)


Made = tuple[list[Keys], list[Span | None]]
"""Curves, and for each from where to where an easing of it had to be sampled."""


def vectors(curves: Sequence[Keys], frames: ArrayLike, values: ArrayLike, kinks: Sequence[int] = ()) -> Made:
    """Curves that show values (n, curves) on frames (n,), sorted, from the first to the last of these.

    kinks: the frames, by index, at which they need not go on as they came, see :func:`keylib.kinked`.
    """
    return _replaced(curves, np.asarray(frames, float), np.asarray(values, float), kinks=kinks)


def rotations(
    curves: Sequence[Keys], mode: str, frames: ArrayLike, turns: ArrayLike, kinks: Sequence[int] = ()
) -> Made:
    """The channels of a rotation, as :func:`vectors`; turns: unit quaternions (n, 4).

    They go on from the numbers before the stretch without a flip or a turn, with keys between frames where
    angles would stray. What is behind it is restated in these numbers, which changes no pose at any frame.
    """
    frames = np.asarray(frames, float)
    shown = keylib.sampled_together(frames, quaternion.unflipped(turns))
    if len(kinks):
        shown = [keylib.kinked(keys, kinks) for keys in shown]
    at = frames[list(kinks)]

    def sample(at: Array) -> Array:
        before = evaluate_together(curves, at).T.astype(float)
        q = evaluate_together(shown, at).T.astype(float)
        q /= np.linalg.norm(q, axis=1, keepdims=True)
        return continuous(q, mode, before[0], sizes(before, mode))

    frames, raw = followed(sample, frames, mode)
    return _replaced(curves, frames, raw, mode, np.searchsorted(frames, at - SAME_FRAME).tolist())


def _replaced(
    curves: Sequence[Keys], frames: Array, values: Array, mode: str = "", kinks: Sequence[int] = ()
) -> Made:
    """Curves with dense keys in a stretch, and what is behind it restated. mode: of a rotation."""
    around = np.array([frames[0] - 1.0, frames[0], frames[-1], frames[-1] + 1.0])
    shown = evaluate_together(curves, around).T.astype(float)
    behind, values = same(len(curves)), values.copy()
    if mode:
        shown[0] = restatement(shown[0], mode, shown[1]).apply(shown[0])
        behind = restatement(shown[2], mode, values[-1])
        shown[3] = restatement(shown[3], mode, values[-1]).apply(shown[3])
    shown[2] = behind.apply(shown[2])
    for i, present in ((0, shown[1]), (-1, shown[2])):
        if np.all(np.abs(values[i] - present) < AS_IT_WAS * np.maximum(1.0, np.abs(present))):
            values[i] = present
    # how many samples there are beyond the ends, for the slopes there
    starts = int(min(keys.co[0, 0] for keys in curves) < frames[0] - SAME_FRAME)
    ends = int(max(keys.co[-1, 0] for keys in curves) > frames[-1] + SAME_FRAME)
    places = np.concatenate([around[:starts], frames, around[4 - ends :]])
    dense = keylib.sampled_together(places, np.concatenate([shown[:starts], values, shown[4 - ends :]]))
    replaced, eased = [], []
    for column, keys in enumerate(curves):
        whole = keylib.kinked(dense[column], [starts + i for i in kinks]) if len(kinks) else dense[column]
        middle = whole.take(slice(starts, starts + len(frames)))
        head, first = parted(keylib.head, keys, frames[0])
        tail, last = parted(keylib.tail, keys, frames[-1])
        tail = keylib.moved(tail, sign=float(behind.sign[column]), shift=float(behind.shift[column]))
        replaced.append(keylib.join(head, _led(middle, head, tail), tail))
        spans = [span for span in (first, last) if span is not None]
        eased.append((spans[0][0], spans[-1][1]) if spans else None)
    return replaced, eased


def _led(dense: Keys, head: Keys, tail: Keys) -> Keys:
    """Dense keys that leave a head, and reach a tail, with their slopes where these are bent."""
    key, third = dense.co.astype(float), np.diff(dense.co[:, 0].astype(float)) / 3.0
    points = dense.points.copy()
    across, up = (head.co[-1] - head.left[-1]).tolist()
    if len(head) > 1 and head.interpolation[-2] == BEZIER and across >= SAME_FRAME:
        points[0, 2] = key[0] + third[0] * np.array([1.0, up / across])
    across, up = (tail.right[0] - tail.co[0]).tolist()
    if len(tail) > 1 and tail.interpolation[0] == BEZIER and across >= SAME_FRAME:
        points[-1, 1] = key[-1] - third[-1] * np.array([1.0, up / across])
    return dataclasses.replace(dense, points=points)
