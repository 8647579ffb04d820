# SPDX-License-Identifier: GPL-3.0-or-later
"""The root motion of an armature's actions: which root, which way is forward, and what to measure."""

from __future__ import annotations

import dataclasses
from collections.abc import Generator
from typing import Any

import numpy as np

from ...errors import InertiaError
from ...motion import quaternion
from ...motion.arrays import Array
from ...motion.root_motion import measure as root_motion
from ...motion.root_motion.measure import Measured, RootMotion
from ...motion.skeleton import naming
from ...records import record
from ...settings.root_motion import Settings
from ..data import rig, rigs, roots, scene
from ..data.actions import Clip
from ..evaluation import joint_motion, joints

REST, TRAVEL = "REST", "TRAVEL"
OWN_AXES = {
    "X": (1.0, 0.0, 0.0),
    "-X": (-1.0, 0.0, 0.0),
    "Y": (0.0, 1.0, 0.0),
    "-Y": (0.0, -1.0, 0.0),
    "Z": (0.0, 0.0, 1.0),
    "-Z": (0.0, 0.0, -1.0),
}
AXES = (REST, TRAVEL, *OWN_AXES)
"""How the forward axis is found: from the rest pose, from the direction of travel, or named."""

LEVEL = 0.05
"""Feet that point less far ahead than this part of the character's size don't say where forward is."""


@record(frozen=True)
class Query:
    """Which root is read, and which way it faces.

    bone: a bone or OBJECT_ROOT, "" to find it. axis: one of AXES. Raises InertiaError for another one.
    """

    bone: str = ""
    axis: str = REST

    def __post_init__(self) -> None:
        if self.axis not in AXES:
            raise InertiaError(
                "The forward axis is {axis!r}; choose one of {axes}.", axis=self.axis, axes=", ".join(AXES)
            )


@record(frozen=True, eq=False)
class Read:
    """An action's root motion. action: its name. root: what was read. still: metres, see Settings."""

    action: str
    root: str
    motion: RootMotion
    still: float


def reading(armature: Any, clip: Clip, query: Query) -> Generator[float, None, Read]:
    """Read a clip's root motion; yields the part that is done. Raises InertiaError as evaluation does."""
    stood = rigs.read(armature)
    root = roots.find_root(stood, [clip], query.bone)
    motion = yield from joint_motion.whole(armature, clip, root)
    forward = forward_axis(armature, root, motion, query.axis)
    read = root_motion.read(motion.frames, motion.root_position, motion.root_rotation, forward, scene.fps())
    return Read(clip.action.name, root.name, read, roots.TRAVEL * stood.size * scene.metres_per_unit())


def forward_axis(armature: Any, root: roots.Root, motion: joint_motion.Motion, axis: str) -> Array:
    """The axis of the root's own space (3,) that faces forward.

    Without any travel, TRAVEL is REST.
    """
    if axis in OWN_AXES:
        return np.array(OWN_AXES[axis])
    if axis == TRAVEL:
        found = root_motion.forward_of_travel(motion.root_position, motion.root_rotation)
        if found is not None:
            return found
    ahead = rest_forward(armature)
    if root.is_object:
        return ahead
    rest = np.array(armature.data.bones[root.name].matrix_local, float)[:3, :3]
    return quaternion.rotate(quaternion.conjugate(quaternion.from_matrix(rest)), ahead)


def rest_forward(armature: Any) -> Array:
    """Where the rest pose faces, in the armature's space (3,): where its feet point.

    Where these say nothing it is from the hips to the head, as of a quadruped; else Blender's front.
    """
    index, sign = joints.up_axis(armature)
    up = np.zeros(3)
    up[index] = sign
    bones = armature.data.bones
    found = joints.default_joints(armature)
    feet = [bones[joint.bone] for joint in found if joint.role == naming.FOOT]
    ahead = sum((_reach(bone, up) for bone in feet), np.zeros(3))
    least = LEVEL * rig.size(armature, np.eye(4)) * max(len(feet), 1)
    if np.linalg.norm(ahead) < least:
        ends = {joint.role: bones[joint.bone] for joint in reversed(found)}
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


def measure(read: Read, settings: Settings, **ranges: Any) -> Measured:
    """Measure what was read; ranges: see :func:`root_motion.measure`."""
    settings = dataclasses.replace(settings, least_travel=max(settings.least_travel, read.still))
    return root_motion.measure(read.motion, settings, **ranges)
