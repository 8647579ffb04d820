# SPDX-License-Identifier: GPL-3.0-or-later
"""Armatures read once, as values that numpy alone can work with."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...motion import transforms
from ...motion.skeleton.kinematics import Skeleton
from ...motion.skeleton.posing import Rig
from . import rig, unkeyed


def read(armature: Any) -> Rig:
    """An armature as it stands."""
    bones = skeleton_of(armature)
    mode = rig.rotation_mode(armature, None)
    return Rig(
        bones,
        tuple(rig.rotation_mode(armature, name) for name in bones.names),
        tuple(rig.bone_path(name, "") for name in bones.names),
        mode,
        rig.object_frame(armature),
        np.array(armature.delta_scale, float),
        {
            (prop, index): unkeyed.standing(armature, prop, index)
            for prop, count in (("location", 3), transforms.rotation_property(mode), ("scale", 3))
            for index in range(count)
        },
    )


def skeleton_of(armature: Any) -> Skeleton:
    """The bones of an armature, in Blender's order, which has parents first."""
    bones = armature.data.bones
    index = {bone.name: i for i, bone in enumerate(bones)}
    parents = tuple(-1 if bone.parent is None else index[bone.parent.name] for bone in bones)
    rest = np.array([bone.matrix_local for bone in bones], float).reshape(-1, 4, 4)
    connected = frozenset(bone.name for bone in bones if bone.use_connect)
    unturned = frozenset(bone.name for bone in bones if not bone.use_local_location)
    return Skeleton(tuple(index), parents, rest, connected, unturned)
