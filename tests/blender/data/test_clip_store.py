# SPDX-License-Identifier: GPL-3.0-or-later
"""Which actions are an armature's clips, whoever asks."""

from __future__ import annotations

import math
from typing import Any

import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender.data import clip_store, compat, rig
from inertia_addon.blender.files import inventory
from inertia_addon.errors import InertiaError
from tests.blender import builders, walkers


def keyed(name: str, path: str) -> Any:
    made = builders.action(name)
    builders.curve(made, path, 0, [(1, 0), (9, 1)])
    return made


def listed() -> list[str]:
    named = [
        [action["name"] for action in held["armatures"][0]["actions"]]
        for held in (inventory.of_file(), inventory.outline())
    ]
    assert named[0] == named[1]
    return named[0]


def test_an_action_that_moves_another_object_is_no_clip(fresh_file: None) -> None:
    armature = walkers.character()
    camera = bpy.data.objects.new("Camera", None)
    bpy.context.scene.collection.objects.link(camera)
    pan = keyed("Pan", "location")
    compat.assign(camera, pan, compat.slots(pan)[0].identifier)
    if compat.slots(pan)[0].identifier:
        compat.rename_slot(pan, compat.slots(pan)[0].identifier, "Camera")
    walk = keyed("Walk", builders.bone_path("Leg", "location"))
    assert clip_store.find_fitting(armature) == [walk]
    assert [clip.action for clip in clip_store.library(armature)[0]] == [walk]
    assert listed() == ["Walk"]


def test_an_assigned_action_is_a_clip_that_may_not_be_read(fresh_file: None) -> None:
    armature = walkers.character()
    empty = builders.action("Empty")
    slots = compat.slots(empty)
    compat.assign(armature, empty, slots[0].identifier if slots else "")
    assert clip_store.find_fitting(armature) == [empty]
    clips, skipped = clip_store.library(armature)
    assert clips == []
    assert len(skipped) == 1
    assert 'Action "Empty"' in skipped[0]


def test_a_named_action_of_the_object_alone_is_read(fresh_file: None) -> None:
    armature = walkers.character()
    slide = keyed("Slide", "location")
    assert clip_store.read(armature, slide).end == 9.0
    nobody = keyed("Nobody", builders.bone_path("Nobody", "location"))
    with pytest.raises(InertiaError, match="has no channel of"):
        clip_store.read(armature, nobody)


def test_a_slot_named_after_the_armature_makes_its_travel_a_clip(fresh_file: None) -> None:
    armature = walkers.character()
    slide = keyed("Slide", "location")
    (slot,) = compat.slots(slide)
    if not slot.identifier:
        pytest.skip("before Blender 4.4 actions have no slots")
    compat.rename_slot(slide, slot.identifier, "Nobody")
    assert clip_store.find_fitting(armature) == []
    compat.rename_slot(slide, compat.slots(slide)[0].identifier, armature.name)
    assert clip_store.find_fitting(armature) == [slide]


def test_a_clip_takes_longer_by_its_scale_where_its_curves_are_keys_alone(fresh_file: None) -> None:
    armature = walkers.character()
    slide = keyed("Slide", "location")
    clip = clip_store.scaled(clip_store.read(armature, slide), 2.5)
    assert (clip.start, clip.end) == (1.0, 21.0)
    # what is scaled already stays
    assert clip_store.scaled(clip, 2.0) is clip
    assert clip_store.scaled(clip_store.read(armature, slide), 1.0).end == 9.0
    builders.by_address(slide)[("location", 0)].modifiers.new("NOISE")
    with pytest.raises(InertiaError, match='Curves of "Slide" have more than their keys'):
        clip_store.scaled(clip_store.read(armature, slide), 2.5)


@pytest.mark.parametrize(("degrees", "owner"), [(4.0, ""), (25.0, "Other")])
def test_a_clip_was_made_for_the_armature_whose_bones_are_turned_at_rest(
    degrees: float, owner: str, fresh_file: None
) -> None:
    """About one axis, as exporters of other programs have it."""
    armature = walkers.character()
    walk = keyed("Walk", builders.bone_path("Leg", "location"))
    other = armature.copy()
    other.data, other.name = armature.data.copy(), "Other"
    bpy.context.collection.objects.link(other)
    bpy.context.view_layer.objects.active = other
    bpy.ops.object.mode_set(mode="EDIT")
    other.data.edit_bones["Leg"].roll += math.radians(degrees)
    bpy.ops.object.mode_set(mode="OBJECT")
    compat.assign(other, walk, compat.rename_slot(walk, compat.slots(walk)[0].identifier, other.name))
    clip = clip_store.read(other, walk)
    clip_store.check_skeleton(other, clip)
    if not owner:
        clip_store.check_skeleton(armature, clip)
        return
    with pytest.raises(InertiaError, match=f'"Walk" was made for "{owner}"'):
        clip_store.check_skeleton(armature, clip)


def test_a_carrier_stands_in_a_clip_while_it_plays_what_goes_with_another_one(fresh_file: None) -> None:
    armature = walkers.character("parented")
    holder = armature.parent
    walk, idle = (keyed(name, builders.bone_path("Leg", "location")) for name in ("Walk", "Idle"))
    moves = builders.action("Walk Holder", slot=holder.name)
    builders.curve(moves, "location", 0, [(1, 0), (9, 1)], slot=f"OB{holder.name}")
    compat.assign(holder, moves, compat.slots(moves)[0].identifier)
    prefix = rig.holder_prefix(holder.name)
    assert clip_store.read(armature, walk).partners == {prefix: "Walk Holder"}
    assert clip_store.read(armature, idle).holders == {prefix: None}
    # what has nothing to do with any clip moves it in all of them
    moves.name = "Elsewhere"
    assert clip_store.read(armature, walk).holders == clip_store.read(armature, idle).holders == {}
