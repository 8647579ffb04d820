# SPDX-License-Identifier: GPL-3.0-or-later
"""Transitions of clips on twos hold their poses as the clips do, as Blender plays them."""

from __future__ import annotations

import dataclasses
from typing import Any

import bpy
import numpy as np
import pytest

from inertia_addon.blender.loops import bake as loops
from inertia_addon.blender.transition import bake, entering
from inertia_addon.motion.steps import finish
from inertia_addon.settings.loops import LoopSettings
from inertia_addon.settings.transition import TransitionSettings
from tests.blender import builders, clips

BONES = ("Hips", "Spine", "Head")


def clip(name: str, size: float, every: int = 2, first: int = 1, interpolation: str = "CONSTANT") -> Any:
    made = builders.action(name)
    frames = np.arange(first, 62, every)
    for i, bone in enumerate(BONES):
        for index in (1, 2):
            path = builders.bone_path(bone, "rotation_quaternion")
            values = size * np.sin(0.23 * frames + i + index)
            points = [*zip(frames.tolist(), values.tolist(), strict=True)]
            builders.curve(made, path, index, points, interpolation=interpolation)
        builders.curve(made, builders.bone_path(bone, "rotation_quaternion"), 0, [(1.0, 1.0)])
    return made


@pytest.fixture
def armature(fresh_file: None) -> Any:
    return builders.rig({"Hips": None, "Spine": "Hips", "Head": "Spine"})


def baked(armature: Any, cut: float, start: float, **how: Any) -> tuple[Any, Any]:
    return builders.transition(
        armature, bpy.data.actions["Walk"], bpy.data.actions["Run"], cut, start, blend_frames=12.0, **how
    )


def moves(armature: Any, result: Any, first: float, last: float, step: float = 1.0) -> np.ndarray:
    """How far any bone comes from one frame to the next."""
    poses = builders.played(armature, result, np.arange(first, last + 0.01, step))
    poses = poses.reshape(len(poses), -1)
    return np.abs(np.diff(poses, axis=0)).max(axis=1)


@pytest.mark.parametrize("method", ["QUINTIC", "SPRING", "DEAD_BLENDING"])
@pytest.mark.parametrize(("cut", "start"), [(21.0, 11.0), (20.0, 11.0), (21.0, 12.0), (20.5, 11.0)])
def test_a_blend_on_twos_holds_while_the_destination_holds(
    armature: Any, method: str, cut: float, start: float
) -> None:
    clip("Walk", 0.2)
    run = clip("Run", 0.5)
    report, result = baked(armature, cut, start, method=method)
    later = cut - start
    inner = np.arange(cut, report.until + 6.0)
    for frame in inner:
        changes = [frame + d for d in np.arange(0.0, 1.01, 0.125)]
        poses = builders.played(armature, result, changes).reshape(len(changes), -1)
        # between two of the destination's own keys
        own = (np.array(changes) - later - 1.0) // 2.0
        same = np.abs(np.diff(poses, axis=0)).max(axis=1)[np.diff(own) == 0.0]
        assert same.max(initial=0.0) < 1e-5
    behind = np.arange(np.ceil(report.until) + 1.0, 61.0 + later)
    np.testing.assert_allclose(
        builders.played(armature, result, behind), builders.played(armature, run, behind - later), atol=1e-5
    )


def test_a_blend_on_twos_moves_on_each_step_and_the_offset_fades(armature: Any) -> None:
    clip("Walk", 0.2)
    run = clip("Run", 0.5)
    report, result = baked(armature, 21.0, 11.0)
    steps = np.arange(21.0, report.until + 1.0, 2.0)
    away = builders.played(armature, result, steps) - builders.played(armature, run, steps - 10.0)
    sizes = np.abs(away).reshape(len(steps), -1).max(axis=1)
    assert sizes[0] > 0.2
    assert sizes[-1] < 1e-5
    assert moves(armature, result, 20.0, report.until)[::2].min() > 1e-3
    # the pose at the cut is the source's, and comes on as quickly as that did
    np.testing.assert_allclose(
        builders.played(armature, result, [21.0]), builders.played(armature, bpy.data.actions["Walk"], [21.0])
    )
    usual = max(moves(armature, bpy.data.actions[name], 11.0, 41.0).max() for name in ("Walk", "Run"))
    assert moves(armature, result, 20.0, report.until).max() < 1.5 * usual


@pytest.mark.parametrize("step", [1, 2, 3])
def test_a_step_that_is_asked_for(armature: Any, step: int) -> None:
    clip("Walk", 0.2, every=1, interpolation="LINEAR")
    clip("Run", 0.5, every=1, interpolation="LINEAR")
    report, result = baked(armature, 20.0, 10.0, step=step)
    moved = moves(armature, result, 20.0, 32.0) > 1e-5
    np.testing.assert_array_equal(moved, [(i + 1) % step == 0 for i in range(12)])
    assert report.settings["step"] == step


def test_a_step_of_one_lets_clips_on_twos_blend_on_each_frame(armature: Any) -> None:
    clip("Walk", 0.2)
    clip("Run", 0.5)
    _, result = baked(armature, 21.0, 11.0, step=1)
    assert moves(armature, result, 21.0, 27.0).min() > 1e-5


def test_clips_that_move_on_each_frame_are_as_ever(armature: Any) -> None:
    clip("Walk", 0.2, every=1, interpolation="BEZIER")
    clip("Run", 0.5, every=3, interpolation="BEZIER")
    _, found = baked(armature, 20.0, 10.0)
    _, smooth = baked(armature, 20.0, 10.0, step=1)
    for address, curve in builders.by_address(found).items():
        assert builders.key_data(curve) == builders.key_data(builders.by_address(smooth)[address])
    _, back = builders.transition(armature, bpy.data.actions["Run"], bpy.data.actions["Walk"], 20.0, 10.0)
    assert moves(armature, back, 20.0, 30.0).min() > 1e-6


def test_the_entry_is_where_a_pose_begins(armature: Any) -> None:
    clip("Walk", 0.2)
    clip("Run", 0.5)
    settings = TransitionSettings("Walk", "Run", 30.0, enter_at="AUTO", feet="OFF")
    entered = finish(entering.entered(armature, settings))
    assert entered.destination_frame is not None
    assert entered.destination_frame % 2.0 == 1.0


def test_a_stepped_modifier_counts_as_the_poses_that_it_shows(armature: Any) -> None:
    clip("Walk", 0.2, every=1, interpolation="LINEAR")
    run = clip("Run", 0.5, every=1, interpolation="LINEAR")
    for curve in builders.by_address(run).values():
        if len(curve.keyframe_points) > 1:
            modifier = curve.modifiers.new("STEPPED")
            modifier.frame_step, modifier.frame_offset = 2.0, 1.0
    report, result = baked(armature, 20.0, 11.0)
    moved = moves(armature, result, 20.0, np.floor(report.until)) > 1e-5
    np.testing.assert_array_equal(moved, [i % 2 == 1 for i in range(len(moved))])


def test_a_jump_is_smoothed_in_steps(armature: Any) -> None:
    walk = clip("Walk", 0.2)
    for curve in builders.by_address(walk).values():
        for key in curve.keyframe_points:
            key.co.y += 0.3 * (key.co.x > 30.0 and curve.array_index > 0)
        curve.update()
    settings = TransitionSettings("Walk", "Walk", 31.0, smooth_jump=True, feet="OFF", blend_frames=12.0)
    report = bake.bake_transition(armature, settings)
    moved = moves(armature, bpy.data.actions[report.result], 27.0, 45.0, 0.5) > 1e-5
    np.testing.assert_array_equal(np.flatnonzero(moved), 3 + 4 * np.arange(9))


def test_strips_hold_as_the_action_does(armature: Any) -> None:
    clip("Walk", 0.2)
    clip("Run", 0.5)
    settings = TransitionSettings("Walk", "Run", 21.0, 11.0, blend_frames=12.0, feet="OFF", alignment="NONE")
    report = bake.bake_transition(armature, settings)
    frames = np.arange(19.0, 37.0, 0.25)
    wanted = builders.played(armature, bpy.data.actions[report.result], frames)
    bake.bake_transition(armature, dataclasses.replace(settings, strips=True))
    np.testing.assert_allclose(clips.poses(armature, frames), wanted, atol=1e-5)


@pytest.mark.parametrize("repeat", ["MARKED", "KEYED"])
def test_a_loop_holds_poses_as_its_clip_does(armature: Any, repeat: str) -> None:
    clip("Walk", 0.2)
    report = finish(
        loops.make_loop_steps(armature, LoopSettings("Walk", 11.0, 33.0, repeat=repeat, turn=0.0))
    )
    result = bpy.data.actions[report.result]
    first, last = report.frame_range
    moved = moves(armature, result, first, last, 0.5) > 1e-5
    assert set(np.flatnonzero(moved)) <= {*range(3, len(moved), 4)}
    ends = builders.played(armature, result, [first, last])
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-5)
    assert moved.sum() >= 9
