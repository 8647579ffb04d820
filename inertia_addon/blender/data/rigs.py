# SPDX-License-Identifier: GPL-3.0-or-later
"""Armatures read once, as values that numpy alone can work with."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...motion.skeleton.kinematics import Skeleton
from ...motion.skeleton.posing import Rig
from . import following, rig, unkeyed


def read(armature: Any) -> Rig:
    """An armature as it stands, its bones in Blender's order, which has parents first.

    Raises InertiaError where it stands at no finite place.
    """
    own = bones(armature)
    world = rig.object_matrix(armature)
    return Rig(
        own,
        rig.rotation_modes(armature),
        tuple(rig.bone_path(name, "") for name in own.names),
        rig.rotation_mode(armature, None),
        rig.object_frame(armature),
        np.array(armature.delta_scale, float),
        unkeyed.of_object(armature),
        armature.name,
        world,
        rig.size(armature, world),
        following.read(armature),
    )


def bones(armature: Any) -> Skeleton:
    """The bones of an armature at rest, as :func:`read` has them."""
    own = armature.data.bones
    index = {name: i for i, name in enumerate(own.keys())}
    return Skeleton(
        tuple(index),
        tuple(-1 if bone.parent is None else index[bone.parent.name] for bone in own),
        rig.matrices(own, "matrix_local"),
        frozenset(bone.name for bone in own if bone.use_connect),
        frozenset(bone.name for bone in own if not bone.use_local_location),
    )


def of_object(thing: Any) -> Rig:
    """An object that is no armature, as a rig without bones. Raises InertiaError as :func:`read` does."""
    return Rig(
        Skeleton((), (), np.empty((0, 4, 4)), frozenset(), frozenset()),
        (),
        (),
        rig.rotation_mode(thing, None),
        rig.object_frame(thing),
        np.array(thing.delta_scale, float),
        unkeyed.of_object(thing),
        thing.name,
        rig.object_matrix(thing),
    )
