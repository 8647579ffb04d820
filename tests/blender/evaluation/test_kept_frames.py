# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender.data import clip_store
from inertia_addon.blender.data.actions import with_curves
from inertia_addon.blender.evaluation import joint_motion, kept_frames
from inertia_addon.blender.evaluation.character import Character, read_character
from inertia_addon.motion.arrays import Array
from inertia_addon.motion.curves.keys import constant
from inertia_addon.motion.steps import finish
from tests.blender import builders

FRAMES = np.array([3.0, 1.0, 2.5, 8.0])
STOOD = 20.0
"""The frame of the scene, which is shown again in the end."""


@pytest.fixture
def armature(fresh_file: None) -> Any:
    """Return an armature that a constraint moves, with an action, "Walk"."""
    made = builders.rig({"A": None, "B": "A", "C": "B"})
    constraint = made.pose.bones["C"].constraints.new("COPY_ROTATION")
    constraint.target, constraint.subtarget = made, "A"
    walk = builders.action("Walk")
    builders.wave(walk, builders.bone_path("A", "location"), 0, 1.0)
    builders.wave(walk, builders.bone_path("A", "rotation_quaternion"), 1, 0.5)
    bpy.context.scene.frame_set(int(STOOD))
    return made


def places(character: Character, clip: Any, frames: Array = FRAMES) -> Array:
    return finish(joint_motion.positions(character, clip, frames))


def test_frames_of_a_clip_are_played_once(armature: Any) -> None:
    clip = clip_store.read(armature, bpy.data.actions["Walk"])
    character, other = read_character(armature), read_character(armature)
    first = places(character, clip)
    marks = [(2, (0.0, 0.1, 0.0))]
    with builders.frames_shown() as shown:
        again = places(character, clip, FRAMES[::-1])[::-1]
        points = finish(joint_motion.track_points_steps(character, clip, marks, FRAMES))
        matrices = finish(joint_motion.matrices(character, clip, FRAMES))
    assert shown == []
    assert np.array_equal(again, first)
    assert np.array_equal(points, finish(joint_motion.track_points_steps(other, clip, marks, FRAMES)))
    fresh = read_character(armature)
    assert np.array_equal(matrices, finish(joint_motion.matrices(fresh, clip, FRAMES)))


def test_frames_that_are_missing_are_played(armature: Any) -> None:
    clip = clip_store.read(armature, bpy.data.actions["Walk"])
    character = read_character(armature)
    places(character, clip)
    with builders.frames_shown() as shown:
        more = places(character, clip, np.array([1.0, 5.0, 8.0]))
    assert shown == [5.0, STOOD]
    assert np.array_equal(more, places(read_character(armature), clip, np.array([1.0, 5.0, 8.0])))


def test_frames_of_other_curves_are_played_anew(armature: Any) -> None:
    clip = clip_store.read(armature, bpy.data.actions["Walk"])
    character = read_character(armature)
    before = places(character, clip)
    raised = with_curves(clip, {(builders.bone_path("A", "location"), 2): constant(1.0, 4.0)})
    assert not np.allclose(places(character, raised), before)
    assert np.array_equal(places(character, clip), before)


def test_joints_alone_say_nothing_of_other_bones(armature: Any) -> None:
    clip = clip_store.read(armature, bpy.data.actions["Walk"])
    character = read_character(armature)
    root = joint_motion.Root("<object>", moves=False)
    finish(joint_motion.steps(character, clip, FRAMES, root, {"A"}))
    assert np.array_equal(places(character, clip), places(read_character(armature), clip))


def test_frames_beyond_what_is_kept_are_right(armature: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_frames, "MOST_KEPT", 6)
    clip = clip_store.read(armature, bpy.data.actions["Walk"])
    longer = with_curves(clip, {(builders.bone_path("A", "location"), 2): constant(1.0, 4.0)})
    character = read_character(armature)
    for each in (clip, longer, clip):
        assert np.array_equal(places(character, each), places(read_character(armature), each))
