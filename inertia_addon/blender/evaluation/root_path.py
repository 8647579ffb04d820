# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a clip takes the object and the root of a character in the world, of any rig that it alone moves."""

from __future__ import annotations

import numpy as np

from ...motion.arrays import Array
from ...motion.skeleton import kinematics
from ...motion.skeleton.posing import Rig
from ..data.actions import Clip
from ..data.channels import transform
from ..data.roots import Root


def object_matrices(rig: Rig, clip: Clip, frames: Array) -> Array:
    """The object's world matrices (n, 4, 4) in a clip at frames (n,), un-keyed channels as they stand."""
    own = (("location", ""), ("rotation", rig.mode), ("scale", ""))
    return rig.object_matrices(*(transform(clip, "", *one, rig.standing).raw(frames) for one in own))


def root_matrix(rig: Rig, root: Root, clip: Clip, frame: float) -> Array:
    """The root's world matrix (4, 4) in a clip, un-keyed bones above it as the clip has them."""
    return root_matrices(rig, root, clip, np.array([frame]))[0]


def root_matrices(rig: Rig, root: Root, clip: Clip, frames: Array) -> Array:
    """The root's world matrices (n, 4, 4) in a clip at frames (n,), un-keyed bones as the clip has them."""
    world = object_matrices(rig, clip, frames)
    if root.is_object:
        return world
    return _bone_matrices(rig, clip, frames, root.name, above(rig, clip, frames, root.name, world))


def above(rig: Rig, clip: Clip, frames: Array, bone: str, world: Array) -> Array:
    """Where a bone's parents have taken the armature's space (n, 4, 4), the object being at ``world``."""
    moved = world
    for parent in reversed(rig.bones.above(bone)):
        pose = _bone_matrices(rig, clip, frames, parent, moved)
        moved = pose @ np.linalg.inv(rig.bones.rest_of(parent))
    return moved


def _bone_matrices(rig: Rig, clip: Clip, frames: Array, bone: str, above: Array) -> Array:
    """A bone's world matrices (n, 4, 4) at a clip's frames (n,), its parents having taken it to ``above``."""
    index = rig.bones.names.index(bone)
    own = (("location", ""), ("rotation", rig.modes[index]), ("scale", ""))
    channels = (transform(clip, rig.paths[index], *one) for one in own)
    location, turn, scale = (one.shown(one.raw(frames)) for one in channels)
    place = above @ rig.bones.rest[index]
    if bone not in rig.bones.unturned:
        return np.asarray(place @ kinematics.basis(location, turn, scale))
    matrix = place @ kinematics.basis(np.zeros_like(location), turn, scale)
    axes = location_frame(rig, bone, above)[..., :3, :3]
    matrix[..., :3, 3] += np.einsum("...ij,...j->...i", axes, location)
    return np.asarray(matrix)


def location_frame(rig: Rig, bone: str, above: Array) -> Array:
    """Where a bone's location acts (..., 4, 4), its parents having taken the armature's space to ``above``.

    It is measured along the bone's own rest axes; else from its head along its parent's axes, as posed, or
    without a parent along the armature's.
    """
    rest = rig.bones.rest_of(bone)
    if bone not in rig.bones.unturned:
        return np.asarray(above @ rest)
    frame = above.copy()
    parents = rig.bones.above(bone)
    if parents:
        frame[..., :3, :3] = above[..., :3, :3] @ rig.bones.rest_of(parents[0])[:3, :3]
    frame[..., :3, 3] = above[..., :3, :3] @ rest[:3, 3] + above[..., :3, 3]
    return frame
