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

from ...motion import quaternion
from ...motion.arrays import Array
from ...motion.curves import keys as keylib
from ...motion.curves.keys import Keys, NotCuttable
from ...motion.curves.representation import continuous, followed, whole_frames
from ...records import record
from ..data import actions, compat, retiming, rig
from ..data.actions import Address, Clip
from ..data.channels import ClipChannels, transform
from ..transition.pieces import is_straight

SAME_PLACE = 5e-3
"""Skeletons are the same when no bone is further off, as its parent sees it, than this part of their size:
recordings of one person are fitted anew, and differ by nearly so much."""

NOTHING = 1e-6
"""Transforms that differ by less need no carrying over."""


@record(frozen=True)
class Carry:
    """How a bone's transform reads on its twin: before (4, 4), rigid, after (4,); and both rotation modes."""

    before: Array
    after: Array
    modes: tuple[str, str]

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


def between(first: Any, other: Any) -> tuple[dict[str, Carry], list[str]]:
    """Return how the bones of another armature read on the first one's, and those that really stand
    elsewhere.

    Both have the same bones and parents. Joints shall be where they are in the other armature.
    """
    mine, theirs = (
        {bone.name: np.array(bone.matrix_local, float) for bone in armature.data.bones}
        for armature in (first, other)
    )
    tolerance = SAME_PLACE * rig.size(first, np.eye(4))
    parents = {bone.name: bone.parent.name if bone.parent else "" for bone in first.data.bones}
    after = _turns(mine, theirs, parents, tolerance)
    carries, strange = {}, []
    for name, parent in parents.items():
        turned = np.eye(4)
        turned[:3, :3] = after[parent].T if parent else np.eye(3)
        before = np.linalg.inv(_local(mine, name, parent)) @ turned @ _local(theirs, name, parent)
        if parent:
            if np.linalg.norm(before[:3, 3]) > tolerance:
                strange.append(name)
            before[:3, 3] = 0.0
        modes = rig.rotation_mode(other, name), rig.rotation_mode(first, name)
        carries[name] = Carry(before, quaternion.from_matrix(after[name]), modes)
    return carries, strange


def _local(rest: dict[str, Array], name: str, parent: str) -> Array:
    """Return a bone's rest matrix as its parent sees it."""
    return np.asarray(np.linalg.inv(rest[parent]) @ rest[name]) if parent else rest[name]


def _turns(
    mine: dict[str, Array], theirs: dict[str, Array], parents: dict[str, str], tolerance: float
) -> dict[str, Array]:
    """Return how the axes of each bone are turned (3, 3): from the first skeleton's into the other's.

    In one pose at rest it is seen from the axes themselves; in two, by where the children are.
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
    """Rewrite the curves of a slot's bones for their twins.

    on_twins, on_bones: what channels show that are not keyed, on either, see :mod:`unkeyed`.
    """
    used = next(each for each in compat.slots(action) if each.identifier == slot)
    clip = dataclasses.replace(actions.read(action, used), unkeyed=on_bones)
    curves: dict[Address, Keys] = {}
    gone: set[Address] = set()
    for name in [bone for bone, how in carries.items() if how.changes]:
        for old, new in _carried(clip, name, carries[name]):
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


def _is_shown(standing: Mapping[Address, float], address: Address, keys: Keys) -> bool:
    """Tell whether a twin shows what keys say without them."""
    prop = rig.split_path(address[0])[1]
    shown = standing.get(address, quaternion.default_of(prop, address[1]))
    return bool(np.abs(keys.co[:, 1] - shown).max() <= 10.0 * NOTHING)


def _carried(clip: Clip, bone: str, how: Carry) -> list[tuple[Sequence[Address], dict[Address, Keys]]]:
    """For each property of a bone that reads otherwise: its old addresses, and its new curves."""
    prefix, curves = rig.bone_path(bone, ""), []
    axes = quaternion.to_matrix(how.after)
    # a bone that stretches along its own axes does so along the nearest of its twin's
    for prop, matrix, shift in (
        ("location", how.before[:3, :3], how.before[:3, 3]),
        ("scale", np.square(axes).T, np.zeros(3)),
    ):
        channels = transform(clip, prefix, prop)
        if max(np.abs(matrix - np.eye(3)).max(), np.abs(shift).max()) > NOTHING:
            old = _keys(channels)
            new = _mixed(old, matrix, shift)
            if new is None:
                new = _sampled(channels, old, functools.partial(_moved, matrix, shift))
            curves.append((channels.addresses, dict(zip(channels.addresses, new, strict=True))))
    return [*curves, _rotation(clip, prefix, how)]


def _moved(matrix: Array, shift: Array, raw: Array) -> Array:
    return np.asarray(raw @ matrix.T + shift)


def _rotation(clip: Clip, prefix: str, how: Carry) -> tuple[Sequence[Address], dict[Address, Keys]]:
    old, new = (transform(clip, prefix, "rotation", mode) for mode in how.modes)
    keys, curves = _keys(old), None
    if how.modes == ("QUATERNION", "QUATERNION"):
        linear = quaternion.multiply(quaternion.multiply(how.turn, np.eye(4)), how.after).T
        curves = _mixed(keys, linear, np.zeros(4))
    if curves is None:
        prop, count = quaternion.rotation_property(new.mode)
        rest = np.array([quaternion.default_of(prop, i) for i in range(count)])

        def restated(raw: Array) -> Array:
            q = quaternion.multiply(quaternion.multiply(how.turn, old.shown(raw)), how.after)
            return continuous(q, new.mode, raw[0] if old.mode == new.mode else rest, np.ones(len(q)))

        curves = _sampled(old, keys, restated, new.mode)
    return old.addresses, dict(zip(new.addresses, curves, strict=True))


def _keys(channels: ClipChannels) -> list[Keys]:
    """Return the keys of channels, a constant where there are none."""
    curves, start = channels.clip.curves, channels.clip.start
    return [
        curves[address].keys if address in curves else keylib.constant(start, default)
        for address, default in zip(channels.addresses, channels.defaults, strict=True)
    ]


def _mixed(curves: list[Keys], matrix: Array, shift: Array) -> list[Keys] | None:
    """Return sums of curves, key by key; None where keys can't tell them."""
    starts = {float(keys.co[0, 0]) for keys in curves if not keylib.is_flat(keys)}
    if len(starts) > 1:
        return None
    # what is rounding would mix curves that need no mixing
    weights = np.where(np.abs(matrix) < NOTHING, 0.0, matrix)
    try:
        return [keylib.mixed(curves, row, float(more)) for row, more in zip(weights, shift, strict=True)]
    except NotCuttable:
        return None


def _sampled(
    channels: ClipChannels, curves: list[Keys], of: Callable[[Array], Array], mode: str = ""
) -> list[Keys]:
    """Keys of what raw values become, where the channels have theirs; on whole frames, too, if they bend.

    mode: the rotation mode of the result, "" for what is no rotation.
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
    """Let an action whose frames, from 1 on, were of one rate play as fast at another."""
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
