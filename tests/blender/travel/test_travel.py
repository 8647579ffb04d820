# SPDX-License-Identifier: GPL-3.0-or-later
"""Travel made from feet that walk in place, and taken out again, by where Blender itself shows the bones."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
import pytest

from inertia_addon.blender.data import clip_store, compat, recipe_reader
from inertia_addon.blender.data.roots import Root
from inertia_addon.blender.evaluation.character import read_character
from inertia_addon.blender.feet import legs as leg_list
from inertia_addon.blender.travel import bake, reading, soles
from inertia_addon.errors import InertiaError
from inertia_addon.motion.steps import finish
from inertia_addon.settings.travel import TravelSettings
from tests.blender import builders, clips, stepper

Array = np.ndarray[Any, np.dtype[np.float64]]

HALVES = np.arange(1.0, 49.1, 0.5)


def in_place(armature: Any, name: str = "Walk", frames: int = 49) -> Any:
    """A walk whose hips stay: the ground passes below them at stepper.STRIDE."""
    return stepper.walk(armature, name, frames, skate=-stepper.STRIDE)


def heads(armature: Any, action: Any, frames: Any = HALVES) -> Array:
    """Where Blender shows the heads of all bones (n, bones, 3) in an action."""
    slot = f"OB{armature.name}"
    compat.assign(armature, action, slot)
    found = []
    for frame in np.asarray(frames, float).tolist():
        whole = int(np.floor(frame))
        bpy.context.scene.frame_set(whole, subframe=frame - whole)
        own = armature.evaluated_get(bpy.context.evaluated_depsgraph_get())
        found.append([list(own.matrix_world @ bone.head) for bone in own.pose.bones])
    return np.array(found)


@pytest.mark.variants(1)
@pytest.mark.parametrize("on", ["ROOT", "HIPS", "OBJECT"])
def test_a_walk_in_place_goes_as_it_would_have(on: str, fresh_file: None) -> None:
    armature = stepper.biped()
    source = in_place(armature)
    before = clips.contents(source)
    report = bake.travel(armature, TravelSettings("Walk", on=on))
    assert clips.contents(source) == before
    assert report.speed == pytest.approx(stepper.STRIDE, rel=0.03)
    assert report.root == ("" if on == "OBJECT" else "hips")
    assert report.told_by == "FEET"
    made = heads(armature, bpy.data.actions[report.result])
    wanted = heads(armature, stepper.walk(armature, "Travels"))
    moved = made - made[:1] - (wanted - wanted[:1])
    assert np.linalg.norm(moved, axis=-1).max() < 0.02 * stepper.STRIDE * 2.0
    assert report.skate_after is not None
    assert report.skate_before is not None
    assert report.skate_after < 0.1 * report.skate_before


@pytest.mark.variants(1)
@pytest.mark.parametrize("on", ["ROOT", "HIPS", "OBJECT"])
def test_putting_in_place_is_the_inverse_of_travel(on: str, fresh_file: None) -> None:
    armature = stepper.biped()
    source = in_place(armature)
    given = bake.travel(armature, TravelSettings("Walk", on=on))
    taken = bake.travel(armature, TravelSettings(given.result, in_place=True))
    assert taken.told_by == "NOTED"
    assert (given.result, taken.result) == ("Walk travel", "Walk travel in place")
    assert taken.speed == pytest.approx(given.speed, rel=1e-3)
    was, shown = heads(armature, source), heads(armature, bpy.data.actions[taken.result])
    assert np.abs(was - shown).max() < 1e-5


@pytest.mark.variants(1)
@pytest.mark.parametrize("scale", [0.01, 1.0, 30.0])
@pytest.mark.parametrize("turned", [0.0, 2.0])
def test_rigs_of_any_size_and_facing_travel(scale: float, turned: float, fresh_file: None) -> None:
    armature = stepper.biped()
    armature.scale = (scale,) * 3
    armature.rotation_euler = (0.0, 0.0, turned)
    armature.location = (3.0, -2.0, 0.5)
    bpy.context.view_layer.update()
    in_place(armature)
    report = bake.travel(armature, TravelSettings("Walk"))
    assert report.speed == pytest.approx(stepper.STRIDE * scale, rel=0.03)
    made = heads(armature, bpy.data.actions[report.result])
    gone = (made[-1] - made[0]).mean(axis=0)
    ahead = np.array([np.sin(turned), -np.cos(turned), 0.0])
    assert gone / np.linalg.norm(gone) @ ahead > 0.999
    assert np.linalg.norm(gone) == pytest.approx(2.0 * stepper.STRIDE * scale, rel=0.03)


def test_speeds_in_centimetres_are_in_metres(fresh_file: None) -> None:
    bpy.context.scene.unit_settings.scale_length = 0.01
    armature = stepper.biped()
    armature.scale = (100.0,) * 3
    bpy.context.view_layer.update()
    in_place(armature)
    report = bake.travel(armature, TravelSettings("Walk"))
    assert report.speed == pytest.approx(stepper.STRIDE, rel=0.03)
    made = heads(armature, bpy.data.actions[report.result])
    assert np.linalg.norm((made[-1] - made[0]).mean(axis=0)) == pytest.approx(120.0 * 1.0, rel=0.03)


def test_a_speed_that_is_given_counts(fresh_file: None) -> None:
    armature = stepper.biped()
    in_place(armature)
    report = bake.travel(armature, TravelSettings("Walk", speed=1.2))
    assert (report.told_by, report.speed) == ("SETTING", pytest.approx(1.2))
    made = heads(armature, bpy.data.actions[report.result], [1.0, 49.0])
    assert np.linalg.norm((made[1] - made[0]).mean(axis=0)) == pytest.approx(2.4, rel=0.01)


def test_a_clip_that_does_not_walk_is_asked_for_a_speed(fresh_file: None) -> None:
    armature = stepper.biped()
    made = builders.action("Hover", slot=armature.name)
    bob = [(float(f), (0.0, 0.0, 0.1 * np.sin(f))) for f in range(1, 30)]
    builders.curves(made, builders.bone_path("hips", "location"), bob, slot="OB" + armature.name)
    actions = len(bpy.data.actions)
    with pytest.raises(InertiaError, match="show no travel"):
        bake.travel(armature, TravelSettings("Hover"))
    assert len(bpy.data.actions) == actions
    report = bake.travel(armature, TravelSettings("Hover", speed=2.0, direction=90.0))
    shown = heads(armature, bpy.data.actions[report.result], [29.0]) - heads(armature, made, [29.0])
    gone = shown[0].mean(axis=0)
    # it faces -Y, so that its left is +X
    assert gone[:2] == pytest.approx((2.0 * 28.0 / stepper.FPS, 0.0), abs=1e-3)


def test_a_rig_without_feet_is_not_known_to_walk(fresh_file: None) -> None:
    armature = builders.rig({"body": None, "tail": "body"})
    made = builders.action("Swim", slot=armature.name)
    path = builders.bone_path("body", "location")
    builders.curves(made, path, [(1.0, (0.0, 0.0, 0.0)), (20.0, (0.0, 0.0, 0.1))], slot="OBRig")
    with pytest.raises(InertiaError, match="give its speed"):
        bake.travel(armature, TravelSettings("Swim"))
    report = bake.travel(armature, TravelSettings("Swim", speed=3.0))
    assert report.way == pytest.approx(3.0 * 19.0 / report.fps, rel=1e-4)


def test_a_clip_that_travels_is_put_in_place_and_one_that_stays_is_refused(fresh_file: None) -> None:
    armature = stepper.biped()
    source = stepper.walk(armature, "Travels")
    report = bake.travel(armature, TravelSettings("Travels", in_place=True))
    assert (report.told_by, report.speed) == ("ROOT", pytest.approx(stepper.STRIDE, rel=0.03))
    shown = heads(armature, bpy.data.actions[report.result])
    hips = shown[:, armature.pose.bones.find("hips")]
    assert np.linalg.norm(hips - hips[0], axis=1).max() < 1e-4
    # and from there its feet lead it where it went
    again = bake.travel(armature, TravelSettings(report.result))
    moved = heads(armature, bpy.data.actions[again.result]) - heads(armature, source)
    assert np.linalg.norm(moved, axis=-1).max() < 0.03
    with pytest.raises(InertiaError, match="already stays in place"):
        bake.travel(armature, TravelSettings(report.result, in_place=True))


def test_a_clip_that_travels_already_is_told_what_may_carry_that(fresh_file: None) -> None:
    armature = stepper.biped()
    stepper.walk(armature, "Travels")
    with pytest.raises(InertiaError, match='"Walker" has no root bone to carry that'):
        bake.travel(armature, TravelSettings("Travels"))
    swimmer = builders.rig({"body": None, "tail": "body"})
    made = builders.action("Swim", slot=swimmer.name)
    path = builders.bone_path("body", "location")
    builders.curves(made, path, [(1.0, (0.0, 0.0, 0.0)), (20.0, (5.0, 0.0, 0.0))], slot="OB" + swimmer.name)
    with pytest.raises(InertiaError, match="already travels"):
        bake.travel(swimmer, TravelSettings("Swim"))


def test_curves_that_repeat_go_on_from_where_they_were(fresh_file: None) -> None:
    armature = stepper.biped()
    source = in_place(armature, frames=25)
    for curve in compat.curves(source, compat.slots(source)[0].identifier):
        curve.modifiers.new("CYCLES")
    report = bake.travel(armature, TravelSettings("Walk"))
    places = heads(armature, bpy.data.actions[report.result], [7.0, 31.0, 55.0])
    first, second = np.diff(places, axis=0)
    np.testing.assert_allclose(second, first, atol=1e-4)
    np.testing.assert_allclose(np.linalg.norm(first, axis=-1), stepper.STRIDE, rtol=0.05)


def test_a_pose_goes_nowhere(fresh_file: None) -> None:
    armature = stepper.biped()
    in_place(armature, frames=1)
    with pytest.raises(InertiaError, match="is a single pose"):
        bake.travel(armature, TravelSettings("Walk"))


def test_a_result_is_made_anew_in_its_place(fresh_file: None) -> None:
    armature = stepper.biped()
    source = in_place(armature)
    report = bake.travel(armature, TravelSettings("Walk", on="OBJECT"))
    made = bpy.data.actions[report.result]
    before = heads(armature, made)
    source.name = "Renamed"
    known = recipe_reader.read_recipe(made, bake.KIND).settings
    again = bake.travel(armature, known, made)
    assert (again.result, again.action) == (report.result, "Renamed")
    assert np.abs(heads(armature, bpy.data.actions[again.result]) - before).max() < 1e-6
    with pytest.raises(InertiaError, match="own source"):
        bake.travel(armature, known, source)


def test_an_object_that_turns_carries_the_travel_of_what_is_below_it(fresh_file: None) -> None:
    """A root that is keyed in axes that turn would leave the way."""
    armature = stepper.biped()
    source = in_place(armature)
    frames = np.arange(1.0, 50.0)
    sway = 0.3 * np.sin(2.0 * np.pi * (frames - 1.0) / 24.0)
    turns = [(float(f), (0.0, 0.0, float(turn))) for f, turn in zip(frames, sway, strict=True)]
    builders.curves(source, "rotation_euler", turns, slot="OB" + armature.name)
    before = heads(armature, source)
    report = bake.travel(armature, TravelSettings("Walk", turns="NONE", speed=1.0))
    assert report.root == ""
    moved = heads(armature, bpy.data.actions[report.result]) - before
    # all of it goes one way together, which in axes that turn would be half a metre off
    assert np.abs(moved - moved[:, :1]).max() < 0.01
    assert np.abs(moved[..., 2]).max() < 1e-4


@pytest.mark.parametrize(("lower", "thick"), [(0.0, 0.02), (1.0, soles.THICK * 0.87)])
def test_soles_without_a_mesh_are_below_the_bones(lower: float, thick: float, fresh_file: None) -> None:
    """On the armature's own ground, where it stands on that at rest, else as far down as feet are thick."""
    armature = stepper.biped()
    bpy.ops.object.mode_set(mode="EDIT")
    for bone in armature.data.edit_bones:
        bone.head.z -= lower
        bone.tail.z -= lower
    bpy.ops.object.mode_set(mode="OBJECT")
    action = in_place(armature)
    (clip,) = finish(clip_store.read_named_steps(armature, [(action.name, "", "")]))
    legs = leg_list.of_armature(armature)
    seen = finish(soles.steps(read_character(armature), clip, legs, np.arange(1.0, 49.0), is_cycle=False))
    toe = heads(armature, action, np.arange(1.0, 49.0))[:, armature.data.bones.find("toe.L"), 2]
    own = [mark for mark in range(6) if abs(seen.soles[0, mark, 0] - 0.1) < 0.05]
    # its feet stay flat
    np.testing.assert_allclose(toe - seen.soles[:, own, 2].min(axis=1), thick, atol=2e-3)


def test_soles_are_where_the_mesh_has_them_though_bones_end_elsewhere(fresh_file: None) -> None:
    armature = stepper.biped()
    legs = leg_list.of_armature(armature)
    leg = legs[0]
    foot = np.array(armature.data.bones[leg.foot].head_local)
    corners = np.array([(x, y, z) for x in (-0.05, 0.05) for y in (-0.2, 0.07) for z in (0.0, 0.06)])
    places = corners + np.array([foot[0], foot[1], 0.0])
    mesh = bpy.data.meshes.new("Shoe")
    mesh.from_pydata(places.tolist(), [], [])
    shoe = bpy.data.objects.new("Shoe", mesh)
    bpy.context.scene.collection.objects.link(shoe)
    shoe.modifiers.new("Armature", "ARMATURE").object = armature
    shoe.vertex_groups.new(name=leg.name).add(range(len(places)), 1.0, "REPLACE")
    vertices, none = soles.foot_vertices(armature, legs)
    np.testing.assert_allclose(sorted(map(tuple, vertices)), sorted(map(tuple, places)), atol=1e-6)
    assert len(none) == 0
    ends = soles.sole_ends(armature, leg, vertices, 2, 1.0)
    assert ends is not None
    np.testing.assert_allclose(ends[0], (foot[0], foot[1] + 0.07, 0.0), atol=1e-6)
    np.testing.assert_allclose(ends[1], (foot[0], foot[1] - 0.2, 0.0), atol=1e-6)


def test_an_action_of_another_skeleton_is_refused(fresh_file: None) -> None:
    armature = stepper.biped()
    source = in_place(armature)
    clips.play(armature, None)
    slot = compat.slots(source)[0].identifier
    for curve in compat.curves(source, slot):
        if "hips" not in curve.data_path:
            curve.data_path = curve.data_path.replace('"]', ' of a horse"]')
    before = bpy.data.actions.keys()
    for in_place_ in (False, True):
        with pytest.raises(InertiaError, match="belongs to another skeleton"):
            bake.travel(armature, TravelSettings("Walk", in_place=in_place_))
    assert bpy.data.actions.keys() == before


def turned_at_rest(armature: Any, names: Any, degrees: float) -> Any:
    """A copy of an armature of which some bones are rolled at rest."""
    other = armature.copy()
    other.data, other.name = armature.data.copy(), "Other"
    bpy.context.collection.objects.link(other)
    bpy.context.view_layer.objects.active = other
    bpy.ops.object.mode_set(mode="EDIT")
    for i, name in enumerate(names):
        other.data.edit_bones[name].roll += (-1) ** i * np.radians(degrees)
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.context.view_layer.objects.active = armature
    return other


@pytest.mark.variants(2)
@pytest.mark.parametrize(
    ("part", "degrees", "fits"), [("all", 40.0, False), ("all", 4.0, True), ("few", 40.0, True)]
)
def test_an_action_is_refused_whose_own_armature_stands_otherwise_at_rest(
    part: str, degrees: float, *, fits: bool, fresh_file: None
) -> None:
    """But for slight differences, and those of a few bones, as of arms in A-pose and T-pose."""
    armature = stepper.biped()
    names = armature.data.bones.keys()[: None if part == "all" else 2]
    source = in_place(armature)
    other = turned_at_rest(armature, names, degrees)
    slot = compat.slots(source)[0].identifier
    clips.play(armature, None)
    compat.assign(other, source, compat.rename_slot(source, slot, other.name))
    before = bpy.data.actions.keys()
    if fits:
        assert bake.travel(armature, TravelSettings("Walk", assign=False)).told_by == "FEET"
        return
    with pytest.raises(InertiaError, match='"Walk" was made for "Other", whose rest pose differs'):
        bake.travel(armature, TravelSettings("Walk", assign=False))
    assert bpy.data.actions.keys() == before
    clip_store.check_skeleton(other, clip_store.read(other, source))


def test_a_straight_walk_in_place_is_told_to_go_straight_ahead(fresh_file: None) -> None:
    armature = stepper.biped()
    character = read_character(armature)
    clip = clip_store.read(armature, in_place(armature))
    legs = leg_list.of_armature(armature)
    root = Root("hips", moves=False)
    travel = finish(reading.find_walk_steps(character, character.rig, clip, legs, root))
    assert travel is not None
    assert travel.speed == pytest.approx(stepper.STRIDE, rel=0.03)
    assert travel.turn == pytest.approx(0.0, abs=1.0)


@pytest.mark.parametrize("turned", [0.0, 0.7, -2.5])
def test_a_rig_without_legs_faces_as_its_armature_stands(turned: float, fresh_file: None) -> None:
    armature = builders.rig({"body": None, "tail": "body"})
    armature.rotation_euler.z = turned
    bpy.context.view_layer.update()
    assert reading.find_facing(read_character(armature)) == pytest.approx((np.sin(turned), -np.cos(turned)))
    # and one that looks straight down faces nowhere in particular
    armature.rotation_euler = (np.pi / 2.0, 0.0, 0.0)
    bpy.context.view_layer.update()
    assert np.hypot(*reading.find_facing(read_character(armature))) == pytest.approx(1.0)
