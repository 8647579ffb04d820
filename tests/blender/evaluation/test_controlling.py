# SPDX-License-Identifier: GPL-3.0-or-later
"""Which control an animator takes on rigs that are made by hand."""

from __future__ import annotations

from typing import Any

import bpy
import pytest

from inertia_addon.blender.evaluation import controlling, joints
from tests.blender import builders

LEG = {"root": None, "thigh": "root", "shin": "thigh", "foot": "shin", "ankle": "root", "knee": "root"}


@pytest.fixture
def leg(fresh_file: None) -> Any:
    """A leg that reaches for a control, ankle, with its foot."""
    armature = builders.rig(LEG)
    bones = armature.pose.bones
    shape = bpy.data.objects.new("Shape", None)
    for control in ("root", "ankle", "knee"):
        bones[control].custom_shape = shape
        bones[control].bone.use_deform = False
    reaching = bones["shin"].constraints.new("IK")
    reaching.target, reaching.subtarget, reaching.chain_count = armature, "ankle", 2
    reaching.pole_target, reaching.pole_subtarget = armature, "knee"
    copying = bones["foot"].constraints.new("COPY_ROTATION")
    copying.target, copying.subtarget = armature, "ankle"
    return armature


def taken(armature: Any, *bones: str) -> list[str]:
    return list(controlling.controls_of(armature, bones, joints.default_joints(armature)).values())


def test_a_chain_is_moved_by_what_it_reaches_for(leg: Any) -> None:
    assert taken(leg, "thigh", "shin", "foot", "knee") == ["ankle", "ankle", "ankle", "knee"]


def test_a_bone_without_acting_constraints_is_taken_itself(leg: Any) -> None:
    leg.pose.bones["shin"].constraints[0].influence = 0.0
    leg.pose.bones["foot"].constraints[0].mute = True
    assert taken(leg, "thigh", "shin", "foot") == ["thigh", "shin", "foot"]


def test_a_plain_skeleton_is_taken_bone_by_bone(fresh_file: None) -> None:
    armature = builders.rig({"DEF-hips": None, "spine": "DEF-hips", "head": "spine"})
    assert taken(armature, "DEF-hips", "spine", "head", "gone") == ["DEF-hips", "spine", "head"]
    assert controlling.offered(armature) == ["DEF-hips", "spine", "head"]


def test_bones_that_hang_in_a_circle_are_left(leg: Any) -> None:
    bones = leg.pose.bones
    for bone, target in (("thigh", "shin"), ("shin", "thigh")):
        constraint = bones[bone].constraints.new("COPY_TRANSFORMS")
        constraint.target, constraint.subtarget = leg, target
    assert taken(leg, "thigh") == ["thigh"]


def test_constraints_to_other_objects_and_in_local_space_carry_nothing(leg: Any) -> None:
    """What only adds to a bone's own channels leaves the bone to be taken."""
    bones = leg.pose.bones
    bones["foot"].constraints[0].target_space = bones["foot"].constraints[0].owner_space = "LOCAL"
    following = bones["knee"].constraints.new("CHILD_OF")
    following.target = bpy.data.objects.new("Prop", None)
    assert taken(leg, "foot", "knee") == ["foot", "knee"]
