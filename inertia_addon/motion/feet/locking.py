# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet held where they stand: from the motion of legs and what is held to how hips and legs turn.

How high a foot is where it is not held: above the destination's own foot, and high enough for its way.

The further a foot still is from where it will stand, or already from where it stood, the higher it is, up to
the height of a step: it comes down where it stands, not before, so that it does not skate there.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Sequence

import numpy as np

from ...records import record
from .. import quaternion
from ..arrays import Array, Flags, Integers, eased, eased_smoothly
from . import leg_ik
from .corrections import Hold
from .handover import Foot
from .leg_ik import LegPose

VERTICAL: Array = np.array([0.0, 0.0, 1.0])
STANDING = 0.003
"""A planted foot of a clip that goes no further than this part of its leg, and turns by no more radians,
stands by itself. To lead it there and back would only delay it where it lifts, so that it skated."""


@record(frozen=True, eq=False)
class Toe:
    """A toe bone over n frames, in the world: where it begins, and its tip, (n, 3) each."""

    joint: Array
    tip: Array

    def take(self, span: slice | Integers) -> Toe:
        """Return some of the frames."""
        return Toe(self.joint[span], self.tip[span])


@record(frozen=True, eq=False)
class LegMotion:
    """A leg over n frames, in the world.

    pose: its joints. point: (n, 3) by which the foot stands. foot: (n, 4) the foot's orientation. length:
    the leg's. longest: how far from the hip its ankle may be, (n,) or always. is_loose: whether, (n,) or
    always, the foot does not hang on the shin, as baked of a control rig, so that no knee keeps it away. toe:
    the toe bone that hangs from the foot; None without. heel: (n, 3) where the sole ends behind; None for a
    foot that does not stand on one.
    """

    pose: LegPose
    point: Array
    foot: Array
    length: float
    longest: float | Array
    is_loose: bool | Flags = False
    toe: Toe | None = None
    heel: Array | None = None

    @functools.cached_property
    def point_and_heading(self) -> Array:
        """The point, and the heading (n, 4): what stands still while the foot is held."""
        return np.column_stack([self.point, headings(self.foot, self.foot[0])])

    @property
    def near(self) -> Array:
        """How near (6,) its foot is to a place, in its heading and in its tilt, where it stands by itself."""
        return STANDING * np.array([self.length] * 3 + [1.0] * 3)

    def take(self, span: slice | Integers) -> LegMotion:
        """Return the leg on some of the frames, as a new object.

        span: a slice, or indices. Headings then count from the first frame that is taken. `longest` and
        `is_loose` are kept as they are, so that they may not be arrays if frames are left out.
        """
        pose = LegPose(*(getattr(self.pose, field.name)[span] for field in dataclasses.fields(LegPose)))
        toe = None if self.toe is None else self.toe.take(span)
        heel = None if self.heel is None else self.heel[span]
        point, foot = self.point[span], self.foot[span]
        return dataclasses.replace(self, pose=pose, point=point, foot=foot, toe=toe, heel=heel)


@record(frozen=True, eq=False)
class FootMotion:
    """A foot over n frames, in the world: the point (n, 3) by which it stands, and its orientation (n, 4)."""

    point: Array
    foot: Array


@record(frozen=True, eq=False)
class Turned:
    """What becomes of a leg: what thigh, shin and foot are turned by, (n, 4) in the world; ankle: (n, 3)."""

    thigh: Array
    shin: Array
    foot: Array
    ankle: Array

    def take(self, span: slice | Integers) -> Turned:
        """Return some of the frames."""
        return Turned(self.thigh[span], self.shin[span], self.foot[span], self.ankle[span])


def headings(foot: Array, reference: Array) -> Array:
    """Return by how much feet (n, 4) are turned about the vertical from a reference (4,), radians (n,),
    without jumps.
    """
    angles = quaternion.twist_angle(quaternion.multiply(foot, quaternion.conjugate(reference)), VERTICAL)
    return np.asarray(np.unwrap(angles))


@record(frozen=True, eq=False)
class HipsDrop:
    """How far the hips go down so that feet stay where they are held.

    most: how far at most. down: (n,) how much of what they must go down they do, 0 to 1. rise: (n,) how far a
    ground carries them up, None for without: on one they go down until no leg is stretched so far that it is
    softly.
    """

    most: float
    down: Array
    rise: Array | None = None


def lock(
    times: Array,
    legs: Sequence[LegMotion],
    paths: Sequence[Array],
    hips_drop: HipsDrop,
    free: Sequence[Array | None] | None = None,
) -> tuple[Array, list[Turned]]:
    """Return how far the hips go down (n,), world units, and what becomes of each leg, in the order of the
    legs, so that feet go along paths.

    A leg asks the hips to go down as far as its ankle needs to get within its reach: LegMotion.longest less
    0.01 of the leg's length (0.02 on a ground, with hips_drop.rise), or the distance that the leg has by
    itself if that is more. It asks for nothing on frames on which point and heading of its path are its own.
    The most that any leg asks for counts, from 0.15 s before to 0.15 s behind, smoothed, at most
    hips_drop.most; see :func:`smoothed`. The drop is that times hips_drop.down, less hips_drop.rise, so it is
    negative where a ground raises the hips. Where a leg still does not reach, its foot stays as near as it
    gets.

    times: seconds (n,), evenly spaced. legs: their motions by themselves. paths: for each leg (n, 4), the
    foot's point and heading, or (n, 6), with its tilt, x and y of a horizontal rotation vector. free: for
    each leg (n,), how free its foot is, or None for none; None for no leg; see :func:`leg_ik.solve`.

    Each :class:`Turned` holds rotations in the world, on top of the clip's own, the shin's with the thigh's
    in it, and where the ankle is with the hips down. Raise ValueError for lists of different lengths.
    """
    rise = hips_drop.rise
    wanted = [_wanted(leg, path) for leg, path in zip(legs, paths, strict=True)]
    needed = np.zeros(len(times))
    carried = np.zeros(len(times)) if rise is None else rise
    soft = leg_ik.SOFT * (0.5 if rise is None else 1.0)
    for leg, path, (_, ankle) in zip(legs, paths, wanted, strict=True):
        reach = np.linalg.norm(leg.pose.ankle - leg.pose.hip, axis=-1)
        # a leg may stay as far stretched as it is by itself
        longest = np.maximum(leg.longest - soft * leg.length, reach)
        # a foot that is led nowhere asks nothing of the hips
        moved = np.abs(path[:, :4] - leg.point_and_heading).max(axis=1) > 1e-9 * leg.length
        needed = np.maximum(
            needed, drop_needed(leg.pose.hip + carried[:, None] * VERTICAL, ankle, longest) * moved
        )
    drop = smoothed(needed, times, hips_drop.most) * hips_drop.down - carried
    each = zip(legs, wanted, free or [None] * len(legs), strict=True)
    return drop, [_reach(leg, turn, ankle, drop, reach) for leg, (turn, ankle), reach in each]


def led(leg: LegMotion, path: Array, drop: Array | None = None) -> Turned:
    """Return what becomes of a leg whose foot goes along a path.

    A foot that the leg cannot bring to its path stays as near as it gets.

    Parameters
    ----------
    leg
        Its motion before.
    path
        (n, 4), the foot's point and heading, or (n, 6), with x and y of a horizontal
        rotation vector that tilts it.
    drop : (n,)
        How far the hips go down, world units; None while they stay.

    Returns
    -------
    Turned
        On the path's frames.
    """
    return _reach(leg, *_wanted(leg, path), np.zeros(len(path)) if drop is None else drop)


def roll(leg: LegMotion, path: Array, drop: Array, before: Turned, turns: Array) -> Turned:
    """Return what becomes of a leg whose foot is turned further, about the point by which it stands.

    The leg is solved anew; what it does not reach the foot makes up for by pointing to its place. On frames
    on which ``turns`` is the identity all is as in ``before``.

    leg: its motion by itself. path: (n, 4) or more, the foot's point first. drop: (n,), how far the hips go
    down, world units. before: what becomes of the leg without that. turns: (n, 4), rotations in the world, on
    top of before.foot.
    """
    arm = quaternion.rotate(before.foot, leg.pose.ankle - leg.point)
    foot = quaternion.multiply(turns, before.foot)
    after = _reach(leg, foot, path[:, :3] + quaternion.rotate(turns, arm), drop)
    # what is left, as a leg becomes straight softly, its foot makes up for by pointing to where it stands
    ball = quaternion.rotate(foot, leg.point - leg.pose.ankle)
    looks = leg_ik.between(ball, path[:, :3] - after.ankle)
    after = dataclasses.replace(after, foot=quaternion.multiply(looks, foot))
    rolls = np.any(turns[:, 1:], axis=1)[:, None]
    return Turned(
        thigh=np.where(rolls, after.thigh, before.thigh),
        shin=np.where(rolls, after.shin, before.shin),
        foot=np.where(rolls, after.foot, before.foot),
        ankle=np.where(rolls, after.ankle, before.ankle),
    )


def _wanted(leg: LegMotion, path: Array) -> tuple[Array, Array]:
    """Return what a foot is turned by (n, 4) along a path, and where its ankle is to be (n, 3)."""
    turn = turned(leg, path)
    return turn, path[:, :3] - quaternion.rotate(turn, leg.point - leg.pose.ankle)


def _reach(leg: LegMotion, turn: Array, ankle: Array, drop: Array, free: Array | None = None) -> Turned:
    """Return what becomes of a leg whose foot is turned by `turn` (n, 4) in the world, and its ankle moved to
    `ankle` (n, 3).

    drop: (n,), how far the hips go down, world units. free: (n,), from 0, where the foot must be as near to
    its target as possible, to 1, where the leg may approach its full reach softly; None for 0. The returned
    ankle is where the leg reaches; a loose foot is put exactly at `ankle` where that is nearer to the hip
    than the leg can fold.
    """
    hip = leg.pose.hip - drop[:, None] * VERTICAL
    thigh, shin, where = leg_ik.solve(leg.pose, hip, ankle, np.full(len(drop), leg.longest), free)
    if np.any(leg.is_loose):
        where = loosened(hip, ankle, where, loose=leg.is_loose)
    return Turned(thigh, shin, turn, where)


def loosened(hip: Array, asked: Array, reached: Array, *, loose: bool | Flags) -> Array:
    """Return where ankles are (n, 3), of which those that are loose (n,) may come nearer to the hip than
    knees let them.

    hip, asked, reached: (n, 3) where the hip is, where the ankle is to be, and where the leg has it.
    """
    far, gets = (np.linalg.norm(each - hip, axis=-1) for each in (asked, reached))
    return np.where((loose & (far < gets))[:, None], asked, reached)


def turned(leg: LegMotion, path: Array) -> Array:
    """Return what a foot is turned by (n, 4), in the world, along a path of its point and heading (n, 4), or
    tilt too (n, 6).

    The turn about the vertical comes first, then the tilt, whose two numbers are x and y of a rotation
    vector.
    """
    turn = quaternion.exp((path[:, 3] - leg.point_and_heading[:, 3])[:, None] * VERTICAL)
    if path.shape[1] == 4:
        return turn
    tilt = quaternion.exp(np.column_stack([path[:, 4:], np.zeros(len(path))]))
    return quaternion.multiply(tilt, turn)


SPREAD_SECONDS = 0.15
"""The hips begin to go down, and come up again, over so long."""
DOWN_SECONDS = 0.3
"""From the cut on they go down over so long."""


def drop_needed(hip: Array, ankle: Array, longest: Array) -> Array:
    """Return how far down hips must go so that an ankle is no further than `longest` from its hip.

    Parameters
    ----------
    hip, ankle : (n, 3)
        In the world.
    longest : (n,)
        In world units.

    Returns
    -------
    Array (n,)
        0 or more. Where even that does not help it is what brings the hip level with the
        ankle, 0 if it is lower already.
    """
    way = ankle - hip
    aside = np.sum(way[:, :2] ** 2, axis=-1)
    return np.maximum(-way[:, 2] - np.sqrt(np.maximum(longest**2 - aside, 0.0)), 0.0)


def smoothed(drop: Array, times: Array, most: float, spread: float = SPREAD_SECONDS) -> Array:
    """Return a drop that changes smoothly and is nowhere less than the given one, but nowhere above `most`.

    It is the highest value within `spread` on either side, averaged over as long by a raised cosine. Beyond
    the first and the last frame a drop of 0 counts for the highest values.

    Parameters
    ----------
    drop : (n,)
        0 or more.
    times : (n,)
        Seconds, evenly spaced.
    most
        The largest drop; infinite for no limit.
    spread
        Seconds, rounded to frames, one frame at least.

    Returns
    -------
    Array (n,)
        From min(drop, most) to `most`.
    """
    step = float(np.median(np.diff(times))) if len(times) > 1 else spread
    reach = max(1, round(spread / step))
    padded = np.pad(np.minimum(drop, most), reach)
    highest = np.lib.stride_tricks.sliding_window_view(padded, 2 * reach + 1).max(axis=1)
    # a raised cosine, so that the hips set out and arrive without a jerk
    weights = 1.0 + np.cos(np.pi * np.arange(-reach, reach + 1) / (reach + 1))
    return np.convolve(np.pad(highest, reach, mode="edge"), weights / weights.sum(), mode="valid")


LANDED_SECONDS = 0.07
"""What keeps a foot up in the air has gone so long before it stands."""
TAKEN_SECONDS, RAISED_SECONDS = 0.15, 0.08
"""What keeps a foot above the destination's begins to over so long; what makes it step at the cut does."""
NEAR, NEARER = 0.025, 0.008
"""A foot comes down on the destination's path, and on that of a step, smoothly over this part of the leg."""
CLEAR_LENGTH = 0.1
"""A foot need not be higher than this part of the leg because the destination's is."""
FADE_SECONDS = 0.3
"""What the source has a foot lower, or higher, than the destination counts so long as it swings."""
STEP_TRAVEL, STEP_LENGTH, LOW_LENGTH = 0.25, 0.06, 0.05
"""A step is as high as this part of its length, and no higher than this part of the leg; than the last one
while no other foot stands, or the character would seem to hop."""
SLOPE = 2.5
"""So steeply a step leaves the ground, and comes down."""
LEFT_SECONDS = 0.2
"""A foot that is let go where the destination stands comes to the height of its ground over so long."""
LIFTED_SECONDS = 0.08
"""What keeps a foot up between two stands is spread over so long to either side."""
FALLS, FALLEN_SECONDS = 15.0, 0.1
"""There a foot is taken up, and let down, by no more leg lengths a second a second, where it has the time;
how high it is kept is looked at so long behind the one stand, and before the other."""


def lifted(
    times: Array, path: Array, foot: Foot, holds: Sequence[Hold], carried: Flags, step: Array | float
) -> Array:
    """Return a foot's path whose height is raised between holds; only z changes, and it never gets lower.

    Two things raise the foot on the frames between two holds, between frame 0 and the first hold, and behind
    the last hold. First, it stays as high as the destination's own foot, though no higher than about 0.1 leg
    lengths above the lowest of that; what the path is off that height at frame 0 counts less and less for 0.3
    s. Near a hold this is eased; see :func:`_evenly`.

    Second, it steps: see :func:`_arc`. It is at most 0.06 leg lengths times `step` high if another foot is
    `carried` on all of the frames, else 0.05; behind the last hold a frame on which the destination has the
    foot in the air counts as carried. Behind the last hold, or with no hold at all, there is a step only if
    the destination has the foot planted on the frame from which it starts. The step from frame 0 is brought
    in over 0.08 s.

    Parameters
    ----------
    times : (n,)
        Seconds, evenly spaced.
    path : (n, 4)
        Point and heading; it is not changed.
    foot
        The record of this foot.
    holds
        Of the path, in order. Heights on these and on frame 0 do not change.
    carried : (n,)
        Whether another foot is held.
    step
        The factor on the usual step height, a number or (n,); the largest on the frames of a
        step counts.

    Returns
    -------
    Array (n, 4)
        A copy.
    """
    lifted_path = path.copy()
    floor = _clear(foot.own[:, 2], foot.length) + (path[0, 2] - foot.own[0, 2]) * (
        1.0 - eased(times - times[0], FADE_SECONDS)
    )
    last = 0
    for hold in [*holds, None]:
        air = slice(last + 1, len(times) if hold is None else hold.first)
        if air.stop > air.start:
            gone = times[air] - times[last]
            left = (times[-1] if hold is None else times[hold.first]) - times[air]
            up = softly(floor[air] - path[air, 2], NEAR * foot.length)
            lifted_path[air, 2] += _evenly(up, times[air], gone, left, LANDED_SECONDS, foot.length)
            if hold is not None or foot.planted[last]:
                alone = carried[air] | (hold is None) & ~foot.planted[air]
                highest = STEP_LENGTH if alone.all() else LOW_LENGTH
                higher = float(np.broadcast_to(step, len(times))[air].max())
                arc = _arc(times, path, foot, _FootStep(last, air, hold), higher * highest * foot.length)
                raised = softly(arc - lifted_path[air, 2], NEARER * foot.length)
                lifted_path[air, 2] += raised if last > 0 else raised * eased_smoothly(gone, RAISED_SECONDS)
        if hold is not None:
            last = hold.last
    return lifted_path


def lifted_between(
    times: Array, path: Array, leg: LegMotion, clip_heights: Array, holds: Sequence[Hold], step: float
) -> Array:
    """Return a foot's path in a stretch with fixed ends, whose height is raised between holds; only z
    changes, and it never gets lower.

    Between holds, and between a hold and an end, neither the foot's point nor its ankle gets lower than in
    the clip, though a clip's height counts only up to about 0.1 leg lengths above its lowest. What path and
    clip differ by at either end counts less and less for 0.3 s, or until the first hold, or from the last
    one, if that is sooner.

    A foot also steps as high as :func:`_step` above a smooth line from the height of the one hold to that of
    the next; next to an end the line is level, at the one hold's height. The highest is 0.05 leg lengths
    times `step`. Without any hold there is no step. Near holds and ends all this is eased; see
    :func:`_evenly`.

    Parameters
    ----------
    times : (n,)
        Seconds, evenly spaced.
    path
        (n, 4 or 6), point, heading and perhaps tilt; it is not changed.
    leg
        Its motion by itself.
    clip_heights : (n, 2)
        The heights of the foot's point and of its ankle in the clip.
    holds
        Of the path, in order. Heights on these and on the first and the last frame do not
        change.
    step
        The factor on the usual step height.

    Returns
    -------
    Array
        A copy, of the path's shape.
    """
    raised, since, until = path.copy(), times - times[0], times[-1] - times
    length, way = leg.length, quaternion.rotate(turned(leg, path), leg.pose.ankle - leg.point)
    heights = path[:, 2:3] + np.column_stack([np.zeros(len(times)), way[:, 2]])
    floor = np.column_stack([_clear(each, length) for each in clip_heights.T])
    # an end that is high up has come down where a foot is held before it would have by itself
    first, last = (holds[0].first, holds[-1].last) if holds else (0, len(times) - 1)
    for i, apart, most in ((0, since, since[first]), (-1, until, until[last])):
        fade = eased(apart, min(float(most), FADE_SECONDS) if most > 0.0 else FADE_SECONDS)
        floor += (heights[i] - clip_heights[i]) * (1.0 - fade)[:, None]
    below = (floor - heights).max(axis=1)
    before: Hold | None = None
    for behind in [*holds, None]:
        air = slice(
            1 if before is None else before.last + 1, len(times) - 1 if behind is None else behind.first
        )
        if air.stop > air.start:
            gone = since[air] if before is None else times[air] - times[before.last]
            left = until[air] if behind is None else times[behind.first] - times[air]
            up = softly(below[air], NEAR * length)
            if before is not None or behind is not None:
                ends = before or behind, behind or before
                begin, end = (float(hold.point[2]) for hold in ends if hold is not None)
                line = begin + (end - begin) * eased(gone / (gone + left), 1.0)
                arc = line + _step(path, before, behind, air, step * LOW_LENGTH * length)
                up = np.maximum(up, softly(arc - path[air, 2], NEARER * length))
            landing = TAKEN_SECONDS if behind is None else LANDED_SECONDS
            raised[air, 2] += _evenly(up, times[air], gone, left, landing, length)
        before = behind
    return raised


def _evenly(up: Array, times: Array, gone: Array, until: Array, landing: float, length: float) -> Array:
    """Return a height (n,) to be added to a path: `up`, spread over time so that it neither starts nor ends
    abruptly.

    The highest of `up` within 0.08 s is smoothed as by :func:`smoothed`, and multiplied by two quintic eases.
    One goes from 0 to 1 while `gone` does from 0 to its duration, 0.15 s at least; the other likewise with
    `until`, `landing` at least. A duration is made longer, but no longer than half of the time in the air,
    until the ease accelerates the foot by no more than 15 leg lengths / s^2; the height for that is taken 0.1
    s from the stand. The result is 0 where gone or until is 0.

    up: (n,), how far the foot should be raised, one frame at least. times: seconds (n,), evenly spaced. gone,
    until: seconds (n,) since the last stand and until the next. landing: seconds. length: the leg's, in the
    unit of up.
    """
    up = smoothed(up, times, np.inf, LIFTED_SECONDS)
    room, evened = 0.5 * float(gone[0] + until[0]), up
    for apart, least in ((gone, TAKEN_SECONDS), (until, landing)):
        high = float(up[np.argmin(np.abs(apart - FALLEN_SECONDS))])
        # a quintic's highest acceleration is 5.77 h / T^2
        seconds = math.sqrt(5.77 * high / (FALLS * length)) if length > 0.0 else 0.0
        evened = evened * eased_smoothly(apart, max(least, min(seconds, room)))
    return evened


def _step(path: Array, before: Hold | None, behind: Hold | None, air: slice, highest: float) -> Array:
    """Return how high a step is above its ground on the frames of a slice: (frames,), in world units.

    The height is 0.25 (STEP_TRAVEL) of the horizontal distance between both ends, at most `highest`, and at
    least 1e-9. For each hold that is given it is multiplied by 1 - exp(-2.5 d / height), with d the foot's
    horizontal distance from the hold's point on that frame. It does not fall off towards an end without a
    hold.

    path: (n, 4). before, behind: the holds between which the foot steps; None for the path's first or last
    frame. air: the slice, with its start and stop. highest: world units.
    """
    ends = [path[0] if before is None else before.point, path[-1] if behind is None else behind.point]
    travel = float(np.linalg.norm(ends[1][:2] - ends[0][:2]))
    height = max(min(STEP_TRAVEL * travel, highest), 1e-9)
    shape = np.full(air.stop - air.start, height)
    for hold in (before, behind):
        if hold is not None:
            away = np.linalg.norm(path[air, :2] - hold.point[:2], axis=1)
            shape *= -np.expm1(-SLOPE * away / height)
    return shape


def _clear(heights: Array, length: float) -> Array:
    """Return how high (n,) a clip has a foot, as far as a foot that swings must be off the ground."""
    over = heights - heights.min() - CLEAR_LENGTH * length
    return np.asarray(heights - softly(over, NEAR * length))


@record(frozen=True, eq=False)
class _FootStep:
    """A step: from the frame ``last``, over those in the ``air``, to a hold; None for where the destination
    plants the foot."""

    last: int
    air: slice
    hold: Hold | None


def _arc(times: Array, path: Array, foot: Foot, foot_step: _FootStep, highest: float) -> Array:
    """Return how high a foot is in the world (frames,) on those frames of a step that are in the air.

    With s from 0 to 1 between the frame on which it last stood and the first one of the hold, the line is
    ground + (begun - ground) (1 - s)^3: `begun` is the path's height at the start, `ground` the hold's. Onto
    it comes an arc: 0.25 of the horizontal distance between both places, at most `highest`, times 1 -
    exp(-2.5 d / height) for the foot's horizontal distance d from each of them.

    Without a hold the target on each frame is where the destination has the foot then; the distance is to the
    first of these. The ground is the lower of the destination's heights at the start and on the frame, and s
    gets to 1 in 0.2 s. A foot that is in the air at frame 0, when the step starts there, has no line, only
    the ground, and the arc falls off only towards the target.

    times: seconds (n,). path: (n, 4), of the whole foot. foot: its record. foot_step: the frames and the
    hold. highest: world units.
    """
    last, air, hold = foot_step.last, foot_step.air, foot_step.hold
    if hold is None:
        # where the destination comes down, as it may stand lower later
        target, ground = foot.own[air], np.minimum(foot.own[last, 2], foot.own[air, 2])
        s = np.clip((times[air] - times[last]) / LEFT_SECONDS, 0.0, 1.0)
    else:
        target, ground = hold.point[None], hold.point[2]
        s = (times[air] - times[last]) / (times[hold.first] - times[last])
    travel = float(np.linalg.norm(target[0, :2] - path[last, :2]))
    height = max(min(STEP_TRAVEL * travel, highest), 1e-9)
    ahead = np.linalg.norm(path[air, :2] - target[:, :2], axis=1)
    shape = -np.expm1(-SLOPE * ahead / height)
    if last == 0 and not foot.stood:
        return np.asarray(ground + height * shape)
    behind = np.linalg.norm(path[air, :2] - path[last, :2], axis=1)
    line = ground + (path[last, 2] - ground) * (1.0 - s) ** 3
    return np.asarray(line - height * shape * np.expm1(-SLOPE * behind / height))


def softly(above: Array, soft: Array | float) -> Array:
    """Return max(0, above), (n,), rounded over ``soft`` so that it sets out without a jump in speed; from
    there on it is half of ``soft`` less.
    """
    inner = np.clip(above, 0.0, soft)
    return np.asarray(np.where(above > soft, above - 0.5 * soft, 0.5 * inner * inner / soft))
