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
from ..quaternion import cross, norms

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
    """Return by how much knees are bent, 0 for straight legs.

    It is found by the half angle, which is precise for legs that are all but straight.

    Parameters
    ----------
    upper, lower : (n,)
        Lengths of the bones above and below the knee.
    distance : (n,)
        From hip to ankle, in the same unit; what is out of reach counts as the nearest that
        is not.

    Returns
    -------
    Array (n,)
        Radians, from 0 to pi; 0 where a bone has no length.
    """
    # not by arccos of a dot product, which loses its figures where a leg is nearly straight
    square = (upper + lower) ** 2 - distance**2
    ratio = np.divide(square, 4.0 * upper * lower, out=np.zeros_like(square), where=upper * lower > 0.0)
    return np.asarray(2.0 * np.arcsin(np.sqrt(np.clip(ratio, 0.0, 1.0))))


def extension(upper: Array, lower: Array, bent: Array | float) -> Array:
    """Return how far ankles are from their hips for knees that are bent: the inverse of :func:`flexion`.

    Parameters
    ----------
    upper, lower : (n,)
        Lengths of the bones above and below the knee.
    bent
        By how much the knee is bent, radians, a number or (n,).

    Returns
    -------
    Array (n,)
        In the unit of the lengths.
    """
    square = (upper + lower) ** 2 - 4.0 * upper * lower * np.sin(0.5 * np.asarray(bent)) ** 2
    return np.asarray(np.sqrt(np.maximum(square, 0.0)))


def hinges(pose_axes: Array, shins: Array, forward: Array) -> Array:
    """Return the axis about which a clip bends a knee, in the shin's own axes.

    Parameters
    ----------
    pose_axes : (n, 3)
        thigh x shin in the world; its length is the weight of the frame.
    shins : (n, 4)
        The shins' orientations in the world, unit quaternions.
    forward : (3,)
        The axis where no frame bends the knee, in the shin's axes, of any length but 0.

    Returns
    -------
    Array (3,)
        A unit vector.
    """
    mean = quaternion.rotate(quaternion.conjugate(shins), pose_axes).sum(axis=0)
    # a clip whose knees never bend, or bend to all sides alike, has no axis of its own
    size = float(np.linalg.norm(mean))
    return np.asarray(mean / size if size > 1e-9 else forward / np.linalg.norm(forward))


def reached(wanted: Array, longest: Array, soft: Array) -> Array:
    """Return how far from the hip ankles get that are to be at some distance.

    Parameters
    ----------
    wanted : (n,)
        The distance asked for. It is the result up to longest - soft.
    longest : (n,)
        How far an ankle may be; from there on it is approached by 1 - exp with equal slope.
    soft : (n,)
        Over what length that is done; 0 cuts off at `longest`.

    Returns
    -------
    Array (n,)
        In the same unit, at most `longest`.
    """
    over = np.maximum(wanted - longest + soft, 0.0)
    far = np.divide(over, soft, out=np.full_like(over, np.inf), where=soft > 0.0)
    # the exponential sets out with the line's own slope of 1, so that there is no kink
    return np.asarray(np.where(over > 0.0, longest - soft * np.exp(-far), wanted))


@record(frozen=True, eq=False)
class LegSolver:
    """What a leg's pose says of it whatever it is asked for, so that many targets take less.

    thigh, shin: (n, 3) of the pose. lengths: (n,) of both bones. extent: (n,) how far the ankle is from the
    hip, longest: (n,) how far it may be. axis: (n, 3) unit axes of the knees, and wrong: (n,) which bend the
    wrong way. plane: (n,) of thigh, shin and way to the ankle, what of them is across the axis: the lengths
    of the first two, and the square of what the last one has along it. bent: (n,) how far the knees bend in
    that plane.
    """

    thigh: Array
    shin: Array
    lengths: tuple[Array, Array]
    extent: Array
    longest: Array
    axis: Array
    wrong: Flags
    plane: tuple[Array, Array, Array]
    bent: Array

    @classmethod
    def of(cls, pose: LegPose, longest: Array) -> LegSolver:
        """Return a solver for a leg in a pose, which finds any number of targets; see :meth:`aim`.

        pose: the leg's joints on n frames, in the world. longest: (n,), the largest distance from hip to
        ankle, in world units. It is stored as given; :meth:`aim` lets a pose that is stretched further keep
        its own distance.

        The bend of the knee is stored as it is in the plane across the axis that :func:`_axes` finds, in
        radians. Nothing is copied or checked.
        """
        thigh, shin = pose.thigh, pose.shin
        upper, lower = norms(thigh), norms(shin)
        extent = norms(pose.ankle - pose.hip)
        axis, wrong = _axes(pose, flexion(upper, lower, extent))
        along_thigh, along_shin = (np.sum(each * axis, axis=-1) for each in (thigh, shin))
        across_thigh = norms(thigh - along_thigh[:, None] * axis)
        across_shin = norms(shin - along_shin[:, None] * axis)
        plane = across_thigh, across_shin, (along_thigh + along_shin) ** 2
        bent = _flexion_across(plane, extent)
        return cls(thigh, shin, (upper, lower), extent, longest, axis, wrong, plane, bent)

    def aim(self, hip: Array, target: Array, free: Array | None = None) -> tuple[Array, Array, Array]:
        """Return (turn, opening, ankle) that bring the ankle to a target: rotations (n, 4) in the world, and
        the place (n, 3) that the ankle gets to.

        First `opening` turns the shin alone, about the knee; then `turn` turns thigh and shin together, about
        the hip. :func:`solve` returns the shin's whole rotation instead. Without a change of hip and target
        both are the identity, unless the pose is folded as far as it can be.

        The ankle gets no further from the hip than `longest`, or than the pose has it if that is more. The
        last part of this reach is approached softly: 0.02 (SOFT) of both bones' length, but at most longest
        less the pose's own distance, or half of how far the ankle is led times `free`, whichever is more.
        Where both are 0 it is cut off at its reach. The ankle gets no nearer than the difference of the
        bones' lengths. A target that is too far or too near is replaced by the place on the line from the hip
        to it; one at the hip, or exactly opposite, leaves `turn` the identity.

        hip: (n, 3), where the hip is then. target: (n, 3), where the ankle is to be. free: (n,), 0 for a foot
        that must be as near to its target as possible, up to 1 for one whose leg may approach its reach
        softly; None for 0.
        """
        thigh, shin, (upper, lower) = self.thigh, self.shin, self.lengths
        way = target - hip
        led = norms(way - (thigh + shin))
        # a leg that is straight by itself, and is led nowhere, stays so
        room = np.maximum(self.longest - self.extent, 0.0 if free is None else 0.5 * free * led)
        soft = np.minimum(SOFT * (upper + lower), room)
        wanted = reached(norms(way), np.maximum(self.longest, self.extent), soft)
        # no nearer than a leg that is folded up reaches
        wanted = np.maximum(wanted, np.abs(upper - lower) * (1.0 + 1e-6))
        opening = quaternion.exp(self.axis * self._find_shin_turns(wanted, led)[:, None])
        ankle = thigh + quaternion.rotate(opening, shin)
        turn = between(ankle, way)
        return turn, opening, hip + quaternion.rotate(turn, ankle)

    def _find_shin_turns(self, wanted: Array, led: Array) -> Array:
        """Return the angles (n,), radians, by which shins turn about `axis` to bring the ankle `wanted` from
        the hip.

        Let before be the pose's bend and after the bend at that distance, both in the plane across the axis.
        The angle is after - before. For a knee that bends the wrong way it is before - after + 2 after r: r
        goes from 0 to 1, by smoothstep, while the ankle is led by up to 0.02 (RIGHTED) of both bones' length,
        and so brings the knee to the right side. For knees bent by 90 to 120 degrees r falls to 0, as those
        are only folded too far; and it is at least the part of `after` by which the knee is bent further. A
        wrong knee that is led nowhere is not turned.

        wanted: (n,), distances, world units; what is out of reach counts as the nearest that is not. led:
        (n,), how far the ankles are led, world units.
        """
        before, after = self.bent, _flexion_across(self.plane, wanted)
        if not self.wrong.any():
            return np.asarray(after - before)
        reach = RIGHTED * (self.plane[0] + self.plane[1])
        # of a leg whose scale is 0 nothing can be asked
        righted = eased(np.divide(led, reach, out=np.zeros_like(reach), where=reach > 0.0), 1.0)
        righted *= np.clip((FOLDED - before) / FOLDING, 0.0, 1.0)
        # one that goes through straight while it is bent goes on on the right side
        bent = np.divide(after - before, after, out=np.zeros_like(after), where=after > 0.0)
        righted = 1.0 - (1.0 - righted) * (1.0 - np.clip(bent, 0.0, 1.0))
        return np.where(self.wrong, before - after + 2.0 * after * righted, after - before)


def _flexion_across(plane: tuple[Array, Array, Array], distance: Array) -> Array:
    """Return how far knees are bent (n,) in the plane across their axes. plane: see :class:`LegSolver`."""
    upper, lower, along = plane
    return flexion(upper, lower, np.sqrt(np.maximum(distance**2 - along, 0.0)))


def solve(
    pose: LegPose, hip: Array, target: Array, longest: Array, free: Array | None = None
) -> tuple[Array, Array, Array]:
    """Return the rotations of thigh and shin that bring a leg's ankle to a target, and the ankle.

    A knee that bends the wrong way is corrected by how far the foot is moved; a leg that is not moved is not
    turned.

    Parameters
    ----------
    pose
        The leg's joints before.
    hip : (n, 3)
        Where the hip is then.
    target : (n, 3)
        Where the ankle is to be; one out of reach stops on the line to it.
    longest : (n,)
        The largest distance from hip to ankle, unless the pose itself has a larger one.
    free : (n,)
        From 0, where the foot must be as near to its target as possible, to 1, where the
        leg may approach its full reach softly; None for 0.

    Returns
    -------
    tuple[Array, Array, Array]
        The thigh's and the shin's rotations (n, 4), in the world, the shin's including the
        thigh's; and the ankle (n, 3).
    """
    turn, opening, where = LegSolver.of(pose, longest).aim(hip, target, free)
    return turn, quaternion.multiply(turn, opening), where


def _axes(pose: LegPose, bent: Array) -> tuple[Array, Flags]:
    """Return the axes about which knees bend, and which knees bend the wrong way.

    A knee's own axis is thigh x shin, normalised. It counts from a bend of 9 degrees (BENT) on; up to 3
    degrees (STRAIGHT), and for a knee that bends the wrong way, the axis is pose.hinge. In between a
    smoothstep of the bend blends the two, and the result is normalised. A knee bends the wrong way if the dot
    product of its own axis with the hinge is negative, however little it bends. A straight knee is never
    wrong.

    bent: how far each knee bends (n,), radians, 0 or more.

    Return unit axes (n, 3), in the world, and flags (n,), True for the wrong way.
    """
    axes = cross(pose.thigh, pose.shin)
    size = norms(axes)[:, None]
    axes = np.divide(axes, size, out=pose.hinge.copy(), where=size > 1e-12)
    wrong = np.sum(axes * pose.hinge, axis=-1) < 0.0
    share = np.where(wrong, 0.0, eased(bent - STRAIGHT, BENT - STRAIGHT))[:, None]
    mixed = pose.hinge + (axes - pose.hinge) * share
    return mixed / norms(mixed)[:, None], wrong


def between(a: Array, b: Array) -> Array:
    """Return the shortest rotations (n, 4) that turn directions a into directions b, (n, 3) each, of any
    length.

    Where a and b are opposite it is the identity; so it is where either is zero.
    """
    a, b = (v / np.maximum(norms(v)[..., None], 1e-30) for v in (a, b))
    w = 1.0 + np.sum(a * b, axis=-1, keepdims=True)
    turns = np.concatenate([w, cross(a, b)], axis=-1)
    # of directions that are opposite any axis across them will do; no leg is turned that far
    size = norms(turns)[..., None]
    return np.asarray(np.where(size > 1e-9, turns / np.maximum(size, 1e-30), quaternion.IDENTITY))
