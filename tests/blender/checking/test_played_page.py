# SPDX-License-Identifier: GPL-3.0-or-later
"""What a page plays: the clips that a result was made of lie where the result has them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender.checking import played_page
from inertia_addon.motion.skeleton import character_space
from tests.blender import builders


@given(st.floats(-3.1, 3.1), st.floats(-50.0, 50.0), st.floats(-50.0, 50.0), st.integers(0, 9))
def test_fit_over_ground_lies_on_what_is_done_where_the_clip_is_not_blended(
    turn: float, x: float, y: float, blended: int
) -> None:
    clip = np.random.default_rng(blended).normal(size=(20, 6, 3)).cumsum(axis=0)
    motion = character_space.motion_of(turn, (x, y, 0.0))
    shown = clip @ motion[:3, :3].T + motion[:3, 3]
    blend = shown.copy()
    blend[:blended] += np.linspace(0.4, 0.0, 10)[:blended, None, None]
    fitted = played_page.fit_over_ground(clip, blend)
    assert fitted[..., 2] == pytest.approx(clip[..., 2])
    # nearer than the blend is, and exact without one
    assert np.abs(fitted - shown).max() <= 0.1 * (blended > 0) + 1e-9


@pytest.mark.usefixtures("fresh_file")
@pytest.mark.parametrize("is_coarse", [False, True])
def test_a_coarse_picture_leaves_out_what_is_too_small_to_see_and_nothing_else(*, is_coarse: bool) -> None:
    armature = builders.rig({"hips": None, "spine": "hips", "head": "spine"})
    bpy.ops.object.mode_set(mode="EDIT")
    finger = armature.data.edit_bones.new("finger")
    finger.head, finger.tail = (0.3, 0.0, 2.0), (0.32, 0.0, 2.0)
    finger.parent = armature.data.edit_bones["spine"]
    bpy.ops.object.mode_set(mode="OBJECT")
    drawn = played_page.choose_bones(armature, is_coarse=is_coarse)
    names = {armature.data.bones.keys()[bone] for bone in drawn.bones}
    assert names == {"hips", "spine", "head"} | ({"finger"} if not is_coarse else set())
