# SPDX-License-Identifier: GPL-3.0-or-later
"""Rigs with many bones: entries and frames are found by few of them, and are those that all of them say."""

from __future__ import annotations

import dataclasses
import functools
import math
from typing import Any

import numpy as np
import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender.cost import candidates, costing
from inertia_addon.blender.cost.candidates import WantedPairs
from inertia_addon.blender.data import clip_store, scene
from inertia_addon.blender.evaluation import joints
from inertia_addon.blender.evaluation.character import read_character
from inertia_addon.blender.judging.played import Footage
from inertia_addon.blender.transition import clip_excerpts, entering, glances
from inertia_addon.blender.transition.meeting import PlanOptions
from inertia_addon.motion.steps import finish
from inertia_addon.settings.cost import Search
from inertia_addon.settings.transition import TransitionSettings
from tests.blender import builders, stepper

HAIR = 60
ASKED = TransitionSettings("Walk", "Late", 25.0, blend_frames=10.0, enter_at="AUTO")


@pytest.fixture
def hairy(fresh_file: None, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A biped with long hair, which swings otherwise in each of two walks."""
    monkeypatch.setattr(glances, "LEAST", HAIR)
    armature = stepper.biped()
    bpy.ops.object.mode_set(mode="EDIT")
    names = [f"hair {i}" for i in range(HAIR)]
    for i, name in enumerate(names):
        bone = armature.data.edit_bones.new(name)
        bone.parent = armature.data.edit_bones["head" if i % 6 == 0 else names[i - 1]]
        bone.head = (0.01 * (i // 6), 0.05, 1.6 - 0.1 * (i % 6))
        bone.tail = (0.01 * (i // 6), 0.05, 1.52 - 0.1 * (i % 6))
    bpy.ops.object.mode_set(mode="OBJECT")
    for clip, frames, late, fast in (("Walk", 45, 0.0, 0.3), ("Late", 50, 0.2, 0.9)):
        action = stepper.walk(armature, clip, frames=frames, late=late)
        at = np.arange(1.0, frames + 1.0)
        for i, name in enumerate(names[::3]):
            angle = 0.4 * np.sin(fast * at + i)
            turns = np.column_stack([np.cos(angle), np.sin(angle), 0.0 * at, 0.0 * at])
            rows = [*zip(at.tolist(), turns.tolist(), strict=True)]
            path = builders.bone_path(name, "rotation_quaternion")
            builders.curves(action, path, rows, interpolation="LINEAR", slot="OB" + armature.name)
    return armature


def skin(armature: Any) -> None:
    """Give an armature a mesh that its hair does not move."""
    mesh = bpy.data.meshes.new("Body")
    mesh.from_pydata([(0.0, 0.0, 1.0)] * 3, [], [(0, 1, 2)])
    body = bpy.data.objects.new("Body", mesh)
    bpy.context.scene.collection.objects.link(body)
    body.parent = armature
    body.modifiers.new("Armature", "ARMATURE").object = armature
    for bone in armature.data.bones:
        bone.use_deform = not bone.name.startswith("hair")
        if bone.use_deform:
            body.vertex_groups.new(name=bone.name).add([0, 1, 2], 1.0, "REPLACE")


def glance_of(armature: Any, settings: TransitionSettings) -> glances.Glance | None:
    source, destination = finish(clip_store.read_named_steps(armature, settings.ends()))
    clips = source, destination
    return glances.find_glance(
        read_character(armature), settings, clips, Footage(), clip_excerpts.still(clips)
    )


@pytest.mark.variants(2)
@pytest.mark.parametrize("is_skinned", [True, False])
@pytest.mark.parametrize(
    "asked",
    [
        {"destination_cycle": "ON"},
        {"destination_cycle": "OFF", "feet": "OFF"},
        {"destination_cycle": "OFF", "feet": "LOCK", "method": "CUBIC"},
    ],
)
def test_the_entry_is_that_of_all_bones(
    hairy: Any, monkeypatch: pytest.MonkeyPatch, *, is_skinned: bool, asked: dict[str, Any]
) -> None:
    if is_skinned:
        skin(hairy)
    settings = dataclasses.replace(ASKED, **asked)
    glance = glance_of(hairy, settings)
    assert glance is not None
    assert glance.is_whole == is_skinned
    found = finish(entering.entered(hairy, settings))
    monkeypatch.setattr(glances, "LEAST", math.inf)
    assert found == finish(entering.entered(hairy, settings))


@pytest.mark.parametrize("is_skinned", [True, False])
def test_the_verdict_at_a_glance_is_the_whole_one_or_no_worse(hairy: Any, *, is_skinned: bool) -> None:
    if is_skinned:
        skin(hairy)
    settings = dataclasses.replace(ASKED, feet="OFF")
    source, destination = finish(clip_store.read_named_steps(hairy, settings.ends()))
    glance, whole = glance_of(hairy, settings), PlanOptions(constants={})
    for cut, entry in ((20.0, 3.0), (20.0, 14.0), (27.0, 22.0)):
        asked = dataclasses.replace(settings, cut=cut, destination_frame=entry)
        judge = functools.partial(
            glances.glance_steps, read_character(hairy), asked, (source, destination), whole
        )
        seen, is_whole = finish(judge(glance))
        told, _ = finish(judge())
        assert seen.order <= told.order
        assert is_whole == is_skinned
        if is_whole:
            assert seen == told


@pytest.mark.parametrize(
    "asked",
    [
        {"method": "SPRING", "half_life": 4.0},
        {"match_lengths": True},
        {"blend_scales": (("hair 3", 2.0),)},
        {"step": 2},
        {"bones": ("head",)},
    ],
)
def test_a_glance_is_not_taken_where_other_bones_count(hairy: Any, asked: dict[str, Any]) -> None:
    assert glance_of(hairy, dataclasses.replace(ASKED, **asked)) is None


@pytest.mark.variants(1)
@pytest.mark.parametrize("is_skinned", [False, True])
@pytest.mark.parametrize("count", [1, 3])
def test_the_best_pairs_are_those_of_all_bones(
    hairy: Any, monkeypatch: pytest.MonkeyPatch, *, is_skinned: bool, count: int
) -> None:
    if is_skinned:
        skin(hairy)
    monkeypatch.setattr(candidates, "COUNT", 4)
    monkeypatch.setattr(candidates, "FORESEEN", 4)
    settings = dataclasses.replace(ASKED, feet="OFF", enter_at="FIRST")
    pair = costing.read_pair(hairy, settings)
    motions = finish(costing.motions(hairy, pair))
    weights = joints.named_weights(hairy, "found")
    compared = costing.compare(settings, pair.alignment, weights, motions, scene.fps())
    clips = finish(clip_store.read_named_steps(hairy, settings.ends()))
    asked = read_character(hairy), settings, clips, compared, Search(apart_frames=4.0), WantedPairs(count)
    whole = functools.partial(glances.glance_steps, read_character(hairy))
    judged_whole: list[float] = []

    def look(armature: Any, changed: TransitionSettings, *others: Any) -> Any:
        judged_whole.extend([changed.cut] if others[-1] is None else [])
        return (yield from whole(changed, *others))

    monkeypatch.setattr(glances, "glance_steps", look)
    found = finish(candidates.best(*asked))
    # where few bones say all nobody looks at others, else at those alone that may be the best
    assert len(judged_whole) == 0 if is_skinned else count <= len(judged_whole) < 8
    monkeypatch.setattr(glances, "LEAST", math.inf)
    assert found == finish(candidates.best(*asked))
