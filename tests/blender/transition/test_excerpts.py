# SPDX-License-Identifier: GPL-3.0-or-later
"""What helps a transition of long clips is judged around where they meet, and comes out as by all of them."""

from __future__ import annotations

import dataclasses
from typing import Any

import bpy
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inertia_addon.blender.data import actions, clip_store, rigs
from inertia_addon.blender.evaluation import joint_motion
from inertia_addon.blender.judging import remedies, verdict
from inertia_addon.blender.judging.remedies import Remedy
from inertia_addon.blender.transition import bake, clip_excerpts
from inertia_addon.motion.steps import finish
from inertia_addon.settings.transition import TransitionSettings
from tests.blender import stepper
from tests.blender.examples import FEW

FRAMES = 520
"""Longer than what is looked at, and no whole number of steps."""


@pytest.fixture(autouse=True)
def half_as_much(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have long clips be a quarter as long."""
    monkeypatch.setattr(clip_excerpts, "AROUND_SECONDS", 0.5 * clip_excerpts.AROUND_SECONDS - 0.5)
    monkeypatch.setattr(clip_excerpts, "TIMES", 0.5 * clip_excerpts.TIMES)


def long_walks() -> Any:
    armature = stepper.biped()
    stepper.walk(armature, "Walk", frames=FRAMES)
    stepper.walk(armature, "Stroll", frames=FRAMES + 7, late=0.3, skate=-0.2)
    return armature


def helped(armature: Any, settings: TransitionSettings) -> tuple[str, tuple[Remedy, ...]]:
    plan = bake.plan_transition(armature, settings)
    told = finish(verdict.of_played(plan.evidence))
    return told.rating, finish(bake.find_remedies_steps(plan, told))


@pytest.mark.variants(1)
@pytest.mark.parametrize(
    ("cut", "entry", "more"),
    [
        (270.0, 187.0, {}),
        (500.0, 14.0, {}),
        (270.0, 187.0, {"feet": "AUTO", "method": "SPRING"}),
        (40.0, 400.0, {"feet": "LOCK", "blend_frames": 30.0}),
    ],
    ids=["in the middle", "into the beginning", "with springs", "from the beginning"],
)
def test_long_clips_are_helped_as_by_all_of_their_keys(
    fresh_file: None, monkeypatch: pytest.MonkeyPatch, cut: float, entry: float, more: dict[str, Any]
) -> None:
    armature = long_walks()
    settings = TransitionSettings("Walk", "Stroll", cut, destination_frame=entry, **{"feet": "OFF", **more})
    seen: list[float] = []
    planning_clips = bake.plan_clips_steps

    def looked(armature: Any, settings: Any, source: Any, *rest: Any, **others: Any) -> Any:
        seen.append(source.end - source.start)
        return planning_clips(armature, settings, source, *rest, **others)

    monkeypatch.setattr(bake, "plan_clips_steps", looked)
    if not more:
        # a few changes of each kind help here, and all of them take long
        trying = remedies.find_helping_steps
        few = remedies.PLAYED
        monkeypatch.setattr(
            remedies, "find_helping_steps", lambda *asked: trying(*asked[:4], few, *asked[5:])
        )
    near = helped(armature, settings)
    assert min(seen) < 0.5 * FRAMES
    monkeypatch.setattr(clip_excerpts, "TIMES", np.inf)
    seen.clear()
    whole = helped(armature, settings)
    assert min(seen) > FRAMES - 2.0
    assert near[0] == whole[0] != "GOOD"
    assert near[1]
    assert [(each.kind, each.settings) for each in near[1]] == [
        (each.kind, each.settings) for each in whole[1]
    ]
    for each, other in zip(near[1], whole[1], strict=True):
        assert each.verdict.rating == other.verdict.rating
        assert each.verdict.total == pytest.approx(other.verdict.total, abs=1e-6)


def test_a_blend_time_is_suggested_as_by_all_keys(fresh_file: None, monkeypatch: pytest.MonkeyPatch) -> None:
    armature = long_walks()
    settings = TransitionSettings("Walk", "Stroll", 270.0, destination_frame=187.0, feet="OFF")
    asked = dataclasses.replace(settings, suggest_blend_time=True)
    near = bake.plan_transition(armature, asked).settings
    monkeypatch.setattr(clip_excerpts, "TIMES", np.inf)
    assert bake.plan_transition(armature, asked).settings == near
    assert near.root == settings.root
    assert near.blend_frames != settings.blend_frames


@pytest.fixture(scope="module")
def walker() -> Any:
    """The armature with both clips, in a file of its own."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    return long_walks()


@FEW
@given(first=st.floats(-20.0, 700.0), lasts=st.floats(1.0, 300.0))
def test_a_part_shows_what_the_whole_does(walker: Any, first: float, lasts: float) -> None:
    clip = clip_store.read(walker, actions.find("Walk"))
    part = clip_excerpts.shortened(clip, first, first + lasts)
    assert part.start >= clip.start
    assert part.end <= clip.end
    if part.end < part.start:
        return
    frames = np.linspace(part.start, part.end, 9)
    shown, wanted = (
        joint_motion.tracks(rigs.read(walker), each.curves, frames, each.unkeyed) for each in (part, clip)
    )
    for address, values in wanted.items():
        np.testing.assert_allclose(shown[address], values, atol=1e-6)
