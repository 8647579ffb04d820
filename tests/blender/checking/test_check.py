# SPDX-License-Identifier: GPL-3.0-or-later
"""The word on a result is the one that was said before the bake, once it is saved and opened again."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import bpy
import pytest

from inertia_addon.blender.checking import check
from inertia_addon.blender.data import clip_store, compat
from inertia_addon.blender.evaluation import joints
from inertia_addon.blender.evaluation.character import read_character
from inertia_addon.blender.fill import bake as fill_bake
from inertia_addon.blender.fill import search as fill_search
from inertia_addon.blender.hops import bake as hop_bake
from inertia_addon.blender.hops import search as hops
from inertia_addon.blender.judging import verdict
from inertia_addon.blender.judging.verdict import Verdict
from inertia_addon.blender.loops import bake as loops
from inertia_addon.blender.matching import action_set, followed, quality, search
from inertia_addon.blender.matching import bake as path_bake
from inertia_addon.blender.transition import bake
from inertia_addon.blender.travel import bake as travel
from inertia_addon.motion.judging import faults
from inertia_addon.motion.steps import finish
from inertia_addon.settings.fill import FillSettings
from inertia_addon.settings.hops import HopSettings
from inertia_addon.settings.loops import LoopSettings
from inertia_addon.settings.transition import TransitionSettings
from inertia_addon.settings.travel import TravelSettings
from tests.blender import builders, clips, stepper, wanderer

SETTINGS = TransitionSettings(
    "Walk", "Late", 20.0, destination_frame=31.0, blend_frames=10.0, feet="OFF", assign=False
)


@pytest.fixture
def walker(fresh_file: None) -> Any:
    """A biped whose feet are planted at other times in its two walks."""
    armature = stepper.biped()
    stepper.walk(armature, "Walk", frames=55)
    stepper.walk(armature, "Late", frames=70, late=0.25)
    return armature


def opened_again(armature: Any, folder: Path) -> Any:
    """The armature in the file, saved and opened again."""
    name = armature.name
    for action in bpy.data.actions:
        action.use_fake_user = True
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "made.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(folder / "made.blend"))
    return bpy.data.objects[name]


def seen(armature: Any, name: str) -> check.CheckedResult:
    return finish(check.judge_action_steps(read_character(armature), bpy.data.actions[name]))


def assert_same(found: Verdict, wanted: Verdict) -> None:
    """Keys are kept as floats of 32 bits, so that figures may differ in their last digits."""
    assert found.rating == wanted.rating
    assert verdict.sentences(found) == verdict.sentences(wanted)
    assert found.total == pytest.approx(wanted.total, rel=1e-4, abs=1e-9)
    assert found.until == wanted.until
    for name in ("skate", "lift", "reach"):
        now, before = getattr(found, name), getattr(wanted, name)
        # of feet nothing is said where they stand on nothing
        assert now == (None if before is None else pytest.approx(before, rel=1e-4, abs=1e-6)), name


def planned(armature: Any, settings: TransitionSettings) -> tuple[str, Verdict]:
    """What a transition is called once it is baked, and the verdict on it before."""
    plan = bake.plan_transition(armature, settings)
    told = finish(verdict.of_played(plan.evidence))
    return bake.write_plan(plan).result, told


@pytest.mark.variants(3)
@pytest.mark.parametrize(
    "how",
    [{}, {"feet": "LOCK"}, {"shift": 12.0}, {"feet": "LOCK", "strips": True}, {"destination_scale": 1.3}],
    ids=str,
)
def test_a_transition_is_checked_as_it_was_planned(walker: Any, tmp_path: Path, how: dict[str, Any]) -> None:
    name, told = planned(walker, dataclasses.replace(SETTINGS, **how))
    again = seen(opened_again(walker, tmp_path), name)
    assert again.notes == ()
    (found,) = again.verdicts
    assert_same(found, told)
    first = 20.0 + how.get("shift", 0.0)
    assert all(first - 1.0 <= fault.frame <= told.until + 1.0 for fault in told.faults)


def test_a_smoothed_jump(walker: Any, tmp_path: Path) -> None:
    walk = bpy.data.actions["Walk"]
    for (path, _), curve in builders.by_address(walk).items():
        if path == builders.bone_path("hips", "location"):
            for point in curve.keyframe_points[30:]:
                point.co[1] += 0.2
    name, told = planned(walker, TransitionSettings("Walk", "Walk", 30.0, smooth_jump=True, assign=False))
    (found,) = seen(opened_again(walker, tmp_path), name).verdicts
    assert_same(found, told)


@pytest.mark.variants(2)
@pytest.mark.parametrize("repeat", ["MARKED", "KEYED", "MODIFIERS"])
@pytest.mark.parametrize("how", [{}, {"closes": "START"}, {"closes": "END"}, {"lock_feet": True}], ids=str)
def test_a_loop_is_checked_as_it_was_made(
    fresh_file: None, tmp_path: Path, how: dict[str, Any], repeat: str
) -> None:
    armature = stepper.biped()
    stepper.walk(armature, "Walk", 70, skate=0.1, late=0.1)
    report = finish(
        loops.make_loop_steps(armature, LoopSettings("Walk", 9.0, 32.0, repeat=repeat, assign=False, **how))
    )
    (found,) = seen(opened_again(armature, tmp_path), report.result).verdicts
    assert report.verdict is not None
    assert_same(found, report.verdict)
    first = report.frame_range[0]
    assert all(first - 2.0 <= fault.frame <= first + 23.0 for fault in found.faults)


def test_a_hop_is_checked_as_it_was_baked(walker: Any, tmp_path: Path) -> None:
    stepper.walk(walker, "Third", frames=50, late=0.6)
    own = dataclasses.replace(SETTINGS, blend_frames=6.0, destination_frame=1.0)
    settings = HopSettings(own, clips=("Third",), find_cycles=False)
    weights = {joint.bone: joint.weight for joint in joints.default_joints(walker)}
    prepared = finish(hops.weighed(finish(hops.prepare(walker, settings, weights)), [("Walk", "Late")]))
    ways, _ = finish(hops.ranked(prepared, 5))
    way = next(way for way in ways if way.clips)
    report = hop_bake.bake_hop(walker, settings, way)
    names = {action.name for action in bpy.data.actions}
    walker = opened_again(walker, tmp_path)
    again = seen(walker, report.result)
    for found, told in zip(again.verdicts, report.verdicts, strict=True):
        assert_same(found, told)
    assert len(again.verdicts) == 2
    # what lies between was made once more, and is gone
    assert {action.name for action in bpy.data.actions} == names


@pytest.mark.variants(1)
@pytest.mark.parametrize("ground", ["CLIP", "PLANE"])
def test_the_joins_of_a_path(tmp_path: Path, ground: str) -> None:
    armature = wanderer.with_clips()
    points = wanderer.csv_of(tmp_path / "circle.csv", wanderer.circle(2.0))
    values = {"points": str(points), "ground": ground, "ground_height": 0.4, "mirror": True}
    chosen = wanderer.settings(**values)
    analysed = finish(
        action_set.analyse_steps(read_character(armature), chosen, joints.named_weights(armature, "stored"))
    )
    found = finish(search.search_path_steps(analysed, chosen, followed.course(chosen)))
    report = finish(path_bake.bake_way_steps(armature, found))
    told = finish(quality.measure_path_steps(armature, found, report)).verdicts
    assert len(told) == len(report.cut_frames) > 0
    # the character stands where the clips do, on whatever ground
    assert all(each.lift < 0.05 for each in told)
    bpy.data.actions["Bend"].name = "Curve"
    armature = opened_again(armature, tmp_path)
    again = seen(armature, report.result)
    assert again.notes == ()
    for each, wanted in zip(again.verdicts, told, strict=True):
        assert_same(each, wanted)


@pytest.mark.variants(1)
@pytest.mark.parametrize(
    "how",
    [{}, {"feet": "LOCK"}, {"shift": 7.0}, {"use_library": False}, {"choice": 2}, {"choose_by": "JUDGE"}],
    ids=str,
)
def test_a_filled_gap(tmp_path: Path, how: dict[str, Any]) -> None:
    armature = wanderer.with_clips()
    blend = {name: how[name] for name in ("feet", "shift") if name in how}
    blend = {"feet": "OFF", "assign": False, "destination_frame": 5.0} | blend
    own = {name: how[name] for name in ("use_library", "choice") if name in how}
    # there has to be room for another choice
    gap, place = (48.0, "0,-1,-90") if "choice" in how else (36.0, "0,-0.9,-90")
    own |= {"at": place} if own.get("use_library", True) else {}
    settings = FillSettings(TransitionSettings("Walk", "Stand", 20.0, **blend), gap_frames=gap, **own)
    weights = dict.fromkeys(
        armature.pose.bones.keys() if "choice" in how else ("hips", "toe.L", "toe.R"), 1.0
    )
    found = None
    if settings.use_library:
        found = finish(fill_search.search_candidates_steps(armature, settings, weights))
    report = finish(fill_bake.fill_gap_steps(armature, settings, found, weights=weights))
    names = {action.name for action in bpy.data.actions}
    armature = opened_again(armature, tmp_path)
    again = seen(armature, report.result)
    assert again.notes == ()
    assert len(again.verdicts) == len(report.cuts) + 1
    for each, wanted in zip(again.verdicts, report.verdicts, strict=True):
        assert_same(each, wanted)
    assert {action.name for action in bpy.data.actions} == names


@pytest.mark.data
@pytest.mark.variant_of(
    "tests/blender/checking/test_check.py::test_a_transition_is_checked_as_it_was_planned"
)
@pytest.mark.parametrize("name", ["cmu127", "Knight", "Fox"])
def test_real_clips_are_checked_as_they_were_planned(name: str, data_dir: Path, tmp_path: Path) -> None:
    armature, names = clips.load(name, data_dir)
    chance = random.Random(name)
    told: dict[str, Verdict] = {}
    for i, feet in enumerate(("OFF", "AUTO", "LOCK")):
        source, destination = chance.choice(names), chance.choice(names)
        spans = [bpy.data.actions[one].frame_range for one in (source, destination)]
        settings = TransitionSettings(
            source,
            destination,
            float(chance.randint(int(spans[0][0]) + 1, int(spans[0][1]))),
            destination_frame=float(chance.randint(int(spans[1][0]), int(spans[1][1]) - 4)),
            feet=feet,
            result=f"Transition {i}",
            assign=False,
        )
        result, told_before = planned(armature, settings)
        told[result] = told_before
    longest = max(names, key=lambda one: bpy.data.actions[one].frame_range[1])
    start = float(int(bpy.data.actions[longest].frame_range[0]) + 3)
    loop = finish(loops.make_loop_steps(armature, LoopSettings(longest, start, start + 17.0, assign=False)))
    assert loop.verdict is not None
    told[loop.result] = loop.verdict
    armature = opened_again(armature, tmp_path)
    for result, wanted in told.items():
        again = seen(armature, result)
        assert again.notes == ()
        (found,) = again.verdicts
        assert_same(found, wanted)


def test_a_result_that_was_edited_is_judged_as_it_is_now(walker: Any) -> None:
    name, told = planned(walker, SETTINGS)
    address = (builders.bone_path("hips", "location"), 0)
    curve = builders.by_address(bpy.data.actions[name])[address]
    point = min(curve.keyframe_points, key=lambda one: abs(one.co[0] - 24.0))
    point.co[1] += 0.3
    (found,) = seen(walker, name).verdicts
    assert found.rating == faults.POOR
    assert found.total > told.total + 1.0
    assert found.faults[0].kind == faults.POP


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda: bpy.data.actions.remove(bpy.data.actions["Late"]), "is gone"),
        (
            lambda: builders.by_address(bpy.data.actions["Late"])[
                builders.bone_path("hips", "location"), 0
            ].keyframe_points.insert(40.0, 0.5),
            "have changed since",
        ),
    ],
    ids=["gone", "changed"],
)
def test_a_check_says_that_sources_are_gone_or_have_changed(
    walker: Any, change: Callable[[], Any], said: str
) -> None:
    name, _ = planned(walker, SETTINGS)
    change()
    found = seen(walker, name)
    (note, *more) = found.notes
    assert said in note
    assert more == []
    assert len(found.verdicts) == (said == "have changed since")


def test_a_source_that_is_gone_is_replaced_by_another_action_of_its_name(walker: Any) -> None:
    name, told = planned(walker, SETTINGS)
    late = bpy.data.actions["Late"]
    copy = late.copy()
    bpy.data.actions.remove(late)
    copy.name = "Late"
    (found,) = seen(walker, name).verdicts
    assert_same(found, told)


def test_an_action_that_is_no_result_has_no_verdict(walker: Any) -> None:
    assert seen(walker, "Walk") == check.CheckedResult()


@pytest.mark.variants(1)
@pytest.mark.parametrize("frames", [25, 37], ids=["a cycle", "no cycle"])
def test_the_ground_passes_as_fast_as_travel_finds_and_feet_skate_as_little(
    frames: int, fresh_file: None
) -> None:
    armature = stepper.biped()
    stepper.walk(armature, "Walk", frames, skate=-stepper.STRIDE)
    report = travel.travel(armature, TravelSettings("Walk", assign=False))
    checked, after = (
        finish(check.steps(armature, clip_store.read(armature, bpy.data.actions[name])))
        for name in ("Walk", report.result)
    )
    assert (checked.in_place, after.in_place) == (True, False)
    assert checked.ground_speed == pytest.approx(report.speed, rel=1e-6)
    for foot, standing in zip(checked.feet, after.feet, strict=True):
        assert foot.skate_speed is not None
        assert foot.skate_speed < 0.05
        assert foot.skate_speed == pytest.approx(standing.skate_speed, abs=0.02)


def test_the_ground_stands_below_who_only_shifts_his_feet(fresh_file: None) -> None:
    armature = stepper.biped()
    walk = stepper.walk(armature, "Shuffle", 37, skate=-stepper.STRIDE)
    # one foot alone slides to and fro
    for fcurve in compat.curves(walk, "OBWalker"):
        if ".L" in fcurve.data_path:
            for point in fcurve.keyframe_points:
                point.co[1] = fcurve.keyframe_points[0].co[1]
    checked = finish(check.steps(armature, clip_store.read(armature, walk)))
    assert (checked.in_place, checked.ground_speed) == (False, 0.0)
    assert checked.measured()["skate_speed"] > 0.1


@pytest.mark.data
@pytest.mark.variant_of(
    "tests/blender/checking/test_check.py::test_the_ground_passes_as_fast_as_travel_finds_and_feet_skate_as_little"
)
@pytest.mark.parametrize("name", ["Running_A", "Walking_A", "Walking_Backwards"])
def test_real_walks_in_place_go_as_fast_as_travel_has_them_go(name: str, data_dir: Path) -> None:
    armature, _ = clips.load("Knight", data_dir)
    # before Blender 4.4 the importer names an action after the armature, too
    walk = min(
        (action for action in bpy.data.actions if action.name.startswith(name)),
        key=lambda each: len(each.name),
    )
    checked = finish(check.steps(armature, clip_store.read(armature, walk)))
    report = travel.travel(armature, TravelSettings(walk.name, assign=False))
    assert checked.ground_speed == pytest.approx(report.speed, rel=1e-6)
