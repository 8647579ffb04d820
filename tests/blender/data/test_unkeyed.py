# SPDX-License-Identifier: GPL-3.0-or-later
"""What a channel shows that a clip does not key: the same for all that ask, whatever played before."""

from __future__ import annotations

import itertools
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender import files
from inertia_addon.blender.cost import costing
from inertia_addon.blender.data import compat, rigs, scene, unkeyed
from inertia_addon.blender.data.rig import armatures
from inertia_addon.blender.evaluation import influence, joint_motion
from inertia_addon.blender.evaluation.character import read_character
from inertia_addon.blender.transition import bake, completing
from inertia_addon.errors import InertiaError
from inertia_addon.motion.steps import finish
from inertia_addon.settings.transition import TransitionSettings
from tests.blender import builders, clips
from tests.players import gltf

LEAN = (math.cos(0.3), math.sin(0.3), 0.0, 0.0)
"""How the arm of the small rig stands where nothing keys it."""


@pytest.fixture
def armature(fresh_file: None) -> Any:
    """A body that both clips key, and an arm that stands askew, with a hand."""
    return builders.rig({"Body": None, "Arm": "Body", "Hand": "Arm"})


def clip(name: str, *bones: str) -> Any:
    """An action in which some bones swing."""
    made = builders.action(name)
    for i, bone in enumerate(bones):
        turns = [
            (frame, (math.cos(angle), 0.0, math.sin(angle), 0.0))
            for frame, angle in ((1, 0.2 + 0.1 * i), (11, 0.5), (31, 0.3))
        ]
        builders.curves(made, builders.bone_path(bone, "rotation_quaternion"), turns)
    return made


def standing(armature: Any, bone: str) -> list[float]:
    """The rotation of a bone where nothing keys it."""
    found, path = unkeyed.of_bones(armature), builders.bone_path(bone, "rotation_quaternion")
    return [found.get((path, i), float(i == 0)) for i in range(4)]


def imported(armature: Any) -> None:
    """As after an import: the pose is in the bones, and no action has played yet."""
    armature.pose.bones["Arm"].rotation_quaternion = LEAN
    unkeyed.note(armature)


def assign(armature: Any, action: Any) -> None:
    armature.animation_data_create()
    compat.assign(armature, action, "OBRig" if compat.has_slots() else "")


def test_an_unkeyed_bone_stands_as_it_is(armature: Any) -> None:
    armature.pose.bones["Arm"].rotation_quaternion = LEAN
    assign(armature, clip("Walk", "Body"))
    assert standing(armature, "Arm") == pytest.approx(LEAN)
    assert standing(armature, "Body") == [1.0, 0.0, 0.0, 0.0]


def test_an_unkeyed_bone_that_an_action_of_the_file_has_moved_is_at_rest(armature: Any) -> None:
    walk, wave = clip("Walk", "Body"), clip("Wave", "Body", "Arm", "Hand")
    for frame in (1, 7, 31):
        assign(armature, wave)
        bpy.context.scene.frame_set(frame)
        assert standing(armature, "Arm") == [1.0, 0.0, 0.0, 0.0]
        assign(armature, walk)
        bpy.context.scene.frame_set(frame + 2)
        assert standing(armature, "Arm") == [1.0, 0.0, 0.0, 0.0]


def test_an_unkeyed_bone_that_modifiers_of_an_action_have_moved_is_at_rest(armature: Any) -> None:
    walk, wave = clip("Walk", "Body"), clip("Wave", "Body", "Arm")
    for curve in clips.all_curves(wave):
        generator = curve.modifiers.new("GENERATOR")
        generator.use_additive = True
        generator.coefficients = (0.1, 0.0)
    assign(armature, wave)
    bpy.context.scene.frame_set(7)
    assign(armature, walk)
    bpy.context.scene.frame_set(9)
    assert standing(armature, "Arm") == [1.0, 0.0, 0.0, 0.0]


def test_two_actions_may_have_left_it_one_after_the_other(armature: Any) -> None:
    wave, point = clip("Wave", "Body", "Arm", "Hand"), clip("Point", "Hand")
    for action, frame in ((wave, 9), (point, 20), (clip("Walk", "Body"), 5)):
        assign(armature, action)
        bpy.context.scene.frame_set(frame)
    assert standing(armature, "Arm") == standing(armature, "Hand") == [1.0, 0.0, 0.0, 0.0]


def test_a_hand_made_pose_counts_though_another_action_keys_the_bone(armature: Any) -> None:
    clip("Wave", "Body", "Arm")
    assign(armature, clip("Walk", "Body"))
    armature.pose.bones["Arm"].rotation_quaternion = LEAN
    assert standing(armature, "Arm") == pytest.approx(LEAN)


def test_a_noted_pose_of_unkeyed_bones_holds_whatever_has_played(armature: Any) -> None:
    imported(armature)
    for action in (clip("Wave", "Body", "Arm"), clip("Walk", "Body"), None):
        assign(armature, action)
        bpy.context.scene.frame_set(13)
        assert standing(armature, "Arm") == pytest.approx(LEAN)


def test_a_noted_pose_is_the_same_to_the_bit_where_an_action_comes_close_to_it(armature: Any) -> None:
    """What was analysed is else taken for changed once another action plays."""
    imported(armature)
    walk = clip("Walk", "Body")
    builders.curves(
        walk, builders.bone_path("Arm", "rotation_quaternion"), [(1, LEAN), (9, (1.0, 0.0, 0.0, 0.0))]
    )
    assign(armature, walk)
    seen = set()
    for off in (0.0, 3e-7, -3e-7):
        bpy.context.scene.frame_set(1)
        armature.pose.bones["Arm"].rotation_quaternion = (LEAN[0], LEAN[1] + off, 0.0, 0.0)
        seen.add(unkeyed.key(armature))
    bpy.context.scene.frame_set(9)
    assert seen == {unkeyed.key(armature)}


def test_the_objects_own_transform_is_as_it_was_noted_in_its_own_rotation_mode(armature: Any) -> None:
    armature.rotation_mode, armature.rotation_euler = "ZXY", (0.1, 0.2, 0.3)
    armature.location = (1.0, 2.0, 3.0)
    imported(armature)
    action = builders.action("Turn")
    for path in ("rotation_euler", "location"):
        for i in range(3):
            builders.wave(action, path, i, 0.5, middle=4.0)
    assign(armature, action)
    bpy.context.scene.frame_set(13)
    found = unkeyed.of_object(armature)
    assert [found["rotation_euler", i] for i in range(3)] == pytest.approx([0.1, 0.2, 0.3])
    assert [found["location", i] for i in range(3)] == pytest.approx([1.0, 2.0, 3.0])


def test_a_muted_track_is_not_playing(armature: Any) -> None:
    """So imports of glTF files leave all their clips."""
    armature.pose.bones["Arm"].rotation_quaternion = LEAN
    wave = clip("Wave", "Body", "Arm")
    track = armature.animation_data_create().nla_tracks.new()
    strip = track.strips.new("Wave", 1, wave)
    builders.set_strip_slot(strip, "OBRig")
    track.mute = True
    assert standing(armature, "Arm") == pytest.approx(LEAN)
    track.mute = False
    assert standing(armature, "Arm") == [1.0, 0.0, 0.0, 0.0]


def test_a_note_ends_where_the_rest_pose_is_edited(armature: Any) -> None:
    imported(armature)
    assign(armature, clip("Wave", "Body", "Arm"))
    bpy.context.scene.frame_set(9)
    bpy.ops.object.mode_set(mode="EDIT")
    armature.data.edit_bones["Arm"].tail = (1.0, 0.0, 1.0)
    bpy.ops.object.mode_set(mode="OBJECT")
    assert standing(armature, "Arm") == [1.0, 0.0, 0.0, 0.0]


def test_looking_leaves_no_note_in_the_file(armature: Any) -> None:
    imported(armature)
    walk, wave = clip("Walk", "Body"), clip("Wave", "Body", "Arm")
    assign(armature, wave)
    settings = TransitionSettings(walk.name, wave.name, 11.0)
    pair = costing.read_pair(armature, settings)
    finish(costing.motions(armature, pair))
    bake.plan_transition(armature, settings)
    assert list(armature.keys()) == []


def test_a_note_is_saved_with_what_was_made(armature: Any, tmp_path: Path) -> None:
    imported(armature)
    walk, wave = clip("Walk", "Body"), clip("Wave", "Body", "Arm")
    assign(armature, wave)
    bpy.context.scene.frame_set(9)
    builders.transition(armature, walk, wave, 11.0)
    for action in (walk, wave):
        action.use_fake_user = True
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "rig.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "rig.blend"))
    (armature,) = armatures()
    assert standing(armature, "Arm") == pytest.approx(LEAN)


@pytest.mark.parametrize("in_use", ["Walk", "Wave", None])
def test_bakes_costs_ghosts_and_playing_agree(
    armature: Any, in_use: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They all have the arm where the import put it, whichever action is in use."""
    imported(armature)
    actions = {"Walk": clip("Walk", "Body"), "Wave": clip("Wave", "Body", "Arm")}
    assign(armature, actions.get(in_use))
    bpy.context.scene.frame_set(9)
    settings = TransitionSettings("Walk", "Wave", 21.0, 1.0, alignment="NONE")
    pair = costing.read_pair(armature, settings)
    ours = finish(costing.motions(armature, pair))[0]
    with monkeypatch.context() as patch:
        patch.setattr(influence, "why_not_plain", lambda *_: "for the sake of comparison")
        played = finish(costing.motions(armature, pair))[0]
    np.testing.assert_allclose(ours.positions, played.positions, atol=1e-5)
    hand = np.array(builders_hand(ours.positions[0]))
    assert hand == pytest.approx(math.cos(0.6), abs=1e-5)
    plan = bake.plan_transition(armature, settings)
    frames = np.array([1.0, 8.5, 21.0])
    ghost = joint_motion.joint_positions(
        rigs.read(armature), plan.slots[0].curves, frames, plan.clips[0].unkeyed
    )
    result = bpy.data.actions[bake.write_plan(plan).result]
    shown = clips.poses(armature, frames)[..., :3, 3]
    np.testing.assert_allclose(ghost, shown, atol=1e-5)
    np.testing.assert_allclose(ours.positions[[0, 20]], shown[[0, 2]], atol=1e-5)
    assert compat.assigned(armature)[0] == result


def builders_hand(positions: Any) -> float:
    """How far the arm leans: the height of the hand above its joint, as a part of its length."""
    arm, hand = positions[1], positions[2]
    body = arm - positions[0]
    return float((hand - arm) @ body / (np.linalg.norm(hand - arm) * np.linalg.norm(body)))


def test_bones_that_neither_clip_keys_go_back_when_the_result_is_assigned(armature: Any) -> None:
    imported(armature)
    walk, run = clip("Walk", "Body"), clip("Run", "Body")
    assign(armature, clip("Wave", "Arm", "Hand"))
    bpy.context.scene.frame_set(9)
    _, result = builders.transition(armature, walk, run, 11.0)
    assert not any("Arm" in path for path, _ in builders.by_address(result))
    bpy.context.scene.frame_set(15)
    assert list(armature.pose.bones["Arm"].rotation_quaternion) == pytest.approx(LEAN)
    assert list(armature.pose.bones["Hand"].rotation_quaternion) == [1.0, 0.0, 0.0, 0.0]


@pytest.mark.parametrize("kind", [".bvh", ".glb", ".fbx"])
def test_an_export_has_unkeyed_bones_at_rest(armature: Any, tmp_path: Path, kind: str) -> None:
    """What the action that is written does not key is not left from the one that is in use."""
    imported(armature)
    walk, wave = clip("Walk", "Body"), clip("Wave", "Body", "Arm")
    assign(armature, walk)
    wanted = clips.poses(armature, np.array([9.0]))[0, :, :3, 3]
    assign(armature, wave)
    bpy.context.scene.frame_set(20)
    before = clips.poses(armature, np.array([20.0]))
    files.save(tmp_path / f"out{kind}", armature, walk.name, "OBRig" if compat.has_slots() else "")
    np.testing.assert_array_equal(clips.poses(armature, np.array([20.0])), before)
    files.load([tmp_path / f"out{kind}"])
    (armature,) = armatures()
    frame = 9.0 + {".bvh": 0.0, ".glb": -1.0, ".fbx": 1.0}[kind]  # where each kind begins to count
    shown = dict(zip(armature.pose.bones.keys(), clips.poses(armature, np.array([frame]))[0], strict=True))
    found = [shown[name][:3, 3] for name in ("Body", "Arm", "Hand")]
    np.testing.assert_allclose(found, wanted, atol=1e-4)


def test_an_unkeyed_channel_is_named_with_its_angle(armature: Any) -> None:
    imported(armature)
    report, _ = builders.transition(armature, clip("Walk", "Body"), clip("Wave", "Body", "Arm"), 11.0)
    (channel,) = report.unkeyed
    assert (channel.action, channel.bone, channel.kind) == ("Walk", "Arm", "rotation")
    assert channel.away == pytest.approx(math.degrees(0.6), rel=1e-5)
    assert any('"Arm"' in text and "34.4\N{DEGREE SIGN}" in text for text in report.warnings)


def test_unkeyed_channels_of_an_action_are_told_in_one_sentence(armature: Any) -> None:
    imported(armature)
    for name in ("Arm", "Hand"):
        armature.pose.bones[name].location = (0.1, 0.0, 0.0)
        armature.pose.bones[name].scale = (1.5, 1.5, 1.5)
    unkeyed.note(armature)
    walk, wave = clip("Walk", "Body"), clip("Wave", "Body", "Arm", "Hand")
    for name, prop in itertools.product(("Arm", "Hand"), ("location", "scale")):
        for i in range(3):
            builders.curve(wave, builders.bone_path(name, prop), i, [(1, 1.0), (20, 1.0)])
    report, _ = builders.transition(armature, walk, wave, 11.0)
    assert len(report.unkeyed) > 4
    (said,) = [text for text in report.warnings if "from rest" in text]
    assert '"Arm"' in said
    assert '"Hand"' in said
    assert "Complete Clips" in said


def test_an_unkeyed_channel_that_nobody_sees_is_not_told_of(armature: Any) -> None:
    """An arm that stands a twentieth of a degree askew stands at rest."""
    half = math.radians(0.05) / 2.0
    armature.pose.bones["Arm"].rotation_quaternion = (math.cos(half), math.sin(half), 0.0, 0.0)
    unkeyed.note(armature)
    report, _ = builders.transition(armature, clip("Walk", "Body"), clip("Wave", "Body", "Arm"), 11.0)
    assert report.unkeyed == ()
    assert not any("from rest" in text for text in report.warnings)


def test_completed_clips_look_as_before_and_alike(armature: Any) -> None:
    imported(armature)
    walk, wave = clip("Walk", "Body"), clip("Wave", "Body", "Arm")
    kept = clips.contents(wave)
    done = completing.complete(armature, [(walk, ""), (wave, "")])
    assert [(one.action, one.channels, one.bones) for one in done] == [("Walk", 4, ("Arm",))]
    assert clips.contents(wave) == kept
    assert builders.by_address(walk).keys() == builders.by_address(wave).keys()
    assign(armature, wave)
    bpy.context.scene.frame_set(17)
    assign(armature, walk)
    bpy.context.scene.frame_set(5)
    assert list(armature.pose.bones["Arm"].rotation_quaternion) == pytest.approx(LEAN)
    assert completing.complete(armature, [(walk, ""), (wave, "")]) == []


def test_linked_clips_are_not_completed(armature: Any, tmp_path: Path) -> None:
    library = tmp_path / "library.blend"
    walk, wave = clip("Walk", "Body"), clip("Wave", "Body", "Arm")
    bpy.data.libraries.write(str(library), {walk}, fake_user=True)
    bpy.data.actions.remove(walk)
    with bpy.data.libraries.load(str(library), link=True) as (_, wanted):
        wanted.actions = ["Walk"]
    kept = clips.contents(wave)
    with pytest.raises(InertiaError, match=r'"Walk" is linked .* make it local first'):
        completing.complete(armature, [(wave, ""), (bpy.data.actions["Walk"], "")])
    assert clips.contents(wave) == kept


@pytest.mark.data
@pytest.mark.variants(1)
@pytest.mark.parametrize(("name", "most"), [("Trex", 20.0), ("Wasp", 10.0)])
def test_files_that_leave_out_channels_are_played_as_they_are(name: str, most: float, data_dir: Path) -> None:
    """Every clip, evaluated, has its joints where the file has them, node by node."""
    path = data_dir / "glb" / "wild" / f"{name}.glb"
    files.load([path])
    (armature,) = armatures()
    player = gltf.Player(path)
    nodes = [player.names.index(bone) for bone in armature.data.bones.keys()]
    worst = 0.0
    for title in player.clips:
        action = bpy.data.actions.get(title) or bpy.data.actions[f"{title}_{armature.name}"]
        settings = TransitionSettings(action.name, action.name, 1.0)
        pair = costing.read_pair(armature, settings)
        frames = np.array([1.0, 4.5, 10.0])
        motion = joint_motion.evaluate(read_character(armature), pair.source, frames, pair.root)
        for frame, positions in zip(frames, motion.positions, strict=True):
            wanted = player.worlds(title, frame / scene.fps())[nodes, :3, 3]
            np.testing.assert_allclose(positions, wanted, atol=1e-4 * np.ptp(wanted, axis=0).max())
            worst = max(worst, float(np.abs(wanted).max()))
    assert worst > most / 100.0


def test_a_blend_file_that_is_opened_shows_the_pose_that_it_stores(armature: Any, tmp_path: Path) -> None:
    """Also where another action shows just that; and what plays leaves nothing behind."""
    walk, wave = clip("Walk", "Body"), clip("Wave", "Hand")
    lean = [(frame, LEAN) for frame in (1, 31)]
    builders.curves(clip("Lean", "Body"), builders.bone_path("Arm", "rotation_quaternion"), lean)
    body = armature.pose.bones["Body"]
    armature.pose.bones["Arm"].rotation_quaternion = LEAN
    body.rotation_quaternion = (math.cos(0.2), 0.0, math.sin(0.2), 0.0)  # as "Lean" has it on frame 1
    assign(armature, walk)
    for action in (walk, wave, bpy.data.actions["Lean"]):
        action.use_fake_user = True
    path = tmp_path / "stored.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    files.load([path])
    opened = bpy.data.objects["Rig"]
    assert standing(opened, "Arm") == pytest.approx(LEAN, abs=1e-6)
    assert standing(opened, "Body") == [1.0, 0.0, 0.0, 0.0]
    # whatever has played since
    assign(opened, bpy.data.actions["Lean"])
    bpy.context.scene.frame_set(20)
    assign(opened, bpy.data.actions["Wave"])
    bpy.context.scene.frame_set(5)
    assert standing(opened, "Arm") == pytest.approx(LEAN, abs=1e-6)
    assert unkeyed.NOTE not in opened


@pytest.mark.parametrize("suffix", [".bvh", ".glb", ".fbx"])
def test_a_muted_curve_is_written_as_blender_plays_it(armature: Any, tmp_path: Path, suffix: str) -> None:
    """Not at all: where another action has left the bone does not count, nor what the curve would say."""
    clip("Wave", "Body", "Arm")
    swing = clip("Swing", "Body", "Arm")
    for curve in compat.curves(swing, compat.slots(swing)[0].identifier if compat.has_slots() else ""):
        curve.mute = '"Arm"' in curve.data_path
    assign(armature, bpy.data.actions["Wave"])
    bpy.context.scene.frame_set(11)
    slot = next((one.identifier for one in compat.slots(swing)), "")
    path = tmp_path / f"out{suffix}"
    files.save(path, armature, "Swing", slot)
    files.load([path])
    (read,) = armatures()
    for frame in (1, 11, 25):
        bpy.context.scene.frame_set(frame)
        arm, body = (read.pose.bones[name] for name in ("Arm", "Body"))
        here = (body.matrix.inverted() @ arm.matrix).to_quaternion()
        rest = (body.bone.matrix_local.inverted() @ arm.bone.matrix_local).to_quaternion()
        assert here.rotation_difference(rest).angle == pytest.approx(0.0, abs=2e-3)
