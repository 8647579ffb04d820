# SPDX-License-Identifier: GPL-3.0-or-later
"""Legs are posed but once on each frame of a clip, however many transitions look at it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender.data import clip_store, rigs
from inertia_addon.blender.feet import leg_choice
from inertia_addon.blender.feet.body import Body, KnownFeet
from inertia_addon.motion.feet.chains import RigLegs
from inertia_addon.motion.skeleton.posing import Posed
from inertia_addon.motion.steps import finish
from inertia_addon.settings.feet import Locking
from inertia_addon.settings.transition import TransitionSettings
from tests.blender import stepper

SHAPES = ("heads", "axes", "places", "sizes")


@pytest.fixture
def walking(fresh_file: None) -> tuple[Any, Any, Any]:
    """A biped, read, with two walks."""
    armature = stepper.biped()
    stepper.walk(armature, "Walk", frames=55)
    stepper.walk(armature, "Late", frames=70, late=0.2)
    ends = TransitionSettings("Walk", "Late", 25.0).ends()
    source, destination = finish(clip_store.read_named_steps(armature, ends))
    return armature, source, destination


def find_body(walking: tuple[Any, Any, Any], known: KnownFeet) -> Body:
    armature, *clips = walking
    knowledge = leg_choice.LegKnowledge(feet=known)
    return leg_choice.find_body(armature, rigs.read(armature), Locking(), None, clips, knowledge)


def assert_alike(posed: Posed, other: Posed) -> None:
    for name in SHAPES:
        assert np.allclose(getattr(posed, name), getattr(other, name), rtol=0.0, atol=1e-12), name
    assert posed.above.keys() == other.above.keys()
    for bone, axes in posed.above.items():
        assert np.allclose(axes, other.above[bone], rtol=0.0, atol=1e-12)


def test_legs_kept_by_frame_are_those_posed_anew(walking: tuple[Any, Any, Any]) -> None:
    body, drawn = find_body(walking, KnownFeet()), np.random.default_rng(3)
    for _ in range(20):
        side = int(drawn.integers(2))
        clip = walking[1 + side]
        first, count = drawn.integers(int(clip.start), int(clip.end) - 3), int(drawn.integers(1, 30))
        frames = np.arange(first, min(first + count, clip.end) + 1.0) + drawn.choice((0.0, 0.5))
        assert_alike(body.posed_alone(side, clip, frames), body.posed(clip, frames, changing=False))


def test_frames_of_a_clip_are_posed_but_once(
    walking: tuple[Any, Any, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    known, posed = KnownFeet(), []
    whole = RigLegs.posed

    def count_frames(self: RigLegs, values: Any, count: int) -> Posed:
        posed.append(count)
        return whole(self, values, count)

    monkeypatch.setattr(RigLegs, "posed", count_frames)
    for first in (1.0, 8.0, 4.0):
        # another body of the same legs, as of another transition
        find_body(walking, known).posed_alone(1, walking[2], np.arange(first, first + 20.0))
    assert sum(posed) == 27


def test_legs_that_can_be_locked_are_found_once_for_a_rig(walking: tuple[Any, Any, Any]) -> None:
    armature, *clips = walking
    rig, knowledge = rigs.read(armature), leg_choice.LegKnowledge(feet=KnownFeet())
    bodies = [leg_choice.find_body(armature, rig, Locking(), None, clips, knowledge) for _ in range(2)]
    assert bodies[0].legs is bodies[1].legs
    # other bones that take part may leave other legs
    left = {name for name in rig.bones.names if not name.endswith(".R")}
    assert len(leg_choice.find_body(armature, rig, Locking(), left, clips, knowledge).legs.legs) == 1
