# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet of a character that is steered, locked in what is shown of it; see :mod:`feet.going`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields
from typing import Any, Generic, Protocol, TypeVar

import numpy as np

from .. import quaternion
from ..arrays import Array, Flags, Integers
from ..feet import chains, going, locking
from ..feet.chains import Knee, Legs
from ..feet.crossing import How
from ..feet.leg_ik import LegPose
from ..feet.locking import LegMotion
from ..matching.targets import wrapped
from ..skeleton import posing
from ..skeleton.posing import Address, Posed
from .posing import KINDS, Playing, Pose

OFTEN, MOST = 5, 60
"""A pose of so many says how far legs stretch and how knees bend, and so many are kept at most."""


class Framed(Protocol):
    """A moment of a take."""

    @property
    def frame(self) -> int:
        """From 0."""


Moment = TypeVar("Moment", bound=Framed, contravariant=True)


class Poser(Protocol[Moment]):
    """What poses the moments of a take."""

    def pose(self, now: Moment) -> Pose:
        """What is shown at a moment."""

    def playing(self, now: Moment, later: float) -> Playing:
        """What plays at a moment, and so many seconds later."""


class Feet(Generic[Moment]):
    """Poses moments, one after the other, with the feet locked.

    legs: those of a part of the rig. bones: (of that part,) which things of a pose they are. planted:
    which feet are at a moment, (feet,). fps: of moments.
    """

    def __init__(
        self,
        poser: Poser[Moment],
        legs: Legs,
        bones: Integers,
        planted: Callable[[Moment], Flags],
        fps: float,
        how: How,
    ) -> None:
        self._poser, self._legs, self._things = poser, legs, np.append(bones, -1)
        self._planted, self._seconds, self._how = planted, 1.0 / fps, how
        self._feet = [leg.foot for leg in legs.legs]
        self._said: list[Posed] = []
        self._knees: list[Knee] = []
        self._frame, self._count = -1, 0
        none = np.zeros((len(legs.legs), 4))
        self._turned, self._going = none, going.Going.begun(none, none, how)
        self._shown: tuple[Moment, Pose] | None = None

    def pose(self, now: Moment) -> Pose:
        """What is shown at a moment. Where that does not follow on the last, feet begin where they are."""
        if self._shown is None or self._shown[0] is not now:
            self._shown = now, self._locked(now)
        return self._shown[1]

    def _locked(self, now: Moment) -> Pose:
        planted = self._planted(now)
        lands = np.any(planted & ~self._going.held)
        plays = self._poser.playing(now, going.EARLY_SECONDS if lands else 0.0)
        posed = self._posed([each for each in vars(plays).values() if each is not None])
        self._remember(posed)
        begins = now.frame != self._frame + 1
        if begins:
            self._turned = posed.axes[self._feet, 0]
        points = self._points(posed)
        places = iter(self._standing(posed, points).swapaxes(0, 1))
        free = next(places)
        own, comes, enters = (
            None if each is None else next(places) for each in (plays.clip, plays.after, plays.before)
        )
        own = free if own is None else own
        if begins:
            self._going = going.Going.begun(own, free, self._how)
        else:
            lengths = np.array([knee.length for knee in self._knees])
            step = own, planted, lengths, self._seconds, self._how, comes, enters
            self._going = self._going.step(*step)
        self._frame = now.frame
        away = self._going.path - free
        return self._led(plays.shown, posing.taken(posed, slice(0, 1)), points[:, 0], away)

    def _remember(self, posed: Posed) -> None:
        """Have what is shown, the first of some poses, say how far legs stretch and how knees bend."""
        if self._count < OFTEN * MOST and self._count % OFTEN == 0:
            self._said = [posing.joined([*self._said, posing.taken(posed, slice(0, 1))])]
            self._knees = [Knee.of(leg, self._said) for leg in self._legs.legs]
        self._count += 1

    def _points(self, posed: Posed) -> Array:
        """Where feet stand in poses (feet, poses, 3), see :func:`chains.point_of`."""
        which, offsets = [leg.point for leg in self._legs.legs], [leg.offset for leg in self._legs.legs]
        moved = posed.sizes[which][..., None] * np.array(offsets)[:, None]
        return np.asarray(posed.heads[which] + quaternion.rotate(posed.axes[which], moved))

    def _standing(self, posed: Posed, points: Array) -> Array:
        """Where feet stand in poses, and their headings (feet, poses, 4)."""
        turns = quaternion.multiply(posed.axes[self._feet], quaternion.conjugate(self._turned)[:, None])
        headings = quaternion.twist_angle(turns, locking.VERTICAL)
        # the nearest to where they were
        last = self._going.own[:, None, 3]
        return np.concatenate([points, (last + wrapped(headings - last))[..., None]], axis=-1)

    def _posed(self, poses: Sequence[Pose]) -> Posed:
        """The legs in poses."""
        things = self._things
        turns, places, scales = (
            np.stack([getattr(pose, kind)[things] for pose in poses], axis=1) for kind in KINDS
        )
        return posing.posed_few(self._legs.rig, turns, places, scales, self._legs.moving)

    def _led(self, shown: Pose, posed: Posed, points: Array, away: Array) -> Pose:
        """A pose whose feet are led away (feet, 4) from where they are in it, points (feet, 3)."""
        legs, still = self._legs.legs, np.zeros(1)
        # each leg is a frame of one, so that all are turned at once
        each = [chains.pose_of(leg, posed, knee) for leg, knee in zip(legs, self._knees, strict=True)]
        joints = (np.concatenate([getattr(one, field.name) for one in each]) for field in fields(LegPose))
        longest = np.array([knee.longest for knee in self._knees])
        motion = LegMotion(LegPose(*joints), points, posed.axes[self._feet, 0], 0.0, longest)
        turned = locking.led(motion, motion.standing + away)
        turns, places = shown.turns.copy(), shown.places.copy()
        values: dict[Address, Any] = {
            (self._legs.rig.paths[bone] + "location", i): shown.places[self._things[bone], i : i + 1]
            for bone in self._feet
            for i in range(3)
        }
        found = [turned.take(slice(k, k + 1)) for k in range(len(legs))]
        for one in chains.changed(self._legs, posed, values, still, found):
            (turns if one.mode else places)[self._things[one.bone]] = one.values[0]
        return Pose(turns, places, shown.scales)
