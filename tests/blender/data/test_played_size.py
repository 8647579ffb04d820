# SPDX-License-Identifier: GPL-3.0-or-later
"""A skeleton is as large as it plays, whatever the unit of its rest pose is."""

from __future__ import annotations

from typing import Any

import bpy
import pytest

from inertia_addon.blender.data import played_size, rigs
from inertia_addon.blender.evaluation.character import read_character
from inertia_addon.blender.feet import contacts, legs
from inertia_addon.blender.files import importing

HALF = {
    "UpLeg": ("Hips", (0.1, 0.0, -0.05)),
    "Leg": ("UpLeg", (0.0, -0.02, -0.44)),
    "Foot": ("Leg", (0.0, 0.02, -0.42)),
    "Toe": ("Foot", (0.0, -0.13, -0.03)),
    "Arm": ("Spine", (0.2, 0.0, 0.2)),
    "ForeArm": ("Arm", (0.28, 0.0, 0.0)),
    "Hand": ("ForeArm", (0.25, 0.0, 0.0)),
}
OFFSETS: dict[str, tuple[str, tuple[float, float, float]]] = {
    "Hips": ("", (0.0, 0.0, 0.95)),
    "Spine": ("Hips", (0.0, 0.0, 0.25)),
    "Head": ("Spine", (0.0, 0.0, 0.4)),
    **{
        f"{side}{name}": (up if up in ("Hips", "Spine") else f"{side}{up}", (sign * x, y, z))
        for side, sign in (("Left", 1.0), ("Right", -1.0))
        for name, (up, (x, y, z)) in HALF.items()
    },
}
"""A person of 1.7 m: what each bone hangs from, and how far it begins from there, metres."""


def person(rest: float, *, is_keyed: bool = True) -> Any:
    """A person whose rest pose is so many times as large as the clip, where that keys locations."""
    data = bpy.data.armatures.new("Person")
    armature = bpy.data.objects.new("Person", data)
    bpy.context.collection.objects.link(armature)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    heads: dict[str, tuple[float, ...]] = {"": (0.0, 0.0, 0.0)}
    for name, (up, offset) in OFFSETS.items():
        bone = data.edit_bones.new(name)
        heads[name] = tuple(rest * x + at for x, at in zip(offset, heads[up], strict=True))
        bone.head = heads[name]
        bone.tail = (heads[name][0], heads[name][1], heads[name][2] + 0.05 * rest)
        if up:
            bone.parent = data.edit_bones[up]
    bpy.ops.object.mode_set(mode="OBJECT")
    for bone in armature.pose.bones:
        at_rest = bone.bone.matrix_local
        above = bone.bone.parent.matrix_local if bone.parent else None
        way = (at_rest.translation - above.translation) if above else at_rest.translation
        bone.location = at_rest.to_3x3().inverted() @ (way / rest - way)
        if is_keyed:
            bone.keyframe_insert("location", frame=1)
        bone.keyframe_insert("rotation_quaternion", frame=1)
    return armature


@pytest.mark.parametrize("rest", [100.0, 0.02])
def test_a_character_is_measured_as_it_is_seen(fresh_file: None, rest: float) -> None:
    plain, other = person(1.0), person(rest)
    assert played_size.factor(plain) == 1.0
    assert played_size.factor(other) == pytest.approx(1.0 / rest, rel=1e-4)
    assert rigs.read(other).size == pytest.approx(rigs.read(plain).size, rel=1e-4)
    lengths = contacts.lengths_of(read_character(other), legs.of_armature(other))
    assert lengths == pytest.approx([0.86, 0.86], rel=0.01)


def test_a_character_that_plays_as_a_person_is_no_giant(fresh_file: None, tmp_path: Any) -> None:
    person(100.0)
    assert importing.warnings([tmp_path / "walk.bvh"], 1.0, up="y") == ()


def test_bones_that_are_not_keyed_or_only_a_few_say_nothing(fresh_file: None) -> None:
    assert played_size.factor(person(100.0, is_keyed=False)) == 1.0
    armature = person(1.0)
    for name in ("LeftArm", "RightArm"):
        armature.pose.bones[name].location = (3.0, 0.0, 0.0)
        armature.pose.bones[name].keyframe_insert("location", frame=1)
    assert played_size.factor(armature) == 1.0
