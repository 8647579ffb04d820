# SPDX-License-Identifier: GPL-3.0-or-later
"""The root's alignment: the destination goes on from where, and whither, the source goes."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
import pytest
from mathutils import Euler, Matrix

from inertia_addon.blender.evaluation.character import read_character
from inertia_addon.blender.transition.alignment import Carrier
from inertia_addon.errors import InertiaError
from inertia_addon.motion import quaternion
from tests.blender import builders
from tests.blender.walkers import BONES, PLACES, character, key_matrices, local, path_at, size_of, stand, walk

CUT, START, BLEND = 21.0, 6.0, 8.0
MODES = ("QUATERNION", "XYZ", "ZXY", "AXIS_ANGLE")

pytestmark = pytest.mark.usefixtures("fresh_file")


def bake(armature: Any, source: Any, destination: Any, **how: Any) -> tuple[Any, Any]:
    how = {"alignment": "POSITION_HEADING", "blend_frames": BLEND, **how}
    return builders.transition(armature, source, destination, CUT, START, **how)


def assert_goes_on(armature: Any, made: tuple[Any, Any], report: Any, result: Any, root: str) -> None:
    """At the cut and past the window the root is where the walk would have it."""
    size = size_of(armature)
    source, destination = made
    end = report.window[1]
    baked = {b.data_path for b in report.baked_curves}
    late = np.arange(end, 60.0) if baked else builders.sub_frames(end, 60.0)
    early = builders.sub_frames(-2.0, CUT - 0.02)
    before = builders.played(armature, source, [*early, CUT])
    motion = builders.rigid(report)
    # what the report calls metres is the world's; all of it moves rigidly
    after = motion @ builders.played(armature, destination, late - CUT + START)
    found = builders.played(armature, result, [*early, CUT, *late])
    tolerance = 3e-5 * max(size, 1.0)
    # what is above a travelling bone stays where it is
    body = [i for i, bone in enumerate(armature.data.bones) if bone.name != "Root" or root != "Hips"]
    expected = np.concatenate([before, after])
    np.testing.assert_allclose(found[:, body], expected[:, body], atol=tolerance)
    # the destination, moved, has its root where the source's is: over the ground, and its heading
    there = motion @ builders.played(armature, destination, [START])[0]
    i = armature.data.bones.find(root) if root else 0
    np.testing.assert_allclose(there[i][:2, 3], before[-1][i][:2, 3], atol=tolerance)
    assert motion[2, 3] == 0.0
    if report.alignment == "POSITION_HEADING":
        turn = before[-1][i][:3, :3] @ np.linalg.inv(there[i][:3, :3])
        assert abs(turn[1, 0] - turn[0, 1]) < 1e-4


@pytest.mark.variants(3)
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("mode", MODES)
def test_root_bone_goes_on(place: str, mode: str) -> None:
    armature = character(place, mode)
    made = (
        walk(armature, "Source", "Root", 0.4, 0.02),
        walk(armature, "Destination", "Root", 2.6, -0.03, (4.0, -3.0)),
    )
    report, result = bake(armature, *made, alignment="AUTO")
    assert (report.alignment, report.root) == ("POSITION_HEADING", "Root")
    assert_goes_on(armature, made, report, result, "Root")
    # quaternions mix exactly, and angles shift when the bone's outermost axis is the vertical
    vertical = {"plain": "ZXY", "small": "ZXY", "large": "ZXY", "placed": "ZXY", "lying": "XYZ"}
    assert (report.baked_curves == ()) == (mode in ("QUATERNION", vertical.get(place)))


ALIGNED = [
    ("POSITION_HEADING", True),
    ("POSITION", False),
    ("HEADING", False),
    ("HEADING", True),
    ("NONE", True),
]


@pytest.mark.variants(4)
@pytest.mark.parametrize(("kind", "height"), ALIGNED)
@pytest.mark.parametrize("place", ["placed", "lying"])
def test_a_bone_to_align_by_is_brought_to_where_the_source_has_it(
    place: str, kind: str, *, height: bool
) -> None:
    """Its place on the ground, its heading and its height, each where it is asked for, and nothing else."""
    armature = character(place)
    made = (
        walk(armature, "Source", "Root", 0.4, 0.02),
        walk(armature, "Destination", "Root", 2.6, -0.03, (4.0, -3.0)),
    )
    report, result = bake(armature, *made, alignment=kind, align_height=height, align_bone="Leg")
    motion, size = builders.rigid(report), size_of(armature)
    late = builders.sub_frames(report.window[1], 50.0, 0.5)
    after = motion @ builders.played(armature, made[1], late - CUT + START)
    np.testing.assert_allclose(
        builders.played(armature, result, late), after, atol=5e-5 * max(size, 1.0), err_msg="rigid"
    )
    leg = armature.data.bones.find("Leg")
    here = builders.played(armature, made[0], [CUT])[0][leg]
    there = builders.played(armature, made[1], [START])[0][leg]
    moved = motion @ there
    assert abs(here[2, 3] - there[2, 3]) > 0.01 * size
    place_wanted = [*(here if "POSITION" in kind else there)[:2, 3], (here if height else there)[2, 3]]
    np.testing.assert_allclose(moved[:3, 3], place_wanted, atol=3e-5 * max(size, 1.0))
    if "HEADING" in kind:
        turn = here[:3, :3] @ np.linalg.inv(moved[:3, :3])
        assert abs(turn[1, 0] - turn[0, 1]) < 1e-4 * size
    else:
        assert report.heading_degrees == 0.0


def test_a_bone_to_align_by_has_to_be_there() -> None:
    armature = character()
    made = (walk(armature, "Source", "Root", 0.4, 0.02), walk(armature, "Destination", "Root", 2.6, -0.03))
    with pytest.raises(InertiaError, match='has no bone "Tail"; choose another one to align by'):
        bake(armature, *made, align_bone="Tail")


SCALES = [(-1.0, 1.0, 1.0), (2.0, 2.0, -2.0), (1.0, 1.0, 3.0)]
"""Mirrored, and stretched along the vertical, about which a turn stays one."""


@pytest.mark.variants(3)
@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("mode", ["QUATERNION", "XYZ"])
def test_root_bone_of_a_mirrored_or_stretched_object(scale: tuple[float, ...], mode: str) -> None:
    armature = character(mode=mode)
    made = (
        walk(armature, "Source", "Root", 0.4, 0.02),
        walk(armature, "Destination", "Root", 2.6, -0.03, (4.0, -3.0)),
    )
    armature.scale = scale
    bpy.context.view_layer.update()
    report, result = bake(armature, *made)
    assert_goes_on(armature, made, report, result, "Root")


def test_an_unevenly_scaled_object_is_not_turned() -> None:
    """No rotation of its bones turns the character as it is; it is moved only."""
    armature = character()
    made = (
        walk(armature, "Source", "Root", 0.4, 0.02),
        walk(armature, "Destination", "Root", 2.6, -0.03, (4.0, -3.0)),
    )
    armature.scale = (2.0, 1.0, 1.0)
    bpy.context.view_layer.update()
    before = set(bpy.data.actions)
    with pytest.raises(InertiaError, match="scaled unevenly"):
        bake(armature, *made)
    assert set(bpy.data.actions) == before
    report, result = bake(armature, *made, alignment="POSITION")
    assert_goes_on(armature, made, report, result, "Root")


@pytest.mark.parametrize("keyed", [True, False])
def test_bones_that_do_not_inherit_rotation_are_turned(*, keyed: bool) -> None:
    armature = character()
    armature.data.bones["Chest"].use_inherit_rotation = False
    made = (
        walk(armature, "Source", "Root", 0.4, 0.02),
        walk(armature, "Destination", "Root", 2.6, -0.03, (4.0, -3.0)),
    )
    for number, action in enumerate(made if keyed else ()):
        for index in range(4):
            path = builders.bone_path("Chest", "rotation_quaternion")
            builders.wave(action, path, index, 0.2, phase=0.5 * number + index, middle=float(index == 0))
    report, result = bake(armature, *made)
    assert abs(report.heading_degrees) > 30.0
    assert_goes_on(armature, made, report, result, "Root")


@pytest.mark.variants(3)
@pytest.mark.parametrize("kind", ["NONE", "POSITION", "POSITION_HEADING"])
@pytest.mark.parametrize("mode", ["QUATERNION", "XYZ"])
@pytest.mark.parametrize("place", ["plain", "parented", "with_deltas", "small"])
def test_object_as_root(kind: str, mode: str, place: str) -> None:
    armature = builders.rig(BONES)
    armature.rotation_mode = mode
    PLACES[place](armature)
    if mode == "QUATERNION":
        armature.delta_rotation_quaternion = Euler(armature.delta_rotation_euler).to_quaternion()
    bpy.context.view_layer.update()
    made = (
        walk(armature, "Source", "", 0.4, 0.02),
        walk(armature, "Destination", "", 2.6, -0.03, (4.0, -3.0)),
    )
    report, result = bake(armature, *made, alignment=kind)
    assert (report.alignment, report.root) == (kind, "")
    if kind == "NONE":
        assert (report.heading_degrees, report.translation) == (0.0, (0.0, 0.0, 0.0))
        builders.assert_outside(armature, *made, report, result, 5e-5)
    else:
        assert (report.heading_degrees == 0.0) == (kind == "POSITION")
        assert_goes_on(armature, made, report, result, "")
        # about the object's own vertical, angles in this order only shift
        assert report.baked_curves == () or place in ("parented", "with_deltas")


@pytest.mark.parametrize("kind", ["POSITION", "POSITION_HEADING"])
def test_hips_without_a_root(kind: str) -> None:
    """The travelling hips are the root; how high they are and how they lean flows over."""
    armature = character(bones={"Hips": None, "Chest": "Hips", "Leg": "Hips"})
    made = walk(armature, "Source", "Hips", 0.4, 0.02), walk(armature, "Destination", "Hips", 2.6, 0.0)
    report, result = bake(armature, *made, alignment=kind)
    assert report.root == "Hips"
    assert_goes_on(armature, made, report, result, "Hips")


def test_root_that_stands_still_above_moving_hips() -> None:
    armature = character()
    made = walk(armature, "Source", "Hips", 0.4, 0.02), walk(armature, "Destination", "Hips", 2.6, 0.0)
    report, result = bake(armature, *made, alignment="AUTO")
    assert report.root == "Hips"
    assert_goes_on(armature, made, report, result, "Hips")


def test_clips_on_the_spot_are_not_aligned() -> None:
    armature = character()
    made = []
    for name, phase in (("Source", 0.0), ("Destination", 2.0)):
        made.append(builders.action(name))
        builders.wave(made[-1], builders.bone_path("Root", "location"), 0, 0.1, phase=phase)
    report, result = bake(armature, *made, alignment="AUTO")
    assert report.alignment == "NONE"
    builders.assert_outside(armature, *made, report, result)


def test_ik_targets_are_carried_along() -> None:
    """Bones that hang from nothing move with the root, so the feet stay under the body."""
    bones = {**BONES, "Foot IK": None, "Knee Pole": None, "Prop": None, "Blade": "Prop"}
    armature = character(bones=bones)
    made = []
    for name, way, origin in (("Source", 0.4, (0.0, 0.0)), ("Destination", 2.6, (2.0, -1.0))):
        action = walk(armature, name, "Root", way, 0.0, origin)
        for bone, aside in (("Foot IK", 0.2), ("Knee Pole", 0.6), ("Prop", -0.3)):
            rows = []
            for frame in range(1, 42, 4):
                world = path_at(frame, way, 0.0, 1.0) @ Matrix.Translation((0.0, aside, 0.0))
                world = Matrix.Translation((*origin, 0.0)) @ world
                rows.append((frame, local(armature, bone, world)))
            key_matrices(action, armature, bone, rows)
        made.append(action)
    report, result = bake(armature, *made)
    assert_goes_on(armature, (made[0], made[1]), report, result, "Root")


def test_ik_target_that_one_clip_keys() -> None:
    """A target that only the source keys rests in the destination, at its rest place beside the root."""
    armature = character(bones={**BONES, "Foot IK": None})
    source = walk(armature, "Source", "Root", 0.4, 0.0)
    destination = walk(armature, "Destination", "Root", 2.6, 0.0)
    builders.curve(source, builders.bone_path("Foot IK", "location"), 0, [(1, 0.0), (41, 2.0)])
    report, result = bake(armature, source, destination)
    assert_goes_on(armature, (source, destination), report, result, "Root")


def test_position_alone_keeps_the_heading() -> None:
    armature = character()
    made = walk(armature, "Source", "Root", 0.4, 0.0), walk(armature, "Destination", "Root", 2.6, 0.0)
    report, result = bake(armature, *made, alignment="POSITION")
    assert report.heading_degrees == 0.0
    assert report.baked_curves == ()
    assert_goes_on(armature, made, report, result, "Root")


def test_keys_stay_sparse_under_alignment() -> None:
    armature = character()
    made = walk(armature, "Source", "Root", 0.4, 0.0), walk(armature, "Destination", "Root", 2.6, 0.0)
    report, result = bake(armature, *made)
    for address in (
        (builders.bone_path("Root", "location"), 0),
        (builders.bone_path("Root", "rotation_quaternion"), 3),
    ):
        after = [
            k.co[0]
            for k in builders.by_address(result)[address].keyframe_points
            if k.co[0] > report.window[1]
        ]
        assert np.diff(after).min() == 2.0


def test_chosen_root_above_a_moving_bone_warns() -> None:
    armature = character()
    made = walk(armature, "Source", "Root", 0.4, 0.0), walk(armature, "Destination", "Root", 2.6, 0.0)
    report, _ = bake(armature, *made, root="Hips")
    assert any('choose "Root" as the root' in warning for warning in report.warnings)


def test_turning_on_the_spot_is_aligned() -> None:
    armature = character()
    made = []
    for name, degrees in (("Source", 100.0), ("Destination", -60.0)):
        made.append(builders.action(name))
        half = np.radians(degrees) / 2.0
        # the bone stands upright: its own y axis is the vertical
        rows = [(1.0, (1.0, 0.0, 0.0, 0.0)), (41.0, (np.cos(half), 0.0, np.sin(half), 0.0))]
        builders.curves(made[-1], builders.bone_path("Root", "rotation_quaternion"), rows)
    report, result = bake(armature, *made, alignment="AUTO")
    assert (report.alignment, report.root) == ("POSITION_HEADING", "Root")
    assert abs(report.heading_degrees) > 30.0
    assert_goes_on(armature, (made[0], made[1]), report, result, "Root")


@pytest.mark.parametrize("parent_turn", [0.0, 0.9])
def test_a_location_along_the_parents_axes_is_read_as_blender_does(parent_turn: float) -> None:
    """A hips root whose location is not its own axes', below a bone that is posed and rests askew."""
    from inertia_addon.blender.data import actions, rigs, roots

    data = bpy.data.armatures.new("Rig")
    armature = bpy.data.objects.new("Rig", data)
    bpy.context.scene.collection.objects.link(armature)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    top = data.edit_bones.new("Root")
    top.head, top.tail, top.roll = (0.1, 0.0, 0.0), (0.4, 0.5, 0.3), 0.7
    hips = data.edit_bones.new("Hips")
    hips.head, hips.tail, hips.parent = (0.0, 0.2, 1.0), (0.0, 0.3, 1.4), top
    bpy.ops.object.mode_set(mode="OBJECT")
    data.bones["Hips"].use_local_location = False
    made = []
    for name, speed in (("Source", 0.1), ("Destination", -0.15)):
        action = bpy.data.actions.new(name)
        armature.animation_data_create().action = action
        for frame in range(1, 41):
            for bone, angle in (("Root", parent_turn), ("Hips", 0.02 * frame)):
                pose = armature.pose.bones[bone]
                pose.rotation_mode = "XYZ"
                pose.rotation_euler = (0.3 * angle, angle, 0.2 * angle)
                pose.keyframe_insert("rotation_euler", frame=frame)
            armature.pose.bones["Hips"].location = (speed * frame, 0.3, 0.05 * frame)
            armature.pose.bones["Hips"].keyframe_insert("location", frame=frame)
        made.append(action)
    clip = actions.read(made[0], actions.choose_slot(made[0], armature))
    root = roots.find_root(rigs.read(armature), [clip], "Hips")
    expected = builders.played(armature, made[0], [7.0])[0][armature.data.bones.find("Hips")]
    np.testing.assert_allclose(roots.root_matrix(rigs.read(armature), root, clip, 7.0), expected, atol=1e-5)
    report, result = bake(armature, *made, root="Hips")
    assert_goes_on(armature, tuple(made), report, result, "Hips")


@pytest.mark.variants(2)
@pytest.mark.parametrize(
    ("bone", "place"), [("Root", "plain"), ("Root", "lying"), ("Hips", "large"), ("", "plain")]
)
def test_clips_that_stand_elsewhere_are_aligned(bone: str, place: str) -> None:
    """Neither travels, but the character would glide from the one to the other."""
    armature = character(place)
    made = stand(armature, "Source", bone, (0.0, 0.0)), stand(armature, "Destination", bone, (3.0, 1.0), 1.5)
    report, result = bake(armature, *made, alignment="AUTO")
    assert (report.alignment, report.root) == ("POSITION_HEADING", bone)
    assert report.warnings == ()
    assert_goes_on(armature, made, report, result, bone)


@pytest.mark.parametrize(("away", "heading"), [(0.0, 0.0), (0.3, 1.0), (0.3, 2.0)])
def test_clips_of_one_place_stay_in_it(away: float, heading: float) -> None:
    """As those of games do, whichever way they run there."""
    armature = character()
    made = (
        stand(armature, "Source", "Root", (0.0, 0.0)),
        stand(armature, "Destination", "Root", (away, 0.0), heading),
    )
    report, result = bake(armature, *made, alignment="AUTO")
    assert report.alignment == "NONE"
    builders.assert_outside(armature, *made, report, result)
    # what AUTO can't know is said
    assert [w for w in report.warnings if "heading" in w] == list(report.warnings)
    assert len(report.warnings) == (heading > 0.8)


def test_facing_the_other_way_is_aligned() -> None:
    armature = character()
    made = (
        stand(armature, "Source", "Root", (0.0, 0.0)),
        stand(armature, "Destination", "Root", (0.0, 0.0), 3.0),
    )
    report, result = bake(armature, *made, alignment="AUTO")
    assert report.alignment == "POSITION_HEADING"
    assert_goes_on(armature, made, report, result, "Root")


def test_a_glide_that_was_asked_for_is_said() -> None:
    armature = character()
    made = (
        stand(armature, "Source", "Root", (0.0, 0.0)),
        stand(armature, "Destination", "Root", (3.0, 0.0), 1.5),
    )
    report, _ = bake(armature, *made, alignment="NONE")
    away, turned = report.warnings
    assert '"Destination" stands 3' in away
    assert "faces 86 degrees" in turned
    report, _ = bake(armature, *made, alignment="POSITION")
    assert report.warnings == ()
    # what takes no part does not glide
    report, _ = bake(armature, *made, alignment="NONE", bones=("Leg",))
    assert report.warnings == ()


def test_costs_maps_and_hops_know_of_clips_that_stand_elsewhere() -> None:
    """Costs, maps of all clips, and hops."""
    from inertia_addon.blender.cost import costing, library
    from inertia_addon.blender.hops import search as hops
    from inertia_addon.motion.steps import finish
    from inertia_addon.settings.hops import HopSettings
    from inertia_addon.settings.transition import TransitionSettings

    armature = character()
    for name, place in (("Source", 0.0), ("Destination", 0.0), ("Elsewhere", 4.0)):
        stand(armature, name, "Root", (place, 0.0))
    weights = dict.fromkeys(BONES, 1.0)
    for other, expected in (("Destination", "NONE"), ("Elsewhere", "POSITION_HEADING")):
        settings = TransitionSettings("Source", other, CUT, START)
        pair = costing.read_pair(armature, settings)
        assert pair.alignment == expected
        assert (
            hops.read(read_character(armature), HopSettings(settings, clips=(other,))).alignment == expected
        )
        all_clips = library.ClipLibrary(settings)
        finish(all_clips.add("file", armature, weights))
        i, j = all_clips.names().index("Source"), all_clips.names().index(other)
        compared = costing.compare(
            settings, pair.alignment, weights, finish(costing.motions(armature, pair)), all_clips.fps
        )
        assert all_clips.compared(i, j).at(CUT, START) == pytest.approx(compared.at(CUT, START))
        assert compared.at(CUT, START) < 0.1


@pytest.mark.parametrize("count", [1, 2, 5])
def test_a_motion_that_is_repeated_goes_as_far_and_turns_as_much_back_as_ahead(count: int) -> None:
    turn = quaternion.exp(np.array([0.1, -0.2, 0.3]))
    once = Carrier(quaternion.to_matrix(turn), np.array([0.5, 2.0, 0.1]), turn)
    place, rotation = np.array([1.0, -3.0, 0.2]), quaternion.exp(np.array([0.4, 0.0, -0.5]))
    for repeated in (count, -count):
        there = once.times(repeated)
        gone, turned = there.matrix @ place + there.shift, quaternion.multiply(there.turn, rotation)
        # the channels' rotation turns as the places around it do
        np.testing.assert_allclose(quaternion.to_matrix(there.turn), there.matrix, atol=1e-12)
        for _ in range(count):
            one = once if repeated < 0 else once.times(-1)
            gone, turned = one.matrix @ gone + one.shift, quaternion.multiply(one.turn, turned)
        np.testing.assert_allclose(gone, place, atol=1e-12)
        np.testing.assert_allclose(abs(turned @ rotation), 1.0, atol=1e-12)
