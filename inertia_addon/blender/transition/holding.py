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

from ...errors import InertiaError
from ...motion import quaternion
from ...motion.arrays import Array, Floats
from ...records import record
from ..data import properties, rig, rigs, scene
from ..data.actions import Address, Clip
from ..data.channels import NONE, Channels, ClipChannels
from ..data.limb_list import Limb
from ..evaluation import limbs, playback
from ..evaluation.controls import Stage, staged
from ..evaluation.limbs import Chain
from . import one_side, reaching

ROUNDS = 3
"""So often, at most, all controls are looked at again."""
TURNS = 12
"""So often, at most, a limb is turned about the line between its ends, until its joint is right."""
STAYS = 1e-5
"""A bone stays when no number of its matrix changes by more; lengths as parts of the character's size."""
LOST = 1e-3
"""A control that is off by more than this part of the character's size is named."""
TURNED = 0.05
"""An axis of a bone that is off by more is seen to be turned."""
JUMPS = 0.02
"""A limb that IK would show off by more than this part of the character's size is refused: all see it."""


@record(frozen=True, eq=False)
class Held:
    """What holds the source's pose under the destination's switches.

    switches: addresses of values that jump at the cut. own: by bone, its transforms (3, 4, 4) in the frame
    before the cut, in that after it and at the cut, of controls that have to be restated. destination: the
    destination as FK alone tells it in the window, where it goes between FK and IK there; None elsewhere.
    lost: controls that don't stay all the same.
    """

    switches: frozenset[Address] = frozenset()
    own: Mapping[str, Array] = dataclasses.field(default_factory=dict)
    destination: Clip | None = None
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


@record(frozen=True)
class Restated(ClipChannels):
    """Channels of the source in the destination's terms.

    values: (3, channels), in the frames before, after and at the cut; quaternions for a rotation.
    """

    values: Array = dataclasses.field(default_factory=lambda: np.empty((3, 0)))

    def raw(self, frames: Array, known: Mapping[Address, Floats] = NONE) -> Array:
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
            steering = limbs.steering(armature)
        path = ch.destination.addresses[0][0]
        if "constraints[" in path or path in steering:
            found[ch.destination.addresses[0]] = float(there)
    return found


def steered(armature: Any, channels: Iterable[Channels], cut: float, frames: Array) -> dict[Address, Array]:
    """The values that decide over constraints and do not stay as the source has them, in the destination.

    frames: those of the destination that the window shows, for each of which there is a value.
    """
    found = {}
    steering = None
    for ch in channels:
        if ch.kind != "value":
            continue
        here, there = ch.source.raw(np.array([cut]))[0, 0], ch.destination.raw(frames)[:, 0]
        if np.all(there == here):
            continue
        steering = limbs.steering(armature) if steering is None else steering
        path = ch.destination.addresses[0][0]
        if "constraints[" in path or path in steering:
            found[ch.destination.addresses[0]] = there
    return found


@playback.together()
def held(
    armature: Any,
    clips: tuple[Clip, Clip],
    around: Array,
    window: Array,
    switching: Mapping[Address, float],
    over: Mapping[Address, Array],
    controls: Iterable[str],
) -> Held:
    """What holds the source's pose while values go over to the destination's.

    around: three frames of the source, see :attr:`Joining.around`. window: the frames of the destination
    that are shown while an offset decays, with one before and one behind. switching: see :func:`switches`.
    over: see :func:`steered`. controls: the bones whose transforms are keyed. Raises InertiaError where
    Blender would not play it.
    """
    if not switching and not over:
        return Held()
    source, destination = clips
    keyed = set(controls)
    with staged(armature, source) as stage:
        stage.show(float(around[2]))
        known = limbs.found(stage, keyed, [path for path, _ in (*switching, *over)])
        goes = {limb: over[limb.switch, 0] for limb in known if (limb.switch, 0) in over}
        jumping = {**switching, **{(limb.switch, 0): float(values[0]) for limb, values in goes.items()}}
        if not jumping:
            return Held()
        sides = {limb: {limb.side(value) for value in values} for limb, values in goes.items()}
        mixed = [limb for limb, shown in sides.items() if len(shown) > 1 or "" in shown]
        jumping |= {(limb.switch, 0): limb.fk_value for limb in mixed}
        values = {path: value for (path, _), value in jumping.items()}
        own, lost = _posed(stage, around, values, known, keyed)
    told = _told_by_fk(armature, destination, mixed, window, keyed) if mixed else None
    return Held(frozenset(jumping), own, told, tuple(sorted(lost)))


def _told_by_fk(armature: Any, clip: Clip, mixed: Iterable[Limb], window: Array, keyed: set[str]) -> Clip:
    """A clip in which FK alone shows some limbs in the frames of a window, see :mod:`one_side`."""
    posed = one_side.seen(clip, mixed, window)
    with staged(armature, clip) as stage:
        own, _ = _posed(stage, posed, {limb.switch: limb.fk_value for limb in mixed}, (), keyed)
        carried = rigs.read_following(stage.evaluated)
    controls = {control for limb in mixed for control in limb.fk}
    own = {name: own[name] for name in own if not controls.isdisjoint(carried.carriers_of(name))}
    modes = {name: rig.rotation_mode(armature, name) for name in own}
    return one_side.by_fk(clip, modes, mixed, window, posed, own)


def _posed(
    stage: Stage, frames: Array, values: Mapping[str, float], known: Iterable[Limb], keyed: set[str]
) -> tuple[dict[str, Array], set[str]]:
    """By control its transforms in some frames, as they keep the pose while properties have other values.

    Those that stay as they are are left out. With that come those that are lost.
    """
    armature = stage.armature
    size = rig.size(armature, np.eye(4))
    kinds: Any = {path: type(properties.read(armature, path)) for path in values}
    # choices and arrays jump, too, and are not held
    paths = {path: kinds[path](value) for path, value in values.items() if kinds[path] in (bool, int, float)}
    before: list[dict[str, Array]] = []
    after: list[dict[str, Array]] = []
    controls: list[set[str]] = []
    lost: set[str] = set()
    searched: set[str] = set()
    for frame in frames:
        stage.show(float(frame))
        here, shown = stage.matrices(), limbs.Reading(armature, stage.evaluated).shown
        with stage.switched(paths):
            reached = [limb for limb in known if limb.side(paths.get(limb.switch, np.inf)) == "IK"]
            before.append(stage.own_of_all())
            holding = _Holding(stage, here, shown, keyed, size, reached)
            holding.hold()
            if reached and (holding.lost() or holding.has_turned()):
                searched |= holding.search(before[-1])
                holding.check()
            lost |= holding.lost()
            after.append(stage.own_of_all())
            controls.append(set(holding.controls))
    # what had to be looked for in one frame is told in all
    restated = set.intersection(*controls) | searched if controls else set()
    each = {
        name: tuple(np.array([own[name] for own in all_]) for all_ in (after, before)) for name in restated
    }
    changed = {name: now for name, (now, then) in each.items() if np.abs(now - then).max() > STAYS * size}
    return changed, lost


class _Holding:
    """One frame: controls are posed, those first that carry most, until what is shown is as it was.

    here: where all bones were. limbs: for each bone that copies another one as a switch has it, that one now,
    and the bone whose former place it shall have: its own, or that of the other if it copied it before.
    """

    def __init__(
        self,
        stage: Stage,
        here: Mapping[str, Array],
        shown: Mapping[str, str],
        keyed: set[str],
        size: float,
        reached: Iterable[Limb],
    ) -> None:
        self.stage, self.here, self.size = stage, here, size
        self.rig = limbs.Reading(stage.armature, stage.evaluated, keyed)
        self.following, self.chains = self.rig.following, self.rig.chains
        self.ends: dict[str, _End] = {}
        self.turned: dict[str, _End] = {}
        # an end that shows the same as before may be out of its reach: that other's place counts
        self.limbs = {r: _End(s, s if shown.get(r) == s else r) for r, s in self.rig.shown.items()}
        for result, end in self.limbs.items():
            if end.shown in self.chains:
                self.turned[end.shown] = end
            elif control := self.rig.control_of(result, end.shown):
                self.ends[control] = end
        self.goals: dict[str, _Goal] = {}
        self.places: dict[str, Array] = {}
        self.reached = tuple(reached)
        self.searched: set[str] = set()
        for limb in self.reached:
            self._reach(limb)
        moved = {
            bone.name
            for bone in stage.armature.pose.bones
            if bone.custom_shape is not None
            and not any(c.influence > 0.0 and not c.mute for c in bone.constraints)
            and not self._is_right(bone.name)
        }
        bases = self._bases()
        self.own = {*self.ends, *bases, *self.chains, *self.goals}
        # what moves the beginning of a limb goes first, though not all of the limb comes along
        bones = stage.armature.data.bones
        self.begins = self.own | {bone.name for name in self.chains for bone in bones[name].parent_recursive}
        self.shaping = _shaping(stage.evaluated)
        wanted = keyed | moved | set(self.ends) | set(bases) | set(self.goals)
        self.controls = sorted(
            (name for name in wanted if name in here), key=lambda name: (-self.following.count(name), name)
        )

    def _reach(self, limb: Limb) -> None:
        """Have the goal of a limb that is turned by IK itself, and copies nothing, be where its end is."""
        chain = next((self.chains[name] for name in limb.shown if name in self.chains), None)
        if chain is None or any(name in self.limbs for name in limb.shown):
            return
        control = self.rig.leader(chain.target) or chain.target
        if not control:
            return
        tip = self.stage.armature.pose.bones[chain.tip]
        place = self.stage.matrix(chain.target)
        turned = [name for name in limb.shown if self.rig.turns_with(name, chain.target)]
        place[:3, :3] = self.here[turned[-1]][:3, :3] if turned else place[:3, :3]
        place[:3, 3] = self.here[chain.tip][:3, 3]
        if chain.use_tail:
            place[:3, 3] += tip.length * self.here[chain.tip][:3, 1]
        self.goals[control] = _Goal(chain.target, place)
        self.places[chain.target] = place[:3, 3]
        self.turned |= {name: _End(name, name) for name in limb.shown if name in self.chains}

    def _bases(self) -> list[str]:
        """What turns limbs: their poles' controls, and the bones in their chains that are controls."""
        found = []
        for shown in self.turned:
            chain = self.chains[shown]
            if chain.pole:
                found.append(self.rig.nearest(chain.pole))
            elif self.rig.is_control(shown):
                found.append(shown)
        return [name for name in found if name]

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
            and not self.begins.isdisjoint(self.following.with_(name))
            and not self._is_carried(name)
        ]
        self._stay(carrying)
        for name in self.controls:
            end = self.ends.get(name)
            if end is not None and not self._is_right(*end):
                moved = self.here[end.wanted] @ np.linalg.pinv(self.stage.matrix(end.shown))
                self._bring(name, moved @ self.stage.matrix(name))
        for name, goal in self.goals.items():
            if not self._close(self.stage.matrix(goal.target), goal.place):
                moved = goal.place @ np.linalg.pinv(self.stage.matrix(goal.target))
                self._bring(name, moved @ self.stage.matrix(name))
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
        return not self.own.isdisjoint(self.following.carriers_of(name))

    def _shows_more(self, name: str) -> bool:
        """Whether a control that a limb carries, such as of toes, moves what is seen besides the limb."""
        limb = {*self.limbs, *(end.shown for end in self.limbs.values())}
        along = self.following.with_(name)
        bones = self.stage.armature.data.bones
        return limb.isdisjoint(along) and any(
            bones[bone].use_deform or bone in self.shaping for bone in along
        )

    def _stay(self, names: Iterable[str]) -> None:
        for name in names:
            if not self._is_right(name):
                self._bring(name, self.here[name])

    def _bring(self, name: str, wanted: Array) -> None:
        """Pose a control; behind constraints of its own, such as Child Of, from where these have taken it."""
        back = self.stage.keyed(name) @ np.linalg.pinv(self.stage.matrix(name))
        self.stage.put(name, back @ wanted)

    def _is_right(self, name: str, wanted: str = "") -> bool:
        return self._close(self.stage.matrix(name), self.here[wanted or name])

    def _joints(self) -> list[tuple[Chain, str, _End]]:
        """The joints in the middle of limbs: the chain, the bone that begins there, and where it was."""
        return [
            (self.chains[name], name, end)
            for name, end in self.turned.items()
            if self._parent_of(name) in self.chains
        ]

    def _parent_of(self, name: str) -> str:
        parent = self.stage.armature.pose.bones[name].parent
        return "" if parent is None else str(parent.name)

    def _turn(self, chain: Chain, joint: str, end: _End) -> None:
        """Turn a limb about the line from its beginning to its end, until its joint is where it was."""
        base = self._parent_of(joint)
        pole = self.rig.nearest(chain.pole)
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
        """Controls, and limbs, that are not as they were, where that is seen."""
        if not any(self._is_off(bone.name) for bone in self.stage.armature.data.bones if bone.use_deform):
            return set()
        copied = {target for copy in self.rig.copies.values() for target in copy.of}
        reached = {self.chains[name] for name in copied if name in self.chains}
        found = set()
        for name, wanted in [
            *((name, name) for name in self.controls if name not in self.own and not self._is_carried(name)),
            *(
                (name, name)
                for name in self.controls
                if name in self.chains and self.chains[name] not in reached
            ),
            *self.limbs.values(),
        ]:
            if self._is_off(name, wanted):
                found.add(name)
        return found

    def has_turned(self) -> bool:
        """Whether a limb that IK turns itself shows a bone turned elsewhere, as where its end copies another
        bone than the one that is reached for."""
        apart = [
            np.abs(self.stage.matrix(name)[:3, :3] - self.here[name][:3, :3]).max()
            for limb in self.reached
            if not self.limbs.keys() & set(limb.shown)
            for name in limb.shown
        ]
        return max(apart, default=0.0) > TURNED

    def search(self, before: Mapping[str, Array]) -> set[str]:
        """Move what leads limbs that are still off, as Blender shows it, until they are where they were.

        before: by bone, its own transform before anything was held. Returns the controls that are moved.
        """
        bones = self.stage.armature.data.bones
        seen = {bone.name: self.here[bone.name] for bone in bones if bone.use_deform}
        shown = {name for limb in self.reached for name in limb.shown}
        off = [name for name in seen if name in shown or self._is_off(name)]
        named = sorted(self.rig.named.intersection(self.here))
        limb = {*self.chains, *shown}
        leading = [name for name in named if name not in limb]
        # joints bend the way that they do by FK
        self.stage.pose_all({name: before[name] for name in named if name in limb})
        # places first, as turns depend on them; last the limb itself, whose beginning turns its joints
        for turned in ((), leading, named):
            if turned is not named or self.lost():
                self.searched |= set(
                    reaching.reach(self.stage, seen, off, self.places, leading, turned, STAYS * self.size)
                )
        return self.searched

    def check(self) -> None:
        """Raise InertiaError where a limb would jump that IK takes over."""
        shown = [name for limb in self.reached for name in limb.shown]
        worst = max(shown, key=self._apart, default="")
        if worst and self._apart(worst) > JUMPS * self.size:
            raise InertiaError(
                'Where IK takes over at the cut, "{bone}" would jump by {way}, as no control brings it to '
                "where FK has it; cut where both clips show the limb by the same of the two, or key the "
                "switch alike.",
                bone=worst,
                way=scene.length_text(self._apart(worst) * scene.metres_per_unit()),
            )

    def _apart(self, name: str, wanted: str = "") -> float:
        return float(np.linalg.norm((self.stage.matrix(name) - self.here[wanted or name])[:3, 3]))

    def _is_off(self, name: str, wanted: str = "") -> bool:
        return self._apart(name, wanted) > LOST * self.size


class _End(NamedTuple):
    """What a bone of a limb copies, and the bone whose former place that shall have."""

    shown: str
    wanted: str


class _Goal(NamedTuple):
    """A bone that an IK constraint reaches for, and where it shall be (4, 4)."""

    target: str
    place: Array


def _shaping(evaluated: Any) -> set[str]:
    """The bones that constraints of deform bones read, such as what bends a limb between its joints."""
    return {
        bone
        for deform in evaluated.pose.bones
        if deform.bone.use_deform
        for constraint in deform.constraints
        if rigs.acts(constraint)
        for target, bone in rigs.targets(constraint)
        if target is not None and target.name == evaluated.name
    }


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
