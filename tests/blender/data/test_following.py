# SPDX-License-Identifier: GPL-3.0-or-later
"""Who follows whom, against what Blender shows when one bone after the other is moved."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
import pytest
from mathutils import Matrix

from inertia_addon.blender.data import clip_store, following, rigs, roots
from tests.blender import builders

pytestmark = pytest.mark.usefixtures("fresh_file")

BONES = {"Root": None, "Torso": "Root", "Still": None, "Held": "Still", "Twice": "Root", "Free": None}
MOTION = Matrix.Translation((0.3, -0.2, 0.1)) @ Matrix.Rotation(0.5, 4, (0.2, 0.1, 1.0))


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
    before, found = places(rig), following.read(rig)
    for name in BONES:
        bone = rig.pose.bones[name]
        own = bone.matrix_basis.copy()
        bone.matrix = MOTION @ Matrix(before[name])
        now = places(rig)
        along = {
            other for other in BONES if np.allclose(now[other], np.array(MOTION) @ before[other], atol=1e-5)
        }
        bone.matrix_basis = own
        places(rig)
        if name not in ("Held", "Twice", "Free"):  # behind constraints a bone does not go where it is put
            assert found.with_(name) == along, name
    assert found.follows("Held", "Root")
    assert not found.follows("Twice", "Root")


@pytest.mark.parametrize("joined", ["by a constraint", "not at all"])
def test_without_travel_the_root_is_what_the_body_comes_along_with(joined: str) -> None:
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
