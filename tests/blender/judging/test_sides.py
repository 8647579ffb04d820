# SPDX-License-Identifier: GPL-3.0-or-later
"""Two clips and what joins them are judged as the transition is of which they are the sides."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender.data import clip_store
from inertia_addon.blender.evaluation.character import read_character
from inertia_addon.blender.judging import sides, verdict
from inertia_addon.blender.judging.sides import Side, Window
from inertia_addon.blender.transition import bake
from inertia_addon.motion.pops.teleports import Teleport
from inertia_addon.motion.steps import finish
from inertia_addon.settings.transition import TransitionSettings
from tests.blender import builders, stepper
from tests.blender.verdicts import assert_alike


@pytest.mark.parametrize("entry", [12.0, 31.0])
def test_a_join_is_judged_as_the_transition_that_makes_it(fresh_file: None, entry: float) -> None:
    armature = stepper.biped()
    stepper.walk(armature, "Walk", frames=55)
    stepper.walk(armature, "Late", frames=70, late=0.2)
    once: dict[str, Any] = {"source_cycle": "OFF", "destination_cycle": "OFF", "feet": "OFF"}
    settings = TransitionSettings("Walk", "Late", 20.0, entry, blend_frames=10.0, **once)
    plan = bake.plan_transition(armature, settings)
    played, told = plan.evidence, finish(verdict.of_played(plan.evidence))
    report = bake.write_plan(plan)
    shown = clip_store.read(armature, bpy.data.actions[report.result], report.slot)
    here, there = plan.clips
    around = 20.0 - 12.0, told.until + 12.0
    both = Side(here, 0.0, *around), Side(there, played.later, *around, np.asarray(played.motion))
    window = Window(20.0, *played.ends)

    def weights(frames: Any) -> Any:
        return verdict.weights_of(played.settings, played.fps, frames)

    join = finish(
        sides.judge_sides_steps(read_character(armature), both, shown, window, sides.ResultView(weights))
    )
    assert_alike(join, told)


@pytest.mark.parametrize(("index", "last"), [(0, 25.0), (1, 60.0)])
@pytest.mark.parametrize("first", [-9.0, 8.0])
def test_a_side_is_looked_at_up_to_a_teleport_of_what_is_left(
    armature: Any, index: int, last: float, first: float
) -> None:
    made = builders.action("Walk")
    builders.wave(made, builders.bone_path("A", "location"), 0, 1.0)
    clip = dataclasses.replace(clip_store.read(armature, made), teleports=(Teleport(20.0, 21.0, 3.0),))
    trimmed = sides._trim_to_teleports(read_character(armature), Side(clip, 5.0, first, 60.0), 17.0, index)
    low, _ = clip.beside_cut(12.0, index)
    assert (trimmed.first, trimmed.last) == (max(first, low + 5.0), last)
