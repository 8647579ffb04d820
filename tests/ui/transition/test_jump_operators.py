# SPDX-License-Identifier: GPL-3.0-or-later
"""Smooth This Jump, and a pose as the source."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender.data import compat, recipe, recipe_reader
from inertia_addon.motion import quaternion
from inertia_addon.ui import panels
from tests.ui.recorder import drawn, panel_named
from tests.ui.rigs import keys_of, make_rig

PANELS = {cls.bl_idname: cls for cls in panels.CLASSES}


def assigned(rig: Any) -> Any:
    return compat.assigned(rig)[0]


def jump(rig: Any, size: float = 1.0) -> Any:
    """Have the action in use jump on the way to frame 20."""
    action = assigned(rig)
    for curve in compat.curves(action, compat.slots(action)[0].identifier):
        for frame in (18.0, 19.0, 20.0, 21.0):
            curve.keyframe_points.insert(frame, curve.evaluate(frame))
        for point in curve.keyframe_points:
            point.co.y += size * (point.co.x >= 20.0)
        curve.update()
    return action


def bends(action: Any) -> float:
    """The greatest change of a curve's step from frame to frame."""
    curves = compat.curves(action, compat.slots(action)[0].identifier)
    return max(np.abs(np.diff([c.evaluate(f) for f in range(5, 36)], 2)).max() for c in curves)


def test_a_button_smooths_the_jump_here(rig: Any) -> None:
    action = jump(rig)
    keys = keys_of(action)
    bpy.context.scene.frame_set(20)
    rig.inertia.blend_frames = 8.0
    bpy.ops.ed.undo_push(message="before")
    assert bpy.ops.inertia.smooth_jump("EXEC_DEFAULT", True) == {"FINISHED"}
    made = assigned(rig)
    assert made.name == "Idle smoothed"
    assert bends(made) < 0.4 < bends(action)
    assert keys_of(action) == keys
    settings = recipe_reader.read_recipe(made, recipe.RECIPE).settings
    assert (settings.cut, settings.blend_frames, settings.source) == (19.0, 8.0, "Idle")
    # the settings of the coming transition are others
    assert (rig.inertia.source.name, rig.inertia.cut) == ("Walk", 20.0)
    top = drawn(panel_named("working"))
    assert ("inertia.rebake" in top.greyed, "Smoothed" in top.texts) == (True, True)
    assert "inertia.load_recipe" not in top.pressed
    assert bpy.ops.inertia.rebake() == {"FINISHED"}
    assert assigned(rig).name == "Idle smoothed"
    with pytest.raises(RuntimeError, match="No panel has the settings of"):
        bpy.ops.inertia.load_recipe()
    bpy.ops.ed.undo()
    assert "Idle smoothed" not in bpy.data.actions


def test_the_redo_panel_of_a_jump_has_another_frame_and_length(rig: Any) -> None:
    jump(rig)
    bpy.ops.inertia.smooth_jump(frame=19.0, blend_frames=4.0)
    short = recipe_reader.read_recipe(assigned(rig), recipe.RECIPE).settings
    assert (short.cut, short.blend_frames) == (19.0, 4.0)
    rig.animation_data.action = bpy.data.actions["Idle"]
    bpy.ops.inertia.smooth_jump(frame=20.0, method="SPRING", half_life=0.05)
    assert recipe_reader.read_recipe(assigned(rig), recipe.RECIPE).settings.half_life == pytest.approx(0.05)


def test_a_smoothed_action_is_not_the_place_of_a_transition_into_itself(rig: Any) -> None:
    action = jump(rig)
    bpy.context.scene.frame_set(20)
    bpy.ops.inertia.smooth_jump()
    rig.inertia.source = rig.inertia.destination = action
    assert drawn(panel_named("working")).greyed >= {"inertia.rebake"}


def test_the_jump_operator_says_that_nothing_jumps(rig: Any) -> None:
    bpy.context.scene.frame_set(20)
    with pytest.raises(RuntimeError, match='Nothing in "Idle" jumps at frame 20'):
        bpy.ops.inertia.smooth_jump()
    assert "inertia.smooth_jump" in drawn(panel_named("pops")).operators
    make_rig("Other")
    assert not bpy.ops.inertia.smooth_jump.poll()


@pytest.fixture
def posed(rig: Any) -> Any:
    """A rig at frame 17 of Idle, posed where that is keyed and where it is not."""
    bpy.context.scene.frame_set(17)
    rig.pose.bones["spine"].rotation_euler = (0.3, 0.2, 0.1)
    rig.pose.bones["hips"].location = (0.1, 0.2, 0.3)
    return rig


def poses(rig: Any, frames: list[float]) -> Any:
    found = []
    for frame in frames:
        bpy.context.scene.frame_set(int(frame))
        shown = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
        found.append([bone.matrix.copy() for bone in shown.pose.bones])
    return np.array(found)


def test_the_pose_as_it_is_becomes_the_source(posed: Any) -> None:
    shown = posed.evaluated_get(bpy.context.evaluated_depsgraph_get())
    bpy.context.view_layer.update()
    posed.update_tag()
    bpy.context.view_layer.update()
    here = np.array([bone.matrix.copy() for bone in shown.pose.bones])
    assert bpy.ops.inertia.use_pose() == {"FINISHED"}
    source = posed.inertia.source
    assert (source.name, posed.inertia.cut, source.use_fake_user) == ("Rig Pose", 17.0, True)
    assert assigned(posed).name == "Idle"
    keyed = {curve.data_path for curve in compat.curves(source, compat.slots(source)[0].identifier)}
    assert 'pose.bones["hips"].location' in keyed
    assert 'pose.bones["spine"].location' not in keyed
    bpy.ops.inertia.bake_transition(alignment="NONE")
    np.testing.assert_allclose(poses(posed, [17.0])[0], here, atol=1e-5)
    assert bpy.ops.inertia.rebake() == {"FINISHED"}


def test_the_pose_comes_with_the_motion_that_leads_there(posed: Any) -> None:
    idle = assigned(posed)
    curve = compat.curves(idle, compat.slots(idle)[0].identifier)[0]
    step = curve.evaluate(17.0) - curve.evaluate(16.0)
    assert abs(step) > 1e-3
    bpy.ops.inertia.use_pose(moving=True)
    source = posed.inertia.source
    assert tuple(source.frame_range) == (16.0, 17.0)
    made = compat.curves(source, compat.slots(source)[0].identifier)
    same = next(c for c in made if (c.data_path, c.array_index) == (curve.data_path, curve.array_index))
    assert same.evaluate(17.0) - same.evaluate(16.0) == pytest.approx(step, abs=1e-3)
    turned = next(c for c in made if "spine" in c.data_path and c.array_index == 0)
    assert turned.evaluate(17.0) == pytest.approx(0.3)
    posed.animation_data_clear()
    with pytest.raises(RuntimeError, match="no motion leads to its pose"):
        bpy.ops.inertia.use_pose(moving=True)


def test_a_pose_clip_takes_the_place_of_another_unless_something_was_baked_of_it(posed: Any) -> None:
    bpy.ops.inertia.use_pose()
    posed.pose.bones["spine"].rotation_euler.x = 0.5
    bpy.ops.inertia.use_pose()
    poses_kept = [action.name for action in bpy.data.actions if action.name.startswith("Rig Pose")]
    assert poses_kept == ["Rig Pose"]
    bpy.ops.inertia.bake_transition()
    posed.animation_data.action = bpy.data.actions["Idle"]
    bpy.ops.inertia.use_pose()
    assert posed.inertia.source.name == "Rig Pose.001"


@pytest.mark.parametrize("mode", ["QUATERNION", "AXIS_ANGLE", "XYZ"])
def test_switches_and_all_rotation_modes_are_in_the_pose(posed: Any, mode: str) -> None:
    spine = posed.pose.bones["spine"]
    spine.rotation_mode = mode
    spine["IK"], spine["count"] = 0.7, 2
    for path in ('["IK"]', '["count"]'):
        spine.keyframe_insert(path, frame=17)
    prop = quaternion.rotation_property(mode)[0]
    spine.keyframe_insert(prop, frame=10)
    now = tuple(getattr(spine, prop))
    for moving in (False, True):
        bpy.ops.inertia.use_pose(moving=moving)
        source = posed.inertia.source
        found = {
            (curve.data_path, curve.array_index): curve.evaluate(17.0)
            for curve in compat.curves(source, compat.slots(source)[0].identifier)
        }
        path = f'pose.bones["spine"].{prop}'
        assert [found[path, i] for i in range(len(now))] == pytest.approx(now, abs=1e-6)
        assert found['pose.bones["spine"]["IK"]', 0] == pytest.approx(0.7)
        assert found['pose.bones["spine"]["count"]', 0] == 2.0
