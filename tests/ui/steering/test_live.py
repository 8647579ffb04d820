# SPDX-License-Identifier: GPL-3.0-or-later
"""A take begins as the character stands, whatever it plays."""

from __future__ import annotations

import numpy as np
import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender.data import compat
from inertia_addon.motion.steps import finish
from inertia_addon.ui.steering import live
from tests.blender import builders, clips, wanderer


@pytest.mark.parametrize(("clip", "frame"), [("Walk", 20), ("Walk", 32), ("Stand", 10)])
def test_who_plays_nothing_begins_with_the_pose_that_is_most_like_its_own(
    fresh_file: None, clip: str, frame: int
) -> None:
    armature = wanderer.with_clips()
    clips.play(armature, bpy.data.actions[clip])
    bpy.context.scene.frame_set(frame)
    compat.assign(armature, None)
    stands = [bone.head.copy() for bone in armature.pose.bones]
    begun = finish(live.preparing(armature, float(frame), None))
    shown = live.begin(armature, bpy.context.scene, begun)
    try:
        bpy.context.view_layer.update()
        off = [(bone.head - head).length for bone, head in zip(armature.pose.bones, stands, strict=True)]
    finally:
        live.end()
    assert np.max(off) < 0.05
    assert shown.session.rows()[0].seconds == 0.0


def test_a_path_is_steered_on_from_its_end(fresh_file: None) -> None:
    armature = wanderer.with_clips()
    own = armature.inertia_path
    own.followed, own.width = wanderer.draw_curve("Street", 1.2), 4
    bpy.ops.inertia.bake_path()
    made = compat.assigned(armature)[0]
    last = round(made.frame_range[1])
    there = builders.played(armature, made, [last])[0][:, :3, 3]
    begun = finish(live.preparing(armature, float(last), None))
    assert begun.settings.first_frame == last
    shown = live.begin(armature, bpy.context.scene, begun)
    try:
        bpy.context.view_layer.update()
        heads = np.array([armature.matrix_world @ bone.head for bone in armature.pose.bones])
    finally:
        live.end()
    assert shown.session.rows()[0].seconds == 0.0
    # what is left of its last join is not taken along
    assert np.linalg.norm(heads - there, axis=1).max() < 0.02
