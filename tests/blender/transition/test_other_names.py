# SPDX-License-Identifier: GPL-3.0-or-later
"""Actions of an open file that call the armature's bones by another prefix, in another case or spelling."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender.data import actions, clip_store, compat
from inertia_addon.blender.matching import action_set
from inertia_addon.blender.transition import bake
from inertia_addon.errors import InertiaError
from inertia_addon.settings.transition import TransitionSettings
from tests.blender import builders

FRAMES = builders.sub_frames(1.0, 50.0, 0.5)


def clip(name: str, size: float, prefix: str = "") -> Any:
    made = builders.action(name)
    for i, bone in enumerate(("Hips", "Spine", "Head")):
        for index in (1, 2):
            path = builders.bone_path(prefix + bone, "rotation_quaternion")
            builders.wave(made, path, index, size, phase=0.3 * i + index)
        builders.curve(made, builders.bone_path(prefix + bone, "rotation_quaternion"), 0, [(1.0, 1.0)])
    builders.curve(made, f'pose.bones["{prefix}Head"]["mood"]', 0, [(1.0, size), (41.0, 2.0 * size)])
    return made


@pytest.fixture
def armature(fresh_file: None) -> Any:
    made = builders.rig({"Hips": None, "Spine": "Hips", "Head": "Spine"})
    made.pose.bones["Head"]["mood"] = 0.0
    clip("Walk", 0.2)
    clip("Run", 0.5)
    clip("Run of a download", 0.5, "x1:")
    return made


@pytest.mark.parametrize("how", ["plain", "played", "cycle"])
def test_the_result_is_that_of_the_same_names(armature: Any, how: str) -> None:
    if how == "played":
        constraint = armature.pose.bones["Head"].constraints.new("COPY_ROTATION")
        constraint.target, constraint.subtarget, constraint.influence = armature, "Hips", 0.5
    once = {} if how != "cycle" else {"destination_cycle": "ON", "go_on": "CYCLES", "go_on_cycles": 1}
    wanted, got = (
        builders.transition(armature, bpy.data.actions["Walk"], bpy.data.actions[name], 20.0, 5.0, **once)
        for name in ("Run", "Run of a download")
    )
    assert not any("other names" in note for note in wanted[0].notes)
    (note,) = [note for note in got[0].notes if "other names" in note]
    assert '"Run of a download" has other names for 3 bones, such as "x1:Hips" for "Hips"' in note
    assert {*builders.by_address(got[1])} == {*builders.by_address(wanted[1])}
    for address, fcurve in builders.by_address(got[1]).items():
        expected = builders.by_address(wanted[1])[address]
        assert builders.key_data(fcurve) == builders.key_data(expected)
    played = [builders.played(armature, result, FRAMES) for result in (wanted[1], got[1])]
    np.testing.assert_array_equal(*played)


def test_actions_of_other_names_are_offered_and_gathered(armature: Any) -> None:
    """And what is not of these bones is not."""
    other = builders.action("Door")
    builders.wave(other, builders.bone_path("x1:Hinge", "location"), 0, 1.0)
    assert [action.name for action in clip_store.find_fitting(armature)] == [
        "Run",
        "Run of a download",
        "Walk",
    ]
    assert action_set.name_fitting(armature) == ("Run", "Run of a download", "Walk")
    read = clip_store.read(armature, bpy.data.actions["Run of a download"])
    assert {*read.curves} == {*clip_store.read(armature, bpy.data.actions["Run"]).curves}
    kept = actions.reattached(actions.detached(read), read.action, read.slot)
    assert {at: curve.fcurve.data_path for at, curve in kept.curves.items()} == {
        at: curve.fcurve.data_path for at, curve in read.curves.items()
    }


def test_strips_play_actions_as_they_are_and_refuse(armature: Any) -> None:
    before = len(bpy.data.actions)
    with pytest.raises(
        InertiaError, match=r'"Run of a download" has other names for bones .* bake a new action'
    ):
        bake.bake_transition(
            armature, TransitionSettings("Walk", "Run of a download", 20.0, 5.0, strips=True, feet="OFF")
        )
    assert len(bpy.data.actions) == before


def test_an_action_that_has_both_names_is_read_by_the_armatures(armature: Any) -> None:
    both = clip("Both", 0.3)
    builders.wave(both, builders.bone_path("x1:Hips", "location"), 0, 1.0)
    read = clip_store.read(armature, both)
    assert not read.renamed
    assert (builders.bone_path("Hips", "location"), 0) not in read.curves


def test_a_copy_of_an_action_has_the_armatures_names(armature: Any) -> None:
    """Such as locked feet, which change few of its curves."""
    from inertia_addon.blender.data import rewriting

    action = bpy.data.actions["Run of a download"]
    read = clip_store.read(armature, action)
    path = builders.bone_path("Head", "rotation_quaternion")
    kept = read.curves[path, 1].keys
    copy = rewriting.write_action([rewriting.Rewritten(read, {(path, 1): kept}, [])], "Copy")
    assert {*actions.find_acting_curves(copy, compat.slots(copy)[0].identifier)} == {*read.curves}
    assert not clip_store.read(armature, copy).renamed
