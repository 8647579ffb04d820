# SPDX-License-Identifier: GPL-3.0-or-later
"""Two-bone inverse kinematics that turns a leg as little as possible.

The leg is not solved anew: its knee is opened, or bent, by the difference between two flexions, about the
axis about which it bends, and then the whole leg is turned by the least rotation that aims it at its target.
So nothing asked for is nothing changed, and a knee goes on bending the way its clip has it.
"""

from __future__ import annotations

import numpy as np

from ...records import record
from .. import quaternion
from ..arrays import Array, Flags, eased

STRAIGHTEST = np.radians(12.0)
"""A leg may always be stretched until its knee is bent by no more than this."""
SOFT = 0.02
"""The last part of a leg's reach, as a part of its length, that is approached softly: by no more than what it
is further than the leg reaches by itself, or, of a foot that is free, than half of how far that is led."""
RIGHTED = 0.02
"""A knee that bends the wrong way is righted by the time that its ankle is moved by this part of the leg."""
FOLDED, FOLDING = np.radians(120.0), np.radians(30.0)
"""One that is bent by more is only folded too far, and would swing around the hip if it were righted: from so
much less on the knee of a foot that may be free is righted less."""
BENT, STRAIGHT = np.radians(9.0), np.radians(3.0)
"""A knee bends about its pose's own axis where it is bent by more; where by less about the clip's hinge."""


@record(frozen=True, eq=False)
class LegPose:
    """A leg's joints, (n, 3) each, in the world. hinge: (n, 3) unit axes of the knee, see :func:`hinges`."""

    hip: Array
    knee: Array
    ankle: Array
    hinge: Array

    @property
    def thigh(self) -> Array:
        """From hip to knee (n, 3)."""
        return self.knee - self.hip

    @property
    def shin(self) -> Array:
        """From knee to ankle (n, 3)."""
        return self.ankle - self.knee


def flexion(upper: Array, lower: Array, distance: Array) -> Array:
    """By how much a knee is bent (n,), 0 for a straight leg, from the lengths of its bones and from hip to
    ankle: by the half angle, which is precise for a leg that is all but straight."""
    square = (upper + lower) ** 2 - distance**2
    ratio = np.divide(square, 4.0 * upper * lower, out=np.zeros_like(square), where=upper * lower > 0.0)
    return np.asarray(2.0 * np.arcsin(np.sqrt(np.clip(ratio, 0.0, 1.0))))


def extension(upper: Array, lower: Array, bent: Array | float) -> Array:
    """From hip to ankle (n,) of a knee that is bent by so much: the inverse of :func:`flexion`."""
    square = (upper + lower) ** 2 - 4.0 * upper * lower * np.sin(0.5 * np.asarray(bent)) ** 2
    return np.asarray(np.sqrt(np.maximum(square, 0.0)))


def hinges(pose_axes: Array, shins: Array, forward: Array) -> Array:
    """Return the axis about which a clip bends a knee, (3,), in the shin's own axes.

    pose_axes: (n, 3), thigh x shin, whose length is the weight of each frame. shins: (n, 4), the shins'
    orientations. forward: (3,), the axis where no frame bends the knee, in the shin's axes.
    """
    mean = quaternion.rotate(quaternion.conjugate(shins), pose_axes).sum(axis=0)
    size = float(np.linalg.norm(mean))
    return np.asarray(mean / size if size > 1e-9 else forward / np.linalg.norm(forward))


def reached(wanted: Array, longest: Array, soft: Array) -> Array:
    """Return how far from the hip an ankle gets (n,) that is to be ``wanted`` from it.

    longest: (n,), how far it may be, approached over ``soft`` (n,): ``1 - exp`` takes over with equal slope.
    """
    over = np.maximum(wanted - longest + soft, 0.0)
    far = np.divide(over, soft, out=np.full_like(over, np.inf), where=soft > 0.0)
    return np.asarray(np.where(over > 0.0, longest - soft * np.exp(-far), wanted))


def solve(
    pose: LegPose, hip: Array, target: Array, longest: Array, free: Array | None = None
) -> tuple[Array, Array, Array]:
    """Find the turns that bring an ankle to a target.

    hip, target: (n, 3) where the hip now is and where the ankle shall be. longest: (n,) how far from the hip
    it may be. free: (n,) how free its foot is, 0 where it has to be there as nearly as can be, 1 where it may
    come to be straight softly, see SOFT; None for one that always has to be. A knee is righted by how far its
    foot is led. Return what thigh and shin are turned by, (n, 4) in the world, and where the ankle is (n, 3).
    """
    thigh, shin = pose.thigh, pose.shin
    upper, lower = np.linalg.norm(thigh, axis=-1), np.linalg.norm(shin, axis=-1)
    extent = np.linalg.norm(pose.ankle - pose.hip, axis=-1)
    way = target - hip
    led = np.linalg.norm(way - (thigh + shin), axis=-1)
    # a leg that is straight by itself, and is led nowhere, stays so
    room = np.maximum(longest - extent, 0.0 if free is None else 0.5 * free * led)
    soft = np.minimum(SOFT * (upper + lower), room)
    wanted = reached(np.linalg.norm(way, axis=-1), np.maximum(longest, extent), soft)
    wanted = np.clip(wanted, np.abs(upper - lower) * (1.0 + 1e-6), None)
    axis, wrong = _axes(pose, flexion(upper, lower, extent))
    opening = quaternion.exp(
        axis * _find_shin_turns(_KneeBend(thigh, shin, axis, wrong), extent, wanted, led)[:, None]
    )
    ankle = thigh + quaternion.rotate(opening, shin)
    turn = between(ankle, way)
    where = hip + quaternion.rotate(turn, ankle)
    return turn, quaternion.multiply(turn, opening), where


def _axes(pose: LegPose, bent: Array) -> tuple[Array, Flags]:
    """Return the unit axes (n, 3) about which knees bend, and which knees (n,) bend the wrong way.

    The axis is the pose's own, but the clip's hinge for a knee that is almost straight, or bends the wrong
    way. bent: how far each knee (n,) bends; from STRAIGHT to BENT the axis goes over from the hinge to the
    pose's own.
    """
    axes = np.cross(pose.thigh, pose.shin)
    size = np.linalg.norm(axes, axis=-1, keepdims=True)
    axes = np.divide(axes, size, out=pose.hinge.copy(), where=size > 1e-12)
    wrong = np.sum(axes * pose.hinge, axis=-1) < 0.0
    share = np.where(wrong, 0.0, eased(bent - STRAIGHT, BENT - STRAIGHT))[:, None]
    mixed = pose.hinge + (axes - pose.hinge) * share
    return mixed / np.linalg.norm(mixed, axis=-1, keepdims=True), wrong


@record(frozen=True, eq=False)
class _KneeBend:
    """Knees as they bend.

    thigh, shin: (n, 3) from the hip to the knee, and on to the ankle. axis: (n, 3) unit vectors about which
    they bend. wrong: (n,) which bend the wrong way.
    """

    thigh: Array
    shin: Array
    axis: Array
    wrong: Flags


def _find_shin_turns(knees: _KneeBend, extent: Array, wanted: Array, led: Array) -> Array:
    """Return by what angles shins are turned about their axes (n,) to bring the ankle from ``extent`` to
    ``wanted`` (n,) from the hip.

    In the plane across the axis, so that it need not be square to the leg. Knees that bend the wrong way are
    brought to the right side as soon as they are led: nothing asked for changes nothing. led: (n,) how far
    their ankles are led.
    """
    thigh, shin, axis, wrong = knees.thigh, knees.shin, knees.axis, knees.wrong
    along_thigh, along_shin = (np.sum(each * axis, axis=-1) for each in (thigh, shin))
    upper = np.linalg.norm(thigh - along_thigh[:, None] * axis, axis=-1)
    lower = np.linalg.norm(shin - along_shin[:, None] * axis, axis=-1)
    along = (along_thigh + along_shin) ** 2
    before, after = (
        flexion(upper, lower, np.sqrt(np.maximum(each**2 - along, 0.0))) for each in (extent, wanted)
    )
    reach = RIGHTED * (upper + lower)
    # of a leg whose scale is 0 nothing can be asked
    righted = eased(np.divide(led, reach, out=np.zeros_like(reach), where=reach > 0.0), 1.0)
    righted *= np.clip((FOLDED - before) / FOLDING, 0.0, 1.0)
    # one that goes through straight while it is bent goes on on the right side
    bent = np.divide(after - before, after, out=np.zeros_like(after), where=after > 0.0)
    righted = 1.0 - (1.0 - righted) * (1.0 - np.clip(bent, 0.0, 1.0))
    return np.where(wrong, before - after + 2.0 * after * righted, after - before)


def between(a: Array, b: Array) -> Array:
    """Return the least rotations (n, 4) that turn directions into others, (n, 3) each."""
    a, b = (v / np.maximum(np.linalg.norm(v, axis=-1, keepdims=True), 1e-30) for v in (a, b))
    w = 1.0 + np.sum(a * b, axis=-1, keepdims=True)
    turns = np.concatenate([w, np.cross(a, b)], axis=-1)
    # of directions that are opposite any axis across them will do; no leg is turned that far
    size = np.linalg.norm(turns, axis=-1, keepdims=True)
    return np.asarray(np.where(size > 1e-9, turns / np.maximum(size, 1e-30), quaternion.IDENTITY))
