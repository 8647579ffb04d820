# SPDX-License-Identifier: GPL-3.0-or-later
"""Takes that are looked at and finished: what is found, what is mended, and what stays as it is."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
import pytest
from mathutils import Matrix

from inertia_addon.blender.data import clip_store, compat, recipe, recipe_reader, rewriting, scene
from inertia_addon.blender.evaluation.character import read_character
from inertia_addon.blender.finish import bake, grounding, levelling, look
from inertia_addon.blender.finish.bake import FinishReport
from inertia_addon.blender.finish.findings import TakeFindings
from inertia_addon.errors import InertiaError
from inertia_addon.motion import quaternion
from inertia_addon.motion.finish.floor import Floor
from inertia_addon.motion.steps import finish
from inertia_addon.settings.feet import Locking
from inertia_addon.settings.finish import FinishSettings
from tests.blender import builders, file_state, stepper


@pytest.fixture
def walker(fresh_file: None) -> Any:
    return stepper.biped()


def looked(armature: Any, made: Any, **asked: Any) -> TakeFindings:
    return finish(look.look_steps(armature, FinishSettings(made.name, **asked)))


def finished(armature: Any, made: Any, **asked: Any) -> tuple[FinishReport, Any]:
    report = finish(bake.finish_take_steps(armature, FinishSettings(made.name, **asked)))
    return report, bpy.data.actions[report.result]


def kinds_of(seen: TakeFindings) -> list[str]:
    return sorted({each.kind for each in seen.findings})


def turn_key(made: Any, bone: str, frame: int, size: float) -> None:
    """Turn a bone further on one frame of a walk."""
    curves = [builders.by_address(made)[builders.bone_path(bone, "rotation_quaternion"), i] for i in range(4)]
    points = [curve.keyframe_points[frame - 1] for curve in curves]
    turn = quaternion.exp(np.array([size, 0.0, 0.0]))
    for point, value in zip(
        points, quaternion.multiply(turn, np.array([p.co[1] for p in points])), strict=True
    ):
        point.co[1] = value


def put_floor(armature: Any, made: Any, degrees: float) -> Any:
    """The same take on a floor that is tilted along the way."""
    floor = Floor(np.zeros(3), np.array([0.0, np.tan(np.radians(degrees))]), 0.0, 1.0)
    curves = levelling.level(read_character(armature), clip_store.read(armature, made), floor)
    return rewriting.write_action([curves], "Tilted")


def test_a_clean_walk_has_no_findings_and_nothing_to_mend(walker: Any) -> None:
    made = stepper.walk(walker, frames=73)
    seen = looked(walker, made)
    assert seen.findings == ()
    assert (seen.facts.fps, seen.facts.up, seen.facts.legs, seen.facts.is_plain) == (24.0, "Z", 2, True)
    assert seen.facts.floor_height == pytest.approx(0.02, abs=0.005)
    before = file_state.everything()
    with pytest.raises(InertiaError, match='Nothing is to be mended in "Walk"'):
        finished(walker, made)
    assert file_state.differences(before, file_state.everything()) == {}


def test_feet_that_slide_are_found_and_stand_still(walker: Any) -> None:
    made = stepper.walk(walker, frames=73, skate=0.15)
    seen = looked(walker, made)
    assert kinds_of(seen) == ["skate"]
    assert {each.bone for each in seen.findings} == {"foot.L", "foot.R"}
    report, result = finished(walker, made)
    assert report.result == "Walk finished"
    assert {each.became for each in report.outcomes} == {"gone"}
    assert all(each.after < 0.25 * each.finding.size for each in report.outcomes)
    assert compat.assigned(walker)[0] == result
    assert looked(walker, result).findings == ()
    # the head's own way stays
    assert builders.key_data(
        builders.by_address(result)[builders.bone_path("hips", "location"), 0]
    ) == builders.key_data(builders.by_address(made)[builders.bone_path("hips", "location"), 0])


def test_findings_that_are_left_stay_as_they_are(walker: Any) -> None:
    made = stepper.walk(walker, frames=73, skate=0.15)
    turn_key(made, "foot.L", 40, 0.6)
    seen = looked(walker, made)
    assert kinds_of(seen) == ["pop", "skate"]
    report, result = finished(walker, made, leave=("skate",))
    became = {each.finding.kind: each.became for each in report.outcomes}
    assert became == {"pop": "gone", "skate": "left"}
    assert kinds_of(looked(walker, result)) == ["skate"]
    (pop,) = (each for each in seen.findings if each.kind == "pop")
    report, result = finished(walker, made, leave=(pop.name,))
    assert {each.finding.kind: each.became for each in report.outcomes} == {"pop": "left", "skate": "gone"}
    outside = np.concatenate([np.arange(1.0, 25.0), np.arange(60.0, 73.0)])
    report, result = finished(walker, made, leave=("skate",))
    np.testing.assert_allclose(
        builders.played(walker, result, outside), builders.played(walker, made, outside), atol=1e-5
    )


def test_jumps_are_told_in_their_own_unit(walker: Any) -> None:
    made = stepper.walk(walker, frames=73)
    turn_key(made, "foot.L", 40, 0.6)
    hips = builders.by_address(made)[builders.bone_path("hips", "location"), 0]
    hips.keyframe_points[19].co[1] += 0.3
    pops = {each.bone: each for each in looked(walker, made).findings if each.kind == "pop"}
    turned, moved = pops["foot.L"], pops["hips"]
    assert (turned.unit, moved.unit) == ("degrees", "m")
    assert f"by {turned.size:.0f}° for one frame" in str(turned.words)
    assert f"by {scene.length_text(moved.size)} for one frame" in str(moved.words)
    assert (turned.size, moved.size) == (pytest.approx(np.degrees(0.6), rel=0.1), pytest.approx(0.3, rel=0.1))


def test_a_take_that_stalls_is_told_how_much_of_its_speed_it_loses(walker: Any) -> None:
    made = stepper.walk(walker, frames=97)
    pace = np.ones(96)
    pace[44:54] = [0.75, 0.5, 0.25, 0.0, 0.0, 0.0, 0.0, 0.25, 0.5, 0.75]
    shown = 1.0 + np.append(0.0, np.cumsum(pace))
    for curve in builders.by_address(made).values():
        values = [curve.evaluate(frame) for frame in shown]
        for key in curve.keyframe_points:
            key.co[1] = values[round(key.co[0]) - 1]
        curve.update()
    (stall,) = (each for each in looked(walker, made).findings if each.unit == "%")
    assert 40.0 <= stall.first < stall.last <= 60.0
    assert f"at {100.0 - stall.size:.0f} % of its speed" in str(stall.words)
    assert 80.0 < stall.size <= 100.0


def test_height_only_leaves_feet_to_slide(walker: Any) -> None:
    made = stepper.walk(walker, frames=73, skate=0.15)
    with pytest.raises(InertiaError, match="could be mended"):
        finished(walker, made, feet="HEIGHT")


def test_a_pose_in_front_is_cut_off(walker: Any) -> None:
    made = stepper.walk(walker, frames=73)
    for curve in builders.by_address(made).values():
        if "rotation_quaternion" in curve.data_path:
            curve.keyframe_points[0].co[1] = float(curve.array_index == 0)
    turn_key(made, "thigh.L", 1, -0.8)
    turn_key(made, "thigh.R", 1, -0.8)
    seen = looked(walker, made)
    assert [(each.kind, each.first, each.last) for each in seen.findings] == [("pose", 1.0, 1.0)]
    report, result = finished(walker, made)
    assert report.frame_range == (2.0, 73.0)
    assert tuple(result.frame_range) == (2.0, 73.0)
    frames = np.arange(2.0, 74.0)
    np.testing.assert_allclose(
        builders.played(walker, result, frames), builders.played(walker, made, frames), atol=1e-5
    )


def test_channels_that_only_other_actions_key_are_keyed(walker: Any) -> None:
    other = builders.action("Other", slot=walker.name)
    path = builders.bone_path("head", "location")
    builders.curves(other, path, [(1.0, (0.0, 0.2, 0.0)), (9.0, (0.0, 0.2, 0.1))], slot="OB" + walker.name)
    made = stepper.walk(walker, frames=73)
    (found,) = looked(walker, made).findings
    assert (found.kind, found.size) == ("channels", 2.0)
    report, result = finished(walker, made)
    assert [each.became for each in report.outcomes] == ["gone"]
    keyed = {index for at, index in builders.by_address(result) if at == path}
    assert keyed == {1, 2}
    assert builders.by_address(result)[path, 1].evaluate(30.0) == 0.0


def test_jitter_is_found_and_smoothed(walker: Any) -> None:
    made = stepper.walk(walker, frames=121)
    rng = np.random.default_rng(2)
    for bone in ("chest", "head"):
        values = quaternion.exp(np.zeros((121, 3)))
        points = [*zip(np.arange(1.0, 122.0).tolist(), values.tolist(), strict=True)]
        path = builders.bone_path(bone, "rotation_quaternion")
        builders.curves(made, path, points, interpolation="LINEAR", slot="OB" + walker.name)
    for curve in builders.by_address(made).values():
        if "rotation_quaternion" in curve.data_path and curve.array_index:
            for point in curve.keyframe_points:
                point.co[1] += 0.006 * rng.normal()
    seen = looked(walker, made)
    assert "jitter" in kinds_of(seen)
    report, _ = finished(walker, made)
    (outcome,) = (each for each in report.outcomes if each.finding.kind == "jitter")
    assert outcome.became == "gone"
    assert outcome.after < 0.5 * outcome.finding.size


def test_a_tilted_floor_is_found_and_levelled(walker: Any) -> None:
    made = put_floor(walker, stepper.walk(walker, frames=145), 4.0)
    seen = looked(walker, made)
    (found,) = (each for each in seen.findings if each.kind == "floor")
    assert found.size == pytest.approx(4.0, abs=0.5)
    report, result = finished(walker, made)
    (outcome,) = (each for each in report.outcomes if each.finding.kind == "floor")
    assert (outcome.became, outcome.after < 0.5) == ("gone", True)
    clips = [clip_store.read(walker, each) for each in (made, result)]
    tilts = [look.stances.find_standing(read_character(walker), clip).floor.tilt for clip in clips]
    assert tilts[1] < 0.1 * tilts[0]


def test_a_floor_that_bones_alone_do_not_carry_is_left_with_a_note(walker: Any) -> None:
    made = put_floor(walker, stepper.walk(walker, frames=145, skate=0.15), 4.0)
    builders.curve(made, "location", 0, [(1.0, 0.0), (145.0, 0.5)], slot="OB" + walker.name)
    report, _ = finished(walker, made)
    became = {each.finding.kind: each.became for each in report.outcomes}
    assert became["floor"] == "same"
    assert any("can't be levelled" in note for note in report.notes)


def test_feet_below_the_floor_are_raised_to_it(walker: Any) -> None:
    made = stepper.walk(walker, frames=145)
    clip = clip_store.read(walker, made)
    planted = look.stances.find_standing(read_character(walker), clip).planted
    deep = {0: [(planted.spans[0][2], -0.07)]}
    made = rewriting.write_action(
        [grounding.put_on_floor(read_character(walker), clip, planted, deep, Locking())], "Deep"
    )
    (found,) = (each for each in looked(walker, made).findings if each.kind == "sink")
    assert (found.bone, found.first) == ("foot.L", planted.spans[0][2].start)
    assert found.size == pytest.approx(0.07, abs=0.02)
    report, _ = finished(walker, made, feet="HEIGHT")
    (outcome,) = (each for each in report.outcomes if each.finding.kind == "sink")
    assert outcome.after < 0.3 * found.size


def test_a_finished_take_is_made_anew_from_its_recipe(walker: Any) -> None:
    made = stepper.walk(walker, frames=73, skate=0.15)
    _, result = finished(walker, made, leave=("pop",), foot_release=0.2)
    assert recipe.kind(result) == bake.KIND
    settings = recipe_reader.read_recipe(result, bake.KIND).settings
    assert settings == FinishSettings("Walk", leave=("pop",), foot_release=0.2, result="Walk finished")
    count = len(bpy.data.actions)
    again = finish(bake.finish_take_steps(walker, settings, result))
    assert (again.result, len(bpy.data.actions)) == ("Walk finished", count)


def test_a_name_of_no_finding_is_refused() -> None:
    with pytest.raises(InertiaError, match='No finding is called "skid"'):
        FinishSettings("Walk", leave=("skid",))


def test_a_rig_without_legs_is_looked_at_all_the_same(armature: Any) -> None:
    made = builders.action("Clip")
    for i in range(3):
        turn = builders.wave(made, builders.bone_path("B", "rotation_euler"), i, 0.3, phase=i)
        turn.keyframe_points[20].co[1] += 0.7 * (i == 0)
        turn.update()
    armature.pose.bones["B"].rotation_mode = "XYZ"
    seen = looked(armature, made)
    assert kinds_of(seen) == ["pop"]
    assert any("No legs were found" in note for note in seen.notes)
    report, _ = finished(armature, made)
    assert (report.left, [each.became for each in report.outcomes]) == (0, ["gone"])


def test_a_character_that_lies_is_told_by_the_way_to_its_head(walker: Any) -> None:
    made = stepper.walk(walker, frames=73)
    walker.rotation_euler = (-np.pi / 2.0, 0.0, 0.0)
    bpy.context.view_layer.update()
    seen = looked(walker, made)
    assert seen.facts.up == "Y"
    assert any("lies, its head towards Y" in str(note) for note in seen.notes)


def test_a_character_stands_whichever_axis_of_its_armature_points_up(walker: Any) -> None:
    made = stepper.walk(walker, frames=73)
    turned = Matrix.Rotation(np.pi / 2.0, 4, "X")
    walker.data.transform(turned)
    walker.matrix_world = turned.inverted()
    bpy.context.view_layer.update()
    seen = looked(walker, made)
    assert (seen.facts.up, [note for note in seen.notes if "lies" in str(note)]) == ("Z", [])


def turn_way(armature: Any, made: Any, frame: int, degrees: float) -> None:
    """Have the way of a walk turn at a frame, at once."""
    path = builders.bone_path("hips", "location")
    curves = [builders.by_address(made)[path, i] for i in range(3)]
    rest = np.array(armature.data.bones["hips"].matrix_local.to_3x3())
    way = np.array([[point.co[1] for point in curve.keyframe_points] for curve in curves]).T @ rest.T
    turn = np.array(Matrix.Rotation(np.radians(degrees), 3, "Z"))
    way[frame:] = way[frame - 1] + (way[frame:] - way[frame - 1]) @ turn.T
    for curve, values in zip(curves, (way @ rest).T.tolist(), strict=True):
        for point, value in zip(curve.keyframe_points, values, strict=True):
            point.co[1] = value
        curve.update()


def test_a_way_that_turns_at_once_is_joined_anew(walker: Any) -> None:
    made = stepper.walk(walker, frames=97)
    turn_way(walker, made, 50, 75.0)
    seen = looked(walker, made)
    (seam,) = (each for each in seen.findings if each.kind == "seam")
    assert (seam.first, seam.last, seam.unit) == (50.0, 50.0, "degrees")
    # the feet, which swing, go their own way
    assert seam.size == pytest.approx(75.0, abs=12.0)
    left = tuple(each.name for each in seen.findings if each != seam)
    report, result = finished(walker, made, leave=left)
    (outcome,) = (each for each in report.outcomes if each.finding == seam)
    assert outcome.became == "gone"
    outside = np.concatenate([np.arange(1.0, 44.0), np.arange(57.0, 98.0)])
    np.testing.assert_allclose(
        builders.played(walker, result, outside), builders.played(walker, made, outside), atol=1e-5
    )
    around = np.arange(40.0, 61.0)
    hips = [builders.played(walker, each, around)[:, 0, :3, 3] for each in (made, result)]
    changes = [np.linalg.norm(np.diff(way, 2, axis=0), axis=1).max() for way in hips]
    assert changes[1] < 0.6 * changes[0]
