# SPDX-License-Identifier: GPL-3.0-or-later
"""The Root Motion panel: what it says of actions, what it hands on, and that asking changes nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender.data import compat
from inertia_addon.motion.decay import decay
from inertia_addon.motion.decay.decay import Method
from inertia_addon.settings import methods
from inertia_addon.ui import panels
from inertia_addon.ui.root_motion import measured as root_motion
from inertia_addon.ui.root_motion.operators import as_text
from tests.ui.recorder import context, drawn
from tests.ui.rigs import make_rig, take_snapshot

FPS, HALF = 30.0, 0.3
PANELS = {cls.bl_idname.split("_")[-1]: cls for cls in panels.CLASSES if cls.bl_idname.startswith("VIEW3D")}


pytestmark = pytest.mark.usefixtures("no_rest")


@pytest.fixture
def runner(rig: Any) -> Any:
    """The rig with an action in which its root starts to run, and stops."""
    bpy.context.scene.render.fps, bpy.context.scene.render.fps_base = 30, 1.0
    bpy.context.scene.unit_settings.system = "NONE"
    y = 2.0 * np.log(2.0) / HALF

    def area(t: float) -> float:
        t = max(t, 0.0)
        return t - (2.0 - (2.0 + y * t) * np.exp(-y * t)) / y

    rig.animation_data.action = None
    bone = rig.pose.bones[0]
    for frame in range(1, 241):
        t = (frame - 1) / FPS
        bone.location = (5.0 * (area(t - 1.0) - area(t - 4.0)), 0.0, 0.0)
        bone.keyframe_insert("location", frame=frame)
    rig.animation_data.action.name = "Start and Stop"
    rig.inertia_root.action = rig.animation_data.action
    return rig


def test_ramps_are_both_found_and_told(runner: Any) -> None:
    shown = root_motion.read_view(runner)
    assert [ramp.fit.half_life for ramp in shown.measured.speeds] == pytest.approx([HALF, HALF], rel=0.03)
    text = drawn(PANELS["rootmotion"]).text
    assert "5.00 m/s for 0.5 s" in text
    assert f"{shown.measured.main_ramp.fit.half_life:.3g} s (" in text
    text = drawn(PANELS["ramps"]).text
    for i, ramp in enumerate(shown.measured.speeds):
        assert f"Speed {i + 1}" in text
        assert f"{ramp.closed_form:.3g} s" in text
        assert f"{ramp.fit.half_life:.3g} s (" in text


def test_modes_are_said_with_what_they_take(runner: Any) -> None:
    for axis, run_speed, mode in (("X", 0.0, "Run"), ("X", 6.0, "Walk"), ("Y", 0.0, "Strafe")):
        runner.inertia_root.axis, runner.inertia_root.run_speed = axis, run_speed
        assert f"Speed 1, {mode}" in drawn(PANELS["ramps"]).text
        panel = PANELS["movementmodes"]
        assert panel.poll(context())
        said = drawn(panel).text
        assert mode in said
        assert "5.00 m/s" in said
        assert all(label in said for label in ("Half-life", "Starts", "Stops"))
        assert "0.3 s, median of 2 (0.3 to 0.3)" in said
        assert "Turns" not in said


def test_a_ramp_that_is_no_spring_stands_below_folded(runner: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    import dataclasses

    panel = PANELS["otherramps"]
    assert "DEFAULT_CLOSED" in panel.bl_options
    assert panel.bl_parent_id == PANELS["ramps"].bl_idname
    assert not panel.poll(context())
    shown = root_motion.read_view(runner)
    first, second = shown.measured.speeds
    speeds = (dataclasses.replace(first, explained=0.5), second)
    changed = dataclasses.replace(shown, measured=dataclasses.replace(shown.measured, speeds=speeds))
    monkeypatch.setattr(root_motion, "read_view", lambda armature: changed)
    assert panel.poll(context())
    above, below = drawn(PANELS["ramps"]).text, drawn(panel).text
    assert "Speed 2" in above
    assert "Speed 1" not in above
    assert "Speed 1" in below
    assert "Speed 2" not in below
    # of a few samples nobody can tell
    assert not dataclasses.replace(first, fit=None).is_other


def test_asking_changes_nothing(runner: Any) -> None:
    before = take_snapshot()
    for name in ("rootmotion", "ramps", "movementmodes", "rootoptions", "rootexport"):
        assert drawn(PANELS[name]).texts or drawn(PANELS[name]).shown
    assert take_snapshot() == before


def test_the_same_object_until_something_changes(runner: Any) -> None:
    shown = root_motion.read_view(runner)
    assert root_motion.read_view(runner) is shown
    runner.inertia_root.estimator = "CLOSED_FORM"
    assert root_motion.read_view(runner) is not shown
    assert root_motion.read_view(runner).read is shown.read


@pytest.mark.parametrize(
    ("name", "value"), [("smoothing_seconds", 0.3), ("sustained_seconds", 1.0), ("peak_seconds", 0.5)]
)
def test_the_measure_follows_the_settings(runner: Any, name: str, value: float) -> None:
    before = root_motion.read_view(runner).values
    setattr(runner.inertia_root, name, value)
    assert root_motion.read_view(runner).values != before


def test_the_measure_follows_the_keys(runner: Any) -> None:
    before = root_motion.read_view(runner).measured.maximum_speed
    action = runner.inertia_root.action
    for curve in compat.curves(action, "OBRig" if compat.has_slots() else ""):
        for point in curve.keyframe_points:
            point.co[1] *= 2.0
        curve.update()
    action.update_tag()
    bpy.context.view_layer.update()
    assert root_motion.read_view(runner).measured.maximum_speed == pytest.approx(2.0 * before, rel=1e-3)


def test_ranges_are_set_by_hand_and_found_again(runner: Any) -> None:
    action = runner.inertia_root.action
    found = root_motion.find_ranges(runner, action, "speed")
    root_motion.put_ranges(runner, action, "speed", [(10.0, 100.0), *found[1:]])
    shown = root_motion.read_view(runner)
    assert shown.own_speed
    assert not shown.own_turn
    ranges = root_motion.find_ranges(runner, action, "speed")
    assert ranges[0] == pytest.approx((10.5, 99.5))
    assert ranges[1] == pytest.approx(found[1])
    assert "Find Speed Ramps Again" in drawn(PANELS["ramps"]).pressed
    bpy.ops.inertia.reset_ramps(kind="speed")
    assert root_motion.find_ranges(runner, action, "speed") == found


@pytest.mark.parametrize("method", methods.METHODS)
def test_the_fitted_half_life_is_used(runner: Any, method: str) -> None:
    runner.inertia.method = method
    bpy.ops.inertia.use_half_life()
    half = root_motion.read_view(runner).measured.main_ramp.fit.half_life
    if method == "SPRING":
        assert runner.inertia.half_life == pytest.approx(half)
    else:
        curve = {"QUINTIC": runner.inertia.quintic_start, "DEAD_BLENDING": "CUBIC"}.get(method, method)
        kind = Method[curve]
        frames = decay.blend_seconds_like(kind, half) * FPS
        assert runner.inertia.blend_frames == pytest.approx(frames, rel=1e-4)


def test_an_action_that_does_not_move_offers_no_half_life(rig: Any) -> None:
    action = bpy.data.actions.new("Still")
    rig.animation_data.action = None
    rig.pose.bones[0].keyframe_insert("location", frame=1)
    rig.pose.bones[0].keyframe_insert("location", frame=60)
    rig.inertia_root.action = rig.animation_data.action
    text = drawn(PANELS["rootmotion"]).text
    assert "neither travels nor turns" in text
    assert "m/s" not in text
    assert not bpy.ops.inertia.use_half_life.poll()
    bpy.data.actions.remove(action)


def test_lists_of_actions(runner: Any) -> None:
    own = runner.inertia_root
    own.scope = "LISTED"
    assert "list of actions is empty" in refusal(runner)
    bpy.ops.inertia.list_actions(change="ACTION")
    bpy.ops.inertia.list_actions(change="ALL")
    listed = [item.action.name for item in own.listed]
    assert listed[0] == "Start and Stop"
    assert set(listed) == {"Start and Stop", "Walk", "Run", "Idle"}
    bpy.ops.inertia.measure_actions()
    assert {shown.action for shown in root_motion.recall_views(runner)} == set(listed)
    own.active_listed = 0
    bpy.ops.inertia.list_actions(change="REMOVE")
    assert [item.action.name for item in own.listed] == listed[1:]
    bpy.ops.inertia.list_actions(change="CLEAR")
    assert not len(own.listed)


def refusal(rig: Any) -> str:
    with pytest.raises(RuntimeError) as caught:
        bpy.ops.inertia.measure_actions()
    return str(caught.value)


def test_root_motion_of_all_actions_is_written(runner: Any, tmp_path: Path) -> None:
    runner.inertia_root.scope = "ALL"
    path = tmp_path / "motion.json"
    bpy.ops.inertia.save_root_motion(filepath=str(path), kind="JSON")
    written = json.loads(path.read_text())
    assert {"run", "strafe", "back", "walk"} & {mode["mode"] for mode in written["by_mode"]}
    assert written["histograms"]["actions"] == 4
    values = written["actions"]
    assert [action["action"] for action in values] == ["Idle", "Run", "Start and Stop", "Walk"]
    bpy.ops.inertia.save_root_motion(filepath=str(tmp_path / "motion"), kind="CSV")
    assert (tmp_path / "motion.csv").read_text() == as_text(root_motion.recall_views(runner), "CSV")
    assert as_text(root_motion.recall_views(runner), "CSV").count("Start and Stop,speed,") == 2


def test_constrained_rigs_are_measured_when_asked_to(runner: Any) -> None:
    bpy.context.scene.frame_set(12)
    constraint = runner.pose.bones[-1].constraints.new("LIMIT_ROTATION")
    constraint.use_limit_x = True
    for runner.inertia_root.scope in ("ACTION", "ALL"):
        shown = drawn(PANELS["rootmotion"])
        assert "Press Measure Actions" in shown.text
        assert shown.buttons.count("inertia.measure_actions") == 1
    runner.inertia_root.scope = "ACTION"
    bpy.ops.inertia.measure_actions()
    assert bpy.context.scene.frame_current == 12
    assert "5.00 m/s" in drawn(PANELS["rootmotion"]).text


def test_an_action_that_is_gone(runner: Any) -> None:
    root_motion.read_view(runner)
    own = runner.inertia_root
    own.scope = "LISTED"
    bpy.ops.inertia.list_actions(change="ACTION")
    bpy.data.actions.remove(own.action)
    drawn(PANELS["rootmotion"])
    drawn(PANELS["ramps"])
    assert root_motion.recall_views(runner) == []


def test_root_motion_needs_an_armature(fresh_file: None) -> None:
    assert not PANELS["rootmotion"].poll(context())
    assert not bpy.ops.inertia.use_half_life.poll()


def test_an_outliner_that_was_never_drawn_lists_nothing(rig: Any) -> None:
    bpy.ops.wm.read_factory_settings()
    make_rig()
    assert any(area.type == "OUTLINER" for screen in bpy.data.screens for area in screen.areas)
    assert bpy.ops.inertia.list_actions(change="SELECTED") == {"CANCELLED"}
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
