# SPDX-License-Identifier: GPL-3.0-or-later
"""Which foot stands where behind the cut of a transition: it holds, steps, or lands.

The source's feet stand at one place, the destination's at another. A foot that both have planted holds the
source's place until the destination lifts it, unless that is too far off and there is time to step; one that
swings where the destination has it planted lands there; and where both would have to step, the nearer one
holds until the other has landed.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence

import numpy as np

from ..arrays import Array, Flags
from .corrections import Hold, resting

LANDING_SECONDS = 0.1
"""A foot lands after so long ..."""
PER_LENGTH_SECONDS = 0.3
"""... and so much for every leg length that it goes ..."""
LONGEST_SECONDS = 0.4
"""... but no later than that."""
STANDING_SECONDS = 0.034
"""There is no time for a step onto a place where the foot would stand for less."""
NEARBY = 0.05
"""So many leg lengths a foot comes down, or up, in no time."""
LATER_SECONDS = 0.1
"""A foot may land by so much later than the destination's does."""


@dataclasses.dataclass(frozen=True, eq=False)
class Foot:
    """A foot from the cut on, n frames of it.

    free: (n, 4) where its point is unless it is held, and its heading. speed: (4,) how fast that is at the
    cut. own: (n, 4) where the aligned destination has it. planted: (n,) when the destination has it planted.
    stood: whether the source has, at the cut. reaches: at which frames (n,) its leg reaches a place (4,).
    length: the leg's.
    """

    free: Array
    speed: Array
    own: Array
    planted: Flags
    stood: bool
    reaches: Callable[[Array], Flags]
    length: float


def spans(planted: Flags) -> list[tuple[int, int]]:
    """The first and last index of each run of true values (n,)."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], planted, [False]]).astype(int)))
    return [(int(first), int(end) - 1) for first, end in edges.reshape(-1, 2)]


def stepping_seconds(distance: float, length: float) -> float:
    """How long a step over a distance takes."""
    return min(LANDING_SECONDS + PER_LENGTH_SECONDS * distance / length, LONGEST_SECONDS)


def plan(times: Array, feet: Sequence[Foot], window: float, radius: float) -> list[list[Hold]]:
    """When and where each foot is held.

    times: seconds (n,) since the cut. window: seconds, in which an offset is left: what is planted later
    stands at the destination's own place already. radius: leg lengths within which a foot that both clips
    have planted holds the source's place.
    """
    plans = [_Plan(times, foot, window, radius) for foot in feet]
    standing = sorted((one for one in plans if one.stands), key=lambda one: -one.away)
    for one in standing:
        one.stand()
    for one in standing:
        # the one that is furthest off goes first, and none while no other foot stands
        others = [other.holds for other in plans if other is not one]
        one.step(others)
    return [one.holds for one in plans]


class _Plan:
    """What one foot does; holds: in order."""

    def __init__(self, times: Array, foot: Foot, window: float, radius: float) -> None:
        self.times, self.foot = times, foot
        runs = spans(foot.planted)
        self.now = runs.pop(0) if runs and runs[0][0] == 0 else None
        self.stands = self.now is not None and foot.stood
        self.holds: list[Hold] = []
        self.away, self.steps = 0.0, False
        if self.now is not None:
            self.target = self._place(self.now)
            self.away = _distance(foot.free[0], self.target)
            self.steps = foot.stood and self.away > radius * foot.length
            if not foot.stood:
                self._land(self.now)
        for run in runs:
            if times[run[0]] < window:
                self._land(run)

    def stand(self) -> None:
        """Hold the source's place for as long as the destination does, and the leg reaches it."""
        assert self.now is not None
        point = resting(self.foot.free[0], self.foot.speed)
        last = self._reached(point, 0, self.now[1])
        if last > 0:
            self.holds.insert(0, Hold(0, last, point, self.foot.speed))

    def step(self, others: Sequence[Sequence[Hold]]) -> None:
        """Step over to the destination's place, if that is far off or the leg reaches the source's no more.

        others: where other feet are held: one of them should be while this one steps.
        """
        assert self.now is not None
        held = self.holds[0] if self.holds and self.holds[0].first == 0 else None
        end = 0 if held is None else held.last
        if self.steps or end == 0:
            for start in range(end + 1):
                if self._carried(start, others) and self._step_at(start, held):
                    return
        if end < self.now[1]:
            self._step_at(end, held)

    def _carried(self, start: int, others: Sequence[Sequence[Hold]]) -> bool:
        """Whether another foot stands, or there is none, while this one steps."""
        end = self._landing(start)
        return not others or any(hold.first <= start and hold.last >= end for held in others for hold in held)

    def _landing(self, start: int) -> int:
        seconds = stepping_seconds(self.away, self.foot.length)
        return self._at(float(self.times[start]) + seconds)

    def _step_at(self, start: int, held: Hold | None) -> bool:
        """Step from a frame on, if there is time to stand where that leads to; whether there is."""
        assert self.now is not None
        landing = self._landing(start)
        if landing >= self.now[1] or self.times[self.now[1]] - self.times[landing] < STANDING_SECONDS:
            return False
        last = self._reached(self.target, landing, self.now[1])
        if last <= landing:
            return False
        if held is not None:
            self.holds.remove(held)
        stood = [] if held is None or start == 0 else [dataclasses.replace(held, last=start)]
        self.holds[:0] = [*stood, Hold(landing, last, self.target)]
        return True

    def _land(self, run: tuple[int, int]) -> None:
        """Hold the foot where the destination plants it, or as near to that as it gets in time."""
        foot, times = self.foot, self.times
        first, last = run
        begun = self.holds[-1].last if self.holds else 0
        since = float(times[begun])
        target = self._place(run)
        needed = since + stepping_seconds(_distance(foot.free[first], target), foot.length)
        latest = float(times[first]) + (LONGEST_SECONDS if first == 0 else LATER_SECONDS)
        latest = min(latest, float(times[last]) - STANDING_SECONDS)
        landing = self._at(max(float(times[first]), min(needed, latest)))
        seconds = float(times[min(landing, last)]) - since - LANDING_SECONDS
        if landing >= last or seconds < 0.0:
            return
        way = target - foot.free[landing]
        room = seconds / PER_LENGTH_SECONDS * foot.length
        aside, up = float(np.linalg.norm(way[:2])), abs(float(way[2]))
        if up > room + NEARBY * foot.length:
            return
        most = min(1.0, np.sqrt(max(room**2 - up**2, 0.0)) / aside) if aside > 0.0 else 1.0
        for part in most * np.array([1.0, 0.75, 0.5, 0.25, 0.0]):
            point = foot.free[landing] + way * np.array([part, part, 1.0, part])
            until = self._reached(point, landing, last)
            if until > landing:
                self.holds.append(Hold(landing, until, point))
                return

    def _place(self, run: tuple[int, int]) -> Array:
        """Where the destination has the foot while it is planted."""
        return np.asarray(np.median(self.foot.own[run[0] : run[1] + 1], axis=0))

    def _reached(self, point: Array, first: int, last: int) -> int:
        """The last frame, up to ``last``, to which the leg reaches a point from ``first`` on."""
        out = np.flatnonzero(~self.foot.reaches(point)[first : last + 1])
        return first + int(out[0]) - 1 if len(out) else last

    def _at(self, seconds: float) -> int:
        """The first frame at or behind a time."""
        return int(np.searchsorted(self.times, seconds - 1e-6))


def _distance(a: Array, b: Array) -> float:
    return float(np.linalg.norm((a - b)[:3]))
