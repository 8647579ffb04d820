# SPDX-License-Identifier: GPL-3.0-or-later
"""What follows a bake: the preview range and the marker, and baking the same pair again."""

from __future__ import annotations

import math
from typing import Any

import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender.data import compat, recipe, recipe_reader
from inertia_addon.blender.transition import bake as transition
from inertia_addon.ui.transition import previewing, properties, results
from tests.blender import stepper
from tests.ui.rigs import keys_of, take_snapshot

bake = bpy.ops.inertia.bake_transition


def shown() -> tuple[bool, int, int, dict[str, int]]:
    scene = bpy.context.scene
    markers = {marker.name: marker.frame for marker in scene.timeline_markers}
    return scene.use_preview_range, scene.frame_preview_start, scene.frame_preview_end, markers


def names() -> list[str]:
    return sorted(bpy.data.actions.keys())


@pytest.mark.parametrize("former", [(1, 5), (900, 950), (-40, -20)])
def test_a_second_around_the_window_is_played_and_a_marker_names_the_cut(
    rig: Any, former: tuple[int, int]
) -> None:
    scene = bpy.context.scene
    scene.use_preview_range = True
    for _ in range(2):
        scene.frame_preview_start, scene.frame_preview_end = former
    bpy.context.scene.render.fps = 10
    bake(cut=20.0, blend_frames=4.0)
    assert shown() == (True, 10, 34, {"Walk to Run": 20})
    bake(cut=25.0, blend_frames=4.0, replace=True)
    assert shown() == (True, 15, 39, {"Walk to Run": 25})


def test_a_scene_has_one_marker_of_cuts_whatever_is_baked(rig: Any) -> None:
    """Those that an animator has put, or called otherwise, stay."""
    markers = bpy.context.scene.timeline_markers
    markers.new("Mine", frame=3)
    bake(cut=20.0)
    bake(cut=22.0, result="Other")
    assert {marker.name: marker.frame for marker in markers} == {"Mine": 3, "Other": 22}
    markers["Other"].name = "Kept"
    bake(cut=24.0, result="Third")
    assert {marker.name: marker.frame for marker in markers} == {"Mine": 3, "Kept": 22, "Third": 24}


def test_a_cut_is_not_marked_where_nobody_wants_that(rig: Any) -> None:
    rig.inertia.mark_cut = False
    bake()
    assert shown()[0]
    assert shown()[3] == {}


def test_no_more_is_played_than_there_is(rig: Any) -> None:
    bake()
    first, last = compat.assigned(rig)[0].frame_range
    _, start, end, _ = shown()
    assert first <= start < 20 < end <= last


def test_a_rebake_shows_the_cut_that_it_was_baked_with(rig: Any) -> None:
    bake(cut=20.0)
    before = shown()
    bpy.context.scene.frame_preview_end = 21
    bpy.context.scene.timeline_markers[0].frame = 3
    bpy.ops.inertia.rebake()
    assert shown() == before


def test_the_played_range_stays_unless_asked(rig: Any) -> None:
    before = shown()
    rig.inertia.show_result = False
    bake()
    bpy.ops.inertia.rebake()
    assert shown() == before


def test_a_result_that_nobody_plays_is_not_shown(rig: Any) -> None:
    before = shown()
    bake(assign=False)
    bpy.ops.inertia.rebake(action="Walk to Run")
    assert shown() == before


def test_undo_gives_the_preview_range_back(rig: Any) -> None:
    rig.inertia.blend_frames = 9.0
    bpy.ops.ed.undo_push(message="before")
    before = shown(), take_snapshot()
    bake("EXEC_DEFAULT", True)
    assert shown() != before[0]
    bpy.ops.ed.undo()
    assert (shown(), take_snapshot()) == before


def test_the_same_pair_again_takes_the_place_of_the_earlier_result(rig: Any) -> None:
    bake()
    actions, keys = names(), keys_of(compat.assigned(rig)[0])
    bake(blend_frames=5.0, replace=True)
    assert names() == actions
    assert keys_of(compat.assigned(rig)[0]) != keys
    bake()
    assert names() == sorted([*actions, "Walk to Run.001"])
    # the one that is assigned
    bake(cut=22.0, replace=True)
    assert recipe_reader.read_recipe(bpy.data.actions["Walk to Run.001"], recipe.RECIPE).settings.cut == 22.0
    assert recipe_reader.read_recipe(bpy.data.actions["Walk to Run"], recipe.RECIPE).settings.cut == 20.0


def test_an_action_that_is_no_result_of_the_pair_keeps_its_place(rig: Any) -> None:
    other = bpy.data.actions.new("Walk to Run")
    bake(replace=True)
    assert not recipe.is_baked(other, recipe.RECIPE)
    bake(result="Mine")
    bake(result="Other", replace=True)
    bake(source="Run", destination="Walk", result="Mine", replace=True)
    assert {"Mine", "Mine.001", "Other", "Walk to Run", "Walk to Run.001"} <= set(names())


def test_the_played_range_spans_feet_that_are_held_longer(fresh_file: None) -> None:
    """Behind the window locked feet may still differ from the destination."""
    armature = stepper.biped()
    own = armature.inertia
    own.source = stepper.walk(armature, "Walk", frames=55)
    own.destination = stepper.walk(armature, "Late", frames=90, late=0.25)
    own.cut, own.blend_frames, own.feet = 20.0, 4.0, "LOCK"
    own.use_destination_frame, own.destination_frame = True, 31.0
    settings = properties.settings_from(armature)
    plan = transition.plan_transition(armature, settings)
    assert plan.until > plan.slots[0].last_frame
    bake()
    around = results.AROUND_SECONDS * bpy.context.scene.render.fps
    assert shown()[2] == math.ceil(plan.until + around)
    previewing.begin(bpy.context.scene, armature)
    try:
        assert shown()[2] == math.ceil(plan.until + around)
    finally:
        previewing.end()


def test_the_playhead_enters_what_is_played_and_stays_where_it_is_among_it() -> None:
    scene = bpy.context.scene
    for before, then in ((5, 20), (25, 25), (90, 20)):
        scene.frame_set(before)
        results.show_between(scene, 20, 40)
        assert scene.frame_current == then
