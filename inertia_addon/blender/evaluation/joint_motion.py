# SPDX-License-Identifier: GPL-3.0-or-later
"""Where all joints of a rig are in a clip, and how fast they move.

Of plain rigs numpy knows it at once. All others are played by Blender, frame by frame and in slices:
between these, and whatever happens, the file is as it was.
"""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import bpy
import numpy as np

from ...errors import InertiaError, Sentence
from ...motion import quaternion
from ...motion.arrays import Array, Flags, Floats, Integers
from ...motion.curves import evaluation as curvelib
from ...motion.curves.keys import SAME_FRAME, Keys
from ...motion.cycles.cycle import Cycle
from ...motion.pops.teleports import Teleport
from ...motion.skeleton import kinematics, posing
from ...motion.skeleton.posing import Mark, Rig, Tracks
from ...motion.steps import Steps, finish, part
from ...records import record
from ...settings.transition import OBJECT_ROOT
from ..data import compat, rig, unkeyed
from ..data.actions import ActionCurve, Address, Clip
from ..data.roots import Root
from . import playback, teleports
from .character import Character, read_character

WINDOW_SECONDS = 0.02
"""How long Blender plays before it lets an interface work, ..."""
SLICE_SECONDS = 5.0 if bpy.app.background else WINDOW_SECONDS
"""... or what says how far a command is, ..."""
OVERHEAD = 4.0
"""... unless to begin and to end takes long: then it plays this many times as long as that."""

MOST_FRAMES = 100_000
"""So many frames of a clip, at most, are looked at: an hour of a film ..."""
MOST_EACH = 300_000
"""Where no frame may be left out, as of feet, of which few points are kept: three hours of a film."""
FRAMES_AT_ONCE = 16_384
"""So many frames of a plain rig are evaluated together: memory grows with what is kept of them alone."""
MOST_POSES = 10_000_000
"""... and so many frames times bones, which take about a gigabyte."""
CHANNELS = 10
"""A bone has about so many channels that move it."""
QUICK = 600_000
"""So many keys, or frames times bones, take about a second."""


@record(frozen=True, eq=False)
class JointMotion:
    """A clip of an armature, evaluated.

    names: (joints,) bones in Blender's order, all or those that were asked for. frames: (n,). positions: (n,
    joints, 3) of the bones' heads in the world, metres. velocities: (n, joints, 3) metres per second, central
    differences, one-sided at the ends of a clip that is no cycle, zero in a clip of one frame. root_position:
    (n, 3) metres. root_rotation: (n, 4) in the world, unit quaternions. cycle: what of the clip repeats.
    teleports: where the character jumps; no velocity is taken across one.
    """

    names: tuple[str, ...]
    frames: Array
    positions: Array
    velocities: Array
    root_position: Array
    root_rotation: Array
    cycle: Cycle | None = None
    teleports: tuple[Teleport, ...] = ()

    def until(self, frame: float, metres: float) -> JointMotion:
        """Return the motion with the frames of its cycle repeated, moved on each time, until the last
        repetition reaches a frame of the clip.

        Frames before the cycle's start come once, at the beginning. The last repetition is whole, so that it
        may end up to one repetition later. Frames that an earlier repetition has shown are not shown again,
        so that each comes once. metres: the length of a world unit in metres. A motion without a cycle, or
        whose cycle ends (``cycle.end``) at the frame or behind it, is returned as it is. ``names``, ``cycle``
        and ``teleports`` never change.
        """
        cycle = self.cycle
        if cycle is None or frame <= cycle.end:
            return self
        parts, last = [self], float(self.frames[-1])
        inner = self.frames >= cycle.start - SAME_FRAME
        for turn in range(1, cycle.turns_until(frame) + 1):
            parts.append(
                self._shift_to_repetition(
                    inner & (self.frames + turn * cycle.period > last + SAME_FRAME), turn, metres
                )
            )
            last = max(last, float(parts[-1].frames[-1])) if len(parts[-1].frames) else last
        names = ("frames", "positions", "velocities", "root_position", "root_rotation")
        arrays: dict[str, Any] = {n: np.concatenate([getattr(part, n) for part in parts]) for n in names}
        return dataclasses.replace(self, **arrays)

    def _shift_to_repetition(self, indices: Flags, turns: int, metres: float) -> JointMotion:
        """Return some frames of a motion as a later repetition of its cycle shows them: later, moved and
        turned.

        indices: (n,) flags of the frames. turns: the number of the repetition, 1 for the first that follows.
        metres: the length of a world unit.
        """
        assert self.cycle is not None
        motion = self.cycle.motion(turns)
        axes, way = motion[:3, :3], motion[:3, 3] * metres
        turn = quaternion.from_matrix(axes)
        return dataclasses.replace(
            self,
            frames=self.frames[indices] + turns * self.cycle.period,
            positions=self.positions[indices] @ axes.T + way,
            velocities=self.velocities[indices] @ axes.T,
            root_position=self.root_position[indices] @ axes.T + way,
            root_rotation=quaternion.multiply(turn, self.root_rotation[indices]),
        )


@record(frozen=True, eq=False)
class _Poses:
    """Frames of an armature, in world units.

    heads: (n, joints, 3), with other points behind them. axes: (3, 3, n), the root's. root: (n, 3), its
    place.
    """

    heads: Array
    axes: Array
    root: Array

    @classmethod
    def empty(cls, joints: int, frames: int) -> _Poses:
        return cls(np.empty((frames, joints, 3)), np.empty((3, 3, frames)), np.empty((frames, 3)))

    def repeated(self, places: Integers, turns: Integers, cycle: Cycle) -> _Poses:
        """Return poses (n,) as repetitions of a cycle show them, as a copy.

        places: (n,) which of these poses. turns: (n,) the repetition of each, 0 for the first; each moves the
        character on, if the cycle moves at all: heads, axes and root.
        """
        poses = _Poses(self.heads[places], self.axes[..., places], self.root[places])
        for turn in np.unique(turns[turns != 0]).tolist() if cycle.moves else ():
            which, motion = turns == turn, cycle.motion(turn)
            poses.heads[which] = poses.heads[which] @ motion[:3, :3].T + motion[:3, 3]
            poses.root[which] = poses.root[which] @ motion[:3, :3].T + motion[:3, 3]
            poses.axes[..., which] = np.einsum("ij,jkn->ikn", motion[:3, :3], poses.axes[..., which])
        return poses


def grid(clip: Clip, most: int = MOST_FRAMES) -> Array:
    """Return the whole scene frames within a clip (n,), in order; the clip's start alone where there is none.

    Of more than `most` only every second, or third and so on, so that no more than that are returned.
    """
    # a clip from frame 0 must not begin at -0
    first, last = np.ceil(clip.start - SAME_FRAME) + 0.0, np.floor(clip.end + SAME_FRAME)
    if last < first:
        return np.array([clip.start])
    step = max(1, math.ceil((last - first + 1.0) / most))
    return np.arange(first, last + 1.0, step)


def most_frames(character: Character) -> int:
    """Return how many frames of a clip are looked at: fewer of a rig with many bones, as all are kept."""
    return max(1, min(MOST_FRAMES, MOST_POSES // max(1, len(character.armature.data.bones))))


def describe_sampling(name: str, frames: Array) -> list[str]:
    """Return a sentence in a list that says one in how many frames of a clip was looked at; [] if every one
    was.

    name: the action's. frames: (n,) those that were looked at, evenly spaced.
    """
    step = float(frames[1] - frames[0]) if len(frames) > 1 else 1.0
    if step <= 1.0:
        return []
    return [
        Sentence(
            '"{action}" is so long that only one frame in {step:.0f} was checked.', action=name, step=step
        )
    ]


def check_each(clip: Clip, most: int | None = None) -> None:
    """Raise InertiaError for a clip of which not every frame can be looked at.

    most: so many frames can be; None for :data:`MOST_EACH`.
    """
    most = MOST_EACH if most is None else most
    if describe_sampling(clip.action.name, grid(clip, most)):
        raise InertiaError(
            '"{action}" is too long to check frame by frame; cut it into actions of at most {most} frames.',
            action=clip.action.name,
            most=f"{most:,}",
        )


def is_quick(armature: Any, action: Any, slot: compat.Slot) -> bool:
    """Return whether an action is small enough to be read and evaluated while a panel is drawn, about a
    second.

    It is if its keys in the slot, muted curves included, and its frames (as many as would be looked at) times
    the armature's bones are 600,000 or less each. Nothing is read.
    """
    first, last = action.frame_range
    keys = sum(len(curve.keyframe_points) for curve in compat.curves(action, slot.identifier))
    frames = min(last - first, most_frames(read_character(armature)))
    return keys <= QUICK and frames * len(armature.data.bones) <= QUICK


def evaluate(character: Character, clip: Clip, frames: Array, root: Root) -> JointMotion:
    """Evaluate a clip at frames (n,), in any order; see :func:`steps`."""
    return finish(steps(character, clip, frames, root))


def steps(
    character: Character, clip: Clip, frames: Array, root: Root, joints: Collection[str] | None = None
) -> Steps[JointMotion]:
    """Evaluate a clip at frames (n,), in any order; yields the part that is done, 0 to 1.

    joints: the bones that are asked for, None for all: of a rig with constraints a few take less. By numpy
    where the rig is plain, else by Blender in the scene in use. Whenever it yields, returns or
    raises, the file is as it was; it may be closed at any time. Raise InertiaError for a rig that
    Blender would not play, with what to do about it.
    """
    motion, _ = yield from with_points(character, clip, frames, root, (), joints)
    return motion


def positions(character: Character, clip: Clip, frames: Array, plain_rig: Rig | None = None) -> Steps[Array]:
    """Return where the heads of all bones are (n, joints, 3) at frames (n,), metres, in the world, in
    Blender's order; yields the part that is done, 0 to 1.

    It takes less than :func:`steps`, as no frame beside these is looked at. Frames may come in any order, and
    lie in any repetition of a cycle; the file is as it was whenever it yields. plain_rig: the armature as it
    stands, of one that is known to be plain, or a part of it, whose bones are the joints; None to look at it.
    Raise InertiaError without plain_rig for what is no armature, or one in Edit Mode; for a plain rig with
    keys that are no numbers or, without plain_rig, at no finite place; and for another where Blender would
    not play it.
    """
    root = Root(OBJECT_ROOT, moves=False)
    names = character.armature.data.bones.keys() if plain_rig is None else plain_rig.bones.names
    if plain_rig is None:
        rig.check_armature(character.armature)
        poses, places = yield from _poses_at(character, clip, np.asarray(frames, float), root, names, ())
    else:
        times, places, turns = _times_of(clip, frames)
        poses = yield from _by_numpy(character, clip, times, root, PosePoints(names), plain_rig)
        poses, places = _repeated(poses, places, turns, clip)
    return poses.heads[places] * character.metres


def matrices(
    character: Character, clip: Clip, frames: Array, movers: Collection[str] | None = None
) -> Steps[Array]:
    """Return the world matrices (n, 1 + bones, 4, 4) of the object and then all bones, in Blender's order, as
    Blender plays a clip.

    Frames (n,) may come in any order; lengths are world units, and cycles repeat and move on. movers: names
    of the bones whose curves are played, None for all. Yields the part that is done, 0 to 1; between, the
    file is as it was. Raise InertiaError where Blender would not play the armature: in Edit Mode or tweak
    mode, in another scene, or disabled.
    """
    times, places, turns = _times_of(clip, frames)
    if movers is None:
        raw = yield from _show_steps(character, clip, times, None)
        shown = np.array([_in_world(each) for each in raw])
    else:
        shown = np.empty((len(times), 1 + len(character.armature.pose.bones), 4, 4))

        def read(evaluated: Any, i: int) -> None:
            shown[i] = matrices_of(evaluated)

        # what follows these alone is no one else's
        yield from play_steps(character, clip, times, read, movers)
    shown = shown[places]
    if clip.cycle is not None:
        for turn in np.unique(turns[turns != 0]).tolist():
            shown[turns == turn] = clip.cycle.motion(turn) @ shown[turns == turn]
    return shown


def matrices_of(evaluated: Any) -> Array:
    """Return the matrices of an evaluated armature and then all its bones in the world (1 + bones, 4, 4)."""
    return _in_world(_read_shown(evaluated))


def _read_shown(evaluated: Any) -> Floats:
    """Return the matrices (1 + bones, 4, 4) of an evaluated armature in the world, and of all its bones in
    it.
    """
    world = np.array(evaluated.matrix_world, np.float32)[None]
    return np.concatenate([world, rig.matrices(evaluated.pose.bones, "matrix").astype(np.float32)])


def _in_world(relative: Floats) -> Array:
    """Return matrices (1 + bones, 4, 4) as of :func:`_read_shown`, those of bones in the world, too."""
    matrices = relative.astype(float)
    return np.asarray(matrices[0] @ np.concatenate([np.eye(4)[None], matrices[1:]]))


def _show_steps(
    character: Character, clip: Clip, times: Array, bones: Collection[str] | None
) -> Steps[list[Floats]]:
    """Return what Blender shows of a clip at times (n,), as :func:`_read_shown` does; what it has shown
    before is not played again. Yields the part that is done, 0 to 1.

    bones: those that are asked for, None for all; the rest may be anywhere then.
    """
    movers = None if bones is None else character.movers(bones)
    asked = None if bones is None or movers is None else frozenset(bones)
    shown = {time: character.kept.find(clip, asked, time) for time in map(float, times)}
    missing = [time for time, matrices in shown.items() if matrices is None]

    def read(evaluated: Any, i: int) -> None:
        shown[missing[i]] = matrices = _read_shown(evaluated)
        character.kept.keep(clip, asked, missing[i], matrices)

    if missing:
        yield from play_steps(character, clip, missing, read, movers)
    return [matrices for time in map(float, times) if (matrices := shown[time]) is not None]


def _times_of(clip: Clip, frames: Array) -> tuple[Array, Integers, Integers]:
    """Return at which times to look at a clip for frames (n,), in any order: (times, for each frame the index
    of its time, for each frame its repetition).

    Times are sorted, each once; of a clip with a cycle they are the frames of the first repetition that show
    the same. Repetitions count from 0, the first; all are 0 without a cycle. If the cycle begins at the
    clip's start, frames before it have negative ones. For a frame where two meet, see :meth:`Cycle.wrapped`:
    behind the first repetition it is the end of the earlier one.
    """
    turns = np.zeros(len(frames), np.int64)
    if clip.cycle is not None:
        frames, turns = clip.cycle.wrapped(np.asarray(frames, float), clip.start)
    times, places = np.unique(frames, return_inverse=True)
    return times, places.ravel(), turns


def _poses_at(
    character: Character, clip: Clip, frames: Array, root: Root, names: Sequence[str], marks: Sequence[Mark]
) -> Steps[tuple[_Poses, Integers]]:
    """Return the poses of a clip (world units, in the world), and which of them (n,) it shows at frames (n,),
    in any order: pose ``places[i]`` is that of frame i, already moved on and turned by its cycle.

    The poses' ``heads`` are the bones' heads with the marks behind them, their ``axes`` and ``root`` the
    root's axes and place. Without a cycle each time comes once; with one there is a pose for each frame.
    names: bones whose heads are taken, in Blender's order. marks: (bone index, offset from its head along its
    axes at rest) of points whose places follow them. By numpy for a plain rig, else by Blender. Yields the
    part that is done, 0 to 1.
    """
    times, places, turns = _times_of(clip, frames)
    way = _by_blender if character.find_poser((clip,)).is_played else _by_numpy
    poses = yield from way(character, clip, times, root, PosePoints(names, marks))
    return _repeated(poses, places, turns, clip)


def _repeated(poses: _Poses, places: Integers, turns: Integers, clip: Clip) -> tuple[_Poses, Integers]:
    """Return poses of a clip's times in the repetitions (n,) of its cycle, and which of them (n,) frames
    show; without a cycle what was given.

    places: (n,), which of the poses each frame shows. turns: (n,).
    """
    if clip.cycle is None:
        return poses, places
    return poses.repeated(places, turns, clip.cycle), np.arange(len(places))


LocatePoints = Callable[[Clip, Sequence[Mark], Array], Array]
"""Says where points are in a clip at rising times (n,), (n, marks, 3), in world units."""


def track_points_steps(
    character: Character,
    clip: Clip,
    marks: Sequence[Mark],
    frames: Array,
    look: LocatePoints | None = None,
) -> Steps[Array]:
    """Return where points (n, marks, 3) are in the world in a clip at frames (n,), in any order, metres;
    yields the part that is done.

    marks: (bone index in Blender's order, offset from its head along its axes at rest, in the armature's
    units). look: says where points are at rising frames of the first repetition, each once, for those who
    have played the clip; None to look. In a cycle, frames may lie in any repetition, each of which moves the
    character on. Raise InertiaError for keys that are not finite, an armature at no finite place, and where
    Blender has to play the rig and would not.
    """
    if look is None:
        root = Root(OBJECT_ROOT, moves=False)
        poses, places = yield from _poses_at(character, clip, np.asarray(frames, float), root, (), marks)
    else:
        times, places, turns = _times_of(clip, frames)
        poses = dataclasses.replace(_Poses.empty(0, len(times)), heads=look(clip, marks, times))
        poses, places = _repeated(poses, places, turns, clip)
    return poses.heads[places] * character.metres


def with_points(
    character: Character,
    clip: Clip,
    frames: Array,
    root: Root,
    marks: Sequence[Mark],
    joints: Collection[str] | None = None,
) -> Steps[tuple[JointMotion, Array]]:
    """Return (the clip's motion at frames (n,), the world places (n, marks, 3), in metres, of points that
    move with bones).

    Frames may come in any order, and lie in any repetition of a cycle. The motion has the joints' positions
    and velocities (n, joints, 3), metres and metres a second, between the frames of :meth:`Clip.around`;
    velocities are 0 where these are one frame, and in a clip without length. marks: (bone index in Blender's
    order, offset from its head along its axes at rest, in the armature's units). joints: names of the bones
    that the motion has, in Blender's order; None for all; unknown names are passed over. Yields the part that
    is done, 0 to 1; the file is as it was then. The clip's ``teleports`` are filled in, in place. Raise
    InertiaError for an armature in Edit Mode or at no finite place, keys that are not finite, and where
    Blender has to play the rig and would not.
    """
    rig.check_armature(character.armature)
    with_teleports(character, clip)
    frames = np.asarray(frames, float)
    fps, metres = character.fps, character.metres
    names = [name for name in character.armature.data.bones.keys() if joints is None or name in joints]
    still = clip.end <= clip.start
    pairs = np.array(
        [(f, f) if still else clip.around(f, extrapolate=False) for f in frames.tolist()]
    ).reshape(-1, 2)
    # frames are each other's neighbours, and each time is looked at once for all of them
    asked = np.column_stack([frames, pairs]).ravel()
    poses, places = yield from _poses_at(character, clip, asked, root, names, marks)
    now, before, after = places.reshape(-1, 3).T
    seconds = (pairs[:, 1] - pairs[:, 0]) / fps
    heads, count = poses.heads[now], len(names)
    heads *= metres
    velocities = np.empty((len(frames), count, 3))
    # what takes no time is divided by infinity: it has no velocity
    rates = metres / np.where(seconds > 0.0, seconds, np.inf)
    for first in range(0, len(frames), FRAMES_AT_ONCE):
        rows = slice(first, first + FRAMES_AT_ONCE)
        ways = poses.heads[after[rows], :count] - poses.heads[before[rows], :count]
        velocities[rows] = ways * rates[rows, None, None]
    motion = JointMotion(
        tuple(names),
        frames,
        heads[:, :count],
        velocities,
        poses.root[now] * metres,
        kinematics.orientations(poses.axes)[now],
        clip.cycle,
        clip.teleports or (),
    )
    return motion, heads[:, count:]


Evaluate = Callable[[Character, Clip, Root], Steps[JointMotion]]
"""Evaluates a clip on its whole frames, in steps that yield the part that is done."""


def whole(
    character: Character, clip: Clip, root: Root, joints: Collection[str] | None = None
) -> Steps[JointMotion]:
    """Evaluate a clip on its whole frames, on some of them if it is too long, see :func:`grid`. joints: the
    bones to evaluate, None for all; see :func:`steps`.
    """
    return steps(character, clip, grid(clip, most_frames(character)), root, joints)


def of_all(
    character: Character, clips: Sequence[Clip], root: Root, evaluate: Evaluate = whole
) -> Steps[tuple[JointMotion, ...]]:
    """Return the motions of clips on their whole frames, in the given order; yields the part that is done, 0
    to 1. () for no clips.

    Each :class:`JointMotion` has the joints' ``names``, ``frames`` (n,), ``positions`` and ``velocities`` (n,
    joints, 3), metres and metres a second, in the world, ``root_position`` (n, 3), metres, and
    ``root_rotation`` (n, 4), unit quaternions, of the root, ``cycle``, and ``teleports``. evaluate: a
    function of (character, clip, root) that evaluates one clip in steps, for those who keep what they
    evaluated; what it raises ends all. By default each clip is evaluated on its whole frames, only every
    second, third and so on of very long ones; that raises InertiaError for an armature in Edit Mode or at no
    finite place, keys that are not finite, and where Blender has to play the rig and would not.
    """
    motions = []
    for i, clip in enumerate(clips):
        steps = evaluate(character, clip, root)
        motions.append((yield from part(steps, i / len(clips), (i + 1) / len(clips))))
    return tuple(motions)


def with_teleports(character: Character, clip: Clip, rig: Rig | None = None) -> Clip:
    """Return the clip itself, whose ``teleports`` are filled in, in place, unless they are known already.

    They are a tuple of :class:`Teleport` (``last`` frame before the jump, ``first`` frame behind it, ``way``
    in metres), in order; () where none is found, as in clips without curves, very short or very long ones.
    rig: the armature as it stands, None to read it. Bones are posed by keys alone, without constraints. Raise
    InertiaError for keys that are no numbers and, without rig, for an armature at no finite place;
    ``teleports`` then stay None.
    """
    if clip.teleports is None:
        skeleton, metres = rig or character.rig, character.metres
        standing = unkeyed.completed(character.armature, clip).unkeyed

        def pose(frames: Array) -> Array:
            positions = joint_positions(skeleton, clip.curves, frames, standing)
            positions *= metres
            return positions

        clip.teleports = teleports.find(clip, skeleton.size * metres, pose)
    return clip


def joint_positions(
    rig: Rig,
    curves: Mapping[Address, ActionCurve | Keys],
    frames: Array,
    unkeyed: Mapping[Address, float] | None,
) -> Array:
    """Return the world positions (frames, joints, 3) of all bones' heads in a clip, or a planned one, of
    curves.

    Valid for plain rigs, see :meth:`Character.find_poser`. The object's own transform is the clip's,
    frame by frame. For the parameters see :func:`tracks`.
    """
    return posing.positions(rig, tracks(rig, curves, frames, unkeyed), len(frames))


def tracks(
    rig: Rig,
    curves: Mapping[Address, ActionCurve | Keys],
    frames: Array,
    unkeyed: Mapping[Address, float] | None,
    count: int | None = None,
) -> Tracks:
    """Return the values (frames,), float32, of those transform channels of a rig that have a curve, or stand
    away from rest, by address.

    curves: read from an action, or keys that are no F-curve yet; those of other properties are left out.
    frames: (n,), of the clip. unkeyed: where the channels of bones stand that have no curve; None for all at
    rest. The object's un-keyed channels are not in it. count: the number of frames that will be asked for in
    all, of which these are some, by which it is chosen whether Blender evaluates a curve; None if these are
    all. Raise InertiaError where a curve reads its keys only now, and these are no numbers.
    """
    values: dict[Address, Floats] = {
        # in single precision, as Blender's own properties
        address: np.full(len(frames), value, np.float32)
        for address, value in (unkeyed or {}).items()
        if address not in curves and rig.is_moved_by(address)
    }
    keys: dict[Address, Keys] = {}
    # of part of a rig only few of a clip's curves are asked for
    if len(curves) <= CHANNELS * len(rig.paths):
        moving = [at for at in curves if rig.is_moved_by(at)]
    else:
        moving = [at for at in rig.transforms if at in curves]
    for address in moving:
        curve = curves[address]
        if not isinstance(curve, ActionCurve):
            keys[address] = curve
        elif curve.asks_blender(len(frames) if count is None else count):
            values[address] = curve.at(frames).astype(np.float32)
        else:
            keys[address] = curve.whole
    values.update(zip(keys, curvelib.evaluate_together(list(keys.values()), frames), strict=True))
    return values


@record(frozen=True)
class PosePoints:
    """What of a pose is looked at. names: joints. marks: points on bones."""

    names: Sequence[str]
    marks: Sequence[Mark] = ()


def _by_numpy(
    character: Character,
    clip: Clip,
    times: Array,
    root: Root,
    points: PosePoints,
    plain_rig: Rig | None = None,
) -> Steps[_Poses]:
    names, marks = points.names, points.marks
    rig = plain_rig or character.rig
    posed, joints = _Poses.empty(len(names) + len(marks), len(times)), _places(rig.bones.names, names)
    standing = unkeyed.completed(character.armature, clip).unkeyed
    # of all bones only those are posed that are asked for, and what carries points
    marked = posing.with_points(rig, marks) if names else posing.marked(rig, marks)
    bones = len(marked.bones.names) - len(marks)
    for first in range(0, len(times), FRAMES_AT_ONCE):
        some = times[first : first + FRAMES_AT_ONCE]
        values = tracks(marked, clip.curves, some, standing, len(times))
        yield first / len(times)
        for span, heads, matrices in posing.poses(marked, values, len(some), root.name):
            rows = slice(first + span.start, first + span.stop)
            posed.heads[rows, : len(names)] = heads[:, :bones][:, joints]
            posed.heads[rows, len(names) :] = heads[:, bones:]
            posed.axes[..., rows], posed.root[rows] = matrices[:3, :3], matrices[:3, 3].T
            yield rows.stop / len(times)
    return posed


def _by_blender(
    character: Character, clip: Clip, times: Array, root: Root, points: PosePoints
) -> Steps[_Poses]:
    names, marks = points.names, points.marks
    bones = character.armature.pose.bones.keys()
    posed, joints = _Poses.empty(len(names) + len(marks), len(times)), _places(bones, names)
    wanted = [*names, *(bones[bone] for bone, _ in marks), *([] if root.is_object else [root.name])]
    # where all bones are asked for, no curve can be left out
    shown = yield from _show_steps(character, clip, times, wanted if 0 < len(names) < len(bones) else None)
    for i, each in enumerate(shown):
        matrices = each.astype(float)
        world, of_bones = matrices[0], matrices[1:]
        posed.heads[i, : len(names)] = of_bones[joints, :3, 3] @ world[:3, :3].T + world[:3, 3]
        for k, (bone, offset) in enumerate(marks, len(names)):
            posed.heads[i, k] = (world @ of_bones[bone] @ (*offset, 1.0))[:3]
        matrix = world if root.is_object else world @ of_bones[bones.index(root.name)]
        posed.axes[..., i], posed.root[i] = matrix[:3, :3], matrix[:3, 3]
    return posed


def _places(names: Sequence[str], some: Sequence[str]) -> slice | list[int]:
    """Return the indices of some bones among all, in their order."""
    return slice(None) if len(some) == len(names) else [i for i, name in enumerate(names) if name in some]


def play_steps(
    character: Character,
    clip: Clip,
    times: Array | Sequence[float],
    read: Callable[[Any, int], None],
    movers: Collection[str] | None = None,
) -> Steps[None]:
    """Have Blender play a clip at times (n,) in the scene in use, in slices; yields the part that is done, 0
    to 1.

    read: called with the evaluated armature and the index of the time that it shows. times: frames of the
    clip, in any order; a list may be added to by `read`. movers: names of the bones whose curves are played,
    None for all. Whenever it yields, and at the end, the file is as it was. Without times nothing is done.
    Raise HasToPlay for a character that may not be played, and InertiaError where Blender would not play the
    armature (Edit Mode, tweak mode, another scene, disabled), or an animated value could not be put back.
    """
    character.check_may_play(clip)
    scene, view_layer = bpy.context.scene, bpy.context.view_layer
    done, overhead = 0, 0.0
    while done < len(times):
        began = time.monotonic()
        with playback.play_alone(character.armature, clip, scene, view_layer, movers=movers) as show:
            playing = time.monotonic()
            until = playing + max(SLICE_SECONDS, OVERHEAD * overhead)
            while done < len(times):
                read(show(float(times[done])), done)
                done += 1
                if time.monotonic() >= until:
                    break
            ended = time.monotonic()
        overhead = playing - began + time.monotonic() - ended
        yield done / len(times)
