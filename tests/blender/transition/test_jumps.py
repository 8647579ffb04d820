# SPDX-License-Identifier: GPL-3.0-or-later
"""Smoothing a jump within one action: only what jumps, only in the window, in a new action."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
import pytest

from inertia_addon.blender.data import compat, recipe, recipe_reader
from inertia_addon.blender.transition import bake
from inertia_addon.errors import InertiaError
from inertia_addon.settings.transition import TransitionSettings
from tests.blender import builders

FRAMES = np.arange(1.0, 61.0)
ANGLES = np.stack([0.4 * np.sin(0.2 * FRAMES), 0.3 * np.cos(0.15 * FRAMES), 0.1 * FRAMES / 60.0], axis=1)
TURNS = {
    "QUATERNION": ("rotation_quaternion", (1.0, 0.0, 0.0, 0.0)),
    "AXIS_ANGLE": ("rotation_axis_angle", (0.5, 0.0, 1.0, 0.0)),
    "XYZ": ("rotation_euler", (0.0, 0.0, 0.0)),
    "ZXY": ("rotation_euler", (0.0, 0.0, 0.0)),
}


def clip(armature: Any, mode: str = "XYZ", jump: Any = 0.0, kink: float = 0.0) -> Any:
    """A root that goes steadily, and a bone that swings, with a jump on the way to frame 30."""
    armature.pose.bones["B"].rotation_mode = mode
    made = builders.action("Clip")
    for i in range(3):
        places = 0.02 * (i + 1) * FRAMES
        builders.curve(made, builders.bone_path("A", "location"), i, list(zip(FRAMES, places, strict=True)))
    prop, base = TURNS[mode]
    late = np.where(FRAMES >= 30.0, 1.0, 0.0)
    for i, middle in enumerate(base):
        values = middle + ANGLES[:, i % 3] + late * (jump * (i == 0) + kink * (FRAMES - 30.0))
        points = list(zip(FRAMES, values, strict=True))
        builders.curve(made, builders.bone_path("B", prop), i, points, handles="AUTO")
    return made


def smoothed(armature: Any, made: Any, frame: float, **how: Any) -> tuple[Any, Any]:
    settings = TransitionSettings(made.name, made.name, frame, smooth_jump=True, **how)
    report = bake.bake_transition(armature, settings)
    return report, bpy.data.actions[report.result]


def turning(armature: Any, made: Any) -> Any:
    """How far the bone's turn differs from that of the frame before, frame by frame, in radians."""
    poses = builders.played(armature, made, FRAMES)[:, 1, :3, :3]
    steps = np.swapaxes(poses[:-1], 1, 2) @ poses[1:]
    return np.arccos(np.clip((np.trace(steps, axis1=1, axis2=2) - 1.0) / 2.0, -1.0, 1.0))


@pytest.mark.variants(2)
@pytest.mark.parametrize("frame", [29.0, 30.0])
@pytest.mark.parametrize("mode", TURNS)
def test_a_jump_of_the_pose_is_gone_and_all_else_is_as_it_was(armature: Any, mode: str, frame: float) -> None:
    made = clip(armature, mode, jump=0.8)
    before = {at: builders.key_data(curve) for at, curve in builders.by_address(made).items()}
    report, result = smoothed(armature, made, frame, blend_frames=10.0)
    assert report.window == (29.0, 39.0)
    assert report.bones == 1
    after = builders.by_address(result)
    for at, curve in builders.by_address(made).items():
        assert builders.key_data(curve) == before[at]
        if "location" in at[0]:
            assert builders.key_data(after[at]) == before[at]
        else:
            # the keys at the window's ends have handles of their own
            assert builders.key_data(after[at], last=28.0) == builders.key_data(curve, last=28.0)
    outside = np.concatenate([builders.sub_frames(-3, 29), builders.sub_frames(39, 66)])
    np.testing.assert_allclose(
        builders.played(armature, result, outside), builders.played(armature, made, outside), atol=2e-5
    )
    assert turning(armature, made).max() > 0.3
    assert turning(armature, result).max() < 0.25
    assert turning(armature, result)[28] == pytest.approx(turning(armature, result)[27], abs=0.02)
    # what was behind the jump comes to it smoothly, too
    assert np.abs(np.diff(turning(armature, result)[20:45])).max() < 0.08


def test_a_jump_of_the_velocity_is_gone(armature: Any) -> None:
    made = clip(armature, kink=0.05)
    path = builders.bone_path("B", "rotation_euler")
    for frame in (29.0, 30.0, 31.0):
        _, result = smoothed(armature, made, frame, blend_frames=12.0)
        bends = [np.diff(builders.evaluated(each, path, 0, FRAMES), 2) for each in (made, result)]
        assert np.abs(bends[0]).max() > 0.04
        assert np.abs(bends[1]).max() < 0.03


@pytest.mark.parametrize("frame", [12.0, 28.0, 31.0, 50.0])
def test_a_clip_without_a_jump_is_told(armature: Any, frame: float) -> None:
    made = clip(armature, jump=0.8)
    with pytest.raises(InertiaError, match=f'Nothing in "Clip" jumps at frame {frame:g}'):
        smoothed(armature, made, frame)
    assert [action.name for action in bpy.data.actions] == ["Clip"]


@pytest.mark.parametrize("frame", [1.0, 60.0, 90.0])
def test_a_clip_has_only_one_side_at_its_ends(armature: Any, frame: float) -> None:
    with pytest.raises(InertiaError, match="too few to tell how it moves there"):
        smoothed(armature, clip(armature, jump=0.8), frame)


def test_a_smoothed_jump_has_to_be_of_one_action(armature: Any) -> None:
    made, other = clip(armature, jump=0.8), clip(armature)
    settings = TransitionSettings(made.name, other.name, 30.0, smooth_jump=True)
    with pytest.raises(InertiaError, match="within one action"):
        bake.bake_transition(armature, settings)


def test_a_smoothed_jump_is_baked_anew_from_its_recipe(armature: Any) -> None:
    made = clip(armature, jump=0.8)
    _, result = smoothed(armature, made, 30.0)
    assert result.name == "Clip smoothed"
    assert not recipe_reader.has_changed(result, armature)
    fcurve = builders.by_address(made)[builders.bone_path("A", "location"), 0]
    fcurve.keyframe_points[5].co.y += 0.5
    assert recipe_reader.has_changed(result, armature)
    bake.bake_transition(armature, recipe_reader.read_recipe(result, recipe.RECIPE).settings, into=result)
    at = builders.bone_path("A", "location"), 0
    assert builders.key_data(builders.by_address(result)[at]) == builders.key_data(fcurve)


def test_a_jump_is_smoothed_for_bones_that_take_part_and_with_any_method(armature: Any) -> None:
    made = clip(armature, jump=0.8)
    for how in ({"method": "SPRING"}, {"method": "DEAD_BLENDING"}, {"method": "CUBIC"}):
        _, result = smoothed(armature, made, 30.0, **how)
        assert turning(armature, result).max() < 0.25
    _, result = smoothed(armature, made, 30.0, bones=("A",))
    np.testing.assert_array_equal(
        builders.played(armature, result, FRAMES), builders.played(armature, made, FRAMES)
    )


@pytest.mark.skipif(not compat.has_slots(), reason="before Blender 4.4 an action has no slots")
def test_slots_beside_a_jump_are_taken_over_and_smoothed_where_they_jump(armature: Any) -> None:
    made = clip(armature, jump=0.8)
    for slot, size in (("Ball", 2.0), ("Still", 0.0)):
        points = [(frame, 0.01 * frame + size * (frame >= 30.0)) for frame in FRAMES]
        builders.curve(made, "location", 0, points, slot=f"OB{slot}")
    _, result = smoothed(armature, made, 30.0)
    for slot, same in (("OBBall", False), ("OBStill", True)):
        one, other = (builders.by_address(each, slot)["location", 0] for each in (made, result))
        assert (builders.key_data(one) == builders.key_data(other)) == same
    steps = np.diff([builders.by_address(result, "OBBall")["location", 0].evaluate(f) for f in FRAMES])
    assert np.abs(steps).max() < 0.7
