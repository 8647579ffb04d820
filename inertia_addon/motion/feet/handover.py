# SPDX-License-Identifier: GPL-3.0-or-later
"""Which foot stands where behind the cut of a transition: it holds, steps, or lands.

The source's feet stand at one place, the destination's at another. A foot that both have planted holds the
source's place until the destination lifts it, unless that is too far off and there is time to step; one that
swings where the destination plants it lands there; of two that step the nearer holds until the other lands.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence

import numpy as np

from ...records import record
from ..arrays import Array, Flags, runs
from .corrections import BLEED_SECONDS, Hold, find_rest_point

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
CARRIED_SECONDS = 0.15
"""A foot that stands is not let go earlier than so long before the destination has one planted."""
STOPPED = 0.1
"""A foot that moves along the ground can be stopped within so many leg lengths."""


@record(frozen=True, eq=False)
class Foot:
    """A foot from the cut on, n frames of it.

    free: (n, 4) where its point is unless it is held, and its heading. speed: (4,) how fast that is at the
    cut. own: (n, 4) where the aligned destination has it. planted: (n,) when the destination has it planted.
    stood: whether the source has, at the cut. reaches: at which frames (n,) its leg reaches a place (4,).
    length: the leg's. fastest: how fast its clips move it, per second.
    """

    free: Array
    speed: Array
    own: Array
    planted: Flags
    stood: bool
    reaches: Callable[[Array], Flags]
    length: float
    fastest: float = 0.0

    @property
    def pace(self) -> float:
        """The seconds that a leg length takes in a step: fewer where the clips themselves are so quick."""
        # the highest speed of a step is about twice its mean
        quick = 2.0 * self.length / self.fastest if self.fastest > 0.0 else PER_LENGTH_SECONDS
        return min(PER_LENGTH_SECONDS, quick)


def estimate_step_seconds(distance: float, length: float, pace: float = PER_LENGTH_SECONDS) -> float:
    """Return how long a step over a distance takes, at most 0.4 s.

    It is 0.1 s (less in proportion for a step of less than 0.05 leg lengths) and `pace` for each leg length.

    Parameters
    ----------
    distance
        How far the foot goes.
    length
        The leg's, in the same unit; not 0.
    pace
        Seconds for each leg length, see :attr:`Foot.pace`.

    Returns
    -------
    float
        Seconds; 0 for a distance of 0.
    """
    lengths = distance / length
    return min(LANDING_SECONDS * min(lengths / NEARBY, 1.0) + pace * lengths, LONGEST_SECONDS)


def estimate_step_distance(seconds: float, length: float, pace: float) -> float:
    """Return how far a step goes in some seconds: the inverse of :func:`estimate_step_seconds`."""
    near = LANDING_SECONDS + pace * NEARBY
    return length * (NEARBY * seconds / near if seconds < near else (seconds - LANDING_SECONDS) / pace)


def plan(times: Array, feet: Sequence[Foot], window: float, radius: float) -> list[list[Hold]]:
    """Return for each foot where and when it is held behind a cut, in order of time.

    A foot that swings is held from where the destination plants it, or as near to that as it can get in time.
    If no foot is planted by both clips at the cut, the slowest of those that only the destination has
    planted, and that are low and slow enough, stops where it is. If none is held at the cut then, feet that
    the source had planted may stand on for a while.

    Parameters
    ----------
    times : (n,)
        Seconds since the cut.
    feet
        One record for each foot, one at least.
    window
        For how many seconds an offset is left; plants of the destination that begin at that
        time or later are ignored.
    radius
        Leg lengths. A foot that both clips have planted holds the source's place if the
        destination's is no further away than this; otherwise it steps over, while another
        foot is held.

    Returns
    -------
    list[list[Hold]]
        In the order of the feet, with points (x, y, z, heading) and frames by index; [] for a
        foot that is held nowhere.
    """
    plans = [_Plan(times, foot, window, radius) for foot in feet]
    standing = [each for each in plans if each.stands]
    if not standing:
        # on the ground all but standing: it stops, so that the character need not hop
        standing = sorted((each for each in plans if each.stops), key=lambda each: each.speed)[:1]
    for each in plans:
        each.land(stands=each in standing)
    standing.sort(key=lambda each: -each.away)
    for each in standing:
        each.stand()
    ought = np.any([each.foot.planted for each in plans], axis=0)
    if not any(_holds_at(each.holds, 0) for each in plans):
        _carry(plans, ought)
    for each in standing:
        # the one that is furthest off goes first, and none while no other foot stands
        others = [other.holds for other in plans if other is not each]
        each.step(others)
    for each in plans:
        each.stay([[*other.holds, *other.later] for other in plans if other is not each], ought)
    return [each.holds for each in plans]


def _holds_at(holds: Sequence[Hold], frame: int) -> bool:
    return any(hold.first <= frame <= hold.last for hold in holds)


def _carry(plans: Sequence[_Plan], ought: Flags) -> None:
    """Let feet that the source has planted stand on where the destination soon has one planted; call it if
    none is held at the cut.

    plans: their holds are changed in place. ought: (n,), when the destination has any foot planted; if it
    first does later than 0.15 s after the cut, or never, nothing is done. The feet stand on until the first
    hold of any foot, or until the first stretch of `ought` ends, if that is earlier.
    """
    stands = runs(ought)
    if not stands or plans[0].times[stands[0][0]] > CARRIED_SECONDS:
        return
    until = min([stands[0][1], *(hold.first for each in plans for hold in each.holds)])
    for each in plans:
        if each.foot.stood:
            each.hold_on(until)


class _Plan:
    """What one foot does. holds: in order. later: those behind the window, as the destination has them."""

    def __init__(self, times: Array, foot: Foot, window: float, radius: float) -> None:
        self.times, self.foot = times, foot
        every = runs(foot.planted)
        self.runs = [run for run in every if run[0] == 0 or times[run[0]] < window]
        self.later = [Hold(*run, foot.own[run[0]]) for run in every[len(self.runs) :]]
        self.now: tuple[int, int] | None = None
        self.holds: list[Hold] = []
        self.speed = float(np.linalg.norm(foot.speed[:3]))
        self.away, self.steps = 0.0, False
        if self.runs:
            self.target = self._place(self.runs[0])
            self.away = distance(foot.free[0], self.target)
            self.steps = self.away > radius * foot.length
            begins = float(times[self.runs[0][0]])
            # a foot that stands, and would hardly have lifted before the destination plants it, stays
            if begins == 0.0 or (foot.stood and begins <= LANDING_SECONDS):
                self.now = self.runs.pop(0)
        self.stands = self.now is not None and foot.stood

    @property
    def stops(self) -> bool:
        """Tell whether this foot, which the destination has planted at the cut, is low and slow enough to
        stop where it is.

        Its point must be less than 0.05 leg lengths above the destination's place, and what it still goes
        while it comes to rest from its speed at the cut less than 0.1 leg lengths. False where `now` is None:
        the destination does not have it planted at the cut, nor, if the source has it planted there, within
        0.1 s.
        """
        if self.now is None:
            return False
        low = self.foot.free[0, 2] - self.target[2] < NEARBY * self.foot.length
        return bool(low and 0.5 * BLEED_SECONDS * self.speed < STOPPED * self.foot.length)

    def land(self, *, stands: bool) -> None:
        """Land where the destination plants the foot. stands: it stands at first."""
        now = [self.now] if self.now is not None and not stands else []
        for run in [*now, *self.runs]:
            self._land(run)

    def stand(self) -> None:
        """Insert a hold at the source's place as the first of self.holds, from the cut until the destination
        lifts the foot or the leg no longer reaches.

        It comes to rest 0.025 s of its speed at the cut further on, without sinking into the ground: it does
        not rest lower than the lower one of its own height at the cut and the destination's place. Its
        downward speed is reduced to that end, and the hold's `speed` (4,) is the speed at the cut with this
        z. Nothing is inserted if the leg does not reach that for more than the first frame. Raise
        AssertionError if self.now is None: the destination plants the foot neither at the cut nor, if the
        source has it planted, within 0.1 s.
        """
        assert self.now is not None
        speed = self.foot.speed.copy()
        # it does not sink into the ground while it comes to rest
        ground = min(self.foot.free[0, 2], self.target[2])
        speed[2] = max(speed[2], (ground - self.foot.free[0, 2]) / (0.5 * BLEED_SECONDS))
        point = find_rest_point(self.foot.free[0], speed)
        last = self._reached(point, 0, self.now[1])
        if last > 0:
            self.holds.insert(0, Hold(0, last, point, speed))

    def hold_on(self, until: int) -> None:
        """Insert a hold at the source's place as the first of self.holds, from the cut to the frame `until`,
        if there is time for the step to the next hold.

        The foot comes to rest there from its speed at the cut, which is the hold's `speed`. It ends earlier
        if the step to the next hold, or the leg's reach, requires it; nothing is inserted if no frame behind
        the first is left.
        """
        foot = self.foot
        point = find_rest_point(foot.free[0], foot.speed)
        if self.holds:
            until = min(until, self._leaves(point, self.holds[0]))
        last = self._reached(point, 0, until) if until > 0 else 0
        if last > 0:
            self.holds.insert(0, Hold(0, last, point, foot.speed))

    def stay(self, other_holds: Sequence[Sequence[Hold]], ought: Flags) -> None:
        """Extend the first hold a little while no other foot stands and one should; changes self.holds in
        place.

        other_holds: for each other foot. ought: (n,), when the destination has any foot planted. The hold
        lasts for at most 0.15 s longer, at most until another foot is held, as long as the leg reaches, and
        leaves time for the step to its next hold. Nothing changes without holds, if another foot stands where
        it ends, or if `ought` is False on all frames from there until 0.15 s later, or until another foot is
        held; one on which it is True is enough for all of that time.
        """
        if not self.holds:
            return
        hold = self.holds[0]
        begins = [other.first for held in other_holds for other in held if other.first > hold.last]
        late = self._at(float(self.times[hold.last]) + CARRIED_SECONDS)
        until = min([late, len(ought) - 1, *begins])
        if any(_holds_at(held, hold.last) for held in other_holds) or not ought[hold.last + 1 : until].any():
            return
        if len(self.holds) > 1:
            until = min(until, self._leaves(hold.point, self.holds[1]))
        last = self._reached(hold.point, hold.last, until)
        if last > hold.last:
            self.holds[0] = dataclasses.replace(hold, last=last)

    def _leaves(self, point: Array, following: Hold) -> int:
        """Return the last frame at which a foot may still stand that is held elsewhere next."""
        seconds = estimate_step_seconds(distance(point, following.point), self.foot.length, self.foot.pace)
        return self._at(float(self.times[following.first]) - seconds + 2e-6) - 1

    def step(self, other_holds: Sequence[Sequence[Hold]]) -> None:
        """Replace holding the source's place by a step to the destination's place where needed; changes
        self.holds in place.

        It steps if that place is too far away (self.steps), or if it is not held at the cut: as early as
        another foot is held during the whole step, or at once if there is no other foot. In any case it steps
        once the hold at the cut ends before the destination lifts the foot. other_holds: the holds of each
        other foot. Nothing changes if there is no time to stand there. Raise AssertionError if self.now is
        None, see :meth:`stand`.
        """
        assert self.now is not None
        held = self.holds[0] if self.holds and self.holds[0].first == 0 else None
        end = 0 if held is None else held.last
        if self.steps or end == 0:
            for start in range(end + 1):
                landing = self._find_landing(start)
                carried = any(
                    hold.first <= start and hold.last >= landing for row in other_holds for hold in row
                )
                if (carried or not other_holds) and self._step_at(start, held):
                    return
        if end < self.now[1]:
            self._step_at(end, held)

    def _find_landing(self, start: int) -> int:
        seconds = estimate_step_seconds(self.away, self.foot.length, self.foot.pace)
        return self._at(float(self.times[start]) + seconds)

    def _step_at(self, start: int, former: Hold | None) -> bool:
        """Step to the destination's place from a frame on, if there is time to stand there; return whether
        there is.

        start: the frame, by index, at which the foot leaves; it lands there or later. former: the hold that
        the step leaves, one of self.holds: it is cut at `start`, or removed if that is 0; None for none.
        self.now, which must not be None, has to go on for 0.034 s after the landing. The new hold lasts as
        long as the place is reached, at most to the end of self.now, so that it may be shorter than 0.034 s;
        if it would end on the frame of the landing, there is none, and False is returned. What is left of
        former and the new hold become the first of self.holds, in this order; the list is only changed if
        True is returned.
        """
        assert self.now is not None
        landing = self._find_landing(start)
        if landing >= self.now[1] or self.times[self.now[1]] - self.times[landing] < STANDING_SECONDS:
            return False
        last = self._reached(self.target, landing, self.now[1])
        if last <= landing:
            return False
        if former is not None:
            self.holds.remove(former)
        stood = [] if former is None or start == 0 else [dataclasses.replace(former, last=start)]
        self.holds[:0] = [*stood, Hold(landing, last, self.target)]
        return True

    def _land(self, run: tuple[int, int]) -> None:
        """Append a hold where the destination plants the foot, or as near to that as the foot gets; nothing
        if it can't.

        run: the first and the last frame, by index, in which the destination has it planted. It lands when
        the step is done that begins at the end of the last hold, or at the cut without one, but no later than
        0.1 s after the destination's foot (0.4 s if that is planted at the cut) and 0.034 s before the run
        ends, and only where the leg reaches.
        """
        foot, times = self.foot, self.times
        first, last = run
        begun = self.holds[-1].last if self.holds else 0
        since = float(times[begun])
        target = self._place(run)
        needed = since + estimate_step_seconds(distance(foot.free[first], target), foot.length, foot.pace)
        latest = float(times[first]) + (LONGEST_SECONDS if first == 0 else LATER_SECONDS)
        latest = min(latest, float(times[last]) - STANDING_SECONDS)
        if latest <= since:
            return
        soonest = self._at(max(float(times[first]), min(needed, latest)))
        # as soon as the leg reaches that far
        for landing in range(soonest, min(max(soonest, self._at(latest)), last - 1) + 1):
            point = self._find_landing_place(target, landing, last, float(times[landing]) - since)
            if point is not None:
                self.holds.append(Hold(landing, self._reached(point, landing, last), point))
                return

    def _find_landing_place(self, target: Array, landing: int, last: int, seconds: float) -> Array | None:
        """Return the place (4,) nearest to the target to which a foot gets by a frame and then stands; None
        if there is none.

        target: (4,). landing: the frame, by index; last: the last frame on which it should stand. seconds:
        the time for the step. Five points between the foot's free path and as far towards the target as it
        gets are tried, the nearest to the target first, all at the target's height; the leg must reach one
        for at least a frame longer.
        """
        foot = self.foot
        way = target - foot.free[landing]
        room = estimate_step_distance(seconds, foot.length, foot.pace)
        aside, up = float(np.linalg.norm(way[:2])), abs(float(way[2]))
        if up > room + NEARBY * foot.length:
            return None
        most = min(1.0, np.sqrt(max(room**2 - up**2, 0.0)) / aside) if aside > 0.0 else 1.0
        # what comes nearest to the target first
        for part in most * np.array([1.0, 0.75, 0.5, 0.25, 0.0]):
            point = foot.free[landing] + way * np.array([part, part, 1.0, part])
            if self._reached(point, landing, last) > landing:
                return np.asarray(point)
        return None

    def _place(self, run: tuple[int, int]) -> Array:
        """Return where the destination has the foot while it is planted."""
        return np.asarray(np.median(self.foot.own[run[0] : run[1] + 1], axis=0))

    def _reached(self, point: Array, first: int, last: int) -> int:
        """Return the last frame, up to ``last``, to which the leg reaches a point from ``first`` on."""
        out = np.flatnonzero(~self.foot.reaches(point)[first : last + 1])
        return first + int(out[0]) - 1 if len(out) else last

    def _at(self, seconds: float) -> int:
        """Return the first frame at or behind a time."""
        return int(np.searchsorted(self.times, seconds - 1e-6))


def distance(point: Array, other_point: Array) -> float:
    """Return how far apart two places are, (k,) of which the first three count."""
    return float(np.linalg.norm((point - other_point)[:3]))
