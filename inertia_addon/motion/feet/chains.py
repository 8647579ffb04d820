# SPDX-License-Identifier: GPL-3.0-or-later
"""The bones of legs posed, and what becomes of them as values of their channels, or of those of controls."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterable, Iterator, Sequence
from typing import Self

import numpy as np

from ...records import record
from .. import quaternion
from ..arrays import Array, Flags, runs
from ..skeleton import posing
from ..skeleton.posing import Posed, Rig, Tracks
from . import leg_ik
from .leg_ik import LegPose
from .legs import Leg
from .locking import VERTICAL, FootMotion, LegMotion, Toe, Turned, headings

STILL = 1e-7
"""A bone whose turn's quaternion is no further from none than this does not turn; so it is with ways."""
LOOSE = 0.01
"""A foot whose way to the knee changes by this part of the leg does not hang on the shin."""


@record(frozen=True, eq=False)
class RigLegs:
    """The legs of a rig.

    rig: of their bones and those that carry them alone. legs: by indices of that rig. hips: the bone that
    carries them all and may go down with them; -1 for none.
    """

    rig: Rig
    legs: tuple[Leg, ...]
    hips: int = -1

    def posed(self, values: Tracks, count: int) -> Posed:
        """Pose them; see :func:`posing.posed`."""
        return posing.posed(self.rig, values, count, self.movable_bones)

    @functools.cached_property
    def movable_bones(self) -> list[int]:
        """The bones that may be moved: feet that no leg carries, and hips."""
        feet = [leg.foot for leg in self.legs if not self.foot_hangs(leg)]
        return [*feet, *([self.hips] if self.hips >= 0 else [])]

    def foot_hangs(self, leg: Leg) -> bool:
        """Tell whether the foot of a leg is carried by it, or is the leg itself."""
        return len(leg.joints) < 2 or self.hangs(leg.foot, leg.joints[-2])

    def hangs(self, bone: int, carrier: int) -> bool:
        """Tell whether a bone is another, or hangs from it."""
        while bone not in (carrier, -1):
            bone = self.rig.bones.parents[bone]
        return bone == carrier


def part(rig: Rig, legs: Sequence[Leg], hips: str = "", extra_bones: Iterable[str] = ()) -> RigLegs:
    """Return the legs of a whole rig within a smaller rig of their bones and those that carry them.

    Parameters
    ----------
    rig
        The whole rig, which is not changed.
    legs
        By indices of the whole rig; the result's are by indices of the smaller one.
    hips
        The name of the bone that may go down with the legs. The result's `hips` is -1 if
        that is "", not there, or connected to its parent.
    extra_bones
        The names of more bones that the smaller rig shall have.

    Returns
    -------
    RigLegs
        The smaller rig, its legs and its hips.

    Raises
    ------
    ValueError
        A name of `extra_bones` is not in the rig.
    """
    names = rig.bones.names
    # a connected bone stays at its parent's tail, whatever its location says
    top = names.index(hips) if hips in names and hips not in rig.bones.connected else -1
    wanted = {i for leg in legs for i in (*leg.joints, leg.point, leg.ball) if i is not None}
    wanted |= {names.index(name) for name in extra_bones}
    small, place = posing.part(rig, wanted | ({top} if top >= 0 else set()))
    legs_within = tuple(
        dataclasses.replace(
            leg,
            joints=tuple(place[i] for i in leg.joints),
            ball=None if leg.ball is None else place[leg.ball],
            point=place[leg.point],
        )
        for leg in legs
    )
    return RigLegs(small, legs_within, place.get(top, -1))


@record(frozen=True, eq=False)
class Knee:
    """What poses say of a leg.

    hinge: (3,) about which they bend its knee, in the shin's own axes. longest: how far from the hip its
    ankle may be, and length: how long it is, in the world. is_loose: see :class:`LegMotion`.
    """

    hinge: Array
    longest: float
    length: float
    is_loose: bool

    @classmethod
    def from_poses(cls, leg: Leg, poses: Sequence[Posed], measured_poses: Sequence[Posed] = ()) -> Self:
        """Return what poses say of a knee: its hinge, the leg's reach and length, and whether the foot is
        loose.

        Parameters
        ----------
        leg
            By the indices of the posed rig.
        poses
            At least one. `hinge` and `is_loose` come from all of them; `length`, in world units, is that of
            the first. A foot is loose if the distance from knee to ankle changes by more than 1 % of the
            length.
        measured_poses
            The poses that say how far the hip and the ankle may be apart; () for all of `poses`.

        Returns
        -------
        Knee
            Its `hinge` (3,) is a unit axis in the shin's own axes. `longest` is the largest distance from hip
            to ankle in the measured poses, but at least that at which the knee is bent by 12 degrees.
        """
        each = [joints_of(leg, pose) for pose in poses]
        hip, knee, ankle = (each[0][i] for i in (0, 1, -1))
        upper, lower = (np.linalg.norm(way, axis=-1) for way in (knee - hip, ankle - knee))
        ways = (joints_of(leg, pose)[[0, -1]] for pose in measured_poses or poses)
        reach = max(float(np.linalg.norm(ankle - hip, axis=-1).max()) for hip, ankle in ways)
        longest = max(reach, float(leg_ik.extension(upper, lower, leg_ik.STRAIGHTEST).max()))
        length = length_of(leg, poses[0])
        shins = np.concatenate([np.linalg.norm(joints[-1] - joints[1], axis=-1) for joints in each])
        return cls(_hinge(leg, poses), longest, length, bool(np.ptp(shins) > LOOSE * length))


def motion(leg: Leg, posed: Posed, poses: Sequence[Posed] = ()) -> LegMotion:
    """Return a leg as it moves, with a knee that poses tell of.

    Parameters
    ----------
    leg
        By the indices of the posed rig.
    posed
        The motion; it says how the knee bends, too.
    poses
        More poses that say how the knee bends. With any, these alone say how far the leg
        stretches; with () `posed` does.

    Returns
    -------
    LegMotion
        On the frames of `posed`, in the world.
    """
    # what a blend of two clips stretches further is no measure for what may be
    return motion_by(leg, posed, Knee.from_poses(leg, [posed, *poses], poses))


def motion_by(leg: Leg, posed: Posed, knee: Knee) -> LegMotion:
    """Return a leg as it moves, with a knee that is known.

    Parameters
    ----------
    leg
        By the indices of the posed rig.
    posed
        The motion.
    knee
        What poses say of it.

    Returns
    -------
    LegMotion
        On the frames of `posed`, in the world.
    """
    pose, point = pose_of(leg, posed, knee), point_of(leg, posed)
    foot, toe, heel = posed.axes[leg.foot], toe_of(leg, posed), heel_of(leg, posed)
    return LegMotion(pose, point, foot, knee.length, knee.longest, knee.is_loose, toe, heel)


def foot_of(leg: Leg, posed: Posed) -> FootMotion:
    """Return a leg's foot as it moves, without the rest of the leg."""
    return FootMotion(point_of(leg, posed), posed.axes[leg.foot])


def toe_of(leg: Leg, posed: Posed) -> Toe | None:
    """Return the joint and the tip of a leg's toe bone in poses, each (n, 3) in the world.

    None if the leg has no toe bone (leg.ball is None) or no known tip of it (leg.tip is None).
    """
    if leg.ball is None or leg.tip is None:
        return None
    joint = posed.heads[leg.ball]
    way = posed.sizes[leg.ball][:, None] * np.array(leg.tip)
    return Toe(joint, joint + quaternion.rotate(posed.axes[leg.ball], way))


def heel_of(leg: Leg, posed: Posed) -> Array | None:
    """Return the places (n, 3), in the world, where the sole of a foot ends behind in poses; None for a foot
    that stands on no heel (leg.heel is None).
    """
    if leg.heel is None:
        return None
    way = posed.sizes[leg.foot][:, None] * np.array(leg.heel)
    return np.asarray(posed.heads[leg.foot] + quaternion.rotate(posed.axes[leg.foot], way))


def pose_of(leg: Leg, posed: Posed, knee_data: Knee) -> LegPose:
    """Return where a leg's joints are in poses, and the axes of its knee.

    Parameters
    ----------
    leg
        By the indices of the posed rig.
    posed
        The poses, n frames.
    knee_data
        It has the knee's axis in the shin's own axes.

    Returns
    -------
    LegPose
        (n, 3) each, in the world. Of a leg with fewer than three joints the knee is the
        ankle.
    """
    hip, knee, ankle = (joints_of(leg, posed)[i] for i in (0, 1, -1))
    return LegPose(hip, knee, ankle, quaternion.rotate(posed.axes[_shin(leg)], knee_data.hinge))


def joints_of(leg: Leg, posed: Posed) -> Array:
    """Return the world positions of a leg's joints (joints, n, 3), at least three, from the hip to the ankle.

    For a leg of one bone, the end of that bone is both the knee and the ankle: the foot bone's head, or,
    without a foot bone, the point by which the leg stands.
    """
    heads = posed.heads[list(leg.joints)]
    if len(heads) > 2:
        return np.asarray(heads)
    end = heads[1] if len(heads) > 1 else point_of(leg, posed)
    return np.stack([heads[0], end, end])


def find_all_joints(legs: RigLegs, posed: Posed) -> Array:
    """Return where hips, knees, ankles, and the points by which feet stand are (legs, 4, n, 3)."""
    each_leg = [(joints_of(leg, posed), point_of(leg, posed)) for leg in legs.legs]
    return np.array([[joints[0], joints[1], joints[-1], point] for joints, point in each_leg])


def _shin(leg: Leg) -> int:
    """Return the bone below the knee; that of a leg of one bone."""
    return leg.joints[1 if len(leg.joints) > 2 else 0]


def length_of(leg: Leg, posed: Posed) -> float:
    """Return a leg's length in world units: the median over the frames of the sum of its joints' distances.

    For a lone foot without a leg it is the length stored at rest times the median scale of the foot bone.
    """
    if leg.is_lone:
        return leg.length * float(np.median(posed.sizes[leg.foot]))
    ways = np.diff(joints_of(leg, posed), axis=0)
    return float(np.median(np.linalg.norm(ways, axis=-1).sum(axis=0)))


def point_of(leg: Leg, posed: Posed) -> Array:
    """Return the point (n, 3) by which a foot stands."""
    offset = posed.sizes[leg.point][:, None] * np.array(leg.offset)
    turned: Array = quaternion.rotate(posed.axes[leg.point], offset)
    return np.asarray(posed.heads[leg.point] + turned)


def find_point_and_heading(leg: Leg, posed: Posed, reference: Array) -> Array:
    """Return the point by which a foot stands, and its heading.

    Parameters
    ----------
    leg
        By the indices of the posed rig.
    posed
        The poses, n frames.
    reference : (4,)
        The foot's orientation at which the heading is 0, a unit quaternion.

    Returns
    -------
    Array (n, 4)
        x, y and z in the world, and radians about the vertical without jumps.
    """
    return np.column_stack([point_of(leg, posed), headings(posed.axes[leg.foot], reference)])


def _hinge(leg: Leg, poses: Sequence[Posed]) -> Array:
    """Return the unit axis (3,) about which poses bend a knee, in the shin bone's own axes.

    It is the mean of thigh x shin over all frames of the poses, so that bent knees count more. For a leg that
    is always straight it follows from where the foot points, or, failing that, from a horizontal axis across
    the shin.
    """
    heads = np.concatenate([joints_of(leg, pose) for pose in poses], axis=1)
    shins = np.concatenate([pose.axes[_shin(leg)] for pose in poses])
    points = np.concatenate([point_of(leg, pose) for pose in poses])
    thigh, shin = heads[1] - heads[0], heads[-1] - heads[1]
    # a leg that is straight throughout bends to where its foot points
    forward = quaternion.cross(points - heads[-1], shin).sum(axis=0)
    forward = forward if np.linalg.norm(forward) > 0.0 else np.cross(VERTICAL, shin[0])
    forward = forward if np.linalg.norm(forward) > 0.0 else np.array([1.0, 0.0, 0.0])
    return leg_ik.hinges(
        quaternion.cross(thigh, shin), shins, quaternion.rotate(quaternion.conjugate(shins[0]), forward)
    )


@record(frozen=True, eq=False)
class Changed:
    """Channels of a bone that show other values. bone: its index. mode: of a rotation, "" for a location.

    values: (n, 4) unit quaternions of a rotation, (n, 3) of a location. acts: (n,) where they are others.
    kinks: the frames, by index, at which they need not be smooth, as a foot begins or ceases to stand there.
    """

    bone: int
    mode: str
    values: Array
    acts: Flags
    kinks: tuple[int, ...] = ()

    @property
    def spans(self) -> list[tuple[int, int]]:
        """The first and the last frame, by index, of the stretches that change, a frame more than changes on
        either side, so that nothing does at these themselves but at the ends of all frames.
        """
        return runs(_widened(self.acts))


def _widened(flags: Flags) -> Flags:
    """Return a copy of flags (n,) with one more set before and behind each that is set."""
    wide = flags.copy()
    wide[:-1] |= flags[1:]
    wide[1:] |= flags[:-1]
    return wide


def changed(
    legs: RigLegs, posed: Posed, values: Tracks, drop: Array, turned: Sequence[Turned]
) -> Iterator[Changed]:
    """Yield the channels that change when legs are turned.

    They are the hips' location, then for each leg its foot's location and the rotations of thigh, shin and
    foot.

    Parameters
    ----------
    legs
        The rig and its legs.
    posed
        The rig's pose before, with `above` for the hips and for feet that no leg carries.
    values
        The channels by address that give this pose; a missing location channel counts as 0.
    drop : (n,)
        How far the hips go down, world units.
    turned
        What becomes of each leg, in the order of the legs.

    Yields
    ------
    Changed
        `bone` is the bone's index, `mode` its rotation mode, or "" for a location, `values` the
        channels (n, 3) or, as unit quaternions, (n, 4), and `acts` (n,) the frames that change.
        `kinks` is (). A foot's location changes only if the leg does not carry the foot. A bone
        that nowhere moves by more than 1e-7 world units has no location among them, and one
        whose turn's quaternion has nowhere a vector part above that no rotation.

    Raises
    ------
    ValueError
        There are not as many entries in `turned` as legs. It is raised only once the channels of
        all legs that have an entry are yielded.
    KeyError
        `posed` has no `above` for a bone that is moved.
    """
    down = -drop[:, None] * VERTICAL
    if legs.hips >= 0 and np.any(np.abs(drop) > STILL):
        yield move_bone(legs, legs.hips, posed, values, down)
    for leg, turned_leg in zip(legs.legs, turned, strict=True):
        end = leg.foot
        hangs = legs.foot_hangs(leg)
        if not hangs:
            falls = legs.hips >= 0 and legs.hangs(end, legs.hips)
            way = turned_leg.ankle - posed.heads[end] - (down if falls else 0.0)
            if np.any(np.abs(way) > STILL):
                yield move_bone(legs, end, posed, values, way)
        yield from turns(legs, leg.turned_bones, posed, turned_leg, hangs=hangs)


def turns(
    legs: RigLegs, bones: Sequence[int], posed: Posed, turned_leg: Turned, *, hangs: bool = True
) -> Iterator[Changed]:
    """Yield the rotation channels of a leg's bones, for each bone that turns on any frame.

    Parameters
    ----------
    legs
        The rig.
    bones
        The indices of up to three bones: thigh, shin and foot; of two bones the first is
        turned as the thigh and the second as the foot; a single one is turned as the thigh.
    posed
        The rig's pose before.
    turned_leg
        The world rotations by which thigh, shin and foot are turned.
    hangs
        Whether the shin carries the foot; if not, the foot is turned as if nothing above it
        turned.

    Yields
    ------
    Changed
        In the order of `bones`; unit quaternions (n, 4) in the axes in which the bone's
        channels act.
    """
    still = np.broadcast_to(quaternion.IDENTITY, turned_leg.thigh.shape)
    foot = (turned_leg.shin if hangs else still, turned_leg.foot)
    each = [(still, turned_leg.thigh), (turned_leg.thigh, turned_leg.shin), foot]
    if len(bones) < 3:
        each = [each[0], foot][: len(bones)]
    # all bones at once, as each by itself would take several times as long
    which = list(bones)
    above, turn = (np.stack(side) for side in zip(*each, strict=True))
    relative = quaternion.multiply(quaternion.conjugate(above), turn)
    turned = quaternion.multiply(relative, posed.axes[which])
    rotations = quaternion.multiply(quaternion.conjugate(posed.places[which]), turned)
    for bone, values, acts in zip(
        which, rotations, np.abs(relative[..., 1:]).max(axis=-1) > STILL, strict=True
    ):
        if acts.any():
            yield Changed(bone, legs.rig.modes[bone], values, acts)


def toe_turns(legs: RigLegs, bone: int, posed: Posed, foot: Array, toe: Array) -> Iterator[Changed]:
    """Yield the rotation channel that raises a toe; nothing if the toe turns on no frame.

    Parameters
    ----------
    legs
        The rig.
    bone
        The index of the bone that turns the toe.
    posed
        The rig's pose before.
    foot : (n, 4)
        World rotations by which the foot is turned.
    toe : (n, 4)
        World rotations by which the toe is turned after that.

    Yields
    ------
    Changed
        Unit quaternions (n, 4) in the axes in which the bone's channels act.
    """
    relative = quaternion.multiply(quaternion.conjugate(foot), quaternion.multiply(toe, foot))
    turned = quaternion.multiply(relative, posed.axes[bone])
    values = quaternion.multiply(quaternion.conjugate(posed.places[bone]), turned)
    acts = np.abs(toe[:, 1:]).max(axis=1) > STILL
    if acts.any():
        yield Changed(bone, legs.rig.modes[bone], values, acts)


def move_bone(legs: RigLegs, bone: int, posed: Posed, values: Tracks, shift: Array) -> Changed:
    """Return the change of a bone's location channels with which it moves by `shift` (n, 3) in the world.

    posed: the rig's pose before; KeyError is raised if the bone is not in its `above`. values: the channels
    by address; a missing location channel counts as 0. The shift is converted into the axes along which the
    bone's location acts, relative to what carries it, and added to the channels. Where those axes are scaled
    to zero the location does not change.

    The result has the index `bone`, "" as its `mode`, and the new channels (n, 3) as `values`. Its `acts`
    (n,) is True where a component of the shift exceeds 1e-7 world units, also where the location can't
    change; its `kinks` is ().
    """
    path = legs.rig.paths[bone] + "location"
    tracks = [values.get((path, i), np.zeros(len(shift))) for i in range(3)]
    above = posed.above[bone]
    # what hangs from a bone that is scaled to nothing can't be moved
    moves = np.abs(np.linalg.det(above)) > 0.0
    local = np.zeros((len(shift), 3))
    local[moves] = np.linalg.solve(above[moves], shift[moves, :, None])[..., 0]
    locations = np.stack(tracks, axis=1).astype(float) + local
    return Changed(bone, "", locations, np.abs(shift).max(axis=1) > STILL)


FULL_TURN = 2.0 * np.pi
NOISE = 1e-5
"""What Blender plays is as exact as that: legs that go no further, as a part of one or a turn, stay."""


@record(frozen=True)
class LedLeg:
    """What leads a leg, by indices of bones.

    control: what its foot follows by IK, -1 for none. turns: whether that turns the foot, too. falls: whether
    it goes along with the hips. fk: what turns the leg by FK, see :attr:`Leg.turned_bones`; () for
    none. toes:
    what turns its toe by FK and by IK, -1 for none.
    """

    control: int = -1
    turns: bool = True
    falls: bool = False
    fk: tuple[int, ...] = ()
    toes: tuple[int, int] = (-1, -1)


@record(frozen=True, eq=False)
class FootGoal:
    """What a leg is to do over n frames.

    by_ik: (n,) where it shows IK. motion: as it is posed, and found: what becomes of it. stands: the first
    and the last frame of each span in which its foot stands, by index. toe: what its toe is turned by on top
    of the foot, (n, 4) in the world; None where it stays.
    """

    led: LedLeg
    by_ik: Flags
    motion: LegMotion
    found: Turned
    stands: Sequence[tuple[int, int]] = ()
    toe: Array | None = None

    @property
    def point_and_heading(self) -> Array:
        """The foot's point and heading (n, 4) once the leg is as `found`: x, y, z in the world, and radians.

        The heading is about the vertical, from the foot's orientation on the first frame of `motion`, without
        jumps.
        """
        motion, turned = self.motion, self.found
        point = turned.ankle + quaternion.rotate(turned.foot, motion.point - motion.pose.ankle)
        foot = quaternion.multiply(turned.foot, motion.foot)
        return np.column_stack([point, headings(foot, motion.foot[0])])

    @property
    def acts(self) -> Flags:
        """The frames, as flags (n,), at which the leg is changed.

        On these the ankle moves by more than 1e-7 in world units along an axis, the vector part of the foot's
        rotation exceeds 1e-7, or the toe is turned (:attr:`toe_acts`).
        """
        turned = np.abs(self.found.foot[:, 1:]).max(axis=1)
        way = np.abs(self.found.ankle - self.motion.pose.ankle).max(axis=1)
        return np.asarray((way > STILL) | (turned > STILL) | self.toe_acts)

    @property
    def toe_acts(self) -> Flags:
        """Flags (n,): the frames on which the toe is turned, on those that show IK by its IK control, on the
        others by FK's.

        They are True only where the toe's rotation turns it, with a component of its quaternion's vector part
        beyond 1e-7. They are False where the leg has no such control, and everywhere if no toe rotation is
        asked (`toe` is None).
        """
        led = np.where(self.by_ik, self.led.toes[1], self.led.toes[0]) >= 0
        if self.toe is None:
            return np.zeros_like(led)
        return np.asarray(led & (np.abs(self.toe[:, 1:]).max(axis=1) > STILL))

    def ask_more(self, more: Array) -> FootGoal:
        """Return this goal with an additional shift and turn asked of its control.

        more: (n, 4), a shift x, y, z in the world, and an angle about the vertical through the foot's point
        where `found` has it, radians, counter-clockwise as seen from above. The result differs in `found`
        alone: in its `foot`, which is turned on top of the turn that it has, and in its `ankle`, which is
        turned about the point and shifted. Thigh, shin and toe, and this goal itself, are not changed.
        """
        turned, motion = self.found, self.motion
        turn = quaternion.exp(more[:, 3:] * VERTICAL)
        arm = quaternion.rotate(turned.foot, motion.pose.ankle - motion.point)
        ankle = turned.ankle + more[:, :3] + quaternion.rotate(turn, arm) - arm
        turned = dataclasses.replace(turned, foot=quaternion.multiply(turn, turned.foot), ankle=ankle)
        return dataclasses.replace(self, found=turned)


def controls_changed(
    legs: RigLegs, posed: Posed, values: Tracks, drop: Array, goals: Sequence[FootGoal]
) -> Iterator[Changed]:
    """Yield the channels of a control rig that change so that its feet reach their goals.

    The feet are taken to be fixed to their controls. First comes the hips' location, if the hips drop. Then,
    for each goal: the IK control's location, and its rotation if it turns the foot; the rotations of the FK
    bones; the toe's rotation by FK, then by IK. IK's channels are left out for a leg without an IK control or
    that shows IK on no frame, FK's for one without FK bones or that shows IK on all, and a toe's without a
    bone that turns it or a rotation that is asked. IK's channels act on the frames that show IK, FK's on the
    others, and both on one more frame to either side. For other rigs see :func:`changed`.

    Parameters
    ----------
    legs
        The rig and its legs.
    posed
        The rig's pose before, with `above` for the hips and the IK controls.
    values
        The channels by address that give this pose.
    drop : (n,)
        How far the hips go down, world units.
    goals
        What each leg is to do.

    Yields
    ------
    Changed
        `kinks` has the ends of the goal's stands, sorted; () for hips and toes. The channels of an
        IK control that is shown anywhere are yielded even if they change on no frame. FK's and
        the toes' are yielded if the bone turns on any frame, whether that shows them or not.

    Raises
    ------
    KeyError
        `posed` has no `above` for a bone that is moved.
    """
    down = -drop[:, None] * VERTICAL
    if legs.hips >= 0 and np.any(np.abs(drop) > STILL):
        yield move_bone(legs, legs.hips, posed, values, down)
    for goal in goals:
        led, seen = goal.led, goal.by_ik
        kinks = tuple(sorted({frame for ends in goal.stands for frame in ends}))
        if led.control >= 0 and seen.any():
            for change in _led(legs, goal, posed, values, down if led.falls else 0.0 * down):
                yield _within(change, seen, kinks)
        if led.fk and not seen.all():
            hangs = len(led.fk) < 2 or legs.hangs(led.fk[-1], led.fk[-2])
            for change in turns(legs, led.fk, posed, goal.found, hangs=hangs):
                yield _within(change, ~seen, kinks)
        for toe, side in zip(led.toes, (~seen, seen), strict=True):
            if goal.toe is not None and toe >= 0 and side.any():
                for change in toe_turns(legs, toe, posed, goal.found.foot, goal.toe):
                    yield _within(change, side, ())


def _led(legs: RigLegs, goal: FootGoal, posed: Posed, values: Tracks, carried: Array) -> Iterator[Changed]:
    """Yield the location, and if it turns the foot the rotation, of the IK control that a foot is fixed to.

    The control goes where the ankle of `goal.found` is, plus its way from the ankle of `goal.motion`. If it
    turns the foot, that way is turned by `goal.found.foot`, and so is the control.

    goal: what the leg is to do. posed: the rig's pose before; KeyError is raised if the control is not in its
    `above`. values: the channels by address. carried: (n, 3), how far the control moves by itself in the
    world as the hips go down, which is taken off. Both channels are yielded even if they change on no frame.
    `kinks` is (), and `acts` does not regard on which frames IK is shown: :func:`_within` puts in both.
    """
    bone, turned, ankle = goal.led.control, goal.found, goal.motion.pose.ankle
    head = posed.heads[bone]
    target = turned.ankle + (quaternion.rotate(turned.foot, head - ankle) if goal.led.turns else head - ankle)
    yield move_bone(legs, bone, posed, values, target - head - carried)
    if goal.led.turns:
        q = quaternion.multiply(turned.foot, posed.axes[bone])
        rotations = quaternion.multiply(quaternion.conjugate(posed.places[bone]), q)
        acts = np.abs(turned.foot[:, 1:]).max(axis=1) > STILL
        yield Changed(bone, legs.rig.modes[bone], rotations, acts)


def _within(change: Changed, visible: Flags, kinks: tuple[int, ...]) -> Changed:
    """Return a change where one side of a leg is shown, and as far as it plays on beside that."""
    return dataclasses.replace(change, acts=change.acts & _widened(visible), kinks=kinks)


def quiet(motion: LegMotion, turned: Turned) -> Turned:
    """Return what becomes of a leg, with changes that are too small to be known removed.

    The foot's turn becomes none where its quaternion's vector part is at most 1e-5. The ankle stays where the
    leg has it by itself where it would move by at most 1e-5 of the leg's length and the foot does not turn.
    Thigh and shin are returned as they are.
    """
    still = np.abs(turned.foot[:, 1:]).max(axis=1) <= NOISE
    foot = np.where(still[:, None], quaternion.IDENTITY, turned.foot)
    near = np.abs(turned.ankle - motion.pose.ankle).max(axis=1) <= NOISE * motion.length
    ankle = np.where((still & near)[:, None], motion.pose.ankle, turned.ankle)
    return dataclasses.replace(turned, foot=foot, ankle=ankle)


def measure_foot_errors(wanted: Array, current: Array) -> Array:
    """Return by how much feet (n, 4) would have to move to be where they shall stand: `wanted` minus
    `current`.

    wanted, current: (n, 4), x, y, z and heading in radians. The difference of headings is moved by whole
    turns to between -pi and pi. The result is a new array.
    """
    way = wanted - current
    way[:, 3] -= FULL_TURN * np.round(way[:, 3] / FULL_TURN)
    return np.asarray(way)
