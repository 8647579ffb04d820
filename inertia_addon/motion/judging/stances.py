# SPDX-License-Identifier: GPL-3.0-or-later
"""The ground that feet stand on: each foot's own stances in the two clips, however high these are.

A foot of a transition has to stand while it is planted in the clip that is shown; in a swing it may go as
near to the ground as it likes, but not through it. Where it is planted says a clip by itself, never the
transition, so that a foot that skates cannot hide.
"""

from __future__ import annotations

import math
import statistics

import numpy as np

from ..arrays import Array, Flags, Integers, runs
from .evidence import Evidence, Track, weights_above

COMES, STAYS = 0.1, 0.2
"""A foot that is once slower than so many sizes a second is planted while it is slower than the other."""
UNSTEADY = 0.4
"""Over ground that passes it may be faster by this part of how fast that is, too."""
SHORTEST_SECONDS = 0.06
"""It is planted for so long at least."""
LEAVES, BESIDE_SECONDS = 0.004, 0.12
"""So long before and behind that it comes and goes, where it is this part of the size higher or lower."""
NEAR = 0.02
"""A foot that neither comes nor goes stands where no foot is lower by more than this part of the size."""


def find_stances(track: Track, feet: list[int], evidence: Evidence, passing: Array) -> Array:
    """Return how high each foot stands at a clip's frames (n, feet), metres; NaN where it swings.

    A foot is planted while it is slow over the ground, in all directions, and comes from above and leaves
    upwards, as far as the clip shows that: a foot that comes from below, or goes down, is held in the air.
    Of one that stays where it is that is told by how high feet are in both clips. passing: (2,) metres a
    second, how fast the ground goes below the clip.
    """
    n, size = len(track.frames), evidence.size
    stands = np.full((n, len(feet)), np.nan)
    if n < 2:
        return stands
    p, rate = track.only(feet), evidence.fps * (n - 1) / float(track.frames[-1] - track.frames[0])
    # over a frame of 30 a second on both sides at most, as captured joints tremble
    k = max(1, min(int(rate / 30.0), (n - 1) // 2))
    first, last = np.maximum(np.arange(n) - k, 0), np.minimum(np.arange(n) + k, n - 1)
    x, y, z = np.moveaxis((p[last] - p[first]) * (rate / (last - first))[:, None, None], -1, 0)
    level = np.hypot(x - passing[0], y - passing[1]) - UNSTEADY * math.hypot(*passing)
    slow = np.maximum(level, np.abs(z)) / size
    lowest = min(float(clip.only(feet)[..., 2].min(initial=np.inf)) for clip in evidence.clips)
    beside, step = max(1, round(BESIDE_SECONDS * rate)), LEAVES * size
    for foot in range(len(feet)):
        # few numbers at a time: plain ones are faster
        high, speed = p[:, foot, 2].tolist(), slow[:, foot]
        for begin, end in runs(speed < STAYS):
            if end - begin < SHORTEST_SECONDS * rate or float(speed[begin : end + 1].min()) >= COMES:
                continue
            height = statistics.median(high[begin : end + 1])
            before, behind = high[max(begin - beside, 0) : begin], high[end + 1 : end + 1 + beside]
            ways = _goes(before, high[begin], step), _goes(behind, high[end], step)
            if min(ways) >= 0 and (max(ways) > 0 or height <= lowest + NEAR * size):
                stands[begin : end + 1, foot] = height
    return stands


def _goes(beside: list[float], height: float, step: float) -> int:
    """Return 1 for a foot that is higher beside its stance, -1 for one that is only lower, 0 for neither."""
    if not beside:
        return 0
    return 1 if max(beside) - height > step else -1 if min(beside) - height < -step else 0


def find_ground(evidence: Evidence, stands: tuple[Array, Array]) -> tuple[Array, Array]:
    """Return how much a foot of the result has to stand at its frames, in parts (n, feet), and how high.

    stands: of both clips, see :func:`find_stances`. The destination's stances count in full from the cut on.
    Those of the source that go on over the cut count as much as the source is shown. From the height of the
    last one to that of the first the ground goes as the destination comes to be shown.
    """
    frames, cut = evidence.result.frames, evidence.cut
    source, destination = (
        _at(clip.frames, heights, frames) for clip, heights in zip(evidence.clips, stands, strict=True)
    )
    before = _last_stance(evidence.source.frames, stands[0], cut)
    source[_lifted(frames, source, cut)] = np.nan
    destination[frames < cut - 1e-6] = np.nan
    shown = evidence.shares()[:, None]
    shares = np.where(np.isnan(source), 0.0, 1.0 - shown)
    shares = np.where(np.isnan(destination), shares, 1.0)
    # what is left of an offset between two stances decays with it
    between = destination + (1.0 - shown) * np.nan_to_num(before - destination)
    return shares, np.where(np.isnan(destination), source, between)


def _last_stance(frames: Array, heights: Array, cut: float) -> Array:
    """Return how high each foot (feet,) stood last before the cut; NaN for one that did not."""
    known = ~np.isnan(heights) & (frames <= cut + 1e-6)[:, None]
    if not len(frames):
        return np.full(heights.shape[1], np.nan)
    last = len(frames) - 1 - np.argmax(known[::-1], axis=0)
    return np.where(known.any(axis=0), heights[last, np.arange(heights.shape[1])], np.nan)


def _at(known_frames: Array, heights: Array, frames: Array) -> Array:
    """Return heights (n, feet) at frames (m,), interpolated from those at `known_frames`: NaN beyond
    these.
    """
    if not len(known_frames):
        return np.full((len(frames), heights.shape[1]), np.nan)
    place = np.clip(np.searchsorted(known_frames, frames - 1e-6), 0, len(known_frames) - 1)
    off = (frames < known_frames[0] - 1e-6) | (frames > known_frames[-1] + 1e-6)
    return np.where(off[:, None], np.nan, heights[place])


def _lifted(frames: Array, stands: Array, cut: float) -> Flags:
    """Tell where (n, feet), behind the cut, a foot of the source has lifted: what it does then is never
    shown.
    """
    behind = (frames > cut - 1e-6)[:, None]
    return np.asarray(np.logical_or.accumulate(behind & np.isnan(stands), axis=0))


def measure_skating(
    track: Track,
    feet: list[int],
    passing: Array,
    ground: tuple[Array, Array],
    scale: tuple[float, float],
    floor: Array | None = None,
) -> Array:
    """Return how far feet skate over the ground from each frame to the next (n - 1, feet), metres.

    passing: (n, 2) metres a second, how fast the ground goes. ground: the parts by which each foot has to
    stand (n, feet), and how high. A step counts by that part, and by how near the foot is to where it
    stands, see :func:`evidence.weights_above`. scale: how high a low foot is, metres, and frames a second.
    floor: (n, feet) what no foot of the clips goes below; one that does is dragged through the ground, and
    counts, in a swing, too, the deeper the more up to as deep as a low foot is high; None for none.
    """
    (low, fps), (shares, heights), p = scale, ground, track.only(feet)
    seconds = np.diff(track.frames)[:, None] / fps
    ways = np.diff(p[..., :2], axis=0) - (0.5 * seconds * (passing[1:] + passing[:-1]))[:, None]
    above = np.nan_to_num(p[..., 2] - heights)
    counts = np.minimum(shares[1:], shares[:-1]) * weights_above(0.5 * (above[1:] + above[:-1]), low)
    if floor is not None:
        deep = floor - p[..., 2]
        counts = np.maximum(counts, np.clip(0.5 * (deep[1:] + deep[:-1]) / low, 0.0, 1.0))
    return np.asarray(np.hypot(ways[..., 0], ways[..., 1]) * counts)


def most_in(skated: Array, steps: Array, goes: Flags, span: float) -> Array:
    """Return the furthest that each foot of a clip skates in any stretch of so many frames (feet,), metres.

    skated: (n, feet) in steps of so many frames (n,), of which those that ``goes`` count. A clip that is
    shorter skates on as it does in all.
    """
    if not len(skated):
        return np.zeros(skated.shape[1])
    sums = np.concatenate([np.zeros((1, skated.shape[1])), np.cumsum(skated * goes[:, None], axis=0)])
    at = np.concatenate([[0.0], np.cumsum(steps * goes)])
    if at[-1] < span:
        return np.asarray(sums[-1] * (span / max(float(at[-1]), 1e-9)))
    ends: Integers = np.minimum(np.searchsorted(at, at + span - 1e-6), len(at) - 1)
    return np.asarray((sums[ends] - sums).max(axis=0))
