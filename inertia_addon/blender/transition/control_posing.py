# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses controls until bones are where they shall be, on rigs of which only Blender knows what moves what.

As far as constraints tell what follows what, a :class:`Keeper` poses those first that carry most. Where that
is not enough, :func:`reach` moves controls, and looks what comes along.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from ...errors import InertiaError
from ...motion import least_squares, quaternion
from ...motion.arrays import Array
from ..data import rigs, scene
from ..data.limb_list import SwitchedLimb
from ..evaluation import limbs
from ..evaluation.controls import Stage
from ..evaluation.limbs import IKChain

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
NUDGE = 0.01
"""Controls are moved by this part of the character's size, and so many radians, to see what comes along."""
STEP = 0.2
"""So far, in the same units, all of them together go in one round."""
MOVES = 0.02
"""Bones that go along by this part of a nudge are moved by a control."""
TURN = 0.1
"""A turn of so many radians counts as much as a way of the character's size in hundredths."""
MOST_STEPS = 40
"""So many steps, at most, are taken towards where bones shall be."""


class Keeper:
    """One frame: controls are posed, those first that carry most, until what is shown is as it was.

    places: by bone, where all were (4, 4). limbs: for each bone that copies another one as a switch has it,
    that one now, and the bone whose former place it shall have: its own, or that of the other if it copied it
    before.
    """

    def __init__(
        self,
        stage: Stage,
        places: Mapping[str, Array],
        limb_bones: Mapping[str, str],
        keyed: set[str],
        size: float,
        reached: Iterable[SwitchedLimb],
    ) -> None:
        self.stage, self.places, self.size = stage, places, size
        self.rig = limbs.BoneRelations(stage.armature, stage.evaluated, keyed)
        self.following, self.chains = self.rig.dependencies, self.rig.chains
        self.ends: dict[str, _End] = {}
        self.turned: dict[str, _End] = {}
        # an end that shows the same as before may be out of its reach: that other's place counts
        self.limbs = {
            r: _End(s, s if limb_bones.get(r) == s else r) for r, s in self.rig.copy_sources.items()
        }
        for result, end in self.limbs.items():
            if end.shown in self.chains:
                self.turned[end.shown] = end
            elif control := self.rig.control_of(result, end.shown):
                self.ends[control] = end
        self.goals: dict[str, _Goal] = {}
        self.heads: dict[str, Array] = {}
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
        self.leading = {*self.ends, *bases, *self.chains, *self.goals}
        self.carried = frozenset[str]().union(*map(self.following.with_, self.leading))
        # what moves the beginning of a limb goes first, though not all of the limb comes along
        bones = stage.armature.data.bones
        begins = self.leading | {bone.name for name in self.chains for bone in bones[name].parent_recursive}
        self.carrying = frozenset[str]().union(*map(self.following.carriers_of, begins))
        self.shaping = _find_shaping(stage.evaluated)
        wanted = keyed | moved | set(self.ends) | set(bases) | set(self.goals)
        self.controls = sorted(wanted & places.keys(), key=lambda name: (-self.following.count(name), name))

    def _reach(self, limb: SwitchedLimb) -> None:
        """Have the goal of a limb that is turned by IK itself, and copies nothing, be where its end is: note
        that in ``goals``, ``heads`` and ``turned``.
        """
        chained = [name for name in limb.shown if name in self.chains]
        if not chained or not self.limbs.keys().isdisjoint(limb.shown):
            return
        chain = self.chains[chained[0]]
        control = self.rig.leader(chain.target) or chain.target
        if not control:
            return
        tip = self.stage.armature.pose.bones[chain.tip]
        place = self.stage.matrix(chain.target)
        turned = [name for name in limb.shown if self.rig.turns_with(name, chain.target)]
        place[:3, :3] = self.places[turned[-1]][:3, :3] if turned else place[:3, :3]
        place[:3, 3] = self.places[chain.tip][:3, 3]
        if chain.use_tail:
            place[:3, 3] += tip.length * self.places[chain.tip][:3, 1]
        self.goals[control] = _Goal(chain.target, place)
        self.heads[chain.target] = place[:3, 3]
        self.turned |= {name: _End(name, name) for name in chained}

    def _bases(self) -> list[str]:
        """Return what turns limbs: their poles' controls, and the bones in their chains that are controls."""
        bases = []
        for shown in self.turned:
            if pole := self.chains[shown].pole:
                bases.append(self.rig.nearest(pole))
            elif self.rig.is_control(shown):
                bases.append(shown)
        return list(filter(None, bases))

    def keep(self) -> None:
        """Pose the controls, again where one has moved what another had put right."""
        for _ in range(ROUNDS):
            if not self._round():
                return

    def _round(self) -> bool:
        """Pose what carries limbs, the limbs, then what is not as it was yet; return whether any had to
        be.
        """
        before = self.stage.posed
        others = [name for name in self.controls if name not in self.leading]
        carrying = [name for name in others if name in self.carrying and name not in self.carried]
        self._stay(carrying)
        for name in self.controls:
            end = self.ends.get(name)
            if end is not None and not self._is_right(*end):
                moved = self.places[end.wanted] @ np.linalg.pinv(self.stage.matrix(end.shown))
                self._pose_control(name, moved @ self.stage.matrix(name))
        for name, goal in self.goals.items():
            if not self._close(self.stage.matrix(goal.target), goal.place):
                moved = goal.place @ np.linalg.pinv(self.stage.matrix(goal.target))
                self._pose_control(name, moved @ self.stage.matrix(name))
        for name, end in self.turned.items():
            if name in self.controls and not self._is_right(*end):
                self.stage.put(name, self.places[end.wanted])
        # the joints in the middle of limbs
        for name, end in self.turned.items():
            if self._parent_of(name) in self.chains:
                self._turn(self.chains[name], name, end)
        self._stay(
            name
            for name in others
            if name not in carrying and (name not in self.carried or self._shows_more(name))
        )
        return self.stage.posed > before

    def _shows_more(self, name: str) -> bool:
        """Tell whether a control that a limb carries, such as of toes, moves what is seen besides the
        limb.
        """
        limb = {*self.limbs, *(end.shown for end in self.limbs.values())}
        along = self.following.with_(name)
        bones = self.stage.armature.data.bones
        return limb.isdisjoint(along) and any(
            bones[bone].use_deform or bone in self.shaping for bone in along
        )

    def _stay(self, names: Iterable[str]) -> None:
        for name in names:
            if not self._is_right(name):
                self._pose_control(name, self.places[name])

    def _pose_control(self, name: str, wanted: Array) -> None:
        """Pose a control; behind constraints of its own, such as Child Of, from where these have taken it."""
        back = self.stage.keyed(name) @ np.linalg.pinv(self.stage.matrix(name))
        self.stage.put(name, back @ wanted)

    def _is_right(self, name: str, wanted: str = "") -> bool:
        return self._close(self.stage.matrix(name), self.places[wanted or name])

    def _parent_of(self, name: str) -> str:
        parent = self.stage.armature.pose.bones[name].parent
        return "" if parent is None else str(parent.name)

    def _turn(self, chain: IKChain, joint: str, end: _End) -> None:
        """Turn a limb about the line from its beginning to its end, by its pole's control or its upper
        bone's, until its joint is where it was, or comes no nearer; TURNS times at most.
        """
        base = self._parent_of(joint)
        pole = self.rig.nearest(chain.pole)
        control = pole or (base if base in self.controls else None)
        if control is None or not chain.target:
            return
        wanted = self.places[end.wanted][:3, 3]
        off = float(np.linalg.norm(self.stage.matrix(joint)[:3, 3] - wanted))
        for _ in range(TURNS):
            if off <= 0.5 * STAYS * self.size:
                return
            begin, middle, tip = (self.stage.matrix(bone)[:3, 3] for bone in (base, joint, chain.target))
            turn = _about(begin, tip, middle, wanted)
            if turn is None:
                return
            before = self.stage.basis(control)
            self.stage.put(control, turn @ self.stage.keyed(control))
            now = float(np.linalg.norm(self.stage.matrix(joint)[:3, 3] - wanted))
            if now >= off:
                # what is left lies along the line, as where a limb stretches
                self.stage.pose(control, before)
                return
            off = now

    def _close(self, point: Array, wanted: Array) -> bool:
        apart = np.abs(point - wanted)
        return bool(apart[:3, :3].max() <= STAYS and apart[:3, 3].max() <= STAYS * self.size)

    def lost(self) -> set[str]:
        """Return the names of the controls, and of limbs' bones, that are not as they were, if any bone that
        deforms is not; else an empty set.
        """
        if not any(self._is_off(bone.name) for bone in self.stage.armature.data.bones if bone.use_deform):
            return set()
        copied = {target for copy in self.rig.copies.values() for target in copy.of}
        reached = {self.chains[name] for name in copied if name in self.chains}
        alone = (
            name
            for name in self.controls
            if (name not in self.leading and name not in self.carried)
            or (name in self.chains and self.chains[name] not in reached)
        )
        ends = (*((name, name) for name in alone), *self.limbs.values())
        return {name for name, wanted in ends if self._is_off(name, wanted)}

    def has_turned(self) -> bool:
        """Tell whether a limb that IK turns by itself shows a bone turned elsewhere.

        That is so where its end copies another bone than the one that is reached for.
        """
        return any(
            np.abs(self.stage.matrix(name)[:3, :3] - self.places[name][:3, :3]).max() > TURNED
            for limb in self.reached
            if self.limbs.keys().isdisjoint(limb.shown)
            for name in limb.shown
        )

    def search(self, before: Mapping[str, Array]) -> set[str]:
        """Move what leads limbs that are still off, as Blender shows it, until they are where they were;
        return all controls that a search has moved.

        before: by bone, its own transform before anything was held.
        """
        bones = self.stage.armature.data.bones
        seen = {bone.name: self.places[bone.name] for bone in bones if bone.use_deform}
        shown = {name for limb in self.reached for name in limb.shown}
        off = [name for name in seen if name in shown or self._is_off(name)]
        named = sorted(self.rig.named.intersection(self.places))
        limb = {*self.chains, *shown}
        leading = [name for name in named if name not in limb]
        # joints bend the way that they do by FK
        self.stage.pose_all({name: before[name] for name in named if name in limb})
        # places first, as turns depend on them; last the limb itself, whose beginning turns its joints
        for turned in ((), leading, named):
            if turned is not named or self.lost():
                close = STAYS * self.size
                aims = BoneAims(self.stage, seen, tuple(off), self.heads, close)
                self.searched |= set(reach(aims, leading, turned))
        return self.searched

    def check(self) -> None:
        """Raise InertiaError where a limb that IK takes over would jump by more than JUMPS (0.02) of the
        character's size.
        """
        shown = [name for limb in self.reached for name in limb.shown]
        worst = max(shown, key=self._apart, default="")
        if worst and self._apart(worst) > JUMPS * self.size:
            raise InertiaError(
                'Where IK takes over at the cut, "{bone}" would jump by {way}, as no control brings it to '
                "where FK has it; cut where both clips use FK or both use IK, or key the switch to the same "
                "value in both.",
                bone=worst,
                way=scene.length_text(self._apart(worst) * scene.metres_per_unit()),
            )

    def _apart(self, name: str, wanted: str = "") -> float:
        return float(np.linalg.norm((self.stage.matrix(name) - self.places[wanted or name])[:3, 3]))

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


def _find_shaping(evaluated: Any) -> set[str]:
    """Return the bones that constraints of deform bones read, such as what bends a limb between its
    joints.
    """
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
    """Return the turn (4, 4) about the line through two points that takes a point (`middle`) to the side of
    another (`wanted`); None where it has no side, or is there already.
    """
    axis = end - begin
    length = float(np.linalg.norm(axis))
    if length < 1e-9:
        return None
    axis = axis / length
    arm, aim = ((point - begin) - ((point - begin) @ axis) * axis for point in (middle, wanted))
    if min(np.linalg.norm(arm), np.linalg.norm(aim)) < 1e-6 * length:
        return None
    angle = float(np.arctan2(np.cross(arm, aim) @ axis, arm @ aim))
    if abs(angle) < 1e-6:
        return None
    turn = np.eye(4)
    turn[:3, :3] = quaternion.to_matrix(quaternion.exp(angle * axis))
    turn[:3, 3] = begin - turn[:3, :3] @ begin
    return turn


def reach(aims: BoneAims, names: Collection[str], turned: Collection[str]) -> tuple[str, ...]:
    """Pose controls so that bones are where they shall be, as nearly as they can be; return those that may be
    moved, () for none.

    names, turned: controls whose location and whose rotation may change. Those that move other bones that are
    seen are left out.
    """
    stage = aims.stage
    axes = {
        name: [axis for axis in _free(stage, name) if name in (names if axis < 3 else turned)]
        for name in dict.fromkeys((*names, *turned))
    }
    moving = tuple(name for name, free in axes.items() if aims.is_led_by(name, free))
    before = {name: stage.basis(name) for name in moving}
    free = [(name, axis) for name in moving for axis in axes[name]]
    if not free:
        return ()

    def pose(x: Array) -> Array:
        moves: dict[str, Array] = {name: np.zeros(6) for name in moving}
        for (name, axis), value in zip(free, x.tolist(), strict=True):
            moves[name][axis] = value
        stage.pose_all({name: _move_transform(before[name], move, aims.size) for name, move in moves.items()})
        return aims.residual()

    pose(least_squares.solve(pose, np.zeros(len(free)), NUDGE, STEP, aims.close / aims.size, MOST_STEPS))
    return moving


class BoneAims:
    """Where bones shall be.

    wanted: by name, where all bones that are seen shall be (4, 4), in the armature's space; those that are
    not among ``bones`` are there already, and controls that would move them stay. goals: by bone that IK
    reaches for, where its head shall be (3,), which leads out of where a limb is stretched. close: lengths in
    the armature's units below which a bone is there. size: of the character, from where its bones are.
    """

    def __init__(
        self,
        stage: Stage,
        wanted: Mapping[str, Array],
        bones: tuple[str, ...],
        goals: Mapping[str, Array],
        close: float,
    ) -> None:
        self.stage, self.bones, self.goals, self.close = stage, bones, goals, close
        self.places = np.array([wanted[name] for name in bones]).reshape(-1, 4, 4)
        self.others = tuple(name for name in wanted if name not in bones)
        heads = np.array([place[:3, 3] for place in wanted.values()])
        self.size = max(float(np.linalg.norm(np.ptp(heads, axis=0))), close, 1e-9)

    def residual(self) -> Array:
        """Return how far bones are from their places (9 bones + 3 goals,).

        Places are in sizes of the character, and axes, of length 1, in parts of TURN.
        """
        off = self._places(self.bones) - self.places
        lengths = np.linalg.norm(self.places[:, :3, :3], axis=1, keepdims=True)
        # two axes tell the third
        turned = TURN * (off[:, :3, :3] / np.maximum(lengths, 1e-9))[..., :2]
        away = [(self.stage.matrix(name)[:3, 3] - place) / self.size for name, place in self.goals.items()]
        return np.concatenate([np.ravel(off[:, :3, 3] / self.size), np.ravel(turned), *away])

    def is_led_by(self, control: str, axes: Iterable[int]) -> bool:
        """Tell whether a control moves some of the bones by its axes, and nothing else that is seen.

        axes: 0 to 2 of its location, 3 to 5 of its rotation; each is tried by itself, and the control is
        posed as before in the end.
        """
        stage = self.stage
        own = stage.basis(control)
        bones, others = self._places(self.bones), self._places(self.others)
        led = False
        for axis in axes:
            move = np.zeros(6)
            move[axis] = NUDGE
            stage.pose(control, _move_transform(own, move, self.size))
            led = led or self._apart(bones, self.bones) > MOVES * NUDGE * self.size
            spoils = self._apart(others, self.others) > MOVES * NUDGE * self.size
            stage.pose(control, own)
            if spoils:
                return False
        return led

    def _places(self, names: Collection[str]) -> Array:
        return np.array([self.stage.matrix(name) for name in names]).reshape(-1, 4, 4)

    def _apart(self, places: Array, names: Collection[str]) -> float:
        off = self._places(names) - places
        turned = TURN * self.size * np.abs(off[:, :3, :3]).max(initial=0.0)
        return max(float(np.abs(off[:, :3, 3]).max(initial=0.0)), float(turned))


def _free(stage: Stage, control: str) -> list[int]:
    """Return the axes of a control's location, and 3 more those of its rotation, that are not locked."""
    bone = stage.armature.pose.bones[control]
    locks = (*bone.lock_location, *bone.lock_rotation)
    return [axis for axis, is_locked in enumerate(locks) if not is_locked]


def _move_transform(basis: Array, move: Array, size: float) -> Array:
    """Return a control's own transform (4, 4) after a move (6,): in sizes of the character, then radians."""
    moved = basis.copy()
    moved[:3, :3] = moved[:3, :3] @ quaternion.to_matrix(quaternion.exp(move[3:]))
    moved[:3, 3] += move[:3] * size
    return moved
