# SPDX-License-Identifier: GPL-3.0-or-later
"""A baked hop: it blends as bakes of one transition after the other do, and it remembers its recipe."""

from __future__ import annotations

import dataclasses
from typing import Any

import bpy
import numpy as np
import pytest

from inertia_addon.blender.data import clip_store, recipe
from inertia_addon.blender.evaluation import joints
from inertia_addon.blender.evaluation.character import read_character
from inertia_addon.blender.hops import bake as hop_bake
from inertia_addon.blender.hops import search as hops
from inertia_addon.blender.hops import table
from inertia_addon.blender.hops.search import FoundHop
from inertia_addon.blender.results import update
from inertia_addon.blender.transition import bake
from inertia_addon.blender.transition.meeting import PlanOptions
from inertia_addon.errors import InertiaError
from inertia_addon.motion.steps import finish
from inertia_addon.settings.hops import HopSettings
from inertia_addon.settings.transition import TransitionSettings
from tests.blender import clips, wanderer
from tests.blender.transition.test_chain import keys_of


@pytest.fixture
def armature() -> Any:
    return wanderer.with_clips()


def settings_of(**values: Any) -> HopSettings:
    once = {"source_cycle": "OFF", "destination_cycle": "OFF", "feet": "OFF", "assign": False}
    transition = TransitionSettings("Walk", "Turn", 8.0, blend_frames=6.0, result="Over", **once)
    return HopSettings(
        transition, clips=("Bend",), find_cycles=False, longest_stay=5, blends=(6,), weight=0.0, **values
    )


def best(armature: Any, settings: HopSettings) -> FoundHop:
    weights = joints.named_weights(armature, "found")
    (way, *_), _ = finish(hops.ranked(finish(hops.prepare(armature, settings, weights)), 1))
    return way


def test_a_baked_hop_remembers_its_recipe_and_a_failed_one_leaves_nothing(armature: Any) -> None:
    settings = settings_of()
    way = best(armature, settings)
    known = {action.name for action in bpy.data.actions}
    broken = dataclasses.replace(way, stays=(way.stays[0], 100_000))
    with pytest.raises(InertiaError, match="lies outside"):
        hop_bake.bake_hop(armature, settings, broken)
    assert {action.name for action in bpy.data.actions} == known
    result = bpy.data.actions[hop_bake.bake_hop(armature, settings, way).result]
    assert recipe.is_baked(result, recipe.HOP)
    assert not recipe.is_baked(result, recipe.RECIPE)
    assert "Over" not in [clip.action.name for clip in clip_store.library(armature)[0]]
    before = clips.contents(result)
    bpy.data.actions[way.clips[0]].name = "Renamed"
    again = finish(update.update_steps(armature, result))
    assert again.result == "Over"
    assert clips.contents(bpy.data.actions["Over"]) == before


@pytest.mark.parametrize("fade", ["CROSS_FADE", "INERTIALIZED"])
def test_blends_of_a_hop_are_as_if_each_were_baked_from_the_former(armature: Any, fade: str) -> None:
    settings = settings_of(fade=fade)
    way = best(armature, settings)
    stock = hop_bake.stock_of(read_character(armature), settings, way)
    source: dict[str, Any] = {}
    steps = hop_bake.steps_of(settings, way, stock)
    for step in steps:
        own = dataclasses.replace(
            hop_bake.settings_of(settings, stock, step, last=step is steps[-1]), **source
        )
        slow = bake.bake_transition(
            armature, own, options=PlanOptions(cross_fade=settings.fade == "CROSS_FADE")
        )
        source = {"source": slow.result, "source_slot": slow.slot, "source_cycle": "OFF"}
    report = hop_bake.bake_hop(armature, settings, way)
    expected, found = (keys_of(bpy.data.actions[one]) for one in (slow.result, report.result))
    assert found.keys() == expected.keys()
    for channel, points in expected.items():
        np.testing.assert_allclose(found[channel], points, atol=1e-6, err_msg=str(channel))
    assert report.last.keys == slow.keys


def test_a_table_names_its_clips_with_the_frames_that_they_have(armature: Any) -> None:
    settings = settings_of()
    prepared = finish(hops.prepare(armature, settings, joints.named_weights(armature, "found")))
    own = (settings.transition.source, settings.transition.destination)
    held = table.contents(prepared, [(*own, finish(hops.table(prepared)))])
    told = {clip["name"]: (clip["first_frame"], clip["frames"]) for clip in held["about"]["clips"]}
    spans = {name: bpy.data.actions[name].frame_range for name in (*own, "Bend")}
    assert told == {name: (first, last - first + 1.0) for name, (first, last) in spans.items()}
    rows = len(held["table"])
    assert held["about"]["pairs"][0]["rows"] == [0, rows]
    assert [len(held[name]) for name in ("cost", "direct", "blends")] == [rows] * 3
