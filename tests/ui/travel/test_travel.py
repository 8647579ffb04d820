# SPDX-License-Identifier: GPL-3.0-or-later
"""The buttons that have the assigned action travel, and stay in place, and that make it anew."""

from __future__ import annotations

import numpy as np
import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender.data import compat
from inertia_addon.blender.travel import bake
from inertia_addon.settings.travel import TravelSettings
from inertia_addon.ui.transition.rebaking import WorkingPanel
from inertia_addon.ui.travel import way_plot
from inertia_addon.ui.travel.panels import TravelPanel
from tests.blender import clips, stepper
from tests.ui.recorder import drawn


def test_the_assigned_action_travels_and_stays(fresh_file: None) -> None:
    armature = stepper.biped()
    assert not bpy.ops.inertia.travel.poll()
    walk = stepper.walk(armature, "Walk", skate=-stepper.STRIDE)
    clips.play(armature, walk)
    before = clips.contents(walk)
    armature.inertia_travel.on = "OBJECT"
    assert bpy.ops.inertia.travel() == {"FINISHED"}
    made, _ = compat.assigned(armature)
    assert made.name == "Walk travel"
    assert clips.contents(walk) == before
    assert any(
        curve.data_path == "location" for curve in compat.curves(made, compat.slots(made)[0].identifier)
    )
    shown = drawn(TravelPanel)
    assert {"inertia.travel", "inertia.in_place"} <= set(shown.operators)
    assert drawn(WorkingPanel).greyed >= {"inertia.rebake"}
    assert "in 2.00 s" in shown.text
    first = clips.contents(made)
    assert bpy.ops.inertia.rebake() == {"FINISHED"}
    again, _ = compat.assigned(armature)
    assert clips.contents(again) == first
    assert bpy.ops.inertia.in_place() == {"FINISHED"}
    assert compat.assigned(armature)[0].name == "Walk travel in place"
    assert "in 2.00 s" not in drawn(TravelPanel).text


def test_the_redo_panel_says_other_things(fresh_file: None) -> None:
    armature = stepper.biped()
    clips.play(armature, stepper.walk(armature, "Walk", skate=-stepper.STRIDE))
    assert bpy.ops.inertia.travel(use_speed=True, speed=2.0, on="HIPS") == {"FINISHED"}
    # what is said there is said of this run alone
    assert (armature.inertia_travel.use_speed, armature.inertia_travel.on) == (False, "ROOT")
    own = compat.assigned(armature)[0]
    armature.inertia_travel.use_speed, armature.inertia_travel.speed = True, 0.0
    clips.play(armature, bpy.data.actions["Walk"])
    assert bpy.ops.inertia.travel() == {"FINISHED"}
    assert compat.assigned(armature)[0] != own
    clips.play(armature, bpy.data.actions["Walk"])
    with pytest.raises(RuntimeError, match="already stays in place"):
        bpy.ops.inertia.in_place()


def test_the_way_shows_before_it_is_made_and_nothing_where_it_can_not(fresh_file: None) -> None:
    armature = stepper.biped()
    plot, shown = way_plot.WayPlot(), bpy.context.scene.inertia_overlay
    assert plot.model(armature, shown) == (None, way_plot.MISSING)
    walk = stepper.walk(armature, "Walk", skate=-stepper.STRIDE)
    clips.play(armature, walk)
    actions = bpy.data.actions.keys()
    model, note = plot.model(armature, shown)
    assert note == ""
    assert plot.model(armature, shown)[0] is model
    assert bpy.data.actions.keys() == actions
    # what is made goes just there
    report = bake.travel(armature, TravelSettings("Walk", assign=False))
    gone = float(np.linalg.norm(model.points[-1] - model.points[0]))
    assert gone == pytest.approx(report.way, rel=1e-4)
    assert f"{model.speed:.2f}" == f"{report.speed:.2f}"
    assert len(model.marks) == 3  # at 0, 1 and 2 seconds
    assert len(model.prints) >= 4
    assert np.ptp(model.points[:, 2]) == 0.0
    # each foot stands where it will
    sides = model.prints[:, 0] - model.prints[:, 0].mean()
    assert {-1.0, 1.0} <= set(np.sign(sides).tolist())
    armature.inertia_travel.use_speed, armature.inertia_travel.speed = True, 2.0 * report.speed
    faster, _ = plot.model(armature, shown)
    assert np.linalg.norm(faster.points[-1] - faster.points[0]) == pytest.approx(2.0 * gone, rel=1e-3)
    clips.play(armature, bpy.data.actions[report.result])
    assert plot.model(armature, shown) == (None, "")
    assert bpy.ops.inertia.in_place() == {"FINISHED"}
    assert plot.model(armature, shown)[0] is not None
    armature.inertia_travel.use_speed = False
    clips.play(armature, stepper.walk(armature, "Stray"))
    model, note = plot.model(armature, shown)
    assert model is None
    assert "already travels" in note


def test_the_travel_of_what_travels_moves_to_what_on_says(fresh_file: None) -> None:
    armature = stepper.biped()
    walk = stepper.walk(armature, "Walk", frames=25)
    clips.play(armature, walk)
    with pytest.raises(RuntimeError, match="has no root bone"):
        bpy.ops.inertia.travel()
    bpy.ops.object.mode_set(mode="EDIT")
    root = armature.data.edit_bones.new("root")
    root.head, root.tail = (0.0, 0.0, 0.0), (0.0, 0.3, 0.0)
    armature.data.edit_bones["hips"].parent = root
    bpy.ops.object.mode_set(mode="OBJECT")
    assert bpy.ops.inertia.travel() == {"FINISHED"}
    made, slot = compat.assigned(armature)
    assert made.name == "Walk travel"
    assert any("root" in curve.data_path for curve in compat.curves(made, slot))
    assert "in 1.00 s" in drawn(TravelPanel).text
    first = clips.contents(made)
    assert bpy.ops.inertia.rebake() == {"FINISHED"}
    assert clips.contents(compat.assigned(armature)[0]) == first
    assert bpy.ops.inertia.travel(on="OBJECT") == {"FINISHED"}
    assert compat.assigned(armature)[0].name == "Walk travel travel"
