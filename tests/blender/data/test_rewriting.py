# SPDX-License-Identifier: GPL-3.0-or-later
"""A rewritten action: a copy that keeps all that is not said to change."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
import pytest

from inertia_addon.blender.data import actions, channels, compat, recipe, recipe_reader, rewriting
from inertia_addon.errors import InertiaError
from inertia_addon.motion import quaternion
from inertia_addon.settings.loops import LoopSettings
from tests.blender import builders

FRAMES = np.arange(10.0, 31.0)
OUTSIDE = np.concatenate([builders.sub_frames(-3, 10), builders.sub_frames(30, 50)])


def clip_of(armature: Any, made: Any) -> actions.Clip:
    return actions.read(made, actions.choose_slot(made, armature))


def moving(mode: str = "QUATERNION") -> Any:
    """A root that travels, and a bone that turns, keyed now and then."""
    made = builders.action("Clip")
    places = [(float(f), 0.01 * f * f) for f in range(1, 42, 5)]
    builders.curve(made, builders.bone_path("A", "location"), 0, places)
    prop, count = builders.ROTATIONS.get(mode, ("rotation_euler", 3))
    for i in range(count):
        turns = [
            (float(f), (1.0 if count == 4 and i == 0 else 0.0) + 0.3 * np.sin(0.2 * f + i)) for f, _ in places
        ]
        builders.curve(made, builders.bone_path("B", prop), i, turns)
    return made


def of_bone(armature: Any, clip: actions.Clip, bone: str, kind: str) -> channels.ClipChannels:
    found = channels.match(armature, clip, clip, 1.0, 1.0).channels
    return next(ch.source for ch in found if (ch.bone, ch.kind) == (bone, kind))


def turned(armature: Any, clip: actions.Clip) -> rewriting.Rewritten:
    """The bone B turned further for a while, from frame 10 to 30."""
    own = of_bone(armature, clip, "B", "rotation")
    t = (FRAMES - 10.0) / 20.0
    more = quaternion.exp((16.0 * (t * (1.0 - t)) ** 2)[:, None] * np.array([0.8, 0.2, 0.0]))
    values = quaternion.multiply(more, own.decode(own.raw(FRAMES)))
    return rewriting.rewritten(clip, [rewriting.ChannelStretch(own, FRAMES, values)])


@pytest.mark.parametrize("mode", ["QUATERNION", "AXIS_ANGLE", "ZYX"])
def test_a_stretch_is_rewritten_in_a_new_action(armature: Any, mode: str) -> None:
    armature.pose.bones["B"].rotation_mode = mode
    made = moving(mode)
    before = builders.played(armature, made, OUTSIDE)
    kept = {at: builders.key_data(curve) for at, curve in builders.by_address(made).items()}
    own = builders.played(armature, made, FRAMES)
    result = rewriting.write_action([turned(armature, clip_of(armature, made))], "Clip turned")
    assert (result.name, made.use_fake_user) == ("Clip turned", True)
    np.testing.assert_allclose(builders.played(armature, result, OUTSIDE), before, atol=2e-5)
    assert np.abs(builders.played(armature, result, FRAMES) - own)[10, 1].max() > 0.3
    assert {at: builders.key_data(curve) for at, curve in builders.by_address(made).items()} == kept
    location = (builders.bone_path("A", "location"), 0)
    assert builders.key_data(builders.by_address(result)[location]) == kept[location]


def test_a_rewritten_action_keeps_all_but_what_says_how_it_was_made(armature: Any) -> None:
    made = moving()
    made.use_frame_range, made.use_cyclic, made.frame_end = True, True, 41.0
    made["note"] = "mine"
    made[recipe.RECIPE] = "{}"
    muted = builders.curve(made, builders.bone_path("A", "scale"), 0, [(1.0, 1.0), (9.0, 2.0)])
    muted.mute = True
    for curve in builders.by_address(made).values():
        curve.modifiers.new("CYCLES")
    if compat.has_slots():
        builders.curve(made, 'key_blocks["Smile"].value', 0, [(1.0, 0.0), (20.0, 1.0)], slot="KEFace")
    part = turned(armature, clip_of(armature, made))
    assert part.baked == ()  # within its keys a curve that repeats is its keys
    result = rewriting.write_action([part], "Clip")
    assert (result.use_cyclic, result.frame_end, result["note"]) == (True, 41.0, "mine")
    assert not recipe.is_baked(result)
    assert [slot.identifier for slot in compat.slots(result)] == [
        slot.identifier for slot in compat.slots(made)
    ]
    copies, originals = builders.by_address(result), builders.by_address(made)
    assert copies.keys() == originals.keys()
    for at, curve in originals.items():
        assert (copies[at].mute, len(copies[at].modifiers)) == (curve.mute, len(curve.modifiers))


def test_modifiers_of_a_rewritten_curve_go_into_its_keys(armature: Any) -> None:
    made = moving()
    at = (builders.bone_path("B", "rotation_quaternion"), 1)
    builders.by_address(made)[at].modifiers.new("NOISE").strength = 0.2
    before = builders.played(armature, made, np.arange(1.0, 11.0))
    part = turned(armature, clip_of(armature, made))
    assert [(note.data_path, note.reason) for note in part.baked] == [(at[0], "noise modifier")]
    result = rewriting.write_action([part], "Clip 2")
    assert len(builders.by_address(result)[at].modifiers) == 0
    np.testing.assert_allclose(builders.played(armature, result, np.arange(1.0, 11.0)), before, atol=2e-5)


def test_a_channel_without_keys_gets_some(armature: Any) -> None:
    made = moving()
    clip = clip_of(armature, made)
    path = builders.bone_path("B", "")
    own = channels.transform(clip, path, "location")
    values = np.zeros((len(FRAMES), 3))
    values[5:-5] = (0.0, 0.5, 0.0)
    part = rewriting.rewritten(clip, [rewriting.ChannelStretch(own, FRAMES, values)])
    result = rewriting.write_action([part], "Clip 2")
    found = builders.by_address(result)
    assert found[path + "location", 1].group.name == "B"
    assert found[path + "location", 1].evaluate(20.0) == 0.5
    assert found[path + "location", 1].evaluate(5.0) == found[path + "location", 1].evaluate(35.0) == 0.0


def test_an_earlier_result_is_made_anew_under_its_name(armature: Any) -> None:
    made = moving()
    part = turned(armature, clip_of(armature, made))
    first = rewriting.write_action([part], "Turned")
    slot = compat.slots(first)[0].identifier
    compat.assign(armature, first, slot)
    count = len(bpy.data.actions)
    again = rewriting.write_action([part], "other", first)
    assert (again.name, len(bpy.data.actions)) == ("Turned", count)
    assert compat.assigned(armature) == (again, slot)
    digest = recipe.digest_rewriting(part.clip)
    recipe.note_rewriting(again, "turning", {"much": 0.8}, armature, recipe.RewrittenSource(made, digest))
    assert recipe.ingredients(again) == (made,)
    assert recipe_reader.read_noted(again, "turning")["settings"] == {"much": 0.8}
    assert recipe.kind(again) == "turning"
    assert recipe.kind(made) == ""
    assert not recipe_reader.has_changed(again, armature)
    next(iter(builders.by_address(made).values())).keyframe_points[0].co.y += 1.0
    assert recipe_reader.has_changed(again, armature)


def test_samples_go_into_keys_as_they_play(armature: Any) -> None:
    made = moving()
    before = builders.played(armature, made, OUTSIDE)
    address = (builders.bone_path("B", "rotation_quaternion"), 1)
    builders.by_address(made)[address].convert_to_samples(-5, 55)
    result = rewriting.write_action([turned(armature, clip_of(armature, made))], "Clip turned")
    assert len(builders.by_address(result)[address].keyframe_points) > 2
    whole = np.round(OUTSIDE) == OUTSIDE
    np.testing.assert_allclose(builders.played(armature, result, OUTSIDE[whole]), before[whole], atol=2e-5)


def test_a_refused_rewriting_leaves_no_new_action(armature: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Such as keys of another slot that are no numbers, of which no digest can be noted."""

    def refuse(*_arguments: Any) -> str:
        raise InertiaError("A key is no number.")

    monkeypatch.setattr(recipe, "digest_rewriting", refuse)
    rewritten = turned(armature, clip_of(armature, moving()))
    names, assigned = bpy.data.actions.keys(), compat.assigned(armature)[0]
    with pytest.raises(InertiaError, match="no number"):
        rewriting.write(armature, rewriting.RewritingKind("loop", "loop"), LoopSettings("Clip"), [rewritten])
    assert bpy.data.actions.keys() == names
    assert compat.assigned(armature)[0] == assigned


def test_a_result_of_some_bones_changes_only_with_their_curves(armature: Any) -> None:
    made = moving()
    result = rewriting.write_action([turned(armature, clip_of(armature, made))], "Turned")
    digest = recipe.digest_rewriting(clip_of(armature, made), ["B"])
    recipe.note_rewriting(result, "turning", {}, armature, recipe.RewrittenSource(made, digest, ["B"]))
    assert not recipe_reader.has_changed(result, armature)
    found = builders.by_address(made)
    found[builders.bone_path("A", "location"), 0].keyframe_points[0].co.y += 1.0
    assert not recipe_reader.has_changed(result, armature)
    found[builders.bone_path("B", "rotation_quaternion"), 1].keyframe_points[0].co.y += 1.0
    assert recipe_reader.has_changed(result, armature)
