# SPDX-License-Identifier: GPL-3.0-or-later
"""A pose that is kept as a clip comes with the velocity of what is played, wherever it was put."""

from __future__ import annotations

import math

import bpy
import numpy as np
import pytest
from mathutils import Matrix

from inertia_addon.blender.data import compat
from inertia_addon.blender.transition import pose_clips
from tests.blender import builders

pytestmark = pytest.mark.usefixtures("fresh_file")

FRAME = 12.0
MODES = {"A": "QUATERNION", "B": "XYZ", "C": "AXIS_ANGLE", "D": "ZYX"}


def test_a_moving_pose_moves_as_what_is_played_does() -> None:
    armature = builders.rig({"A": None, "B": "A", "C": "B", "D": "C"})
    action = builders.action("Play")
    for phase, (bone, mode) in enumerate(MODES.items()):
        armature.pose.bones[bone].rotation_mode = mode
        prop, count = builders.ROTATIONS.get(mode, ("rotation_euler", 3))
        for index in range(count):
            middle = 1.0 if index == 0 else 0.3
            builders.wave(
                action, builders.bone_path(bone, prop), index, 0.4, middle=middle, phase=phase + index
            )
        # not all of its numbers are keyed
        builders.wave(action, builders.bone_path(bone, "location"), 1, 0.2, phase=phase)
    bpy.context.scene.frame_set(int(FRAME))
    compat.assign(armature, action)
    played = basis(armature, action, [FRAME - 1.0, FRAME])
    for i, bone in enumerate(armature.pose.bones):
        turn = Matrix.Rotation(0.9 + 0.4 * i, 4, (0.3, 1.0, -0.5 * i))
        bone.matrix_basis = Matrix.Translation((0.3, 0.1 * i, -0.2)) @ turn @ bone.matrix_basis
    posed = np.array([np.array(bone.matrix_basis) for bone in armature.pose.bones])
    kept = pose_clips.keep(armature, FRAME, moving=True)
    before, at = basis(armature, kept.action, [FRAME - 1.0, FRAME])
    np.testing.assert_allclose(at, posed, atol=1e-5)
    for bone in range(4):
        turns = [now[bone, :3, :3] @ then[bone, :3, :3].T for then, now in ((before, at), played)]
        np.testing.assert_allclose(*turns, atol=1e-5)
        ways = [now[bone, :3, 3] - then[bone, :3, 3] for then, now in ((before, at), played)]
        np.testing.assert_allclose(*ways, atol=1e-5)
        assert math.degrees(np.arccos(np.clip((np.trace(turns[0]) - 1.0) / 2.0, -1.0, 1.0))) > 1.0


def basis(armature: bpy.types.Object, action: bpy.types.Action, frames: list[float]) -> np.ndarray:
    """The bones' own transforms (frames, bones, 4, 4), as Blender plays an action."""
    return builders.shown(
        armature, action, frames, lambda: [np.array(bone.matrix_basis) for bone in armature.pose.bones]
    )
