# SPDX-License-Identifier: GPL-3.0-or-later
"""A take begins as the character stands, whatever it plays, and its feet stand while it is shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender.data import compat
from inertia_addon.blender.feet import legs as leg_list
from inertia_addon.blender.matching import action_set
from inertia_addon.motion.steering import feet, session
from inertia_addon.motion.steps import finish
from inertia_addon.ui.steering import live
from tests.blender import builders, clips, wanderer


@pytest.mark.parametrize(("clip", "frame"), [("Walk", 20), ("Walk", 32), ("Stand", 10)])
def test_a_character_that_plays_nothing_begins_with_the_pose_most_like_its_own(
    fresh_file: None, clip: str, frame: int
) -> None:
    armature = wanderer.with_clips()
    clips.play(armature, bpy.data.actions[clip])
    bpy.context.scene.frame_set(frame)
    compat.assign(armature, None)
    stands = [bone.head.copy() for bone in armature.pose.bones]
    begun = finish(live.prepare_steps(armature, float(frame), None))
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
    own.followed, own.width = wanderer.draw_curve("Street", 0.8), 2
    bpy.ops.inertia.bake_path()
    made = compat.assigned(armature)[0]
    last = round(made.frame_range[1])
    there = builders.played(armature, made, [last])[0][:, :3, 3]
    begun = finish(live.prepare_steps(armature, float(last), None))
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


def shown(armature: Any, feet: str) -> tuple[Any, Any]:
    """What is shown of a take: where bones are (frames, bones, 3), as Blender has them, and which feet are
    planted in its clips (frames, legs)."""
    armature.inertia.feet = feet
    begun = finish(live.prepare_steps(armature, 1.0, None))
    own, seen, planted = live.begin(armature, bpy.context.scene, begun), [], []
    base = begun.session.led.database
    try:
        # about as fast as the clips go, and aside, so that what draws the character moves it
        for x, y, seconds in ((0.0, -0.6, 1.2), (0.35, -0.5, 1.0), (0.0, 0.0, 0.4)):
            begun.session.wish(x, y)
            for _ in range(round(seconds * base.fps)):
                own.advance(begun.session.frames + 1)
                bpy.context.view_layer.update()
                seen.append([armature.matrix_world @ bone.tail for bone in armature.pose.bones])
                planted.append(base.contacts[begun.session.now.flat])
    finally:
        live.end()
    return np.array(seen), np.array(planted)


def test_feet_stand_while_they_are_planted(fresh_file: None) -> None:
    armature = wanderer.with_clips()
    action_set.forget()
    (free, planted), (locked, _) = shown(armature, "OFF"), shown(armature, "LOCK")
    names = [bone.name for bone in armature.pose.bones]
    legs = leg_list.of_armature(armature)
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


def heads(armature: Any) -> np.ndarray[Any, Any]:
    bpy.context.view_layer.update()
    return np.array([armature.matrix_world @ bone.head for bone in armature.pose.bones])


def steered(armature: Any, frame: float, wished: Sequence[tuple[float, float, float]]) -> tuple[Any, Any]:
    """Steer as in a window, and go back for less than no seconds; the take, and where bones are on the frames
    that were shown of it."""
    begun, seen = finish(live.prepare_steps(armature, frame, None)), {}
    own = live.begin(armature, bpy.context.scene, begun)
    first = round(begun.settings.first_frame)
    try:
        for x, y, seconds in wished:
            if seconds < 0.0:
                own.back(-seconds)
            else:
                begun.session.wish(x, y)
            for _ in range(round(seconds * 30)):
                own.advance(begun.session.frames + 1)
                seen[first + begun.session.now.frame] = heads(armature)
            seen = {at: there for at, there in seen.items() if at <= first + begun.session.now.frame}
            seen[first + begun.session.now.frame] = heads(armature)
    finally:
        live.end()
    return begun, seen


def kept(begun: Any) -> Any:
    """Keep a take as Enter does."""
    bpy.ops.inertia.steer(
        wishes=";".join(map(str, begun.session.rows())),
        start=",".join(f"{number:.17g}" for number in begun.settings.start),
        pin=";".join(begun.settings.pins),
        continued=begun.continued,
        first_frame=begun.settings.first_frame,
    )
    return compat.assigned(bpy.context.object)[0]


def check_taken(armature: Any, seen: Any) -> None:
    """See that what plays is what was shown."""
    for frame, there in seen.items():
        bpy.context.scene.frame_set(frame)
        np.testing.assert_allclose(heads(armature), there, atol=1e-3)


@pytest.mark.variants(1)
@pytest.mark.parametrize("feet", ["LOCK", "OFF", "AUTO"])
def test_the_take_and_what_continues_it_is_what_was_shown(fresh_file: None, feet: str) -> None:
    armature = wanderer.with_clips()
    armature.inertia.feet = feet
    wished = (0.0, -0.6, 0.6), (0.35, -0.5, 0.3), (0.0, 0.0, -0.4), (-0.5, 0.3, 0.5), (0.0, 0.0, 0.1)
    begun, seen = steered(armature, 5.0, wished)
    assert len(seen) > 30
    first = kept(begun)
    check_taken(armature, seen)
    middle = 22
    bpy.context.scene.frame_set(middle)
    begun, more = steered(armature, float(middle), ((0.2, 0.6, 0.4), (0.0, 0.0, 0.1)))
    assert begun.continued == first.name
    kept(begun)
    before = {at: there for at, there in seen.items() if at <= middle}
    assert before
    assert more
    check_taken(armature, {**before, **more})


def test_a_take_that_goes_far_back_goes_on_as_it_was_shown_first(
    fresh_file: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (session, feet):
        monkeypatch.setattr(module, "RECENT", 12)
        monkeypatch.setattr(module, "EVERY", 8)
    armature = wanderer.with_clips()
    armature.inertia.feet = "LOCK"
    wished = (0.0, -0.6, 0.7), (0.35, -0.5, 0.3), (0.0, 0.0, 0.0), (0.0, 0.0, -0.7), (-0.5, 0.3, 0.7)
    begun, seen = steered(armature, 1.0, wished)
    # a long take needs hardly more memory than a short one
    assert len(begun.pose.__self__._stood) <= 12 + begun.session.frames / 8 + 1
    kept(begun)
    check_taken(armature, seen)
