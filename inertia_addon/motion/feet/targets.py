# SPDX-License-Identifier: GPL-3.0-or-later
"""Legs of control rigs: by IK the control is moved that a foot follows, by FK the controls are turned.

What a control has to do follows from where the foot has to go, as if the one were fixed to the other. How
well that holds is seen where the rig is played, and what is missing is asked of the control, too.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence

import numpy as np

from ...records import record
from .. import quaternion
from ..arrays import Array, Flags
from ..skeleton.posing import Posed, Tracks
from . import chains
from .chains import STILL, Changed, Legs
from .locking import VERTICAL, LegMotion, Turned, headings

FULL_TURN = 2.0 * np.pi
NOISE = 1e-5
"""What Blender plays is as exact as that: legs that go no further, as a part of one or a turn, stay."""


@record(frozen=True)
class Led:
    """What leads a leg, by indices of bones.

    control: what its foot follows by IK, -1 for none. turns: whether that turns the foot, too. falls: whether
    it goes along with the hips. fk: what turns the leg by FK, see :attr:`Leg.turning`, () for none.
    """

    control: int = -1
    turns: bool = True
    falls: bool = False
    fk: tuple[int, ...] = ()


@record(frozen=True, eq=False)
class Goal:
    """What a leg is to do over n frames.

    by_ik: (n,) where it shows IK. motion: as it is posed, and found: what becomes of it. stands: the first
    and the last frame of each span in which its foot stands, by index.
    """

    led: Led
    by_ik: Flags
    motion: LegMotion
    found: Turned
    stands: Sequence[tuple[int, int]] = ()

    @property
    def standing(self) -> Array:
        """The point by which the foot stands, and its heading (n, 4), once the leg is as found."""
        motion, found = self.motion, self.found
        point = found.ankle + quaternion.rotate(found.foot, motion.point - motion.pose.ankle)
        foot = quaternion.multiply(found.foot, motion.foot)
        return np.column_stack([point, headings(foot, motion.foot[0])])

    @property
    def acts(self) -> Flags:
        """The frames (n,) at which anything becomes of the leg."""
        turned = np.abs(self.found.foot[:, 1:]).max(axis=1)
        way = np.abs(self.found.ankle - self.motion.pose.ankle).max(axis=1)
        return np.asarray((way > STILL) | (turned > STILL))

    def asked_for(self, more: Array) -> Goal:
        """This goal with more (n, 4) asked of its control: a way, and a turn about the point."""
        found, motion = self.found, self.motion
        turn = quaternion.exp(more[:, 3:] * VERTICAL)
        arm = quaternion.rotate(found.foot, motion.pose.ankle - motion.point)
        ankle = found.ankle + more[:, :3] + quaternion.rotate(turn, arm) - arm
        found = dataclasses.replace(found, foot=quaternion.multiply(turn, found.foot), ankle=ankle)
        return dataclasses.replace(self, found=found)


def changed(
    legs: Legs, posed: Posed, values: Tracks, drop: Array, goals: Sequence[Goal]
) -> Iterator[Changed]:
    """The channels of controls that change; for the others see :func:`chains.changed`."""
    down = -drop[:, None] * VERTICAL
    if legs.hips >= 0 and np.any(np.abs(drop) > STILL):
        yield chains.moved(legs, legs.hips, posed, values, down)
    for goal in goals:
        led, seen = goal.led, goal.by_ik
        kinks = tuple(sorted({frame for ends in goal.stands for frame in ends}))
        if led.control >= 0 and seen.any():
            for one in _led(legs, goal, posed, values, down if led.falls else 0.0 * down):
                yield _within(one, seen, kinks)
        if led.fk and not seen.all():
            hangs = len(led.fk) < 2 or legs.hangs(led.fk[-1], led.fk[-2])
            for one in chains.turns(legs, led.fk, posed, goal.found, hangs):
                yield _within(one, ~seen, kinks)


def _led(legs: Legs, goal: Goal, posed: Posed, values: Tracks, carried: Array) -> Iterator[Changed]:
    """What of the control changes that a foot is fixed to. carried: how far (n, 3) it goes by itself."""
    bone, found, ankle = goal.led.control, goal.found, goal.motion.pose.ankle
    head = posed.heads[bone]
    there = found.ankle + (quaternion.rotate(found.foot, head - ankle) if goal.led.turns else head - ankle)
    yield chains.moved(legs, bone, posed, values, there - head - carried)
    if goal.led.turns:
        q = quaternion.multiply(found.foot, posed.axes[bone])
        own = quaternion.multiply(quaternion.conjugate(posed.places[bone]), q)
        acts = np.abs(found.foot[:, 1:]).max(axis=1) > STILL
        yield Changed(bone, legs.rig.modes[bone], own, acts)


def _within(one: Changed, seen: Flags, kinks: tuple[int, ...]) -> Changed:
    """What changes where one side of a leg is shown, and as far as it plays on beside that."""
    wide = seen.copy()
    wide[1:] |= seen[:-1]
    wide[:-1] |= seen[1:]
    return dataclasses.replace(one, acts=one.acts & wide, kinks=kinks)


def quiet(motion: LegMotion, found: Turned) -> Turned:
    """What becomes of a leg, nothing where that is less than is known."""
    still = np.abs(found.foot[:, 1:]).max(axis=1) <= NOISE
    foot = np.where(still[:, None], quaternion.IDENTITY, found.foot)
    near = np.abs(found.ankle - motion.pose.ankle).max(axis=1) <= NOISE * motion.length
    ankle = np.where((still & near)[:, None], motion.pose.ankle, found.ankle)
    return dataclasses.replace(found, foot=foot, ankle=ankle)


def missing(wanted: Array, shown: Array) -> Array:
    """What feet that are to stand somewhere (n, 4) have left to go from where they are shown."""
    way = wanted - shown
    way[:, 3] -= FULL_TURN * np.round(way[:, 3] / FULL_TURN)
    return np.asarray(way)
