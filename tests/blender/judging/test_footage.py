# SPDX-License-Identifier: GPL-3.0-or-later
"""Clips that are looked at once for many verdicts on their transitions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender.judging import verdict
from inertia_addon.blender.judging.footage import Footage
from inertia_addon.blender.judging.verdict import Verdict
from inertia_addon.blender.transition import bake
from inertia_addon.motion.steps import finish
from inertia_addon.settings.transition import TransitionSettings
from tests.blender import builders, led_walker, stepper


def judged(armature: Any, footage: Footage | None, **how: Any) -> Verdict:
    asked = {"cut": 20.0, "destination_frame": 31.0, "feet": "OFF", "destination_cycle": "OFF", **how}
    settings = TransitionSettings("Walk", "Late", **asked)
    plan = finish(bake.planning(armature, settings, footage=footage))
    return finish(verdict.of_played(plan.played))


def walks(armature: Any, walk: Callable[..., Any]) -> Any:
    walk(armature, "Walk", frames=55)
    walk(armature, "Late", frames=70, late=0.2)
    return armature


CHANGES: tuple[dict[str, Any], ...] = (
    {"blend_frames": 6.0},
    {"blend_frames": 17.5},
    {"cut": 24.25},
    {"destination_frame": 12.0, "blend_frames": 25.0},
    {"feet": "AUTO"},
    {"feet": "LOCK"},
)


def test_a_verdict_is_the_same_whatever_was_looked_at_before(fresh_file: None) -> None:
    armature, footage = walks(stepper.biped(), stepper.walk), Footage()
    for how in (*CHANGES, *reversed(CHANGES)):
        assert judged(armature, footage, **how) == judged(armature, None, **how)


def test_after_a_change_blender_shows_twenty_frames_at_most(fresh_file: None) -> None:
    armature, footage = walks(led_walker.led(), led_walker.walk), Footage()
    judged(armature, footage, blend_frames=6.0)
    for frames in (10.0, 24.0, 8.0):
        with builders.frames_shown() as shown:
            told = judged(armature, footage, blend_frames=frames)
        assert len(shown) <= 20
        assert told == judged(armature, None, blend_frames=frames)
