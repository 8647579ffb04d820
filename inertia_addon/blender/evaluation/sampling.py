# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the joints of a plain rig are in a clip, or in one that is only planned, by numpy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...motion import quaternion
from ...motion.curves import evaluation as curvelib
from ...motion.curves.keys import Keys
from ...motion.skeleton import kinematics
from ...motion.skeleton.kinematics import Moves, Skeleton
from ..data import actions, rig, unkeyed
from ..data.actions import Address, Clip, Curve

Array = NDArray[np.float64]
Tracks = Mapping[Address, NDArray[np.float32]]

BLOCK_FRAMES = 1024
"""Kinematics run over so many frames at once: what they touch fits into a processor's own memory."""


def skeleton_of(armature: Any) -> Skeleton:
    """The bones of an armature, in Blender's order, which has parents first."""
    bones = armature.data.bones
    index = {bone.name: i for i, bone in enumerate(bones)}
    parents = tuple(-1 if bone.parent is None else index[bone.parent.name] for bone in bones)
    rest = np.array([bone.matrix_local for bone in bones], float).reshape(-1, 4, 4)
    connected = frozenset(bone.name for bone in bones if bone.use_connect)
    unturned = frozenset(bone.name for bone in bones if not bone.use_local_location)
    return Skeleton(tuple(index), parents, rest, connected, unturned)


def joint_positions(armature: Any, bones: Skeleton, clip: Clip, frames: Array) -> Array:
    """The world positions (frames, joints, 3) of all bones' heads in a clip.

    Valid for plain rigs, see :func:`evaluation.why_not_plain`. The object's own transform is the
    clip's, frame by frame; for un-keyed channels see :mod:`unkeyed`.
    """
    return positions(armature, bones, clip_tracks(armature, bones, clip, frames), len(frames))


def clip_tracks(armature: Any, bones: Skeleton, clip: Clip, frames: Array) -> Tracks:
    """The values (frames,) in a clip of those channels that move a plain rig out of its rest pose."""
    clip = unkeyed.completed(armature, clip)
    return tracks(clip.curves, transforms(armature, bones), frames, clip.unkeyed or {})


def planned_positions(
    armature: Any, bones: Skeleton, curves: Mapping[Address, Curve | Keys], frames: Array
) -> Array:
    """As :func:`joint_positions`, in a result that is planned and not yet written, of its curves."""
    found = tracks(curves, transforms(armature, bones), frames, unkeyed.of(armature))
    return positions(armature, bones, found, len(frames))


def positions(armature: Any, bones: Skeleton, values: Tracks, count: int) -> Array:
    """The world positions (count, joints, 3) of all bones' heads from the values of channels."""
    found = np.empty((count, len(bones.names), 3))
    for span, heads, _ in poses(armature, bones, values, count):
        found[span] = heads
    return found


def poses(
    armature: Any, bones: Skeleton, values: Tracks, count: int, wanted: str = ""
) -> Iterator[tuple[slice, Array, Array]]:
    """Pose a plain rig, some frames at a time.

    wanted: the bone of which matrices are asked for; any other name stands for the object. Yields which of
    the ``count`` frames these are, positions of heads (n, joints, 3) and matrices (4, 4, n) in the world.
    """
    index = bones.names.index(wanted) if wanted in bones.names else -1
    modes = [rig.rotation_mode(armature, name) for name in bones.names]
    prefixes = [rig.bone_path(name, "") for name in bones.names]
    turning = [i == index or i in bones.parents for i in range(len(bones.names))]
    for start in range(0, count, BLOCK_FRAMES):
        span = slice(start, min(start + BLOCK_FRAMES, count))
        moves = [_moves(values, *bone, span) for bone in zip(prefixes, modes, turning, strict=True)]
        world = _object_matrices(armature, values, span)
        heads, axes = bones.follow(moves, world, index)
        matrices = world
        if axes is not None:
            matrices = world.copy()
            matrices[:3, :3], matrices[:3, 3] = axes, heads[index]
        yield span, heads.transpose(2, 0, 1), matrices


def tracks(
    curves: Mapping[Address, Curve | Keys],
    addresses: Iterable[Address],
    frames: Array,
    standing: Mapping[Address, float],
) -> Tracks:
    """The values (frames,) of those channels that have a curve, or stand away from rest.

    curves: read from an action, or keys that are no F-curve yet. standing: where those stand that have none.
    """
    found: dict[Address, NDArray[np.float32]] = {}
    plain: dict[Address, Keys] = {}
    for address in addresses:
        curve = curves.get(address)
        if isinstance(curve, Curve):
            if curve.obstacle:
                evaluate = curve.fcurve.evaluate
                found[address] = np.array([evaluate(frame) for frame in frames.tolist()], np.float32)
                continue
            curve = curve.keys
        if curve is not None:
            plain[address] = curve
        elif address in standing:
            found[address] = np.full(len(frames), standing[address], np.float32)
    found.update(zip(plain, curvelib.evaluate_together(list(plain.values()), frames), strict=True))
    return found


def transforms(armature: Any, bones: Skeleton) -> list[Address]:
    """The channels that move a plain rig: the transforms of the object and of its bones."""
    own = [("", rig.rotation_mode(armature, None))]
    own += [(rig.bone_path(name, ""), rig.rotation_mode(armature, name)) for name in bones.names]
    found = []
    for prefix, mode in own:
        for prop, count in (rig.rotation_property(mode), ("location", 3), ("scale", 3)):
            found += [(prefix + prop, index) for index in range(count)]
    return found


def _moves(values: Tracks, prefix: str, mode: str, turning: bool, span: slice) -> Moves:
    """What the channels of a bone describe. turning: whether anything follows its rotation and scale."""
    location = _rows(values, prefix + "location", "location", 3, span)
    if not turning:
        return Moves(location)
    prop, count = rig.rotation_property(mode)
    raw = _rows(values, prefix + prop, prop, count, span)
    rotation = None if raw is None else _quaternions(raw, mode)
    return Moves(location, rotation, _rows(values, prefix + "scale", "scale", 3, span))


def _rows(values: Tracks, path: str, prop: str, count: int, span: slice) -> Array | None:
    """The values (count, n) of a bone's property, at rest where un-keyed; None when all of it is."""
    rows = [values.get((path, index)) for index in range(count)]
    keyed = [row for row in rows if row is not None]
    if not keyed:
        return None
    result = np.empty((count, len(keyed[0][span])))
    for index, row in enumerate(rows):
        result[index] = actions.default_of(prop, index) if row is None else row[span]
    return result


def _quaternions(raw: Array, mode: str) -> Array:
    """Unit quaternions (4, n) of raw channel values (3 or 4, n)."""
    if mode == "QUATERNION":
        square = np.einsum("in,in->n", raw, raw)
        if square.min() > 1e-30:
            return raw / np.sqrt(square)
    return np.ascontiguousarray(rig.to_quaternion(raw.T, mode).T)


def _object_matrices(armature: Any, values: Tracks, span: slice) -> Array:
    """The object's world matrices (4, 4, n), un-keyed channels as they stand."""
    place = rig.object_frame(armature)
    mode = armature.rotation_mode
    size = span.stop - span.start

    def track(prop: str, count: int) -> Array:
        rows = [values.get((prop, i)) for i in range(count)]
        return np.stack(
            [
                np.full(size, unkeyed.standing(armature, prop, i)) if row is None else row[span].astype(float)
                for i, row in enumerate(rows)
            ],
            axis=-1,
        )

    turn = quaternion.multiply(place.turn, rig.to_quaternion(track(*rig.rotation_property(mode)), mode))
    scale = track("scale", 3) * np.array(armature.delta_scale, float)
    own = kinematics.basis(track("location", 3) + place.offset, turn, scale)
    return np.ascontiguousarray((place.basis @ own).transpose(1, 2, 0))
