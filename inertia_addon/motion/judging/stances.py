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
    """Return the height at which each foot stands on a clip's frames; NaN where it does not stand.

    A foot stands for at least 0.06 s while it is slower than 0.2 character sizes a second, level and up and
    down each, and slower than 0.1 at some time. Where feet were locked the latter does not count, as what
    should stand may glide all along. It must come from above or leave upwards, and neither come
    from below nor leave downwards: by more than 0.004 character sizes within 0.12 s before its first, or
    behind its last frame. One that does none of these counts as standing if its height is within 0.02 sizes
    of the lowest of feet in both clips.

    Parameters
    ----------
    track
        The clip, n frames.
    feet
        The joints, by index.
    evidence
        For the character's size, the frames a second, and the lowest height in both clips.
    passing : (2,)
        The velocity at which the ground passes below the clip, m/s; it counts, and 0.4 of
        its size is allowed more.

    Returns
    -------
    Array (n, feet)
        Metres; a stance has one height, the median. All is NaN for a clip of fewer than 2
        frames.
    """
    n, size = len(track.frames), evidence.size
    stands = np.full((n, len(feet)), np.nan)
    if n < 2:
        return stands
    p, rate = track.take_joints(feet), evidence.fps * (n - 1) / float(track.frames[-1] - track.frames[0])
    # over a frame of 30 a second on both sides at most, as captured joints tremble
    k = max(1, min(int(rate / 30.0), (n - 1) // 2))
    first, last = np.maximum(np.arange(n) - k, 0), np.minimum(np.arange(n) + k, n - 1)
    x, y, z = np.moveaxis((p[last] - p[first]) * (rate / (last - first))[:, None, None], -1, 0)
    level = np.hypot(x - passing[0], y - passing[1]) - UNSTEADY * math.hypot(*passing)
    slow = np.maximum(level, np.abs(z)) / size
    lowest = min(float(clip.take_joints(feet)[..., 2].min(initial=np.inf)) for clip in evidence.clips)
    beside, step = max(1, round(BESIDE_SECONDS * rate)), LEAVES * size
    comes = STAYS if evidence.has_locked_feet else COMES
    for foot in range(len(feet)):
        # few numbers at a time: plain ones are faster
        high, speed = p[:, foot, 2].tolist(), slow[:, foot]
        for begin, end in runs(speed < STAYS):
            if end - begin < SHORTEST_SECONDS * rate or float(speed[begin : end + 1].min()) >= comes:
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
    """Return two arrays (n, feet) at the result's frames: how much each foot has to stand, 0 to 1, and how
    high, metres.

    A clip's stance at a frame is that of its frame there or next behind. Where the destination's foot stands,
    from the cut on, the share is 1. Elsewhere, where the source's foot stands, it is 1 minus
    evidence.shares(), before the cut, too. Behind the cut that ends for good as soon as the source's foot
    lifts, or the source is over. Where neither stands the share is 0 and the height NaN.

    In a stance of the destination the height is its own and, times 1 minus the share that is shown, what the
    source's last stance up to the cut is higher. In a stance of the source it is the source's.

    stands: for the source and the destination the height (frames, feet), metres, at which each foot stands on
    the clip's frames, NaN where it does not; see :func:`find_stances`. They are not changed.
    """
    frames, cut = evidence.result.frames, evidence.cut
    source, destination = (
        _pick_heights(clip.frames, heights, frames)
        for clip, heights in zip(evidence.clips, stands, strict=True)
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
    """Return the height at which each foot (feet,) last stood at or before the cut; NaN for one that did not.

    frames: (n,), rising. heights: (n, feet), NaN where a foot does not stand.
    """
    known = ~np.isnan(heights) & (frames <= cut + 1e-6)[:, None]
    if not len(frames):
        return np.full(heights.shape[1], np.nan)
    last = len(frames) - 1 - np.argmax(known[::-1], axis=0)
    return np.where(known.any(axis=0), heights[last, np.arange(heights.shape[1])], np.nan)


def _pick_heights(known_frames: Array, heights: Array, frames: Array) -> Array:
    """Return heights (m, feet) at frames (m,), each that of the known frame at it or next behind it; NaN
    beyond these.

    known_frames: (n,), rising. heights: (n, feet). Nothing is interpolated.
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
    """Return how far feet skate over the ground from each frame to the next: the horizontal way less that of
    the ground, times a weight from 0 to 1.

    A step counts by the lower of both frames' parts, and by how near the foot is to where it stands. With h
    the mean height above that at both frames, this is 2 - 2^(h / low), from 0 to 1: 1 on or below it, 0 from
    `low` on; see :func:`evidence.weights_above`.

    Parameters
    ----------
    track
        n frames, not looked at for teleports.
    feet
        The joints, by index.
    passing : (n, 2)
        How fast the ground goes, metres a second; in a step the mean of both frames counts.
    ground
        The parts by which each foot has to stand, (n, feet), 0 to 1; and how high, (n,
        feet), NaN where the part is 0.
    scale
        How high a low foot is, metres, above 0; and frames a second.
    floor : (n, feet)
        What no foot of the clips goes below, metres. One that does is dragged through the
        ground, and counts, in a swing, too, by its mean depth at both frames in `low`, up to 1,
        if that is more than by the above. None for none.

    Returns
    -------
    Array (n - 1, feet)
        Metres, 0 or more.
    """
    (low, fps), (shares, heights), p = scale, ground, track.take_joints(feet)
    seconds = np.diff(track.frames)[:, None] / fps
    ways = np.diff(p[..., :2], axis=0) - (0.5 * seconds * (passing[1:] + passing[:-1]))[:, None]
    above = np.nan_to_num(p[..., 2] - heights)
    # a step counts as far as the foot has to stand at both of its ends
    counts = np.minimum(shares[1:], shares[:-1]) * weights_above(0.5 * (above[1:] + above[:-1]), low)
    if floor is not None:
        deep = floor - p[..., 2]
        counts = np.maximum(counts, np.clip(0.5 * (deep[1:] + deep[:-1]) / low, 0.0, 1.0))
    return np.asarray(np.hypot(ways[..., 0], ways[..., 1]) * counts)


def most_in(skated: Array, steps: Array, goes: Flags, span: float) -> Array:
    """Return the furthest that each foot goes over the ground within any `span` frames of a clip.

    Windows begin with a step and end with the first step that fills the span, which counts in full.

    Parameters
    ----------
    skated : (n, feet)
        The way in each step, metres.
    steps : (n,)
        The frames that a step takes.
    goes : (n,)
        Which steps count; others count neither as way nor as time.
    span
        Frames. If the steps that count take fewer, the whole way is scaled up to the span.

    Returns
    -------
    Array (feet,)
        Metres; 0 without steps.
    """
    if not len(skated):
        return np.zeros(skated.shape[1])
    sums = np.concatenate([np.zeros((1, skated.shape[1])), np.cumsum(skated * goes[:, None], axis=0)])
    at = np.concatenate([[0.0], np.cumsum(steps * goes)])
    # a clip shorter than the span is taken to go on as it does
    if at[-1] < span:
        return np.asarray(sums[-1] * (span / max(float(at[-1]), 1e-9)))
    ends: Integers = np.minimum(np.searchsorted(at, at + span - 1e-6), len(at) - 1)
    return np.asarray((sums[ends] - sums).max(axis=0))
