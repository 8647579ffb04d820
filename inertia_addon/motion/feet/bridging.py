# SPDX-License-Identifier: GPL-3.0-or-later
"""Where feet are held in a stretch between two others that stay as they are.

A foot that stands as the stretch begins stays where it is then, and one that stands as it ends has been there
before. In between it stands where the stretch has it. From one place to the next it has the time of a step.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Sequence

import numpy as np

from ..arrays import Array, eased, eased_smoothly, runs
from .contacts import medians
from .corrections import BLEED_SECONDS, Hold, find_rest_point, rates_of, trim_to_standing
from .handover import NEARBY, distance, estimate_step_seconds
from .leg_ik import SOFT
from .locking import LegMotion

STOPS = 0.5
"""A foot that goes more leg lengths a second where a stretch begins, or ends, does not stand there."""
STEP_SECONDS = 0.2
"""A step to what is near takes so long."""
PER_HEIGHT_SECONDS = 0.6
"""A foot that is high up at an end takes so long for a leg length of height."""
TILT_SECONDS = 0.2
"""Over so long a foot comes to be tilted as the clips have it, and to how it is where the stretch ends."""
FREE_SECONDS = 0.03
"""A foot that is let go is free after so long."""
LEVEL = 0.7
"""A foot that is less level, as a part, is tilted less, and one that stands upright not at all."""


def place_holds(
    times: Array,
    leg: LegMotion,
    stands: Sequence[tuple[int, int]],
    heights: Array,
    radius: float,
    drop: float,
) -> list[Hold]:
    """Return where a foot is held in a stretch so that neither end of the stretch changes.

    A stand that contains the first or last frame is held where the foot comes to rest from its speed there,
    0.025 s of that speed further on (at the last frame: further back), if its point goes at most 0.5 leg
    lengths a second; such a hold has `speed` (at the first frame) or `leaves` (at the last): the rates (4,)
    of x, y, z and heading per second. Any other stand, and one whose foot is faster at that end, is held at
    the median of the foot's x, y, heading and `heights` on it, without the frames in which the foot still
    lands or already lifts. Holds are shortened, or dropped, where the foot cannot get there or away in time
    or the leg does not reach.

    Parameters
    ----------
    times : (n,)
        Seconds, rising.
    leg
        Its motion in the stretch.
    stands
        The first and the last frame, by index and both included, of each time in which the
        foot stands, in order of time; () gives [].
    heights : (n,)
        The height of the foot's point in the clips that are played, which is taken as the
        ground.
    radius
        Leg lengths. A stand that is held for an end is held at its median place, too, for
        its share of the time, if that place is further than this from the end's (of two ends:
        from the nearer one).
    drop
        How far the hips may go down, in world units.

    Returns
    -------
    list[Hold]
        In order of time, with points (x, y, z, heading) and frames by index, both included. Of
        one stand, the hold for the first frame comes first, then the median place, then the hold
        for the last frame.
    """
    free, last = leg.point_and_heading, len(times) - 1
    rates = rates_of(free, times)
    ground = np.column_stack([free[:, :2], heights, free[:, 3:]])
    possible: list[Hold] = []
    for (first, end), middle in zip(stands, medians(ground, stands), strict=True):
        between = [Hold(first, end, middle)]
        before, behind = [], []
        if first == 0 and can_stop(rates[0], leg):
            before = [Hold(first, end, find_rest_point(free[0], rates[0]), speed=rates[0])]
        if end == last and can_stop(rates[-1], leg):
            # the same in reversed time
            behind = [Hold(first, end, find_rest_point(free[-1], -rates[-1]), leaves=rates[-1])]
        if not before and not behind:
            row = [trim_to_standing(times, ground, between[0], leg.near[:4])]
        else:
            apart = min(distance(hold.point, middle) for hold in (*before, *behind))
            row = [*before, *(between if apart > radius * leg.length else []), *behind]
            row = _shared(times, row, leg.length)
        possible += [hold for each in row for hold in _possible(times, leg, each, drop)]
    return _with_steps(times, possible, leg.length)


def can_stop(rate: Array, leg: LegMotion) -> bool:
    """Tell whether a foot is slow enough to stop where it is. rate: (k,) a second."""
    return float(np.linalg.norm(rate[:3])) <= STOPS * leg.length


def _step_seconds(distance: float, length: float) -> float:
    """Return how long a step takes, seconds. A short one sets out no more quickly, or it would pop."""
    near = STEP_SECONDS * math.sqrt(min(distance / (NEARBY * length), 1.0))
    return max(near, estimate_step_seconds(distance, length))


def _with_steps(times: Array, holds: Sequence[Hold], length: float) -> list[Hold]:
    """Return holds, in order, each of which can be reached from the one before in the time of a step, as
    :func:`_step_seconds` tells by their distance.

    times: seconds (n,). holds: in order of time; they are not changed. length: the leg's, in the unit of the
    points. Where time is missing, the earlier hold ends earlier and loses `leaves`, and the later one begins
    later and loses `speed`, each by half of the missing time or more, on a frame. A hold that has fewer than
    two frames left is dropped. The other one of the two is shortened all the same. Where the earlier one is
    dropped, the later one is not compared with the hold before that.
    """
    kept: list[Hold] = []
    for hold in holds:
        if kept:
            before = kept[-1]
            missing = _step_seconds(distance(before.point, hold.point), length)
            missing -= float(times[hold.first] - times[before.last])
            if missing > 0.0:
                last = int(np.searchsorted(times, times[before.last] - 0.5 * missing, "right")) - 1
                first = int(np.searchsorted(times, times[hold.first] + 0.5 * missing, "left"))
                kept.pop()
                if last > before.first:
                    kept.append(dataclasses.replace(before, last=last, leaves=None))
                if first >= hold.last:
                    continue
                hold = dataclasses.replace(hold, first=first, speed=None)
        kept.append(hold)
    return kept


def _shared(times: Array, row: Sequence[Hold], length: float) -> list[Hold]:
    """Return the holds of one stand, each cut to its share of the stand's time, with the time of a step in
    between.

    The stand's time is divided into equal shares, one for each hold. The time of a step, as
    :func:`_step_seconds` tells by the distance of two holds, lies half before and half behind the boundary of
    their shares, so that a hold in the middle is shorter than those at the ends.

    times: seconds (n,). row: holds with the same first and last frame, in the order in which they follow; at
    least one. length: the leg's. A hold keeps the frames within what is left of its share, and its `speed`
    and `leaves`; one without any frame left is dropped. The holds given are not changed.
    """
    shares = np.linspace(times[row[0].first], times[row[0].last], len(row) + 1)
    begins, ends = shares[:-1].copy(), shares[1:].copy()
    for i, (hold, other) in enumerate(itertools.pairwise(row)):
        half = 0.5 * _step_seconds(distance(hold.point, other.point), length)
        ends[i], begins[i + 1] = ends[i] - half, begins[i + 1] + half
    return [
        dataclasses.replace(hold, first=int(inside[0]), last=int(inside[-1]))
        for hold, begin, end in zip(row, begins, ends, strict=True)
        if len(inside := np.flatnonzero((times >= begin - 1e-9) & (times <= end + 1e-9)))
    ]


def _possible(times: Array, leg: LegMotion, hold: Hold, drop: float) -> list[Hold]:
    """Return a list with the longest part of a hold that is feasible, or an empty list.

    A frame is feasible where the leg reaches, its hips lowered by up to `drop` (world units), without being
    stretched softly more than it is by itself, and where the foot has the time to come from the stretch's
    first frame, and to get to its last one. To come or to go it takes the time of a step, by
    :func:`_step_seconds`, from where the foot is by itself on that frame, but BLEED_SECONDS at least, and
    PER_HEIGHT_SECONDS for each leg length of height between the hold and the foot at that end. A hold with
    `speed` needs no time to come and keeps its first frame, one with `leaves` likewise its last; if those are
    not feasible there is none. times: seconds (n,). A part that lasts for less than 0.05 s is none.
    """
    frames = np.arange(hold.first, hold.last + 1)
    places = leg.point_and_heading[frames]
    steps = [_step_seconds(distance(hold.point, place), leg.length) for place in places]
    # what is there already has to be stopped, or to set out
    step = np.maximum(steps, BLEED_SECONDS)
    sinking, rising = (
        PER_HEIGHT_SECONDS * abs(float(leg.point_and_heading[end, 2] - hold.point[2])) / leg.length
        for end in (0, -1)
    )
    way = hold.point[:3] + (leg.pose.ankle - leg.point)[frames] - leg.pose.hip[frames]
    way[:, 2] = np.minimum(way[:, 2] + drop, 0.0)
    reach_alone = np.linalg.norm((leg.pose.ankle - leg.pose.hip)[frames], axis=1)
    inside = np.linalg.norm(way, axis=1) <= np.maximum(reach_alone, leg.longest - SOFT * leg.length)
    # a speed says that it begins, or ends, there
    inside &= (times[frames] - times[0] >= np.maximum(step, sinking)) | (hold.speed is not None)
    inside &= (times[-1] - times[frames] >= np.maximum(step, rising)) | (hold.leaves is not None)
    parts = [
        (first, last)
        for first, last in runs(inside)
        if (hold.speed is None or first == 0) and (hold.leaves is None or last == len(frames) - 1)
    ]
    first, last = max(parts, key=lambda run: run[1] - run[0], default=(0, 0))
    if times[frames[last]] - times[frames[first]] < BLEED_SECONDS:
        return []
    return [dataclasses.replace(hold, first=int(frames[first]), last=int(frames[last]))]


def tilts(times: Array, path: Array, leg: LegMotion, heights: Array) -> Array:
    """Return by how much a foot is to be tilted onto its heel or its ball, so that its ankle rises over the
    foot's point as it does in the clips.

    The tilt is the difference of two angles above the horizontal of the way from the foot's point to the
    ankle: that for the clips' difference in height, less that of the leg's motion. Both are taken with the
    motion's own length of that way. The tilt is 0 at both ends of the stretch and takes 0.2 s to come and to
    go. It is full where the horizontal part of the way is 0.7 of its length or more, and fades to 0 where the
    ankle is straight above the foot's point.

    Parameters
    ----------
    times : (n,)
        Seconds.
    path : (n, 4)
        The foot's point and heading, as it will be; only the heading is used.
    leg
        Its motion without any locking.
    heights : (n, 2)
        In the clips that are blended: the heights of the foot's point and of its ankle,
        world units.

    Returns
    -------
    Array (n, 2)
        x and y of a horizontal rotation vector in the world, radians. It is at right angles to
        the way from the point to the ankle, once that is turned to the path's heading. It
        raises the ankle where it is lower over the point than in the clips, and lowers it where
        it is higher.
    """
    way = leg.pose.ankle - leg.point
    length = np.maximum(np.linalg.norm(way, axis=1), 1e-9)
    tilt, wanted = (
        np.arcsin(np.clip(rise / length, -1.0, 1.0)) for rise in (way[:, 2], heights[:, 1] - heights[:, 0])
    )
    since, until = times - times[0], times[-1] - times
    near = eased_smoothly(since, TILT_SECONDS) * eased_smoothly(until, TILT_SECONDS)
    yaw = path[:, 3] - leg.point_and_heading[:, 3]
    c, s = np.cos(yaw), np.sin(yaw)
    ahead = np.column_stack([c * way[:, 0] - s * way[:, 1], s * way[:, 0] + c * way[:, 1]])
    ahead /= np.maximum(np.linalg.norm(ahead, axis=1), 1e-9)[:, None]
    # an ankle that is straight above has no way to tilt
    near = near * eased(np.linalg.norm(way[:, :2], axis=1) / length, LEVEL)
    return np.asarray((near * (wanted - tilt))[:, None] * np.column_stack([ahead[:, 1], -ahead[:, 0]]))
