# SPDX-License-Identifier: GPL-3.0-or-later
"""Trajectories are drawn where the rig is, wherever it stands, however large it is, and in any unit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender.data import compat
from inertia_addon.ui.cost import costs, joint_trajectories
from tests.blender import builders
from tests.blender.placing import PLACES, assert_moved, put

pytestmark = pytest.mark.usefixtures("no_rest")


@pytest.fixture
def rig(rig: Any) -> Any:
    """With clips that go somewhere, and face another way."""
    for name, way, turn in (("Walk", (0.05, 0.02), 0.0), ("Run", (-0.08, 0.03), 0.9)):
        action = bpy.data.actions[name]
        for curve in [c for c in compat.curves(action, "OBRig") if '"hips"' in c.data_path]:
            compat.curves(action, "OBRig").remove(curve)
        for index, (slope, angle) in enumerate(zip((way[0], 0.0, way[1]), (0.0, turn, 0.0), strict=True)):
            rows = [(1.0, 0.0), (50.0, 49.0 * slope)]
            builders.curve(action, builders.bone_path("hips", "location"), index, rows, "LINEAR")
            # the bone stands upright: its own y axis is the vertical
            rows = [(1.0, angle), (50.0, angle + 0.3)]
            builders.curve(action, builders.bone_path("hips", "rotation_euler"), index, rows, "LINEAR")
    return rig


def ghosts(rig: Any) -> dict[tuple[str, str], Any]:
    found, _ = joint_trajectories.ghosts(rig, costs.costs_of(rig), 5)
    return {(one.bone, one.kind): one for one in found}


@pytest.mark.variants(3)
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("played", [False, True])
def test_trajectories_are_the_same_elsewhere(rig: Any, *, played: bool, place: str) -> None:
    """Of a rig that only Blender can play, too, whose result is estimated."""
    if played:
        constraint = rig.pose.bones["hand.L"].constraints.new("COPY_ROTATION")
        constraint.target, constraint.subtarget, constraint.influence = rig, "hips", 0.5
        bpy.ops.inertia.evaluate_clips()
    before = ghosts(rig)
    there = put(rig, place)
    if played:
        bpy.ops.inertia.evaluate_clips()
    after = ghosts(rig)
    assert after.keys() == before.keys()
    assert {kind for _, kind in after} == {"SOURCE", "DESTINATION", "RESULT"}
    for key, one in after.items():
        assert one.frames.tolist() == before[key].frames.tolist()
        assert one.cut == before[key].cut
        assert_moved(there, before[key].points, one.points)


@pytest.mark.variants(3)
@pytest.mark.parametrize("place", PLACES)
def test_ghosts_are_where_blender_shows_the_bones(rig: Any, place: str) -> None:
    put(rig, place)
    rig.inertia.enter_at = "FIRST"  # what is found is shown later
    drawn = ghosts(rig)
    bpy.ops.inertia.bake_transition()
    result = rig.animation_data.action
    for (bone, kind), one in drawn.items():
        if kind == "DESTINATION":
            continue
        action = result if kind == "RESULT" else bpy.data.actions["Walk"]
        index = rig.data.bones.find(bone)
        shown = builders.played(rig, action, one.frames)[:, index, :3, 3]
        scale = float(rig.matrix_world.to_scale().x)
        np.testing.assert_allclose(one.points, shown, atol=1e-4 * max(scale, 0.01))
