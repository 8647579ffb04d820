# SPDX-License-Identifier: GPL-3.0-or-later
"""A take begins as the character stands, whatever it plays, and its feet stand while it is shown."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender.data import compat
from inertia_addon.blender.feet import legs as leg_list
from inertia_addon.blender.matching import stock
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


def shown(armature: Any, feet: str, back: bool = False) -> tuple[Any, Any]:
    """What is shown of a take: where bones are (frames, bones, 3), as Blender has them, and which feet are
    planted in its clips (frames, legs). back: go two seconds back at the end, and on again."""
    armature.inertia.feet = feet
    begun = finish(live.preparing(armature, 1.0, None))
    own, seen, planted = live.begin(armature, bpy.context.scene, begun), [], []
    base = begun.session.led.database
    try:
        # about as fast as the clips go, and aside, so that what draws the character moves it
        for x, y, seconds in ((0.0, -0.6, 2.0), (0.35, -0.5, 2.0), (0.0, 0.0, 1.0)):
            begun.session.wish(x, y)
            for _ in range(round(seconds * base.fps)):
                own.advance(begun.session.frames + 1)
                bpy.context.view_layer.update()
                seen.append([armature.matrix_world @ bone.tail for bone in armature.pose.bones])
                planted.append(base.contacts[begun.session.now.flat])
        if back:
            begun.session.back(2.0)
            own.show()
            for _ in range(round(1.0 * base.fps)):
                own.advance(begun.session.frames + 1)
    finally:
        live.end()
    return np.array(seen), np.array(planted)


def test_feet_stand_while_they_are_planted(fresh_file: None) -> None:
    armature = wanderer.with_clips()
    stock.forget()
    (free, planted), (locked, _) = shown(armature, "OFF"), shown(armature, "LOCK")
    names = [bone.name for bone in armature.pose.bones]
    legs = leg_list.of(armature)
    moved = {i for leg in legs for i in (*leg.joints, leg.point)}
    others = [i for i in range(len(names)) if i not in moved]
    np.testing.assert_allclose(locked[:, others], free[:, others], atol=1e-5)
    # where a foot has been planted for a while
    lasting = round(0.2 * 30)
    still, skated = [], []
    for k, leg in enumerate(legs):
        stands = np.array([planted[max(i - lasting, 0) : i + 2, k].all() for i in range(len(planted) - 1)])
        for steps, ways in ((still, locked), (skated, free)):
            steps += np.linalg.norm(np.diff(ways[:, leg.foot, :2], axis=0), axis=1)[stands].tolist()
    assert len(still) > 30
    assert np.sum(still) < 0.2 * np.sum(skated)
    assert np.median(still) < 1e-5


def test_feet_begin_anew_for_who_goes_back(fresh_file: None) -> None:
    armature = wanderer.with_clips()
    seen, _ = shown(armature, "LOCK", back=True)
    assert np.isfinite(seen).all()
