# SPDX-License-Identifier: GPL-3.0-or-later
"""What a model plays stands in Blender as it does in the model, on every frame."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
import pytest

from inertia_addon.blender.data import actions, clip_store, compat, rigs
from inertia_addon.blender.evaluation import joint_motion, joints
from inertia_addon.blender.evaluation.character import read_character
from inertia_addon.blender.learned import bake
from inertia_addon.blender.learned import clips as learned_clips
from inertia_addon.blender.learned.bake import Sampled
from inertia_addon.blender.matching import action_set, files
from inertia_addon.motion.learned.follow import FollowedPath
from inertia_addon.motion.matching.engine import FPS
from inertia_addon.motion.steps import finish
from inertia_addon.settings.learned import LearnSettings
from tests.blender import stepper, wanderer

CHOSEN = wanderer.settings(points="none", actions=("Turn", "Bend"), mirror=False)


def played(armature: Any) -> tuple[FollowedPath, Any]:
    """The first clip as a model would play it that knows it by heart, and the set."""
    made = finish(
        action_set.analyse_steps(read_character(armature), CHOSEN, joints.named_weights(armature, "stored"))
    )
    exported = finish(files.export_set_steps(armature, made))
    own = slice(int(exported.starts[0]), int(exported.stops[0]))
    w, _, y, _ = exported.rotations[own, 0].astype(float).T
    place = exported.positions[own, 0].astype(float)
    return FollowedPath(
        exported.positions[own, 1:].astype(float),
        exported.rotations[own, 1:].astype(float),
        np.column_stack([place[:, 0], -place[:, 2]]),
        np.unwrap(2.0 * np.arctan2(y, w)) - 0.5 * np.pi,
        exported.contacts[own],
        np.zeros(0, np.int64),
    ), made


@pytest.mark.parametrize("moved", [False, True])
def test_bones_are_where_they_were_learned(*, moved: bool) -> None:
    armature = wanderer.with_clips()
    if moved:
        for bone, mode in zip(armature.pose.bones, ("XYZ", "ZYX", "AXIS_ANGLE", "QUATERNION"), strict=False):
            bone.rotation_mode = mode
        # the clips key quaternions of the hips alone
        armature.pose.bones["hips"].rotation_mode = "QUATERNION"
    own, learned = played(armature)
    clip = learned.clips[0]
    if moved:
        # wherever the armature stands now, and however large its units are
        armature.location, armature.rotation_euler = (3.0, -2.0, 0.5), (0.2, -0.4, 1.0)
        armature.data.bones["hips"].use_local_location = False
    fps = bpy.context.scene.render.fps
    shown = bake.sampled(own, 11.0, fps)
    made = bpy.data.actions.new("Played")
    bag = compat.new_bag(made, compat.Slot("OB" + armature.name, "OBJECT"))
    for bone, curves in bake.channels(rigs.read(armature), shown, 1.0):
        for address, keys in curves.items():
            actions.write(bag, address, keys, bag.groups.get(bone) or bag.groups.new(bone))
    result = clip_store.read(armature, made)
    # each fifth of a model's frames is each second of these
    at = np.array([0.0, 8.0, 30.0, 58.0])
    found = joint_motion.evaluate(read_character(armature), result, 11.0 + at, learned.root).positions
    if moved:
        armature.location, armature.rotation_euler = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        armature.data.bones["hips"].use_local_location = True
    wanted = joint_motion.evaluate(read_character(armature), clip, clip.start + at, learned.root).positions
    np.testing.assert_allclose(found, wanted, atol=2e-4)


def test_frames_between_those_of_a_model_lie_between_them() -> None:
    turns = np.zeros((61, 1, 4))
    turns[:, 0, 0], turns[:, 0, 3] = np.cos(np.arange(61) / 60.0), np.sin(np.arange(61) / 60.0)
    turns[30:] *= -1.0
    at = np.arange(61.0)
    own = FollowedPath(
        at[:, None, None] * np.ones(3),
        turns,
        at[:, None] * np.ones(2),
        at,
        np.zeros((61, 1), bool),
        np.zeros(0, int),
    )
    shown: Sampled = bake.sampled(own, 5.0, 24.0)
    assert shown.frames.tolist() == [5.0 + i for i in range(25)]
    seconds = np.arange(25) / 24.0
    np.testing.assert_allclose(shown.positions[:, 0, 0], seconds * FPS, atol=1e-9)
    np.testing.assert_allclose(shown.heading, seconds * FPS, atol=1e-9)
    np.testing.assert_allclose(np.abs(shown.rotations[:, 0, 0]), np.abs(np.cos(seconds)), atol=1e-4)


def test_a_walk_in_place_is_learned_with_the_travel_of_its_feet(fresh_file: None) -> None:
    armature = stepper.biped()
    stepper.walk(armature, "Walk", frames=289, skate=-stepper.STRIDE)
    notes: list[str] = []
    weights = {bone.name: 1.0 for bone in armature.data.bones}
    settings = LearnSettings(actions=("Walk",))
    learned, _ = finish(learned_clips.read_material_steps(armature, settings, weights, notes))
    assert notes == ['"Walk": 0.60 m/s, from its feet.']
    assert learned.pace == pytest.approx(stepper.STRIDE, rel=0.05)
    assert learned.gait is not None
    assert learned.gait.top == pytest.approx(stepper.STRIDE, rel=0.2)
