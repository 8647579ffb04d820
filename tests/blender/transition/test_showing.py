# SPDX-License-Identifier: GPL-3.0-or-later
"""A transition that is shown without being baked is what the bake is, and leaves what stood there."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
import pytest

from inertia_addon.blender.data import compat
from inertia_addon.blender.transition import bake, showing
from inertia_addon.settings.transition import TransitionSettings
from tests.blender import builders

pytestmark = pytest.mark.usefixtures("fresh_file")

SETTINGS = TransitionSettings("Walk", "Run", 20.0, 5.0, blend_frames=12.0, alignment="NONE")
MODES = {"A": "XYZ", "B": "QUATERNION", "C": "AXIS_ANGLE"}


def character() -> Any:
    """Three bones of which two clips move one, and another one both others, which it has left askew."""
    armature = builders.rig({"A": None, "B": "A", "C": "B"})
    moved = {"Walk": "A", "Run": "A", "Wave": "BC"}
    for phase, (name, bones) in enumerate(moved.items()):
        made = builders.action(name)
        for bone in bones:
            armature.pose.bones[bone].rotation_mode = MODES[bone]
            prop, count = builders.ROTATIONS.get(MODES[bone], ("rotation_euler", 3))
            for i in range(count):
                builders.wave(made, builders.bone_path(bone, prop), i, 0.4, middle=0.5, phase=phase + i)
            builders.wave(made, builders.bone_path(bone, "location"), 1, 0.3, phase=phase)
    armature.animation_data_create()
    for name in ("Wave", "Walk"):
        compat.assign(armature, bpy.data.actions[name], "OBRig" if compat.has_slots() else "")
        bpy.context.scene.frame_set(9)
    return armature


def basis(armature: Any) -> np.ndarray:
    return np.array([np.array(bone.matrix_basis) for bone in armature.pose.bones])


def test_a_shown_plan_is_what_the_bake_plays_and_then_all_is_as_it_was() -> None:
    armature = character()
    scene, before = bpy.context.scene, basis(armature)
    assert np.abs(before[1:] - np.eye(4)).max() > 0.1
    plan = bake.plan_transition(armature, SETTINGS)
    taken = showing.take(plan, 1, 45)
    showing.note(scene, plan, taken, {})
    seen = []
    for frame in (3.0, 20.0, 24.0, 40.0):
        showing.show(scene, taken, frame)
        seen.append(basis(armature))
    showing.put_back(showing.read_kept(scene))
    showing.drop(scene)
    np.testing.assert_allclose(basis(armature), before, atol=1e-6)
    report = bake.write_plan(plan)
    played = builders.shown(
        armature, bpy.data.actions[report.result], [3.0, 20.0, 24.0, 40.0], lambda: basis(armature)
    )
    np.testing.assert_allclose(np.array(seen)[:, 0], played[:, 0], atol=1e-5)
    # what neither clip keys is at rest, as an action of the file has moved it
    np.testing.assert_allclose(np.array(seen)[:, 1:], np.broadcast_to(np.eye(4), (4, 2, 4, 4)), atol=1e-6)
