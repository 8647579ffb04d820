# SPDX-License-Identifier: GPL-3.0-or-later
"""Pops in the panel: found, listed, looked at, smoothed; and their marks on the time axis."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender.data import compat
from inertia_addon.plots.shapes import FilledShape, Text
from inertia_addon.ui.overlay.switches import plot_switches
from inertia_addon.ui.pops import pop_plot
from tests.blender import builders
from tests.ui.overlay.made_up import DARK as THEME
from tests.ui.recorder import drawn, panel_named
from tests.ui.rigs import keys_of

PANEL = panel_named("pops")
WORKING = panel_named("working")


@pytest.fixture
def glitch(rig: Any) -> Any:
    """The rig with an action assigned in which a bone twice turns aside for a frame."""
    bone = rig.pose.bones[1]
    bone.rotation_mode = "XYZ"
    made = builders.action("Glitch", rig.name)
    path = builders.bone_path(bone.name, "rotation_euler")
    for i in range(3):
        turn = builders.wave(made, path, i, 0.3, phase=i, slot="OB" + rig.name)
        for at in (12, 30):
            turn.keyframe_points[at].co[1] += 0.7 * (i == 0)
        turn.update()
    compat.assign(rig, made, compat.slots(made)[0].identifier)
    return rig


def test_pops_are_found_looked_at_and_smoothed(glitch: Any) -> None:
    own, made = glitch.inertia_pops, compat.assigned(glitch)[0]
    assert not bpy.ops.inertia.smooth_pops.poll()
    keys = keys_of(made)
    assert bpy.ops.inertia.find_pops() == {"FINISHED"}
    assert [(item.kind, item.first, item.chosen) for item in own.found] == [
        ("SPIKE", 13.0, True),
        ("SPIKE", 31.0, True),
    ]
    bone = glitch.pose.bones[1]
    own.active = 1
    assert bpy.context.scene.frame_current == 31
    assert glitch.data.bones.active == bone.bone
    assert compat.selected_bones(glitch) == [bone]
    told = drawn(PANEL, 2000)
    assert "inertia.smooth_pops" in " ".join(told.operators)
    own.found[0].chosen = False
    bpy.ops.ed.undo_push(message="before")
    assert bpy.ops.inertia.smooth_pops("EXEC_DEFAULT", True) == {"FINISHED"}
    result = compat.assigned(glitch)[0]
    assert (result.name, keys_of(made)) == ("Glitch smoothed", keys)
    shown = drawn(PANEL, 2000)
    assert "Good: no fault is seen." in shown.text
    assert "Good" in drawn(WORKING).texts
    assert drawn(WORKING).greyed >= {"inertia.rebake"}
    assert "inertia.lock_feet" in drawn(WORKING).operators
    assert "have changed" not in shown.text
    assert bpy.ops.inertia.rebake() == {"FINISHED"}
    assert compat.assigned(glitch)[0].name == "Glitch smoothed"
    assert bpy.ops.inertia.find_pops() == {"FINISHED"}
    assert [item.first for item in own.found] == [13.0]


def test_pops_that_cannot_be_smoothed_are_told(glitch: Any) -> None:
    bpy.ops.inertia.find_pops()
    for item in glitch.inertia_pops.found:
        item.chosen = False
    with pytest.raises(RuntimeError, match="No pop is chosen"):
        bpy.ops.inertia.smooth_pops()
    compat.assign(glitch, bpy.data.actions["Idle"], compat.slots(bpy.data.actions["Idle"])[0].identifier)
    assert not bpy.ops.inertia.smooth_pops.poll()
    assert bpy.ops.inertia.find_pops() == {"FINISHED"}
    assert len(glitch.inertia_pops.found) == 0


def test_pops_have_a_mark_over_their_frames(glitch: Any) -> None:
    plot = next(each.plot for each in plot_switches() if each.name == "pops")
    assert plot.model(glitch, None) == (None, pop_plot.MISSING)
    bpy.ops.inertia.find_pops()
    marks, note = plot.model(glitch, None)
    assert (note, [mark.first for mark in marks]) == ("", [13.0, 31.0])
    assert plot.model(glitch, None)[0] is marks
    glitch.inertia_pops.active = 0
    marks, _ = plot.model(glitch, None)
    made = pop_plot.on_time_axis(marks, (0.0, 0.0, 400.0, 46.0), (1.0, 41.0), THEME)
    boxes = [shape for shape in made if isinstance(shape, FilledShape)][1:]
    middles = sorted(float(np.mean(np.unique(box.corners[:, 0]))) for box in boxes)
    assert middles == pytest.approx([120.0, 300.0], abs=2.0)
    assert glitch.pose.bones[1].name in [shape.text for shape in made if isinstance(shape, Text)]


def test_a_jump_of_all_bones_is_one_row(fresh_file: None) -> None:
    rig = builders.rig({"A": None, "B": "A", "C": "B"})
    bpy.context.view_layer.objects.active = rig
    made = builders.action("Cut", rig.name)
    for name in "ABC":
        rig.pose.bones[name].rotation_mode = "XYZ"
        for i in range(3):
            path = builders.bone_path(name, "rotation_euler")
            turn = builders.wave(made, path, i, 0.3, phase=i, slot="OB" + rig.name)
            for point in list(turn.keyframe_points)[20:]:
                point.co[1] += 0.7 * (i == 0)
            turn.update()
    compat.assign(rig, made, compat.slots(made)[0].identifier)
    bpy.ops.inertia.find_pops()
    (row,) = rig.inertia_pops.found
    assert (row.channel, row.kind, row.first, row.last) == ("POSE", "STEP", 20.0, 21.0)
    rig.inertia_pops.active = 0
    assert bpy.context.scene.frame_current == 21
    assert "All Bones" in drawn(PANEL, 2000).text
    marks, _ = next(each.plot for each in plot_switches() if each.name == "pops").model(rig, None)
    assert [mark.bone for mark in marks] == ["Whole Pose"]
