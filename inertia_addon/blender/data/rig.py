# SPDX-License-Identifier: GPL-3.0-or-later
"""What Inertia needs to know of a rig: its bones, where these stand in the world, and its channels."""

from __future__ import annotations

import functools
import re
from typing import Any

import bpy
import numpy as np

from ...errors import InertiaError
from ...motion import quaternion
from ...motion.arrays import Array
from ...motion.skeleton import bone_tree
from ...motion.skeleton.posing import Frame

_BONE = re.compile(r'^pose\.bones\["((?:[^"\\]|\\.)*)"\](?:\.(.*)|(\[.*))?$')


@functools.lru_cache(maxsize=2**14)
def split_path(path: str) -> tuple[str | None, str]:
    """A data path as (bone, property): the bone's name unescaped, None for the object itself."""
    match = _BONE.match(path)
    if match is None:
        return None, path
    return bpy.utils.unescape_identifier(match.group(1)), match.group(2) or match.group(3) or ""


def bone_path(bone: str, prop: str) -> str:
    """The data path of a pose bone's property."""
    return f'pose.bones["{bpy.utils.escape_identifier(bone)}"].{prop}'


def armatures() -> list[Any]:
    """The armature objects of the open file that have a pose, by name."""
    found = (thing for thing in bpy.data.objects if thing.type == "ARMATURE" and thing.pose is not None)
    return sorted(found, key=lambda thing: thing.name)


def check_armature(armature: Any) -> None:
    """Raise InertiaError unless this is an armature object that can be read now."""
    if armature is None:
        raise InertiaError("There is no armature; select one.")
    if armature.type != "ARMATURE":
        raise InertiaError('"{armature}" is not an armature; select one.', armature=armature.name)
    if armature.mode == "EDIT":
        raise InertiaError('"{armature}" is in Edit Mode; leave it first.', armature=armature.name)


def object_frame(armature: Any) -> Frame:
    """Where the object's own location and rotation act: its parent's space, behind its deltas."""
    parent = np.eye(4)
    if armature.parent is not None:
        parent = np.array(armature.matrix_parent_inverse, float)
        above = np.array(armature.parent.matrix_world, float)
        if armature.parent_type == "BONE" and armature.parent_bone in armature.parent.pose.bones:
            bone = armature.parent.pose.bones[armature.parent_bone]
            tip = np.eye(4)
            tip[1, 3] = bone.length
            above = above @ np.array(bone.matrix, float) @ tip
        parent = above @ parent
    if armature.rotation_mode == "QUATERNION":
        turn = quaternion.normalise(np.array(armature.delta_rotation_quaternion, float))
    elif armature.rotation_mode == "AXIS_ANGLE":
        turn = quaternion.IDENTITY
    else:
        turn = quaternion.from_euler(np.array(armature.delta_rotation_euler, float), armature.rotation_mode)
    return Frame(parent, np.array(armature.delta_location, float), turn)


def object_matrix(armature: Any) -> Array:
    """The object's world matrix without its constraints, from its present channel values.

    Raises InertiaError where these are no numbers.
    """
    matrix = object_frame(armature).basis @ np.array(armature.matrix_basis, float)
    if not np.isfinite(matrix).all():
        raise InertiaError(
            '"{armature}" stands at no finite place; correct its transforms.', armature=armature.name
        )
    return np.asarray(matrix)


def size(armature: Any, world: Array) -> float:
    """The character's size: the diagonal of the rest pose's bounding box, world units."""
    bones = armature.data.bones
    if not bones:
        return 1.0
    place = {bone.name: i for i, bone in enumerate(bones)}
    parents = [place[bone.parent.name] if bone.parent else -1 for bone in bones]
    heads, tails = (
        np.array([getattr(bone, end) for bone in bones], float) for end in ("head_local", "tail_local")
    )
    points = np.vstack([heads, bone_tree.plausible_ends(parents, heads, tails)]) @ world[:3, :3].T
    return float(np.linalg.norm(points.max(axis=0) - points.min(axis=0))) or 1.0


def rotation_mode(armature: Any, bone: str | None) -> str:
    """The rotation mode of a pose bone, or of the object (None)."""
    holder = armature if bone is None else armature.pose.bones[bone]
    return str(holder.rotation_mode)
