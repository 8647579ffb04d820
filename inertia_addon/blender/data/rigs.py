# SPDX-License-Identifier: GPL-3.0-or-later
"""Armatures read once, as values: their bones, and who comes along when one of these is moved rigidly."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterator, Mapping
from typing import Any

import bpy
import numpy as np

from ...motion import quaternion
from ...motion.arrays import Array
from ...motion.skeleton.kinematics import Skeleton
from ...motion.skeleton.posing import Following, Frame, Holder, Rig, delta_channels, stand_at
from . import compat, played_size, rig, unkeyed
from .actions import Address


def read(armature: Any) -> Rig:
    """Return an armature object as it stands now, by value, as a Rig.

    ``bones`` (a Skeleton at rest), ``modes`` and ``paths`` are in Blender's order of bones; a path is such as
    ``pose.bones["Arm"].``. ``mode``, ``delta_scale`` (3,) and ``name`` are the object's. ``standing`` has the
    values that its channels show where a clip does not key them, by address: a channel that the action in use
    keys has the value noted before it played, else that at the action's first frame. ``frame`` says where its
    own channels act, with its parents as they are shown, or with ``holders``, the objects that carry it and
    may move, as they stand. ``hung`` (4, 4) is the same as seen from the object it hangs from.

    ``world`` (4, 4) is the frame's ``basis`` times the object's present ``matrix_basis``, deltas included.
    ``size`` is the diagonal of the box of its bones at rest in world units, as large as it plays in its
    clips. ``following`` says which bones come along with which. Constraints of the object other than a
    holder's Child Of are ignored. Raise InertiaError if ``world`` has a number that is not finite.
    """
    skeleton, standing, holders = bones(armature), unkeyed.of_object(armature), holders_of(armature)
    frame = _frame(armature, standing)
    if holders:
        # where those stand that carry it, whatever frame is shown
        frame = dataclasses.replace(frame, basis=_carried(armature, holders))
    world = rig.object_matrix(armature, frame)
    return Rig(
        skeleton,
        rig.rotation_modes(armature),
        tuple(rig.bone_path(name, "") for name in skeleton.names),
        rig.rotation_mode(armature, None),
        frame,
        np.array(armature.delta_scale, float),
        standing,
        armature.name,
        world,
        played_size.factor(armature) * rig.size(armature, world),
        read_following(armature),
        holders,
        rig.hung_by(armature),
    )


def _frame(obj: Any, standing: Mapping[Address, float]) -> Frame:
    """Return where an object's own channels act, as it stands now, but with its delta location and rotation
    from `standing`.

    standing: the values of the object's un-keyed channels by address, the deltas among them, else KeyError.
    The frame's ``basis`` is the parent's space in the world (4, 4), its ``turn`` a unit quaternion: for axis
    and angle the identity.
    """
    frame, mode = rig.object_frame(obj), rig.rotation_mode(obj, None)
    values = {at: standing[at] for at in delta_channels("", mode)}
    offset = [value for (path, _), value in values.items() if path == "delta_location"]
    turn = [value for (path, _), value in values.items() if path != "delta_location"]
    behind = quaternion.to_quaternion(np.array(turn), mode) if turn else frame.turn
    return dataclasses.replace(frame, offset=np.array(offset), turn=behind)


def holders_of(obj: Any) -> tuple[Holder, ...]:
    """Return the objects that carry an object and may move, the topmost first; () where none of them may.

    One may move if any has animation data, or an action of the file has a slot named after it; then all are
    returned. Those above an object that hangs from a part of another, such as a bone, are left out. Each
    :class:`Holder` has the prefix of its channels' addresses, its rotation mode, the frame in which its own
    channels act (the first one's from the world, the others' from the one before), its delta scale, and in
    ``standing`` its un-keyed values by address, prefix included.
    """
    carrying = rig.find_holders(obj)
    if not any(each.animation_data is not None for each in carrying):
        # an action may have a slot for one that has never played it
        named = {f"OB{each.name}" for each in carrying}
        slots = (slot.identifier for action in bpy.data.actions for slot in compat.slots(action))
        if not carrying or named.isdisjoint(slots):
            return ()
    holders: list[Holder] = []
    for each in reversed(carrying):
        prefix = rig.holder_prefix(each.name)
        standing = unkeyed.of_object(each)
        frame = _frame(each, standing)
        if holders:
            frame = dataclasses.replace(frame, basis=rig.hung_by(each))
        placed = {(prefix + path, index): value for (path, index), value in standing.items()}
        scale = np.array(each.delta_scale, float)
        holders.append(Holder(prefix, rig.rotation_mode(each, None), frame, scale, placed))
    return tuple(holders)


def _carried(obj: Any, holders: tuple[Holder, ...]) -> Array:
    """Return where its holders have taken what hangs from them (4, 4), as they stand."""
    return stand_at(holders, rig.hung_by(obj))


def bones(armature: Any) -> Skeleton:
    """Read the bones of an armature at rest, as :func:`read` has them."""
    data = armature.data.bones
    return Skeleton(
        tuple(data.keys()),
        rig.parents(armature),
        rig.matrices(data, "matrix_local"),
        frozenset(bone.name for bone in data if bone.use_connect),
        frozenset(bone.name for bone in data if not bone.use_local_location),
    )


def of_object(obj: Any) -> Rig:
    """Read an object that is no armature as a rig without bones. Raise InertiaError as :func:`read` does."""
    standing = unkeyed.of_object(obj)
    return Rig(
        Skeleton((), (), np.empty((0, 4, 4)), frozenset(), frozenset()),
        (),
        (),
        rig.rotation_mode(obj, None),
        _frame(obj, standing),
        np.array(obj.delta_scale, float),
        standing,
        obj.name,
        rig.object_matrix(obj),
    )


TRACKING = ("DAMPED_TRACK", "TRACK_TO", "LOCKED_TRACK", "STRETCH_TO")
"""Constraints that turn a bone towards where another is."""
UNMOVED = ("COPY_SCALE", "MAINTAIN_VOLUME", "LIMIT_DISTANCE")
"""Constraints that neither move nor turn, or only what has gone too far."""
CARRYING = ("COPY_TRANSFORMS", "COPY_LOCATION", "COPY_ROTATION", "ARMATURE", "CHILD_OF", "IK")
"""Constraints that take a bone to, or along with, where another is."""
LOCAL = ("LOCAL", "LOCAL_WITH_PARENT", "LOCAL_OWNER_ORIENT")
"""Spaces in which a target that is moved together with what it hangs from stays where it is."""


def read_following(armature: Any) -> Following:
    """Return which bones of an armature come along rigidly when which others are moved.

    armature: an object, original or evaluated; the constraints' influences count as they are now. A bone's
    place comes along when its parent comes along in place and turn, its turn with the parent's. Constraints
    on the same armature replace that (copies at full influence, and for a bone without a parent Child Of and
    Armature), or ask for the target's coming along, too; what is constrained to another object stays behind.
    """
    reading = _FollowReading(armature)
    both = (reading.carriers_of(name) for name in reading.index)
    return Following(tuple(reading.index), tuple(place & turn for place, turn in both))


class Links:
    """Of each bone what carries it: what it copies, or the target of its IK; else its parent. Read once."""

    def __init__(self, armature: Any) -> None:
        self.armature = armature
        self.bones = armature.pose.bones
        self.chains = ik_chains(armature)
        self.constrained_to = functools.cache(self._constrained_to)
        self.carrier = functools.cache(self._carrier)

    def _carrier(self, name: str) -> str:
        """Return the bone of the same armature that carries a bone most, "" for none."""
        parent = self.bones[name].parent
        return self.constrained_to(name) or (parent.name if parent is not None else "")

    def _constrained_to(self, name: str) -> str:
        """Return the bone of the same armature to which constraints take a bone, "" for none.

        First the bone's own constraints are looked through, the last one first, then the IK constraints that
        turn the bone, in the order of :func:`ik_chains`, by tips in Blender's order. The first hit counts: a
        constraint of a kind in CARRYING that acts, has an influence of 0.5 or more, and aims at such a bone
        (:meth:`_target`). Raise KeyError for a bone that does not exist.
        """
        for constraint in (*reversed(self.bones[name].constraints), *self.chains.get(name, ())):
            carries = constraint.type in CARRYING and acts(constraint) and constraint.influence >= 0.5
            if carries and (carrier := self._target(constraint)):
                return carrier
        return ""

    def _target(self, constraint: Any) -> str:
        """Return the bone of this armature that a constraint reads, of an Armature constraint the heaviest;
        "" for none.

        Targets on other objects, whole objects, and targets in a local space are none.
        """
        if getattr(constraint, "target_space", "") in LOCAL:
            return ""
        if constraint.type == "ARMATURE":
            heaviest = max(constraint.targets, key=lambda each: each.weight, default=None)
            target, bone = (heaviest.target, heaviest.subtarget) if heaviest else (None, "")
        else:
            target, bone = constraint.target, constraint.subtarget
        is_own = target is not None and target.name == self.armature.name and bone in self.bones
        return str(bone) if is_own else ""


class _FollowReading:
    """Each bone's carriers of its place and of its turn, found once, whatever depends on what."""

    def __init__(self, armature: Any) -> None:
        self.armature = armature
        self.bones = armature.pose.bones
        self.index = {name: i for i, name in enumerate(self.bones.keys())}
        self.all = (1 << len(self.index)) - 1
        self.carriers: dict[str, tuple[int, int]] = {}
        self.chains = ik_chains(armature)

    def carriers_of(self, name: str) -> tuple[int, int]:
        """Return (the bones that take a bone's place along, those that take its turn along) when they are
        moved rigidly.

        Both are integers whose bit i stands for bone i in the order of the armature's pose bones; the bone
        itself is in both. What takes both the place and the turn of the parent takes the place along; what
        takes the parent's turn takes the turn along, but for a bone that does not inherit rotation.
        Constraints that act then replace that or narrow it down, in order, by their present influences: a
        Copy Transforms at full influence gives the target's carriers, a tracking one keeps only those turns
        that also move the target, a target outside the armature takes all away. Targets in a local space
        count for nothing. IK narrows the turn of each bone of its chain to what moves its targets, the pole
        target included.

        In a circle, a bone that is still being found counts as taken along by all. The answer is kept in
        ``carriers``. Raise KeyError for a bone that does not exist.
        """
        if name not in self.carriers:
            self.carriers[name] = (self.all, self.all)  # a circle asks for nothing more
            bone, itself = self.bones[name], 1 << self.index[name]
            place, turn = self.carriers_of(bone.parent.name) if bone.parent is not None else (0, 0)
            place, turn = place & turn, turn if bone.bone.use_inherit_rotation else 0
            for constraint in bone.constraints:
                if constraint.type != "IK" and acts(constraint):
                    place, turn = self._through(bone, constraint, place, turn)
            for constraint in self.chains.get(name, ()):
                turn &= self._targets(constraint)[0]
            self.carriers[name] = (place | itself, turn | itself)
        return self.carriers[name]

    def _through(self, bone: Any, constraint: Any, index: int, turn: int) -> tuple[int, int]:
        kind = constraint.type
        if kind in UNMOVED or getattr(constraint, "target_space", "") in LOCAL:
            return index, turn
        to, turned = self._targets(constraint)
        whole = constraint.influence == 1.0
        if kind in TRACKING:
            return index, turn & to
        if kind == "COPY_TRANSFORMS" and whole and constraint.mix_mode == "REPLACE":
            return to, turned
        if kind in ("ARMATURE", "CHILD_OF") and whole and bone.parent is None:
            return to & turned, turned
        if kind == "CHILD_OF" and whole:
            # it goes on top of what the parent does: together they would move it twice
            alone = ~(index | turn)
            return to & turned & alone, turned & alone
        if kind == "COPY_LOCATION":
            if constraint.use_offset:
                # a sum of two places goes with neither of them
                return 0, turn
            replaced = whole and _all_axes(constraint)
            # a point along the target goes where its turn takes it
            to = to & turned if constraint.head_tail > 0.0 else to
            return (to if replaced else index & to), turn
        if kind == "COPY_ROTATION":
            replaced = whole and _all_axes(constraint) and constraint.mix_mode == "REPLACE"
            return index, (turned if replaced else turn & turned)
        return index & to, turn & turned

    def _targets(self, constraint: Any) -> tuple[int, int]:
        place = turn = self.all
        for target, bone in targets(constraint):
            is_own = target is not None and target.name == self.armature.name and bone in self.index
            of_target = self.carriers_of(bone) if is_own else (0, 0)
            place, turn = place & of_target[0], turn & of_target[1]
        return place, turn


def ik_chains(armature: Any) -> dict[str, list[Any]]:
    """Return the IK constraints that act, as a list by the name of each bone that they turn; bones that none
    turns are left out.
    """
    chains: dict[str, list[Any]] = {}
    for tip in armature.pose.bones:
        for constraint in tip.constraints:
            if constraint.type == "IK" and acts(constraint):
                for bone in turned_by(tip, constraint):
                    chains.setdefault(bone.name, []).append(constraint)
    return chains


def turned_by(tip: Any, constraint: Any) -> Iterator[Any]:
    """Yield the pose bones that an IK constraint turns, from its end towards the root of the chain.

    tip: the bone that has the constraint; with "use tail" it is the first, else its parent is, and nothing is
    yielded for a tip without one. There are ``chain_count`` bones, counted from that first one, or all up to
    the topmost where it is 0 or the chain is shorter.
    """
    bone, left = tip if constraint.use_tail else tip.parent, constraint.chain_count or -1
    while bone is not None and left:
        yield bone
        bone, left = bone.parent, left - 1


def acts(constraint: Any) -> bool:
    """Return whether a constraint is not muted, has an influence above 0, and has a target.

    An Armature constraint has one if one of its targets has a weight above 0, with or without an object. Any
    other must have an object as ``target``; a pole target alone is not enough. False for a kind of constraint
    without targets, such as Limit Location.
    """
    if constraint.type == "ARMATURE":
        has_target = any(True for _ in targets(constraint))
    else:
        has_target = getattr(constraint, "target", None) is not None
    return constraint.influence > 0.0 and not constraint.mute and has_target


def targets(constraint: Any) -> Iterator[tuple[Any, str]]:
    """Yield (object, bone name) for each target that a constraint reads, pole targets included; the object
    may be None.

    Of an Armature constraint these are the targets with weight. The bone is "" for a whole object. A
    constraint that can't have a target raises AttributeError.
    """
    if constraint.type == "ARMATURE":
        yield from ((each.target, each.subtarget) for each in constraint.targets if each.weight > 0.0)
        return
    yield constraint.target, constraint.subtarget
    if getattr(constraint, "pole_target", None) is not None:
        yield constraint.pole_target, constraint.pole_subtarget


def _all_axes(constraint: Any) -> bool:
    return bool(constraint.use_x and constraint.use_y and constraint.use_z)
