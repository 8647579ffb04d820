# SPDX-License-Identifier: GPL-3.0-or-later
"""Slots: shape keys and other objects that are animated by the same actions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest

from inertia_addon.blender.data import compat
from inertia_addon.errors import InertiaError
from tests.blender import builders, clips

CUT, START, BLEND = 15.0, 4.0, 8.0
LATER = CUT - START
SMILE, FROWN = ('key_blocks["Smile"].value', 'key_blocks["Frown"].value')
WAVE_HERE = [(1, 0.0), (11, 0.9), (21, 0.4), (31, 1.0)]
WAVE_THERE = [(1, 0.8), (11, 0.1), (21, 0.6), (41, 0.0)]

pytestmark = pytest.mark.usefixtures("fresh_file")
with_slots = pytest.mark.skipif(not compat.has_slots(), reason="actions of this Blender have no slots")


def body(made: Any, size: float) -> None:
    builders.curve(made, builders.bone_path("A", "location"), 0, [(1, 0.0), (31, size)])


def play_keys(keys: Any, made: Any) -> None:
    compat.assign(keys, made, "KE" + keys.name)


def key_values(keys: Any, made: Any, frames: Any, name: str = "Smile") -> Any:
    play_keys(keys, made)
    found = []
    for frame in np.asarray(frames, float):
        bpy.context.scene.frame_set(int(frame), subframe=float(frame % 1.0))
        found.append(keys.key_blocks[name].value)
    return np.array(found)


@with_slots
def test_shape_keys_flow_over_through_their_own_slot() -> None:
    armature = builders.rig({"A": None})
    keys = builders.face(armature)
    source, destination = builders.action("Source"), builders.action("Destination")
    for made, points, size in ((source, WAVE_HERE, 1.0), (destination, WAVE_THERE, -1.0)):
        body(made, size)
        builders.curve(made, SMILE, 0, points, slot="KEFace")
    builders.curve(source, FROWN, 0, WAVE_HERE, slot="KEFace")
    report, result = builders.transition(armature, source, destination, CUT, START, blend_frames=BLEND)
    assert [(slot.identifier, slot.id_type) for slot in compat.slots(result)] == [
        ("OBRig", "OBJECT"),
        ("KEFace", "KEY"),
    ]
    assert compat.assigned(armature) == (result, "OBRig")
    assert compat.assigned(keys) == (result, "KEFace")
    early, late = builders.sub_frames(0, CUT), builders.sub_frames(report.window[1], 55)
    found = key_values(keys, result, [*early, *late])
    expected = [key_values(keys, source, early), key_values(keys, destination, late - LATER)]
    np.testing.assert_allclose(found, np.concatenate(expected), atol=2e-5)
    # the frown, which the destination leaves alone, fades out
    assert key_values(keys, result, [report.window[1], 50], "Frown") == pytest.approx([0.0, 0.0], abs=1e-6)


@with_slots
def test_a_slot_that_one_action_has() -> None:
    armature = builders.rig({"A": None})
    keys = builders.face(armature)
    source, destination = builders.action("Source"), builders.action("Destination")
    body(source, 1.0)
    body(destination, -1.0)
    builders.curve(destination, SMILE, 0, WAVE_THERE, slot="KEFace")
    report, result = builders.transition(armature, source, destination, CUT, START, blend_frames=BLEND)
    late = builders.sub_frames(report.window[1], 55)
    found = key_values(keys, result, [1, 8, CUT, *late])
    expected = key_values(keys, destination, late - LATER)
    np.testing.assert_allclose(found, [0.0, 0.0, 0.0, *expected], atol=2e-5)


@with_slots
def test_characters_that_do_not_belong_to_the_armature_are_left_alone() -> None:
    """A slot of somebody who does not belong to the armature is in the result, but not assigned."""
    armature = builders.rig({"A": None})
    stranger = bpy.data.objects.new("Stranger", None)
    bpy.context.collection.objects.link(stranger)
    source, destination = builders.action("Source"), builders.action("Destination")
    for made, size in ((source, 1.0), (destination, -1.0)):
        body(made, size)
        builders.curve(made, "location", 0, [(1, 0.0), (31, size)], slot="OBStranger")
    _, result = builders.transition(armature, source, destination, CUT, START)
    assert compat.assigned(stranger) == (None, "")
    assert set(builders.by_address(result, "OBStranger")) == {("location", 0)}


@with_slots
def test_choosing_a_slot() -> None:
    """Two armatures in one action: the slot asked for, else the one in use, else the one of its name."""
    armature, other = builders.rig({"A": None}), builders.rig({"A": None}, name="Other")
    source, destination = builders.action("Source", "Other"), builders.action("Destination")
    path = builders.bone_path("A", "location")
    builders.curve(source, path, 0, [(1, 7.0), (41, 7.0)], slot="OBOther")
    builders.curve(source, path, 0, [(1, 3.0), (41, 3.0)], slot="OBRig")
    body(destination, 0.0)
    cases = (({}, 3.0), ({"source_slot": "OBOther"}, 7.0), ({"source_slot": "Other"}, 7.0))
    for how, value in cases:
        report, result = builders.transition(armature, source, destination, CUT, START, **how)
        fcurve = builders.by_address(result, report.slot)[path, 0]
        assert fcurve.evaluate(5) == pytest.approx(value)
        assert compat.assigned(armature) == (result, report.slot)
    compat.assign(armature, source, "OBOther")
    report, result = builders.transition(armature, source, destination, CUT, START)
    assert builders.by_address(result, report.slot)[path, 0].evaluate(5) == pytest.approx(7.0)
    assert compat.assigned(other) == (None, "")


@with_slots
def test_a_slot_that_does_not_exist() -> None:
    armature = builders.rig({"A": None})
    source, destination = builders.action("Source"), builders.action("Destination")
    body(source, 1.0)
    body(destination, 1.0)
    builders.curve(source, SMILE, 0, WAVE_HERE, slot="KEFace")
    for wrong in ("OBNobody", "KEFace"):
        with pytest.raises(InertiaError, match=f'no slot "{wrong}"'):
            builders.transition(armature, source, destination, CUT, START, source_slot=wrong)


@with_slots
def test_actions_for_an_armature_of_another_name() -> None:
    """Clips keyed on another rig have its slot; assigning the result still animates this one."""
    armature = builders.rig({"A": None}, name="Hero")
    source, destination = builders.action("Source", "Donor"), builders.action("Destination", "Second donor")
    path = builders.bone_path("A", "location")
    builders.curve(source, path, 0, [(1, 3.0), (41, 3.0)], slot="OBDonor")
    builders.curve(destination, path, 0, [(1, 5.0), (41, 5.0)], slot="OBSecond donor")
    report, result = builders.transition(armature, source, destination, CUT, START)
    assert [slot.identifier for slot in compat.slots(result)] == [report.slot]
    for frame, value in ((5, 3.0), (40, 5.0)):
        bpy.context.scene.frame_set(frame)
        assert armature.pose.bones["A"].location.x == pytest.approx(value)


def test_an_action_of_shape_keys_alone() -> None:
    armature = builders.rig({"A": None})
    source, destination = builders.action("Source", "Face", "KEY"), builders.action("Destination")
    builders.curve(source, SMILE, 0, WAVE_HERE, slot="KEFace")
    body(destination, 1.0)
    with pytest.raises(InertiaError, match='"Source" animates no object'):
        builders.transition(armature, source, destination, CUT, START)


@with_slots
def test_real_shape_keys(data_dir: Path) -> None:
    """The robot's face goes along with its body."""
    armature, _ = clips.load("RobotExpressive", data_dir, keep_meshes=True)
    keys = bpy.data.meshes["Head"].shape_keys
    keys.animation_data_clear()
    source, destination = bpy.data.actions["Jump"], bpy.data.actions["Punch"]
    report, result = builders.transition(armature, source, destination, 10.0, 1.0, alignment="AUTO")
    assert compat.assigned(keys) == (result, "KEHead")
    late = np.arange(np.ceil(report.window[1]), 40.0)
    for name in ("Angry", "Surprised", "Sad"):
        found = key_values(keys, result, [*range(1, 11), *late], name)
        expected = [key_values(keys, source, range(1, 11), name)]
        expected.append(key_values(keys, destination, late - 9.0, name))
        np.testing.assert_allclose(found, np.concatenate(expected), atol=1e-4)
