# SPDX-License-Identifier: GPL-3.0-or-later
"""Who follows whom, against what Blender shows when one bone after the other is moved."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
import pytest
from mathutils import Matrix

from inertia_addon.blender.data import clip_store, rigs, roots
from tests.blender import builders

pytestmark = pytest.mark.usefixtures("fresh_file")

BONES = {"Root": None, "Torso": "Root", "Still": None, "Held": "Still", "Twice": "Root", "Free": None}
MOTION = Matrix.Translation((0.3, -0.2, 0.1)) @ Matrix.Rotation(0.5, 4, "Z")
"""As characters are turned."""


def places(rig: Any) -> dict[str, Any]:
    bpy.context.view_layer.update()
    return {bone.name: np.array(bone.matrix) for bone in rig.pose.bones}


def test_child_of_on_top_of_a_parent() -> None:
    """It moves a bone twice where the parent is moved, too."""
    rig = builders.rig(BONES)
    for bone in ("Held", "Twice", "Free"):
        made = rig.pose.bones[bone].constraints.new("CHILD_OF")
        made.target, made.subtarget = rig, "Torso"
    places(rig)  # Child Of takes the place of its target for what moves nothing
    rig.pose.bones["Torso"].matrix_basis = Matrix.Translation((0.2, 0.1, 0.0)) @ Matrix.Rotation(0.7, 4, "X")
    found = rigs.read_following(rig)
    for name in ("Root", "Torso", "Still"):  # behind constraints a bone does not go where it is put
        assert found.with_(name) == along(rig, name), name
    assert found.follows("Held", "Root")
    assert not found.follows("Twice", "Root")


def along(rig: Any, name: str) -> set[str]:
    """The bones that go where a bone goes, when it alone is moved."""
    bone, before = rig.pose.bones[name], places(rig)
    own = bone.matrix_basis.copy()
    bone.matrix = MOTION @ Matrix(before[name])
    now = places(rig)
    bone.matrix_basis = own
    places(rig)
    return {other for other in now if np.allclose(now[other], np.array(MOTION) @ before[other], atol=1e-5)}


CONSTRAINTS: dict[str, dict[str, Any]] = {
    "COPY_LOCATION": {},
    "COPY_LOCATION of a point along": {"head_tail": 0.5},
    "COPY_LOCATION on top": {"use_offset": True},
    "COPY_LOCATION in part": {"use_z": False},
    "COPY_LOCATION half": {"influence": 0.5},
    "COPY_ROTATION": {},
    "COPY_ROTATION half": {"influence": 0.5},
    "COPY_LOCATION and COPY_ROTATION": {},
    "COPY_LOCATION and COPY_ROTATION half": {"influence": 0.5},
    "COPY_TRANSFORMS": {},
    "COPY_TRANSFORMS muted": {"mute": True},
    "COPY_TRANSFORMS of nothing": {"influence": 0.0},
    "COPY_SCALE": {},
    "DAMPED_TRACK": {},
}


@pytest.mark.variants(8)
@pytest.mark.parametrize("kept", [True, False])
@pytest.mark.parametrize("kind", CONSTRAINTS)
def test_a_bone_below_a_constraint_comes_along_as_that_lets_it(kind: str, *, kept: bool) -> None:
    """A child is carried by its parent's turn too, so one whose parent copies only a turn goes elsewhere."""
    rig = builders.rig(
        {"Root": None, "Other": "Root", "Aside": "Root", "Led": "Aside", "Child": "Led", "Last": "Child"}
    )
    rig.data.bones["Child"].use_inherit_rotation = kept
    for one in (word for word in kind.split() if word.isupper()):
        made = rig.pose.bones["Led"].constraints.new(one)
        made.target, made.subtarget = rig, "Other"
        for prop, value in CONSTRAINTS[kind].items():
            setattr(made, prop, value)
    rig.pose.bones["Other"].matrix_basis = Matrix.Translation((0.4, 0.1, 0.3)) @ Matrix.Rotation(0.7, 4, "X")
    found = rigs.read_following(rig)
    for name in ("Root", "Other", "Aside"):
        assert found.with_(name) == along(rig, name), name


@pytest.mark.parametrize("joined", ["by a constraint", "not at all"])
def test_a_root_without_travel_is_what_the_body_comes_along_with(joined: str) -> None:
    """Also where a bone of the mechanism lies between the two."""
    rig = builders.rig({"MCH-above": None, "Torso": "MCH-above", "Head": "Torso", "Root": None})
    if joined == "by a constraint":
        made = rig.pose.bones["MCH-above"].constraints.new("ARMATURE")
        target = made.targets.new()
        target.target, target.subtarget = rig, "Root"
    action = builders.action("Idle")
    builders.curve(action, builders.bone_path("Torso", "location"), 0, [(1, 0.0), (31, 0.01)])
    found = roots.find_root(rigs.read(rig), [clip_store.read(rig, action)])
    assert found == roots.Root("Root" if joined == "by a constraint" else "MCH-above", moves=False)
