# SPDX-License-Identifier: GPL-3.0-or-later
"""Which way a character faces, by its rest pose, or by where it goes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...motion import quaternion
from ...motion.arrays import Array
from ...motion.root_motion import measure as root_motion
from ...motion.skeleton import character, naming
from ..data import rig
from ..data.roots import Root
from . import joints

LEVEL = 0.05
"""Feet that point less far ahead than this part of the character's size don't say where forward is."""


def rest_forward(armature: Any) -> Array:
    """Find where the rest pose faces, in the armature's space (3,): where its feet point.

    If these don't tell, it is from the hips to the head, as of a quadruped; else Blender's front.
    """
    index, sign = joints.up_axis(armature)
    up = np.zeros(3)
    up[index] = sign
    bones = armature.data.bones
    default = joints.default_joints(armature)
    feet = [bones[joint.bone] for joint in default if joint.role == naming.FOOT]
    ahead = sum((_reach(bone, up) for bone in feet), np.zeros(3))
    least = LEVEL * rig.size(armature, np.eye(4)) * max(len(feet), 1)
    if np.linalg.norm(ahead) < least:
        ends = {joint.role: bones[joint.bone] for joint in reversed(default)}
        if naming.HIPS in ends and naming.HEAD in ends:
            spine = np.array(ends[naming.HEAD].head_local) - np.array(ends[naming.HIPS].head_local)
            ahead = spine - (spine @ up) * up
    size = float(np.linalg.norm(ahead))
    if size < LEVEL * rig.size(armature, np.eye(4)):
        # the direction that is front in the world, or what is left of it in a rig that lies
        world = rig.object_matrix(armature)[:3, :3]
        ahead = np.linalg.pinv(world) @ root_motion.FRONT
        ahead = ahead - (ahead @ up) * up
        size = float(np.linalg.norm(ahead)) or 1.0
    return ahead / size


def _reach(foot: Any, up: Array) -> Array:
    """From a foot's joint to the furthest end of it, level."""
    head = np.array(foot.head_local, float)
    ends = [np.array(bone.tail_local, float) - head for bone in (foot, *foot.children_recursive)]
    level = [end - (end @ up) * up for end in ends]
    return max(level, key=lambda end: float(np.linalg.norm(end)))


def forward_of(armature: Any, root: Root, clips: Sequence[Array]) -> Array:
    """Return the axis of the root's own (3,) that points ahead.

    That is where it travels on average in all clips, else where the rest pose faces.

    clips: of each clip the root's matrices (n, 4, 4) in the world.
    """
    places, turns, last = [], [], np.zeros(3)
    for matrices in clips:
        # one behind the other, so that no step leads from one clip to the next
        way = matrices[:, :3, 3] - matrices[0, :3, 3] + last
        last = way[-1]
        places.append(way)
        turns.append(character.unmirrored(matrices))
    travelled = root_motion.forward_of_travel(np.concatenate(places), np.concatenate(turns))
    return rest_axis(armature, root) if travelled is None else travelled


def rest_axis(armature: Any, root: Root) -> Array:
    """Return the axis of the root's own (3,) that points where the rest pose faces."""
    ahead = rest_forward(armature)
    if root.is_object:
        return ahead
    rest = np.array(armature.data.bones[root.name].matrix_local, float)[:3, :3]
    return quaternion.rotate(quaternion.conjugate(quaternion.from_matrix(rest)), ahead)
