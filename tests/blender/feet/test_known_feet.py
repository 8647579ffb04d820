# SPDX-License-Identifier: GPL-3.0-or-later
"""What is found of plain legs is found once for all transitions between the same two clips."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender.data import clip_store, rigs
from inertia_addon.blender.evaluation.character import read_character
from inertia_addon.blender.feet import body as body_module
from inertia_addon.blender.feet import leg_choice
from inertia_addon.blender.feet.body import KnownFeet, PlantedFeet
from inertia_addon.motion.feet import chains
from inertia_addon.motion.steps import finish
from inertia_addon.settings.feet import Locking
from inertia_addon.settings.transition import TransitionSettings
from tests.blender import stepper


@pytest.fixture
def walking(fresh_file: None) -> tuple[Any, Any, Any]:
    """A biped with two walks, which are read."""
    armature = stepper.biped()
    stepper.walk(armature, "Walk", frames=55)
    stepper.walk(armature, "Late", frames=70, late=0.2)
    ends = TransitionSettings("Walk", "Late", 25.0).ends()
    source, destination = finish(clip_store.read_named_steps(armature, ends))
    return armature, source, destination


def test_legs_that_can_be_locked_are_found_once_for_a_rig(walking: tuple[Any, Any, Any]) -> None:
    armature, *clips = walking
    rig, knowledge = rigs.read(armature), leg_choice.LegKnowledge(feet=KnownFeet())
    bodies = [
        leg_choice.find_body(read_character(armature), rig, Locking(), None, clips, knowledge)
        for _ in range(2)
    ]
    assert bodies[0].legs is bodies[1].legs
    # other bones that take part may leave other legs
    left = {name for name in rig.bones.names if not name.endswith(".R")}
    assert (
        len(leg_choice.find_body(read_character(armature), rig, Locking(), left, clips, knowledge).legs.legs)
        == 1
    )
    # and hips that may not go down are others
    still = leg_choice.find_body(
        read_character(armature), rig, Locking(hips_drop=0.0), None, clips, knowledge
    )
    assert still.legs.hips == -1 != bodies[0].legs.hips


def test_joints_of_planted_feet_are_those_at_the_times_since_a_frame(walking: tuple[Any, Any, Any]) -> None:
    armature, clip, _ = walking
    body = leg_choice.find_body(read_character(armature), rigs.read(armature), Locking(), None, [clip])
    frames = np.arange(3.0, 20.0)
    feet = PlantedFeet(frames, body.posed(clip, frames, changing=False), [])
    for at in (5.0, 9.0, 5.0):
        joints = feet.find_joints(body.legs, at, 30.0)
        assert np.array_equal(joints.times, (frames - at) / 30.0)
        assert np.array_equal(joints.joints, chains.find_all_joints(body.legs, feet.posed))
    assert feet.find_joints(body.legs, 9.0, 30.0) is feet.find_joints(body.legs, 9.0, 30.0)


def test_legs_are_posed_once_at_a_frame_of_a_clip(
    walking: tuple[Any, Any, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    armature, clip, _ = walking
    knowledge = leg_choice.LegKnowledge(feet=KnownFeet())
    rig = rigs.read(armature)
    body = leg_choice.find_body(read_character(armature), rig, Locking(), None, [clip], knowledge)
    looked_at: list[float] = []

    def note_frames(*args: Any, **options: Any) -> Any:
        looked_at.extend(args[1].tolist())
        return pose(*args, **options)

    pose = body.posed
    monkeypatch.setattr(body, "posed", note_frames)
    for frames in (np.arange(3.0, 20.0), np.arange(25.0, 10.0, -1.0), np.array([4.0, 4.0])):
        once, anew = body.posed_once(0, clip, frames), pose(clip, frames)
        for name in ("heads", "axes", "places", "sizes"):
            np.testing.assert_allclose(getattr(once, name), getattr(anew, name), atol=1e-12)
        for bone, axes in anew.above.items():
            np.testing.assert_allclose(once.above[bone], axes, atol=1e-12)
    assert sorted(looked_at) == np.arange(3.0, 26.0).tolist()


def test_no_more_frames_of_legs_are_kept_than_is_allowed(
    walking: tuple[Any, Any, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    armature, clip, _ = walking
    monkeypatch.setattr(body_module, "MOST_FRAMES", 10)
    rig, knowledge = rigs.read(armature), leg_choice.LegKnowledge(feet=KnownFeet())
    body = leg_choice.find_body(read_character(armature), rig, Locking(), None, [clip], knowledge)
    for frames in (np.arange(1.0, 9.0), np.arange(5.0, 13.0), np.arange(2.0, 40.0)):
        heads = body.posed_once(0, clip, frames).heads
        np.testing.assert_allclose(heads, body.posed(clip, frames).heads, atol=1e-12)
