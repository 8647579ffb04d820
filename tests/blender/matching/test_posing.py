# SPDX-License-Identifier: GPL-3.0-or-later
"""What is shown while a character is steered is what its take plays, once that is baked."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest
from mathutils import Quaternion

from inertia_addon.blender import files
from inertia_addon.blender.data import actions, clip_store, compat, rigs, scene
from inertia_addon.blender.data.rig import armatures
from inertia_addon.blender.evaluation import joint_motion, joints
from inertia_addon.blender.evaluation.character import read_character
from inertia_addon.blender.feet import contacts
from inertia_addon.blender.feet import legs as leg_list
from inertia_addon.blender.matching import action_set, bake, posing, search
from inertia_addon.blender.matching.bake import PathReport
from inertia_addon.blender.matching.posing import PosedArmature
from inertia_addon.motion.steering import posing as poses
from inertia_addon.motion.steering import session
from inertia_addon.motion.steps import finish
from inertia_addon.settings.matching import PathSettings, joined_by
from inertia_addon.settings.steering import SteerSettings
from inertia_addon.settings.transition import TransitionSettings
from tests.blender import builders, led_walker, stepper, wanderer
from tests.blender.clips import with_clips

SHORT = ("0,0,0", "0.3,0,-0.6", "1.0,0.6,0", "1.7,0,0")
LONG = ("0,0,0", "0.5,0,-0.6", "1.5,0.6,0", "2.7,0,0.6,45", "3.8,0,0", "4.4,0,0")
ROWS = ("0,0,0", "0.4,0,-0.6", "1.2,0.6,0", "2.0,0,0.6,45", "2.8,0,0", "3.2,0,0")


def asked(**values: Any) -> PathSettings:
    own = TransitionSettings(**joined_by({"assign": False, "feet": "OFF", **values}))
    return PathSettings(own, wanderer.CLIPS, mirror=True, wishes=ROWS, start=(1.0, 2.0, -60.0), width=4)


def told_in(armature: Any, mode: str) -> None:
    """Have the keys of the feet be in another rotation mode."""
    for bone in ("foot.L", "foot.R"):
        armature.pose.bones[bone].rotation_mode = mode
        path = builders.bone_path(bone, "rotation_quaternion")
        for action in bpy.data.actions:
            curves = next(found for found in wanderer.bags(action) if len(found))
            turns = [curves.find(path, index=i) for i in range(4)]
            frames = [point.co[0] for point in turns[0].keyframe_points]
            values = np.array([[curve.evaluate(frame) for curve in turns] for frame in frames])
            for curve in turns:
                curves.remove(curve)
            raw = [Quaternion(value) for value in values]
            told = [tuple(one.to_euler("XYZ")) if mode == "XYZ" else (one.angle, *one.axis) for one in raw]
            prop = "rotation_euler" if mode == "XYZ" else "rotation_axis_angle"
            keys = [*zip(frames, told, strict=True)]
            builders.curves(action, builders.bone_path(bone, prop), keys, slot="OB" + armature.name)


def heads(armature: Any) -> np.ndarray[Any, Any]:
    bpy.context.view_layer.update()
    world = armature.matrix_world
    return np.array([world @ bone.head for bone in armature.pose.bones])


def tips(armature: Any) -> np.ndarray[Any, Any]:
    """Where the ends of the toes are (2, 3), as they are shown."""
    world, bones = armature.matrix_world, armature.pose.bones
    return np.array([world @ bones["toe" + side].tail for side in (".L", ".R")])


@pytest.mark.variants(1)
@pytest.mark.parametrize("mode", ["QUATERNION", "XYZ", "AXIS_ANGLE"])
@pytest.mark.parametrize("how", [{}, {"method": "SPRING", "half_life": 0.15}, {"feet": "LOCK"}])
def test_a_steered_pose_is_shown_as_it_is_baked(mode: str, how: dict[str, Any]) -> None:
    armature = wanderer.with_clips()
    if mode != "QUATERNION":
        told_in(armature, mode)
    own = asked(**how)
    assert len(check_shown(armature, own).cut_frames) > 3


def check_shown(armature: Any, own: PathSettings, toes: list[Any] | None = None) -> PathReport:
    """Steer an armature, and see that its take, once baked, plays what was shown; returns what was baked.
    toes: takes where their ends were shown."""
    weights = {joint.bone: joint.weight for joint in joints.default_joints(armature)}
    analysed = finish(action_set.analyse_steps(read_character(armature), own, weights))
    poser = finish(posing.read_poser_steps(read_character(armature), analysed, own))
    led, fps = search.make_steering(analysed, own), analysed.database.fps
    moments = finish(session.steps(led, session.Wishes.of(own.wished, fps), np.array([1.0, 2.0]), -np.pi / 3))
    before = [action.name for action in bpy.data.actions]
    compat.assign(armature, None)
    toes = [] if toes is None else toes
    shown, written = [], PosedArmature.of(armature, rigs.read(armature))
    stood = [(one, one.matrix_basis.copy()) for one in (armature, *armature.pose.bones)]
    pose = posing.make_poser(read_character(armature), analysed, own, poser)
    for moment in moments:
        written.write(armature, pose(moment))
        shown.append(heads(armature))
        toes.append(tips(armature) if "toe.L" in armature.pose.bones else np.empty((0, 3)))
    # what is baked stands on what no key moves
    for one, basis in stood:
        one.matrix_basis = basis
    assert [action.name for action in bpy.data.actions] == before
    report = finish(bake.bake_way_steps(armature, search.taken(analysed, own, led, moments)))
    clip = clip_store.read(armature, actions.find(report.result), report.slot)
    frames = report.frame_range[0] + np.arange(len(moments), dtype=float) * analysed.step
    baked = finish(joint_motion.positions(read_character(armature), clip, frames))
    off = np.linalg.norm(np.array(shown) - baked, axis=-1)
    assert off.max() < 0.001
    compat.assign(armature, actions.find(report.result), report.slot)
    for frame, shown_tips in zip(frames.tolist(), toes, strict=True):
        bpy.context.scene.frame_set(int(np.floor(frame)), subframe=frame % 1.0)
        if len(shown_tips):
            np.testing.assert_allclose(shown_tips, tips(armature), atol=0.001)
    gone = np.linalg.norm([each.ground - moments[0].ground for each in moments], axis=1)
    assert gone.max() > 0.5
    return report


def test_a_character_taken_at_its_word_is_shown_as_baked_and_does_not_pop() -> None:
    """A filter lets a wish go: the pose is joined in that moment, as smoothly as at any other join."""
    armature = wanderer.with_clips()
    calm = SteerSettings(filter_half_life=0.2, snap_speed=0.4, snap_angle=90.0, synchronise=True)
    own = dataclasses.replace(asked(), steer=calm, wishes=SHORT)
    report = check_shown(armature, own)
    cuts = [(frame - report.frame_range[0]) / scene.fps() for frame in report.cut_frames]
    # the first wish is 0.6 m/s away, and the next one to the side
    assert min(abs(each - 0.3) for each in cuts) < 0.02
    baked, frames = actions.find(report.result), np.arange(*report.frame_range)
    heads = joint_motion.positions(
        read_character(armature), clip_store.read(armature, baked, report.slot), frames
    )
    jumps = np.abs(np.diff(finish(heads), 2, axis=0)).max(axis=(1, 2))
    near = np.zeros(len(jumps), bool)
    for cut in cuts:
        near |= np.abs((np.arange(len(jumps)) + 1) / scene.fps() - cut) < 0.1
    assert jumps[near].max() < 2.0 * jumps[~near].max()


def test_a_control_rig_is_shown_as_it_is_baked(fresh_file: None) -> None:
    armature = led_walker.led()
    for name, late in (("Walk", 0.0), ("Late", 0.2)):
        led_walker.walk(armature, name, frames=61, late=late)
    own = dataclasses.replace(
        asked(), actions=("Walk", "Late"), mirror=False, wishes=(*SHORT[:2], "1.2,0.6,0")
    )
    check_shown(armature, own)


@pytest.mark.parametrize("kind", ["ABOVE", "WITH_HEELS"])
def test_toes_are_above_the_ground_while_one_steers(fresh_file: None, kind: str) -> None:
    armature, shown = stepper.biped(), list[Any]()
    stepper.walk(armature, "Walk", frames=61)
    own = asked(feet="LOCK", toes=kind, toe_height=0.05)
    check_shown(armature, dataclasses.replace(own, actions=("Walk",), mirror=False, wishes=SHORT), shown)
    (leg, _) = leg_list.of_armature(armature)
    # both feet have stood by then, on flat toes 2 cm above the ground
    heights = np.array(shown)[round(1.5 * stepper.FPS) :, :, 2]
    assert heights.min() > 0.02 + 0.05 * leg.length - 1e-3


def test_clips_that_never_turn_are_steered(fresh_file: None) -> None:
    """One that goes on from its end into its beginning is bent, and one that does not."""
    armature = stepper.biped()
    for name, frames, late in (("Walk", 61, 0.0), ("Late", 73, 0.2)):
        stepper.walk(armature, name, frames=frames, late=late)
    own = dataclasses.replace(asked(), actions=("Walk", "Late"), mirror=False, wishes=SHORT)
    check_shown(armature, own)


@pytest.mark.variants(1)
@pytest.mark.parametrize("first", [4.0, 3.5, -20.25])
def test_a_take_may_begin_between_frames(first: float) -> None:
    armature = wanderer.with_clips()
    check_shown(armature, dataclasses.replace(asked(feet="LOCK"), first_frame=first, wishes=SHORT))


@pytest.mark.variants(1)
@pytest.mark.parametrize("feet", ["OFF", "LOCK"])
def test_clips_in_place_are_steered(fresh_file: None, feet: str) -> None:
    armature = stepper.biped()
    stepper.walk(armature, "Walk", frames=61, skate=-stepper.STRIDE)
    own = dataclasses.replace(asked(feet=feet), actions=("Walk",), mirror=False, wishes=SHORT)
    check_shown(armature, own)


def test_feet_stand_between_the_frames_that_are_shown_too() -> None:
    armature = wanderer.with_clips()
    bpy.context.scene.render.fps = 48
    for action in bpy.data.actions:
        for curve in (curve for curves in wanderer.bags(action) for curve in curves):
            for point in curve.keyframe_points:
                point.co[0] = 1.0 + 2.0 * (point.co[0] - 1.0)
            curve.update()
    report = check_shown(
        armature, dataclasses.replace(asked(feet="LOCK"), wishes=(*ROWS[:3], "2.4,0,0.6,45"))
    )
    first, last = report.frame_range
    action, legs = actions.find(report.result), leg_list.of_armature(armature)
    clip, held = clip_store.read(armature, action, report.slot), contacts.read_held(action)
    frames = np.arange(first, last + 0.5)
    points = finish(
        joint_motion.track_points_steps(
            read_character(armature), clip, [(leg.point, leg.offset) for leg in legs], frames
        )
    )
    moved = [
        np.ptp(points[int(span.start - first) : int(span.end - first) + 1, k, :2], axis=0)
        for k, leg in enumerate(legs)
        for span in held[leg.name]
        if span.end - span.start > 8
    ]
    assert len(moved) > 5
    assert np.max(moved) < 1e-3


def four_legged() -> Any:
    """Two bipeds in one, one behind the other: an armature with four legs, on its back bone."""
    armature = stepper.biped("Four")
    legs = ("thigh", "shin", "foot")
    bpy.ops.object.mode_set(mode="EDIT")
    bones = armature.data.edit_bones
    for side in (".L", ".R"):
        for upper, name in zip((None, *legs), legs, strict=False):
            bone, fore = bones[name + side], bones.new("fore" + name + side)
            fore.head, fore.tail, fore.roll = bone.head, bone.tail, bone.roll
            fore.head.y -= 0.8
            fore.tail.y -= 0.8
            fore.parent = bones["hips"] if upper is None else bones["fore" + upper + side]
    bpy.ops.object.mode_set(mode="OBJECT")
    return armature


@pytest.mark.variants(1)
@pytest.mark.parametrize("feet", ["OFF", "LOCK"])
def test_a_quadruped_is_shown_as_it_is_baked(fresh_file: None, feet: str) -> None:
    armature = four_legged()
    for name, turn in (("Trot", 0.02), ("Bend", 0.5)):
        made = wanderer.turning(armature, name, turn, frames=61)
        for curves in wanderer.bags(made):
            for curve in [one for one in curves if "thigh" in one.data_path or "shin" in one.data_path]:
                # diagonal legs go together
                swap = str.maketrans("LR", "RL")
                path = curve.data_path.replace('["', '["fore').translate(swap)
                keys = [(point.co[0], point.co[1]) for point in curve.keyframe_points]
                builders.curve(made, path, curve.array_index, keys, slot="OB" + armature.name)
    own = dataclasses.replace(asked(feet=feet), actions=("Trot", "Bend"), mirror=False, wishes=SHORT)
    check_shown(armature, own)


@pytest.mark.variant_of("tests/blender/matching/test_posing.py::test_a_steered_pose_is_shown_as_it_is_baked")
@pytest.mark.parametrize(
    ("name", "clips"),
    [
        # its feet hang from no leg, and are moved
        ("wild/Trex", ("Armature|TRex_Walk", "Armature|TRex_Run")),
        ("wild/spider", ("Walk",)),
        ("KayKit_Knight", ("Walking_A", "Running_A")),
        ("Fox", ("Walk", "Run")),
    ],
)
def test_rigs_of_others_are_shown_as_they_are_baked(
    fresh_file: None, data_dir: Path, tmp_path: Path, name: str, clips: tuple[str, ...]
) -> None:
    file = tmp_path / "few_clips.glb"
    with_clips(data_dir / "glb" / f"{name}.glb", file, lambda held: [one for one in held if one in clips])
    files.load([file])
    armature = max(armatures(), key=lambda one: len(one.pose.bones))
    compat.assign(armature, None)
    for bone in armature.pose.bones:
        bone.matrix_basis.identity()
    # some Blenders add what the action is of
    names = [next(one.name for one in bpy.data.actions if one.name.startswith(clip)) for clip in clips]
    own = dataclasses.replace(asked(feet="LOCK"), actions=tuple(names), mirror=False, wishes=SHORT)
    check_shown(armature, own)


def test_a_take_that_goes_back_is_shown_as_before_and_keeps_few_joins(
    fresh_file: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(poses, "RECENT", 2)
    monkeypatch.setattr(poses, "EVERY", 3)
    armature, own = wanderer.with_clips(), dataclasses.replace(asked(), wishes=LONG)
    analysed = finish(
        action_set.analyse_steps(
            read_character(armature), own, dict.fromkeys(("hips", "shin.L", "shin.R"), 1.0)
        )
    )
    poser, led = (
        finish(posing.read_poser_steps(read_character(armature), analysed, own)),
        search.make_steering(analysed, own),
    )
    asked_for = session.Wishes.of(own.wished, analysed.database.fps)
    moments = finish(session.steps(led, asked_for, np.array([1.0, 2.0]), -np.pi / 3))
    shown = [poser.pose(moment) for moment in moments]
    assert len(moments[-1].joins) > 5
    assert len(poser._segments) <= 2 + len(moments[-1].joins) / 3 + 1
    for i in (len(moments) - 1, len(moments) // 2, 5, len(moments) - 1):
        again = poser.pose(moments[i])
        assert np.array_equal(again.turns, shown[i].turns)
        assert np.array_equal(again.places, shown[i].places)
