# SPDX-License-Identifier: GPL-3.0-or-later
"""A path that was baked is the way that was searched, made of the clips as they are."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest

from inertia_addon.blender.data import actions, clip_store, recipe, rigs, scene
from inertia_addon.blender.evaluation import joint_motion, joints
from inertia_addon.blender.evaluation.character import read_character
from inertia_addon.blender.feet import contacts
from inertia_addon.blender.matching import action_set, bake, followed, quality, search, variants
from inertia_addon.blender.matching.search import PathPlan
from inertia_addon.blender.nla import tracks
from inertia_addon.blender.transition import writing
from inertia_addon.errors import InertiaError
from inertia_addon.motion.feet import contacts as planting
from inertia_addon.motion.judging.evidence import BESIDE_FRAMES, MARGIN_SECONDS
from inertia_addon.motion.matching import clip_sequence, mirror
from inertia_addon.motion.steps import finish
from inertia_addon.settings.matching import PathSettings
from tests.blender import builders, led_walker, stepper, wanderer
from tests.blender.file_state import everything
from tests.blender.nla import strip_poses
from tests.blender.wanderer import CLIPS, SPEED, circle, csv_of, settings


@pytest.fixture
def armature() -> Any:
    return wanderer.with_clips()


def analysed(armature: Any, chosen: PathSettings) -> action_set.Stock:
    return finish(
        action_set.analyse_steps(read_character(armature), chosen, joints.named_weights(armature, "stored"))
    )


def found_along(armature: Any, chosen: PathSettings) -> PathPlan:
    course = followed.course(chosen)
    return finish(search.search_path_steps(analysed(armature, chosen), chosen, course))


def positions(armature: Any, name: str, frames: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    clip = clip_store.read(armature, actions.find(name))
    rig = rigs.read(armature)
    return joint_motion.joint_positions(rig, clip.curves, frames, clip.unkeyed)


def test_a_baked_path_is_what_was_searched(
    armature: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the rig read once, and nothing written between."""
    points = csv_of(tmp_path / "circle.csv", circle(seconds=3.5))
    before = {a.name: actions.contents(a) for a in bpy.data.actions}
    chosen = settings(points=str(points), first_frame=11.0, transition={"feet": "OFF"})
    found = found_along(armature, chosen)
    assert len(found.way.joins) > 2
    read, calls, written = rigs.read, [], []
    monkeypatch.setattr(rigs, "read", lambda *asked: calls.append(asked) or read(*asked))
    write = writing.write_slots
    monkeypatch.setattr(writing, "write_slots", lambda *asked: written.append(asked) or write(*asked))
    report = finish(bake.bake_way_steps(armature, found))
    assert len(calls) == len(written) == 1
    # the clips are as they were, and nothing is left of what lay between
    assert {a.name: actions.contents(a) for a in bpy.data.actions if a.name in before} == before
    assert {a.name for a in bpy.data.actions} == {*before, report.result}
    assert report.frame_range == (11.0, 11.0 + found.way.frames - 1)
    result = actions.find(report.result)
    assert recipe.is_baked(result, recipe.PATH)
    assert recipe.is_baked(result)
    assert armature.animation_data.action == result
    starts = [11 + join.frame for join in found.way.joins]
    assert [marker.frame for marker in result.pose_markers] == starts
    assert list(report.cut_frames) == starts[1:]
    measured = finish(quality.measure_path_steps(armature, found, report))
    assert measured.apart_rms_m < 0.01
    assert measured.path_rms_m < 0.05
    assert measured.velocity_change < 1.2
    told = search.figures(found)
    assert told["cuts"] == len(starts) - 1 > 0
    assert told["path_rms_m"] == pytest.approx(measured.path_rms_m, abs=0.01)
    listed = search.joins(found)
    assert [join["frame"] for join in listed] == starts[1:]
    assert all(1 <= len(join["next_best"]) <= 3 for join in listed)


def test_strips_play_what_the_action_does_and_are_made_anew(armature: Any, tmp_path: Path) -> None:
    """Between frames, too, and where clips take over; locked feet, mirror images and the warp are in them."""
    points = csv_of(tmp_path / "circle.csv", circle(2.0))
    chosen = settings(points=str(points), first_frame=11.0, width=4)
    found = found_along(armature, chosen)
    report = finish(bake.bake_way_steps(armature, found))
    around = [cut + near for cut in report.cut_frames for near in (-1.0, -0.5, -0.01, 0.0, 0.01, 0.5, 1.0)]
    first, last = report.frame_range
    frames = np.union1d(np.arange(first - 2.0, last + 3.0, 2.0), [*around, first, last])
    baked, whole = strip_poses.shown(armature, frames), actions.find(report.result)
    own = tracks_of(armature).new()
    own.name = "Mine"
    own.strips.new("Walk", 1, bpy.data.actions["Walk"])
    laid = finish(bake.bake_way_steps(armature, dataclasses.replace(found, settings=as_strips(chosen))))
    assert laid.assigned
    assert armature.animation_data.action is None
    result = actions.find(laid.result)
    assert actions.contents(result) == actions.contents(whole)
    mine, track = tracks_of(armature)
    assert (mine.name, track.name, track.lock) == ("Mine", laid.result, False)
    assert [strip.name.partition(".")[0] for strip in track.strips] == [m.name for m in result.pose_markers]
    assert [strip.frame_start for strip in track.strips] == [first, *laid.cut_frames]
    assert track.strips[-1].frame_end == last
    assert np.abs(strip_poses.shown(armature, frames) - baked).max() < 1e-5
    # one that was replaced stays, and all others are laid anew above it
    track.strips[0].action = bpy.data.actions["Walk"]
    finish(bake.bake_way_steps(armature, dataclasses.replace(found, settings=as_strips(chosen)), result))
    names = [[strip.action.name for strip in track.strips] for track in tracks_of(armature)]
    assert names == [["Walk"], ["Walk"], [laid.result] * len(found.way.joins)]
    assert np.abs(strip_poses.shown(armature, frames) - baked).max() < 1e-5
    tracks.remove(actions.find(laid.result))
    assert len(tracks_of(armature)) == 2
    assert armature.animation_data.action == whole
    # what is not to be assigned is muted
    resting = dataclasses.replace(chosen.transition, assign=False, feet="OFF")
    muted = dataclasses.replace(found, settings=dataclasses.replace(as_strips(chosen), transition=resting))
    assert not finish(bake.bake_way_steps(armature, muted)).assigned
    assert [track.mute for track in tracks_of(armature)] == [False, False, True]
    assert armature.animation_data.action == whole
    # in tweak mode a strip's action is the assigned one
    armature.animation_data.action, tracks_of(armature).active = None, tracks_of(armature)[0]
    tracks_of(armature)[0].strips[0].select = armature.animation_data.use_tweak_mode = True
    contents = everything()
    with pytest.raises(InertiaError, match="tweak mode"):
        finish(bake.bake_way_steps(armature, muted))
    assert everything() == contents


def as_strips(chosen: PathSettings) -> PathSettings:
    return dataclasses.replace(chosen, strips=True)


def tracks_of(armature: Any) -> Any:
    return armature.animation_data.nla_tracks


def planted_speed(armature: Any, found: PathPlan, report: bake.PathReport) -> float:
    """How fast feet move that the clips have on the ground, m/s: the median over feet and frames."""
    database = found.stock.database
    frames = report.frame_range[0] + np.arange(found.way.frames, dtype=float) * found.stock.step
    clip = clip_store.read(armature, actions.find(report.result), report.slot)
    points = finish(
        joint_motion.track_points_steps(
            read_character(armature), clip, [(leg.point, leg.offset) for leg in found.stock.legs], frames
        )
    )
    speeds = np.linalg.norm(np.gradient(points, axis=0), axis=-1) * database.fps
    assert database.contacts is not None
    return float(np.median(speeds[database.contacts[found.way.flat]]))


@pytest.mark.slow
def test_planted_feet_stand_still_and_it_is_kept_when(armature: Any, tmp_path: Path) -> None:
    points = csv_of(tmp_path / "circle.csv", circle(2.0))
    speeds = {}
    plan = found_along(armature, settings(points=str(points)))
    for feet in ("OFF", "AUTO"):
        found = dataclasses.replace(plan, settings=settings(points=str(points), transition={"feet": feet}))
        report = finish(bake.bake_way_steps(armature, found))
        measured = finish(quality.measure_path_steps(armature, found, report))
        speeds[feet] = planted_speed(armature, found, report)
        assert measured.apart_rms_m < 0.01
        # no knee snaps
        assert measured.velocity_change < 1.5
    assert speeds["AUTO"] < 1e-3 < 0.02 < speeds["OFF"]
    assert set(contacts.read_held(actions.find(report.result))) == {"foot.L", "foot.R"}


def test_mirror_images_are_where_the_search_has_them(armature: Any, tmp_path: Path) -> None:
    armature.location, armature.rotation_euler = (2.0, -1.0, 0.5), (0.0, 0.0, 0.7)
    bpy.context.view_layer.update()
    points = csv_of(tmp_path / "circle.csv", circle(3.0))
    pins = ("Bend@5=0,mirrored", "Turn@10=1.5,mirrored", "Walk@10=2.5")
    found = found_along(armature, settings(points=str(points), pins=pins))
    report = finish(bake.bake_way_steps(armature, found))
    measured = finish(quality.measure_path_steps(armature, found, report))
    marked = {marker.frame: marker.name for marker in actions.find(report.result).pose_markers}
    assert (marked[1], marked[37], marked[61]) == ("Bend (mirrored)", "Turn (mirrored)", "Walk")
    assert measured.apart_rms_m < 0.01


def test_limbs_of_a_path_play_as_the_clip_does_between_joins(armature: Any, tmp_path: Path) -> None:
    points = csv_of(tmp_path / "circle.csv", circle(2.5))
    blend = {"feet": "OFF"}
    chosen = settings(
        points=str(points), mirror=False, actions=("Walk", "Bend"), faithful=1.0, transition=blend
    )
    found = found_along(armature, chosen)
    report = finish(bake.bake_way_steps(armature, found))
    assert not contacts.stored(actions.find(report.result))
    clip, original = (
        clip_store.read(armature, actions.find(name))
        for name in (report.result, found.stock.database.place(found.way.joins[0].entered)[0].name)
    )
    _, first = found.stock.database.place(found.way.joins[0].entered)
    until = min([*report.cut_frames, 20.0])
    at = np.arange(1.0, until - 1.0, 0.25)
    for address in original.curves:
        if "hips" not in address[0]:
            there = original.curves[address].at(at + first - 1.0)
            np.testing.assert_array_equal(clip.curves[address].at(at), there)


@pytest.mark.slow
def test_the_warp_takes_drift_out_and_can_be_left_out(armature: Any, tmp_path: Path) -> None:
    points = csv_of(tmp_path / "circle.csv", circle(2.2, radius=1.0))
    rms = {}
    for is_warped in (True, False):
        found = found_along(armature, settings(points=str(points), warp=is_warped, faithful=0.9))
        report = finish(bake.bake_way_steps(armature, found))
        measured = finish(quality.measure_path_steps(armature, found, report))
        assert measured.apart_rms_m < 0.01
        rms[is_warped] = measured.path_rms_m
        places = clip_sequence.wanted(found.way, found.target)[0]
        assert places.shape == (found.way.frames, 2)
    assert rms[True] < 0.8 * rms[False]


@pytest.mark.slow
def test_the_same_is_baked_again_and_given_up_it_leaves_the_file_as_it_was(
    armature: Any, tmp_path: Path
) -> None:
    """And made anew in its place, where clips are pinned."""
    points = csv_of(tmp_path / "circle.csv", circle(2.0))
    chosen = settings(points=str(points), transition={"result": "Stroll"})
    sums = set()
    for is_last in (False, True):
        found = found_along(armature, chosen)
        before = everything()
        steps = bake.bake_way_steps(armature, found)
        next(steps)
        steps.close()
        assert everything() == before
        report = finish(bake.bake_way_steps(armature, found))
        sums.add(actions.contents(actions.find(report.result)))
        if not is_last:
            bpy.data.actions.remove(actions.find(report.result))
            action_set.forget()
    assert len(sums) == 1
    again = found_along(armature, dataclasses.replace(chosen, pins=("Turn@20=1",)))
    other = finish(bake.bake_way_steps(armature, again, actions.find(report.result)))
    assert other.result == report.result == "Stroll"
    assert 25.0 in other.cut_frames
    assert sum(a.name.startswith("Stroll") for a in bpy.data.actions) == 1


@pytest.mark.slow
def test_a_cycle_is_entered_anywhere_and_goes_on(armature: Any, tmp_path: Path) -> None:
    # a single stride, whose end goes on into its beginning
    stepper.walk(armature, "Stride", 25)
    contents = actions.contents(bpy.data.actions["Stride"])
    points = csv_of(tmp_path / "line.csv", [(0.0, 0.0), (1.0, 0.0)], "x,y")
    chosen = settings(points=str(points), actions=("Stride", "Turn"), mirror=False, faithful=1.0)
    found = found_along(armature, chosen)
    assert found.stock.repeated == {"Stride"}
    assert found.stock.clip("Stride").end >= 25.0 + 48.0
    # whatever is joined goes on as it went
    assert search.figures(found)["largest_displacement_m_s"] < 1e-3
    assert found.way.reached
    report = finish(bake.bake_way_steps(armature, found))
    assert finish(quality.measure_path_steps(armature, found, report)).apart_rms_m < 0.01
    assert actions.contents(bpy.data.actions["Stride"]) == contents
    assert {a.name for a in bpy.data.actions} == {*CLIPS, "Stride", report.result}
    alone = dataclasses.replace(chosen, find_cycles=False)
    assert not analysed(armature, alone).repeated
    assert analysed(armature, dataclasses.replace(alone, cycles=("Stride",))).repeated == {"Stride"}
    with pytest.raises(InertiaError, match="not one of the clips"):
        analysed(armature, dataclasses.replace(chosen, actions=("Walk",), cycles=("Turn",)))


def test_a_mirror_image_has_left_and_right_exchanged(armature: Any) -> None:
    rig, clip = rigs.read(armature), clip_store.read(armature, bpy.data.actions["Turn"])
    partners = mirror.partners(rig.bones.names)
    image = variants.mirrored(rig, clip, partners, "Turn mirrored")
    frames = np.arange(1.0, 61.0, 3.0)
    there = positions(armature, image.name, frames)
    here = positions(armature, "Turn", frames)
    np.testing.assert_allclose(there, here[:, partners] * (-1.0, 1.0, 1.0), atol=2e-4)


# --- what is followed


def test_curves_of_all_kinds_are_followed_where_they_are_in_the_world(fresh_file: None) -> None:
    for kind, cyclic in (("BEZIER", False), ("NURBS", True), ("POLY", True), ("POLY", False)):
        shape = bpy.data.curves.new(kind, "CURVE")
        shape.bevel_depth = 0.1
        spline = shape.splines.new(kind)
        corners = [(0.0, 0.0), (4.0, 0.0), (4.0, 4.0), (0.0, 4.0)]
        if kind == "BEZIER":
            spline.bezier_points.add(3)
            for point, (x, y) in zip(spline.bezier_points, corners, strict=True):
                point.co = (x, y, 0.0)
                point.handle_left_type = point.handle_right_type = "VECTOR"
        else:
            spline.points.add(3)
            for point, (x, y) in zip(spline.points, corners, strict=True):
                point.co = (x, y, 0.0, 1.0)
        spline.use_cyclic_u = cyclic
        drawn = bpy.data.objects.new(kind, shape)
        bpy.context.collection.objects.link(drawn)
        drawn.location = (10.0, 0.0, 3.0)
        bpy.context.view_layer.update()
        before = everything()
        course = followed.course(settings(curve=kind))
        assert everything() == before
        length = np.linalg.norm(np.diff(course.points, axis=0), axis=1).sum()
        if kind != "NURBS":
            assert length == pytest.approx(16.0 if cyclic else 12.0, abs=1e-3)
            np.testing.assert_allclose(course.points[0], (10.0, 0.0), atol=1e-5)
        else:
            assert 6.0 < length < 16.0
            np.testing.assert_allclose(course.points[0], course.points[-1])
        bpy.data.objects.remove(drawn)


def test_an_animated_object_is_followed_when_and_where_it_moves(armature: Any) -> None:
    thing = bpy.data.objects.new("Lead", None)
    bpy.context.collection.objects.link(thing)
    for frame, x in ((1, 0.0), (49, 1.2)):
        thing.location = (x, 0.0, 0.0)
        thing.keyframe_insert("location", frame=frame)
    before = bpy.context.scene.frame_current
    found = found_along(armature, settings(target="Lead", facing="TARGET"))
    assert bpy.context.scene.frame_current == before
    assert found.target.free is False
    assert found.way.frames == 49
    # its speed comes and goes, which the walk does not
    assert np.linalg.norm(found.warped.ground[-1] - (1.2, 0.0)) < 0.3


# --- what can't be


def refused(armature: Any, cases: Sequence[tuple[str, dict[str, Any]]]) -> None:
    """Each by a sentence, with nothing changed in the end."""
    before = everything()
    for match, values in cases:
        with pytest.raises(InertiaError, match=match):
            found_along(armature, settings(**values))
    assert everything() == before


def test_a_thing_that_can_not_be_followed_is_told_and_changes_nothing(armature: Any, tmp_path: Path) -> None:
    for name, count in (("Empty", 0), ("Dot", 2)):
        shape = bpy.data.curves.new(name, "CURVE")
        bpy.context.collection.objects.link(bpy.data.objects.new(name, shape))
        if count:
            shape.splines.new("POLY").points.add(count)
    bpy.context.view_layer.update()
    row = circle(3.0)
    jumping = row + np.where(row[:, :1] > 1.5, 5.0, 0.0) * (0.0, 1.0, 0.0)
    plain = str(csv_of(tmp_path / "plain.csv", row[:, 1:], "x,y"))
    (tmp_path / "words.csv").write_text("x,y\n1,a\n")
    cases: list[tuple[str, dict[str, Any]]] = [
        ('no curve "Loop" to follow', {"curve": "Loop"}),
        ('no object "Lead"', {"target": "Lead"}),
        ("is empty", {"curve": "Empty"}),
        ("leaves nothing to follow", {"curve": "Dot"}),
        ("jumps by", {"points": str(csv_of(tmp_path / "jump.csv", jumping))}),
        ("no timing", {"points": plain, "speed": "TARGET"}),
        ("facing of its own only", {"points": plain, "facing": "TARGET"}),
        ("don't rise", {"points": str(csv_of(tmp_path / "back.csv", row[::-1]))}),
        ('Line 2 of .* has "a"', {"points": str(tmp_path / "words.csv")}),
        ("can't be read", {"points": str(tmp_path / "none.csv")}),
    ]
    refused(armature, cases)
    with pytest.raises(InertiaError, match="Give one thing to follow"):
        settings(curve="Loop", target="Lead")


def test_clips_that_can_not_follow_are_said_and_nothing_changes(armature: Any, tmp_path: Path) -> None:
    points = str(csv_of(tmp_path / "circle.csv", circle(3.0)))
    stepper.walk(armature, "Blink", 3)
    other = stepper.walk(armature, "Horse", 31)
    for curve in [curve for curves in wanderer.bags(other) for curve in curves]:
        curve.data_path = curve.data_path.replace('"]', ' of a horse"]').replace("hips of a horse", "hips")
    bpy.data.actions.new("Strange")
    cases: list[tuple[str, dict[str, Any]]] = [
        ("stay in place", {"actions": ("Stand",)}),
        ("shorter than 0.5 s", {"actions": ("Blink",)}),
        ("another skeleton", {"actions": ("Walk", "Horse")}),
        ("Strange", {"actions": ("Walk", "Strange")}),
        ("Dead blending", {"transition": {"method": "DEAD_BLENDING"}}),
    ]
    refused(armature, [(match, {"points": points, **values}) for match, values in cases])


def test_a_path_that_is_too_quick_is_said_before_it_is_baked(armature: Any, tmp_path: Path) -> None:
    quick = circle(1.5) * (1.0, 4.0, 4.0)
    found = found_along(armature, settings(points=str(csv_of(tmp_path / "quick.csv", quick))))
    assert any("asks for 2.4 m/s" in said for said in found.warnings)


def test_a_control_rig_is_warped_to_the_path_by_all_controls_that_carry_it(
    fresh_file: None, tmp_path: Path
) -> None:
    led = led_walker.led()
    led_walker.walk(led, "Walk", frames=55)
    led_walker.walk(led, "Late", frames=70, late=0.2)
    # neither along the way that its clips go, nor from where they begin
    times = np.arange(45) / 20.0
    rows = np.column_stack([times, 0.93 * SPEED * times + 3.0, 0.03 * times**2 - 2.0])
    values = {
        "points": str(csv_of(tmp_path / "line.csv", rows)),
        "actions": ("Walk", "Late"),
        # the warp alone is to take them there
        "bends": 0.0,
        "transition": {"feet": "LOCK", "blend_frames": 10.0},
    }
    found = found_along(led, settings(**values))
    assert not any("can't be warped" in said for said in found.warnings)
    assert np.abs(found.warp.shift).max() > 0.1
    assert len(found.way.joins) > 1
    report = finish(bake.bake_way_steps(led, found))
    measured = finish(quality.measure_path_steps(led, found, report))
    assert measured.path_max_m < 0.02
    assert measured.apart_rms_m < 5e-4
    assert planted_speed(led, found, report) < 0.02
    # of each join its window, and of both clips what is around it, but once
    with builders.frames_shown() as shown:
        assert finish(quality.judge_path_steps(read_character(led), found, report)) == measured.verdicts
    blend, around = values["transition"]["blend_frames"], MARGIN_SECONDS * scene.fps()
    joins, beside = len(found.way.joins), 2.0 * BESIDE_FRAMES + 1.0
    assert 0 < len(shown) <= joins * (2.0 * (blend + around) + around + blend + beside)


def test_a_control_rig_climbs_a_hill(fresh_file: None, tmp_path: Path) -> None:
    led = led_walker.led()
    led_walker.walk(led, "Walk", frames=55)
    times = np.arange(41) / 20.0
    points = str(csv_of(tmp_path / "line.csv", np.column_stack([times, SPEED * times, 0.0 * times])))
    hill()
    values = {"points": points, "actions": ("Walk",), "ground": "OBJECT", "ground_object": "Hill"}
    found = found_along(led, settings(**values, facing_weight=0.0, transition={"feet": "LOCK"}))
    report = finish(bake.bake_way_steps(led, found))
    assert led.animation_data.action.name == report.result
    above = []
    for frame in range(round(report.frame_range[0]), round(report.frame_range[1]) + 1):
        bpy.context.scene.frame_set(frame)
        hips = led.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones["hips"].head
        above.append(hips.z - np.interp(hips.x, (-1.0, 1.0), (0.0, 0.4)))
    assert hips.x > 1.0
    assert np.ptp(above) < 0.12


def test_every_version_of_blender_finds_the_same(armature: Any, tmp_path: Path) -> None:
    points = str(csv_of(tmp_path / "circle.csv", circle(6.0)))
    found = found_along(armature, settings(points=points, faithful=0.3, width=48))
    joins = [(join.frame, *found.stock.database.place(join.entered)) for join in found.way.joins]
    said = [(frame, source.name, source.mirrored, at) for frame, source, at in joins]
    assert said == [
        (0, "Bend", False, 29.0),
        (30, "Turn", False, 11.0),
        (40, "Bend", False, 21.0),
        (78, "Turn", False, 11.0),
        (88, "Bend", False, 21.0),
        (126, "Turn", False, 11.0),
        (134, "Walk", False, 19.0),
    ]


# --- uneven ground


def hill(name: str = "Hill", height: float = 0.4) -> Any:
    """A mesh that rises along x from -1 to 1 m, and a roof high above it."""
    mesh = bpy.data.meshes.new(name)
    rows = [(x, z) for x, z in ((-9.0, 0.0), (-1.0, 0.0), (1.0, height), (9.0, height))]
    points = [(x, y, z) for x, z in rows for y in (-9.0, 9.0)]
    faces = [(2 * i, 2 * i + 1, 2 * i + 3, 2 * i + 2) for i in range(3)]
    roof = [(x, y, 6.0) for x in (-9.0, 9.0) for y in (-9.0, 9.0)]
    mesh.from_pydata([*points, *roof], [], [*faces, (8, 9, 11, 10)])
    thing = bpy.data.objects.new(name, mesh)
    bpy.context.collection.objects.link(thing)
    bpy.context.view_layer.update()
    return thing


@pytest.mark.slow
def test_the_body_of_a_path_rises_on_uneven_ground_and_feet_stand_on_it(
    armature: Any, tmp_path: Path
) -> None:
    hill()
    row = np.arange(85) / 20.0
    line = str(csv_of(tmp_path / "line.csv", np.column_stack([row, SPEED * row - 1.25, 0.0 * row])))
    report, heights = {}, {}
    for ground in ("CLIP", "OBJECT"):
        chosen = settings(points=line, ground=ground, ground_object="Hill", transition={"feet": "LOCK"})
        found = found_along(armature, chosen)
        report[ground] = finish(bake.bake_way_steps(armature, found))
        frames = report[ground].frame_range[0] + np.arange(found.way.frames, dtype=float)
        action = actions.find(report[ground].result)
        held = contacts.read_held(action)
        legs = [leg for leg in found.stock.legs if leg.name in held]
        balls = [(leg.point, leg.offset) for leg in legs]
        points = finish(
            joint_motion.track_points_steps(
                read_character(armature), clip_store.read(armature, action), balls, frames
            )
        )
        heights[ground] = points, positions(armature, action.name, frames)[:, 0, 2]
    standing = np.stack([planting.planted(held[leg.name], frames) for leg in legs], axis=1)
    assert standing.mean() > 0.4
    below = np.interp(points[..., 0], (-1.0, 1.0), (0.0, 0.4))
    floor = heights["CLIP"][0][..., 2][standing].min()
    assert np.abs(points[..., 2][standing] - below[standing] - floor).max() < 0.02
    # hips are as high above the ground as they were above the floor, but for how deep the feet stand
    rise = heights["OBJECT"][1] - heights["CLIP"][1]
    assert np.abs(rise[:5]).max() < 0.06
    assert rise[-5:] == pytest.approx(0.4, abs=0.06)
    assert np.abs(np.diff(rise)).max() < 0.05


@pytest.mark.slow
def test_the_root_of_a_path_alone_follows_the_ground_without_legs_to_lock(
    armature: Any, tmp_path: Path
) -> None:
    hill(height=-0.5)
    points = str(csv_of(tmp_path / "circle.csv", circle(2.5)))
    found = found_along(armature, settings(points=points, ground="OBJECT", ground_object="Hill"))
    assert found.rises is not None
    below = np.interp(found.warped.ground[:, 0], (-1.0, 1.0), (0.0, -0.5))
    assert np.abs(found.rises - below).max() < 0.03
    plane = found_along(armature, settings(points=points, ground="PLANE", ground_height=0.25))
    assert plane.rises == pytest.approx(0.25)


def test_ground_that_is_nowhere_near_is_said(armature: Any, tmp_path: Path) -> None:
    points = str(csv_of(tmp_path / "circle.csv", circle(1.0)))
    hill().location.x = 50.0
    bpy.context.view_layer.update()
    for name, match in (("Gone", 'no mesh object "Gone"'), ("Hill", "nowhere above or below")):
        with pytest.raises(InertiaError, match=match):
            found_along(armature, settings(points=points, ground="OBJECT", ground_object=name))


def course_of(folder: Path, text: str, **values: Any) -> followed.Course:
    path = folder / "points.csv"
    path.write_text(text)
    return followed.course(settings(points=str(path), **values))


@pytest.mark.variants(2)
@pytest.mark.parametrize(
    ("unit", "metres"), [("M", 1.0), ("CM", 0.01), ("MM", 0.001), ("IN", 0.0254), ("FT", 0.3048)]
)
def test_points_are_in_the_unit_that_is_said(armature: Any, tmp_path: Path, unit: str, metres: float) -> None:
    course = course_of(tmp_path, "x,y\n0,0\n100,50\n", points_unit=unit)
    np.testing.assert_allclose(course.points[1], [100.0 * metres, 50.0 * metres])


@pytest.mark.parametrize(("unit", "seconds"), [("S", 1.0), ("MS", 0.001), ("FRAMES", 1.0 / 24.0)])
def test_times_are_in_the_unit_that_is_said(armature: Any, tmp_path: Path, unit: str, seconds: float) -> None:
    course = course_of(tmp_path, "t,x,y,heading\n10,0,0,90\n58,1,0,91\n", points_time=unit)
    np.testing.assert_allclose(course.times, [0.0, 48.0 * seconds])
    np.testing.assert_allclose(course.facing, np.radians([90.0, 91.0]))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "x,y\n0,0\n12000,0\n",
            r'"points.csv" is 12,000 m long, which takes .* h, .* --points-unit, such as mm',
        ),
        (
            "t,x,y\n0,0,0\n10,12000,0\n",
            "12,000 m apart in all, 1,200 m/s, too fast for any character; .* --points-unit",
        ),
        ("t,x,y\n0,0,0\n40000,5,0\n", "takes 11.1 h, .* --points-time, such as ms"),
        ("t,x,y\n0,0,0\n1,1e12,0\n", r"reaches 1e\+12 m from the origin, .* --points-unit"),
        ("t,x,y\n0,1,1\n1,1,1\n2,1,1\n", "nothing to follow"),
    ],
)
def test_points_in_another_unit_are_refused_with_what_to_do(
    armature: Any, tmp_path: Path, text: str, said: str
) -> None:
    path = tmp_path / "points.csv"
    path.write_text(text)
    with pytest.raises(InertiaError, match=said):
        found_along(armature, settings(points=str(path)))


def test_a_unit_is_only_for_points() -> None:
    with pytest.raises(InertiaError, match="Only a file of points takes a unit"):
        settings(curve="Street", points_unit="MM")


def test_curves_and_objects_that_are_too_long_are_refused_with_their_scale(armature: Any) -> None:
    drawn = wanderer.draw_curve("Street", 12.0)
    drawn.scale = (1000.0,) * 3
    bpy.context.view_layer.update()
    with pytest.raises(InertiaError, match=r'"Street" is 12,000 m long, .* its scale is 1000 x 1000 x 1000'):
        found_along(armature, settings(curve="Street"))
    drawn.scale = (1e6,) * 3
    with pytest.raises(InertiaError, match=r'"Street" reaches 1.2e.07 m .* scale it down'):
        found_along(armature, settings(curve="Street"))
    thing = bpy.data.objects.new("Lead", None)
    bpy.context.collection.objects.link(thing)
    for frame, x in ((1, 0.0), (1_000_000, 1.8)):
        thing.location = (x, 0.0, 0.0)
        thing.keyframe_insert("location", frame=frame)
    with pytest.raises(
        InertiaError, match=r'"Lead" takes 11\.6 h, longer than the limit of 1 h; take a shorter'
    ):
        found_along(armature, settings(target="Lead"))


@pytest.mark.variants(1)
@pytest.mark.parametrize("scale", [1.0, 0.01])
def test_goals_are_met_where_blender_shows_the_character(tmp_path: Any, scale: float) -> None:
    """On their frames, in a scene in metres or in centimetres, and after it is baked anew."""
    armature = wanderer.with_clips()
    straight = np.column_stack([np.zeros(40), np.linspace(0.0, -2.4, 40)])
    fps, first = scene.fps(), 11.0
    bpy.context.scene.unit_settings.scale_length = scale
    points = csv_of(tmp_path / "straight.csv", straight * scale, "x,y")
    goals = (f"{0.6 * scale:g}=1.2", f"{0.6 * scale:g}=2.4,-60", f"{1.4 * scale:g}=4")
    asked = settings(points=str(points), mirror=True, goals=goals, first_frame=first)
    analysed = finish(
        action_set.analyse_steps(read_character(armature), asked, joints.named_weights(armature, "stored"))
    )
    found = finish(search.search_path_steps(analysed, asked, followed.course(asked)))
    made = bpy.data.actions[finish(bake.bake_way_steps(armature, found)).result]
    frames = first + np.array([1.2, 2.4, 4.0]) * fps
    shown = builders.played(armature, made, frames)
    hips = shown[:, [bone.name for bone in armature.pose.bones].index("hips"), :2, 3]
    # hips sway about the point on the ground that follows
    away = np.linalg.norm(hips - [(0.0, -0.6), (0.0, -0.6), (0.0, -1.4)], axis=1)
    assert away.max() < 0.1
    told = search.figures(found)["goals"]
    assert max(goal["off_m"] for goal in told) < 0.01 * scale
    assert max(goal["aside_deg"] for goal in told) < 0.5
