# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a clip's end goes on into its beginning, so that it can be played over and over."""

from __future__ import annotations

import numpy as np

from ..arrays import Array

PLACES = 48
"""At so many places within a clip, at most, it is looked at how it moves."""

STILL = 1e-5
"""What moves by no more than this part of its size stands still."""
BENT = 1.5
"""So many times as sharply as anywhere else a clip may change where it begins anew."""


def looked_at(start: float, end: float) -> Array:
    """The frames (n, 3) at which poses tell whether both ends of a clip meet.

    Three in a row, a frame apart, at some places within it; then, in the last row, those that would be in a
    row across its seam: a frame before its end, its end, and a frame after its beginning. Its beginning is
    the first of the first row.
    """
    middles = np.linspace(start + 1.0, end - 1.0, min(PLACES, max(1, round(end - start) - 1)))
    inner = middles[:, None] + (-1.0, 0.0, 1.0)
    return np.vstack([inner, [end - 1.0, end, start + 1.0]])


def thinned(frames: Array) -> Array:
    """Of the frames of :func:`looked_at` those at every other place, which tell of most clips that their ends
    don't meet."""
    return np.delete(frames, slice(2, -1, 2), axis=0)


def meet(places: Array, unseen: int = 0) -> bool:
    """Whether both ends of a clip meet: in their pose, and in how they move.

    places: (n, 3, joints, 3) where joints are on the frames of :func:`looked_at`, seen from the root. What
    differs at the seam must be no more than what the clip itself does from one frame to the next. unseen: of
    so many more places it is not known; then it is whether they may meet.
    """
    inner, seam, first = places[:-1], places[-1], places[0, 0]
    steps = _sizes(np.diff(inner, axis=1).reshape(-1, *places.shape[2:]))
    bends = _sizes(inner[:, 2] - 2.0 * inner[:, 1] + inner[:, 0])
    if not unseen and (not len(steps) or np.max(steps) <= STILL * np.ptp(places)):
        return False  # a pose that is held
    steps, bends = np.append(steps, np.full(2 * unseen, np.inf)), np.append(bends, np.full(unseen, np.inf))
    gap = _sizes((seam[1] - first)[None])[0]
    bend = _sizes(((seam[2] - first) - (seam[1] - seam[0]))[None])[0]
    return bool(gap <= np.median(steps) and bend <= BENT * np.max(bends))


def _sizes(moves: Array) -> Array:
    """How large moves (n, joints, 3) are, over all joints."""
    return np.asarray(np.sqrt(np.mean(np.sum(moves * moves, axis=-1), axis=-1)))
