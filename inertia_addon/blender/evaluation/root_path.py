# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a clip takes the object and the root of a character in the world."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...motion import quaternion
from ...motion.skeleton import kinematics
from ..data import rig, unkeyed
from ..data.actions import Clip
from ..data.channels import values
from ..data.roots import Root

Array = NDArray[np.float64]


def object_matrix(armature: Any, clip: Clip, frame: float) -> Array:
    """The object's world matrix (4, 4) in a clip, un-keyed channels as they stand."""
    return object_matrices(armature, clip, np.array([frame]))[0]


def object_matrices(armature: Any, clip: Clip, frames: Array) -> Array:
    """The object's world matrices (n, 4, 4) in a clip at frames (n,), un-keyed channels as they stand."""
    place = rig.object_frame(armature)
    mode = armature.rotation_mode
    rotation, count = rig.rotation_property(mode)
    turn = quaternion.multiply(
        place.turn, rig.to_quaternion(_object_track(armature, clip, rotation, count, frames), mode)
    )
    scale = _object_track(armature, clip, "scale", 3, frames) * np.array(armature.delta_scale, float)
    location = _object_track(armature, clip, "location", 3, frames) + place.offset
    return np.asarray(place.basis @ kinematics.basis(location, turn, scale))


def _object_track(armature: Any, clip: Clip, prop: str, count: int, frames: Array) -> Array:
    """The raw values (n, count) of a transform property of the object."""
    addresses = [(prop, index) for index in range(count)]
    defaults = [0.0 if at in clip.curves else unkeyed.standing(armature, *at) for at in addresses]
    return values(clip, addresses, defaults, frames)


def root_matrix(armature: Any, root: Root, clip: Clip, frame: float) -> Array:
    """The root's world matrix (4, 4) in a clip, un-keyed bones above it as the clip has them."""
    return root_matrices(armature, root, clip, np.array([frame]))[0]


def root_matrices(armature: Any, root: Root, clip: Clip, frames: Array) -> Array:
    """The root's world matrices (n, 4, 4) in a clip at frames (n,), un-keyed bones as the clip has them."""
    world = object_matrices(armature, clip, frames)
    if root.is_object:
        return world
    return _bone_matrices(armature, clip, frames, root.name, above(armature, clip, frames, root.name, world))


def above(armature: Any, clip: Clip, frames: Array, bone: str, world: Array) -> Array:
    """Where a bone's parents have taken the armature's space (n, 4, 4), the object being at ``world``."""
    moved = world
    for parent in reversed(armature.data.bones[bone].parent_recursive):
        pose = _bone_matrices(armature, clip, frames, parent.name, moved)
        moved = pose @ np.linalg.inv(np.array(parent.matrix_local, float))
    return moved


def _bone_matrices(armature: Any, clip: Clip, frames: Array, bone: str, above: Array) -> Array:
    """A bone's world matrices (n, 4, 4) at a clip's frames (n,), its parents having taken it to ``above``."""
    prefix = rig.bone_path(bone, "")
    rotation = rig.rotation_track(clip, prefix, rig.rotation_mode(armature, bone), frames)
    turn = quaternion.IDENTITY if rotation is None else rotation
    addresses = [(prefix + "scale", i) for i in range(3)]
    scale = values(clip, addresses, [clip.default_of(at, "scale") for at in addresses], frames)
    location = rig.location_track(clip, prefix, frames)
    place = rig.bone_frame(armature, bone, above).basis
    if rig.has_local_location(armature, bone):
        return np.asarray(place @ kinematics.basis(location, turn, scale))
    matrix = place @ kinematics.basis(np.zeros_like(location), turn, scale)
    axes = location_frame(armature, bone, above)[..., :3, :3]
    matrix[..., :3, 3] += np.einsum("...ij,...j->...i", axes, location)
    return np.asarray(matrix)


def location_frame(armature: Any, bone: str, above: Array) -> Array:
    """Where the location of a bone acts (..., 4, 4) that is not measured along its own rest axes.

    It is measured from the bone's head along its parent's axes, as posed; without a parent along the
    armature's.
    """
    frame = above.copy()
    parent = armature.data.bones[bone].parent
    if parent is not None:
        frame[..., :3, :3] = above[..., :3, :3] @ np.array(parent.matrix_local, float)[:3, :3]
    head = np.array(armature.data.bones[bone].head_local, float)
    frame[..., :3, 3] = above[..., :3, :3] @ head + above[..., :3, 3]
    return frame
