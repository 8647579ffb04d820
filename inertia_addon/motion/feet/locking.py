# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet held where they stand: from the motion of legs and what is held to how hips and legs turn."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from .. import quaternion
from ..arrays import Array
from . import hips, leg_ik
from .corrections import Hold, held
from .leg_ik import LegPose

LANDED_SECONDS = 0.07
"""What keeps a foot up in the air has gone so long before it stands."""
TAKEN_SECONDS = 0.15
"""What keeps a swinging foot up begins to after the cut over so long."""
NEAR, NEARER = 0.025, 0.008
"""A foot comes down on what it must stay above, and leaves it, smoothly over this part of the leg; one that
steps from where it stood over the second."""
FADE_SECONDS = 0.3
"""What the source has a foot lower, or higher, than the destination counts so long as it swings."""
STEP_TRAVEL, STEP_LENGTH = 0.25, 0.07
"""A step is as high as this part of its length, and no higher than this part of the leg."""

VERTICAL: Array = np.array([0.0, 0.0, 1.0])


@dataclasses.dataclass(frozen=True, eq=False)
class LegMotion:
    """A leg over n frames, in the world.

    pose: its joints. point: (n, 3) by which the foot stands. foot: (n, 4) the foot's orientation. length:
    the leg's. longest: how far from the hip its ankle may be.
    """

    pose: LegPose
    point: Array
    foot: Array
    length: float
    longest: float

    @property
    def standing(self) -> Array:
        """The point, and the heading (n, 4): what stands still while the foot is held."""
        return np.column_stack([self.point, headings(self.foot, self.foot[0])])

    def take(self, span: slice) -> LegMotion:
        """Some of the frames."""
        pose = LegPose(*(getattr(self.pose, field.name)[span] for field in dataclasses.fields(LegPose)))
        return LegMotion(pose, self.point[span], self.foot[span], self.length, self.longest)


@dataclasses.dataclass(frozen=True, eq=False)
class Turned:
    """What becomes of a leg: what thigh, shin and foot are turned by, (n, 4) in the world; ankle: (n, 3)."""

    thigh: Array
    shin: Array
    foot: Array
    ankle: Array

    def take(self, span: slice) -> Turned:
        """Some of the frames."""
        return Turned(self.thigh[span], self.shin[span], self.foot[span], self.ankle[span])


def headings(foot: Array, reference: Array) -> Array:
    """By how much feet (n, 4) are turned about the vertical from a reference (4,), radians, without jumps."""
    angles = quaternion.twist_angle(quaternion.multiply(foot, quaternion.conjugate(reference)), VERTICAL)
    return np.asarray(np.unwrap(angles))


def lock(
    times: Array,
    legs: Sequence[LegMotion],
    paths: Sequence[Array],
    most_drop: float,
    down: Array,
    rise: Array | None = None,
) -> tuple[Array, list[Turned]]:
    """Let feet go along paths.

    times: seconds (n,). paths: (n, 4) of each foot's point and heading, or (n, 6) with how it is tilted, a
    rotation vector across the vertical. most_drop: how far the hips may go down at most. down: (n,) how much
    of what they must go down they do, 0 to 1. rise: (n,) how far a ground carries them up, None for
    without: on one they go down until no leg is stretched so far that it is softly. Returns how far they go
    down (n,), and what becomes of each leg. Where a leg does not reach, the foot stays as near as it gets.
    """
    wanted = []
    for leg, path in zip(legs, paths, strict=True):
        yaw = path[:, 3] - leg.standing[:, 3]
        turn = quaternion.exp(yaw[:, None] * VERTICAL)
        if path.shape[1] > 4:
            tilt = quaternion.exp(np.column_stack([path[:, 4:], np.zeros(len(times))]))
            turn = quaternion.multiply(tilt, turn)
        wanted.append((turn, path[:, :3] - quaternion.rotate(turn, leg.point - leg.pose.ankle)))
    needed = np.zeros(len(times))
    carried = np.zeros(len(times)) if rise is None else rise
    soft = leg_ik.SOFT * (0.5 if rise is None else 1.0)
    for leg, path, (_, ankle) in zip(legs, paths, wanted, strict=True):
        own = np.linalg.norm(leg.pose.ankle - leg.pose.hip, axis=-1)
        longest = np.maximum(leg.longest - soft * leg.length, own)
        moved = np.abs(path[:, :4] - leg.standing).max(axis=1) > 1e-9 * leg.length
        needed = np.maximum(
            needed, hips.drop_needed(leg.pose.hip + carried[:, None] * VERTICAL, ankle, longest) * moved
        )
    drop = hips.smoothed(needed, times, most_drop) * down - carried
    found = []
    for leg, (turn, ankle) in zip(legs, wanted, strict=True):
        hip = leg.pose.hip - drop[:, None] * VERTICAL
        thigh, shin, where = leg_ik.solve(leg.pose, hip, ankle, np.full(len(times), leg.longest))
        found.append(Turned(thigh, shin, turn, where))
    return drop, found


def path_of(
    times: Array, leg: LegMotion, holds: Sequence[Hold], release: float, since: float = -np.inf
) -> Array:
    """The way (n, 4) of a foot's point, with its heading, that is held; see :func:`corrections.held`."""
    return held(times, leg.standing, holds, release, since)


def lifted(
    times: Array, path: Array, own: Array, leg: LegMotion, holds: Sequence[Hold], stood: bool, step: float
) -> Array:
    """A path (n, 4) that between holds stays above the destination's own foot, and steps.

    own: (n, 4) the aligned destination's. holds: of the path. stood: whether the foot stands at first. step:
    how much higher than usual steps are.
    """
    found = path.copy()
    floor = own[:, 2] + (path[0, 2] - own[0, 2]) * _eased_out(times - times[0], FADE_SECONDS)
    last = 0
    for hold in [*holds, None]:
        first = len(times) if hold is None else hold.first
        air = slice(last + 1, first)
        if air.stop > air.start:
            since = times[air] - times[last]
            ramp = eased_in(since, LANDED_SECONDS if last > 0 else TAKEN_SECONDS)
            if hold is not None:
                ramp *= eased_in(times[first] - times[air], LANDED_SECONDS)
            found[air, 2] += softly(floor[air] - path[air, 2], NEAR * leg.length) * ramp
            if hold is not None:
                s = since / (times[first] - times[last])
                travel = float(np.linalg.norm(hold.point[:2] - path[last, :2]))
                height = step * min(STEP_TRAVEL * travel, STEP_LENGTH * leg.length)
                line = hold.point[2] + (path[last, 2] - hold.point[2]) * (1.0 - s) ** 3
                arc = line + height * 16.0 * (s * (1.0 - s)) ** 2
                near = NEARER if stood or last > 0 else NEAR
                found[air, 2] += softly(arc - found[air, 2], near * leg.length)
        if hold is not None:
            last = hold.last
    return found


def softly(above: Array, soft: float) -> Array:
    """max(0, above), (n,), rounded over ``soft`` so that it sets out without a jump in speed."""
    inner = np.clip(above, 0.0, soft)
    return np.asarray(np.where(above > soft, above - 0.5 * soft, 0.5 * inner * inner / soft))


def eased_in(t: Array, seconds: float) -> Array:
    """From 0 to 1 over so long (n,), without a jump in speed."""
    s = np.clip(t / seconds, 0.0, 1.0)
    return np.asarray(s * s * (3.0 - 2.0 * s))


def _eased_out(t: Array, seconds: float) -> Array:
    return np.asarray(1.0 - eased_in(t, seconds))
