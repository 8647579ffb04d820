# SPDX-License-Identifier: GPL-3.0-or-later
"""The ground that feet stand on: how high it is, how fast it passes, and how far feet skate over it."""

from __future__ import annotations

import numpy as np

from ..arrays import Array, Integers
from .evidence import Track

LOW = 0.01
"""A foot lower than this part of the size above its ground is on it: 2.5 cm of a grown-up."""
AROUND_SECONDS = 0.6
"""A foot stands as low as it comes to so long before or after."""
STANDING = 0.05
"""Low feet of who stands go no faster than so many sizes a second, in the middle."""
TRAVELS = 0.3
"""Low feet of who travels stand if they go, in the middle, no faster than this part of how fast that is; and
who goes along with low feet by more than this part of their speed skates, and is not in place."""
STEADY = 0.5
"""The ground passes steadily where the middle low foot is no further off its speed than by this part."""


def heights(tracks: tuple[Track, ...], feet: list[int], frames: Array, fps: float) -> Array:
    """How high feet stand at frames (n, feet), metres: as low as they come to nearby in any track."""
    lowest = np.full((len(frames), len(feet)), np.inf)
    around = AROUND_SECONDS * fps
    for track in tracks:
        z = track.only(feet)[..., 2]
        first = np.searchsorted(track.frames, frames - around - 1e-6)
        last = np.searchsorted(track.frames, frames + around + 1e-6)
        lowest = np.minimum(lowest, over_spans(np.minimum, z, first, last, np.inf))
    return np.where(np.isfinite(lowest), lowest, 0.0)


def over_spans(of: np.ufunc, values: Array, first: Integers, last: Integers, without: float) -> Array:
    """The highest or lowest of values (n, k) in each of some spans of rows (spans, k).

    of: :data:`numpy.maximum` or :data:`numpy.minimum`. first: (spans,), and last: the row behind each.
    without: what there is in a span without rows.
    """
    padded = np.concatenate([values, np.full((1, values.shape[1]), without)])
    extremes = of.reduceat(padded, np.column_stack([first, last]).ravel())[::2]
    return np.where((first < last)[:, None], extremes, without)


def skating(track: Track, feet: list[int], passing: Array, stands: Array, low: float, fps: float) -> Array:
    """How far feet skate over the ground from each frame to the next (n - 1, feet), metres.

    passing: (n, 2) metres a second, how fast the ground goes. stands: (n, feet) how high feet stand. A step
    counts by 2 - 2^(h / low), between 1 on the ground and 0 from ``low`` above it on (H. Zhang et al.,
    "Mode-Adaptive Neural Networks for Quadruped Motion Control", 2018, section 8.2, there as a mean speed).
    """
    p, seconds = track.only(feet), np.diff(track.frames)[:, None] / fps
    ways = np.diff(p[..., :2], axis=0) - (0.5 * seconds * (passing[1:] + passing[:-1]))[:, None]
    return np.asarray(np.linalg.norm(ways, axis=-1) * counts(track, feet, stands, low))


def counts(track: Track, feet: list[int], stands: Array, low: float) -> Array:
    """How much each step of feet counts (n - 1, feet), see :func:`skating`."""
    above = track.only(feet)[..., 2] - stands
    return np.clip(2.0 - np.exp2(np.clip(0.5 * (above[1:] + above[:-1]) / low, -1.0, 2.0)), 0.0, 1.0)


def passing(track: Track, size: float, low: float, fps: float) -> Array | None:
    """How fast the ground passes below who walks in place (2,), metres a second; 0 where it stands.

    track: the feet, and behind them the hips. size: of the character. None where low feet skate about.
    """
    still, feet = np.zeros(2), list(range(track.positions.shape[1] - 1))
    if not feet or len(track.frames) < 3:
        return still
    p, seconds = track.positions, np.diff(track.frames)[:, None] / fps
    above = p[:, feet, 2] - heights((track,), feet, track.frames, fps)
    ways = np.diff(p[..., :2], axis=0) / seconds[..., None]
    velocities, hips = ways[:, feet], ways[:, -1]
    velocities = velocities[0.5 * (above[1:] + above[:-1]) < low]
    if not len(velocities):
        return still
    travels = float(np.mean(np.linalg.norm(hips, axis=1)))
    if float(np.median(np.linalg.norm(velocities, axis=-1))) <= max(STANDING * size, TRAVELS * travels):
        return still
    middle = np.median(velocities, axis=0)
    goes = np.sum(hips * seconds, axis=0) / float(seconds.sum())
    off = float(np.median(np.linalg.norm(velocities - middle, axis=-1)))
    if off > STEADY * float(np.linalg.norm(middle)) or float(goes @ middle) > TRAVELS * float(
        middle @ middle
    ):
        return None
    return np.asarray(middle)
