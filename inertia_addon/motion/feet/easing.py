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
from . import leg_ik, locking
from .contacts import AROUND_SECONDS
from .corrections import Hold, accelerations_of, rates_of
from .few_frames_apart import UNKNOWNS, FewFramesApart
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
VARIATIONS = 4
"""A foot elsewhere along each axis, and all as it is."""


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
        cls, times: Array, clips: Sequence[ClipJoints], own_joints: Array, before: Array, since: float
    ) -> OwnMotion:
        """Return what legs do in clips, the last of which plays on behind the cut, at times (n,)."""
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
        return cls(highest, ground, own_joints, before, since)

    def take(self, at: Integers) -> OwnMotion:
        """Return some of the frames, with the first one among them."""
        accelerations, ground = self.accelerations[..., at], self.ground[:, at]
        return OwnMotion(accelerations, ground, self.own[:, at], self.before, self.since)


def _highest_near(values: Array, times: Array, moments: Array, seconds: float) -> Array:
    """Return the highest of values (..., m), at times (m,), within some seconds of each moment (..., n)."""
    begins = np.searchsorted(times, moments - seconds - 1e-6)
    ends = np.searchsorted(times, moments + seconds + 1e-6, "right")
    each = [values[..., i:j].max(axis=-1, initial=-np.inf) for i, j in zip(begins, ends, strict=True)]
    return np.stack(each, axis=-1)


@record(frozen=True, eq=False)
class FootPaths:
    """Where feet go: paths (n, 4) of each, and how far the hips go down, drop (n,)."""

    paths: Sequence[Array]
    drop: Array

    def take(self, at: Integers) -> FootPaths:
        """Return some of the frames."""
        return FootPaths([path[at] for path in self.paths], self.drop[at])


def ease(
    times: Array,
    legs: Sequence[LegMotion],
    leg_paths: FootPaths,
    holds: Sequence[Sequence[Hold]],
    usual: OwnMotion,
    most_drop: float,
) -> FootPaths:
    """Ease the paths of feet between their holds, where joints would change too hard.

    times: seconds (n,). legs: as they go by themselves. holds: of each foot; there it stays. usual: on the
    same frames. most_drop: how far the hips may go down at most.
    """
    if not all(leg.length > 0.0 for leg in legs) or len(times) < LEAST:
        return leg_paths
    at = _looked_at(times, holds)
    some = [leg.take(at) for leg in legs]
    part = leg_paths.take(at)
    problem = _Problem(times[at], some, part, _find_held(times, holds)[:, at], usual.take(at), most_drop)
    best = problem.solved(_led(times, holds)[:, at])
    if best is part:
        return leg_paths
    moved = [
        path + np.column_stack([_between(times, at, eased[:, :3] - first[:, :3]), np.zeros(len(times))])
        for path, eased, first in zip(leg_paths.paths, best.paths, part.paths, strict=True)
    ]
    return FootPaths(moved, leg_paths.drop + _between(times, at, (best.drop - part.drop)[:, None])[:, 0])


def _find_held(times: Array, holds: Sequence[Sequence[Hold]]) -> Flags:
    """Tell whether feet are held (legs, n)."""
    held = np.zeros((len(holds), len(times)), bool)
    for row, flags in zip(holds, held, strict=True):
        for hold in row:
            flags[hold.first : hold.last + 1] = True
    return held


def _led(times: Array, holds: Sequence[Sequence[Hold]]) -> Flags:
    """Tell whether feet may be led elsewhere (legs, n): behind the cut and beside holds, but not at both
    ends.
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
    """Return the indices of the frames that are looked at: the ends of holds, and few between them."""
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


class _Problem:
    """Legs whose ways are to be eased, on the frames that are looked at. held: (legs, n)."""

    def __init__(
        self,
        times: Array,
        legs: Sequence[LegMotion],
        first: FootPaths,
        are_held: Flags,
        usual: OwnMotion,
        most_drop: float,
    ) -> None:
        self.times, self.legs, self.first, self.held = times, legs, first, are_held
        self.usual, self.most_drop = usual, most_drop
        self.length = float(np.mean([leg.length for leg in legs]))
        self.varied = _Varied(legs, first.paths, EPSILON * self.length)
        self.first_paths = np.stack(first.paths)
        gaps = np.diff(np.concatenate([[times[0] + usual.since], times]))
        before, behind = gaps[:-1], gaps[1:]
        both = before + behind
        # of a second difference over uneven steps
        self.bends = 2.0 * np.stack([1.0 / (before * both), -1.0 / (before * behind), 1.0 / (behind * both)])
        part = self._low(usual.own[..., 2])[0]
        self.own_skates = part[..., None] * np.diff(usual.own[..., :2], axis=1)
        self.floor = np.minimum(usual.ground, np.minimum(self.first_paths[..., 2], usual.own[..., 2]))

    def solved(self, led: Flags) -> FootPaths:
        """Return the best ways; the first ones where these are gentle.

        led: (legs, n), where feet may go elsewhere. The hips may around then, too, as they help held feet.
        """
        hips = np.zeros(len(self.times), bool)
        if self.most_drop > 0.0:
            apart = np.abs(self.times[:, None] - self.times[led.any(axis=0)])
            hips[1:-2] = (apart.min(axis=1, initial=np.inf) <= REACH_SECONDS)[1:-2]
        unknown = np.column_stack([np.repeat(led.T, 3, axis=1), hips])
        # no further down than they may, nor up
        bounds = np.minimum(self.first.drop, 0.0), np.maximum(self.first.drop, self.most_drop)
        way = best = self.first_paths, self.first.drop
        least, gentle = np.inf, np.maximum(self._hardest_free(), GENTLE)
        for turn in range(ROUNDS + 1):
            joints, changes = self.varied.joints(*way)
            bends, hardness = self._bends(joints)
            hardest = hardness.max(axis=-1)
            bad = (
                float(np.clip(hardest, gentle, HARDEST).sum())
                + SKATES * self._measure_skating(way[0]) / self.length
            )
            if bad < least:
                least, best = bad, way
            if np.all(hardest <= gentle) or turn == ROUNDS or not unknown.any():
                break
            equations = self._linearized(way, joints, changes, (bends, hardness))
            change = equations.solved(unknown)
            # how far each foot goes, not along which axes: all is the same where a character is turned
            ways = change[:, :-1].reshape(len(change), -1, 3).transpose(1, 0, 2)
            furthest = max(
                float(np.linalg.norm(ways, axis=-1).max()), float(np.abs(change[:, -1]).max()), 1e-12
            )
            part = min(1.0, FURTHEST * self.length / furthest)
            paths = way[0].copy()
            paths[..., :3] += part * ways
            way = paths, np.clip(way[1] + part * change[:, -1], *bounds)
        return self.first if best[0] is self.first_paths else FootPaths(list(best[0]), best[1])

    def _hardest_free(self) -> Array:
        """Return how hard the joints of legs that are not led anywhere change (legs, JOINTS), in their
        own.
        """
        joints = [
            np.stack([leg.pose.hip, leg.pose.hip + leg.pose.thigh, leg.pose.ankle, leg.point])
            for leg in self.legs
        ]
        return np.asarray(self._bends(np.stack(joints))[1].max(axis=-1))

    def _bends(self, joints: Array) -> tuple[Array, Array]:
        """Return how joints (legs, JOINTS, n, 3) accelerate (legs, JOINTS, n - 1, 3), and how hard, in
        their own.
        """
        where = np.concatenate([self.usual.before[:, :, None], joints], axis=2)
        count = len(self.times) - 1
        bends = sum(
            (self.bends[i][:, None] * where[:, :, i : i + count] for i in range(3)),
            np.zeros((*joints.shape[:2], count, 3)),
        )
        return bends, np.linalg.norm(bends, axis=-1) / self.usual.accelerations[..., :-1]

    def _linearized(
        self, paths_and_drop: tuple[Array, Array], joints: Array, changes: Array, bends: tuple[Array, Array]
    ) -> FewFramesApart:
        """Return what the next round solves.

        paths_and_drop: paths (legs, n, 4) and drop (n,). joints, changes, bends: see :meth:`_Varied.joints`
        and :meth:`_bends`.
        """
        paths, drop = paths_and_drop
        equations = FewFramesApart(len(self.legs), len(self.times))
        self._bend(equations, changes, *bends)
        self._skate(equations, paths)
        away = paths[..., :3] - self.first_paths[..., :3]
        lower = drop - self.first.drop
        self._stay(equations, away, lower, joints[:, -1] - paths[..., :3], changes[:, 3, -1])
        self._set_out(equations, away, lower)
        return equations

    def _count(self, length: float) -> float:
        """Return the weight of the square of a length, in leg lengths."""
        return 1.0 / (length * self.length) ** 2

    def _bend(self, equations: FewFramesApart, changes: Array, bends: Array, hardness: Array) -> None:
        """Add how hard the joints of legs accelerate."""
        legs, _, count, _ = bends.shape
        counts = (EVEN + np.minimum(hardness, HARDEST) ** POWER) / self.usual.accelerations[..., :-1] ** 2
        # legs, frames, unknowns, joints and axes; the frame before the first knows of no unknowns
        ways = np.concatenate([np.zeros_like(changes[..., :1, :]), changes], axis=3)
        ways = ways.transpose(0, 3, 1, 2, 4).reshape(legs, count + 2, UNKNOWNS, -1)
        slopes = [self.bends[i][:, None, None] * ways[:, i : i + count] for i in range(3)]
        left = bends.transpose(0, 2, 1, 3).reshape(legs, count, -1)
        equations.add(-1, slopes, left, np.repeat(counts.transpose(0, 2, 1), 3, axis=-1))

    def _skate(self, equations: FewFramesApart, feet_paths: Array) -> None:
        """Add how far feet go over the ground while they are low, and how deep they are, beyond what they do
        in the clip that plays on."""
        step = np.diff(feet_paths[..., :2], axis=1)
        part, lifts = self._low(feet_paths[..., 2])
        slopes = np.zeros((2, *part.shape, UNKNOWNS, 2))
        for axis in range(2):
            slopes[0, ..., axis, axis], slopes[1, ..., axis, axis] = -part, part
            slopes[..., 2, axis] = 0.5 * lifts * step[..., axis]
        skates = part[..., None] * step - self.own_skates
        equations.add(0, list(slopes), skates, np.full_like(skates, self._count(SKATE)))
        deep = np.minimum(feet_paths[..., 2] - self.floor, 0.0)
        equations.draw(2, deep, np.asarray(self._count(SKATE) * (deep < 0.0), float))

    def _measure_skating(self, feet_paths: Array) -> float:
        """Return how far free feet go over the ground while they are low, beyond what the clip that plays
        on does.
        """
        part = self._low(feet_paths[..., 2])[0]
        ways = part * np.linalg.norm(np.diff(feet_paths[..., :2], axis=1), axis=-1)
        more = np.maximum(ways - np.linalg.norm(self.own_skates, axis=-1), 0.0)
        return float(more[~(self.held[:, 1:] & self.held[:, :-1])].sum())

    def _low(self, heights: Array) -> tuple[Array, Array]:
        """Return how much the ways of feet count from each frame to the next (legs, n - 1), and its
        derivative.

        They count 1 on the ground and 0 above LOW (H. Zhang et al., "Mode-Adaptive Neural Networks for
        Quadruped Motion Control", 2018). heights: (legs, n).
        """
        low, above = LOW * self.length, heights - self.usual.ground
        high = 0.5 * (above[:, 1:] + above[:, :-1]) / low
        part = np.clip(2.0 - 2.0 ** np.clip(high, -1.0, 1.0), 0.0, 1.0)
        return part, np.where(high < 1.0, -np.log(2.0) * 2.0 ** np.clip(high, 0.0, 1.0), 0.0) / low

    def _stay(
        self, equations: FewFramesApart, away: Array, lower: Array, missed: Array, lowers: Array
    ) -> None:
        """Add how far feet (legs, n, 3) and hips (n,) are from their first ways, and held feet from their
        places: missed (legs, n, 3), by ``lowers`` each way the hips go down."""
        for axis in range(3):
            equations.draw(axis, away[..., axis], self._count(AWAY))
        hips = UNKNOWNS - 1
        # the hips are one for all legs
        equations.draw(hips, lower, self._count(DROP) / len(self.legs))
        held = np.asarray(self._count(MISSED) * self.held, float)
        equations.draw(hips, (lowers * missed).sum(axis=-1), held, (lowers**2).sum(axis=-1))

    def _set_out(self, equations: FewFramesApart, away: Array, lower: Array) -> None:
        """Add how fast feet (legs, n, 3) and hips (n,) set out from their first ways, which begin as they
        come: what is between frames shows a jump in speed, however short it is."""
        one, two = self.times[1:3] - self.times[0]
        # how far a parabola through the next two frames would go until the first of them at its first speed
        parts = np.array([two**2, -(one**2)]) / (two * (two - one))
        away = np.concatenate([away, np.broadcast_to(lower[:, None], (*away.shape[:2], 1))], axis=-1)
        slopes = [
            np.broadcast_to(part * np.eye(UNKNOWNS), (len(away), 1, UNKNOWNS, UNKNOWNS)) for part in parts
        ]
        left = parts[0] * away[:, 1:2] + parts[1] * away[:, 2:3]
        counts = np.full_like(left, self._count(SETS_OUT))
        counts[..., -1] /= len(away)
        equations.add(1, slopes, left, counts)


class _Varied:
    """All legs at once, as they go and as they go by a little elsewhere, see :meth:`joints`: one by one they
    would take several times as long. Where feet head stays, and what a leg's pose says is found but once."""

    def __init__(self, legs: Sequence[LegMotion], paths: Sequence[Array], step: float) -> None:
        self.step, count = step, len(legs[0].point)
        self.rows = (VARIATIONS, len(legs), count)
        fields = (field.name for field in dataclasses.fields(LegPose))
        pose = LegPose(*(self._tiled([getattr(leg.pose, name) for leg in legs]) for name in fields))
        longest, loose = (
            self._tiled([np.broadcast_to(value, count) for value in values])
            for values in ([leg.longest for leg in legs], [leg.is_loose for leg in legs])
        )
        self.hip, self.thigh, self.loose = pose.hip, pose.thigh, loose.astype(bool)
        self.solver = leg_ik.LegSolver.of(pose, longest)
        turns = [locking.turned(leg, path[:, :4]) for leg, path in zip(legs, paths, strict=True)]
        # from the ankle to the point by which a foot stands
        feet = [
            quaternion.rotate(turn, leg.point - leg.pose.ankle) for leg, turn in zip(legs, turns, strict=True)
        ]
        self.foot = self._tiled(feet)

    def _tiled(self, by_leg: Sequence[Array]) -> Array:
        whole = np.concatenate(by_leg)
        return np.tile(whole, (VARIATIONS,) + (1,) * (whole.ndim - 1))

    def joints(self, feet_paths: Array, drop: Array) -> tuple[Array, Array]:
        """Return where joints are (legs, JOINTS, n, 3) whose feet go along paths (legs, n, 4) while the hips
        go down (n,), and how that changes by where each foot is to be, along each axis, and by how far the
        hips go down (legs, UNKNOWNS, JOINTS, n, 3)."""
        varied = np.tile(feet_paths[..., :3], (VARIATIONS, 1, 1, 1))
        for axis in range(3):
            varied[axis, ..., axis] += self.step
        lower = np.broadcast_to(drop, self.rows).ravel()
        hip, wanted = self.hip - lower[:, None] * VERTICAL, varied.reshape(-1, 3) - self.foot
        thigh, _, ankle = self.solver.aim(hip, wanted)
        if self.loose.any():
            ankle = locking.loosened(self.loose, hip, wanted, ankle)
        knee = hip + quaternion.rotate(thigh, self.thigh)
        every = (
            np.stack([hip, knee, ankle, ankle + self.foot])
            .reshape(JOINTS, *self.rows, 3)
            .transpose(2, 1, 0, 3, 4)
        )
        here = every[:, -1]
        changes = (every[:, :-1] - here[:, None]) / self.step
        # hips that go down below a foot are a foot that goes up, and all of the leg that goes down
        return here, np.concatenate([changes, changes[:, 2:] - VERTICAL], axis=1)


def turned_along(legs: Sequence[LegMotion], leg_paths: FootPaths) -> list[Turned]:
    """Return what becomes of legs whose feet go so."""
    return [locking.led(leg, path, leg_paths.drop) for leg, path in zip(legs, leg_paths.paths, strict=True)]
