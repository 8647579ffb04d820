# SPDX-License-Identifier: GPL-3.0-or-later
"""Toes and heels kept above the ground, and feet that roll onto their ball where a leg is too short.

D. Holden's controller (orangeduck/Motion-Matching, of "Learned Motion Matching", 2020) has each toe bone look
from its joint at its tip, whose height is clamped from below. Here the tip stays within reach of the bone, so
that it gets as high as it is to be, and comes down on the ground softly. A tip that is above the ground
anyway stays where it is.

Where the leg does not reach, that controller has the heel, the bone that carries the toe, look at where the
toe is held, so that this gets as near as it can. Here the foot turns about its ball, which stays, and brings
its ankle within reach. A heel that would be below the ground is raised in the same way.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence

import numpy as np

from ...records import record
from .. import quaternion
from ..arrays import Array, Flags, eased, eased_smoothly
from . import leg_ik, locking
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
    where the clips have it planted, in the world's unit; None where no clip says so. heels: the same of each
    heel. ground: what feet stand on, of which toes and heels are kept clear wherever they are; None for the
    floor on which each foot is held. come: (n,) by how much of what they lack they are raised, 0 to 1; None
    for all.
    """

    lowest: Sequence[float | None]
    heels: Sequence[float | None]
    ground: GroundSurface | None = None
    come: Array | None = None

    @classmethod
    def from_planted(
        cls,
        legs: Sequence[LegMotion],
        planted: Iterable[Flags],
        ground: GroundSurface | None = None,
        come: Array | None = None,
    ) -> Below:
        """Return what toes and heels are to be above by where they are while feet are planted, (n,) each.

        planted: for each leg (n,). ground, come: see the class.
        """
        low = [lowest(leg, where) for leg, where in zip(legs, planted, strict=True)]
        return cls([tip for tip, _ in low], [heel for _, heel in low], ground, come)


def lowest(leg: LegMotion, planted: Flags) -> tuple[float | None, float | None]:
    """Return how far the tip of a leg's toe is above the point by which its foot stands, at least, and its
    heel, see :func:`find_lowest`.
    """
    return find_lowest(leg.point, leg.toe, leg.heel, planted)


def find_lowest(
    point: Array, toe: Toe | None, heel_places: Array | None, planted: Flags
) -> tuple[float | None, float | None]:
    """Return how far the tip of a toe is above the point (n, 3) by which its foot stands, at least, and its
    heel (n, 3).

    planted: (n,), the frames that count. Return None for what a foot does not have, and for both if it is
    never planted.
    """
    tip, heel = (
        None if place is None or not planted.any() else float((place - point)[planted, 2].min())
        for place in (None if toe is None else toe.tip, heel_places)
    )
    return tip, heel


def ends(times: Array) -> Array:
    """Return how much of what toes lack is made up for (n,) between two ends that stay as they are."""
    since, until = times - times[0], times[-1] - times
    return eased_smoothly(since, COMES_SECONDS) * eased_smoothly(until, COMES_SECONDS)


def ahead(leg: LegMotion, turned: Turned) -> Array:
    """Return where the knee of a leg points (n, 3) over the ground, once the leg is turned."""
    return quaternion.cross(quaternion.rotate(turned.shin, leg.pose.hinge), VERTICAL)


def carried(leg: LegMotion, turned: Turned) -> Toe | None:
    """Return the joint and the tip of a leg's toe, in the world, once the leg is turned; None if the leg has
    no toe.

    leg: its motion before. turned: what becomes of it; the toe is moved with the ankle and turned with the
    foot.
    """
    if leg.toe is None:
        return None
    joint, tip = (
        turned.ankle + quaternion.rotate(turned.foot, place - leg.pose.ankle)
        for place in (leg.toe.joint, leg.toe.tip)
    )
    return Toe(joint, tip)


def floor_of_holds(times: Array, holds: Sequence[Hold], low: float) -> Array | None:
    """Return how high the floor of a toe is, by where its foot is held.

    Parameters
    ----------
    times : (n,)
        Seconds.
    holds
        In order. Between two of them the floor goes smoothly from one height to the other;
        before the first and behind the last one it stays.
    low
        How far the floor is above the point of a hold; negative for below it.

    Returns
    -------
    Array (n,) or None
        Heights in the world; None without holds.
    """
    if not holds:
        return None
    floor = np.full(len(times), float(holds[0].point[2]) + low)
    for before, behind in itertools.pairwise(holds):
        begin, end = times[before.last], times[behind.first]
        floor += eased(times - begin, max(end - begin, 1e-9)) * float(behind.point[2] - before.point[2])
    return floor


def raised(times: Array, toe: Toe, floor: Array, ahead: Array, come: Array | None = None) -> Array:
    """Return world rotations that turn a toe upwards so that its tip stays above a floor.

    The toe turns by at most 45 degrees and is not raised beyond 60 degrees above the horizontal, so that the
    tip may remain below the floor. The turn begins up to 0.1 s earlier and ends as much later.

    Parameters
    ----------
    times : (n,)
        Seconds, evenly spaced.
    toe
        Where it is without the rotations.
    floor : (n,)
        Heights; frames on which it is not finite ask for nothing.
    ahead : (n, 3)
        Horizontal directions in which a toe turns that points straight down.
    come : (n,)
        Factors from 0 to 1 on the angles; None for 1.

    Returns
    -------
    Array (n, 4)
        Unit quaternions, exactly the identity on frames without a turn.
    """
    return turned_up(toe, softened(times, find_lift_angles(toe, floor), come), ahead)


def softened(times: Array, angles: Array, come: Array | None = None) -> Array:
    """Return angles (n,) that are nowhere smaller, and set in before they are needed; see :func:`raised`.
    come: (n,), 0 to 1, a factor on the result, which may make it smaller; None for 1.
    """
    angles = locking.smoothed(angles, times, np.inf, 0.5 * REACH_SECONDS)
    return angles if come is None else angles * come


def turned_up(toe: Toe, angles: Array, ahead: Array) -> Array:
    """Return the rotations (n, 4) in the world that turn a toe upwards by angles (n,), radians; the identity
    where an angle is 0 or less.

    The axis is horizontal, across the direction from the toe's joint to its tip. ahead: (n, 3), horizontal
    directions that stand in for that the more the toe points straight down.
    """
    way = toe.tip - toe.joint
    way = way / np.maximum(np.linalg.norm(way, axis=1, keepdims=True), 1e-30)
    level = np.linalg.norm(way[:, :2], axis=1)
    share = 1.0 - eased(level, STRAIGHT_DOWN)
    aside = quaternion.cross(way + share[:, None] * ahead, VERTICAL)
    axes = aside / np.maximum(np.linalg.norm(aside, axis=1, keepdims=True), 1e-30)
    return np.where((angles > 0.0)[:, None], quaternion.exp(axes * angles[:, None]), quaternion.IDENTITY)


def find_lift_angles(toe: Toe, floor: Array) -> Array:
    """Return the angles (n,), radians, by which toes must be turned upwards for their tips to reach a floor
    (n,).

    An angle is 0 where the tip is not below the floor, the floor is not finite, or the toe has no length. It
    is at most 45 degrees, and does not raise a toe beyond 60 degrees above the horizontal.
    """
    arm = toe.tip - toe.joint
    length = np.linalg.norm(arm, axis=1)
    is_below = np.isfinite(floor) & (toe.tip[:, 2] < floor) & (length > 0.0)
    angles = np.zeros(len(arm))
    arm, length = arm[is_below], length[is_below]
    wanted = np.clip((floor[is_below] - toe.joint[is_below, 2]) / length, -1.0, np.sin(STEEPEST))
    now = np.arcsin(np.clip(arm[:, 2] / length, -1.0, 1.0))
    angles[is_below] = np.clip(np.arcsin(wanted) - now, 0.0, MOST)
    return angles


# --- heels


def heel_of(leg: LegMotion, turned: Turned, path: Array) -> Toe | None:
    """Return the back of a foot once the leg is turned, from the point by which it is to stand (n, 4 or 6) to
    its heel; None for a foot that stands on no heel."""
    if leg.heel is None:
        return None
    return Toe(path[:, :3], path[:, :3] + quaternion.rotate(turned.foot, leg.heel - leg.point))


def find_roll_angles(leg: LegMotion, turned: Turned, path: Array, drop: Array) -> Array:
    """Return the angles (n,), radians, by which feet have to roll onto their ball for their leg to reach
    where they stand.

    An angle is 0 for a leg that reaches and for one that no roll brings nearer, and never above 45 degrees
    (MOST). A leg reaches up to leg.longest, or its own distance from hip to ankle if that is more. The roll
    already sets in, softly, in the last 0.02 of the leg's length before that, but not sooner than the leg's
    own distance. The foot rolls about a horizontal axis through the point of its path, across the horizontal
    way from the ankle to that point, so that the ankle rises.

    leg: its motion before, (n,). turned: what becomes of it; only `foot` counts. path: (n, 4 or 6), where the
    foot stands, see :func:`locking.lock`. drop: (n,), how far the hips go down, world units.
    """
    hip = leg.pose.hip - drop[:, None] * VERTICAL
    arm = quaternion.rotate(turned.foot, leg.pose.ankle - leg.point)
    from_hip = path[:, :3] - hip
    asked = np.linalg.norm(from_hip + arm, axis=1)
    own = np.linalg.norm(leg.pose.ankle - leg.pose.hip, axis=1)
    longest = np.maximum(leg.longest, own)
    soft = np.minimum(leg_ik.SOFT * leg.length, longest - own)
    # where a leg begins to be stretched softly; further away the foot makes up for all of it
    wanted = asked - locking.softly(asked - longest + soft, np.maximum(2.0 * soft, 1e-12))
    ahead = -arm * [1.0, 1.0, 0.0]
    ahead = ahead / np.maximum(np.linalg.norm(ahead, axis=1, keepdims=True), 1e-30)
    axis = np.cross(VERTICAL, ahead)
    across = np.sum(arm * axis, axis=1)[:, None] * axis
    still = np.sum(arm**2 + from_hip**2 + 2.0 * from_hip * across, axis=1)
    cosine = 2.0 * np.sum(from_hip * (arm - across), axis=1)
    sine = 2.0 * np.sum(from_hip * np.cross(axis, arm), axis=1)
    size = np.hypot(cosine, sine)
    part = np.divide(wanted**2 - still, size, out=np.ones_like(size), where=size > 0.0)
    angles = np.arctan2(sine, cosine) + np.arccos(np.clip(part, -1.0, 1.0))
    return np.where((sine < 0.0) & (wanted < asked), np.clip(angles, 0.0, MOST), 0.0)


def rolled(leg: LegMotion, turned: Turned, path: Array, drop: Array, angles: Array) -> Turned:
    """Return what becomes of a leg whose foot rolls onto its ball by angles (n,); see
    :func:`find_roll_angles`.
    """
    back = Toe(path[:, :3], path[:, :3] + quaternion.rotate(turned.foot, leg.pose.ankle - leg.point))
    return locking.roll(leg, path, drop, turned, turned_up(back, angles, -ahead(leg, turned)))


def keep_above_at_once(
    leg: LegMotion, turned: Turned, path: Array, floors: Array, *, heels: bool
) -> tuple[Turned, Array | None]:
    """Return (turned, toe): a leg, and the rotations (n, 4) of its toe, with the toe kept above a floor,
    frame by frame.

    First, with `heels` and a foot that stands on a heel, the foot rolls onto its ball by the larger of two
    angles: that by which its leg reaches (:func:`find_roll_angles`), and that by which its heel gets up to
    its floor (:func:`find_lift_angles`). Then the toe is turned up until its tip gets to its floor. Both are
    limited, so that the tip may stay below. Nothing is smoothed over time, as nobody knows yet what comes.

    `turned` is the given object if the foot does not roll on any frame. The toe's rotations are in the world,
    on top of the foot's turn, and the identity where the tip is high enough; toe is None if the leg has no
    toe or it need not turn on any frame.

    path: (n, 4 or 6), see :func:`locking.lock`; the hips stay. floors: (n, 2), heights in the world for the
    toe's tip, and for the heel; NaN for none. heels: whether the foot may roll.
    """
    drop = np.zeros(len(path))
    back = heel_of(leg, turned, path) if heels else None
    if back is not None:
        angles = find_roll_angles(leg, turned, path, drop)
        angles = np.maximum(angles, find_lift_angles(back, floors[:, 1]))
        turned = rolled(leg, turned, path, drop, angles) if angles.any() else turned
    toe = carried(leg, turned)
    if toe is None:
        return turned, None
    angles = find_lift_angles(toe, floors[:, 0])
    return turned, turned_up(toe, angles, ahead(leg, turned)) if angles.any() else None
