# SPDX-License-Identifier: GPL-3.0-or-later
"""Locked feet eased: led to their holds and back so that no joint of a leg changes much harder than its own.

A plan says where feet are held, and first paths lead them there and back. What these ask of knees it does
not know: a leg that is all but straight bends by a lot while its foot goes a little. Here the paths in the
air, and how far the hips go down, are the unknowns of a least-squares problem. What counts is the
acceleration of hips, knees, ankles and feet, as a part of what the clips themselves do near by, and the more
the higher it is (iteratively reweighted least squares, which brings the highest down); how far a foot goes
over the ground while it is low; and, a little, how far it is from its first path. In each round legs are
linearized anew (Gauss-Newton), and go no further than that holds for.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from ...records import record
from ..arrays import Array, Flags, Integers
from ..steps import Steps, finish
from . import locking
from .corrections import Hold, rates_of
from .easing_rounds import REACH_SECONDS, FootPaths, Problem, solve_steps
from .locking import LegMotion, Turned
from .own_motion import OwnMotion

STEP_SECONDS = 1.0 / 30.0
"""There is no need to look at frames that are closer than this."""
LEAST = 5
"""In fewer frames there is nothing to ease."""


@record(frozen=True, eq=False)
class Easing:
    """Paths of feet that are to be eased between their holds, where joints would change too hard.

    times: seconds (n,). first: the paths, as they come. at: the indices of the frames that are looked at.
    problem: theirs; None where there is nothing to ease.
    """

    times: Array
    first: FootPaths
    at: Integers
    problem: Problem | None

    @classmethod
    def of(
        cls,
        times: Array,
        legs: Sequence[LegMotion],
        leg_paths: FootPaths,
        holds: Sequence[Sequence[Hold]],
        usual: OwnMotion,
        most_drop: float,
    ) -> Easing:
        """Return the paths of feet to be eased, with the problem that has to be solved for that; nothing is
        solved yet.

        `problem` is None, and the paths stay as they are, if any leg has no length or there are fewer than 5
        frames.

        times: seconds (n,). legs: their motions without locking. leg_paths: the paths (n, 4) and the drop
        that are eased. holds: of each foot, on which it stays. usual: how the clips' own legs move, on the
        same frames. most_drop: how far the hips may go down at most, world units.
        """
        at = _looked_at(times, holds)
        if not all(leg.length > 0.0 for leg in legs) or len(times) < LEAST:
            return cls(times, leg_paths, at, None)
        feet = _find_held(times, holds)[:, at], _mark_free(times, holds)[:, at]
        some = [leg.take(at) for leg in legs]
        problem = Problem(times[at], some, leg_paths.take(at), feet, usual.take(at), most_drop)
        return cls(times, leg_paths, at, problem)

    def ease_now(self) -> None:
        """Ease the paths now."""
        if self.problem is not None:
            finish(solve_steps([self.problem]))

    @property
    def eased(self) -> FootPaths:
        """Return the paths and the drop of the hips on all frames, as the problem is solved so far.

        On the frames that were looked at they are the solution's; in between, what it changes goes over
        smoothly. Headings are never changed. Return `first` itself if there is no problem, or none better has
        been found, as before it is solved.
        """
        times, at, problem = self.times, self.at, self.problem
        if problem is None or problem.best is problem.first:
            return self.first
        best, looked = problem.best, problem.first
        moved = [
            path
            + np.column_stack(
                [_interpolate_smoothly(times, at, eased[:, :3] - begun[:, :3]), np.zeros(len(times))]
            )
            for path, eased, begun in zip(self.first.paths, best.paths, looked.paths, strict=True)
        ]
        lower = _interpolate_smoothly(times, at, (best.drop - looked.drop)[:, None])[:, 0]
        return FootPaths(moved, self.first.drop + lower)


class EasedTogether:
    """Paths of feet that wait to be eased together, as those of many transitions take less than one by one.

    Who plans a transition has :meth:`wait_steps` wait, and who has so many of them planned goes on with the
    next one when the :attr:`count` of those that wait has grown, and has all of them eased.
    """

    def __init__(self) -> None:
        self._waiting: list[Problem] = []

    @property
    def count(self) -> int:
        """How many paths wait."""
        return len(self._waiting)

    def wait_steps(self, asked: Easing) -> Steps[None]:
        """Queue the problem of some paths, and yield 0.5, always, until :meth:`solve_steps` has solved it.

        asked: the paths; those without a problem end at once. The solution is in its :attr:`Easing.eased`
        then. Who steps must let another one solve, as nothing is solved here.
        """
        problem = asked.problem
        if problem is not None:
            self._waiting.append(problem)
            while not problem.is_done:
                yield 0.5

    def solve_steps(self) -> Steps[None]:
        """Solve all problems that wait, those with equally many legs together, and leave none waiting; yield
        the part that is done.

        That begins at 0 again for each number of legs. Who waits in :meth:`wait_steps` then goes on.
        """
        waiting, self._waiting = self._waiting, []
        by_legs: dict[int, list[Problem]] = {}
        for problem in waiting:
            by_legs.setdefault(len(problem.legs), []).append(problem)
        for problems in by_legs.values():
            yield from solve_steps(problems)


def _find_held(times: Array, holds: Sequence[Sequence[Hold]]) -> Flags:
    """Return flags (legs, n): on which frames each foot is held.

    times: seconds (n,). holds: for each foot.
    """
    held = np.zeros((len(holds), len(times)), bool)
    for row, flags in zip(holds, held, strict=True):
        for hold in row:
            flags[hold.first : hold.last + 1] = True
    return held


def _mark_free(times: Array, holds: Sequence[Sequence[Hold]]) -> Flags:
    """Return flags (legs, n): on which frames each foot's path may be changed.

    times: seconds (n,). holds: for each foot. It may within 0.5 s of the first frame or of one of the foot's
    holds, but not on held frames, nor on the first frame and the last two.
    """
    near = np.repeat((times <= times[0] + REACH_SECONDS)[None], len(holds), axis=0)
    for row, flags in zip(holds, near, strict=True):
        for hold in row:
            flags |= (times >= times[hold.first] - REACH_SECONDS) & (
                times <= times[hold.last] + REACH_SECONDS
            )
    near &= ~_find_held(times, holds)
    near[:, :1] = near[:, -2:] = False
    return near


def _looked_at(times: Array, holds: Sequence[Sequence[Hold]]) -> Integers:
    """Return the indices of the frames on which the problem is solved, rising: an array.

    times: seconds (n,). The first frame, the last two, and the first and last frame of each hold are among
    them; between these there is one about every 1/30 s.
    """
    last = len(times) - 1
    ends = {frame for row in holds for hold in row for frame in (hold.first, hold.last)}
    knots = sorted({0, max(last - 1, 0), last, *ends})
    between = []
    for first, end in itertools.pairwise(knots):
        count = max(1, min(round((times[end] - times[first]) / STEP_SECONDS), end - first))
        between.append(np.round(np.linspace(first, end, count, endpoint=False)).astype(int))
    return np.concatenate([*between, [last]])


def _interpolate_smoothly(times: Array, at: Integers, values: Array) -> Array:
    """Return values (n, k) that are `values` (m, k) on the frames `at`, and go smoothly (cubic) from each to
    the next.

    times: seconds (n,) of all frames. at: (m,), rising indices. Where a row is all 0 the slope is, too, so
    that between two such rows all is 0.
    """
    knots = times[at]
    slopes = rates_of(values, knots)
    still = np.all(values == 0.0, axis=1)
    slopes[still] = 0.0
    k = np.clip(np.searchsorted(knots, times, "right") - 1, 0, len(knots) - 2)
    whole = (knots[k + 1] - knots[k])[:, None]
    s = (times - knots[k])[:, None] / whole
    # Hermite's cubic
    begin, end = (1.0 - s) ** 2, s**2
    return np.asarray(
        begin * ((1.0 + 2.0 * s) * values[k] + s * whole * slopes[k])
        + end * ((3.0 - 2.0 * s) * values[k + 1] + (s - 1.0) * whole * slopes[k + 1])
    )


def turned_along(legs: Sequence[LegMotion], leg_paths: FootPaths) -> list[Turned]:
    """Return what becomes of legs whose feet go so."""
    return [locking.led(leg, path, leg_paths.drop) for leg, path in zip(legs, leg_paths.paths, strict=True)]
