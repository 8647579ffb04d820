# SPDX-License-Identifier: GPL-3.0-or-later
"""A character is played in its own scene, at that one's rate, whichever scene a file was saved with."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import bpy
import pytest

from inertia_addon import api
from inertia_addon.blender.data import scene
from inertia_addon.blender.evaluation import playback
from inertia_addon.cli import program
from tests.blender import file_state, wanderer

ASKED = {"source": "Walk", "destination": "Turn", "cut": 12.0, "destination_frame": 15.0}
RATE = 50


@pytest.fixture
def held(fresh_file: None) -> Any:
    """A walker in a scene of its own rate whose last bone has a constraint, so that Blender plays it."""
    bpy.context.scene.render.fps = RATE
    armature = wanderer.with_clips(frames=31)
    bpy.context.scene.render.fps, bpy.context.scene.render.fps_base = RATE, 1.0
    bones = armature.pose.bones
    constraint = bones[-1].constraints.new("COPY_ROTATION")
    constraint.target, constraint.subtarget, constraint.influence = armature, bones[0].name, 0.3
    for action in bpy.data.actions:
        action.use_fake_user = True
    return armature


def in_no_open_scene(armature: Any) -> None:
    other = bpy.data.scenes.new("Layout")
    other.render.fps = 24
    bpy.context.window.scene = other


def excluded(armature: Any) -> None:
    characters = bpy.data.collections.new("Characters")
    home = bpy.context.scene.collection
    home.children.link(characters)
    characters.objects.link(armature)
    for collection in armature.users_collection:
        if collection != characters:
            collection.objects.unlink(armature)
    bpy.context.view_layer.layer_collection.children["Characters"].exclude = True


def disabled(armature: Any) -> None:
    armature.hide_viewport = True


def both(armature: Any) -> None:
    disabled(armature)
    excluded(armature)
    in_no_open_scene(armature)


HIDING = (in_no_open_scene, excluded, disabled, both)


@pytest.mark.variants(2)
@pytest.mark.parametrize("hide", HIDING[::-1])
def test_a_rig_in_another_scene_makes_the_same_and_all_else_stays(
    held: Any, hide: Callable[[Any], None]
) -> None:
    expected = api.bake(held, **ASKED, feet="off")
    bpy.data.actions.remove(bpy.data.actions[expected.action])
    held.animation_data_clear()
    hide(held)
    before, shown = file_state.everything(), bpy.context.scene
    made = api.bake(held, **ASKED, feet="off", assign=False)
    assert (made.values["fps"], made.values["verdict"]) == (RATE, expected.values["verdict"])
    bpy.data.actions.remove(bpy.data.actions[made.action])
    assert bpy.context.scene == shown
    assert not file_state.differences(before, file_state.everything())


def test_files_are_made_at_the_rate_of_the_characters_scene(
    held: Any, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    both(held)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "clips.blend"))
    words = ["bake", "clips.blend", "--source", "Walk", "--destination", "Turn", "--cut", "12", "--json"]
    words[1] = str(tmp_path / "clips.blend")
    for name in ("out.blend", "out.bvh"):
        capfd.readouterr()
        assert program.main([*words, "--feet", "off", "-o", str(tmp_path / name)]) == program.DONE
        assert json.loads(capfd.readouterr().out)["fps"] == RATE
    rate = next(line for line in (tmp_path / "out.bvh").read_text().splitlines() if "Frame Time" in line)
    assert float(rate.split()[-1]) == pytest.approx(1.0 / RATE)
    api.read(tmp_path / "out.blend")
    assert bpy.context.scene.name == "Layout"
    armature = bpy.data.objects[held_name()]
    assert armature.hide_viewport
    assert [each.name for each in armature.users_collection] == ["Characters"]


def held_name() -> str:
    return next(thing.name for thing in bpy.data.objects if thing.type == "ARMATURE")


def test_a_rig_in_no_scene_is_played_in_none(fresh_file: None) -> None:
    lone = bpy.data.objects.new("Lone", bpy.data.armatures.new("Lone"))
    shown = bpy.context.scene
    with scene.use_scene_of(lone), playback.enable(lone):
        assert bpy.context.scene == shown
        assert not lone.users_scene
    with scene.use_scene_of(None), playback.enable(None):
        assert bpy.context.scene == shown
