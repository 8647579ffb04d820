# SPDX-License-Identifier: GPL-3.0-or-later
"""The rounds in which locked feet are eased, of many transitions at once.

What each transition asks is a small least-squares problem, see :mod:`easing`. One by one, most of its time
would go into calls on few numbers: so the frames of all problems lie behind each other in the same arrays,
each behind the frame before its first one, and what concerns frames of two problems counts nothing. A problem
whose rounds are done is left out of those that follow.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...records import record
from .. import quaternion
from ..arrays import Array, Flags, Integers
from ..steps import Steps
from . import leg_ik, locking
from .few_frames_apart import REACH, UNKNOWNS, FewFramesApart
from .leg_ik import LegPose
from .locking import VERTICAL, LegMotion
from .own_motion import JOINTS, OwnMotion

GENTLE = 1.2
"""Nothing is eased, or any further, where no joint accelerates more than so many times as hard as its own, or
than in legs that are not led."""
ROUNDS = 12
EVEN, POWER, HARDEST = 0.02, 4.0, 4.0
"""An acceleration, in a joint's own, counts by this power of it, as if it were no higher than the last; and
by the first one at least, so that all of the way is smooth."""
LOW = 0.03
"""A foot that is lower than this part of its leg goes over the ground, and must not."""
SKATE, AWAY, DROP, MISSED, SETS_OUT = 0.006, 1.0, 0.02, 0.002, 0.0025
"""So many leg lengths are as bad as a joint's own acceleration: of a way over the ground from one frame to
the next, from the first path, of the hips' drop from the first one, of a held foot from its place, and of
what sets out at once at the cut."""
SKATES = 10.0
"""That round is taken in which joints change least, by the hardest change of each, with so many times the
way, in leg lengths, that feet skate."""
FURTHEST = 0.04
"""In a round no foot is led further than this part of its leg."""
EPSILON = 1e-4
"""Derivatives are differences over this part of the leg."""
VARIATIONS = 4
"""A foot elsewhere along each axis, and all as it is."""
MOSTLY = 0.8
"""Frames that do not move are left out where no more than this part of those that are looked at does."""
REACH_SECONDS = 0.5
"""So long behind the cut, before a hold and behind it a foot may be led elsewhere."""


@record(frozen=True, eq=False)
class FootPaths:
    """Where feet go: paths (n, 4) of each, and how far the hips go down, drop (n,)."""

    paths: Sequence[Array]
    drop: Array

    def take(self, at: Integers) -> FootPaths:
        """Return some of the frames."""
        return FootPaths([path[at] for path in self.paths], self.drop[at])


class Problem:
    """Legs of a transition whose ways are to be eased, on the frames (n,) that are looked at.

    times: seconds (n,). legs, first: as they go by themselves, and first ways. held: (legs, n) where feet
    are. led: (legs, n), where they may go elsewhere. usual: what legs do in the clips. most_drop: how far the
    hips may go down at most. best: the best ways so far, the first ones until another round is better.

    moving: (k,) the frames, by index, on which anything may change from round to round, and those beside
    them. Of all others it is found in the first round how hard joints accelerate at most, hardest (legs,
    JOINTS), and how far feet skate, skated; and gentle, (legs, JOINTS), how hard joints may accelerate.
    """

    def __init__(
        self,
        times: Array,
        legs: Sequence[LegMotion],
        first: FootPaths,
        feet: tuple[Flags, Flags],
        usual: OwnMotion,
        most_drop: float,
    ) -> None:
        self.times, self.legs, self.first, self.usual = times, legs, first, usual
        self.held, led = feet
        self.length = float(np.mean([leg.length for leg in legs]))
        self.paths, self.drop = np.stack(first.paths), first.drop
        self.first_paths = self.paths
        hips = np.zeros(len(times), bool)
        if most_drop > 0.0:
            # the hips may go elsewhere around then, too, as they help held feet
            apart = np.abs(times[:, None] - times[led.any(axis=0)])
            hips[1:-2] = (apart.min(axis=1, initial=np.inf) <= REACH_SECONDS)[1:-2]
        self.unknown = np.column_stack([np.repeat(led.T, 3, axis=1), hips])
        # no further down than they may, nor up
        self.bounds = np.minimum(first.drop, 0.0), np.maximum(first.drop, most_drop)
        self.least, self.best = np.inf, first
        self.is_done = False
        self.moving = _find_moving(np.asarray(self.unknown.any(axis=1)))
        self.gentle = np.full((len(legs), JOINTS), GENTLE)
        self.hardest, self.skated = np.zeros(self.gentle.shape), 0.0

    @property
    def free_joints(self) -> Array:
        """Where joints of legs that are not led anywhere are (legs, JOINTS, n, 3)."""
        return np.stack(
            [
                np.stack([leg.pose.hip, leg.pose.hip + leg.pose.thigh, leg.pose.ankle, leg.point])
                for leg in self.legs
            ]
        )


def _find_moving(changes: Flags) -> Integers:
    """Return the indices of the frames that any round looks at: those that change (n,), two to either side,
    whose accelerations change with them, and the first three, by which changes set out."""
    moves = changes.copy()
    for apart in range(1, REACH):
        moves[apart:] |= changes[:-apart]
        moves[:-apart] |= changes[apart:]
    moves[:REACH] = True
    return np.flatnonzero(moves)


def solve_steps(problems: Sequence[Problem]) -> Steps[None]:
    """Find better ways for the feet of several problems, each of which has as many legs; yield the part that
    is done, 0 to 1.

    Each problem's `best` is set, and `is_done` to True at the end; the best of at most 13 looks, with 12
    steps between them, is kept. If the first ways are gentle, `best` stays `first`. Nothing is yielded if all
    are done at the first look.
    """
    rounds = _Rounds(problems, is_first=True)
    for turn in range(ROUNDS + 1):
        rounds.do_round(is_last=turn == ROUNDS)
        left = [problem for problem in rounds.problems if not problem.is_done]
        if not left:
            return
        moving = sum(len(problem.moving) for problem in left)
        if 2 * len(left) <= len(rounds.problems) or moving <= MOSTLY * rounds.count:
            rounds = _Rounds(left)
        yield turn / ROUNDS


class _Rounds:
    """Problems on slots (m,): for each in turn one for the frame before its first one, and its frames.

    is_first: whether all of its frames are looked at, as in the first round; else those that move.
    """

    def __init__(self, problems: Sequence[Problem], *, is_first: bool = False) -> None:
        self.problems, self.is_first = problems, is_first
        self.frames = [np.arange(len(problem.times)) if is_first else problem.moving for problem in problems]
        self.rows = [np.append(0, frames) for frames in self.frames]
        counts = [len(rows) for rows in self.rows]
        self.count = sum(counts) - len(counts)
        self.begins = np.cumsum([0, *counts])[:-1]
        self.parts = [slice(i + 1, i + n) for i, n in zip(self.begins.tolist(), counts, strict=True)]
        self.is_frame = np.ones(sum(counts), bool)
        self.is_frame[self.begins] = False
        # whether the next slot has the next frame of the same problem, the slot before the first one included
        at = np.concatenate([np.append(-1, frames) for frames in self.frames])
        is_next = (np.diff(at) == 1) & self.is_frame[1:]
        # whether a slot's frame, and the two, are of the same problem as the next one's, and the next two's
        self.follows = self.is_frame[:-1] & is_next
        self.bend_follows = is_next[:-1] & is_next[1:]
        self.length = np.repeat([problem.length for problem in problems], counts)
        self.unknown = self._on_slots(lambda problem: problem.unknown, 0) & self.is_frame[:, None]
        self.held = self._on_slots(lambda problem: problem.held, 1) & self.is_frame
        self.ground = self._on_slots(lambda problem: problem.usual.ground, 1)
        self.before = np.stack([problem.usual.before for problem in problems], axis=2)
        self.accelerations = self._on_slots(lambda problem: problem.usual.accelerations, 2)[..., 1:-1]
        self.bends = self._find_bends()
        self.first_paths = self._on_slots(lambda problem: problem.first_paths, 1)
        self.first_drop = self._on_slots(lambda problem: problem.first.drop, 0)
        own = self._on_slots(lambda problem: problem.usual.own, 1)
        part = self._low(own[..., 2])[0]
        self.own_skates = part[..., None] * np.diff(own[..., :2], axis=1)
        self.own_ways = quaternion.norms(self.own_skates)
        self.may_skate = ~(self.held[:, 1:] & self.held[:, :-1]) & self.follows
        self.floor = np.minimum(self.ground, np.minimum(self.first_paths[..., 2], own[..., 2]))
        self.varied = _Varied(self._legs(), self.first_paths, EPSILON * self.length)
        if is_first:
            free = self._bend(self._with_before(self._on_slots(lambda problem: problem.free_joints, 2)))[1]
            for k, highest in enumerate(np.moveaxis(self._highest(free), -1, 0)):
                problems[k].gentle = np.maximum(highest, GENTLE)
        self.gentle = np.stack([problem.gentle for problem in problems], axis=-1)
        self._outset = self._find_outset()

    def _on_slots(self, of: Callable[[Problem], Any], axis: int) -> Any:
        """Return values of problems' frames on slots, along an axis; before the first frame as on it."""
        each = zip(self.problems, self.rows, strict=True)
        return np.concatenate([np.take(of(problem), rows, axis) for problem, rows in each], axis=axis)

    def _legs(self) -> list[_Leg]:
        """Return the legs of all problems on slots, (m,) each: the k-th one has the k-th leg of every
        problem, one problem after the other.

        The slot before a problem's first frame repeats that frame. Headings are each leg's own, from its
        first frame.
        """

        def join_slots(values: Sequence[Array]) -> Array:
            return np.concatenate([each[at] for each, at in zip(values, self.rows, strict=True)])

        legs = []
        for each in zip(*(problem.legs for problem in self.problems), strict=True):
            counts = [len(leg.point) for leg in each]
            names = (field.name for field in dataclasses.fields(LegPose))
            pose = LegPose(*(join_slots([getattr(leg.pose, name) for leg in each]) for name in names))
            longest, loose = (
                join_slots([np.broadcast_to(value, n) for value, n in zip(values, counts, strict=True)])
                for values in (
                    [leg.longest for leg in each],
                    [1.0 * np.asarray(leg.is_loose) for leg in each],
                )
            )
            # each problem's headings are counted from its own first one
            headings = [leg.point_and_heading for leg in each]
            legs.append(_Leg(pose, longest, loose, join_slots(headings)))
        return legs

    def _find_bends(self) -> Array:
        """Return the weights (3, m - 2) of slots i, i + 1 and i + 2 in the second difference, per second
        squared, at slot i + 1, for steps of uneven length.

        They are 0 where the last two of the three slots are not frames of one problem, so that no difference
        reaches across two. The slot before a problem's first frame lies `usual.since` before it, in seconds.
        """
        times = self._on_slots(lambda problem: problem.times, 0)
        times[self.begins] += [problem.usual.since for problem in self.problems]
        gaps = np.diff(times)
        before, behind = (np.where(self.bend_follows, each, 1.0) for each in (gaps[:-1], gaps[1:]))
        both = before + behind
        bends = 2.0 * np.stack([1.0 / (before * both), -1.0 / (before * behind), 1.0 / (behind * both)])
        return bends * self.bend_follows

    def _find_outset(self) -> tuple[Integers, tuple[Array, Array]]:
        """Return (rows, parts): how the first speed of a change follows from the change on the two frames
        behind a problem's first frame.

        The speed is that of a parabola through 0 on the first frame and the changes on the next two, and is
        given as the way over one step of the first length. rows: (problems,) the slot of each problem's
        second frame, which is the third of its slots. parts: by which the change on that slot counts, and
        that on the next one, (problems,) each. For even steps they are 2 and -1/2.
        """
        steps = np.array([problem.times[1:3] - problem.times[0] for problem in self.problems])
        one, two = steps.T
        each = two * (two - one)
        return self.begins + 2, (two**2 / each, -(one**2) / each)

    def _highest(self, values: Array) -> Array:
        """Return the highest of values (..., m - 2) of each problem (..., problems)."""
        return np.maximum.reduceat(values, self.begins, axis=-1)

    def do_round(self, *, is_last: bool) -> None:
        """Judge where all problems are, keep what is best of each, and lead those that are not done on to
        their next ways.

        Badness is the hardest acceleration of each joint, summed, plus SKATES times the way skated in leg
        lengths; a problem's `best` and `least` are set where it is less than before. A problem is done if no
        joint accelerates beyond its limit, if nothing may be changed, or if `is_last`. For all others `paths`
        and `drop` become those of the linearized problem's solution, at most FURTHEST of a leg away, with the
        drop within its bounds. If all are done nothing is led.
        """
        paths = self._on_slots(lambda problem: problem.paths, 1)
        drop = self._on_slots(lambda problem: problem.drop, 0)
        joints, changes = self.varied.joints(paths, drop)
        joints, changes = self._with_before(joints), changes * self.is_frame[:, None]
        bends, hardness = self._bend(joints)
        steps = self._measure_skating(paths)
        if self.is_first:
            self._keep_still(hardness, steps)
        still = np.stack([problem.hardest for problem in self.problems], axis=-1)
        hardest = np.maximum(self._highest(hardness), still)
        change = np.clip(hardest, self.gentle, HARDEST).sum(axis=(0, 1))
        skated = np.add.reduceat(steps, self.begins)
        for k, problem in enumerate(self.problems):
            bad = float(change[k] + SKATES * (skated[k] + problem.skated) / problem.length)
            if not problem.is_done and bad < problem.least:
                problem.least = bad
                if problem.paths is not problem.first_paths:
                    problem.best = FootPaths(list(problem.paths), problem.drop)
            gentle = np.all(hardest[..., k] <= self.gentle[..., k])
            problem.is_done |= bool(is_last or gentle or not problem.unknown.any())
        if all(problem.is_done for problem in self.problems):
            return
        equations = self._linearized((paths, drop), joints, changes, (bends, hardness))
        # the first slot stands before all frames, as the equations have one too
        solution = equations.solved(self.unknown[1:], np.maximum(self.begins - 1, 0).tolist())
        moved = np.concatenate([np.zeros((1, solution.shape[1])), solution])
        # how far each foot goes, not along which axes: all is the same where a character is turned
        ways = moved[:, :-1].reshape(len(moved), -1, 3).transpose(1, 0, 2)
        far = np.maximum(quaternion.norms(ways).max(axis=0), np.abs(moved[:, -1]))
        for problem, span, frames in zip(self.problems, self.parts, self.frames, strict=True):
            if not problem.is_done:
                furthest = max(float(far[span].max()), 1e-12)
                part = min(1.0, FURTHEST * problem.length / furthest)
                problem.paths = problem.paths.copy()
                problem.paths[:, frames, :3] += part * ways[:, span]
                lower = problem.drop.copy()
                lower[frames] += part * moved[span, -1]
                problem.drop = np.clip(lower, *problem.bounds)

    def _keep_still(self, hardness: Array, skated: Array) -> None:
        """Set each problem's ``hardest`` (legs, JOINTS) and ``skated`` to what its frames that do not move
        have, which later rounds do not look at.

        hardness: (legs, JOINTS, m - 2), and skated: (m - 1,), as of all frames; both are set to 0 there, in
        place.
        """
        is_moving = ~self.is_frame
        for problem, span in zip(self.problems, self.parts, strict=True):
            is_moving[span.start + problem.moving] = True
        steps = is_moving[:-1] & is_moving[1:]
        still_bends, still_steps = ~(steps[:-1] & steps[1:]), ~steps
        hardest = self._highest(hardness * still_bends)
        ways = np.add.reduceat(skated * still_steps, self.begins)
        hardness[..., still_bends] = 0.0
        skated[still_steps] = 0.0
        for k, problem in enumerate(self.problems):
            problem.hardest, problem.skated = hardest[..., k], float(ways[k])

    def _with_before(self, joints: Array) -> Array:
        """Return joints (legs, JOINTS, m, 3) with where they are on the frame before each first one."""
        joints[:, :, self.begins] = self.before
        return joints

    def _bend(self, joints: Array) -> tuple[Array, Array]:
        """Return how joints (legs, JOINTS, m, 3) accelerate (legs, JOINTS, m - 2, 3), and how hard, in
        their own.
        """
        count = joints.shape[2] - 2
        bends = sum(
            (self.bends[i][:, None] * joints[:, :, i : i + count] for i in range(3)),
            np.zeros((*joints.shape[:2], count, 3)),
        )
        return bends, quaternion.norms(bends) / self.accelerations

    def _linearized(
        self, paths_and_drop: tuple[Array, Array], joints: Array, changes: Array, bends: tuple[Array, Array]
    ) -> FewFramesApart:
        """Return the least-squares equations, not yet solved, of the next round, at where all problems are
        now.

        The unknowns are by how much each foot goes further along x, y and z on each slot, and the hips
        further down. Terms are the accelerations of joints, skating and depth, the distance from the first
        ways and from held places, and the speed at which changes set out.

        paths_and_drop: paths (legs, m, 4) and drop (m,). joints, changes: the positions of joints, and their
        derivatives by the unknowns, see :meth:`_Varied.joints`. bends: accelerations and hardness, see
        :meth:`_bend`.
        """
        paths, drop = paths_and_drop
        equations = FewFramesApart(len(paths), len(drop) - 1)
        self._add_bends(equations, changes, *bends)
        self._add_skates(equations, paths)
        away = paths[..., :3] - self.first_paths[..., :3]
        lower = drop - self.first_drop
        self._stay(equations, away, lower, joints[:, -1] - paths[..., :3], changes[:, 3, -1])
        self._set_out(equations, away, lower)
        return equations

    def _count(self, length: float) -> Array:
        """Return the weight of the square of a length (m,), in leg lengths."""
        return np.asarray(1.0 / (length * self.length) ** 2)

    def _add_bends(self, equations: FewFramesApart, changes: Array, bends: Array, hardness: Array) -> None:
        """Add the accelerations of joints to the equations, in place, as terms that are to become zero.

        The square of an acceleration counts by (EVEN + min(h, HARDEST)^POWER) / a^2, with h its hardness and
        a that joint's own acceleration in its clip: the more, the harder a joint accelerates. changes: (legs,
        UNKNOWNS, JOINTS, m, 3), derivatives of joints by the unknowns. bends: (legs, JOINTS, m - 2, 3),
        accelerations, at slots 1 to m - 2; hardness: (legs, JOINTS, m - 2), their sizes in those of the
        joint's own.
        """
        legs, _, count, _ = bends.shape
        counts = (EVEN + np.minimum(hardness, HARDEST) ** POWER) / self.accelerations**2
        # legs, slots, unknowns, joints and axes
        ways = changes.transpose(0, 3, 1, 2, 4).reshape(legs, count + 2, UNKNOWNS, -1)
        slopes = [self.bends[i][:, None, None] * ways[:, i : i + count] for i in range(3)]
        left = bends.transpose(0, 2, 1, 3).reshape(legs, count, -1)
        equations.add(-1, slopes, left, np.repeat(counts.transpose(0, 2, 1), 3, axis=-1))

    def _add_skates(self, equations: FewFramesApart, feet_paths: Array) -> None:
        """Add terms to the equations, in place: how far feet skate beyond what they do in the clip that plays
        on, and how deep they are below their floor.

        A way from slot to slot is horizontal, and counts as far as the foot is low, see :meth:`_low`. The
        clip's own way, counted likewise, is taken off as a vector, and both components are to become zero.
        That counting depends on the foot's height, so that the equations may raise a foot to skate less. Ways
        from one problem to the next do not count.

        The floor is the lowest of the ground, the first path and the clip's own foot; only feet below it
        count, and are drawn up to it. The square of a way or a depth counts by 1 over that of SKATE leg
        lengths. feet_paths: (legs, m, 4).
        """
        step = np.diff(feet_paths[..., :2], axis=1)
        part, lifts = self._low(feet_paths[..., 2])
        slopes = np.zeros((2, *part.shape, UNKNOWNS, 2))
        for axis in range(2):
            slopes[0, ..., axis, axis], slopes[1, ..., axis, axis] = -part, part
            slopes[..., 2, axis] = 0.5 * lifts * step[..., axis]
        skates, counts = part[..., None] * step - self.own_skates, self._count(SKATE)
        counted = np.broadcast_to((counts[1:] * self.follows)[:, None], skates.shape)
        equations.add(-1, list(slopes), skates, counted)
        deep = np.minimum(feet_paths[..., 2] - self.floor, 0.0)
        equations.draw(2, deep[:, 1:], np.asarray(counts * (deep < 0.0), float)[:, 1:])

    def _measure_skating(self, feet_paths: Array) -> Array:
        """Return how far feet skate from each slot to the next (m - 1,), world units, summed over the legs,
        beyond what the clip that plays on does.

        A way is horizontal and counts as far as the foot is low, see :meth:`_low`. Ways less than the clip's
        count 0, and so do those of a foot that is held on both slots, and steps between two problems.
        feet_paths: (legs, m, 4).
        """
        part = self._low(feet_paths[..., 2])[0]
        ways = part * quaternion.norms(np.diff(feet_paths[..., :2], axis=1))
        more = np.maximum(ways - self.own_ways, 0.0)
        return np.asarray((more * self.may_skate).sum(axis=0))

    def _low(self, heights: Array) -> tuple[Array, Array]:
        """Return (part, slope): how much the ways of feet count from each slot to the next, and the
        derivative of that by the mean height of both; (legs, m - 1) each.

        With h the mean height above the ground in LOW leg lengths, the part is 2 - 2^h: 1 on the ground and
        below it, and 0 from h = 1 on (H. Zhang et al., "Mode-Adaptive Neural Networks for Quadruped Motion
        Control", 2018). The slope, per world unit, is 0 from h = 1 on, but on the ground and below it that
        just above the ground. heights: (legs, m), in world coordinates, from which the ground's height is
        taken.
        """
        low, above = LOW * self.length[1:], heights - self.ground
        high = 0.5 * (above[:, 1:] + above[:, :-1]) / low
        part = np.clip(2.0 - 2.0 ** np.clip(high, -1.0, 1.0), 0.0, 1.0)
        return part, np.where(high < 1.0, -np.log(2.0) * 2.0 ** np.clip(high, 0.0, 1.0), 0.0) / low

    def _stay(
        self, equations: FewFramesApart, away: Array, lower: Array, missed: Array, lowers: Array
    ) -> None:
        """Add terms to the equations, in place, that keep feet and hips near their first ways, and held feet
        at their places.

        Each draws one unknown on each slot but the first: x, y and z of a foot, and the hips' drop, to where
        they were at first, and the drop also to where held feet are missed less. The square of a length
        counts by 1 over that of AWAY, DROP and MISSED leg lengths; that of the hips' drop is divided by the
        number of legs, as it is added once for each.

        away: (legs, m, 3), how far feet are from their first paths. lower: (m,), how much further down the
        hips are than at first. missed: (legs, m, 3), by how much feet are off the paths that they are to go
        along, because the leg does not reach; it counts on held slots alone, and can be mended by the hips
        alone. lowers: (legs, m, 3), the derivative of that by the hips' drop.
        """
        for axis in range(3):
            equations.draw(axis, away[:, 1:, axis], self._count(AWAY)[1:])
        hips = UNKNOWNS - 1
        # the hips are one for all legs
        equations.draw(hips, lower[1:], self._count(DROP)[1:] / len(away))
        held = np.asarray(self._count(MISSED) * self.held, float)[:, 1:]
        missed, squares = (lowers * missed).sum(axis=-1), (lowers**2).sum(axis=-1)
        equations.draw(hips, missed[:, 1:], held, squares[:, 1:])

    def _set_out(self, equations: FewFramesApart, away: Array, lower: Array) -> None:
        """Add terms to the equations, in place, for how fast the changes of feet and hips set out at the
        first frame of each problem.

        Changes begin at 0 there; one that set out at once would be a jump in speed, which frames do not show,
        however short it is. away: (legs, m, 3), by how much feet are off their first paths. lower: (m,), by
        how much the hips are further down than at first.
        """
        rows, parts = self._outset
        away = np.concatenate([away, np.broadcast_to(lower[:, None], (*away.shape[:2], 1))], axis=-1)
        left = parts[0][:, None] * away[:, rows] + parts[1][:, None] * away[:, rows + 1]
        counts = np.broadcast_to(self._count(SETS_OUT)[rows, None], left.shape).copy()
        counts[..., -1] /= len(away)
        # the equations have the slot behind the first one as their first frame
        equations.add_pairs(rows - 1, parts, left, counts)


@record(frozen=True, eq=False)
class _Leg:
    """A leg on slots (m,): its pose, how far its ankle may be from its hip (m,), 1 where it is loose (m,),
    and the point and the heading (m, 4) of its foot."""

    pose: LegPose
    longest: Array
    loose: Array
    standing: Array


class _Varied:
    """All legs at once, as they go and as they go by a little elsewhere, see :meth:`joints`: one by one they
    would take several times as long. Where feet head stays, and what a leg's pose says is found but once.

    steps: (m,) how far elsewhere.
    """

    def __init__(self, legs: Sequence[_Leg], feet_paths: Array, steps: Array) -> None:
        self.steps = steps
        self.rows = (VARIATIONS, len(legs), len(steps))
        names = [field.name for field in dataclasses.fields(LegPose)]
        pose = LegPose(*(self._tiled([getattr(leg.pose, name) for leg in legs]) for name in names))
        self.hip, self.thigh = pose.hip, pose.thigh
        self.loose = self._tiled([leg.loose for leg in legs]).astype(bool)
        self.solver = leg_ik.LegSolver.of(pose, self._tiled([leg.longest for leg in legs]))
        # from the ankle to the point by which a foot stands
        feet = []
        for leg, path in zip(legs, feet_paths, strict=True):
            turn = quaternion.exp((path[:, 3] - leg.standing[:, 3])[:, None] * VERTICAL)
            feet.append(quaternion.rotate(turn, leg.standing[:, :3] - leg.pose.ankle))
        self.foot = self._tiled(feet)

    def _tiled(self, by_leg: Sequence[Array]) -> Array:
        whole = np.concatenate(by_leg)
        return np.tile(whole, (VARIATIONS,) + (1,) * (whole.ndim - 1))

    def joints(self, feet_paths: Array, drop: Array) -> tuple[Array, Array]:
        """Return (joints, changes): where joints are whose feet go along paths while the hips go down, and
        the derivatives of that.

        joints: (legs, JOINTS, m, 3) in the world, of hip, knee, ankle and the foot's point, where the leg
        gets them to. changes: (legs, UNKNOWNS, JOINTS, m, 3), per unit by which the foot's target moves along
        x, y and z, and by which the hips go down, in this order; difference quotients. feet_paths: (legs, m,
        4), of which the heading is not used. drop: (m,), world units.
        """
        varied = np.tile(feet_paths[..., :3], (VARIATIONS, 1, 1, 1))
        for axis in range(3):
            varied[axis, ..., axis] += self.steps
        lower = np.broadcast_to(drop, self.rows).ravel()
        hip, wanted = self.hip - lower[:, None] * VERTICAL, varied.reshape(-1, 3) - self.foot
        thigh, _, ankle = self.solver.aim(hip, wanted)
        if self.loose.any():
            ankle = locking.loosened(hip, wanted, ankle, loose=self.loose)
        knee = hip + quaternion.rotate(thigh, self.thigh)
        every = (
            np.stack([hip, knee, ankle, ankle + self.foot])
            .reshape(JOINTS, *self.rows, 3)
            .transpose(2, 1, 0, 3, 4)
        )
        here = every[:, -1]
        changes = (every[:, :-1] - here[:, None]) / self.steps[:, None]
        # hips that go down below a foot are a foot that goes up, and all of the leg that goes down
        return here, np.concatenate([changes, changes[:, 2:] - VERTICAL], axis=1)
