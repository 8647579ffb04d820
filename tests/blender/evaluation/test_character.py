# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender.data import clip_store, rigs
from inertia_addon.blender.evaluation import influence, joint_motion, playback
from inertia_addon.blender.evaluation.character import HasToPlay, read_character
from inertia_addon.motion.steps import finish
from tests.blender import builders


@pytest.fixture
def armature(fresh_file: None) -> Any:
    """Return an armature of three bones with an action, "Walk"."""
    made = builders.rig({"A": None, "B": "A", "C": "B"})
    builders.wave(builders.action("Walk"), builders.bone_path("A", "location"), 0, 1.0)
    return made


@pytest.mark.parametrize(("rate", "base", "unit"), [(24, 1.0, 1.0), (30, 1.001, 0.01), (120, 1.0, 2.5)])
def test_character_has_the_rate_and_the_units_of_the_scene(
    armature: Any, rate: int, base: float, unit: float
) -> None:
    scene = bpy.context.scene
    scene.render.fps, scene.render.fps_base = rate, base
    scene.unit_settings.scale_length = unit
    character = read_character(armature)
    assert (character.fps, character.metres) == pytest.approx((rate / base, unit))
    assert character.size == pytest.approx(rigs.read(armature).size * unit)


def test_character_keeps_the_rig_that_it_has_read(armature: Any) -> None:
    character = read_character(armature)
    before = character.rig.world[:3, 3].tolist()
    armature.location.x += 3.0
    bpy.context.view_layer.update()
    assert character.rig.world[:3, 3].tolist() == before
    assert read_character(armature).rig.world[0, 3] == pytest.approx(before[0] + 3.0)


@pytest.mark.parametrize("is_plain", [True, False])
def test_numpy_poses_a_character_on_which_no_constraint_acts(armature: Any, *, is_plain: bool) -> None:
    if not is_plain:
        armature.pose.bones["B"].constraints.new("COPY_ROTATION").target = armature
    clip = clip_store.read(armature, bpy.data.actions["Walk"])
    poser = read_character(armature).find_poser([clip])
    assert poser.has_to_play == poser.is_playing == (not is_plain)
    assert poser.why_played == influence.why_not_plain(armature, [clip])
    assert poser.why_not == ""


def test_poser_says_why_blender_can_not_play_what_it_has_to(armature: Any) -> None:
    armature.pose.bones["B"].constraints.new("COPY_ROTATION").target = armature
    armature.hide_viewport = True
    poser = read_character(armature).find_poser([clip_store.read(armature, bpy.data.actions["Walk"])])
    assert poser.has_to_play
    assert not poser.is_playing
    assert "disabled in viewports" in poser.why_not


def test_character_that_may_not_be_played_is_posed_by_numpy_alone(armature: Any) -> None:
    clip = clip_store.read(armature, bpy.data.actions["Walk"])
    frames, drawn = np.arange(0.0, 5.0), read_character(armature, may_play=False)
    plain = finish(joint_motion.positions(read_character(armature), clip, frames))
    assert np.array_equal(finish(joint_motion.positions(drawn, clip, frames)), plain)
    armature.pose.bones["B"].constraints.new("COPY_ROTATION").target = armature
    poser = drawn.find_poser([clip])
    assert (poser.has_to_play, poser.is_playing, poser.why_not) == (True, False, "")
    with pytest.raises(HasToPlay, match='"B" has a constraint') as raised:
        finish(joint_motion.positions(drawn, clip, frames))
    assert raised.value.reason == poser.why_played
    assert not playback.is_running()


def test_character_reads_another_object_to_be_played_like_itself(armature: Any) -> None:
    other = builders.rig({"A": None}, name="Other")
    for may_play in (True, False):
        read = read_character(armature, may_play=may_play).read_other(other)
        assert (read.armature, read.may_play, read.rig.bones.names) == (other, may_play, ("A",))


def test_character_looks_once_for_what_is_found_of_it(armature: Any) -> None:
    looked: list[str] = []

    def find(thing: Any) -> tuple[str, ...]:
        looked.append(thing.name)
        return tuple(thing.data.bones.keys())

    character = read_character(armature)
    assert [character.find_once(find) for _ in range(3)] == [("A", "B", "C")] * 3
    assert read_character(armature).find_once(find) == ("A", "B", "C")
    assert looked == [armature.name] * 2
