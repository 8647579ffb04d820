# SPDX-License-Identifier: GPL-3.0-or-later
"""What is shown while a character is steered is what its take plays, once that is baked."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
import pytest
from mathutils import Quaternion

from inertia_addon.blender.data import actions, clip_store, compat, rigs
from inertia_addon.blender.evaluation import joint_motion
from inertia_addon.blender.matching import bake, posing, search, stock
from inertia_addon.blender.matching.posing import Shown
from inertia_addon.motion.steering import posing as poses
from inertia_addon.motion.steering import steering, wishes
from inertia_addon.motion.steps import finish
from inertia_addon.settings.matching import PathSettings, joined_by
from inertia_addon.settings.transition import TransitionSettings
from tests.blender import builders, wanderer

ROWS = ("0,0,0", "0.5,0,-0.6", "2,0.6,0", "3.5,0,0.6,45", "5,0,0", "6,0,0")


def asked(**values: Any) -> PathSettings:
    own = TransitionSettings(**joined_by({"assign": False, "feet": "OFF", **values}))
    return PathSettings(own, wanderer.CLIPS, mirror=True, wishes=ROWS, start=(1.0, 2.0, -60.0))


def told_in(armature: Any, mode: str) -> None:
    """Have the keys of the feet be in another rotation mode."""
    for bone in ("foot.L", "foot.R"):
        armature.pose.bones[bone].rotation_mode = mode
        path = builders.bone_path(bone, "rotation_quaternion")
        for action in bpy.data.actions:
            curves = next(found for found in wanderer.bags(action) if len(found))
            turns = [curves.find(path, index=i) for i in range(4)]
            frames = [point.co[0] for point in turns[0].keyframe_points]
            values = np.array([[curve.evaluate(frame) for curve in turns] for frame in frames])
            for curve in turns:
                curves.remove(curve)
            raw = [Quaternion(value) for value in values]
            told = [tuple(one.to_euler("XYZ")) if mode == "XYZ" else (one.angle, *one.axis) for one in raw]
            prop = "rotation_euler" if mode == "XYZ" else "rotation_axis_angle"
            keys = [*zip(frames, told, strict=True)]
            builders.curves(action, builders.bone_path(bone, prop), keys, slot="OB" + armature.name)


def heads(armature: Any) -> np.ndarray[Any, Any]:
    bpy.context.view_layer.update()
    world = armature.matrix_world
    return np.array([world @ bone.head for bone in armature.pose.bones])


@pytest.mark.parametrize("mode", ["QUATERNION", "XYZ", "AXIS_ANGLE"])
@pytest.mark.parametrize("how", [{}, {"method": "SPRING", "half_life": 0.15}])
def test_what_is_shown_is_what_is_baked(fresh_file: None, mode: str, how: dict[str, Any]) -> None:
    armature = wanderer.with_clips()
    if mode != "QUATERNION":
        told_in(armature, mode)
    own = asked(**how)
    weights = dict.fromkeys(("hips", "shin.L", "shin.R"), 1.0)
    analysed = finish(stock.analysing(armature, own, weights))
    poser = finish(posing.reading(armature, analysed, own))
    led, fps = search.steering_of(analysed, own), analysed.database.fps
    moments = finish(steering.steps(led, wishes.of(own.wished, fps), np.array([1.0, 2.0]), -np.pi / 3))
    before = [action.name for action in bpy.data.actions]
    compat.assign(armature, None)
    shown, rig = [], rigs.read(armature)
    written = Shown.of(armature, rig)
    for moment in moments:
        written.write(armature, poser.pose(moment))
        shown.append(heads(armature))
    assert [action.name for action in bpy.data.actions] == before
    report = finish(bake.baking(armature, search.taken(analysed, own, led, moments)))
    clip = clip_store.read(armature, actions.find(report.result), report.slot)
    frames = report.frame_range[0] + np.arange(len(moments), dtype=float) * analysed.step
    baked = finish(joint_motion.positions(armature, clip, frames))
    assert len(report.cut_frames) > 3
    off = np.linalg.norm(np.array(shown) - baked, axis=-1)
    assert off.max() < 0.001


def test_who_goes_back_is_shown_as_before_and_few_joins_are_kept(
    fresh_file: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(poses, "RECENT", 2)
    monkeypatch.setattr(poses, "EVERY", 3)
    armature, own = wanderer.with_clips(), asked()
    analysed = finish(stock.analysing(armature, own, dict.fromkeys(("hips", "shin.L", "shin.R"), 1.0)))
    poser, led = finish(posing.reading(armature, analysed, own)), search.steering_of(analysed, own)
    asked_for = wishes.of(own.wished, analysed.database.fps)
    moments = finish(steering.steps(led, asked_for, np.array([1.0, 2.0]), -np.pi / 3))
    shown = [poser.pose(moment) for moment in moments]
    assert len(moments[-1].joins) > 6
    assert len(poser._segments) <= 2 + len(moments[-1].joins) / 3 + 1
    for i in (len(moments) - 1, len(moments) // 2, 5, len(moments) - 1):
        again = poser.pose(moments[i])
        assert np.array_equal(again.turns, shown[i].turns)
        assert np.array_equal(again.places, shown[i].places)
