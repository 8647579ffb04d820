# SPDX-License-Identifier: GPL-3.0-or-later
"""The travel of an action on something else, with the pose in the world as Blender showed it before."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest
from mathutils import Matrix

from inertia_addon.blender.data import compat, recipe_reader
from inertia_addon.blender.travel import bake
from inertia_addon.errors import InertiaError
from inertia_addon.motion import quaternion
from inertia_addon.motion.curves import representation
from inertia_addon.settings.travel import TravelSettings
from tests.blender import builders, clips, stepper

Array = np.ndarray[Any, Any]

FRAMES = np.arange(1.0, 25.1, 0.5)
WAY = stepper.STRIDE
"""How far the made walker goes in its second."""
CLOSE = 1e-4
"""What is nobody sees, metres."""


def with_root(
    tail: Sequence[float] = (0.0, 0.3, 0.0), name: str = "root", *, beside: bool = False, scale: float = 1.0
) -> Any:
    """The made walker, its hips below a root bone, or beside one."""
    armature = stepper.biped()
    armature.scale = (scale,) * 3
    bpy.ops.object.mode_set(mode="EDIT")
    bones = armature.data.edit_bones
    root = bones.new(name)
    root.head, root.tail = (0.0, 0.0, 0.0), tail
    if not beside:
        bones["hips"].parent = root
    bpy.ops.object.mode_set(mode="OBJECT")
    return armature


def places(armature: Any, action: Any, frames: Array = FRAMES) -> dict[str, Array]:
    """Where Blender shows both ends of each bone (n, 2, 3), of one that is not keyed from its rest on."""
    for bone in armature.pose.bones:
        bone.matrix_basis.identity()
    compat.assign(armature, action, compat.slots(action)[0].identifier)

    def read() -> Any:
        own = armature.evaluated_get(bpy.context.evaluated_depsgraph_get())
        ends = [[own.matrix_world @ bone.head, own.matrix_world @ bone.tail] for bone in own.pose.bones]
        return np.array(ends, float)

    shown = builders.shown(armature, action, frames, read)
    return {name: np.asarray(shown[:, i]) for i, name in enumerate(armature.pose.bones.keys())}


def assert_stays(before: dict[str, Array], after: dict[str, Array], but: str, unit: float = 1.0) -> None:
    """All bones are where they were, but for one."""
    away = {name: np.abs(after[name] - ends).max() for name, ends in before.items() if name != but}
    assert max(away.values()) < CLOSE * unit


@pytest.mark.variants(4)
@pytest.mark.parametrize("mode", ["QUATERNION", "XYZ", "AXIS_ANGLE"])
@pytest.mark.parametrize("tail", [(0.0, 0.3, 0.0), (0.0, 0.0, 0.3), (0.2, -0.1, 0.3)])
@pytest.mark.parametrize(("scale", "up", "turn"), [(1.0, "Z", 0.0), (0.01, "Y", 0.7)])
def test_the_root_goes_below_the_hips(
    mode: str, tail: Any, scale: float, up: str, turn: float, fresh_file: None
) -> None:
    """However the root bone rests, and the armature stands: in centimetres, and with Y up."""
    armature = with_root(tail, scale=scale)
    walk = stepper.walk(armature, "Walk", 25)
    if up == "Y":
        armature.data.transform(Matrix.Rotation(-math.pi / 2.0, 4, "X"))
        armature.rotation_euler = (math.pi / 2.0, 0.0, turn)
    armature.pose.bones["root"].rotation_mode = mode
    source = clips.contents(walk)
    before = places(armature, walk)
    report = bake.travel(armature, TravelSettings("Walk"))
    after = places(armature, bpy.data.actions[report.result])
    assert clips.contents(walk) == source
    assert_stays(before, after, "root", scale)
    assert (report.moved_from, report.root, report.told_by) == ("hips", "root", "ROOT")
    gone = after["root"][-1, 0] - after["root"][0, 0]
    np.testing.assert_allclose(gone, before["hips"][-1, 0] - before["hips"][0, 0], atol=1e-3 * scale)
    assert np.linalg.norm((after["hips"] - after["root"])[:, 0, :2], axis=1).max() < 1e-3 * scale
    assert report.way == pytest.approx(WAY * scale, rel=1e-3)


@pytest.mark.variants(1)
@pytest.mark.parametrize("on", ["HIPS", "OBJECT"])
def test_travel_goes_back_as_it_came(on: str, fresh_file: None) -> None:
    armature = with_root()
    walk = stepper.walk(armature, "Walk", 25)
    before = places(armature, walk)
    given = bake.travel(armature, TravelSettings("Walk"))
    back = bake.travel(armature, TravelSettings(given.result, on=on))
    after = places(armature, bpy.data.actions[back.result])
    assert (back.moved_from, back.root) == ("root", "hips" if on == "HIPS" else "")
    assert_stays(before, after, "root")
    gone = after["root"][-1, 0] - after["root"][0, 0]
    np.testing.assert_allclose(gone, (0.0, 0.0 if on == "HIPS" else -WAY, 0.0), atol=1e-3)
    if on == "OBJECT":
        again = bake.travel(armature, TravelSettings(back.result))
        assert (again.moved_from, again.root) == ("", "root")
        armature.location = (0.0, 0.0, 0.0)
        assert_stays(before, places(armature, bpy.data.actions[again.result]), "root")


def test_moved_travel_is_taken_out_again_and_the_hips_sway_over_the_root(fresh_file: None) -> None:
    armature = with_root()
    stepper.walk(armature, "Walk", 25)
    given = bake.travel(armature, TravelSettings("Walk"))
    taken = bake.travel(armature, TravelSettings(given.result, in_place=True))
    assert taken.told_by == "NOTED"
    assert taken.way == pytest.approx(given.way, rel=1e-3)
    shown = places(armature, bpy.data.actions[taken.result])
    assert np.ptp(shown["root"][:, 0], axis=0).max() < CLOSE
    assert np.linalg.norm((shown["hips"] - shown["root"])[:, 0, :2], axis=1).max() < 1e-3


@pytest.mark.parametrize("on", ["ROOT", "HIPS", "OBJECT"])
def test_a_clip_is_put_in_place_from_whatever_carries_it(on: str, fresh_file: None) -> None:
    armature = with_root()
    stepper.walk(armature, "Walk", 25)
    given = bake.travel(armature, TravelSettings("Walk"))
    made = bpy.data.actions[given.result]
    for key in [key for key in made.keys() if "travel" in key]:  # as if it came from elsewhere
        del made[key]
    taken = bake.travel(armature, TravelSettings(given.result, in_place=True, on=on))
    assert (taken.told_by, taken.root) == ("ROOT", "root")
    shown = places(armature, bpy.data.actions[taken.result])
    assert np.ptp(shown["root"][:, 0], axis=0).max() < CLOSE


@pytest.mark.variants(3)
@pytest.mark.parametrize("mode", ["QUATERNION", "ZXY", "XYZ"])
@pytest.mark.parametrize("turns", ["AUTO", "NONE"])
def test_the_root_turns_evenly_with_the_body(turns: str, mode: str, fresh_file: None) -> None:
    armature = with_root()
    armature.pose.bones["hips"].rotation_mode = mode
    walk = stepper.walk(armature, "Walk", 25)
    hips = armature.data.bones["hips"]
    axis = np.array(hips.matrix_local.to_3x3()).T @ (0.0, 0.0, 1.0)
    sway = [math.radians(4.0 * (f - 1.0)) + 0.1 * math.sin(2.0 * f) for f in range(1, 26)]
    turns_of_hips = quaternion.exp(np.array(sway)[:, None] * axis)
    if mode != "QUATERNION":
        turns_of_hips = representation.continuous(turns_of_hips, mode, np.zeros(3), np.ones(len(sway)))
    channel, _ = quaternion.rotation_property(mode)
    turned = [(float(f + 1), turn) for f, turn in enumerate(turns_of_hips.tolist())]
    builders.curves(walk, builders.bone_path("hips", channel), turned, slot="OBWalker")
    before = places(armature, walk)
    report = bake.travel(armature, TravelSettings("Walk", turns=turns))
    after = places(armature, bpy.data.actions[report.result])
    assert_stays(before, after, "root")
    ahead = after["root"][:, 1] - after["root"][:, 0]
    angles = np.degrees(np.unwrap(np.arctan2(-ahead[:, 0], ahead[:, 1])))
    if turns == "NONE":
        assert np.ptp(angles) < 0.01
        return
    assert angles[-1] - angles[0] == pytest.approx(math.degrees(sway[-1] - sway[0]), abs=1.0)
    steps = np.diff(angles)
    assert steps.min() > 0.0
    assert report.heading == pytest.approx(angles[-1] - angles[0], abs=0.1)


def test_a_root_beside_the_hips_goes_with_them(fresh_file: None) -> None:
    armature = with_root(beside=True, name="Root")
    before = places(armature, stepper.walk(armature, "Walk", 25))
    report = bake.travel(armature, TravelSettings("Walk"))
    after = places(armature, bpy.data.actions[report.result])
    assert report.root == "Root"
    assert_stays(before, after, "Root")
    np.testing.assert_allclose(after["Root"][-1, 0] - after["Root"][0, 0], (0.0, -WAY, 0.0), atol=1e-3)


@pytest.mark.variants(1)
@pytest.mark.parametrize("interpolation", ["BEZIER", "CONSTANT"])
def test_curves_with_few_keys_show_the_same_between_them(interpolation: str, fresh_file: None) -> None:
    armature = with_root()
    walk = stepper.walk(armature, "Walk", 25)
    for fcurve in compat.curves(walk, "OBWalker"):
        for i in reversed(range(len(fcurve.keyframe_points))):
            if i % 6:
                fcurve.keyframe_points.remove(fcurve.keyframe_points[i])
        for point in fcurve.keyframe_points:
            point.interpolation = interpolation
        fcurve.update()
    before = places(armature, walk)
    report = bake.travel(armature, TravelSettings("Walk"))
    assert report.root == "root"
    assert_stays(before, places(armature, bpy.data.actions[report.result]), "root")


@pytest.mark.variants(1)
@pytest.mark.parametrize("leads", [True, False])
def test_bones_of_the_root_keep_their_place_keyed_or_not(*, leads: bool, fresh_file: None) -> None:
    """Also if one of them leads a leg, so that Blender has to play the rig."""
    armature = with_root()
    bpy.ops.object.mode_set(mode="EDIT")
    for name in ("ik", "prop"):
        bone = armature.data.edit_bones.new(name)
        bone.head, bone.tail = (0.5, 0.1, 0.2), (0.5, 0.4, 0.3)
        bone.parent = armature.data.edit_bones["root"]
        bone.use_local_location = name == "ik"
    bpy.ops.object.mode_set(mode="OBJECT")
    if leads:
        leg = armature.pose.bones["shin.L"].constraints.new("IK")
        leg.target, leg.subtarget, leg.chain_count = armature, "ik", 2
    walk = stepper.walk(armature, "Walk", 25)
    path = [(1.0, (0.0, 0.0, 0.0)), (25.0, (0.3, 0.2, 0.1))]
    builders.curves(walk, builders.bone_path("ik", "location"), path, slot="OBWalker")
    before = places(armature, walk)
    report = bake.travel(armature, TravelSettings("Walk"))
    assert_stays(before, places(armature, bpy.data.actions[report.result]), "root")


def test_travel_that_can_not_be_moved_is_told_and_makes_nothing(fresh_file: None) -> None:
    armature = with_root()
    stepper.walk(armature, "Walk", 25)
    given = bake.travel(armature, TravelSettings("Walk", assign=False))
    actions = bpy.data.actions.keys()

    def refused(match: str, name: str = "Walk", **settings: Any) -> None:
        with pytest.raises(InertiaError, match=match):
            bake.travel(armature, TravelSettings(name, **settings))
        assert bpy.data.actions.keys() == actions

    refused('already travels on "hips"; choose another carrier', on="HIPS")
    refused('already travels on "root"; choose another carrier', given.result)
    refused("leave out the speed to move its travel", speed=1.0)
    bpy.ops.object.mode_set(mode="EDIT")
    other = armature.data.edit_bones.new("other")
    other.head, other.tail = armature.data.edit_bones["root"].tail, (1.0, 0.0, 1.0)
    other.parent = armature.data.edit_bones["root"]
    other.use_connect = True
    bpy.ops.object.mode_set(mode="OBJECT")
    refused('"other" is connected to "root"')


def test_a_result_is_made_anew_in_its_place(fresh_file: None) -> None:
    armature = with_root()
    walk = stepper.walk(armature, "Walk", 25)
    report = bake.travel(armature, TravelSettings("Walk"))
    made = bpy.data.actions[report.result]
    walk.name = "Renamed"
    again = bake.travel(armature, recipe_reader.read_recipe(made, bake.KIND).settings, made)
    assert (again.result, again.action, again.moved_from) == (report.result, "Renamed", "hips")


def test_curves_that_repeat_go_on_with_the_root(fresh_file: None) -> None:
    armature = with_root()
    walk = stepper.walk(armature, "Walk", 25)
    for fcurve in compat.curves(walk, "OBWalker"):
        modifier = fcurve.modifiers.new("CYCLES")
        modifier.mode_after = modifier.mode_before = "REPEAT_OFFSET"
    before = places(armature, walk, np.arange(1.0, 60.0, 2.5))
    report = bake.travel(armature, TravelSettings("Walk"))
    assert report.root == "root"
    assert_stays(before, places(armature, bpy.data.actions[report.result], np.arange(1.0, 60.0, 2.5)), "root")


@pytest.mark.data
@pytest.mark.variants(1)
@pytest.mark.parametrize(
    "number", [*("03", "05", "09", "12", "13", "15"), *("17", "18", "19", "20", "23", "26")]
)
def test_real_clips_stay_where_they_are(number: str, real: Callable[[str], tuple[Any, list[str]]]) -> None:
    armature, names = real(number)
    (name,) = (name for name in names if name.startswith(f"cmu127_{number}"))
    action = bpy.data.actions[name]
    frames = np.linspace(*action.frame_range, 11).round(1)
    before = places(armature, action, frames)
    for on, root in (("ROOT", "ground"), ("OBJECT", "")):
        report = bake.travel(armature, TravelSettings(name, on=on, assign=False))
        assert (report.moved_from, report.root) == ("root", root)
        after = places(armature, bpy.data.actions[report.result], frames)
        assert_stays(before, after, "ground")
        armature.matrix_world.identity()


@pytest.fixture
def real(data_dir: Path) -> Callable[[str], tuple[Any, list[str]]]:
    """Real clips of a skeleton that is given a root bone."""

    def load(_number: str) -> tuple[Any, list[str]]:
        armature, names = clips.load("cmu127", data_dir)
        bpy.context.view_layer.objects.active = armature
        bpy.ops.object.mode_set(mode="EDIT")
        ground = armature.data.edit_bones.new("ground")
        ground.head, ground.tail = (0.0, 0.0, 0.0), (0.1, 0.1, 0.2)
        armature.data.edit_bones["root"].parent = ground
        bpy.ops.object.mode_set(mode="OBJECT")
        return armature, names

    return load
