# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests of the command line share: a small rig with a walk and a run, and a run's outcome."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from typing import Any, NamedTuple

CLIPS = (("Walk", 40, 0.05), ("Run", 30, 0.12))
"""The actions of the small rig, which begin on frame 1: names, last frames and speeds."""


class Run(NamedTuple):
    """What a run of the command line left."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        return json.loads(self.out)


def make_rig(name: str = "Rig", clips: Iterable[tuple[str, int, float]] = CLIPS) -> Any:
    """An armature of three bones in a row with actions. clips: their names, last frames and speeds."""
    import bpy

    data = bpy.data.armatures.new(name)
    armature = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(armature)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    parent = None
    for i, bone_name in enumerate(("Hips", "Spine", "Head")):
        bone = data.edit_bones.new(bone_name)
        bone.head, bone.tail, bone.parent = (0, 0, 1 + 0.5 * i), (0, 0.1, 1.5 + 0.5 * i), parent
        parent = bone
    bpy.ops.object.mode_set(mode="OBJECT")
    for action, last, speed in clips:
        key(armature, action, last, speed)
    return armature


def key(armature: Any, name: str, last: int, speed: float) -> None:
    """Key an action: the hips travel, the other bones swing."""
    armature.animation_data_create().action = None
    for frame in range(1, last + 1, 3):
        for i, bone in enumerate(armature.pose.bones):
            angle = 0.4 * math.sin(frame * speed * 5.0 + i)
            bone.rotation_quaternion = (math.cos(angle), math.sin(angle), 0.0, 0.0)
            bone.keyframe_insert("rotation_quaternion", frame=frame)
        armature.pose.bones[0].location = (0.0, 0.0, -speed * frame)
        armature.pose.bones[0].keyframe_insert("location", frame=frame)
    action = armature.animation_data.action
    action.name = name
    action.use_fake_user = True
