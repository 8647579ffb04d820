# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames are those of actions, in whatever way a scene stretches time."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
import pytest

from inertia_addon import api
from inertia_addon.blender.data import clip_store, scene
from inertia_addon.blender.evaluation import controls
from tests.blender import builders, clips, wanderer


@pytest.fixture(scope="module")
def held() -> Any:
    """A walker whose head copies the turn of its hips, so that only Blender can say where it is."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    armature = wanderer.with_clips(frames=19)
    bones = armature.pose.bones
    constraint = bones[-1].constraints.new("COPY_ROTATION")
    constraint.target, constraint.subtarget, constraint.influence = armature, bones[0].name, 0.3
    return armature


def stretch(old: int, new: int) -> None:
    render = bpy.context.scene.render
    render.frame_map_old, render.frame_map_new = old, new


def found(armature: Any) -> tuple[Any, ...]:
    """What a bake and a search say of two clips, but for the name of the result."""
    asked: dict[str, Any] = {"source": "Walk", "destination": "Turn", "cut": 9.0}
    made = api.bake(armature, **asked, destination_frame=8.0, feet="off")
    keys = {
        address: builders.key_data(curve)
        for address, curve in builders.by_address(bpy.data.actions[made.action]).items()
    }
    bpy.data.actions.remove(bpy.data.actions[made.action])
    cost = api.cost(armature, **asked, best=1, by="cost")
    return made.values["verdict"], made.values["translation"], keys, cost.values["best"], made.notes


@pytest.mark.variants(1)
@pytest.mark.parametrize(("old", "new"), [(100, 37), (100, 200)])
def test_a_stretched_scene_finds_and_bakes_the_same(held: Any, old: int, new: int) -> None:
    bpy.context.scene.frame_set(7)
    expected = found(held)
    stretch(old, new)
    bpy.context.scene.frame_set(7)
    shown = clips.poses(held, np.array([7.0]))
    try:
        assert found(held) == expected
        render = bpy.context.scene.render
        assert (render.frame_map_old, render.frame_map_new) == (old, new)
        assert bpy.context.scene.frame_current == 7
        np.testing.assert_allclose(np.array(held.pose.bones[1].matrix), _of(shown, held, 1), atol=1e-5)
    finally:
        stretch(100, 100)


def _of(shown: Any, armature: Any, bone: int) -> Any:
    return np.linalg.inv(np.array(armature.matrix_world)) @ shown[0, bone]


def test_time_is_stretched_again_whatever_happens(held: Any) -> None:
    stretch(100, 200)
    clip = bpy.data.actions["Walk"]
    try:
        read = clip_store.read(held, clip, "")
        for stopped in (
            lambda: scene.ignore_stretching(bpy.context.scene),
            lambda: controls.staged(held, read),
        ):
            with pytest.raises(ZeroDivisionError), stopped():
                raise ZeroDivisionError
            assert bpy.context.scene.render.frame_map_new == 200
    finally:
        stretch(100, 100)


def test_a_pose_begins_on_the_frame_of_actions_that_shows_it(held: Any) -> None:
    stretch(100, 200)
    try:
        clips.play(held, bpy.data.actions["Walk"])
        asked: dict[str, Any] = {"destination": "Turn", "destination_frame": 8.0, "feet": "off"}
        made = api.bake(held, from_pose="motion", cut=18.0, assign=False, **asked)
        assert made.values["settings"]["cut"] == 9.0
        bpy.context.scene.frame_set(18)
        shown, baked = (_shown_at(held, name) for name in ("Walk", made.action))
        np.testing.assert_allclose(baked, shown, atol=1e-4)
    finally:
        stretch(100, 100)


def _shown_at(armature: Any, name: str) -> Any:
    """The places of all bones at the scene's frame, while an action plays."""
    clips.play(armature, bpy.data.actions[name])
    bpy.context.scene.frame_set(bpy.context.scene.frame_current)
    shown = armature.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return np.array([bone.matrix.translation for bone in shown.pose.bones])


@pytest.mark.parametrize(("old", "new"), [(100, 100), (100, 200), (50, 31)])
def test_frames_of_a_scene_and_of_actions_lead_to_each_other(held: Any, old: int, new: int) -> None:
    stretch(old, new)
    try:
        for frame in (-3.0, 1.0, 7.25):
            scene.show_action_frame(bpy.context.scene, frame)
            assert bpy.context.scene.frame_current_final == pytest.approx(frame, abs=1e-4)
            there = scene.find_scene_frame(bpy.context.scene, frame)
            shown = bpy.context.scene.frame_current + bpy.context.scene.frame_subframe
            assert shown == pytest.approx(there, abs=1e-4)
    finally:
        stretch(100, 100)
