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

import dataclasses
import itertools
from collections.abc import Sequence

import numpy as np

from ...records import record
from .. import quaternion
from ..arrays import Array, Flags, Integers
from . import locking
from .contacts import AROUND_SECONDS
from .corrections import Hold, accelerations_of, rates_of
from .leg_ik import LegPose
from .locking import VERTICAL, LegMotion, Turned

JOINTS = 4
"""Hip, knee, ankle, and the point by which the foot stands."""
NEAR_SECONDS = 0.5
"""A joint's own accelerations are those within so long, ..."""
STILL = 11.0
"""... and so many leg lengths a second squared at least, below which nobody sees them."""
ALIKE = 0.05
"""Legs are images of each other where their bones' lengths differ by no more than this part."""
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
REACH_SECONDS = 0.5
"""So long behind the cut, before a hold and behind it a foot may be led elsewhere."""
STEP_SECONDS = 1.0 / 30.0
"""There is no need to look at frames that are closer than this."""
LEAST = 5
"""In fewer frames there is nothing to ease."""
EPSILON = 1e-4
"""Derivatives are differences over this part of the leg."""
VARIATIONS = 5
"""A foot elsewhere along each axis, the hips further down, and all as it is."""


@record(frozen=True, eq=False)
class ClipJoints:
    """Legs as a clip has them around a cut.

    times: (m,) seconds since the cut. joints: (legs, JOINTS, m, 3) where they are.
    """

    times: Array
    joints: Array

    @property
    def hardness(self) -> Array:
        """How hard each joint accelerates (legs, JOINTS, m), a second squared."""
        legs, joints, count, axes = self.joints.shape
        flat = self.joints.transpose(2, 0, 1, 3).reshape(count, -1)
        accelerations = accelerations_of(flat, self.times).reshape(count, legs, joints, axes)
        return np.asarray(np.linalg.norm(accelerations, axis=-1).transpose(1, 2, 0))


@record(frozen=True, eq=False)
class OwnMotion:
    """What legs do by themselves.

    accelerations: (legs, JOINTS, n) the highest of each joint, or its image, near each frame, a second
    squared. ground: (legs, n) how high that is below each foot, where clips differ the higher one. own:
    (legs, n, 3) where the clip that plays on has the points by which feet stand. before: (legs, JOINTS, 3)
    where joints are so many seconds ``since`` the first frame, a negative number.
    """

    accelerations: Array
    ground: Array
    own: Array
    before: Array
    since: float

    @classmethod
    def of(
        cls, times: Array, clips: Sequence[ClipJoints], own: Array, before: Array, since: float
    ) -> OwnMotion:
        """What they do in clips, the last of which plays on behind the cut, at times (n,)."""
        lengths = np.median(np.linalg.norm(np.diff(clips[0].joints[:, :3], axis=1), axis=-1), axis=-1)
        apart = np.abs(lengths[:, None] - lengths) <= ALIKE * np.maximum(lengths[:, None], lengths)
        images = apart.all(axis=-1)
        highest = np.full((len(lengths), JOINTS, len(times)), STILL) * lengths.sum(axis=1)[:, None, None]
        ground = np.full((len(lengths), len(times)), -np.inf)
        for clip in clips:
            hard = np.array([clip.hardness[row].max(axis=0) for row in images])
            heights = clip.joints[:, -1, :, 2]
            for moments in (np.zeros(1), times) if clip is clips[-1] else (np.zeros(1),):
                highest = np.maximum(highest, _highest_near(hard, clip.times, moments, NEAR_SECONDS))
                lowest = -_highest_near(-heights, clip.times, moments, AROUND_SECONDS)
                ground = np.maximum(ground, np.where(np.isfinite(lowest), lowest, -np.inf))
        return cls(highest, ground, own, before, since)

    def take(self, at: Integers) -> OwnMotion:
        """Some of the frames, of which the first is one."""
        accelerations, ground = self.accelerations[..., at], self.ground[:, at]
        return OwnMotion(accelerations, ground, self.own[:, at], self.before, self.since)


def _highest_near(values: Array, times: Array, moments: Array, seconds: float) -> Array:
    """The highest of values (..., m), at times (m,), within so many seconds of each moment (..., n)."""
    begins = np.searchsorted(times, moments - seconds - 1e-6)
    ends = np.searchsorted(times, moments + seconds + 1e-6, "right")
    each = [values[..., i:j].max(axis=-1, initial=-np.inf) for i, j in zip(begins, ends, strict=True)]
    return np.stack(each, axis=-1)


@record(frozen=True, eq=False)
class Ways:
    """Where feet go: paths (n, 4) of each, and how far the hips go down, drop (n,)."""

    paths: Sequence[Array]
    drop: Array

    def take(self, at: Integers) -> Ways:
        """Some of the frames."""
        return Ways([path[at] for path in self.paths], self.drop[at])


def ease(
    times: Array,
    legs: Sequence[LegMotion],
    ways: Ways,
    holds: Sequence[Sequence[Hold]],
    usual: OwnMotion,
    most_drop: float,
) -> Ways:
    """Ease the ways of feet between their holds, where joints would change too hard.

    times: seconds (n,). legs: as they go by themselves. holds: of each foot; there it stays. usual: on the
    same frames. most_drop: how far the hips may go down at most.
    """
    if not all(leg.length > 0.0 for leg in legs) or len(times) < LEAST:
        return ways
    at = _looked_at(times, holds)
    some = [leg.take(at) for leg in legs]
    part = ways.take(at)
    problem = _Problem(times[at], some, part, _find_held(times, holds)[:, at], usual.take(at), most_drop)
    best = problem.solved(_led(times, holds)[:, at])
    if best is part:
        return ways
    moved = [
        path + np.column_stack([_between(times, at, eased[:, :3] - first[:, :3]), np.zeros(len(times))])
        for path, eased, first in zip(ways.paths, best.paths, part.paths, strict=True)
    ]
    return Ways(moved, ways.drop + _between(times, at, (best.drop - part.drop)[:, None])[:, 0])


def _find_held(times: Array, holds: Sequence[Sequence[Hold]]) -> Flags:
    """Whether feet are held (legs, n)."""
    held = np.zeros((len(holds), len(times)), bool)
    for row, flags in zip(holds, held, strict=True):
        for hold in row:
            flags[hold.first : hold.last + 1] = True
    return held


def _led(times: Array, holds: Sequence[Sequence[Hold]]) -> Flags:
    """Whether feet may be led elsewhere (legs, n): behind the cut and beside holds, but not at the first and
    the last frames."""
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
    """The frames that are looked at, by index: the ends of holds, and between them no more than needed."""
    last = len(times) - 1
    ends = {frame for row in holds for hold in row for frame in (hold.first, hold.last)}
    knots = sorted({0, max(last - 1, 0), last, *ends})
    between = []
    for first, end in itertools.pairwise(knots):
        count = max(1, min(round((times[end] - times[first]) / STEP_SECONDS), end - first))
        between.append(np.round(np.linspace(first, end, count, endpoint=False)).astype(int))
    return np.concatenate([*between, [last]])


def _between(times: Array, at: Integers, values: Array) -> Array:
    """Values (n, k) that are ``values`` (m, k) on the frames ``at``, and go smoothly from each to the next;
    where nothing is on both sides there is nothing, and nothing sets out."""
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


class _Equations:
    """The normal equations of unknowns on frames, each term of which concerns three frames at most.

    near: (frames, 5, width, width), of the unknowns of a frame with those of the two before, to two behind.
    """

    def __init__(self, count: int, width: int) -> None:
        self.near = np.zeros((count, 5, width, width))
        self.pull = np.zeros((count, width))

    def add(
        self, begin: int, slopes: Array, residuals: Array, counts: Array | float, columns: Integers
    ) -> None:
        """Add what is to be nothing.

        slopes: (frames, rows, unknowns, values) how values change by unknowns of so many frames in a row, the
        first from frame ``begin`` on. residuals: (rows, values) what they are, and counts: how much each
        counts.
        columns: (unknowns,) which these are.
        """
        rows = slopes.shape[1]
        for s, way in enumerate(slopes):
            counted = way * np.broadcast_to(counts, residuals.shape)[:, None]
            self.pull[begin + s : begin + s + rows, columns] += (counted @ residuals[..., None])[..., 0]
            for t, other in enumerate(slopes):
                block = self.near[begin + s : begin + s + rows, 2 + t - s]
                block[:, columns[:, None], columns] += counted @ other.transpose(0, 2, 1)

    def draw(self, residuals: Array, counts: Array | float, columns: Integers) -> None:
        """Add that unknowns themselves are to be by ``residuals`` (frames, columns) less than they are."""
        self.near[:, 2, columns, columns] += counts
        self.pull[:, columns] += counts * residuals

    def solved(self, unknown: Flags) -> Array:
        """The unknowns (frames, width), 0 where they are none."""
        some = np.flatnonzero(unknown.any(axis=1))
        first, count = int(some[0]), int(some[-1] - some[0]) + 1
        is_unknown = np.zeros((count + count % 2, unknown.shape[1]), bool)
        is_unknown[:count] = unknown[first : first + count]
        solution = np.zeros(unknown.shape)
        solution[first : first + count] = self._eliminated(first, is_unknown)[:count]
        return solution

    def _eliminated(self, first: int, unknown: Flags) -> Array:
        """The unknowns (frames, width) of an even number of frames from one on.

        Two frames at a time meet only the two before and the two behind, and are eliminated from one end to
        the other: all unknowns at once would take many times as long.
        """
        count, width = unknown.shape
        near, pull = np.zeros((count, 5, width, width)), np.zeros((count, width))
        inside = min(count, len(self.pull) - first)
        near[:inside], pull[:inside] = self.near[first : first + inside], self.pull[first : first + inside]
        padded = np.pad(unknown, ((2, 2), (0, 0)))
        for apart in range(5):
            near[:, apart] *= unknown[:, :, None] & padded[apart : apart + count, None, :]
        near[:, 2] += np.eye(width) * ~unknown[:, None, :]
        pull *= unknown
        even, odd, nothing = near[::2], near[1::2], np.zeros((count // 2, width, width))
        own = np.block([[even[:, 2], even[:, 3]], [odd[:, 1], odd[:, 2]]])
        behind = np.block([[even[:, 4], nothing], [odd[:, 3], odd[:, 4]]])
        wanted = -pull.reshape(count // 2, 2 * width, 1)
        reduced: list[Array] = []
        for i in range(count // 2):
            if i:
                above = behind[i - 1].T
                own[i] -= above @ reduced[-1][:, :-1]
                wanted[i] -= above @ reduced[-1][:, -1:]
            reduced.append(np.linalg.solve(own[i], np.concatenate([behind[i], wanted[i]], axis=1)))
        found = np.zeros((count // 2 + 1, 2 * width))
        for i in reversed(range(count // 2)):
            found[i] = reduced[i][:, -1] - reduced[i][:, :-1] @ found[i + 1]
        return found[:-1].reshape(count, width)


class _Problem:
    """Legs whose ways are to be eased, on the frames that are looked at. held: (legs, n)."""

    def __init__(
        self,
        times: Array,
        legs: Sequence[LegMotion],
        first: Ways,
        held: Flags,
        usual: OwnMotion,
        most_drop: float,
    ) -> None:
        self.times, self.legs, self.first, self.held = times, legs, first, held
        self.usual, self.most_drop = usual, most_drop
        self.length = float(np.mean([leg.length for leg in legs]))
        self.varied = _Varied(legs, EPSILON * self.length)
        gaps = np.diff(np.concatenate([[times[0] + usual.since], times]))
        before, behind = gaps[:-1], gaps[1:]
        both = before + behind
        # of a second difference over uneven steps
        self.bends = 2.0 * np.stack([1.0 / (before * both), -1.0 / (before * behind), 1.0 / (behind * both)])

    def solved(self, led: Flags) -> Ways:
        """The best ways; the first ones where these are gentle.

        led: (legs, n) where feet may go elsewhere. The hips may around then, too, as they help held feet.
        """
        hips = np.zeros(len(self.times), bool)
        if self.most_drop > 0.0:
            apart = np.abs(self.times[:, None] - self.times[led.any(axis=0)])
            hips[1:-2] = (apart.min(axis=1, initial=np.inf) <= REACH_SECONDS)[1:-2]
        unknown = np.column_stack([np.repeat(led.T, 3, axis=1), hips])
        ways = best = self.first
        least, gentle = np.inf, np.maximum(self._hardest_free(), GENTLE)
        for turn in range(ROUNDS + 1):
            equations, hardest, skates = self._linearized(ways)
            bad = float(np.clip(hardest, gentle, HARDEST).sum()) + SKATES * skates / self.length
            if bad < least:
                least, best = bad, ways
            if np.all(hardest <= gentle) or turn == ROUNDS or not unknown.any():
                break
            change = equations.solved(unknown)
            # how far each foot goes, not along which axes: all is the same where a character is turned
            gone = np.linalg.norm(change[:, :-1].reshape(len(change), -1, 3), axis=-1)
            furthest = max(float(gone.max()), float(np.abs(change[:, -1]).max()), 1e-12)
            change *= min(1.0, FURTHEST * self.length / furthest)
            paths = [path.copy() for path in ways.paths]
            for k, path in enumerate(paths):
                path[:, :3] += change[:, 3 * k : 3 * k + 3]
            # no further down than they may, nor up
            bounds = np.minimum(self.first.drop, 0.0), np.maximum(self.first.drop, self.most_drop)
            ways = Ways(paths, np.clip(ways.drop + change[:, -1], *bounds))
        return best

    def _hardest_free(self) -> Array:
        """How hard the joints of legs that are not led anywhere change (legs, JOINTS), in their own."""
        hardest = np.zeros((len(self.legs), JOINTS))
        for k, leg in enumerate(self.legs):
            hip = leg.pose.hip
            joints = np.stack([hip, hip + leg.pose.thigh, leg.pose.ankle, leg.point])
            hardest[k] = self._bends(k, joints)[1].max(axis=1)
        return hardest

    def _bends(self, k: int, joints: Array) -> tuple[Array, Array]:
        """How joints (JOINTS, n, 3) of a leg accelerate (JOINTS, n - 1, 3), and how hard, in their own."""
        where = np.concatenate([self.usual.before[k][:, None], joints], axis=1)
        parts = [where[:, i : i + len(self.times) - 1] for i in range(3)]
        bends = sum((self.bends[i][:, None] * each for i, each in enumerate(parts)), np.zeros_like(parts[0]))
        return bends, np.linalg.norm(bends, axis=-1) / self.usual.accelerations[k][:, :-1]

    def _linearized(self, ways: Ways) -> tuple[_Equations, Array, float]:
        """What the next round solves, how hard each joint changes (legs, JOINTS), and how far feet skate."""
        count, width = len(self.times), 3 * len(self.legs) + 1
        equations = _Equations(count, width)
        hardest, skates = np.zeros((len(self.legs), JOINTS)), 0.0
        hips = np.array([width - 1])
        each = zip(*self.varied.joints(ways), ways.paths, strict=True)
        for k, (joints, changes, path) in enumerate(each):
            place = np.array([3 * k, 3 * k + 1, 3 * k + 2])
            hardest[k] = self._bend(equations, k, joints, changes, np.append(place, hips))
            skates += self._skate(equations, k, path, place)
            away = path[:, :3] - self.first.paths[k][:, :3]
            equations.draw(away, self._count(AWAY), place)
            self._set_out(equations, away, place)
            missed, way = joints[-1] - path[:, :3], changes[3, -1]
            held = self._count(MISSED) * self.held[k][:, None]
            equations.add(0, way[None, :, None], missed, held, hips)
        lower = (ways.drop - self.first.drop)[:, None]
        equations.draw(lower, self._count(DROP), hips)
        self._set_out(equations, lower, hips)
        return equations, hardest, skates

    def _set_out(self, equations: _Equations, away: Array, columns: Integers) -> None:
        """Add how fast things (n, k) set out from their first ways, which begin as they come: what is between
        frames shows a jump in speed, however short it is."""
        one, two = self.times[1:3] - self.times[0]
        # how far a parabola through the next two frames would go until the first of them at its first speed
        parts = np.array([two**2, -(one**2)]) / (two * (two - one))
        ways = parts[:, None, None, None] * np.eye(len(columns))
        equations.add(1, ways, (parts @ away[1:3])[None], self._count(SETS_OUT), columns)

    def _count(self, length: float) -> float:
        """How much the square of a length counts of which so many leg lengths are as bad as ..."""
        return 1.0 / (length * self.length) ** 2

    def _bend(self, equations: _Equations, k: int, joints: Array, changes: Array, columns: Integers) -> Array:
        """Add how hard the joints of a leg accelerate, and return the highest of each, in its own."""
        count = len(self.times)
        bends, ratio = self._bends(k, joints)
        counts = (EVEN + np.minimum(ratio, HARDEST) ** POWER) / self.usual.accelerations[k][:, :-1] ** 2
        # frames, unknowns, joints and axes; the frame before the first knows of no unknowns
        ways = np.concatenate([np.zeros_like(changes[:, :, :1]), changes], axis=2).transpose(2, 0, 1, 3)
        ways = ways.reshape(count + 1, len(columns), -1)
        rows = np.stack([self.bends[i][:, None, None] * ways[i : i + count - 1] for i in range(3)])
        left = bends.transpose(1, 0, 2).reshape(count - 1, -1)
        each = np.repeat(counts.T, 3, axis=1)
        # rows whose first frame is the one before all
        equations.add(0, rows[1:, :1], left[:1], each[:1], columns)
        equations.add(0, rows[:, 1:], left[1:], each[1:], columns)
        return np.asarray(ratio.max(axis=1))

    def _skate(self, equations: _Equations, k: int, path: Array, columns: Integers) -> float:
        """Add how far a foot goes over the ground while it is low, and how deep it is, beyond what it does in
        the clip that plays on; return the former."""
        count, step = len(path), np.diff(path[:, :2], axis=0)
        part, lifts = self._low(k, path)
        own = self.usual.own[k]
        usual = self._low(k, own)[0][:, None] * np.diff(own[:, :2], axis=0)
        ways = np.zeros((2, count - 1, 3, 2))
        for axis in range(2):
            ways[0, :, axis, axis], ways[1, :, axis, axis] = -part, part
            ways[:, :, 2, axis] = 0.5 * lifts * step[:, axis]
        skates = part[:, None] * step - usual
        equations.add(0, ways, skates, self._count(SKATE), columns)
        floor = np.minimum(self.usual.ground[k], np.minimum(self.first.paths[k][:, 2], own[:, 2]))
        deep = np.minimum(path[:, 2] - floor, 0.0)[:, None]
        equations.draw(deep, self._count(SKATE) * (deep < 0.0), columns[2:])
        moves = ~(self.held[k][1:] & self.held[k][:-1])
        more = np.linalg.norm(part[:, None] * step, axis=1) - np.linalg.norm(usual, axis=1)
        return float(np.maximum(more, 0.0)[moves].sum())

    def _low(self, k: int, path: Array) -> tuple[Array, Array]:
        """How much the way of a foot counts from each frame to the next (n - 1,), 1 on the ground and 0 above
        LOW (H. Zhang et al., "Mode-Adaptive Neural Networks for Quadruped Motion Control", 2018), and how
        that changes by its height."""
        low, above = LOW * self.length, path[:, 2] - self.usual.ground[k]
        high = 0.5 * (above[1:] + above[:-1]) / low
        part = np.clip(2.0 - 2.0 ** np.clip(high, -1.0, 1.0), 0.0, 1.0)
        return part, np.where(high < 1.0, -np.log(2.0) * 2.0 ** np.clip(high, 0.0, 1.0), 0.0) / low


class _Varied:
    """All legs at once, as they go and as they go by a little elsewhere, see :meth:`joints`: one by one they
    would take several times as long."""

    def __init__(self, legs: Sequence[LegMotion], step: float) -> None:
        self.count, self.step = len(legs[0].point), step
        self.rows = (VARIATIONS, len(legs), self.count)
        fields = (field.name for field in dataclasses.fields(LegPose))
        pose = LegPose(*(self._tiled([getattr(leg.pose, name) for leg in legs]) for name in fields))
        point, foot = self._tiled([leg.point for leg in legs]), self._tiled([leg.foot for leg in legs])
        longest, loose = (
            self._tiled([np.broadcast_to(value, self.count) for value in values])
            for values in ([leg.longest for leg in legs], [leg.is_loose for leg in legs])
        )
        length = float(np.mean([leg.length for leg in legs]))
        self.leg = LegMotion(pose, point, foot, length, longest, loose.astype(bool))
        # each leg's headings are counted from its own first one
        self.headings = self.leg.standing[:, 3] - self._tiled([leg.standing[:, 3] for leg in legs])

    def _tiled(self, parts: Sequence[Array]) -> Array:
        whole = np.concatenate(parts)
        return np.tile(whole, (VARIATIONS,) + (1,) * (whole.ndim - 1))

    def joints(self, ways: Ways) -> tuple[Array, Array]:
        """Where joints are (legs, JOINTS, n, 3) whose feet go along ways, and how that changes by where each
        foot is to be, along each axis, and by how far the hips go down (legs, 4, JOINTS, n, 3)."""
        paths = np.tile(np.stack(ways.paths), (VARIATIONS, 1, 1, 1))
        drops = np.tile(ways.drop, (*self.rows[:2], 1))
        for axis in range(3):
            paths[axis, ..., axis] += self.step
        drops[3] += self.step
        flat, lower, leg = paths.reshape(-1, paths.shape[-1]), drops.ravel(), self.leg
        flat[:, 3] += self.headings
        turned = locking.led(leg, flat, lower)
        hip = leg.pose.hip - lower[:, None] * VERTICAL
        knee = hip + quaternion.rotate(turned.thigh, leg.pose.thigh)
        point = turned.ankle + quaternion.rotate(turned.foot, leg.point - leg.pose.ankle)
        every = (
            np.stack([hip, knee, turned.ankle, point]).reshape(JOINTS, *self.rows, 3).transpose(2, 1, 0, 3, 4)
        )
        here = every[:, -1]
        return here, (every[:, :-1] - here[:, None]) / self.step


def turned_along(legs: Sequence[LegMotion], ways: Ways) -> list[Turned]:
    """What becomes of legs whose feet go so."""
    return [locking.led(leg, path, ways.drop) for leg, path in zip(legs, ways.paths, strict=True)]
