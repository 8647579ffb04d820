# SPDX-License-Identifier: GPL-3.0-or-later
"""Clips that are cycles go on over their ends as Blender would play them, and travel on."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest

from inertia_addon.blender.cost import costing, meetings
from inertia_addon.blender.data import actions, clip_store, recipe, recipe_reader, rigs, roots, scene
from inertia_addon.blender.evaluation import cycles, joints
from inertia_addon.blender.evaluation.character import read_character
from inertia_addon.blender.transition import bake, repeating
from inertia_addon.motion.steps import finish
from inertia_addon.settings.cost import Search
from inertia_addon.settings.transition import TransitionSettings
from tests.blender import builders, clips

CHARACTERS = ["Fox", "RobotExpressive", "Knight", "pab"]
LEGS = {"Fox": ("Walk", "Run"), "RobotExpressive": ("Walking", "Running")}


pytestmark = pytest.mark.brief(loaded=("Fox", "pab"))


@pytest.fixture(scope="module", params=CHARACTERS)
def loaded(request: pytest.FixtureRequest, data_dir: Path) -> tuple[Any, list[actions.Clip]]:
    """A character and its cycles, by name."""
    armature = clips.load(request.param, data_dir)[0]
    return armature, found_in(armature)


@pytest.fixture
def character(loaded: tuple[Any, list[actions.Clip]]) -> Iterator[Any]:
    """A character that is put back to where it stood."""
    armature = loaded[0]
    mode, place = armature.rotation_mode, armature.matrix_basis.copy()
    yield armature
    armature.rotation_mode, armature.matrix_basis = mode, place
    clips.play(armature, None)


@pytest.fixture
def its_cycles(loaded: tuple[Any, list[actions.Clip]]) -> list[actions.Clip]:
    return loaded[1]


@pytest.fixture
def most(request: pytest.FixtureRequest) -> int | None:
    """How many cycles of a character are looked at: every one with ``--all-pairs``."""
    return None if request.config.getoption("--all-pairs") else 2


def found_in(armature: Any) -> list[actions.Clip]:
    """The cycles of an armature, by name."""
    rig = rigs.read(armature)
    read = clip_store.library(armature)[0]
    root = roots.find_root(rig, read)
    looked = (cycles.with_cycle(rig, root, clip) for clip in read)
    return [clip for clip in looked if clip.cycle is not None]


def reached(armature: Any, clip: actions.Clip, span: tuple[float, float]) -> actions.Clip:
    rig = rigs.read(armature)
    root = roots.find_root(rig, [clip])
    return repeating.repeat_to_reach(read_character(armature), rig, root, clip, span, play=False)


@pytest.mark.data
@pytest.mark.variants(1)
def test_repetitions_are_as_blenders_own_modifier_shows_them(
    character: Any, its_cycles: list[actions.Clip], most: int | None
) -> None:
    """On all channels, at any frame: the way with an offset, the rest without."""
    for clip in its_cycles[:most]:
        cycle = clip.cycle
        assert cycle is not None
        last = cycle.end + 2.5 * cycle.period
        whole = reached(character, clip, (cycle.start - 1.0, last))
        frames = np.concatenate([np.arange(clip.start - 1.0, last), np.linspace(cycle.start, last, 49)])
        for at, curve in clip.curves.items():
            ours = whole.curves[at].at(frames)
            modifier = curve.fcurve.modifiers.new("CYCLES")
            travels = cycle.moves and np.abs(ours[-1] - curve.value(float(frames[-1]))).max() > 1e-3
            modifier.mode_before = modifier.mode_after = "REPEAT_OFFSET" if travels else "REPEAT"
            curve.fcurve.update()
            theirs = np.array([curve.fcurve.evaluate(frame) for frame in frames])
            curve.fcurve.modifiers.remove(modifier)
            size = max(1.0, float(np.abs(theirs).max()))
            if at[0].endswith("rotation_quaternion"):
                ours, theirs = np.abs(ours), np.abs(theirs)  # no repetition jumps to the other sign
            np.testing.assert_allclose(ours, theirs, atol=1e-5 * size, err_msg=f"{clip.action.name} {at}")


@pytest.mark.data
@pytest.mark.variants(1)
def test_the_buttons_pair_costs_what_the_maps_lowest_costs(
    character: Any, its_cycles: list[actions.Clip], most: int | None
) -> None:
    weights = joints.named_weights(character, "found")
    named = [clip.action.name for clip in its_cycles[:most]]
    for source, destination in itertools.permutations(named, 2):
        settings = TransitionSettings(source, destination, 0.0)
        pair = costing.read_pair(character, settings)
        motions = finish(costing.motions(character, pair))
        compared = costing.compare(settings, pair.alignment, weights, motions, scene.fps())
        made, steps = meetings.start_map(compared, "EXACT")
        finish(steps)
        (best,) = finish(meetings.best_pairs(compared, 1, Search()))
        cell = (
            np.searchsorted(made.cuts, best.cut),
            np.searchsorted(made.destinations, best.destination_frame),
        )
        assert made.costs[cell] == made.costs.min()
        assert best.cost == pytest.approx(float(made.costs.min()), rel=1e-6)
        curve = compared.over_destination(best.cut)
        assert meetings.best_destinations(compared, best.cut, Search(), 1)[0].cost == float(curve.min())


def joint_places(armature: Any, name: str, frames: np.ndarray) -> np.ndarray:
    clips.play(armature, bpy.data.actions[name])
    return clips.poses(armature, frames)[:, :, :3, 3]


@pytest.mark.data
@pytest.mark.variants(1)
@pytest.mark.parametrize("change", ["", "turned and scaled"])
def test_a_destination_goes_on_and_its_seams_are_as_good_as_its_own(
    character: Any, its_cycles: list[actions.Clip], change: str
) -> None:
    named = [clip for clip in its_cycles if 10 < clip.cycle.period < 50]
    source, clip = named[0], named[-1]
    if change:
        character.location, character.scale = (3.0, -2.0, 0.5), tuple(2.0 * s for s in character.scale)
        character.rotation_mode, character.rotation_euler = "XYZ", (*character.rotation_euler[:2], 1.0)
    entry, cut = clip.cycle.end - 3.5, source.end + 2.5
    settings = TransitionSettings(
        source.action.name,
        clip.action.name,
        cut,
        entry,
        go_on="CYCLES",
        go_on_cycles=3,
        blend_frames=6.0,
        feet="OFF",
        alignment="POSITION_HEADING",
    )
    report = bake.bake_transition(character, settings)
    later = cut - entry
    turns = np.round((report.frame_range[1] - later - clip.cycle.end) / clip.cycle.period)
    assert turns == 4.0
    last = clip.cycle.end + turns * clip.cycle.period + later
    assert report.frame_range[1] == pytest.approx(last, abs=1e-3)
    # each joint moves at every seam as it does where Blender itself repeats the clip
    seams = clip.cycle.end + np.arange(1, 4) * clip.cycle.period + later
    cycle = clip.cycle
    asked = np.array([cycle.end - 1.0, cycle.end, cycle.start + 1.0])
    own = joint_places(character, clip.action.name, asked)
    motion = cycle.motion()
    following = own[2] @ motion[:3, :3].T + motion[:3, 3]
    bend = np.linalg.norm(following - 2.0 * own[1] + own[0], axis=1)
    size = float(np.ptp(own[1], axis=0).max())
    for seam in seams:
        before, at, after = joint_places(character, report.result, seam + np.array([-1.0, 0.0, 1.0]))
        np.testing.assert_allclose(np.linalg.norm(after - 2.0 * at + before, axis=1), bend, atol=2e-4 * size)


def circle(name: str, degrees: float) -> Any:
    """A clip of 21 frames in which bone A, the root, goes along an arc; the others swing and come back."""
    frames = np.arange(1.0, 22.0)
    part = (frames - 1.0) / 20.0
    made = builders.action(name)
    angle = np.radians(degrees) * part
    # along the arc of a circle of radius 2 about (0, 2)
    place = np.stack([2.0 * np.sin(angle), 0.0 * angle, 2.0 * np.cos(angle) - 2.0], axis=1)
    builders.curves(made, builders.bone_path("A", "location"), list(zip(frames, place, strict=True)))
    turn = np.stack([np.cos(angle / 2), 0.0 * angle, np.sin(angle / 2), 0.0 * angle], axis=1)
    builders.curves(
        made, builders.bone_path("A", "rotation_quaternion"), list(zip(frames, turn, strict=True))
    )
    swing = 0.4 * np.sin(2.0 * np.pi * part)
    rows = np.stack([np.cos(swing), np.sin(swing), 0.0 * swing, 0.0 * swing], axis=1)
    builders.curves(
        made, builders.bone_path("B", "rotation_quaternion"), list(zip(frames, rows, strict=True))
    )
    return made


@pytest.mark.parametrize(("degrees", "place"), [(90.0, 0.0), (-35.0, 2.0), (0.0, 0.0)])
def test_a_way_along_an_arc_goes_on_along_it(armature: Any, degrees: float, place: float) -> None:
    """Each repetition is the one before, moved on by what that has turned and gone."""
    armature.location, armature.scale = (place, -place, 0.0), (1.0 + place, 1.0 + place, 1.0 + place)
    source, destination = circle("Source", degrees), circle("Destination", 50.0)
    bpy.context.view_layer.update()
    (one, two) = sorted(found_in(armature), key=lambda clip: clip.action.name, reverse=True)
    assert (one.action.name, np.degrees(one.cycle.heading)) == ("Source", pytest.approx(degrees, abs=0.01))
    cut, entry = 54.25, 13.0
    report, result = builders.transition(
        armature,
        source,
        destination,
        cut,
        entry,
        blend_frames=6,
        alignment="POSITION_HEADING",
        source_cycle="AUTO",
        destination_cycle="AUTO",
        go_on="CYCLES",
        go_on_cycles=2,
    )
    assert report.baked_curves == ()
    assert report.frame_range == (1.0, 61.0 + cut - entry)
    frames = np.array([1.0, 20.5, 21.0, 21.5, 30.0, 41.0, 41.5, 54.0])
    assert_repeated(armature, result, source, one.cycle, frames, np.eye(4), 0.0)
    frames = np.array([cut + 6.75, 61.0, 62.5, 75.0, 82.0, 82.75, 95.0, 102.0])
    assert_repeated(armature, result, destination, two.cycle, frames, builders.rigid(report), cut - entry)


def test_a_turning_cycle_that_is_entered_at_its_first_frame_turns_on_evenly(armature: Any) -> None:
    """What comes before its first frame is the repetition before, turned back by as much as one turns."""
    source, destination = circle("Source", 80.0), circle("Destination", 80.0)
    _, result = builders.transition(
        armature,
        source,
        destination,
        21.0,
        1.0,
        blend_frames=8,
        alignment="POSITION_HEADING",
        source_cycle="AUTO",
        destination_cycle="AUTO",
    )
    clip = next(clip for clip in found_in(armature) if clip.action.name == "Source")
    frames = np.arange(17.0, 33.0, 0.5)
    assert_repeated(armature, result, source, clip.cycle, frames, np.eye(4), 0.0)


def test_a_cycle_goes_on_to_the_scenes_end_and_is_rebaked_alike(armature: Any) -> None:
    source, destination = circle("Source", 0.0), circle("Destination", 80.0)
    bpy.context.scene.frame_end = 100
    settings = TransitionSettings("Source", "Destination", 10.0, 4.0, go_on="SCENE_END", blend_frames=4.0)
    report = bake.bake_transition(armature, settings)
    assert 100.0 <= report.frame_range[1] < 100.0 + 20.0
    result = bpy.data.actions[report.result]
    before = clips.contents(result)
    again = bake.bake_transition(
        armature, recipe_reader.read_recipe(result, recipe.RECIPE).settings, into=result
    )
    assert (again.result, clips.contents(result)) == (report.result, before)
    once = bake.bake_transition(armature, dataclasses.replace(settings, go_on="ONCE"))
    assert once.frame_range == (1.0, 21.0 + 6.0)
    for made in (source, destination):
        assert len(builders.by_address(made)[builders.bone_path("A", "location"), 0].keyframe_points) == 21


def assert_repeated(
    armature: Any, result: Any, made: Any, cycle: Any, frames: np.ndarray, motion: np.ndarray, later: float
) -> None:
    """A result shows a cycle's repetitions, each moved on from the one before."""
    own, turns = cycle.wrapped(frames - later, cycle.start)
    expected = builders.played(armature, made, own)
    moved = np.stack([motion @ cycle.motion(int(turn)) for turn in turns])
    np.testing.assert_allclose(
        builders.played(armature, result, frames), moved[:, None] @ expected, atol=2e-4
    )


def test_a_cycles_modifier_repeats_what_blender_shows(armature: Any) -> None:
    """Its own keys, with the offset that it adds: nothing is baked, and no modifier is left."""
    source, destination = circle("Source", 0.0), circle("Destination", 0.0)
    for made in (source, destination):
        for fcurve in builders.by_address(made).values():
            if fcurve.data_path.endswith("location") and fcurve.array_index == 0:
                for key in fcurve.keyframe_points:
                    key.co.y += 0.1 * (key.co.x - 1.0)
                fcurve.update()
            modifier = fcurve.modifiers.new("CYCLES")
            modifier.mode_before = modifier.mode_after = "REPEAT_OFFSET"
    settings = {"alignment": "NONE", "go_on": "CYCLES", "go_on_cycles": 2, "blend_frames": 4.0}
    report, result = builders.transition(armature, source, destination, 50.5, 18.0, **settings)
    assert report.baked_curves == ()
    assert not any(len(fcurve.modifiers) for fcurve in builders.by_address(result).values())
    frames = builders.sub_frames(1.0, 50.25)
    for at in builders.by_address(result):
        np.testing.assert_allclose(
            builders.evaluated(result, *at, frames), builders.evaluated(source, *at, frames), atol=1e-5
        )
        late = builders.sub_frames(56.0, 93.0)
        np.testing.assert_allclose(
            builders.evaluated(result, *at, late),
            builders.evaluated(destination, *at, late - 32.5),
            atol=2e-5,
        )


def test_an_actions_own_range_is_a_cycle_where_it_says_so(armature: Any) -> None:
    made = circle("Source", 0.0)
    rig, clip = rigs.read(armature), clip_store.read(armature, made)
    root = roots.find_root(rig, [clip])
    made.use_frame_range, made.frame_start, made.frame_end = True, 6.0, 16.0
    looked = cycles.with_cycle(rig, root, clip)
    assert (looked.cycle.start, looked.cycle.end, looked.cycle.known_by) == (1.0, 21.0, "ENDS")
    made.use_cyclic = True
    looked = cycles.with_cycle(rig, root, clip)
    assert (looked.start, looked.cycle.start, looked.cycle.end) == (1.0, 6.0, 16.0)
    assert cycles.with_cycle(rig, root, clip, "OFF").cycle is None
    # what comes before is played once
    whole = repeating.repeat_to_reach(read_character(armature), rig, root, looked, (1.0, 40.0), play=False)
    path = builders.bone_path("B", "rotation_quaternion")
    frames = np.array([2.0, 6.0, 15.5, 16.0, 17.0, 26.5, 36.0])
    shown = clip.curves[path, 1].at(np.array([2.0, 6.0, 15.5, 16.0, 7.0, 6.5, 16.0]))
    np.testing.assert_allclose(whole.curves[path, 1].at(frames), shown, atol=1e-6)


def test_a_cycle_that_only_blender_can_play_goes_on_as_well(fresh_file: None) -> None:
    """A hand that follows the root by a constraint, and a goal beside the root with a way of its own."""
    armature = builders.rig({"A": None, "B": "A", "Goal": None, "Hand": None})
    constraint = armature.pose.bones["Hand"].constraints.new("COPY_TRANSFORMS")
    constraint.target, constraint.subtarget = armature, "B"
    source, destination = circle("Source", 60.0), circle("Destination", 30.0)
    for made in (source, destination):
        for prop in ("location", "rotation_quaternion"):
            of = [
                builders.by_address(made)[at]
                for at in builders.by_address(made)
                if at[0] == builders.bone_path("A", prop)
            ]
            points = [[key.co[:] for key in fcurve.keyframe_points] for fcurve in of]
            rows = [(row[0][0], [value for _, value in row]) for row in zip(*points, strict=True)]
            builders.curves(made, builders.bone_path("Goal", prop), rows)
    rig, read = rigs.read(armature), [clip_store.read(armature, made) for made in (source, destination)]
    root = roots.find_root(rig, read)
    one, two = (cycles.with_cycle(rig, root, clip).cycle for clip in read)
    report, result = builders.transition(
        armature,
        source,
        destination,
        47.0,
        16.0,
        blend_frames=4,
        alignment="POSITION_HEADING",
        source_cycle="AUTO",
        destination_cycle="AUTO",
        go_on="CYCLES",
    )
    assert_repeated(armature, result, source, one, np.array([1.0, 20.0, 33.0, 47.0]), np.eye(4), 0.0)
    late = np.array([53.0, 60.0, 72.0])
    assert_repeated(armature, result, destination, two, late, builders.rigid(report), 31.0)
    weights = {"B": 1.0, "Hand": 1.0}
    settings = TransitionSettings("Source", "Destination", 47.0, 16.0)
    pair = costing.read_pair(armature, settings)
    compared = costing.compare(
        settings, pair.alignment, weights, finish(costing.motions(armature, pair)), 24.0
    )
    assert compared.at(47.0, 16.0) == pytest.approx(compared.at(7.0, 16.0), rel=1e-4)
    own = compared.source
    np.testing.assert_allclose(own.velocities[0], own.velocities[-1], atol=1e-3)


def test_controls_that_follow_a_travelling_root_by_constraints_meet_where_it_leads_them(
    fresh_file: None,
) -> None:
    """As on control rigs, whose feet are no children of the root."""
    armature = builders.rig({"Root": None, "Foot": None, "Toe": "Foot"})
    target = armature.pose.bones["Foot"].constraints.new("ARMATURE").targets.new()
    target.target, target.subtarget = armature, "Root"
    bpy.context.view_layer.update()
    made = builders.action("Walk")
    frames = range(1, 26)
    way, swing = (builders.bone_path(bone, "location") for bone in ("Root", "Foot"))
    builders.curves(made, way, [(f, (0.1 * f, 0.0, 0.0)) for f in frames])
    builders.curves(made, swing, [(f, (0.0, 0.3 * np.sin(np.pi * (f - 1) / 12.0), 0.0)) for f in frames])
    (found,) = found_in(armature)
    assert found.cycle is not None
    assert (found.cycle.start, found.cycle.end) == (1.0, 25.0)
    settings = TransitionSettings("Walk", "Walk", 30.0, 9.0, go_on="CYCLES", go_on_cycles=1)
    report = bake.bake_transition(armature, settings)
    first = report.window[1] + np.array([0.5, 3.25, 6.0])
    shown = builders.played(armature, bpy.data.actions[report.result], [*first, *(first + 24.0)])
    ways = shown[3:, :, :3, 3] - shown[:3, :, :3, 3]
    np.testing.assert_allclose(ways, np.broadcast_to(ways[:1, :1], ways.shape), atol=1e-4)
    assert np.linalg.norm(ways[0, 0]) == pytest.approx(2.4, abs=1e-3)
