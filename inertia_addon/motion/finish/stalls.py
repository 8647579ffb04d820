# SPDX-License-Identifier: GPL-3.0-or-later
"""Seams at which a take stalls: all of the character comes to a halt at once and goes on as before.

Between two texts a generator lets the motion die and begin anew. A character that stops by itself does not go
on the same way a moment later, and its limbs do not all stop at once.

A stall is joined anew in time: the poses stay those of the take, in their order, and are passed at a speed
that leads from that before the stall to that behind it, as an offset goes that is given at both ends of a gap
(:mod:`motion.decay.two_ended`). So the way is kept, and feet stand where they stood.
"""

from __future__ import annotations

import numpy as np

from ...records import record
from ..arrays import Array, runs
from ..decay import two_ended
from ..decay.offset import Offset
from ..decay.two_ended import TwoEndedCurve

DIES = 0.3
"""A stall is slower than this part of what is around it."""
BESIDE_SECONDS = (0.1, 0.5)
"""So far before it and behind it the motion says what is usual there."""
LONGEST_SECONDS = 0.7
"""What is slow for longer is a stop."""
SAME_WAY = 0.25
"""The character goes on the same way: the cosine between its velocity before and behind, over all joints."""
AGAIN = 0.7
"""It is as fast as usual again from this part of the speed on that it has on that side."""
SLOWEST = 0.12
"""Slower than so many sizes a second all stalls are rests."""
STEADY = 0.7
"""A stall is made up for over so much time that the character is no slower than this part of its speed ..."""
REACH_SECONDS = 0.8
"""... but no further on either side than this."""


@record(frozen=True)
class Stall:
    """A seam at which a take stalls.

    first, last: the frames, by index, between which it is slow. begin, end: between which it is to be passed
    at another speed. depth: how slow it is in it, as a part of the speed around it.
    """

    first: int
    last: int
    begin: int
    end: int
    depth: float


def measure_speeds(positions: Array, fps: float) -> Array:
    """Return the speed of the joints (n,), rms over all, in the unit of positions (n, joints, 3) a second."""
    velocities = np.gradient(positions, 1.0 / fps, axis=0)
    return np.asarray(np.sqrt(np.mean(np.sum(velocities**2, axis=2), axis=1)))


def find_stalls(positions: Array, fps: float, size: float) -> list[Stall]:
    """Return the stalls of a take, in order: where it gets slower than 0.3 of its speed around, is slower
    than 0.7 of it for 0.7 s at most, and goes on the same way.

    The speed is the rms over the joints; around is from 0.5 to 0.1 s away, by the median, of the two sides
    the slower one. The same way means a cosine of 0.25 or more between all joints' velocities before and
    behind. Of stalls that are to be passed in overlapping frames the later one is left out. positions: (n,
    joints, 3) of the joints in the world, Z up. size: of the character, in their unit; slower than 0.12 of it
    a second around, it rests. [] for takes that are too short.
    """
    near, far = (max(1, round(seconds * fps)) for seconds in BESIDE_SECONDS)
    if len(positions) < 2 * far + 3:
        return []
    velocities = np.gradient(positions, 1.0 / fps, axis=0)
    speeds = np.sqrt(np.mean(np.sum(velocities**2, axis=2), axis=1))
    stalls = []
    longest = round(LONGEST_SECONDS * fps)
    before_each, behind_each = _before(speeds, near, far), _before(speeds[::-1], near, far)[::-1]
    level = np.minimum(before_each, behind_each)
    for first, last in runs((speeds < DIES * level) & (level > SLOWEST * size)):
        low = first + int(np.argmin(speeds[first : last + 1]))
        # as far as it is slower than usual on either side
        usual, begin, end = float(level[low]), low, low
        while begin > 0 and speeds[begin] < AGAIN * before_each[low] and low - begin < longest:
            begin -= 1
        while end < len(speeds) - 1 and speeds[end] < AGAIN * behind_each[low] and end - low < longest:
            end += 1
        if end - begin > longest or begin < near or end >= len(speeds) - near:
            continue
        before = velocities[max(begin - near, 0) : begin + 1].mean(axis=0)
        behind = velocities[end : end + near + 1].mean(axis=0)
        alike = np.sum(before * behind) / max(float(np.linalg.norm(before) * np.linalg.norm(behind)), 1e-12)
        if alike < SAME_WAY:
            continue
        stalls.append(_widen(speeds, (begin, end), float(speeds[low]), usual, fps))
    return [stall for i, stall in enumerate(stalls) if not i or stall.begin >= stalls[i - 1].end]


def _before(speeds: Array, near: int, far: int) -> Array:
    """Return the median of the speeds (n,) that lie from `near` to `far` frames before each one; 0 where
    there are none.
    """
    levels = np.zeros(len(speeds))
    for i in range(far, len(speeds)):
        levels[i] = np.median(speeds[i - far : i - near + 1])
    return levels


def _widen(speeds: Array, slow: tuple[int, int], least: float, usual: float, fps: float) -> Stall:
    """Return a stall with as much around it as it takes to pass it at 0.7 of the speed around it or more, 0.8
    s on either side at most, within the take.

    slow: the first and the last frame, by index, on which it is slow. least: its speed there at least. usual:
    the speed around it.
    """
    first, last = begin, end = slow
    reach, final = round(REACH_SECONDS * fps), len(speeds) - 1
    while True:
        # a cubic is slowest in its middle, half of what its ends are faster than its mean below that
        wanted = (1.0 + 2.0 * STEADY) / 3.0 * 0.5 * float(speeds[begin] + speeds[end])
        if float(np.mean(speeds[begin : end + 1])) >= wanted:
            break
        before, behind = max(begin - 1, first - reach, 0), min(end + 1, last + reach, final)
        if (before, behind) == (begin, end):
            break
        begin, end = before, behind
    return Stall(first, last, begin, end, least / usual)


def pass_steadily(positions: Array, stall: Stall, fps: float) -> Array:
    """Return which frame of a take, by index and between two as well, is shown at each frame from stall.begin
    to stall.end, both included: (stall.end - stall.begin + 1,), rising, the first and the last themselves.

    The joints then go their way in the same time, from the speed of the first step to that of the last along
    one smooth curve; neither counts as more than 2.9 times the mean. positions: (n, joints, 3) of the take's
    joints, see :func:`find_stalls`.
    """
    some = positions[stall.begin : stall.end + 1]
    steps = np.sqrt(np.mean(np.sum(np.diff(some, axis=0) ** 2, axis=2), axis=1))
    # frames that are equal are passed as well
    steps = np.maximum(steps, 1e-3 * float(steps.max()) + 1e-12)
    gone = np.append(0.0, np.cumsum(steps))
    first, last = float(steps[0]) * fps, float(steps[-1]) * fps
    seconds = (len(some) - 1) / fps
    pace = gone[-1] / seconds
    # a cubic only rises while neither end is three times as fast as the mean
    start = Offset(np.zeros(1), np.array([min(first, 2.9 * pace)]))
    end = Offset(gone[-1:], np.array([min(last, 2.9 * pace)]))
    times = np.arange(len(some)) / fps
    wanted = two_ended.evaluate_both_ends(start, end, TwoEndedCurve(seconds, seconds), times)[:, 0]
    shown = np.interp(np.maximum.accumulate(wanted), gone, np.arange(stall.begin, stall.end + 1.0))
    shown[0], shown[-1] = stall.begin, stall.end
    return np.asarray(shown)
