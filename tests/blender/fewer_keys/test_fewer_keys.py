# SPDX-License-Identifier: GPL-3.0-or-later
"""An action with fewer keys, as Blender plays it: near the take, planted feet on their places, and
editable."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest

from inertia_addon.blender.data import clip_store, recipe, recipe_reader
from inertia_addon.blender.evaluation.character import read_character
from inertia_addon.blender.feet import contacts
from inertia_addon.blender.fewer_keys import bake
from inertia_addon.errors import InertiaError
from inertia_addon.motion.feet.contacts import on_frames
from inertia_addon.motion.steps import finish
from inertia_addon.settings.fewer_keys import FewerKeysSettings
from tests.blender import builders, clips, file_state, wanderer

FRAMES = np.arange(1.0, 62.0)


def swinging(armature: Any, mode: str = "XYZ") -> Any:
    """A root that travels and a bone that swings, with a key on each frame."""
    armature.pose.bones["B"].rotation_mode = mode
    made = builders.action("Take")
    for i in range(3):
        places = 0.02 * (i + 1) * FRAMES + 0.1 * np.sin(0.2 * FRAMES + i)
        builders.curve(made, builders.bone_path("A", "location"), i, list(zip(FRAMES, places, strict=True)))
        flat = [(frame, 1.0) for frame in FRAMES]
        builders.curve(made, builders.bone_path("A", "scale"), i, flat)
    prop, count = builders.ROTATIONS.get(mode, ("rotation_euler", 3))
    for i in range(count):
        values = (mode in builders.ROTATIONS) * (i == 0) + 0.3 * np.sin(0.25 * FRAMES + i)
        points = list(zip(FRAMES, values, strict=True))
        builders.curve(made, builders.bone_path("B", prop), i, points, "LINEAR")
    return made


def reduced(armature: Any, made: Any, **how: Any) -> tuple[bake.FewerKeysReport, Any]:
    report = finish(bake.reduce_keys_steps(armature, FewerKeysSettings(made.name, **how)))
    return report, bpy.data.actions[report.result]


def cut_after(made: Any, last: float) -> None:
    """Take the keys behind a frame away, as many keys take long."""
    for curve in builders.by_address(made).values():
        for key in [key for key in curve.keyframe_points if key.co[0] > last][::-1]:
            curve.keyframe_points.remove(key, fast=True)
        curve.update()


def furthest(armature: Any, made: Any, result: Any, frames: Any) -> float:
    """How far the head of a bone is from where the take has it, as Blender plays both, metres."""
    own, other = (builders.played(armature, each, frames)[..., :3, 3] for each in (made, result))
    return float(np.linalg.norm(own - other, axis=2).max())


@pytest.mark.variants(2)
@pytest.mark.parametrize("mode", ["XYZ", "QUATERNION", "AXIS_ANGLE", "ZYX"])
def test_blender_plays_joints_within_the_tolerance(armature: Any, mode: str) -> None:
    made = swinging(armature, mode)
    before = {at: builders.key_data(curve) for at, curve in builders.by_address(made).items()}
    report, result = reduced(armature, made, tolerance_cm=1.0)
    assert report.keys < 0.35 * report.keys_before
    assert report.deviation.joint <= 0.01
    halves = builders.sub_frames(1, 61, 0.5)
    assert furthest(armature, made, result, halves) <= 0.01
    assert {at: builders.key_data(curve) for at, curve in builders.by_address(made).items()} == before


def test_half_frames_beside_a_pole_stay_within_the_tolerance(armature: Any) -> None:
    """Other angles show the same on whole frames, and would be nearer to one another, but whirl between."""
    armature.pose.bones["A"].rotation_mode = "ZYX"
    beside = np.array([[-0.29, -1.464, -0.29], [-0.547, -1.5225, -0.534], [-2.313, -1.545, -2.291]])
    slow = np.outer(np.arange(1.0, 9.0), [0.01, 0.01, 0.0])
    turns = np.concatenate([beside[0] - slow[::-1], beside, beside[-1] + slow])
    made = builders.action("Take")
    for i in range(3):
        points = [(1.0 + at, value) for at, value in enumerate(turns[:, i].tolist())]
        builders.curve(made, builders.bone_path("A", "rotation_euler"), i, points, "LINEAR")
    _, result = reduced(armature, made, tolerance_cm=0.5)
    halves = builders.sub_frames(1, len(turns), 0.5)
    assert furthest(armature, made, result, halves) <= 0.005


def test_keys_of_a_bone_are_on_common_frames_and_still_channels_have_one(armature: Any) -> None:
    _, result = reduced(armature, swinging(armature))
    of_bone: dict[str, set[tuple[float, ...]]] = {}
    for (path, _), curve in builders.by_address(result).items():
        frames = tuple(key.co[0] for key in curve.keyframe_points)
        if "scale" in path:
            assert frames == (1.0,)
        else:
            of_bone.setdefault(path.split('"')[1], set()).add(frames)
    assert {name: len(each) for name, each in of_bone.items()} == {"A": 1, "B": 1}


def test_an_edited_key_moves_only_its_neighbourhood(armature: Any) -> None:
    _, result = reduced(armature, swinging(armature))
    curve = builders.by_address(result)[builders.bone_path("B", "rotation_euler"), 1]
    frames = builders.sub_frames(1, 61)
    before = np.array([curve.evaluate(frame) for frame in frames])
    middle = len(curve.keyframe_points) // 2
    beside = [curve.keyframe_points[middle + i].co[0] for i in (-1, 1)]
    key = curve.keyframe_points[middle]
    for point in (key.co, key.handle_left, key.handle_right):
        point[1] += 0.5
    curve.update()
    after = np.array([curve.evaluate(frame) for frame in frames])
    outside = (frames <= beside[0]) | (frames >= beside[1])
    np.testing.assert_allclose(after[outside], before[outside], atol=1e-6)
    assert np.abs(after - before).max() == pytest.approx(0.5, abs=0.01)


def test_planted_feet_stay_within_a_millimetre(fresh_file: None) -> None:
    armature = wanderer.with_clips()
    made = bpy.data.actions["Walk"]
    planted = finish(contacts.read_contacts_steps(read_character(armature), clip_store.read(armature, made)))
    report, result = reduced(armature, made, tolerance_cm=1.5)
    after = contacts.placed_in(read_character(armature), planted, clip_store.read(armature, result))
    off = np.linalg.norm(after.points - planted.points, axis=2)
    first, last = made.frame_range
    for leg in range(len(planted.legs)):
        spans = on_frames(planted.at(leg, first, last), planted.frames)
        assert spans
        for begin, end in spans:
            inside = planted.frames[begin : end + 1]
            assert off[begin : end + 1, leg][(inside >= first) & (inside <= last)].max(initial=0.0) <= 0.001
    assert report.deviation.stance is not None
    assert report.deviation.stance <= 0.001


def test_a_result_is_made_anew_from_its_recipe(armature: Any) -> None:
    made = swinging(armature)
    report, result = reduced(armature, made, tolerance_cm=2.0)
    stored = recipe_reader.read_recipe(result, bake.KIND).settings
    assert stored == FewerKeysSettings("Take", tolerance_cm=2.0, result="Take fewer keys")
    count = len(bpy.data.actions)
    again = finish(bake.reduce_keys_steps(armature, stored, result))
    assert (again.result, again.keys, len(bpy.data.actions)) == (report.result, report.keys, count)
    assert recipe.kind(bpy.data.actions["Take fewer keys"]) == bake.KIND


def test_an_action_that_can_spare_no_key_is_refused_and_stays(armature: Any) -> None:
    short, stepped = builders.action("Short"), builders.action("Stepped")
    builders.curve(short, builders.bone_path("B", "location"), 0, [(1, 0.0), (20, 1.0)])
    points = [(frame, float(frame % 3)) for frame in range(1, 20)]
    builders.curve(stepped, builders.bone_path("B", "location"), 0, points, "CONSTANT")
    before = file_state.everything()
    for made in (short, stepped):
        with pytest.raises(InertiaError, match="no keys that it could do without"):
            reduced(armature, made)
    assert file_state.differences(before, file_state.everything()) == {}


def test_a_constrained_bone_is_measured_as_blender_plays_it(armature: Any) -> None:
    made = swinging(armature)
    limit = armature.pose.bones["B"].constraints.new("LIMIT_ROTATION")
    limit.use_limit_x, limit.max_x, limit.min_x, limit.owner_space = True, 0.1, -0.1, "LOCAL"
    report, result = reduced(armature, made, tolerance_cm=1.0)
    assert report.keys < report.keys_before
    assert furthest(armature, made, result, builders.sub_frames(1, 61, 0.5)) <= 0.01


@pytest.mark.parametrize("name", ["cmu02"])
def test_a_captured_clip_is_told_by_few_keys(name: str, data_dir: Path) -> None:
    armature, actions = clips.load(name, data_dir)
    made = bpy.data.actions[actions[0]]
    first, _ = made.frame_range
    cut_after(made, first + 120.0)
    report, result = reduced(armature, made, tolerance_cm=0.5)
    assert report.keys <= 0.15 * report.keys_before
    first, last = made.frame_range
    assert furthest(armature, made, result, np.arange(first, last + 0.25, 0.5)[::3]) <= 0.005
    assert report.deviation.stance is None or report.deviation.stance <= 0.001
