# SPDX-License-Identifier: GPL-3.0-or-later
"""A pose that stays while a rig's switches go over: between spaces, and between FK and IK.

At the cut a rig's switches take the destination's values at once. Controls that then mean another pose are
restated, so that the character stays as the source shows it, as the rig's own switching does; from there
they decay into the destination like all others.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from mathutils import Matrix

from ...motion import quaternion
from ...motion.arrays import Array
from ..data import following, properties, rig
from ..data.actions import Address, Clip
from ..data.channels import Channels, ClipChannels
from ..evaluation.controls import Stage, staged

ROUNDS = 3
"""So often, at most, all controls are looked at again."""
TURNS = 12
"""So often, at most, a limb is turned about the line between its ends, until its joint is right."""
STAYS = 1e-5
"""A bone stays when no number of its matrix changes by more; lengths as parts of the character's size."""
LOST = 1e-3
"""A control that is off by more than this part of the character's size is named."""


@dataclasses.dataclass(frozen=True, eq=False)
class Held:
    """What holds the source's pose under the destination's switches.

    switches: addresses of values that jump at the cut. own: by bone, its transforms (3, 4, 4) in the frame
    before the cut, in that after it and at the cut, of controls that have to be restated. lost: controls
    that don't stay all the same.
    """

    switches: frozenset[Address] = frozenset()
    own: Mapping[str, Array] = dataclasses.field(default_factory=dict)
    lost: tuple[str, ...] = ()

    def of(self, ch: Channels) -> ClipChannels | None:
        """A source's channels as they are restated around the cut; None for those that are not."""
        own = self.own.get(ch.bone or "")
        if own is None or ch.kind == "value":
            return None
        part = ("location", "rotation", "scale").index(ch.kind)
        values = np.array([tuple(Matrix(matrix).decompose()[part]) for matrix in own])
        source = ch.source
        mode = "QUATERNION" if ch.kind == "rotation" else ""
        return Restated(source.clip, source.addresses, source.defaults, mode, values)


@dataclasses.dataclass(frozen=True)
class Restated(ClipChannels):
    """Channels of the source in the destination's terms.

    values: (3, channels), in the frames before, after and at the cut; quaternions for a rotation.
    """

    values: Array = dataclasses.field(default_factory=lambda: np.empty((3, 0)))

    def raw(self, frames: Array) -> Array:
        """The values around the cut, which alone are known."""
        return self.values


def switches(armature: Any, channels: Iterable[Channels], cut: float, frame: float) -> dict[Address, float]:
    """The values that decide over constraints and differ at a meeting, as the destination has them.

    Numbers, switches and choices count, and factors that are wholly off in one clip and on in the other.
    """
    steering = None
    found = {}
    for ch in channels:
        if ch.kind != "value":
            continue
        here, there = ch.source.raw(np.array([cut]))[0, 0], ch.destination.raw(np.array([frame]))[0, 0]
        if here == there or not (ch.discrete or {here, there} == {0.0, 1.0}):
            continue
        if steering is None:
            steering = _steering(armature)
        path = ch.destination.addresses[0][0]
        if "constraints[" in path or path in steering:
            found[ch.destination.addresses[0]] = float(there)
    return found


def _steering(armature: Any) -> set[str]:
    """The paths of properties of the armature that its constraints are driven by."""
    animation = armature.animation_data
    if animation is None:
        return set()
    return {
        target.data_path
        for curve in animation.drivers
        if "constraints[" in curve.data_path
        for variable in curve.driver.variables
        for target in variable.targets
        if target.id == armature
    }


def held(
    armature: Any, source: Clip, frames: Array, switching: Mapping[Address, float], controls: Iterable[str]
) -> Held:
    """What holds the source's pose in some frames (3,) while values go over to others.

    controls: the bones whose transforms are keyed. Raises InertiaError where Blender would not play it.
    """
    if not switching:
        return Held()
    paths = {}
    for (path, _), value in switching.items():
        kind: Any = type(properties.read(armature, path))
        if kind in (bool, int, float):  # choices and arrays jump, too, and are not held
            paths[path] = kind(value)
    restated: dict[str, list[Array]] = {}
    before: dict[str, list[Array]] = {}
    lost: set[str] = set()
    with staged(armature, source) as stage:
        size = rig.size(armature, np.eye(4))
        for frame in frames:
            stage.show(float(frame))
            here, shown = stage.matrices(), _shown(stage)
            with stage.switched(paths):
                holding = _Holding(stage, here, shown, set(controls), size)
                for name in holding.controls:
                    before.setdefault(name, []).append(stage.own(name))
                holding.hold()
                lost |= holding.lost()
                for name in holding.controls:
                    restated.setdefault(name, []).append(stage.own(name))
    changed = {
        name: np.array(own)
        for name, own in restated.items()
        if len(own) == len(frames) and np.abs(np.array(own) - before[name]).max() > STAYS * size
    }
    return Held(frozenset(switching), changed, tuple(sorted(lost)))


def _copies(stage: Stage) -> dict[str, list[tuple[str, float]]]:
    """For each bone that copies one of several others, as a property chooses, these and how much of them."""
    animation = stage.armature.animation_data
    driven = {
        rig.split_path(curve.data_path)[0] for curve in animation.drivers if ".influence" in curve.data_path
    }
    found = {}
    for bone in stage.evaluated.pose.bones:
        if bone.name not in driven:
            continue
        copies = [
            (c.subtarget, c.influence)
            for c in bone.constraints
            if c.type == "COPY_TRANSFORMS" and not c.mute and _own(stage.evaluated, c.target, c.subtarget)
        ]
        if len(copies) > 1:
            found[bone.name] = copies
    return found


def _shown(stage: Stage) -> dict[str, str]:
    """Of these bones those that copy another one wholly, with that."""
    whole = {
        bone: [target for target, influence in copies if influence >= 1.0 - 1e-6]
        for bone, copies in _copies(stage).items()
    }
    return {bone: targets[-1] for bone, targets in whole.items() if targets}


class _Holding:
    """One frame: controls are posed, those first that carry most, until what is shown is as it was.

    here: where all bones were. limbs: for each bone that copies another one as a switch has it, that one now,
    and the bone whose former place it shall have: its own, or that of the other if it copied it before.
    """

    def __init__(
        self, stage: Stage, here: Mapping[str, Array], shown: Mapping[str, str], keyed: set[str], size: float
    ) -> None:
        self.stage, self.here, self.size = stage, here, size
        self.following = following.read(stage.evaluated)
        self.chains = _chains(stage.evaluated)
        self.ends: dict[str, _End] = {}
        self.turned: dict[str, _End] = {}
        limbs = _shown(stage)
        # an end that shows the same as before may be out of its reach: that other's place counts
        self.limbs = {r: _End(s, s if shown.get(r) == s else r) for r, s in limbs.items()}
        for result, end in self.limbs.items():
            if end.shown in self.chains:
                self.turned[end.shown] = end
            elif (control := self._control_of(result, end.shown, keyed)) is not None:
                self.ends[control] = end
        moved = {
            bone.name
            for bone in stage.armature.pose.bones
            if bone.custom_shape is not None
            and not any(c.influence > 0.0 and not c.mute for c in bone.constraints)
            and not self._is_right(bone.name)
        }
        bases = self._bases()
        self.own = {*self.ends, *bases, *self.chains}
        wanted = keyed | moved | set(self.ends) | set(bases)
        self.controls = sorted(
            (name for name in wanted if name in here), key=lambda name: (-self.following.count(name), name)
        )

    def _is_control(self, name: str) -> bool:
        return self.stage.armature.pose.bones[name].custom_shape is not None

    def _bases(self) -> list[str]:
        """What turns limbs: their poles' controls, and the bones in their chains that are controls."""
        found = []
        for shown in self.turned:
            chain = self.chains[shown]
            if chain.pole:
                found.append(self._nearest(chain.pole))
            elif self._is_control(shown):
                found.append(shown)
        return [name for name in found if name is not None]

    def _nearest(self, name: str) -> str | None:
        """The control that a bone is, or hangs from."""
        bone = self.stage.armature.pose.bones[name]
        while bone is not None and bone.custom_shape is None:
            bone = bone.parent
        return None if bone is None else str(bone.name)

    def _control_of(self, result: str, shown: str, keyed: set[str]) -> str | None:
        """The control of a limb's end: the one that carries most besides those that carry the whole limb."""
        parent = self.stage.armature.pose.bones[result].parent
        while parent is not None and parent.name in self.limbs:
            parent = parent.parent
        own = [
            name
            for name in self.here
            if (self._is_control(name) or name in keyed)
            and self.following.follows(shown, name)
            and (parent is None or not self.following.follows(parent.name, name))
        ]
        if shown in own:
            return shown
        return max(own, key=self.following.count, default=None)

    def hold(self) -> None:
        """Pose the controls, again where one has moved what another had put right."""
        for _ in range(ROUNDS):
            if not self._round():
                return

    def _round(self) -> bool:
        """Pose what carries limbs, the limbs, then what is not as it was yet; says whether any had to be."""
        before = self.stage.posed
        carrying = [
            name
            for name in self.controls
            if name not in self.own
            and any(self.following.follows(own, name) for own in self.own)
            and not self._is_carried(name)
        ]
        self._stay(carrying)
        for name in self.controls:
            end = self.ends.get(name)
            if end is not None and not self._is_right(*end):
                moved = self.here[end.wanted] @ np.linalg.pinv(self.stage.matrix(end.shown))
                self.stage.put(name, moved @ self.stage.matrix(name))
        for name, end in self.turned.items():
            if name in self.controls and not self._is_right(*end):
                self.stage.put(name, self.here[end.wanted])
        for chain, joint, end in self._joints():
            self._turn(chain, joint, end)
        self._stay(
            name
            for name in self.controls
            if name not in self.own
            and name not in carrying
            and (not self._is_carried(name) or self._shows_more(name))
        )
        return self.stage.posed > before

    def _is_carried(self, name: str) -> bool:
        """Whether a control goes where one of a limb goes."""
        return any(self.following.follows(name, own) for own in self.own)

    def _shows_more(self, name: str) -> bool:
        """Whether a control that a limb carries, such as of toes, moves what is seen besides the limb."""
        limb = {*self.limbs, *(end.shown for end in self.limbs.values())}
        along = self.following.with_(name)
        bones = self.stage.armature.data.bones
        return limb.isdisjoint(along) and any(bones[bone].use_deform for bone in along)

    def _stay(self, names: Iterable[str]) -> None:
        for name in names:
            if not self._is_right(name):
                # behind constraints of its own, such as Child Of, it goes from where these have taken it
                back = self.stage.keyed(name) @ np.linalg.pinv(self.stage.matrix(name))
                self.stage.put(name, back @ self.here[name])

    def _is_right(self, name: str, wanted: str = "") -> bool:
        return self._close(self.stage.matrix(name), self.here[wanted or name])

    def _joints(self) -> list[tuple[_Chain, str, _End]]:
        """The joints in the middle of limbs: the chain, the bone that begins there, and where it was."""
        return [
            (self.chains[name], name, end)
            for name, end in self.turned.items()
            if self._parent_of(name) in self.chains
        ]

    def _parent_of(self, name: str) -> str:
        parent = self.stage.armature.pose.bones[name].parent
        return "" if parent is None else str(parent.name)

    def _turn(self, chain: _Chain, joint: str, end: _End) -> None:
        """Turn a limb about the line from its beginning to its end, until its joint is where it was."""
        base = self._parent_of(joint)
        pole = self._nearest(chain.pole) if chain.pole else None
        control = pole or (base if base in self.controls else None)
        if control is None or not chain.target:
            return
        wanted = self.here[end.wanted][:3, 3]
        off = float(np.linalg.norm(self.stage.matrix(joint)[:3, 3] - wanted))
        for _ in range(TURNS):
            if off <= 0.5 * STAYS * self.size:
                return
            begin, middle, tip = (self.stage.matrix(bone)[:3, 3] for bone in (base, joint, chain.target))
            turn = _about(begin, tip, middle, wanted)
            if turn is None:
                return
            before = self.stage.own(control)
            self.stage.put(control, turn @ self.stage.keyed(control))
            now = float(np.linalg.norm(self.stage.matrix(joint)[:3, 3] - wanted))
            if now >= off:
                # what is left lies along the line, as where a limb stretches
                self.stage.pose(control, before)
                return
            off = now

    def _close(self, one: Array, other: Array) -> bool:
        apart = np.abs(one - other)
        return bool(apart[:3, :3].max() <= STAYS and apart[:3, 3].max() <= STAYS * self.size)

    def lost(self) -> set[str]:
        """Controls, and limbs, that are not as they were."""
        copied = {target for copies in _copies(self.stage).values() for target, _ in copies}
        limbs = {self.chains[name] for name in copied if name in self.chains}
        found = set()
        for name, wanted in [
            *((name, name) for name in self.controls if name not in self.own and not self._is_carried(name)),
            *(
                (name, name)
                for name in self.controls
                if name in self.chains and self.chains[name] not in limbs
            ),
            *self.limbs.values(),
        ]:
            if np.linalg.norm((self.stage.matrix(name) - self.here[wanted])[:3, 3]) > LOST * self.size:
                found.add(name)
        return found


class _End(NamedTuple):
    """What a bone of a limb copies, and the bone whose former place that shall have."""

    shown: str
    wanted: str


@dataclasses.dataclass(frozen=True)
class _Chain:
    """The bones of the same armature that an acting IK constraint reaches for, "" for none."""

    target: str
    pole: str


def _chains(evaluated: Any) -> dict[str, _Chain]:
    """For each bone that an acting IK constraint turns, what it reaches for."""
    found = {}
    for tip in evaluated.pose.bones:
        for constraint in tip.constraints:
            if constraint.type != "IK" or constraint.mute or constraint.influence == 0.0:
                continue
            bone, left = tip if constraint.use_tail else tip.parent, constraint.chain_count or -1
            while bone is not None and left:
                found[bone.name] = _Chain(
                    _own(evaluated, constraint.target, constraint.subtarget),
                    _own(evaluated, constraint.pole_target, constraint.pole_subtarget),
                )
                bone, left = bone.parent, left - 1
    return found


def _own(evaluated: Any, target: Any, bone: str) -> str:
    """A constraint's target where that is a bone of the armature itself, else ""."""
    is_own = target is not None and target.name == evaluated.name and bone in evaluated.pose.bones
    return bone if is_own else ""


def _about(begin: Array, end: Array, middle: Array, wanted: Array) -> Array | None:
    """The turn (4, 4) about the line through two points that takes one point to the side of another."""
    axis = end - begin
    length = float(np.linalg.norm(axis))
    if length < 1e-9:
        return None
    axis = axis / length
    here, there = ((point - begin) - ((point - begin) @ axis) * axis for point in (middle, wanted))
    if min(np.linalg.norm(here), np.linalg.norm(there)) < 1e-6 * length:
        return None
    angle = float(np.arctan2(np.cross(here, there) @ axis, here @ there))
    if abs(angle) < 1e-6:
        return None
    found = np.eye(4)
    found[:3, :3] = quaternion.to_matrix(quaternion.exp(angle * axis))
    found[:3, 3] = begin - found[:3, :3] @ begin
    return found
