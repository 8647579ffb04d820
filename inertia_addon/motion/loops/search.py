# SPDX-License-Identifier: GPL-3.0-or-later
"""Which stretches of a clip make good loops: what it costs to begin anew at a start where an end is reached.

The cost of a start with an end is the mean over joints of ``|dp + T/6 dv|``: by how far they differ, seen
from the root, in place and velocity. That is the area under an offset that decays by the cubic over T, over
T/2 (D. Holden, "Inertialization Transition Cost", 2022), a length. Every pair is looked at.

Where feet are known, a stretch is allowed only if all of them land equally often, and at least once: without
that, half a cycle or a stand would win. Only where no stretch of a clip is such a one, as who stands shifts a
foot at most, or hangs and never comes down, all feet have to stand, or hang, throughout, for one of the
longer lengths that are asked for. And where the character goes somewhere, it has to go on all the way.
"""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import NDArray

from ...records import record
from ..arrays import Array, Flags, Floats, Integers
from ..steps import Steps

HORIZON_SECONDS = 0.3
"""T: how long what differs at the ends is thought to take until it is gone."""
KEPT = 0.6
"""The character's speed over the ground stays over this part of ..."""
FAST = 90.0
"""... that which it exceeds in a tenth of the clip's frames."""
SMOOTHED_SECONDS = 0.2
"""Over so long the speed is a mean: a body sways to and fro with every step."""
STANDS = 0.1
"""A character that never goes further in a second than this part of its size stays in place."""


@record(frozen=True, eq=False)
class LoopTake:
    """A clip as the search sees it.

    frames: (n,) rising by the same step. places: (n, joints, 3) metres, and velocities: a second, seen from
    the root. weights: (joints,). landings: (n, feet) whether a foot lands on a frame; no feet where they are
    not asked for. speed: (n,) of the root over the ground, in metres a second. size: the character's, metres.
    parts: (n,) in which part between two teleports a frame lies; None where there is none. rests: (n,)
    whether all feet stand, or all frames where none ever does; None where they are not asked for.
    """

    frames: Array
    places: Array
    velocities: Array
    weights: Array
    landings: Flags
    speed: Array
    size: float
    parts: Integers | None = None
    rests: Flags | None = None

    def features(self) -> Array:
        """Return weighted features (n, joints, 3), whose distances are what joints cost."""
        share = self.weights / self.weights.sum()
        return (self.places + HORIZON_SECONDS / 6.0 * self.velocities) * share[:, None]


@record(frozen=True, eq=False)
class LoopCosts:
    """What every start costs with every length.

    starts: (n,) frames. lengths: (m,) in frames. values: (n, m) metres, infinite behind the clip's end.
    allowed: (n, m). landings: (n, feet) how often each foot has landed up to a frame.
    """

    starts: Array
    lengths: Array
    values: Floats
    allowed: Flags
    landings: NDArray[np.int64]


@record(frozen=True)
class FoundLoop:
    """A stretch to loop: its first and last frame, its cost in metres, and how often each foot lands."""

    start: float
    end: float
    cost: float
    landings: int = 0

    @property
    def frames(self) -> float:
        """How long it is."""
        return self.end - self.start


def costs(take: LoopTake, shortest: float, longest: float, first: float, last: float) -> Steps[LoopCosts]:
    """Compute what a loop costs for each start and each length; yield progress from 0 to 1 and return the
    costs.

    A cost is the weighted mean over the joints of |dp + T/6 dv|, metres, with the differences of place and
    velocity between both ends, seen from the root, and T = 0.3 s. A loop is allowed if all feet land equally
    often in it, at least once (where feet are known), the character does not slow down in it (see
    :func:`goes_on`), no teleport is in it, and both its ends lie between `first` and `last`. If no loop is,
    those are allowed instead in which all feet rest throughout, if take.rests is known, and which are at
    least as long as the mean of the shortest and the longest length.

    Parameters
    ----------
    take
        The clip.
    shortest, longest
        The lengths of loops, in frames, both included.
    first, last
        The frames between which both ends must lie, both included.

    Returns
    -------
    LoopCosts
        What the steps return; starts (n,) are all of the clip's frames, lengths (m,) multiples of its step,
        of which there may be none; values and allowed are (n, m). Loops that are not allowed have costs, too;
        those that would end behind the clip's last frame cost inf.
    """
    frames, count = take.frames, len(take.frames)
    step = float(frames[1] - frames[0]) if count > 1 else 1.0
    inside = (frames >= first - 1e-6) & (frames <= last + 1e-6)
    lags = np.arange(max(1, int(np.ceil(shortest / step - 1e-6))), int(longest / step + 1e-6) + 1)
    lags = lags[lags < count]
    features = take.features()
    landed = np.cumsum(take.landings, axis=0, dtype=np.int64)
    slow = np.cumsum(~goes_on(take))
    values = np.full((count, len(lags)), np.inf, np.float32)
    allowed, resting = np.zeros((2, *values.shape), bool)
    restless = np.zeros(count, np.int64) if take.rests is None else np.cumsum(~take.rests)
    for column, lag in enumerate(lags.tolist()):
        starts, ends = slice(0, count - lag), slice(lag, count)
        apart = features[ends] - features[starts]
        values[starts, column] = np.sqrt(np.einsum("njk,njk->nj", apart, apart)).sum(axis=1)
        steps: NDArray[np.int64] = landed[ends] - landed[starts]
        feet = np.ones(len(steps), bool)
        if steps.shape[1]:
            feet = (steps.min(axis=1) == steps.max(axis=1)) & (steps.min(axis=1) >= 1)
        goes = slow[ends] == slow[starts]
        if take.parts is not None:
            goes &= take.parts[ends] == take.parts[starts]
        goes &= inside[starts] & inside[ends]
        allowed[starts, column] = feet & goes
        if take.rests is not None:
            resting[starts, column] = take.rests[starts] & (restless[ends] == restless[starts]) & goes
        yield (column + 1) / len(lags)
    if not allowed.any():
        # whoever stands looks alike at any two frames that are near
        short = 2.0 * lags < lags[0] + lags[-1] if len(lags) else np.zeros(0, bool)
        allowed = resting & ~short
    return LoopCosts(frames, lags.astype(float) * step, values, allowed, landed)


def goes_on(take: LoopTake) -> Flags:
    """Return on which frames (n,) the character goes at least 0.6 as fast over the ground as at its 90th
    percentile.

    It is all frames for fewer than 2, and for a character that stays in place: whose 90th percentile is below
    0.1 of its size a second.
    """
    if len(take.frames) < 2:
        return np.ones(len(take.frames), bool)
    speed = take.speed
    fast = float(np.percentile(speed, FAST))
    if fast < STANDS * take.size:
        return np.ones(len(speed), bool)
    return speed >= KEPT * fast


def ranked(costs: LoopCosts, count: int, apart: float) -> list[FoundLoop]:
    """Return the cheapest allowed loops, best first.

    Parameters
    ----------
    costs
        Those of all loops; they are not changed.
    count
        How many at most.
    apart
        A loop is left out if its start and its end are both less than so many frames from
        those of a better one; above 0.

    Returns
    -------
    list[FoundLoop]
        With how often each foot lands; of equally cheap ones the earliest start, then the
        shortest.
    """
    left = np.where(costs.allowed, costs.values, np.inf)
    starts, ends = costs.starts[:, None], costs.starts[:, None] + costs.lengths
    best: list[FoundLoop] = []
    while left.size and len(best) < count:
        i, j = np.unravel_index(int(np.argmin(left)), left.shape)
        if not np.isfinite(left[i, j]):
            break
        start, end = float(starts[i, 0]), float(ends[i, j])
        best.append(with_landings(costs, start, end, float(left[i, j])))
        rows = np.abs(costs.starts - start) < apart
        left[rows] = np.where(np.abs(ends[rows] - end) < apart, np.inf, left[rows])
    return best


def with_landings(costs: LoopCosts, start: float, end: float, cost: float) -> FoundLoop:
    """Return a stretch with how often the foot that lands least does so in it, 0 without feet. Landings are
    counted between the whole starts nearest to `start` and `end`.
    """
    i, j = (int(np.argmin(np.abs(costs.starts - frame))) for frame in (start, end))
    steps = costs.landings[j] - costs.landings[i]
    return FoundLoop(start, end, cost, int(steps.min()) if len(steps) else 0)


def refined(take: LoopTake, loop: FoundLoop) -> FoundLoop:
    """Return a stretch with its end moved between frames, by one at most, if that costs less; itself if not.

    In half a frame of a walk, joints may move by centimetres. The end is looked for in steps of 0.05 frames
    to either side, within the clip, and rounded to 0.01; between frames what joints do is interpolated
    linearly. The start and the landings stay. take: at least two frames.
    """
    features, frames = take.features(), take.frames
    start = features[int(np.argmin(np.abs(frames - loop.start)))]
    ends = loop.end + np.linspace(-1.0, 1.0, 41)
    ends = ends[(ends >= frames[0]) & (ends <= frames[-1])]
    place = np.clip(np.searchsorted(frames, ends, "right") - 1, 0, len(frames) - 2)
    part = ((ends - frames[place]) / (frames[place + 1] - frames[place]))[:, None, None]
    between = (1.0 - part) * features[place] + part * features[place + 1]
    values = np.linalg.norm(between - start, axis=2).sum(axis=1)
    best = int(np.argmin(values))
    if values[best] >= loop.cost:
        return loop
    return dataclasses.replace(loop, end=float(ends[best].round(2)), cost=float(values[best]))
