# SPDX-License-Identifier: GPL-3.0-or-later
"""A pose that stays while a rig's switches go over: between spaces, and between FK and IK.

At the cut a rig's switches take the destination's values at once. Controls that then mean another pose are
restated, so that the character stays as the source shows it, as the rig's own switching does; from there
they decay into the destination like all others.

A destination that goes between FK and IK while an offset decays, or shows IK behind a source that shows FK,
is told by FK alone until it is gone. An offset is not the same by FK as by IK, so that a limb would jump
where the one gives way to the other; and what IK reaches for would go where the limb does not reach, which
then snaps straight. As FK shows all that IK does, the FK controls are put where the limb is seen, on every
frame of the window where something else shows it, and the switch waits until the window is over.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Hashable, Iterable, Mapping
from typing import Any

import numpy as np
from mathutils import Matrix

from ...motion import quaternion
from ...motion.arrays import Array, Floats
from ...motion.curves import keys as keylib
from ...motion.curves.keys import NotCuttable
from ...motion.curves.representation import continuous, sizes
from ...records import record
from ..data import channels, properties, rig, rigs
from ..data.actions import ActionCurve, Address, Clip
from ..data.channels import Channels, ClipChannels
from ..data.limb_list import SwitchedLimb
from ..evaluation import limbs, playback
from ..evaluation.controls import Stage, staged
from .control_posing import STAYS, Keeper

ALIKE = 1e-6
"""Channels that differ by no more are as the clip has them."""


@record(frozen=True, eq=False)
class Held:
    """What holds the source's pose under the destination's switches.

    switches: addresses of values that jump at the cut. transforms: by bone (3, 4, 4) in the frame before the
    cut, in that after it and at the cut, of controls that have to be restated. destination: the destination
    as FK alone tells it in the window, where it goes between FK and IK, or to IK; None elsewhere. lost:
    controls that don't stay all the same.
    """

    switches: frozenset[Address] = frozenset()
    transforms: Mapping[str, Array] = dataclasses.field(default_factory=dict)
    destination: Clip | None = None
    lost: tuple[str, ...] = ()

    def restated(self, ch: Channels) -> ClipChannels | None:
        """Return a source's channels as they are restated around the cut; None for those that are not."""
        matrices = self.transforms.get(ch.bone or "")
        if matrices is None or ch.kind == "value":
            return None
        part = ("location", "rotation", "scale").index(ch.kind)
        values = np.array([tuple(Matrix(matrix).decompose()[part]) for matrix in matrices])
        mode = "QUATERNION" if ch.kind == "rotation" else ""
        return Restated(ch.source.clip, ch.source.addresses, ch.source.defaults, mode, values)


@record(frozen=True)
class Restated(ClipChannels):
    """Channels of the source in the destination's terms.

    values: (3, channels), in the frames before, after and at the cut; quaternions for a rotation.
    """

    values: Array = dataclasses.field(default_factory=lambda: np.empty((3, 0)))

    def raw(self, frames: Array, values: Mapping[Address, Floats] | None = None) -> Array:
        """Return the values around the cut, the only ones that are known."""
        return self.values


@record(frozen=True, eq=False)
class CrossingValues:
    """Values that decide over constraints and go over from the source's to the destination's.

    switching: those at a meeting, as the destination has them there. over: those that do not stay as the
    source has them, in each frame of a window (n,).
    """

    switching: Mapping[Address, float]
    over: Mapping[Address, Array]

    @property
    def is_any(self) -> bool:
        """Whether there is any such value."""
        return bool(self.switching or self.over)


@record(frozen=True, eq=False)
class ShownFrames:
    """Frames that a transition shows. around: three of the source, see :class:`FramesAround`. window: those
    of the destination that are shown while an offset decays, with one before and one behind."""

    around: Array
    window: Array


def find_crossing_values(
    armature: Any, channels: Iterable[Channels], cut: float, frame: float, window: Array
) -> CrossingValues:
    """Return the values that decide over constraints and go over to the destination's.

    At the meeting numbers, switches and choices count,
    and factors that are wholly off in one clip and on in the other. frame: the destination's at the cut.
    window: its frames that are shown meanwhile.
    """
    switching: dict[Address, float] = {}
    over: dict[Address, Array] = {}
    for ch in channels:
        if ch.kind != "value":
            continue
        address, before = ch.destination.addresses[0], ch.source.raw(np.array([cut]))[0, 0]
        after, course = ch.destination.raw(np.array([frame]))[0, 0], ch.destination.raw(window)[:, 0]
        if before != after and (ch.discrete or {before, after} == {0.0, 1.0}):
            switching[address] = float(after)
        if np.any(course != before):
            over[address] = course
    steering = limbs.find_steering_paths(armature) if switching or over else ()
    paths = {path for path, _ in (*switching, *over) if "constraints[" in path or path in steering}
    return CrossingValues(
        {address: value for address, value in switching.items() if address[0] in paths},
        {address: values for address, values in over.items() if address[0] in paths},
    )


@playback.together()
def hold(
    armature: Any,
    clips: tuple[Clip, Clip],
    frames: ShownFrames,
    crossing: CrossingValues,
    controls: Iterable[str],
    cache: Kept | None = None,
) -> Held:
    """Find what holds the source's pose while switches go over to the destination's values.

    controls: the bones whose transforms are keyed. cache: what was found by now of frames of the same two
    clips, to which more is added; None to keep nothing. Raise InertiaError if Blender would not play it.
    """
    switching, over = crossing.switching, crossing.over
    if not crossing.is_any:
        return Held()
    source, destination = clips
    keyed = frozenset(controls)
    cache = {} if cache is None else cache
    with staged(armature, source) as stage:
        stage.show(float(frames.around[2]))
        known = limbs.find(stage, keyed, [path for path, _ in (*switching, *over)])
        goes = {limb: over[limb.switch, 0] for limb in known if (limb.switch, 0) in over}
        jumping = {**switching, **{(limb.switch, 0): float(values[0]) for limb, values in goes.items()}}
        if not jumping:
            return Held()
        sides = {limb: {limb.side(value) for value in values} for limb, values in goes.items()}
        taken = {limb for limb in sides if (limb.switch, 0) in switching and sides[limb] == {"IK"}}
        mixed = [limb for limb, shown in sides.items() if len(shown) > 1 or "" in shown or limb in taken]
        jumping |= {(limb.switch, 0): limb.fk_value for limb in mixed}
        values = {path: value for (path, _), value in jumping.items()}
        restating = _Restating(stage, source, values, known, keyed, cache)
        restated, lost = restating.over(frames.around)
    told = _restate_by_fk(armature, destination, mixed, frames.window, keyed, cache) if mixed else None
    return Held(frozenset(jumping), restated, told, tuple(sorted(lost)))


@record(frozen=True, eq=False)
class _Frame:
    """What keeps the pose of a frame while properties have other values.

    before, after: the transforms of all controls as the frame has them, and as they keep the pose. controls:
    those that were looked at, searched: those that had to be looked for, and lost: those that can't keep it.
    """

    before: dict[str, Array]
    after: dict[str, Array]
    controls: frozenset[str]
    searched: frozenset[str]
    lost: frozenset[str]


Kept = dict[Hashable, _Frame]
"""By clip and frame, and what properties have as other values."""


class _Restating:
    """Finds how controls keep the pose in frames of a clip while properties have other values.

    values: by path. known: limbs of which those that IK shows then are reached for. keyed: the bones whose
    transforms are keyed. kept: see :func:`hold`.
    """

    def __init__(
        self,
        stage: Stage,
        clip: Clip,
        values: Mapping[str, float],
        limbs: Iterable[SwitchedLimb],
        keyed: frozenset[str],
        cache: Kept,
    ) -> None:
        self.stage, self.clip, self.keyed, self.kept = stage, clip, keyed, cache
        self.size = rig.size(stage.armature, np.eye(4))
        kinds: Any = {path: type(properties.read(stage.armature, path)) for path in values}
        # choices and arrays jump, too, and are not held
        self.paths = {
            path: kinds[path](value) for path, value in values.items() if kinds[path] in (bool, int, float)
        }
        sides = ((limb, limb.side(self.paths.get(limb.switch, np.inf))) for limb in limbs)
        self.reached = tuple(limb for limb, side in sides if side == "IK")

    def over(self, frames: Array) -> tuple[dict[str, Array], set[str]]:
        """Return (by control its transforms in some frames, (n, 4, 4), as they keep the pose, the names of
        what can't be kept).

        Controls that stay as they are are left out.
        """
        each = [self._at(float(frame)) for frame in frames]
        lost = {name for one in each for name in one.lost}
        # what had to be looked for in one frame is told in all
        searched = {name for one in each for name in one.searched}
        restated = {}
        for name in frozenset.intersection(*(one.controls for one in each)) | searched if each else ():
            now = np.array([one.after[name] for one in each])
            then = np.array([one.before[name] for one in each])
            if np.abs(now - then).max() > STAYS * self.size:
                restated[name] = now
        return restated, lost

    def _at(self, frame: float) -> _Frame:
        clip = self.clip
        shown = clip.action.session_uid, clip.slot.identifier, clip.scale, clip.clock, clip.cycle
        key = (shown, frame <= clip.end, frame, tuple(self.paths.items()), self.reached, self.keyed)
        if key not in self.kept:
            self.kept[key] = self._find_frame(frame)
        return self.kept[key]

    def _find_frame(self, frame: float) -> _Frame:
        stage = self.stage
        stage.show(frame)
        places, shown = stage.matrices(), limbs.BoneRelations(stage.armature, stage.evaluated).copy_sources
        with stage.switched(self.paths):
            before, searched = stage.bases(), set()
            keeper = Keeper(stage, places, shown, set(self.keyed), self.size, self.reached)
            keeper.keep()
            if self.reached and (keeper.lost() or keeper.has_turned()):
                searched = keeper.search(before)
                keeper.check()
            lost, after = keeper.lost(), stage.bases()
        return _Frame(before, after, *map(frozenset, (keeper.controls, searched, lost)))


@record
class RestatedCurve(ActionCurve):
    """A curve that is told otherwise up to a frame, and goes on as its own from there.

    frames: (n,) the last of them is that frame. values: (n,) what it is told as.
    """

    frames: Array
    values: Array
    untold: ActionCurve | None
    default: float

    def value(self, frame: float) -> float:
        """Return the value, between whole frames along a line; behind the last frame the curve's own."""
        if frame < self.frames[-1] - 1e-4:
            return float(np.interp(frame, self.frames, self.values))
        return self.default if self.untold is None else self.untold.value(frame)

    def at(self, frames: Array) -> Array:
        """Return the values (n,) at frames (n,), as :meth:`value` does for one."""
        return np.array([self.value(frame) for frame in frames.tolist()], float)


def _restate_by_fk(
    armature: Any,
    clip: Clip,
    mixed: Iterable[SwitchedLimb],
    window: Array,
    keyed: frozenset[str],
    cache: Kept,
) -> Clip:
    """Return a clip in which FK alone shows some limbs in the frames of a window (n,), by keys on these.

    mixed: the limbs. keyed: the bones whose transforms are keyed. cache: see :func:`hold`.
    """
    frames = without_fk(clip, mixed, window)
    with staged(armature, clip) as stage:
        by_fk = {limb.switch: limb.fk_value for limb in mixed}
        restated, _ = _Restating(stage, clip, by_fk, (), keyed, cache).over(frames)
        if len(frames):
            # nothing was shown of frames that are known
            stage.show(float(frames[-1]))
        carried = rigs.read_following(stage.evaluated)
    controls = {control for limb in mixed for control in limb.fk}
    curves, is_restated = dict(clip.curves), np.isin(window, frames)
    for name, matrices in restated.items():
        if controls.isdisjoint(carried.carriers_of(name)):
            continue
        mode = rig.rotation_mode(armature, name)
        for prop, read_by in (("location", ""), (quaternion.rotation_property(mode)[0], mode), ("scale", "")):
            read = channels.transform(clip, rig.bone_path(name, ""), prop, read_by)
            raw = read.raw(window)
            told = _raw(read, matrices, raw[is_restated])
            if np.abs(told - raw[is_restated]).max() <= ALIKE:
                continue
            raw[is_restated] = told
            for column, (address, default) in enumerate(zip(read.addresses, read.defaults, strict=True)):
                curves[address] = _make_told_curve(clip, address, default, window, raw[:, column])
    for limb in mixed:
        values = np.full(len(window), limb.fk_value)
        curves[limb.switch, 0] = _make_told_curve(clip, (limb.switch, 0), limb.fk_value, window, values)
    return dataclasses.replace(clip, curves=curves)


def without_fk(clip: Clip, mixed: Iterable[SwitchedLimb], frames: Array) -> Array:
    """Return the frames (k,), of some, in which a clip shows limbs otherwise than by FK alone."""
    curves = ((limb, clip.curves.get((limb.switch, 0))) for limb in mixed)
    otherwise = [
        [curve is None or limb.side(curve.value(float(frame))) != "FK" for frame in frames]
        for limb, curve in curves
    ]
    return frames[np.any(otherwise, axis=0)]


def _raw(read: ClipChannels, matrices: Array, now: Array) -> Array:
    """Return transforms (k, 4, 4) as raw channels (k, channels) of a location, rotation or scale. now: the
    present ones, whose numbers rotations go on from.
    """
    place, turn, scale = zip(*(Matrix(matrix).decompose() for matrix in matrices), strict=True)
    if read.mode:
        return continuous(np.array([tuple(q) for q in turn]), read.mode, now[0], sizes(now, read.mode))
    return np.array([tuple(v) for v in (scale if read.addresses[0][0].endswith("scale") else place)])


def _make_told_curve(
    clip: Clip, address: Address, default: float, frames: Array, values: Array
) -> RestatedCurve:
    curve = clip.curves.get(address)
    last = float(frames[-1])
    fcurve, obstacle, group, after = None, "", "", keylib.constant(last, default)
    if curve is not None:
        fcurve, obstacle, group = curve.fcurve, curve.obstacle, curve.group
        try:
            after = keylib.tail(curve.keys, last)
        except NotCuttable as reason:
            obstacle = str(reason)
            after = keylib.constant(last, curve.value(last))
    # up to a step just before the last frame, from which the curve's own keys go on
    held = keylib.sampled([*frames[:-1], last - keylib.STEP_FRAMES], values, keylib.LINEAR)
    return RestatedCurve(fcurve, keylib.step(held, after), obstacle, group, frames, values, curve, default)
