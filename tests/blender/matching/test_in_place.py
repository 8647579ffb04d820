# SPDX-License-Identifier: GPL-3.0-or-later
"""Paths of clips that walk in place, by the travel that their feet tell of; sets in which nobody walks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest

from inertia_addon.blender.data import actions
from inertia_addon.blender.evaluation import joints
from inertia_addon.blender.matching import bake, followed, search, stock
from inertia_addon.errors import InertiaError
from inertia_addon.motion.steps import finish
from inertia_addon.settings.matching import PathSettings, joined_by
from inertia_addon.settings.transition import TransitionSettings
from tests.blender import builders, clips, stepper


def asked(tmp_path: Path, *names: str) -> PathSettings:
    """A path of five metres along -Y, for some actions."""
    file = tmp_path / "line.csv"
    file.write_text("x,y\n" + "".join(f"0,{-y}\n" for y in range(6)), encoding="utf-8")
    own = TransitionSettings(**joined_by({}))
    return PathSettings(own, names, points=str(file), facing="FREE")


def standing(armature: Any) -> Any:
    """An action in which the character breathes."""
    made = builders.action("Stand", slot=armature.name)
    path = builders.bone_path("chest", "location")
    builders.curves(
        made,
        path,
        [(float(f), (0.0, 0.01 * np.sin(f), 0.0)) for f in range(1, 50)],
        slot="OB" + armature.name,
    )
    return made


def test_a_walk_in_place_follows_a_path(fresh_file: None, tmp_path: Path) -> None:
    armature = stepper.biped()
    walk = stepper.walk(armature, "Walk", frames=97, skate=-stepper.STRIDE)
    standing(armature)
    before = clips.contents(walk)
    settings = asked(tmp_path, "Walk", "Stand")
    weights = {joint.bone: joint.weight for joint in joints.default_joints(armature)}
    made = finish(stock.analysing(armature, settings, weights))
    assert made.travels == {"Walk": pytest.approx(stepper.STRIDE, rel=0.03)}
    found = finish(search.searching(made, settings, followed.course(settings)))
    assert '"Walk": 0.60 m/s, from its feet.' in found.warnings
    assert found.way.reached
    report = finish(bake.baking(armature, found))
    assert clips.contents(walk) == before
    assert sorted(action.name for action in bpy.data.actions) == sorted(["Walk", "Stand", report.result])
    frames = np.arange(*report.frame_range)
    shown = builders.played(armature, actions.find(report.result), frames)
    hips = shown[:, armature.pose.bones.find("hips"), :2, 3]
    assert np.linalg.norm(hips[-1] - hips[0]) > 4.0
    assert np.abs(hips[:, 0]).max() < 0.2


def test_who_only_stands_and_falls_is_refused(fresh_file: None, tmp_path: Path) -> None:
    armature = stepper.biped()
    standing(armature)
    falls = builders.action("Death", slot=armature.name)
    rest = np.array(armature.data.bones["hips"].matrix_local.to_3x3())
    at = np.arange(1.0, 40.0)
    u = np.clip((at - 5.0) / 20.0, 0.0, 1.0)
    # forwards, and down on the ground
    places = np.column_stack([0.0 * u, -0.9 * u**2, -0.85 * u**2]) @ rest
    path = builders.bone_path("hips", "location")
    builders.curves(falls, path, [*zip(at.tolist(), places.tolist(), strict=True)], slot="OB" + armature.name)
    turn = np.column_stack([np.cos(0.75 * u), np.sin(0.75 * u), 0.0 * u, 0.0 * u])
    path = builders.bone_path("hips", "rotation_quaternion")
    builders.curves(falls, path, [*zip(at.tolist(), turn.tolist(), strict=True)], slot="OB" + armature.name)
    settings = asked(tmp_path, "Death", "Stand")
    weights = {joint.bone: joint.weight for joint in joints.default_joints(armature)}
    with pytest.raises(InertiaError, match="their feet tell of none"):
        finish(stock.analysing(armature, settings, weights))
