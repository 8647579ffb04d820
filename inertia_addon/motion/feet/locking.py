# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet held where they stand: from the motion of legs and what is held to how hips and legs turn."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence

import numpy as np

from ...records import record
from .. import quaternion
from ..arrays import Array, Flags, Integers
from . import leg_ik
from .leg_ik import LegPose

VERTICAL: Array = np.array([0.0, 0.0, 1.0])
STANDING = 0.003
"""A planted foot of a clip that goes no further than this part of its leg, and turns by no more radians,
stands by itself. To lead it there and back would only delay it where it lifts, so that it skated."""


@record(frozen=True, eq=False)
class LegMotion:
    """A leg over n frames, in the world.

    pose: its joints. point: (n, 3) by which the foot stands. foot: (n, 4) the foot's orientation. length:
    the leg's. longest: how far from the hip its ankle may be, (n,) or always. is_loose: whether, (n,) or
    always, the foot does not hang on the shin, as baked of a control rig, so that no knee keeps it away.
    """

    pose: LegPose
    point: Array
    foot: Array
    length: float
    longest: float | Array
    is_loose: bool | Flags = False

    @functools.cached_property
    def standing(self) -> Array:
        """The point, and the heading (n, 4): what stands still while the foot is held."""
        return np.column_stack([self.point, headings(self.foot, self.foot[0])])

    @property
    def near(self) -> Array:
        """How near (6,) its foot is to a place, in its heading and in its tilt, where it stands by itself."""
        return STANDING * np.array([self.length] * 3 + [1.0] * 3)

    def take(self, span: slice | Integers) -> LegMotion:
        """Some of the frames."""
        pose = LegPose(*(getattr(self.pose, field.name)[span] for field in dataclasses.fields(LegPose)))
        return dataclasses.replace(self, pose=pose, point=self.point[span], foot=self.foot[span])


@record(frozen=True, eq=False)
class Turned:
    """What becomes of a leg: what thigh, shin and foot are turned by, (n, 4) in the world; ankle: (n, 3)."""

    thigh: Array
    shin: Array
    foot: Array
    ankle: Array

    def take(self, span: slice | Integers) -> Turned:
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
    free: Sequence[Array | None] | None = None,
) -> tuple[Array, list[Turned]]:
    """Let feet go along paths.

    times: seconds (n,). paths: (n, 4) of each foot's point and heading, or (n, 6) with how it is tilted, a
    rotation vector across the vertical. most_drop: how far the hips may go down at most. down: (n,) how much
    of what they must go down they do, 0 to 1. rise: (n,) how far a ground carries them up, None for
    without: on one they go down until no leg is stretched so far that it is softly. free: (n,) of each leg,
    how free its foot is, None for none; see :func:`leg_ik.solve`. Returns how far they go down (n,), and what
    becomes of each leg. Where a leg does not reach, the foot stays as near as it gets.
    """
    wanted = [_wanted(leg, path) for leg, path in zip(legs, paths, strict=True)]
    needed = np.zeros(len(times))
    carried = np.zeros(len(times)) if rise is None else rise
    soft = leg_ik.SOFT * (0.5 if rise is None else 1.0)
    for leg, path, (_, ankle) in zip(legs, paths, wanted, strict=True):
        reach = np.linalg.norm(leg.pose.ankle - leg.pose.hip, axis=-1)
        longest = np.maximum(leg.longest - soft * leg.length, reach)
        moved = np.abs(path[:, :4] - leg.standing).max(axis=1) > 1e-9 * leg.length
        needed = np.maximum(
            needed, drop_needed(leg.pose.hip + carried[:, None] * VERTICAL, ankle, longest) * moved
        )
    drop = smoothed(needed, times, most_drop) * down - carried
    each = zip(legs, wanted, free or [None] * len(legs), strict=True)
    return drop, [_reaching(leg, turn, ankle, drop, reach) for leg, (turn, ankle), reach in each]


def led(leg: LegMotion, path: Array) -> Turned:
    """What becomes of a leg whose foot goes along a path, see :func:`lock`, while the hips stay."""
    return _reaching(leg, *_wanted(leg, path), np.zeros(len(path)))


def _wanted(leg: LegMotion, path: Array) -> tuple[Array, Array]:
    """What a foot is turned by (n, 4) along a path, and where its ankle is to be (n, 3)."""
    turn = turned(leg, path)
    return turn, path[:, :3] - quaternion.rotate(turn, leg.point - leg.pose.ankle)


def _reaching(leg: LegMotion, turn: Array, ankle: Array, drop: Array, free: Array | None = None) -> Turned:
    """What becomes of a leg whose foot is turned so (n, 4), and its ankle brought there (n, 3), as near as it
    gets. drop: (n,) how far the hips go down. free: see :func:`leg_ik.solve`."""
    hip = leg.pose.hip - drop[:, None] * VERTICAL
    thigh, shin, where = leg_ik.solve(leg.pose, hip, ankle, np.full(len(drop), leg.longest), free)
    if np.any(leg.is_loose):
        asked, gets = (np.linalg.norm(each - hip, axis=-1) for each in (ankle, where))
        where = np.where((leg.is_loose & (asked < gets))[:, None], ankle, where)
    return Turned(thigh, shin, turn, where)


def turned(leg: LegMotion, path: Array) -> Array:
    """What a foot is turned by (n, 4) along a path of its point and heading (n, 4), or tilt too (n, 6)."""
    turn = quaternion.exp((path[:, 3] - leg.standing[:, 3])[:, None] * VERTICAL)
    if path.shape[1] == 4:
        return turn
    tilt = quaternion.exp(np.column_stack([path[:, 4:], np.zeros(len(path))]))
    return quaternion.multiply(tilt, turn)


SPREAD_SECONDS = 0.15
"""The hips begin to go down, and come up again, over so long."""
DOWN_SECONDS = 0.3
"""From the cut on they go down over so long."""


def drop_needed(hip: Array, ankle: Array, longest: Array) -> Array:
    """How far down hips must go (n,) so that an ankle is no further than ``longest`` from the hip.

    hip, ankle: (n, 3). longest: (n,). Where even that does not help it is as far as brings them level.
    """
    way = ankle - hip
    aside = np.sum(way[:, :2] ** 2, axis=-1)
    return np.maximum(-way[:, 2] - np.sqrt(np.maximum(longest**2 - aside, 0.0)), 0.0)


def smoothed(drop: Array, times: Array, most: float, spread: float = SPREAD_SECONDS) -> Array:
    """A drop (n,) that is nowhere less than what is needed, nor more than ``most``, and goes smoothly.

    The highest value within ``spread`` seconds on either side, averaged over as long. times: seconds (n,).
    """
    step = float(np.median(np.diff(times))) if len(times) > 1 else spread
    reach = max(1, round(spread / step))
    padded = np.pad(np.minimum(drop, most), reach)
    highest = np.lib.stride_tricks.sliding_window_view(padded, 2 * reach + 1).max(axis=1)
    # a raised cosine, so that the hips set out and arrive without a jerk
    weights = 1.0 + np.cos(np.pi * np.arange(-reach, reach + 1) / (reach + 1))
    return np.convolve(np.pad(highest, reach, mode="edge"), weights / weights.sum(), mode="valid")
