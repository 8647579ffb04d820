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
def test_what_is_found_and_baked_is_the_same(held: Any, old: int, new: int) -> None:
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
