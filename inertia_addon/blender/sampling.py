# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the joints of a plain rig are in a clip, by numpy."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..motion import skeleton
from ..motion.skeleton import Skeleton
from . import rig
from .actions import Clip
from .alignment import object_matrices
from .channels import values

Array = NDArray[np.float64]


def skeleton_of(armature: Any) -> Skeleton:
    """The bones of an armature, in Blender's order, which has parents first."""
    bones = armature.data.bones
    index = {bone.name: i for i, bone in enumerate(bones)}
    parents = tuple(-1 if bone.parent is None else index[bone.parent.name] for bone in bones)
    rest = np.array([bone.matrix_local for bone in bones], float).reshape(-1, 4, 4)
    return Skeleton(tuple(index), parents, rest)


def joint_positions(armature: Any, bones: Skeleton, clip: Clip, frames: Array) -> Array:
    """The world positions (frames, joints, 3) of all bones' heads in a clip.

    Valid for plain rigs: no constraints, drivers or unusual inheritance. The object's own
    transform is the clip's, frame by frame.
    """
    location = np.zeros((len(frames), len(bones.names), 3))
    rotation = np.zeros((len(frames), len(bones.names), 4))
    rotation[..., 0] = 1.0
    scale = np.ones_like(location)
    for i, name in enumerate(bones.names):
        prefix = rig.bone_path(name, "")
        if not armature.data.bones[name].use_connect:
            location[:, i] = rig.location_track(clip, prefix, frames)
        addresses = [(prefix + "scale", k) for k in range(3)]
        if any(address in clip.curves for address in addresses):
            scale[:, i] = values(clip, addresses, [1.0] * 3, frames)
        track = rig.rotation_track(clip, prefix, rig.rotation_mode(armature, name), frames)
        if track is not None:
            rotation[:, i] = track
    pose = bones.pose(skeleton.basis(location, rotation, scale))
    world = object_matrices(armature, clip, frames)
    heads = np.einsum("fij,fnj->fni", world, pose[..., :, 3])
    return np.asarray(heads[..., :3])
