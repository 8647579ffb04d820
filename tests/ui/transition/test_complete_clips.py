# SPDX-License-Identifier: GPL-3.0-or-later
"""Complete Clips, and the poses that the extension notes while it runs."""

from __future__ import annotations

from typing import Any

import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender.data import compat, unkeyed
from tests.ui import rigs


def channels(action: Any) -> set[tuple[str, int]]:
    (slot,) = compat.slots(action)
    return {(curve.data_path, curve.array_index) for curve in compat.curves(action, slot.identifier)}


def without(action: Any, bone: str) -> None:
    """Take the keys of a bone out of an action."""
    (slot,) = compat.slots(action)
    bag = compat.new_bag(action, slot)
    for curve in [curve for curve in bag.fcurves if f'"{bone}"' in curve.data_path]:
        bag.fcurves.remove(curve)


@pytest.fixture
def pair(fresh_file: None) -> tuple[Any, Any, Any]:
    """A rig with a walk that leaves out the spine, and a wave that keys all."""
    rig = rigs.make_rig()
    walk, wave = (rigs.make_action(rig, name, swing) for name, swing in (("Walk", 0.3), ("Wave", 0.5)))
    without(walk, "spine")
    rig.inertia.source, rig.inertia.destination = walk, wave
    return rig, walk, wave


def test_the_pair_is_completed(pair: tuple[Any, Any, Any]) -> None:
    _, walk, wave = pair
    kept = channels(wave)
    assert bpy.ops.inertia.complete_clips() == {"FINISHED"}
    assert channels(walk) == channels(wave) == kept
    assert bpy.ops.inertia.complete_clips() == {"CANCELLED"}


def test_clips_that_fit_are_all_completed(pair: tuple[Any, Any, Any]) -> None:
    rig, _, wave = pair
    third = rigs.make_action(rig, "Third", 0.1)
    without(third, "hips")
    rig.inertia.source = rig.inertia.destination = None
    assert bpy.ops.inertia.complete_clips(which="ALL") == {"FINISHED"}
    assert channels(third) == channels(wave)


def test_complete_clips_needs_a_pair(pair: tuple[Any, Any, Any]) -> None:
    pair[0].inertia.source = None
    with pytest.raises(RuntimeError, match="Choose a source and a destination action"):
        bpy.ops.inertia.complete_clips()


def test_the_pose_of_an_import_is_noted_before_its_action_moves_it(fresh_file: None) -> None:
    """Importers put the pose into the bones and then assign an action, which overwrites it."""
    rig = rigs.make_rig()
    wave = rigs.make_action(rig, "Wave", 0.5)
    rig.animation_data.action = None
    for thing in list(bpy.data.objects):
        bpy.data.objects.remove(thing)
    rig = rigs.make_rig()
    bpy.context.view_layer.update()
    rig.pose.bones["spine"].rotation_euler = (0.4, 0.1, 0.0)
    rig.animation_data_create()
    compat.assign(rig, wave, compat.slots(wave)[0].identifier)
    bpy.context.scene.frame_set(7)
    path = 'pose.bones["spine"].rotation_euler'
    assert rig.pose.bones["spine"].rotation_euler.x != pytest.approx(0.4)
    assert unkeyed.of_bones(rig)[path, 0] == pytest.approx(0.4)
    assert list(rig.keys()) == []


def test_a_pose_that_was_just_keyed_is_not_noted(fresh_file: None) -> None:
    rig = rigs.make_rig()
    bpy.context.view_layer.update()
    spine = rig.pose.bones["spine"]
    spine.rotation_euler = (0.4, 0.1, 0.0)
    spine.keyframe_insert("rotation_euler", frame=bpy.context.scene.frame_current)
    bpy.context.view_layer.update()
    assert unkeyed.of_bones(rig) == {}
