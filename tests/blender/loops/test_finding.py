# SPDX-License-Identifier: GPL-3.0-or-later
"""Where an action loops best, found by its joints and its feet."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest

from inertia_addon.blender.data import actions, clip_store
from inertia_addon.blender.evaluation import joints
from inertia_addon.blender.loops import bake, search
from inertia_addon.errors import InertiaError
from inertia_addon.motion.steps import finish
from inertia_addon.settings.loops import LoopSearch, LoopSettings
from tests.blender import builders, clips, stepper, walkers


def found(armature: Any, name: str, count: int = 3, **settings: Any) -> list[search.FoundLoop]:
    clip = clip_store.read(armature, actions.find(name))
    weights = joints.named_weights(armature, "stored")
    return finish(search.search_loop_steps(armature, clip, LoopSearch(**settings), weights)).best(count)


@pytest.mark.data
def test_every_walk_that_goes_on_has_ends_within_eight_centimetres(fresh_file: None, data_dir: Path) -> None:
    armature, names = clips.load("cmu131", data_dir)
    for name in names[:2]:
        best = found(armature, name)
        assert best[0].cost < 0.08
        assert all(one.landings >= 1 for one in best)
        report = finish(
            bake.make_loop_steps(armature, LoopSettings(name, best[0].start, best[0].end, assign=False))
        )
        assert report.heading_degrees == 0.0
        assert report.quality is not None
        assert report.quality.gap < 1e-5
        assert report.quality.seam < 1.1 < report.quality.seam_before
    begins = best[1].start - 5.0
    assert all(one.start >= begins for one in found(armature, name, first=begins))


def test_an_exact_walk_loops_after_each_of_its_cycles(fresh_file: None) -> None:
    """By its feet, which all land once; also if the character is a hundred times as large, or turned."""
    armature = stepper.biped()
    stepper.walk(armature, "Walk", 60)
    armature.scale, armature.rotation_euler = (100.0,) * 3, (0.0, 0.0, 1.0)
    bpy.context.view_layer.update()
    for one in found(armature, "Walk"):
        assert one.frames % stepper.FPS == 0.0
        assert (one.landings, one.cost) == (1, pytest.approx(0.0, abs=1e-3))


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"first": 300.0, "last": 400.0}, "lie outside"),
        ({"by_feet": False, "first": 35.0}, "fewer than the shortest loop"),
        ({"by_feet": False, "shortest_frames": 39.5, "longest_frames": 39.5}, "does the character move on"),
    ],
)
def test_a_loop_that_can_not_be_found_is_told(fresh_file: None, settings: dict[str, Any], words: str) -> None:
    armature = walkers.character()
    walkers.walk(armature, "Walk", "Hips", 0.4, 0.0)
    with pytest.raises(InertiaError, match=words):
        found(armature, "Walk", **settings)


def test_an_idle_loops_and_so_does_who_hangs_but_nobody_who_lifts_one_foot(fresh_file: None) -> None:
    armature = stepper.biped()
    frames = np.arange(1.0, 62.0)
    # its head nods a little less often than once in a second
    turns = [(float(f), (1.0, 0.0, 0.1 * math.sin(0.21 * f), 0.05 * math.sin(0.17 * f))) for f in frames]
    for name, height in (("Idle", 0.0), ("Hang", 0.8)):
        made = builders.action(name, slot=armature.name)
        builders.curves(made, builders.bone_path("head", "rotation_quaternion"), turns, slot="OBWalker")
        path = builders.bone_path("hips", "location")
        builders.curves(made, path, [(1.0, (0.0, height, 0.0)), (61.0, (0.0, height, 0.0))], slot="OBWalker")
        for one in found(armature, name):
            assert one.landings == 0
            assert one.frames > 0.85 * stepper.FPS
            assert one.cost < 0.05
    stepper.walk(armature, "Step", 20, skate=-stepper.STRIDE)
    with pytest.raises(InertiaError, match="switch Feet Land Equally off"):
        found(armature, "Step")


def test_a_fish_loops_without_legs(fresh_file: None) -> None:
    """A fish: a spine that bends to and fro, nearly as it did after each beat."""
    fish = builders.rig({"Head": None, "Body": "Head", "Tail": "Body"})
    made = builders.action("Swim")
    for i, bone in enumerate(("Head", "Body", "Tail")):
        fish.pose.bones[bone].rotation_mode = "XYZ"
        points = [(f, 0.3 * math.sin(2.0 * math.pi * f / 24.0 - i) + 0.0002 * f) for f in range(1, 101)]
        builders.curve(made, builders.bone_path(bone, "rotation_euler"), 2, points)
    clip = clip_store.read(fish, made)
    searched = finish(
        search.search_loop_steps(fish, clip, LoopSearch(), joints.named_weights(fish, "stored"))
    )
    (note,) = searched.notes
    assert note.startswith('No legs were found on "Rig"')
    (best,) = searched.best(1)
    assert (best.end - best.start) % 24.0 == 0.0
    assert best.landings == 0
    report = finish(bake.make_loop_steps(fish, LoopSettings("Swim", best.start, best.end)))
    assert report.quality is not None
    assert report.quality.seam < 1.1
