# SPDX-License-Identifier: GPL-3.0-or-later
"""The buttons that have the assigned action travel, and stay in place, and that make it anew."""

from __future__ import annotations

import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender.data import compat
from inertia_addon.ui.transition.working import Working
from inertia_addon.ui.travel.panels import Travel
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
    shown = drawn(Travel)
    assert {"inertia.travel", "inertia.in_place"} <= set(shown.operators)
    assert drawn(Working).greyed >= {"Update"}
    assert "in 2.00 s" in shown.text
    first = clips.contents(made)
    assert bpy.ops.inertia.rebake() == {"FINISHED"}
    again, _ = compat.assigned(armature)
    assert clips.contents(again) == first
    assert bpy.ops.inertia.in_place() == {"FINISHED"}
    assert compat.assigned(armature)[0].name == "Walk travel in place"
    assert "in 2.00 s" not in drawn(Travel).text


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
    with pytest.raises(RuntimeError, match="stays in place already"):
        bpy.ops.inertia.in_place()
