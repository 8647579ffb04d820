# SPDX-License-Identifier: GPL-3.0-or-later
"""Clips that are looked at once for many verdicts on their transitions."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender.data import actions, compat
from inertia_addon.blender.judging import verdict
from inertia_addon.blender.judging.played import Footage
from inertia_addon.blender.judging.verdict import Verdict
from inertia_addon.blender.transition import bake
from inertia_addon.blender.transition.meeting import PlanOptions
from inertia_addon.motion.steps import finish
from inertia_addon.settings.transition import TransitionSettings
from tests.blender import builders, led_walker, stepper


def judged(
    armature: Any, footage: Footage | None, still: dict[Any, float] | None = None, **how: Any
) -> Verdict:
    asked = {"cut": 20.0, "destination_frame": 31.0, "feet": "OFF", "destination_cycle": "OFF", **how}
    settings = TransitionSettings("Walk", "Late", **asked)
    plan = finish(
        bake.plan_transition_steps(armature, settings, PlanOptions(footage=footage, constants=still))
    )
    return finish(verdict.of_played(plan.evidence))


def seen(armature: Any, footage: Footage | None, **how: Any) -> Verdict:
    """As :func:`judged`, of a plan that is only judged."""
    return judged(armature, footage, still={}, **how)


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
    alone = [(how, judged(armature, None, **how)) for how in CHANGES]
    for how, wanted in (*alone, *reversed(alone[:-2])):
        assert judged(armature, footage, **how) == wanted


def test_keys_are_read_once(fresh_file: None, monkeypatch: pytest.MonkeyPatch) -> None:
    armature, footage = walks(stepper.biped(), stepper.walk), Footage()
    first = judged(armature, footage)

    def read(*_: Any) -> None:
        raise AssertionError("the keys were read again")

    monkeypatch.setattr(actions, "read_clip_steps", read)
    assert judged(armature, footage) == first


def test_footage_outlives_the_curves_that_it_was_read_of(fresh_file: None) -> None:
    armature, footage = walks(stepper.biped(), stepper.walk), Footage()
    first = judged(armature, footage)
    for name in ("Walk", "Late"):
        action = bpy.data.actions[name]
        (slot,) = compat.slots(action)
        curves = actions.read(action, slot).curves
        compat.clear(action, [slot])
        bag = compat.new_bag(action, slot)
        for at, curve in curves.items():
            actions.write(bag, at, curve.keys, None)
    assert judged(armature, footage) == first


@pytest.mark.variants(1)
@pytest.mark.parametrize("feet", ["OFF", "AUTO", "LOCK"])
def test_a_verdict_after_a_change_has_blender_show_twenty_frames_at_most(fresh_file: None, feet: str) -> None:
    armature, footage = walks(led_walker.led(), led_walker.walk), Footage()
    seen(armature, footage, feet=feet)
    for how in ({"blend_frames": 24.0}, {"cut": 21.0, "destination_frame": 30.0}):
        with builders.frames_shown() as shown:
            told = seen(armature, footage, feet=feet, **how)
        assert len(shown) <= 20
        assert told == seen(armature, None, feet=feet, **how)
    # what is baked is what was judged
    assert told == judged(armature, None, feet=feet, **how)


def test_no_frame_of_a_clip_or_a_blend_is_shown_twice(fresh_file: None) -> None:
    armature = walks(led_walker.led(), led_walker.walk)
    with builders.frames_shown() as shown:
        seen(armature, Footage(), feet="LOCK", blend_frames=9.0)
    # of both clips what lies around the cut, of the blend each frame, and of locked feet four; the two that
    # meet are looked at by themselves, and the scene's own frame is gone back to
    clips = 43 + 70
    assert len(shown) <= clips + 9 + 4 + 2 + 1 + 6


def off(told: Verdict, full: Verdict) -> tuple[float, float]:
    """By which part the highest change of two verdicts differs, and by how much the lengths do, metres."""
    lengths = [(told.lift, full.lift), (told.reach, full.reach), (told.skate or 0.0, full.skate or 0.0)]
    change = abs(told.highest.size / full.highest.size - 1.0)
    return change, max(abs(one - other) for one, other in lengths)


@pytest.mark.variants(2)
@pytest.mark.parametrize("feet", ["OFF", "LOCK"])
@pytest.mark.parametrize(("blend", "cut"), [(9.0, 25.0), (12.0, 22.0), (16.0, 24.0), (24.0, 20.0)])
def test_a_few_frames_say_what_all_of_them_do(fresh_file: None, feet: str, blend: float, cut: float) -> None:
    armature = walks(led_walker.led(), led_walker.walk)
    how: dict[str, Any] = {"feet": feet, "blend_frames": blend, "cut": cut, "destination_frame": cut - 4.0}
    told = seen(armature, None, **how)
    settings = TransitionSettings("Walk", "Late", destination_cycle="OFF", **how)
    played = bake.plan_transition(armature, settings).evidence
    full = finish(verdict.of_played(dataclasses.replace(played, verdict=None, is_planned=False)))
    assert told.rating == full.rating
    if blend <= 16.0:
        # in a blend of a second this rig's legs get stretched, which tells less of the frames between
        change, length = off(told, full)
        # and so do locked feet, whose ways are eased between them, as no more than twenty frames are shown
        assert change < (0.05 if feet == "OFF" else 0.12)
        assert length < 0.005
