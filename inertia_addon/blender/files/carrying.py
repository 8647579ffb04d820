# SPDX-License-Identifier: GPL-3.0-or-later
"""Clips carried over: from one skeleton to another of the same bones, and from one frame rate to another.

A bone's axes, the pose at rest and the order of rotations may differ between two files of one skeleton.
What a bone's own channels describe, B, then reads ``before @ B @ after`` on its twin, with two transforms
that never change: so keys of locations and quaternions stay keys, and others are sampled.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ...errors import InertiaError
from ...motion import quaternion
from ...motion.arrays import Array
from ...motion.curves import keys as keylib
from ...motion.curves.keys import Keys, NotCuttable
from ...motion.curves.representation import continuous, followed, whole_frames
from ...motion.skeleton import twins
from ...records import record
from ..data import actions, compat, retiming, rig
from ..data.actions import Address, Clip
from ..data.channels import ClipChannels, transform
from ..transition.pieces import is_straight

SAME_PLACE = 5e-3
"""Skeletons are the same when no bone is further off, as its parent sees it, than this part of their size:
recordings of one person are fitted anew, and differ by nearly so much."""

TRANSFORM = ("location", "rotation", "scale")

NOTHING = 1e-6
"""Transforms that differ by less need no carrying over."""


@record(frozen=True)
class Carry:
    """How a bone's transform reads on its twin: before (4, 4), rigid, after (4,); and both rotation modes.

    lone: bones above it that its twin has not, from above, with their rotation modes; rests: how each of
    them, and then the bone, stands at rest, as the one above sees it (4, 4).
    """

    before: Array
    after: Array
    modes: tuple[str, str]
    lone: tuple[tuple[str, str], ...] = ()
    rests: tuple[Array, ...] = ()

    @property
    def turn(self) -> Array:
        """The rotation (4,) of ``before``."""
        return quaternion.from_matrix(self.before[:3, :3])

    @property
    def changes(self) -> bool:
        """Whether anything reads otherwise."""
        moved = np.abs(self.before - np.eye(4)).max() > NOTHING
        turned = np.abs(quaternion.log(self.after)).max() > NOTHING
        return bool(moved or turned or self.modes[0] != self.modes[1])


@record(frozen=True)
class Skeletons:
    """Two armatures and the bones that both have, all by the first one's names.

    called: what the other calls each. parents: the nearest shared ancestor of each in either, "" for none.
    between: bones that the other alone has between each and that ancestor, by its own names, from above.
    """

    first: Any
    other: Any
    called: Mapping[str, str]
    parents: tuple[Mapping[str, str], Mapping[str, str]]
    between: Mapping[str, tuple[str, ...]]

    @classmethod
    def of(cls, first: Any, other_armature: Any, names: Mapping[str, str]) -> Skeletons:
        """Return two armatures compared, all by the first one's names of the bones that both have, in its
        order.

        names: the first one's bones, by what the other calls them. ``called`` tells the other's name of each;
        ``parents`` is (in the first, in the other) the nearest ancestor of each that both have, "" for none;
        ``between`` has the bones that the other alone has between each and that ancestor, by its own names,
        from above.
        """
        called = {name: names_other for names_other, name in names.items()}
        called = {bone.name: called[bone.name] for bone in first.data.bones if bone.name in called}
        mine, theirs = (
            {bone.name: bone.parent.name if bone.parent else "" for bone in each.data.bones}
            for each in (first, other_armature)
        )
        own = {name: twins.nearest(name, mine, called)[0] for name in called}
        found = {name: twins.nearest(twin, theirs, names) for name, twin in called.items()}
        others = {name: names[above] if above else "" for name, (above, _) in found.items()}
        return cls(
            first,
            other_armature,
            called,
            (own, others),
            {name: tuple(lone) for name, (_, lone) in found.items()},
        )

    def other_parent(self) -> str | None:
        """Return the first bone that has another parent in either, None for none."""
        mine, theirs = self.parents
        return next((name for name in mine if mine[name] != theirs[name]), None)


def between(skeletons: Skeletons) -> tuple[dict[str, Carry], list[str]]:
    """Return how the bones of another armature read on the first one's, a :class:`Carry` by the first one's
    bone names, and the list of the names, the first one's, of bones that stand elsewhere. Both are in the
    first one's order, and only bones that both share are in them.

    In a Carry ``before`` (4, 4) and the quaternion ``after`` (w, x, y, z) are the transforms before and after
    a bone's own one by which that reads on its twin. ``before`` has a translation only for bones without a
    parent. ``modes`` are the rotation modes (the other's, the first one's). ``lone`` has the bones above it
    that the first armature lacks, as (the other's name, rotation mode), from above. ``rests`` has the rest
    matrices (4, 4) of these and then of the bone, each as the one above sees it; () without `lone`.

    Bones that both share must have the same parents, see :meth:`Skeletons.other_parent`; it is not checked,
    and the first one's are taken. A bone with a parent stands elsewhere if, at rest and seen from that, it is
    further from its twin's place than SAME_PLACE, 0.005, of the first armature's size in its own units, see
    :func:`rig.size`; such bones are in the dictionary, too.
    """
    first, other = skeletons.first, skeletons.other
    mine, theirs = (
        {bone.name: np.array(bone.matrix_local, float) for bone in armature.data.bones}
        for armature in (first, other)
    )
    folded = {
        name: _rests(theirs, other, (*lone, skeletons.called[name])) if lone else ()
        for name, lone in skeletons.between.items()
    }
    theirs = {name: theirs[called] for name, called in skeletons.called.items()}
    tolerance = SAME_PLACE * rig.size(first, np.eye(4))
    parents = dict(skeletons.parents[0])
    after = _find_axis_turns(mine, theirs, parents, tolerance)
    carries, strange = {}, []
    for name, parent in parents.items():
        turned = np.eye(4)
        turned[:3, :3] = after[parent].T if parent else np.eye(3)
        before = np.linalg.inv(_local(mine, name, parent)) @ turned @ _local(theirs, name, parent)
        if parent:
            if np.linalg.norm(before[:3, 3]) > tolerance:
                strange.append(name)
            before[:3, 3] = 0.0
        modes = rig.rotation_mode(other, skeletons.called[name]), rig.rotation_mode(first, name)
        lone = tuple((bone, rig.rotation_mode(other, bone)) for bone in skeletons.between[name])
        carries[name] = Carry(before, quaternion.from_matrix(after[name]), modes, lone, folded[name])
    return carries, strange


def _rests(theirs: dict[str, Array], other_armature: Any, bones: Sequence[str]) -> tuple[Array, ...]:
    """Return the rest matrices of bones in a row, each in the space of the one above it."""
    parents = [other_armature.data.bones[bone].parent for bone in bones]
    return tuple(
        _local(theirs, bone, parent.name if parent else "")
        for bone, parent in zip(bones, parents, strict=True)
    )


def _local(rest_pose: dict[str, Array], name: str, parent: str) -> Array:
    """Return a bone's rest matrix as its parent sees it."""
    return np.asarray(np.linalg.inv(rest_pose[parent]) @ rest_pose[name]) if parent else rest_pose[name]


def _find_axis_turns(
    mine: dict[str, Array], theirs: dict[str, Array], parents: dict[str, str], tolerance: float
) -> dict[str, Array]:
    """Return how the axes of each bone are turned, by name: rotations (3, 3) that make a vector along the
    first skeleton's axes of a bone one along the other's axes of its twin.

    mine, theirs: rest matrices (4, 4) in the armature's space. parents: of each bone, "" for none; only these
    bones are in the result. tolerance: how far heads may be off, as their parent's head sees them, in the
    armature's units. If all heads are within it, it is the difference of the axes themselves; else, for every
    bone, the turn by which its children's places fit best, and what these leave open is not turned.
    """
    away = [
        np.linalg.norm((mine[name] - mine[above] - theirs[name] + theirs[above])[:3, 3])
        for name, above in parents.items()
        if above
    ]
    if max(away, default=0.0) <= tolerance:
        return {name: theirs[name][:3, :3].T @ mine[name][:3, :3] for name in parents}
    turns = {}
    for name in parents:
        children = [child for child, parent in parents.items() if parent == name]
        children_of, twins = (
            np.array([_local(rest, child, name)[:3, 3] for child in children]).reshape(-1, 3)
            for rest in (mine, theirs)
        )
        # what the children leave open is not turned
        u, _, vt = np.linalg.svd(
            twins.T @ children_of + 1e-6 * max(np.sum(children_of * children_of), 1e-30) * np.eye(3)
        )
        turns[name] = u @ np.diag([1.0, 1.0, np.sign(np.linalg.det(u @ vt))]) @ vt
    return turns


def carry(
    action: Any,
    slot: str,
    carries: dict[str, Carry],
    on_twins: Mapping[Address, float],
    on_bones: Mapping[Address, float],
) -> None:
    """Rewrite, in place, the curves of a slot's bones so that their twins in another armature move the same.

    slot: its identifier. carries: by bone, of which those that change nothing are passed over. on_twins,
    on_bones: the values, by address, of channels that are not keyed and not at rest, on the twins and on the
    bones; channels that are not keyed get curves where the twin would show something else than the bone.
    Curves that can't be told by their keys are sampled. Raise InertiaError for keys that are not finite, and
    if the action lacks the slot.
    """
    used = _find_named_slot(action, slot)
    clip = dataclasses.replace(actions.read(action, used), unkeyed=on_bones)
    curves: dict[Address, Keys] = {}
    gone: set[Address] = set()
    for name in [bone for bone, how in carries.items() if how.changes]:
        for old, new in _carry_properties(clip, name, carries[name]):
            keyed = [address for address in old if address in clip.curves]
            if keyed or not all(_is_shown(on_twins, *curve) for curve in new.items()):
                gone |= set(keyed)
                curves |= new
    bag = compat.new_bag(action, used)
    # a group may go with the last of its curves
    groups = {rig.split_path(path)[0]: clip.curves[path, i].group for path, i in gone}
    for fcurve in list(bag.fcurves):
        if (fcurve.data_path, fcurve.array_index) in gone:
            bag.fcurves.remove(fcurve)
    for address, keys in curves.items():
        name = groups.get(rig.split_path(address[0])[0], "")
        group = (bag.groups.get(name) or bag.groups.new(name)) if name else None
        actions.write(bag, address, keys, group)


def _find_named_slot(action: Any, identifier: str) -> compat.Slot:
    """Return the slot of an action that has an identifier. Raise InertiaError where none has it."""
    slots = compat.slots(action)
    for slot in slots:
        if slot.identifier == identifier:
            return slot
    raise InertiaError(
        'Action "{action}" has no slot "{identifier}" for objects; it has {names}.',
        action=action.name,
        identifier=identifier,
        names=", ".join(slot.identifier for slot in slots) or "none",
    )


def fold(
    action: Any,
    slot: str,
    carries: dict[str, Carry],
    standing: Mapping[Address, float],
    names: Mapping[str, str],
) -> list[str]:
    """Let a slot animate the bones of another armature alone, in place; return the bones, sorted, whose
    motion is left out.

    slot: its identifier. carries: how bones read on their twins, by the other armature's names. standing: the
    values, by address with the action's own names, of channels that are not keyed and not at rest. names: the
    other armature's names, by the action's own. Bones are renamed, and curves of bones that the other
    armature lacks are removed; what these do above a bone that it has is added to that bone's motion. The
    list has the remaining ones of them, by the action's names, that are keyed and do not stay at rest. If all
    keyed bones are called alike in both nothing is done. Raise InertiaError for keys that are not finite, and
    if the action lacks the slot.
    """
    used = _find_named_slot(action, slot)
    bag = compat.new_bag(action, used)
    keyed = {rig.split_path(curve.data_path)[0] for curve in bag.fcurves} - {None}
    strangers = keyed - names.keys()
    if not strangers and all(name == own for name, own in names.items()):
        return []
    clip = dataclasses.replace(actions.read(action, used), unkeyed=standing)
    called = {own: name for name, own in names.items()}
    folded = {
        name: _folded(clip, called[name], how)
        for name, how in carries.items()
        if any(_is_moved(clip, bone) for bone, _ in how.lone)
    }
    lost = [bone for bone in sorted(filter(None, strangers)) if _is_moved(clip, bone)]
    taken = {bone for name in folded for bone, _ in carries[name].lone}
    for fcurve in list(bag.fcurves):
        bone, prop = rig.split_path(fcurve.data_path)
        is_moving = prop in ("location", "scale") or prop.startswith("rotation")
        if bone in strangers or (is_moving and names.get(bone or "") in folded):
            bag.fcurves.remove(fcurve)
    actions.rename_bones(bag, names)
    for name, curves in folded.items():
        group = bag.groups.get(name) or bag.groups.new(name)
        for (prop, index), keys in curves.items():
            actions.write(bag, (rig.bone_path(name, prop), index), keys, group)
    return [bone for bone in lost if bone not in taken]


def _is_moved(clip: Clip, bone: str) -> bool:
    """Tell whether a clip has a bone elsewhere than at rest."""
    values = {address: value for address, value in (clip.unkeyed or {}).items() if address not in clip.curves}
    standing = any(rig.split_path(path)[0] == bone for path, _ in values)
    return standing or any(
        np.abs(curve.keys.co[:, 1] - quaternion.default_of(rig.split_path(path)[1], index)).max()
        > 10.0 * NOTHING
        for (path, index), curve in clip.curves.items()
        if rig.split_path(path)[0] == bone
    )


def _folded(clip: Clip, bone: str, carry: Carry) -> dict[tuple[str, int], Keys]:
    """Return a bone's curves, by (property, index), with the motion of the bones above it that its twin has
    not.

    bone: its name in the clip. carry: with one lone bone at least, and the rests of all. The curves are
    location, scale, and rotation in the bone's own mode (the first of ``modes``), all straight between keys,
    relative to the product of the rests. Keys are on the frames of all keys involved, and on whole frames,
    too, where any of those curves bends; a channel without keys counts as one key at the clip's start.
    Rotations get more where they need them. Shear is left out. The clip is not changed.
    """
    chain = [*carry.lone, (bone, carry.modes[0])]
    parts = [
        [
            transform(clip, rig.bone_path(name, ""), prop, mode if prop == "rotation" else "")
            for prop in TRANSFORM
        ]
        for name, mode in chain
    ]
    keys = [curve for part in parts for channels in part for curve in _read_keys(channels)]
    frames = np.unique(np.concatenate([curve.co[:, 0] for curve in keys]).astype(float))
    if not is_straight(keys):
        frames = np.union1d(frames, whole_frames(frames[0], frames[-1]))
    back = np.linalg.inv(functools.reduce(np.matmul, carry.rests))

    def matrices(at: Array) -> Array:
        whole = np.broadcast_to(back, (len(at), 4, 4))
        for rest, (location, rotation, scale) in zip(carry.rests, parts, strict=True):
            own = np.broadcast_to(np.eye(4), (len(at), 4, 4)).copy()
            turned = quaternion.to_matrix(rotation.decode(rotation.raw(at)))
            own[:, :3, :3] = turned * scale.raw(at)[:, None, :]
            own[:, :3, 3] = location.raw(at)
            whole = whole @ rest @ own
        return whole

    mode = carry.modes[0]
    prop, count = quaternion.rotation_property(mode)
    first = parts[-1][1].raw(frames[:1])[0]

    def turns(at: Array) -> Array:
        turned = matrices(at)[:, :3, :3]
        lengths = np.linalg.norm(turned, axis=1, keepdims=True)
        turned = quaternion.from_matrix(turned / np.where(lengths > 0.0, lengths, 1.0))
        return continuous(turned, mode, first, np.ones(len(at)))

    whole = matrices(frames)
    curves: dict[tuple[str, int], Keys] = {}
    for name, raw in (("location", whole[:, :3, 3]), ("scale", np.linalg.norm(whole[:, :3, :3], axis=1))):
        curves |= {
            (name, i): each for i, each in enumerate(keylib.sampled_together(frames, raw, keylib.LINEAR))
        }
    frames, raw = followed(turns, frames, mode, keylib.LINEAR) if len(frames) > 1 else (frames, turns(frames))
    made = keylib.sampled_together(frames, raw, keylib.LINEAR)
    return {**curves, **{(prop, i): made[i] for i in range(count)}}


def _is_shown(standing: Mapping[Address, float], address: Address, keys: Keys) -> bool:
    """Tell whether a twin shows what keys say without them."""
    prop = rig.split_path(address[0])[1]
    shown = standing.get(address, quaternion.default_of(prop, address[1]))
    return bool(np.abs(keys.co[:, 1] - shown).max() <= 10.0 * NOTHING)


def _carry_properties(
    clip: Clip, bone: str, carry: Carry
) -> list[tuple[Sequence[Address], dict[Address, Keys]]]:
    """Return, for each property of a bone that reads otherwise on its twin, (old addresses, new curves by
    address).

    The order is location, scale, rotation. Location and scale come only where they change, with the same
    addresses before and after. Location reads ``before @ location``; scale is mixed by the squares of the
    matrix of ``after``, so that turns by right angles swap it exactly. Rotation always comes; its old
    addresses are those of the bone's mode, its new ones those of the twin's. Curves are mixed key by key
    where :func:`_mixed` can, rotation only from quaternions to quaternions, else sampled. Channels without
    keys count as constants. The clip is not changed.
    """
    prefix, curves = rig.bone_path(bone, ""), []
    axes = quaternion.to_matrix(carry.after)
    # a bone that stretches along its own axes does so along the nearest of its twin's
    for prop, matrix, shift in (
        ("location", carry.before[:3, :3], carry.before[:3, 3]),
        ("scale", np.square(axes).T, np.zeros(3)),
    ):
        channels = transform(clip, prefix, prop)
        if max(np.abs(matrix - np.eye(3)).max(), np.abs(shift).max()) > NOTHING:
            old = _read_keys(channels)
            new = _mixed(old, matrix, shift)
            if new is None:
                new = _sample_keys(channels, old, functools.partial(_transform_raw, matrix, shift))
            curves.append((channels.addresses, dict(zip(channels.addresses, new, strict=True))))
    return [*curves, _rotation(clip, prefix, carry)]


def _transform_raw(matrix: Array, shift: Array, raw: Array) -> Array:
    return np.asarray(raw @ matrix.T + shift)


def _rotation(clip: Clip, prefix: str, carry: Carry) -> tuple[Sequence[Address], dict[Address, Keys]]:
    old, new = (transform(clip, prefix, "rotation", mode) for mode in carry.modes)
    keys, curves = _read_keys(old), None
    if carry.modes == ("QUATERNION", "QUATERNION"):
        linear = quaternion.multiply(quaternion.multiply(carry.turn, np.eye(4)), carry.after).T
        curves = _mixed(keys, linear, np.zeros(4))
    if curves is None:
        prop, count = quaternion.rotation_property(new.mode)
        rest = np.array([quaternion.default_of(prop, i) for i in range(count)])

        def restated(raw: Array) -> Array:
            q = quaternion.multiply(quaternion.multiply(carry.turn, old.decode(raw)), carry.after)
            return continuous(q, new.mode, raw[0] if old.mode == new.mode else rest, np.ones(len(q)))

        curves = _sample_keys(old, keys, restated, new.mode)
    return old.addresses, dict(zip(new.addresses, curves, strict=True))


def _read_keys(channels: ClipChannels) -> list[Keys]:
    """Return the keys of channels, a constant where there are none."""
    curves, start = channels.clip.curves, channels.clip.start
    return [
        curves[address].keys if address in curves else keylib.constant(start, default)
        for address, default in zip(channels.addresses, channels.defaults, strict=True)
    ]


def _mixed(curves: list[Keys], matrix: Array, shift: Array) -> list[Keys] | None:
    """Return weighted sums of curves, one for each row of the matrix, key by key, plus the shifts.

    matrix: (n, curves); weights below 1e-6 count as 0. shift: (n,). None where keys can't tell a sum: curves
    that are not flat begin at different frames, or :func:`keylib.mixed` finds an easing that would have to be
    cut, linear extrapolation, or interpolations or handles that do not agree. A row whose only weight is 1 or
    -1 moves that curve, whatever it has.
    """
    starts = {float(keys.co[0, 0]) for keys in curves if not keylib.is_flat(keys)}
    if len(starts) > 1:
        return None
    # what is rounding would mix curves that need no mixing
    weights = np.where(np.abs(matrix) < NOTHING, 0.0, matrix)
    try:
        return [keylib.mixed(curves, row, float(more)) for row, more in zip(weights, shift, strict=True)]
    except NotCuttable:
        return None


def _sample_keys(
    channels: ClipChannels, curves: list[Keys], of: Callable[[Array], Array], mode: str = ""
) -> list[Keys]:
    """Return keys of what raw values become, on the frames of all given keys, and on whole frames too if
    curves bend.

    of: makes the new values (n, numbers) of raw ones (n, channels). mode: the rotation mode of the result, ""
    for what is no rotation; a rotation gets more keys where it needs them. Keys are straight if all curves
    are, else Bezier.
    """
    straight = is_straight(curves)
    frames = np.unique(np.concatenate([keys.co[:, 0] for keys in curves]).astype(float))
    if not straight:
        frames = np.union1d(frames, whole_frames(frames[0], frames[-1]))

    def sample(at: Array) -> Array:
        return of(channels.raw(at))

    code = keylib.LINEAR if straight else keylib.BEZIER
    raw = sample(frames)
    if mode and len(frames) > 1:
        frames, raw = followed(sample, frames, mode, code)
    return keylib.sampled_together(frames, raw, code)


def retime(action: Any, rate: float, scene_rate: float) -> None:
    """Move an action's keys in time, about frame 1 and in place, so that it plays as fast at the scene's rate
    as at its own: frame f becomes 1 + (f - 1) * scene_rate / rate, handles too, in all slots.

    rate: the action's own, and scene_rate: frames a second. Where they differ by more than 1e-4 of the
    scene's, both are noted, in this order, in the action's property :data:`retiming.RETIMED`, so that keys
    between frames are known to be meant. Rates that differ by a millionth or less change nothing.
    """
    if abs(rate - scene_rate) <= 1e-6 * scene_rate:
        return
    retiming.note(action, rate, scene_rate)
    for slot in compat.slots(action):
        for fcurve in compat.curves(action, slot.identifier):
            for name in ("co", "handle_left", "handle_right"):
                points = np.empty(2 * len(fcurve.keyframe_points), np.float32)
                fcurve.keyframe_points.foreach_get(name, points)
                points[::2] = 1.0 + (points[::2] - 1.0) * (scene_rate / rate)
                fcurve.keyframe_points.foreach_set(name, points)
