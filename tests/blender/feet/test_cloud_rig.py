# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints and feet of a rig of several layers of controls, after CloudRig's layout, which no name tells of."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from mathutils import Vector

from inertia_addon.blender.evaluation import joints
from inertia_addon.blender.feet import bake, legs
from inertia_addon.motion.steps import finish
from inertia_addon.settings.feet import LockSettings
from tests.blender import builders, cloud_rig

FRAMES = 48


def test_joints_are_those_that_deform_and_not_hair_or_fingers(fresh_file: None) -> None:
    armature = cloud_rig.build()
    found: dict[str, set[str]] = {}
    for joint in joints.default_joints(armature):
        found.setdefault(joint.role, set()).add(joint.bone)
    assert found == {
        "HIPS": {"DEF-Hips"},
        "HEAD": {"DEF-Head"},
        "HAND": {"DEF-Wrist.L", "DEF-Wrist.R"},
        "FOOT": {"DEF-Foot.L", "DEF-Foot.R"},
    }
    assert joints.unsure(armature, joints.default_joints(armature)) == ""
    names = armature.data.bones.keys()
    assert [[names[joint] for joint in leg.joints] for leg in legs.detected(armature)] == [
        [f"DEF-Thigh1.{side}", f"DEF-Knee1.{side}", f"DEF-Foot.{side}"] for side in "LR"
    ]


def walk(armature: Any) -> Any:
    """The torso goes ahead, and the feet's controls step, skating on while they stand."""
    action = bpy.data.actions.new("Walk")
    armature.animation_data_create().action = action
    posed = armature.pose.bones

    def key(name: str, way: tuple[float, float, float], frame: int) -> None:
        posed[name].location = posed[name].bone.matrix_local.to_3x3().inverted() @ Vector(way)
        posed[name].keyframe_insert("location", frame=frame)

    for frame in range(1, FRAMES + 1):
        key("MSTR-Torso", (0.0, -0.02 * frame, -0.12), frame)
        for side, begins in (("L", 0.0), ("R", 0.5)):
            turn, part = divmod(frame / 24.0 + begins, 1.0)
            moves = max(part - 0.5, 0.0) / 0.5
            way = 0.48 * (turn + moves * moves * (3.0 - 2.0 * moves) - begins) + 0.06 * part
            key(f"IK-MSTR-Foot.{side}", (0.0, -way, 0.3 * (moves * (1.0 - moves)) ** 2 * 4.0), frame)
    return action


def test_feet_of_a_cloud_rig_are_pinned_by_the_controls_that_ik_reaches_for(fresh_file: None) -> None:
    armature = cloud_rig.build()
    walk_of = walk(armature)
    report = finish(bake.lock_action_steps(armature, LockSettings("Walk")))
    assert report.pinned == ("IK-MSTR-Foot.L", "IK-MSTR-Foot.R")
    for leg, figures in zip(legs.detected(armature), report.before, strict=True):
        for span in figures.spans:
            frames = np.arange(math.ceil(span.start), math.floor(span.end) + 1.0)
            ways = []
            for action in (walk_of, bpy.data.actions[report.result]):
                posed = builders.played(armature, action, frames)[:, leg.point]
                points = posed[:, :3, :3] @ leg.offset + posed[:, :3, 3]
                ways.append(float(np.linalg.norm(np.ptp(points, axis=0))))
            assert ways[1] < 1e-3
            assert ways[1] <= ways[0]
