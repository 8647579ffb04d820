# SPDX-License-Identifier: GPL-3.0-or-later
"""Jitter: noise on top of a motion, measured and taken out no further than it goes.

How much noise there is, is told by differences of fourth order over time: those of a smooth motion all but
vanish, those of white noise of a deviation s have one of sqrt(70) s. The quiet part of them counts, as a
quick motion has some, too, but not all the time.

What is smoothed goes along local cubics (Savitzky and Golay, "Smoothing and Differentiation of Data by
Simplified Least Squares Procedures", 1964), which keep peaks and timing. How many frames each takes is chosen
frame by frame: the width of the least expected error, of which Stein's unbiased estimate knows by the noise
alone (Stein, "Estimation of the Mean of a Multivariate Normal Distribution", 1981). So a still hand is
smoothed over many frames, a punch over few or none.
"""

from __future__ import annotations

import functools
import math

import numpy as np

from .. import quaternion
from ..arrays import Array, Flags

ORDER = 4
"""The order of the differences that tell noise from motion."""
QUIET = 0.25
"""This part of a window's differences, the smallest, is noise alone."""
OF_QUIET = 0.3186
"""A quarter of what is normally distributed is no further from 0 than so many deviations."""
WINDOW = 32
"""Noise is measured over so many frames at a time."""
HALF_WIDTHS = (2, 3, 4, 5, 6, 8, 10, 12)
"""A local cubic takes so many frames on each side, if any."""
FURTHEST = 3.0
"""Nothing is moved by more than so many deviations of the noise."""
NEARBY = 4
"""The expected error of a width is that of so many frames on each side together, as one alone says little."""


def measure_noise(steps: Array) -> tuple[Array, Array]:
    """Measure the noise of motions in windows of 32 frames that overlap by half.

    Parameters
    ----------
    steps : (n - 1, motions, 3)
        From each frame to the next: rotation vectors or ways.

    Returns
    -------
    firsts : (windows,)
        The frame, by index, with which each window begins. A motion of fewer than 12 frames has no window.
    deviations : (windows, motions)
        Of the noise of each axis, in the unit of the steps.
    """
    count = len(steps) + 1
    if count < 3 * ORDER:
        return np.zeros(0, int), np.zeros((0, steps.shape[1]))
    differences = np.abs(np.diff(steps, ORDER - 1, axis=0)) / math.sqrt(math.comb(2 * ORDER, ORDER))
    last = max(count - WINDOW, 0)
    firsts = np.unique(np.append(np.arange(0, last, WINDOW // 2), last))
    deviations = [
        # all axes together, as few differences say little of what is quiet
        np.quantile(differences[first : first + WINDOW - ORDER], QUIET, axis=(0, 2)) / OF_QUIET
        for first in firsts.tolist()
    ]
    return firsts, np.stack(deviations)


def smooth_rotations(turns: Array, deviation: float, frames: Flags | None = None) -> Array:
    """Return rotations without the noise that they have: each drawn to a cubic through those around it, about
    as wide as leaves the least error there.

    Parameters
    ----------
    turns : (n, 4)
        Unit quaternions at even frames; they are not changed.
    deviation
        Of the noise about each axis, radians.
    frames : (n,)
        Which of them may change; None for all.

    Returns
    -------
    Array (n, 4)
        A new array, each turned by at most 3 deviations. The same for fewer than 6 frames.
    """
    reach = _reach(len(turns))
    if reach == 0:
        return turns.copy()
    # behind each end it goes on point-mirrored about the last one
    ends = [
        quaternion.multiply(end, quaternion.multiply(quaternion.conjugate(beside), end))
        for end, beside in ((turns[:1], turns[reach:0:-1]), (turns[-1:], turns[-2 : -reach - 2 : -1]))
    ]
    long = np.concatenate([ends[0], turns, ends[1]])
    back = quaternion.conjugate(turns)
    around = np.stack(
        [quaternion.log(quaternion.multiply(long[i : i + len(turns)], back)) for i in range(2 * reach + 1)]
    )
    moved = _corrections(around, deviation)
    if frames is not None:
        moved[~frames] = 0.0
    return quaternion.multiply(quaternion.exp(moved), turns)


def smooth_places(places: Array, deviation: float, frames: Flags | None = None) -> Array:
    """Return places (n, 3), at even frames, without the noise that they have: each drawn to a cubic through
    those around it, as :func:`smooth_rotations` does.

    deviation: of the noise along each axis, in the unit of places; each is moved by 3 of these at most.
    frames: (n,), which may change; None for all. Fewer than 6 places come back as a copy.
    """
    reach = _reach(len(places))
    if reach == 0:
        return places.copy()
    before = 2.0 * places[:1] - places[reach:0:-1]
    behind = 2.0 * places[-1:] - places[-2 : -reach - 2 : -1]
    long = np.concatenate([before, places, behind])
    around = np.stack([long[i : i + len(places)] - places for i in range(2 * reach + 1)])
    moved = _corrections(around, deviation)
    if frames is not None:
        moved[~frames] = 0.0
    return places + moved


def _reach(count: int) -> int:
    """Return how many frames the widest cubic of so many frames takes on each side; 0 for too few."""
    return max((half for half in HALF_WIDTHS if half < count // 2), default=0)


def _corrections(around: Array, deviation: float) -> Array:
    """Return by how much each frame is moved (n, 3), no further than 3 deviations, towards a local cubic.

    Each frame takes the width of the cubic, or none, that leaves the least expected error around it. around:
    (2 reach + 1, n, 3), the frames around each one, seen from it. deviation: of the noise, in their unit.
    """
    reach, count = len(around) // 2, around.shape[1]
    corrections = [np.zeros((count, 3))]
    # without smoothing the error is that of the noise itself
    errors = [np.full(count, deviation**2)]
    for half in (half for half in HALF_WIDTHS if half <= reach):
        weights = cubic_weights(half)
        moved = np.tensordot(weights, around[reach - half : reach + half + 1], 1)
        # Stein: what is left over, less what the noise is in it
        each = np.mean(moved**2, axis=1) + (2.0 * weights[half] - 1.0) * deviation**2
        corrections.append(moved)
        errors.append(_averaged(each))
    best = np.argmin(np.stack(errors), axis=0)
    # neighbours that take other widths must not jump
    shares = np.stack([_averaged((best == i).astype(float)) for i in range(len(errors))])
    moved = np.einsum("wn,wnk->nk", shares, np.stack(corrections))
    lengths = np.linalg.norm(moved, axis=1, keepdims=True)
    return np.asarray(moved * np.minimum(1.0, FURTHEST * deviation / np.maximum(lengths, 1e-12)))


@functools.lru_cache(maxsize=32)
def cubic_weights(half: int) -> Array:
    """Return how much each of 2 half + 1 frames (in order) counts for the middle one of their cubic."""
    t = np.arange(-half, half + 1) / half
    powers = t[:, None] ** np.arange(4)
    return np.asarray(np.linalg.pinv(powers)[0])


def _averaged(values: Array) -> Array:
    """Return values (n,), each averaged with up to NEARBY on either side, fewer at the ends."""
    window = np.ones(2 * NEARBY + 1)
    return np.asarray(np.convolve(values, window, "same") / np.convolve(np.ones(len(values)), window, "same"))
