# SPDX-License-Identifier: GPL-3.0-or-later
"""Rigs are looked at as they are switched, and Blender follows them no more often than somebody looks."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from mathutils import Matrix

from inertia_addon.blender.evaluation import controls
from inertia_addon.blender.evaluation.controls import Stage
from tests.blender import builders

SWITCH = '["side"]'


def test_a_switch_that_went_back_is_followed_when_it_is_looked_at(
    fresh_file: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    armature = builders.rig({"Root": None, "Hip": "Root"})
    armature["side"] = 0.0
    driver = armature.driver_add('pose.bones["Hip"].location', 0).driver
    variable = driver.variables.new()
    variable.targets[0].id, variable.targets[0].data_path = armature, SWITCH
    driver.expression = variable.name
    bpy.context.view_layer.update()
    followed: list[None] = []
    update = Stage.update
    monkeypatch.setattr(Stage, "update", lambda stage: (followed.append(None), update(stage)))
    with controls.open_stage(armature) as stage:
        before = stage.matrix("Hip")
        for value in (1.0, 2.0):
            followed.clear()
            with stage.switched({SWITCH: value}):
                assert np.isclose(np.abs(stage.matrix("Hip") - before).max(), value)
            assert len(followed) == 1
        assert np.array_equal(stage.matrix("Hip"), before)
        assert np.array_equal(stage.matrix("Hip"), before)
        assert len(followed) == 2
        with stage.switched({SWITCH: 1.0}):
            pass
    # nobody has asked, but others look at the armature itself
    assert len(followed) == 4
    assert np.array_equal(armature.pose.bones["Hip"].matrix, before)


def test_what_was_posed_is_followed_when_a_bone_is_looked_at_that_it_moves(
    fresh_file: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    armature = builders.rig({"Root": None, "Left": "Root", "Right": "Root", "Hand": None})
    copying = armature.pose.bones["Hand"].constraints.new("COPY_LOCATION")
    copying.target, copying.subtarget = armature, "Left"
    followed: list[None] = []
    update = Stage.update
    monkeypatch.setattr(Stage, "update", lambda stage: (followed.append(None), update(stage)))
    moved = np.array(Matrix.Translation((1.0, 2.0, 3.0)))
    with controls.open_stage(armature) as stage:
        before = {name: stage.matrix(name) for name in ("Left", "Right", "Hand")}
        followed.clear()
        for side in ("Left", "Right"):
            stage.put(side, moved @ stage.matrix(side))
        # the one moves nothing of the other
        assert not followed
        assert np.isclose(stage.matrix("Hand")[1, 3] - before["Hand"][1, 3], 2.0)
        assert len(followed) == 1
        for side in ("Left", "Right"):
            assert np.allclose(stage.matrix(side), moved @ before[side])
        assert len(followed) == 1
        stage.put("Root", moved @ stage.matrix("Root"))
        assert np.allclose(stage.matrices()["Right"], moved @ moved @ before["Right"])
        stage.put("Right", before["Right"])
    # nobody has asked, but others look at the armature itself
    assert np.allclose(armature.pose.bones["Right"].matrix, before["Right"], atol=1e-6)
