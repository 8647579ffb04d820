# SPDX-License-Identifier: GPL-3.0-or-later
"""The mannequin's skeleton hangs together, and its right side mirrors its left."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender.mannequin.skeleton import BONES

APART = {"hips", "shoulder.L", "shoulder.R", "thigh.L", "thigh.R"}
"""What begins beside the bone above it: the hips, which have a root, and where limbs set out."""


@pytest.mark.parametrize("name", [bone.name for bone in BONES.values() if bone.parent is not None])
def test_a_bone_begins_where_the_one_above_it_ends_but_where_limbs_set_out(name: str) -> None:
    bone = BONES[name]
    assert (name in APART) != np.array_equal(bone.head, BONES[str(bone.parent)].tail)


@pytest.mark.parametrize("name", [name for name in BONES if name.endswith(".L")])
def test_bones_of_the_right_side_mirror_those_of_the_left(name: str) -> None:
    left, right = BONES[name], BONES[name.removesuffix("L") + "R"]
    for one, other in ((left.head, right.head), (left.tail, right.tail)):
        np.testing.assert_allclose(other, one * (-1.0, 1.0, 1.0), atol=1e-12)
