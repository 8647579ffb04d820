# SPDX-License-Identifier: GPL-3.0-or-later
"""Fewer keys: of curves with a key on every frame those that say the same within a tolerance.

The keys that stay have the slopes of the full curve, so that a thinned curve is the cubic Hermite spline
through some of its points. It begins with the two ends alone: where it leaves the tolerance, on a frame or
half-way between two, the worst place's key comes back (as Douglas and Peucker, 1973, do with lines). With all
of them back it is the full curve, so that this always ends.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

import numpy as np

from ...records import record
from ..arrays import Array, Integers
from .keys import SAME_FRAME, Keys

Away = Callable[[Array, Array], Array]
"""How far values (n, channels) are from others, (n,), in tolerances."""


@record(frozen=True)
class Strand:
    """Channels with keys on the same frames, from the first to the last of which they may be thinned.

    frames: (n,), n at least 2. values, slopes: (n, channels), per frame. away: see :data:`Away`.
    """

    frames: Array
    values: Array
    slopes: Array
    away: Away

    def find_strays(self, chosen: Array) -> tuple[Array, Array]:
        """Return the frames (k,) at which keys on the chosen frames alone leave the tolerance, and their
        distances (k,), above 1.

        chosen: rising, with the strand's first and last frame. For each gap between chosen frames only the
        worst place is returned, if it is out of tolerance; a place half-way between two frames is rounded to
        a frame inside the gap. Distances are in tolerances.
        """
        kept = np.flatnonzero(np.isin(self.frames, chosen))
        middles = 0.5 * (self.frames[1:] + self.frames[:-1])
        places = np.insert(self.frames, np.arange(1, len(self.frames)), middles)
        every = np.arange(len(self.frames))
        far = self.away(self._evaluate(kept, places), self._evaluate(every, places))
        frames, worst = [], []
        for first, last in itertools.pairwise(kept.tolist()):
            if last > first + 1:
                at = 2 * first + int(np.argmax(far[2 * first : 2 * last + 1]))
                frames.append(self.frames[min(max((at + 1) // 2, first + 1), last - 1)])
                worst.append(far[at])
        beyond = np.array(worst, float) > 1.0
        return np.array(frames, float)[beyond], np.array(worst, float)[beyond]

    def _evaluate(self, indices: Integers, places: Array) -> Array:
        """Return the values (m, channels) at places (m,) of the cubic Hermite spline through some of the
        strand's keys.

        indices: (k,), rising, at least two. The keys keep the slopes that they have in the full strand.
        """
        x, y, slopes = self.frames[indices], self.values[indices], self.slopes[indices]
        i = np.clip(np.searchsorted(x, places, "right") - 1, 0, len(x) - 2)
        gap = (x[i + 1] - x[i])[:, None]
        t = (places - x[i])[:, None] / gap
        u = 1.0 - t
        ends = u * u * (1.0 + 2.0 * t) * y[i] + t * t * (3.0 - 2.0 * t) * y[i + 1]
        return np.asarray(ends + gap * t * u * (u * slopes[i] - t * slopes[i + 1]))


def find_needed_frames(strands: Sequence[Strand]) -> Array:
    """Return the frames (k,), rising, on which strands need keys to stay within their tolerances.

    All strands' first and last frames are included. All strands share the frames; one that has no key on such
    a frame simply lacks it. Raise ValueError without strands.
    """
    chosen = np.unique([strand.frames[i] for strand in strands for i in (0, -1)])
    while True:
        gaps = [strand.find_strays(chosen) for strand in strands]
        frames, far = (np.concatenate(each) for each in zip(*gaps, strict=True))
        if not len(frames):
            return chosen
        # in each gap the worst of all, so that strands share their keys
        order = np.argsort(-far)
        _, first = np.unique(np.searchsorted(chosen, frames[order]), return_index=True)
        chosen = np.union1d(chosen, frames[order][first])


def strand(curves: Sequence[Keys], first: float, last: float, away: Away) -> Strand:
    """Return the strand of curves between two frames on which they have keys.

    Parameters
    ----------
    curves
        With keys on the same frames between these, their handles a third of the way long.
    first, last
        The two frames; a key within 0.001 frames counts.
    away
        How far values (n, channels) are from others, (n,), in tolerances.

    Returns
    -------
    Strand
        Its frames (n,) are those of the keys, `first` and `last` included; its values and slopes, per frame,
        (n, channels), have a channel for each curve, in their order.
    """
    spans = [_find_key_slice(keys, first, last) for keys in curves]
    parts = [keys.take(span) for keys, span in zip(curves, spans, strict=True)]
    frames = parts[0].co[:, 0].astype(float)
    values = np.stack([keys.co[:, 1].astype(float) for keys in parts], axis=1)
    return Strand(frames, values, np.stack([_slopes(keys) for keys in parts], axis=1), away)


def thin_keys(keys: Keys, first: float, last: float, frames: Array) -> Keys:
    """Return a copy of a curve with fewer keys between two of its keys.

    The keys that stay keep their slopes, with handles a third of the new gaps long; the two outer handles at
    the ends of the stretch, and all types of handles, stay as they are.

    Parameters
    ----------
    keys
        The curve.
    first, last
        The frames of the two keys, within 0.001; these keys stay in any case, as do all keys
        outside.
    frames : (k,)
        The frames whose keys stay between these two; float32 must have them exactly as the
        keys do.

    Returns
    -------
    Keys
        A new curve.
    """
    span = _find_key_slice(keys, first, last)
    kept = np.ones(len(keys), bool)
    kept[span] = np.isin(keys.co[span, 0], frames.astype(np.float32))
    kept[[span.start, span.stop - 1]] = True
    slopes = np.zeros(len(keys))
    slopes[span] = _slopes(keys.take(span))
    thin = keys.take(kept)
    stop = span.start + int(np.count_nonzero(kept[span]))
    points, slope = thin.co[span.start : stop].astype(float), slopes[kept][span.start : stop]
    thirds = np.diff(points[:, 0]) / 3.0
    thin.right[span.start : stop - 1] = points[:-1] + np.stack([thirds, thirds * slope[:-1]], axis=1)
    thin.left[span.start + 1 : stop] = points[1:] - np.stack([thirds, thirds * slope[1:]], axis=1)
    return thin


def _find_key_slice(keys: Keys, first: float, last: float) -> slice:
    """Return the slice of the keys from the one on frame `first` to the one on frame `last`."""
    ends = keys.co[:, 0].searchsorted(np.array([first - SAME_FRAME, last + SAME_FRAME], np.float32))
    return slice(int(ends[0]), int(ends[1]))


def _slopes(keys: Keys) -> Array:
    """Return the slopes (n,), value per frame, with which keys go on: those of their right handles.

    For the last key it is the slope of its left handle. The keys must not have a handle on their own frame.
    """
    key, left, right = (points.astype(float) for points in (keys.co, keys.left, keys.right))
    ahead = right - key
    ahead[-1] = key[-1] - left[-1]
    return np.asarray(ahead[:, 1] / ahead[:, 0])
