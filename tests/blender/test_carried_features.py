# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever is made of clips that something above the armature carries looks as if the object went."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import bpy
import numpy as np
import pytest

from inertia_addon import api
from inertia_addon.blender.data import clip_store, rigs
from inertia_addon.blender.files import inventory
from inertia_addon.blender.matching import variants
from inertia_addon.motion.matching import mirror
from tests.blender import builders, carried_walker
from tests.blender.carried_walker import WAYS, Array

FRAMES = np.arange(1.0, 40.0, 3.0)
BOTH = {"source": "Source", "destination": "Destination"}

pytestmark = pytest.mark.usefixtures("fresh_file")

FEATURES: dict[str, Callable[[], Any]] = {
    "feet": lambda: api.feet(action="Source"),
    "loop": lambda: api.loop(action="Source", range=(5, 26)),
    "cycles": lambda: api.loop(action="Source", range=(5, 26), repeat="keyed"),
    "modifiers": lambda: api.loop(action="Source", range=(5, 26), repeat="modifiers"),
    "in place": lambda: api.travel(action="Destination", in_place=True),
    "to the hips": lambda: api.travel(action="Source", on="hips"),
    "jump": lambda: api.bake(source="Source", destination="Source", cut=20, smooth_jump=True),
    "fill": lambda: api.fill(**BOTH, cut=20, gap_frames=16, destination_frame=9),
    "hop": lambda: api.hop(**BOTH, trigger=20, clips=("Source",)),
}


def walker(way: str, *, jumps: bool = False) -> Any:
    """A walker, carried in a way. jumps: whether a leg does in the source."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    armature = carried_walker.walker()
    path = builders.bone_path("thigh.L", "rotation_quaternion")
    for key in builders.by_address(bpy.data.actions["Source"])[path, 1].keyframe_points if jumps else ():
        key.co.y += 0.2 if key.co.x > 20.5 else 0.0
    if way == "own actions":
        carried_walker.on_own_actions(armature)
    elif way != "object":
        WAYS[way](armature)
    return armature


@functools.cache
def by_object(feature: str) -> Array:
    armature = walker("object", jumps=feature == "jump")
    assert FEATURES[feature]().action
    return carried_walker.seen(armature, FRAMES)


@pytest.mark.variants(4)
@pytest.mark.parametrize("way", ["empty", "delta", "two", "upper", "own actions"])
@pytest.mark.parametrize("feature", FEATURES)
def test_a_feature_goes_with_what_carries(feature: str, way: str) -> None:
    wanted = by_object(feature)
    armature = walker(way, jumps=feature == "jump")
    assert FEATURES[feature]().action
    found = carried_walker.seen(armature, FRAMES)
    np.testing.assert_allclose(found[..., :3, 3], wanted[..., :3, 3], atol=1e-3)


@pytest.mark.parametrize("way", WAYS)
def test_a_mirror_image_goes_aside(way: str) -> None:
    images = []
    for each in ("object", way):
        armature = walker(each)
        rig, clip = rigs.read(armature), clip_store.read(armature, bpy.data.actions["Destination"])
        image = variants.mirrored(rig, clip, mirror.partners(rig.bones.names), "Image")
        images.append(carried_walker.poses(armature, image, FRAMES))
    np.testing.assert_allclose(images[1][..., :3, 3], images[0][..., :3, 3], atol=1e-4)


def test_info_tells_how_far_it_travels() -> None:
    told = []
    for way in ("object", "empty"):
        walker(way)
        (armature,) = inventory.of_file()["armatures"]
        told.append({each["name"]: each["distance"] for each in armature["actions"]})
    assert told[0]["Source"] > 1.0
    assert told[1] == pytest.approx(told[0])
