# SPDX-License-Identifier: GPL-3.0-or-later
"""Two selected strips become a transition by a button, and a result in strips is made anew and taken away."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest

from inertia_addon.blender.data import compat, recipe_reader
from inertia_addon.blender.evaluation.character import read_character
from inertia_addon.blender.hops import search
from inertia_addon.blender.nla import tracks
from inertia_addon.blender.transition import bake
from inertia_addon.errors import InertiaError
from inertia_addon.settings.hops import HopSettings
from inertia_addon.ui import panels
from inertia_addon.ui.shared import cache
from inertia_addon.ui.transition import properties
from tests.blender import builders
from tests.blender.nla import strip_poses
from tests.ui.recorder import drawn, panel_named

PREFLIGHT = panel_named("result")
(PANEL,) = [cls for cls in panels.CLASSES if cls.bl_space_type == "NLA_EDITOR"]


@pytest.fixture
def strips(rig: Any) -> tuple[Any, Any]:
    """Walk from frame 11 on, keyed from 1 on; and Run on a track above, which begins at 41 with its 8."""
    compat.assign(rig, None)
    made = []
    for name, start, first in (("Walk", 11, 1.0), ("Run", 41, 8.0)):
        action = bpy.data.actions[name]
        strip = rig.animation_data.nla_tracks.new().strips.new(name, start, action)
        if compat.has_slots():
            strip.action_slot = action.slots[0]
        strip.action_frame_start = first
        strip.select = True
        made.append(strip)
    rig.inertia.source = rig.inertia.destination = None
    return made[0], made[1]


def chosen(rig: Any) -> tuple[Any, ...]:
    own = properties.values_from(rig)
    return tuple(own[name] for name in ("source", "destination", "cut", "destination_frame", "shift"))


def test_two_strips_fill_in_the_transition(rig: Any, strips: Any) -> None:
    bpy.ops.inertia.use_strips()
    assert chosen(rig) == ("Walk", "Run", 31.0, 8.0, 10.0)


@pytest.mark.parametrize("as_strips", [False, True])
def test_a_button_bakes_what_two_strips_say(rig: Any, strips: Any, *, as_strips: bool) -> None:
    rig.inertia.strips = as_strips
    bpy.ops.inertia.bake_transition(from_strips=True)
    assert chosen(rig) == ("Walk", "Run", 31.0, 8.0, 10.0)
    scene = bpy.context.scene
    assert scene.timeline_markers["Walk to Run"].frame == 41
    made = bpy.data.actions["Walk to Run"]
    if not as_strips:
        assert compat.assigned(rig)[0] == made
        assert made.frame_range[0] == 11.0
        return
    assert compat.assigned(rig)[0] is None
    below, above = (
        t for t in rig.animation_data.nla_tracks if t.name in ("Walk to Run", "Walk to Run: offset")
    )
    assert [(round(s.frame_start, 2), s.action.name) for s in below.strips] == [(11.0, "Walk"), (41.0, "Run")]
    assert [strip.action for strip in above.strips] == [made]
    found = drawn(PANEL)
    assert "Walk to Run" in found.texts
    assert {"inertia.rebake", "inertia.remove_strips"} <= {*found.pressed}


@pytest.mark.parametrize("as_strips", [False, True])
def test_strips_that_repeat_are_cycles(rig: Any, strips: tuple[Any, Any], *, as_strips: bool) -> None:
    walk, run = strips
    run.action_frame_start, run.action_frame_end = bpy.data.actions["Run"].frame_range
    run.frame_start, run.frame_end = 111.0, 111.0 + 45.0
    run.repeat, walk.repeat = 2.0, 3.0
    rig.inertia.strips = as_strips
    bpy.ops.inertia.bake_transition(from_strips=True)
    assert chosen(rig) == ("Walk", "Run", 101.0, 5.0, 10.0)
    own = rig.inertia
    assert (own.source_cycle, own.destination_cycle, own.go_on, own.go_on_cycles) == ("ON", "ON", "CYCLES", 1)
    if as_strips:
        tracks = [t for t in rig.animation_data.nla_tracks if t.name == "Walk to Run"]
        assert [strip.action.name for strip in tracks[0].strips] == ["Walk"] * 3 + ["Run"] * 2
    else:
        assert compat.assigned(rig)[0].frame_range[1] == 201.0


@pytest.mark.parametrize("as_strips", [False, True])
def test_scaled_strips_are_taken_as_they_play(rig: Any, strips: tuple[Any, Any], *, as_strips: bool) -> None:
    walk, run = strips
    walk.scale, run.scale = 1.5, 0.8
    own, before, after = rig.inertia, np.arange(11.0, 41.5, 0.5), np.arange(54.0, 73.0, 0.5)
    own.alignment, own.strips = "NONE", as_strips
    own.source_cycle = own.destination_cycle = "OFF"
    tracks = rig.animation_data.nla_tracks
    wanted = []
    for played, frames in ((0, before), (1, after)):
        tracks[0].mute, tracks[1].mute = played != 0, played != 1
        wanted.append(strip_poses.shown(rig, frames))
    tracks[0].mute = tracks[1].mute = False
    assert {"Source Scale", "Destination Scale"} <= {*drawn(PANEL).texts}
    bpy.ops.inertia.bake_transition(from_strips=True)
    assert chosen(rig) == ("Walk", "Run", 31.0, 7.4, 10.0)
    assert (own.source_scale, own.destination_scale) == pytest.approx((1.5, 0.8))
    for _ in range(2):
        for frames, pose in zip((before, after), wanted, strict=True):
            assert np.abs(strip_poses.shown(rig, frames) - pose).max() < 1e-4
        made = bpy.data.actions["Walk to Run"]
        assert not recipe_reader.has_changed(made, rig)
        bpy.ops.inertia.rebake(action=made.name)
    if as_strips:
        (clips,) = [t for t in rig.animation_data.nla_tracks if t.name == "Walk to Run"]
        assert [strip.scale for strip in clips.strips] == pytest.approx([1.5, 0.8])


def test_a_strip_that_cannot_be_scaled_is_refused_in_a_sentence(rig: Any, strips: tuple[Any, Any]) -> None:
    strips[0].scale = 2.0
    walk = bpy.data.actions["Walk"]
    next(iter(builders.by_address(walk).values())).modifiers.new("NOISE")
    with pytest.raises(RuntimeError, match="can't be scaled in time"):
        bpy.ops.inertia.bake_transition(from_strips=True)
    assert "Walk to Run" not in bpy.data.actions
    rig.inertia.source, rig.inertia.source_scale = walk, 2.0
    rig.inertia.destination = bpy.data.actions["Run"]
    settings = properties.settings_from(rig)
    with pytest.raises(InertiaError, match="Hops play actions as they are keyed"):
        search.read(read_character(rig), HopSettings(settings, 1.0))
    with pytest.raises(InertiaError, match="set both scales to 1"):
        bake.bake_transition(rig, dataclasses.replace(settings, destination="Walk", smooth_jump=True))


def test_a_button_takes_a_result_away_and_leaves_all_else(rig: Any, strips: Any) -> None:
    compat.assign(rig, bpy.data.actions["Idle"], "OBRig" if compat.has_slots() else "")
    known, played = set(bpy.data.actions.keys()), [t.name for t in rig.animation_data.nla_tracks]
    rig.inertia.strips = True
    bpy.ops.inertia.bake_transition(from_strips=True)
    bpy.ops.inertia.rebake()
    bpy.ops.inertia.remove_strips()
    assert set(bpy.data.actions.keys()) == known
    assert [t.name for t in rig.animation_data.nla_tracks] == played
    assert compat.assigned(rig)[0] == bpy.data.actions["Idle"]
    assert not bpy.ops.inertia.remove_strips.poll()


def test_the_same_strips_again_take_the_place_of_the_earlier_result(rig: Any, strips: Any) -> None:
    rig.inertia.strips = True
    for replace in (False, True):
        bpy.ops.inertia.bake_transition(from_strips=True, replace=replace)
    assert tracks.results(rig) == [bpy.data.actions["Walk to Run"]]
    assert "Walk to Run.001" not in bpy.data.actions
    rig.inertia.strips = False
    bpy.ops.inertia.bake_transition(replace=True)
    assert compat.assigned(rig)[0] == bpy.data.actions["Walk to Run.001"]


def test_undo_takes_strips_back(rig: Any, strips: Any) -> None:
    rig.inertia.strips = True
    bpy.ops.ed.undo_push()
    bpy.ops.inertia.bake_transition(from_strips=True)
    bpy.ops.ed.undo_push()
    bpy.ops.ed.undo()
    rig = bpy.data.objects["Rig"]
    assert len(rig.animation_data.nla_tracks) == 2
    assert "Walk to Run" not in bpy.data.actions


def deselected(one: Any, other: Any) -> None:
    other.select = False


def backwards(one: Any, other: Any) -> None:
    one.use_reverse = True


def apart(one: Any, other: Any) -> None:
    other.frame_end += 100.0
    other.frame_start += 50.0


def added(one: Any, other: Any) -> None:
    other.blend_type = "ADD"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (deselected, "1 are selected"),
        (backwards, "backwards"),
        (added, "Replace"),
    ],
)
def test_strips_that_are_no_transition_are_refused_in_a_sentence(
    rig: Any, strips: tuple[Any, Any], change: Any, said: str
) -> None:
    change(*strips)
    assert any(said in text for text in drawn(PANEL).texts)
    with pytest.raises(RuntimeError, match=said):
        bpy.ops.inertia.use_strips()
    assert rig.inertia.source is None


def test_strips_that_are_apart_have_a_gap_to_be_filled_and_no_transition(rig: Any, strips: Any) -> None:
    apart(*strips)
    assert "Fill Gap between Strips" in drawn(PANEL).pressed
    with pytest.raises(RuntimeError, match="lie between"):
        bpy.ops.inertia.bake_transition(from_strips=True)
    assert rig.inertia.source is None


def test_parts_of_strips_that_are_not_taken_over_are_told(rig: Any, strips: tuple[Any, Any]) -> None:
    strips[0].mute = True
    strips[1].blend_in = 5.0
    text = drawn(PANEL).text
    assert "muted" in text
    assert "blending in and out" in text
    assert "influence" not in text


def test_the_panel_says_what_is_no_offset(rig: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "CHEAP_SECONDS", 60.0)
    walk = bpy.data.actions["Walk"]
    builders.wave(walk, builders.bone_path("hand.L", "location"), 0, 0.3)
    said = 'a separate strip plays "hand.L"'
    assert said not in drawn(PREFLIGHT).text
    rig.inertia.strips = True
    assert said in drawn(PREFLIGHT).text


def test_a_saved_file_still_knows_what_belongs_together(rig: Any, strips: Any, tmp_path: Path) -> None:
    compat.assign(rig, bpy.data.actions["Idle"], "OBRig" if compat.has_slots() else "")
    rig.inertia.strips = True
    bpy.ops.inertia.bake_transition(from_strips=True)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "strips.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "strips.blend"))
    bpy.ops.inertia.rebake()
    bpy.ops.inertia.remove_strips()
    rig = bpy.data.objects["Rig"]
    assert len(rig.animation_data.nla_tracks) == 2
    assert sorted(bpy.data.actions.keys()) == ["Idle", "Run", "Walk"]
    assert rig.animation_data.action.name == "Idle"
