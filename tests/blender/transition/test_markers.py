# SPDX-License-Identifier: GPL-3.0-or-later
"""Pose markers of the clips are at the frames of a result that show what they mark."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inertia_addon.blender.data import actions, clip_store, markers, rewriting
from inertia_addon.blender.data.actions import Clip, Marker
from inertia_addon.blender.evaluation import joints
from inertia_addon.blender.evaluation.character import read_character
from inertia_addon.blender.fill import bake as fill_bake
from inertia_addon.blender.fill import search as fill_search
from inertia_addon.blender.hops import bake as hop_bake
from inertia_addon.blender.hops import search as hops
from inertia_addon.blender.hops import table
from inertia_addon.blender.loops import bake as loop_bake
from inertia_addon.blender.matching import action_set, files, followed, search
from inertia_addon.blender.matching import bake as path_bake
from inertia_addon.blender.transition import bake
from inertia_addon.motion.cycles.cycle import Clock, Cycle
from inertia_addon.motion.steps import finish
from inertia_addon.settings.fill import FillSettings
from inertia_addon.settings.hops import HopSettings
from inertia_addon.settings.loops import LoopSettings
from inertia_addon.settings.transition import TransitionSettings
from tests.blender import builders, wanderer

EVENTS = {
    "Walk": (("Step.L", 8), ("Step.R", 23), ("Late", 50)),
    "Turn": (("Before", 3), ("Hit", 20), ("End", 55)),
}
WEIGHTS = {"hips": 1.0, "toe.L": 1.0, "toe.R": 1.0}


@pytest.fixture
def armature() -> Any:
    made = wanderer.with_clips()
    for name, events in EVENTS.items():
        for called, frame in events:
            bpy.data.actions[name].pose_markers.new(called).frame = frame
    return made


def marked(action: Any) -> dict[str, int]:
    found = [(marker.name, marker.frame) for marker in action.pose_markers]
    assert len(found) == len(dict(found))
    return dict(found)


def asked(cut: float = 30.0, entry: float = 11.0, **how: Any) -> TransitionSettings:
    once = {"source_cycle": "OFF", "destination_cycle": "OFF", "feet": "OFF"}
    return TransitionSettings("Walk", "Turn", cut, entry, **{**once, **how})


JOINED = {"Step.L": 8, "Step.R": 23, "Hit": 39, "End": 74}
CASES: dict[str, tuple[dict[str, Any], dict[str, int]]] = {
    "as they are": ({}, JOINED),
    "at the cut the destination's": ({"cut": 23.0, "entry": 20.0}, {"Step.L": 8, "Hit": 23, "End": 58}),
    "later": ({"shift": 100.0}, {name: frame + 100 for name, frame in JOINED.items()}),
    "stretched": (
        {"destination_scale": 2.0, "entry": 21.0},
        {"Step.L": 8, "Step.R": 23, "Hit": 48, "End": 118},
    ),
    "strips": ({"strips": True}, JOINED),
    "between frames": ({"cut": 30.25, "entry": 11.75}, {**JOINED, "Hit": 38, "End": 74}),
}


@pytest.mark.parametrize("case", CASES)
def test_markers_of_a_transition(armature: Any, case: str) -> None:
    how, expected = CASES[case]
    report = bake.bake_transition(armature, asked(**how))
    assert marked(bpy.data.actions[report.result]) == expected
    told = {marker.name: marker.frame for marker in report.markers}
    assert told == pytest.approx(expected, abs=0.5)
    assert [marked(bpy.data.actions[name]) for name in EVENTS] == [dict(events) for events in EVENTS.values()]


def test_an_update_moves_its_own_and_leaves_an_animators(armature: Any) -> None:
    report = bake.bake_transition(armature, asked())
    result = bpy.data.actions[report.result]
    result.pose_markers.new("Mine").frame = 5
    bake.bake_transition(armature, asked(cut=32.0), into=result)
    assert marked(result) == {"Step.L": 8, "Step.R": 23, "Hit": 41, "End": 76, "Mine": 5}


def test_markers_of_a_jump_that_is_smoothed(armature: Any) -> None:
    walk = bpy.data.actions["Walk"]
    for fcurve in builders.by_address(walk).values():
        for key in fcurve.keyframe_points:
            if key.co.x > 30.5:
                key.co.y += 0.05
    settings = TransitionSettings("Walk", "Walk", 30.0, smooth_jump=True, feet="OFF")
    report = bake.bake_transition(armature, settings)
    assert marked(bpy.data.actions[report.result]) == dict(EVENTS["Walk"])


def test_markers_of_a_hop_and_in_its_table(armature: Any, tmp_path: Path) -> None:
    for called, frame in (("In", 12), ("Out", 40)):
        bpy.data.actions["Stand"].pose_markers.new(called).frame = frame
    settings = HopSettings(
        asked(cut=10.0, entry=11.0, assign=False), clips=("Stand",), blends=(6,), weight=0.1
    )
    prepared = finish(hops.prepare(armature, settings, WEIGHTS))
    ranked, _ = finish(hops.ranked(prepared, 1))
    way = ranked[0]
    report = hop_bake.bake_hop(armature, settings, way)
    first, second = report.cuts
    expected = {name: frame for name, frame in EVENTS["Walk"] if frame < first}
    at = first - way.entries[0]
    expected |= {n: round(f + at) for n, f in (("In", 12), ("Out", 40)) if first <= f + at < second}
    entry = report.steps[-1].settings["destination_frame"]
    expected |= {n: round(f + second - entry) for n, f in EVENTS["Turn"] if f >= entry}
    assert marked(bpy.data.actions[report.result]) == expected
    held = table.contents(prepared, [("Walk", "Turn", finish(hops.table(prepared)))])
    told = {clip["name"]: clip["markers"] for clip in held["about"]["clips"]}
    assert told["Turn"] == [{"name": name, "frame": float(frame)} for name, frame in EVENTS["Turn"]]


@pytest.mark.parametrize(
    ("repeat", "expected"), [("MARKED", {"Step.R": 23}), ("KEYED", {"Step.R": 23, "Step.R.001": 53})]
)
def test_markers_of_a_loop(armature: Any, repeat: str, expected: dict[str, int]) -> None:
    settings = LoopSettings("Walk", 12.0, 42.0, repeat=repeat, cycles=2)
    report = finish(loop_bake.make_loop_steps(armature, settings))
    assert marked(bpy.data.actions[report.result]) == expected


@pytest.mark.parametrize("use_library", [True, False])
def test_markers_of_a_filled_gap(armature: Any, *, use_library: bool) -> None:
    transition = TransitionSettings("Walk", "Turn", 20.0, destination_frame=30.0, feet="OFF", shift=5.0)
    at = "0.1,-1.1,-80" if use_library else ""
    settings = FillSettings(transition, gap_frames=24.0, use_library=use_library, at=at)
    found = finish(fill_search.search_fill_steps(armature, settings, WEIGHTS)) if use_library else None
    report = finish(fill_bake.fill_gap_steps(armature, settings, found, weights=WEIGHTS))
    got = marked(bpy.data.actions[report.result])
    assert got.pop("Step.L") == 13
    assert got.pop("End") == 55 - 30 + settings.arrival + 5
    assert "Before" not in got
    # what is left is of the clips between
    assert all(20 + 5 <= frame < settings.arrival + 5 for frame in got.values())
    assert use_library or not got


def test_markers_of_a_path_and_in_its_database(armature: Any, tmp_path: Path) -> None:
    for clip in wanderer.CLIPS:
        action = bpy.data.actions[clip]
        for marker in list(action.pose_markers):
            action.pose_markers.remove(marker)
        for frame in range(2, 60, 4):
            action.pose_markers.new(f"{clip} {frame}.L").frame = frame
    points = wanderer.csv_of(tmp_path / "circle.csv", wanderer.circle(seconds=3.5))
    chosen = wanderer.settings(points=str(points), first_frame=11.0, transition={"feet": "OFF"})
    analysed = finish(
        action_set.analyse_steps(read_character(armature), chosen, joints.named_weights(armature, "stored"))
    )
    plan = finish(search.search_path_steps(analysed, chosen, followed.course(chosen)))
    report = finish(path_bake.bake_way_steps(armature, plan))
    joins = plan.way.joins
    ends = [*(join.frame for join in joins[1:]), plan.way.frames]
    expected = set()
    for join, end in zip(joins, ends, strict=True):
        source, entry = analysed.database.place(join.entered)
        for frame in range(2, 60, 4):
            at = round(11 + join.frame + frame - entry)
            if 11 + join.frame <= at < 11 + end:
                expected.add((f"{source.name} {frame}.{'R' if source.mirrored else 'L'}", at))
    marks = {(each.name, each.frame) for each in bpy.data.actions[report.result].pose_markers}
    # beside them one at each join
    assert len(marks - expected) == len(joins)
    assert expected <= marks
    about = files.contents(analysed, chosen)["about"].item()
    assert "Walk 6.R" in about
    assert "Walk 6.L" in about


def cyclic(events: tuple[tuple[str, float], ...], turns: int, clock: Clock | None = None) -> Clip:
    held = tuple(Marker(*event) for event in events)
    cycle = Cycle(1.0, 31.0)
    end = 31.0 + 30.0 * turns
    end = end if clock is None else float(clock.time([end])[0])
    return Clip(None, None, {}, 1.0, end, (), cycle=cycle, clock=clock, markers=held)  # type: ignore[arg-type]


def test_markers_are_repeated_with_a_cycle() -> None:
    clip = cyclic((("Step", 8.0), ("Shut", 29.0)), 2)
    shown = [("Step", 8.0), ("Shut", 29.0), ("Step.001", 38.0), ("Shut.001", 59.0), ("Step.002", 68.0)]
    assert [(each.name, each.frame) for each in markers.find_shown(clip, last=80.0)] == shown
    assert [each.frame for each in markers.find_shown(clip, 30.0)] == [38.0, 59.0, 68.0, 89.0]


@given(
    st.floats(0.5, 2.0),
    st.floats(5.0, 20.0),
    st.lists(st.floats(1.0, 30.0), min_size=1, max_size=4, unique=True),
)
def test_a_clock_moves_them_to_when_their_frames_are_shown(
    rate: float, frames: float, places: list[float]
) -> None:
    clock = Clock(10.0, rate, frames)
    clip = cyclic(tuple((f"{i}", place) for i, place in enumerate(places)), 1, clock)
    for each in markers.find_shown(clip):
        number, _, turn = each.name.partition(".")
        own = places[int(number)] + 30.0 * int(turn or 0)
        np.testing.assert_allclose(float(clock.frames_at([each.frame])[0]), own, atol=1e-3)


def test_a_copy_for_another_purpose_keeps_all(armature: Any) -> None:
    """Such as locked feet, which play as the action does."""
    clip = clip_store.read(armature, bpy.data.actions["Walk"])
    copy = rewriting.write_action([rewriting.Rewritten(clip, {})], "Copy")
    assert marked(copy) == dict(EVENTS["Walk"])
    assert dataclasses.astuple(clip.markers[0]) == ("Step.L", 8.0)
    assert actions.detached(clip).markers == clip.markers


def test_markers_of_one_name_that_round_to_one_frame_are_written_once() -> None:
    action = bpy.data.actions.new("Result")
    own = [Marker("Step", 7.8), Marker("Step", 8.2), Marker("Hit", 8.0)]
    for _ in range(2):
        markers.write(action, own)
        assert marked(action) == {"Step": 8, "Hit": 8}
    markers.write(action, [])
    assert not action.pose_markers
