# SPDX-License-Identifier: GPL-3.0-or-later
"""A transition as strips shows what the baked action does, and goes away without a trace."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest
from mathutils import Euler, Quaternion

from inertia_addon.blender.data import compat, recipe, recipe_reader
from inertia_addon.blender.nla import tracks
from inertia_addon.blender.transition import bake
from inertia_addon.errors import InertiaError
from inertia_addon.settings.transition import TransitionSettings
from tests.blender import builders, clips
from tests.blender.nla import strip_poses
from tests.blender.nla.strip_poses import away, both, result

MODES = ("QUATERNION", "XYZ", "ZYX", "AXIS_ANGLE")
SAME = 1e-3
"""No number of a pose may be further off on a whole frame."""
SETTINGS = TransitionSettings("Walk", "Run", 20.0, 5.0, blend_frames=12.0, alignment="NONE")

pytestmark = pytest.mark.usefixtures("fresh_file")


def turned(mode: str, q: Quaternion) -> list[float]:
    if mode == "QUATERNION":
        return list(q)
    if mode == "AXIS_ANGLE":
        axis, angle = q.to_axis_angle()
        return [angle, *axis]
    return list(q.to_euler(mode))


def clip(name: str, armature: Any, phase: float, way: float) -> Any:
    """A walk along a curve, each bone in its own rotation mode, that also grows and sets properties."""
    made = builders.action(name)
    rows: dict[str, list[tuple[float, list[float]]]] = {bone.name: [] for bone in armature.pose.bones}
    for frame in range(1, 42, 2):
        t = 0.12 * frame + phase
        for i, bone in enumerate(armature.pose.bones):
            q = Euler(
                (0.4 * np.sin(t + i), 0.3 * np.cos(1.3 * t), 0.6 * np.sin(0.7 * t) + phase)
            ).to_quaternion()
            rows[bone.name].append((frame, turned(bone.rotation_mode, q)))
    for bone in armature.pose.bones:
        prop = builders.ROTATIONS.get(bone.rotation_mode, ("rotation_euler", 3))[0]
        builders.curves(made, builders.bone_path(bone.name, prop), rows[bone.name])
        for i in range(3):
            builders.wave(made, builders.bone_path(bone.name, "scale"), i, 0.2, middle=1.1, phase=phase + i)
    for i, speed in enumerate((way, 0.1 * way, 0.0)):
        points = [(1.0, phase), (41.0, phase + 40.0 * speed)]
        builders.curve(made, builders.bone_path("QUATERNION", "location"), i, points, "LINEAR")
    builders.wave(made, '["glow"]', 0, 0.5, phase=phase)
    builders.curve(made, '["switch"]', 0, [(1.0, round(phase)), (41.0, round(phase))])
    return made


def character() -> tuple[Any, Any, Any]:
    """A chain of bones with two clips; each has a channel that the other one has not."""
    armature = builders.rig({mode: MODES[i - 1] if i else None for i, mode in enumerate(MODES)})
    for mode in MODES:
        armature.pose.bones[mode].rotation_mode = mode
    armature["glow"], armature["switch"] = 1.0, 1
    armature.id_properties_ui("glow").update(default=1.0)
    walk, run = clip("Walk", armature, 0.3, 0.02), clip("Run", armature, 1.2, 0.05)
    builders.wave(walk, builders.bone_path("XYZ", "location"), 0, 0.3)
    builders.wave(run, builders.bone_path("ZYX", "location"), 1, 0.3)
    armature.animation_data_create()
    return armature, walk, run


@pytest.mark.variants(2)
@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"alignment": "POSITION_HEADING", "root": "QUATERNION"},
        {"alignment": "POSITION_HEADING", "root": "QUATERNION", "cut": 20.5, "method": "SPRING"},
        {"blend_scales": (("XYZ", 0.0), ("ZYX", 2.0)), "method": "DEAD_BLENDING"},
        {"bones": ("XYZ", "AXIS_ANGLE")},
    ],
    ids=("plain", "aligned", "between frames", "scaled", "some bones"),
)
def test_strips_show_what_the_action_does(changes: dict[str, Any]) -> None:
    armature, walk, run = character()
    before = [clips.contents(action) for action in (walk, run)]
    frames, baked, shown, report = both(armature, dataclasses.replace(SETTINGS, **changes))
    assert away(baked, shown).max() < SAME, frames[int(np.argmax(away(baked, shown)))]
    assert [clips.contents(action) for action in (walk, run)] == before
    played = strip_poses.names(armature)
    assert played[0] == ["Walk", "Run"]
    assert all(track.lock for track in armature.animation_data.nla_tracks)
    (strip,) = [s for t in armature.animation_data.nla_tracks for s in t.strips if s.action == result(report)]
    assert strip.blend_type == "COMBINE"
    assert (strip.frame_start, strip.frame_end) == report.window


@pytest.mark.variants(1)
@pytest.mark.parametrize("alignment", ["NONE", "POSITION_HEADING"])
def test_cycles_are_a_strip_for_each_repetition(alignment: str) -> None:
    """What travels from one to the next plays in place of the clips; all else is still the clips' own."""
    armature, *_ = character()
    settings = dataclasses.replace(
        SETTINGS,
        **{"cut": 97.0, "destination_frame": 30.0, "alignment": alignment, "root": "QUATERNION"},
        **{"source_cycle": "ON", "destination_cycle": "ON", "go_on": "CYCLES", "go_on_cycles": 2},
    )
    frames, baked, shown, _ = both(armature, settings)
    assert away(baked, shown).max() < SAME, frames[int(np.argmax(away(baked, shown)))]
    assert strip_poses.names(armature)[0] == ["Walk"] * 3 + ["Run"] * 4


def test_a_jump_is_smoothed_by_an_offset_on_top_of_its_clip() -> None:
    armature, walk, _ = character()
    fcurve = builders.by_address(walk)[builders.bone_path("XYZ", "rotation_euler"), 1]
    for key in fcurve.keyframe_points:
        key.co.y += 0.5 * (key.co.x > 20.5)
    fcurve.update()
    settings = dataclasses.replace(SETTINGS, destination="Walk", destination_frame=None, smooth_jump=True)
    _, baked, shown, report = both(armature, settings)
    assert away(baked, shown).max() < SAME
    assert strip_poses.names(armature) == [["Walk", "Walk"], [report.result]]


@pytest.mark.brief(name=("Fox", "RobotExpressive"))
@pytest.mark.variant_of("tests/blender/nla/test_as_strips.py::test_strips_show_what_the_action_does")
@pytest.mark.parametrize("name", ["Fox", "RobotExpressive", "Knight", "pab"])
def test_strips_on_real_characters(data_dir: Path, name: str) -> None:
    armature, actions = clips.load(name, data_dir)
    start, end = bpy.data.actions[actions[0]].frame_range
    cut = float(round((start + end) / 2.0))
    # strips play each clip once
    once = {"source_cycle": "OFF", "destination_cycle": "OFF"}
    _, baked, shown, _ = both(armature, TransitionSettings(actions[0], actions[1], cut, **once))
    assert away(baked, shown).max() < SAME


def test_strips_that_are_removed_bring_back_what_was_there() -> None:
    armature, walk, _ = character()
    idle = builders.action("Idle")
    builders.wave(idle, builders.bone_path("XYZ", "location"), 2, 0.4)
    track = armature.animation_data.nla_tracks.new()
    track.name = "The animator's"
    track.strips.new("Idle", 1, idle)
    compat.assign(armature, walk, "OBRig" if compat.has_slots() else "")
    known = set(bpy.data.actions.keys())
    report = bake.bake_transition(armature, dataclasses.replace(SETTINGS, strips=True))
    assert armature.animation_data.action is None
    assert strip_poses.names(armature)[0] == ["Idle"]
    assert len(tracks.parts(result(report))) > 0
    tracks.remove(result(report))
    assert strip_poses.names(armature) == [["Idle"]]
    assert compat.assigned(armature) == (walk, "OBRig" if compat.has_slots() else "")
    assert tracks.BEFORE not in armature
    assert set(bpy.data.actions.keys()) == known


def test_tracks_below_do_not_show_through() -> None:
    """What another strip keys and only one of the clips does is as if the result was assigned."""
    armature, *_ = character()
    idle = builders.action("Idle")
    for mode in MODES:
        builders.wave(idle, builders.bone_path(mode, "location"), 1, 0.4)
    armature.animation_data.nla_tracks.new().strips.new("Idle", 1, idle)
    frames, baked, shown, _ = both(armature, SETTINGS)
    played = baked[(frames >= 1) & (frames <= 41)], shown[(frames >= 1) & (frames <= 41)]
    assert away(*played).max() < SAME


def test_edits_of_the_clips_live_on_and_rebake_renews_the_offset() -> None:
    armature, _, run = character()
    _, _, _, report = both(armature, SETTINGS)
    made, frames = result(report), np.arange(21.0, 50.0)
    before = strip_poses.shown(armature, frames)
    fcurve = builders.by_address(run)[builders.bone_path("QUATERNION", "location"), 2]
    for key in fcurve.keyframe_points:
        key.co.y += 0.5
        key.handle_left.y += 0.5
        key.handle_right.y += 0.5
    fcurve.update()
    run.update_tag()
    assert away(before, strip_poses.shown(armature, frames)).max() > 0.4
    assert recipe_reader.has_changed(made, armature)
    again = bake.bake_transition(armature, recipe_reader.read_recipe(made, recipe.RECIPE).settings, into=made)
    assert result(again) == made
    assert not recipe_reader.has_changed(made, armature)
    assert len([track for track in armature.animation_data.nla_tracks if track.name == "Walk to Run"]) == 1
    frames, baked, _, beside = both(armature, SETTINGS)
    tracks.remove(result(beside))
    assert away(baked, strip_poses.shown(armature, frames)).max() < SAME


def test_a_result_that_is_not_assigned_changes_nothing_that_is_seen() -> None:
    armature, walk, _ = character()
    compat.assign(armature, walk, "OBRig" if compat.has_slots() else "")
    frames = np.arange(1.0, 41.0)
    before = strip_poses.shown(armature, frames)
    settings = dataclasses.replace(SETTINGS, strips=True, assign=False)
    report = bake.bake_transition(armature, settings)
    assert not report.assigned
    assert not tracks.is_played(armature, result(report))
    np.testing.assert_array_equal(before, strip_poses.shown(armature, frames))


def test_strips_play_as_much_later_as_the_source_does() -> None:
    armature, *_ = character()
    _, baked, _, report = both(armature, SETTINGS)
    tracks.remove(result(report))
    for strips in (False, True):
        settings = dataclasses.replace(SETTINGS, shift=100.0, strips=strips)
        report = bake.bake_transition(armature, settings)
        assert report.window[0] == 120.0
        shown = strip_poses.shown(armature, np.arange(101.0, 101.0 + len(baked)))
        assert away(baked, shown).max() < SAME
        compat.assign(armature, None)
        bpy.data.actions.remove(result(report))


def test_tweak_mode_is_refused_with_the_file_as_it_was() -> None:
    armature, walk, _ = character()
    strip = armature.animation_data.nla_tracks.new().strips.new("Walk", 1, walk)
    strip.select = True
    armature.animation_data.nla_tracks.active = armature.animation_data.nla_tracks[0]
    armature.animation_data.use_tweak_mode = True
    known = set(bpy.data.actions.keys())
    with pytest.raises(InertiaError, match="tweak mode"):
        bake.bake_transition(armature, dataclasses.replace(SETTINGS, strips=True))
    assert set(bpy.data.actions.keys()) == known
    assert strip_poses.names(armature) == [["Walk"]]


def test_a_library_override_gets_back_what_it_had_after_a_file_was_saved(tmp_path: Path) -> None:
    armature, walk, run = character()
    run.use_fake_user = True
    compat.assign(armature, walk, "OBRig" if compat.has_slots() else "")
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "library.blend"))
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    with bpy.data.libraries.load(str(tmp_path / "library.blend"), link=True) as (_, wanted):
        wanted.objects, wanted.actions = ["Rig"], ["Walk", "Run"]
    linked = wanted.objects[0]
    bpy.context.collection.objects.link(linked)
    settings = dataclasses.replace(SETTINGS, strips=True)
    with pytest.raises(InertiaError, match="make a library override"):
        bake.bake_transition(linked, settings)
    linked.override_create(remap_local_usages=True).name = "Own"
    bpy.context.view_layer.update()
    report = bake.bake_transition(bpy.data.objects["Own", None], settings)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "shot.blend"))
    own = bpy.data.objects["Own", None]
    assert tracks.results(own) == [result(report)]
    tracks.remove(result(report))
    assert len(own.animation_data.nla_tracks) == 0
    assert own.animation_data.action.name == "Walk"
