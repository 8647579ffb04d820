# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet of a character that is steered, locked in what is shown of it; see :mod:`feet.going`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields
from typing import Any, Generic, Protocol, TypeVar

import numpy as np

from ...records import record
from .. import quaternion
from ..arrays import Array, Flags, Integers
from ..feet import chains, going, locking, toes
from ..feet.chains import Knee, RigLegs
from ..feet.crossing import LockLimits
from ..feet.going import ClipPlacement, FeetState
from ..feet.leg_ik import LegPose
from ..feet.locking import LegMotion
from ..matching.targets import wrapped
from ..skeleton import posing
from ..skeleton.posing import Address, Posed
from ..steps import Steps
from .posing import KINDS, ChannelPose, Playing
from .session import EVERY, RECENT, MomentView

Moment = TypeVar("Moment", bound=MomentView, contravariant=True)


class Poser(Protocol[Moment]):
    """What poses the moments of a take."""

    def pose(self, now: Moment) -> ChannelPose:
        """Return the pose at a moment."""

    def look_ahead(self, now: Moment, later: float) -> Playing:
        """Return what plays at a moment, and `later` seconds after it."""


@record(frozen=True, eq=False)
class PosedMoments(Generic[Moment]):
    """The moments of a take, posed.

    planted: tells which feet are planted at a moment, (feet,). fps: of moments. poses: those that say how
    knees bend, and how far legs stretch.
    """

    poser: Poser[Moment]
    planted: Callable[[Moment], Flags]
    fps: float
    poses: Sequence[ChannelPose]


@record(frozen=True, eq=False)
class Stood(Generic[Moment]):
    """Feet at a moment. going: where they are; free: (feet, 4) where the pose has them that plays; turned:
    (feet, 4) from where headings are measured. shown: the pose with its feet locked. low: (feet, 2), how far
    above the points by which feet stand the tips of toes, and heels, stay: as low as they have been while
    these stood; not a number before. floor: (feet,) how high those points stood last."""

    moment: Moment
    going: FeetState
    free: Array
    turned: Array
    shown: ChannelPose
    low: Array
    floor: Array

    @property
    def away(self) -> Array:
        """How far feet are led away (feet, 4) from where the pose has them."""
        return self.going.path - self.free

    @property
    def floors(self) -> Array:
        """How high the tips of toes, and heels, are at least (feet, 2)."""
        return self.floor[:, None] + self.low


class SteeredFeet(Generic[Moment]):
    """Poses moments, one after the other, with the feet locked. Who goes back in time goes on from there.

    legs: those of a part of the rig. bones: (of that part,) which things of a pose they are.
    """

    def __init__(
        self, moments: PosedMoments[Moment], legs: RigLegs, bones: Integers, limits: LockLimits
    ) -> None:
        self._poser, self.legs, self._things = moments.poser, legs, np.append(bones, -1)
        self._planted, self._seconds, self._how = moments.planted, 1.0 / moments.fps, limits
        self._feet = [leg.foot for leg in legs.legs]
        posed = self._pose_legs(moments.poses)
        self.knees = tuple(Knee.from_poses(leg, [posed]) for leg in legs.legs)
        self._lengths = np.array([knee.length for knee in self.knees])
        self._stood: dict[int, Stood[Moment]] = {}

    def pose(self, now: Moment) -> ChannelPose:
        """Return the pose at a moment, with its feet locked.

        Where the moment does not follow on one before, feet begin where they are.
        """
        return self.stood(now).shown

    def stood(self, now: Moment) -> Stood[Moment]:
        """Return the feet at a moment: where they are led, and the pose with its feet locked.

        In the :class:`Stood`, `going.path` (feet, 4) is where feet are led and `free` where the playing pose
        has them, both x, y, z and heading in the world; `away` is their difference, and `shown` the locked
        pose.

        The result is cached by the moment's frame, and returned again only for the very same moment object.
        Another moment at that frame, or an earlier one, first drops what is cached at its own and all later
        frames, as time was taken back. Feet continue those of the frame before if these are cached; otherwise
        they begin where the pose has them, held nowhere. Of the cached frames the last 1024 (RECENT) stay,
        and before these each whose number is a multiple of 256 (EVERY).
        """
        stood = self._stood
        if (former := stood.get(now.frame)) is not None and former.moment is now:
            return former
        while stood and next(reversed(stood)) >= now.frame:
            stood.popitem()
        latest = stood[now.frame] = self._after(stood.get(now.frame - 1), now)
        if (old := now.frame - RECENT) % EVERY:
            stood.pop(old, None)
        return latest

    def _after(self, last: Stood[Moment] | None, now: Moment) -> Stood[Moment]:
        planted = self._planted(now)
        lands = last is None or np.any(planted & ~last.going.held)
        plays = self._poser.look_ahead(now, going.EARLY_SECONDS if lands else 0.0)
        posed = self._pose_legs([each for each in vars(plays).values() if each is not None])
        turned = posed.axes[self._feet, 0] if last is None else last.turned
        headings = np.zeros(len(self._feet)) if last is None else last.going.own[:, 3]
        # where feet stand in poses (feet, poses, 3), see chains.point_of
        which, offsets = [leg.point for leg in self.legs.legs], [leg.offset for leg in self.legs.legs]
        moved = posed.sizes[which][..., None] * np.array(offsets)[:, None]
        points = posed.heads[which] + quaternion.rotate(posed.axes[which], moved)
        places = iter(self._find_standing(posed, points, turned, headings).swapaxes(0, 1))
        free = next(places)
        by_itself, comes, enters = (
            None if each is None else next(places) for each in (plays.clip, plays.after, plays.before)
        )
        by_itself = free if by_itself is None else by_itself
        if last is None:
            goes = FeetState.begun(by_itself, free, self._how)
        else:
            of_clip = ClipPlacement(by_itself, planted, comes, enters)
            goes = last.going.step(of_clip, self._lengths, self._seconds, self._how)
        now_posed = posing.at_frames(posed, slice(0, 1))
        each = [
            chains.motion_by(leg, now_posed, knee)
            for leg, knee in zip(self.legs.legs, self.knees, strict=True)
        ]
        stands, count = goes.held & (goes.since >= goes.lasting), len(each)
        low, floor = (np.full((count, 2), np.nan), np.full(count, np.nan))
        if last is not None:
            low, floor = last.low, last.floor
        none, high = np.ones(1, bool), [self._how.toes or 0.0, 0.0]
        lowest = np.array([toes.lowest(leg, none) for leg in each], float)
        low = np.where(stands[:, None], np.fmin(low, lowest + np.outer(self._lengths, high)), low)
        floor = np.where(stands, goes.path[:, 2], floor)
        shown = self._lead_feet(plays.shown, now_posed, each, goes.path - free, floor[:, None] + low)
        return Stood(now, goes, free, turned, shown, low, floor)

    def _find_standing(self, posed: Posed, points: Array, turned: Array, last: Array) -> Array:
        """Return the points and headings of feet in some poses: (feet, poses, 4), x, y, z as they are given
        and the heading.

        The heading is how far the foot's world orientation is turned about the vertical from `turned`, in
        radians, to the left if above 0.

        posed: the legs, a frame for each pose. points: (feet, poses, 3), in the world. turned: (feet, 4), the
        orientations that have the heading 0. last: (feet,), earlier headings; whole turns are added so that
        each heading is within half a turn of its foot's last one.
        """
        turns = quaternion.multiply(posed.axes[self._feet], quaternion.conjugate(turned)[:, None])
        headings = quaternion.twist_angle(turns, locking.VERTICAL)
        near = last[:, None]
        return np.concatenate([points, (near + wrapped(headings - near))[..., None]], axis=-1)

    def _pose_legs(self, poses: Sequence[ChannelPose]) -> Posed:
        """Return the legs in poses."""
        things = self._things
        turns, places, scales = (
            np.stack([getattr(pose, kind)[things] for pose in poses], 1) for kind in KINDS
        )
        return posing.posed_few(self.legs.rig, turns, places, scales, self.legs.movable_bones)

    def _lead_feet(
        self,
        pose: ChannelPose,
        posed: Posed,
        legs: Sequence[LegMotion],
        away: Array,
        floors: Array,
    ) -> ChannelPose:
        """Return a copy of a pose with its feet led away from where it has them; scales are shared.

        Thigh, shin and foot of each leg are turned so that the foot's point and heading get to where they are
        plus `away`, or as near as the leg reaches (:func:`locking.led`). A foot that the shin does not carry
        is moved by its location, too. Hips stay. Bones that need not move keep their channels.

        If the settings' `toes` are not None, tips of toes are then raised to their floor by turning the toe
        bone, and, with their `heels`, heels to theirs by rolling the foot (:func:`toes.keep_above_at_once`).

        pose: the channels of all things. posed: the legs in that pose, one frame, in the world. legs: what is
        known of each leg on that frame. away: (feet, 4), x, y, z, and heading in radians. floors: (feet, 2),
        how high the tips of toes, and heels, are at least in the world; not a number where nothing says.
        """
        # each leg is a frame of one, so that all are turned at once
        joints = (
            np.concatenate([getattr(leg.pose, field.name) for leg in legs]) for field in fields(LegPose)
        )
        longest, is_loose = (np.array([getattr(k, of) for k in self.knees]) for of in ("longest", "is_loose"))
        points = np.concatenate([leg.point for leg in legs])
        motion = LegMotion(LegPose(*joints), points, posed.axes[self._feet, 0], 0.0, longest, is_loose)
        turned = locking.led(motion, motion.point_and_heading + away)
        turns, places = pose.turns.copy(), pose.places.copy()
        values: dict[Address, Any] = {
            (self.legs.rig.paths[bone] + "location", i): pose.places[self._things[bone], i : i + 1]
            for bone in self._feet
            for i in range(3)
        }
        parted = [turned.take(slice(k, k + 1)) for k in range(len(legs))]
        toe_turns: list[Array | None] = [None] * len(legs)
        if self._how.toes is not None:
            paths = (motion.point_and_heading + away)[:, None]
            kept = [
                toes.keep_above_at_once(leg, turn, path, floor, heels=self._how.heels)
                for leg, turn, path, floor in zip(legs, parted, paths, floors[:, None], strict=True)
            ]
            parted, toe_turns = [turn for turn, _ in kept], [toe for _, toe in kept]
        changes = [*chains.changed(self.legs, posed, values, np.zeros(1), parted)]
        for leg, turn, toe in zip(self.legs.legs, parted, toe_turns, strict=True):
            if toe is not None and leg.ball is not None:
                changes += chains.toe_turns(self.legs, leg.ball, posed, turn.foot, toe)
        for change in changes:
            (turns if change.mode else places)[self._things[change.bone]] = change.values[0]
        return ChannelPose(turns, places, pose.scales)


@record(frozen=True, eq=False)
class TakenFeet:
    """How the feet of a take are led. names: of the legs. away: (moments, feet, 4) from where the pose has
    them; still: (moments, feet) when they stand. floors: (moments, feet, 2), see :class:`Stood`. knees: what
    poses say of the legs."""

    names: tuple[str, ...]
    away: Array
    still: Flags
    floors: Array
    knees: tuple[Knee, ...]

    def away_at(self, moments: Array) -> Array:
        """Return how far feet are led away (n, feet, 4) at moments (n,), in frames from 0, as a new array.

        Between two frames it is the cubic that has their values and slopes there. The slope at a frame is
        half the difference of its neighbours, at the first and last frame the difference to the only one.
        Headings are taken as numbers, not wrapped. Beyond the ends, and where there is only one frame, it is
        that of the nearest. Without any frame the result is (0, feet, 4).
        """
        last = len(self.away) - 1
        if last < 1:
            return np.repeat(self.away[:1], len(moments), axis=0)
        before = np.clip(np.floor(moments), 0, last - 1).astype(np.int64)
        t = np.clip(moments - before, 0.0, 1.0)[:, None, None]
        slopes = np.gradient(self.away, axis=0)
        (a, m), (b, n) = ((self.away[at], slopes[at]) for at in (before, before + 1))
        way = a + (b - a) * t**2 * (3.0 - 2.0 * t)
        return np.asarray(way + t * (1.0 - t) * (m * (1.0 - t) - n * t))

    def still_at(self, moments: Array) -> Flags:
        """Tell which feet stand (n, feet) at both of the frames nearest to moments (n,)."""
        last = len(self.still) - 1
        near = (np.clip(np.round(moments + side), 0, last).astype(np.int64) for side in (-0.49, 0.49))
        return np.logical_and(*(self.still[at] for at in near))

    def floors_at(self, moments: Array) -> Array:
        """Return how high toes and heels are at least (n, feet, 2) at the frames nearest to moments (n,)."""
        return self.floors[np.clip(np.round(moments), 0, len(self.floors) - 1).astype(np.int64)]


def taken(feet: SteeredFeet[Moment], moments: Sequence[Moment]) -> Steps[TakenFeet]:
    """Pose the feet of all moments of a take, in order; yield the part that is done, above 0 up to 1, after
    each moment, and return how the feet are led.

    In the result `away` (moments, feet, 4) is where feet are led less where the pose has them, x, y, z and
    heading. `still` (moments, feet) tells on which moments they are held and have come to rest. It also has
    the names of the legs, the floors at each moment (moments, feet, 2) and the knees of `feet`. `feet` keeps
    what it has worked out. Without moments the arrays of moments, the floors too, are (0,).
    """
    away, still, floors = [], [], []
    for i, moment in enumerate(moments):
        stood = feet.stood(moment)
        away.append(stood.away)
        still.append(stood.going.held & (stood.going.since >= stood.going.lasting))
        floors.append(stood.floors)
        yield (i + 1) / len(moments)
    names = tuple(leg.name for leg in feet.legs.legs)
    return TakenFeet(names, np.array(away), np.array(still), np.array(floors), feet.knees)
