# SPDX-License-Identifier: GPL-3.0-or-later
"""Which way a character faces, by its rest pose, or by where it goes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...motion import quaternion
from ...motion.arrays import Array
from ...motion.root_motion import measure as root_motion
from ...motion.skeleton import character_space, naming
from ..data import rig
from ..data.roots import Root
from . import joints
from .character import Character

LEVEL = 0.05
"""Feet that point less far ahead than this part of the character's size don't say where forward is."""


def rest_forward(character: Character) -> Array:
    """Return the level direction in which the rest pose faces, as a unit vector (3,) in the armature's space.

    Up is the axis of the armature, X, Y or Z in either sense, that is nearest to the world's up; level is
    across that. Forward is where the feet point (the sum of :func:`_reach`), if that is 0.05 of the
    character's size or more for each foot. Else it is the way from the hips to the head, as of a quadruped,
    with its rise taken away, if that is 0.05 of the size or more. Without either of these two joints the
    feet's sum, if that is so long, stands. Else it is the world's front, -Y, as the object stands, made
    level. Sizes are at rest, without the object's scale.

    Zero only in the last case, if nothing level is left. Raise InertiaError if the object stands at no finite
    place.
    """
    index, sign = joints.up_axis(character.armature)
    up = np.zeros(3)
    up[index] = sign
    bones = character.armature.data.bones
    default = joints.default_joints(character.armature)
    feet = [bones[joint.bone] for joint in default if joint.role == naming.FOOT]
    ahead = sum((_reach(bone, up) for bone in feet), np.zeros(3))
    least = LEVEL * rig.size(character.armature, np.eye(4)) * max(len(feet), 1)
    if np.linalg.norm(ahead) < least:
        ends = {joint.role: bones[joint.bone] for joint in reversed(default)}
        if naming.HIPS in ends and naming.HEAD in ends:
            spine = np.array(ends[naming.HEAD].head_local) - np.array(ends[naming.HIPS].head_local)
            ahead = spine - (spine @ up) * up
    size = float(np.linalg.norm(ahead))
    if size < LEVEL * rig.size(character.armature, np.eye(4)):
        # the direction that is front in the world, or what is left of it in a rig that lies
        world = rig.object_matrix(character.armature)[:3, :3]
        ahead = np.linalg.pinv(world) @ root_motion.FRONT
        ahead = ahead - (ahead @ up) * up
        size = float(np.linalg.norm(ahead)) or 1.0
    return ahead / size


def _reach(foot: Any, up: Array) -> Array:
    """Return the level vector (3,), in the armature's space, from a foot's head to the furthest tail of it or
    of the bones below.

    up: a unit vector (3,); what points along it is taken away.
    """
    head = np.array(foot.head_local, float)
    ends = [np.array(bone.tail_local, float) - head for bone in (foot, *foot.children_recursive)]
    level = [end - (end @ up) * up for end in ends]
    return max(level, key=lambda end: float(np.linalg.norm(end)))


def forward_of(character: Character, root: Root, clips: Sequence[Array]) -> Array:
    """Return the axis in the root's own space that points ahead: a unit vector (3,), or zero if nothing
    tells.

    clips: the root's world matrices (n, 4, 4) of each clip, at least one; mirrored ones are turned by their
    unmirrored axes.

    It is the mean direction of travel over the ground, as the root sees it, over all clips taken as one way,
    each from where the one before ends. Steps far shorter than most don't count. If there is no travel, or if
    the steps' sum is no more than a tenth of their length, it is where the rest pose faces, see
    :func:`rest_axis`.

    Only then, raise InertiaError for an armature at no finite place and KeyError for a bone that does not
    exist. Raise ValueError without clips.
    """
    places, turns, last = [], [], np.zeros(3)
    for matrices in clips:
        # one behind the other, so that no step leads from one clip to the next
        way = matrices[:, :3, 3] - matrices[0, :3, 3] + last
        last = way[-1]
        places.append(way)
        turns.append(character_space.unmirrored(matrices))
    travelled = root_motion.forward_of_travel(np.concatenate(places), np.concatenate(turns))
    return rest_axis(character, root) if travelled is None else travelled


def rest_axis(character: Character, root: Root) -> Array:
    """Return the axis in the root's own space (3,) that points where the rest pose faces: where its feet
    point, else from the hips to the head, else the world's front.

    For a root that is the object this is the armature's space. It is a unit vector, or zero if nothing tells.
    KeyError for a bone that does not exist; InertiaError for an armature at no finite place.
    """
    ahead = rest_forward(character)
    if root.is_object:
        return ahead
    rest = np.array(character.armature.data.bones[root.name].matrix_local, float)[:3, :3]
    return quaternion.rotate(quaternion.conjugate(quaternion.from_matrix(rest)), ahead)
