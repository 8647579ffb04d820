# SPDX-License-Identifier: GPL-3.0-or-later
"""Toes kept above the ground: once a leg is where it has to be, the toe bone looks at its tip, raised.

D. Holden's controller (orangeduck/Motion-Matching, of "Learned Motion Matching", 2020) has each toe bone look
from its joint at its tip, whose height is clamped from below. Here the tip stays within reach of the bone, so
that it gets as high as it is to be, and comes down on the ground softly. A tip that is above the ground
anyway stays where it is.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from ...records import record
from .. import quaternion
from ..arrays import Array, Flags, eased, eased_smoothly
from . import locking
from .corrections import Hold
from .ground import GroundSurface
from .locking import VERTICAL, LegMotion, Toe, Turned

STEEPEST, MOST = np.radians(60.0), np.radians(45.0)
"""No toe is raised beyond this angle above the horizontal, nor by more than this, whatever it is in."""
REACH_SECONDS = 0.1
"""A toe begins to rise no sooner than so long before its tip would be below the ground, and is back no later
than so long after that."""
STRAIGHT_DOWN = 0.5
"""A toe of which less than this part is level may point anywhere: it turns more and more to where the knee
points."""
COMES_SECONDS = 0.1
"""Where a motion goes on from one that stays as it is, or into one, raised toes come and go over so long."""


@record(frozen=True, eq=False)
class Below:
    """What toes are to be above.

    lowest: of each leg how far the tip of its toe is above the point by which the foot stands, at least,
    where the clips have it planted, in the world's unit; None where no clip says so. ground: what feet stand
    on, of which toes are kept clear wherever they are; None for the floor on which each foot is held. come:
    (n,) by how much of what they lack toes are raised, 0 to 1; None for all.
    """

    lowest: Sequence[float | None]
    ground: GroundSurface | None = None
    come: Array | None = None


def lowest(leg: LegMotion, planted: Flags) -> float | None:
    """Return how far the tip of a toe is above the point by which its foot stands, at least.

    planted: (n,), the frames that count. Return None for a foot without a toe, and one that is never planted.
    """
    if leg.toe is None or not planted.any():
        return None
    return float((leg.toe.tip - leg.point)[planted, 2].min())


def ends(times: Array) -> Array:
    """Return how much of what toes lack is made up for (n,) between two ends that stay as they are."""
    since, until = times - times[0], times[-1] - times
    return eased_smoothly(since, COMES_SECONDS) * eased_smoothly(until, COMES_SECONDS)


def ahead(leg: LegMotion, turned: Turned) -> Array:
    """Return where the knee of a leg points (n, 3) over the ground, once the leg is turned."""
    return np.cross(quaternion.rotate(turned.shin, leg.pose.hinge), VERTICAL)


def carried(leg: LegMotion, turned: Turned) -> Toe | None:
    """Return where the toe of a leg is once the leg is turned; None without one."""
    if leg.toe is None:
        return None
    joint, tip = (
        turned.ankle + quaternion.rotate(turned.foot, place - leg.pose.ankle)
        for place in (leg.toe.joint, leg.toe.tip)
    )
    return Toe(joint, tip)


def floor_of_holds(times: Array, holds: Sequence[Hold], low: float) -> Array | None:
    """Return how high the floor of a toe is (n,): so far above where its foot is held, and between two holds
    smoothly from one height to the other. Return None for a foot that is never held."""
    if not holds:
        return None
    floor = np.full(len(times), float(holds[0].point[2]) + low)
    for before, behind in itertools.pairwise(holds):
        begin, end = times[before.last], times[behind.first]
        floor += eased(times - begin, max(end - begin, 1e-9)) * float(behind.point[2] - before.point[2])
    return floor


def raised(times: Array, toe: Toe, floor: Array, ahead: Array, come: Array | None = None) -> Array:
    """Return the rotations (n, 4) in the world that turn a toe upwards so that its tip is above a floor.

    times: seconds (n,). floor: heights (n,); nothing is asked where one is not finite. ahead: (n, 3), where a
    toe turns to that points straight down. come: see :class:`Below`. A toe begins to turn before its tip
    would be below the floor, and is back after that. On all frames that are further away than
    ``REACH_SECONDS`` the rotation is the identity, to the last bit.
    """
    angles = locking.smoothed(find_lift_angles(toe, floor), times, np.inf, 0.5 * REACH_SECONDS)
    if come is not None:
        angles = angles * come
    way = toe.tip - toe.joint
    way = way / np.maximum(np.linalg.norm(way, axis=1, keepdims=True), 1e-30)
    level = np.linalg.norm(way[:, :2], axis=1)
    share = 1.0 - eased(level, STRAIGHT_DOWN)
    aside = np.cross(way + share[:, None] * ahead, VERTICAL)
    axes = aside / np.maximum(np.linalg.norm(aside, axis=1, keepdims=True), 1e-30)
    return np.where((angles > 0.0)[:, None], quaternion.exp(axes * angles[:, None]), quaternion.IDENTITY)


def find_lift_angles(toe: Toe, floor: Array) -> Array:
    """Return by what angles (n,) toes would have to look further up for their tips to be on a floor (n,), 0
    for those that are above it anyway."""
    arm = toe.tip - toe.joint
    length = np.linalg.norm(arm, axis=1)
    is_below = np.isfinite(floor) & (toe.tip[:, 2] < floor) & (length > 0.0)
    angles = np.zeros(len(arm))
    arm, length = arm[is_below], length[is_below]
    wanted = np.clip((floor[is_below] - toe.joint[is_below, 2]) / length, -1.0, np.sin(STEEPEST))
    now = np.arcsin(np.clip(arm[:, 2] / length, -1.0, 1.0))
    angles[is_below] = np.clip(np.arcsin(wanted) - now, 0.0, MOST)
    return angles
