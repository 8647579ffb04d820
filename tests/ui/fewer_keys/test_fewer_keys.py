# SPDX-License-Identifier: GPL-3.0-or-later
"""Fewer Keys in the panel: made, said in a line, made anew and taken back."""

from __future__ import annotations

from typing import Any

import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender.data import compat
from tests.blender import builders
from tests.ui.recorder import drawn, panel_named
from tests.ui.rigs import keys_of

PANEL = panel_named("fewerkeys")
WORKING = panel_named("working")


@pytest.fixture
def dense(rig: Any) -> Any:
    """The rig with an action assigned that has a key on each frame."""
    bone = rig.pose.bones[1]
    bone.rotation_mode = "XYZ"
    made = builders.action("Take", rig.name)
    for i in range(3):
        path = builders.bone_path(bone.name, "rotation_euler")
        builders.wave(made, path, i, 0.3, phase=i, slot="OB" + rig.name)
    compat.assign(rig, made, compat.slots(made)[0].identifier)
    return rig


def test_an_action_gets_fewer_keys_and_the_panel_says_how_many(dense: Any) -> None:
    made = compat.assigned(dense)[0]
    keys = keys_of(made)
    dense.inertia_fewer_keys.tolerance_cm = 2.0
    assert "inertia.fewer_keys" in drawn(PANEL, 2000).operators
    bpy.ops.ed.undo_push(message="before")
    assert bpy.ops.inertia.fewer_keys("EXEC_DEFAULT", True) == {"FINISHED"}
    result = compat.assigned(dense)[0]
    assert (result.name, keys_of(made)) == ("Take fewer keys", keys)
    assert "keys, " in drawn(PANEL, 2000).text
    assert "Fewer Keys" in drawn(WORKING).texts
    assert bpy.ops.inertia.rebake() == {"FINISHED"}
    assert compat.assigned(dense)[0].name == "Take fewer keys"
    bpy.ops.ed.undo_push(message="made")


def test_the_redo_panel_asks_for_another_tolerance(dense: Any) -> None:
    made = compat.assigned(dense)[0]
    counts = []
    for tolerance in (0.1, 5.0):
        compat.assign(dense, made, compat.slots(made)[0].identifier)
        assert bpy.ops.inertia.fewer_keys(tolerance_cm=tolerance) == {"FINISHED"}
        result = compat.assigned(dense)[0]
        counts.append(sum(len(curve.keyframe_points) for curve in builders.by_address(result).values()))
    assert counts[0] > counts[1]


def test_an_action_without_a_key_to_spare_is_refused(dense: Any) -> None:
    short = builders.action("Short", dense.name)
    path = builders.bone_path(dense.pose.bones[1].name, "location")
    builders.curve(short, path, 0, [(1, 0.0), (20, 1.0)], slot="OB" + dense.name)
    compat.assign(dense, short, compat.slots(short)[0].identifier)
    with pytest.raises(RuntimeError, match="no keys that it could do without"):
        bpy.ops.inertia.fewer_keys()
