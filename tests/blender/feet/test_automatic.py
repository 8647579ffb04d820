# SPDX-License-Identifier: GPL-3.0-or-later
"""Left to Inertia, feet are locked where that looks better, and only there, on rigs of all kinds."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender.judging import verdict
from inertia_addon.blender.transition import bake
from inertia_addon.motion.steps import finish
from inertia_addon.settings.transition import TransitionSettings
from tests.blender import clips, led_walker, stepper

Array = NDArray[np.float64]

CUTS = [(20.0, 5.0), (26.0, 5.0), (33.0, 5.0)]
FRAMES = 60


def idle(of: str) -> None:
    """An action that stands as another one does at a frame, breathing."""
    made = bpy.data.actions[of].copy()
    made.name = "Idle"
    for curve in clips.all_curves(made):
        value = curve.evaluate(7.0)
        for point in curve.keyframe_points:
            point.co[1] = value + 0.002 * np.sin(point.co[0] / 8.0)
        curve.update()


def planned(armature: Any, feet: str, cut: float, entry: float, blend: float = 10.0) -> bake.Plan:
    once = {"source_cycle": "OFF", "destination_cycle": "OFF", "blend_frames": blend, "assign": False}
    return bake.plan_transition(armature, TransitionSettings("Walk", "Idle", cut, entry, feet=feet, **once))


def verdict_of(plan: bake.Plan) -> verdict.Verdict:
    return finish(verdict.of_played(plan.evidence))


def chosen(armature: Any, cuts: list[tuple[float, float]], blend: float = 10.0) -> list[bool]:
    """Whether feet are locked at each cut, having seen that this looks better, or else worse."""
    locks = []
    for cut, entry in cuts:
        plans = {feet: planned(armature, feet, cut, entry, blend) for feet in ("OFF", "LOCK", "AUTO")}
        free, locked, automatic = (verdict_of(plan).order for plan in plans.values())
        assert automatic == min(free, locked)
        locks.append(bool(plans["AUTO"].feet.holds))
        assert locks[-1] == (locked < free)
    return locks


def test_a_control_rig_is_locked_where_that_looks_better(fresh_file: None) -> None:
    armature = led_walker.led()
    led_walker.walk(armature, "Walk", frames=FRAMES)
    idle("Walk")
    chosen(armature, CUTS[1:2])
    locked = planned(armature, "LOCK", *CUTS[0])
    # where they are locked, the report says until when they differ
    assert locked.feet.last > locked.slots[0].last_frame
    told = json.loads(json.dumps(verdict_of(locked).as_dict()))
    assert told["until"] == locked.feet.last


@pytest.mark.variant_of(
    "tests/blender/feet/test_automatic.py::test_a_control_rig_is_locked_where_that_looks_better"
)
def test_rigify_is_locked_where_that_looks_better(rigify: Callable[..., Path]) -> None:
    bpy.ops.wm.open_mainfile(filepath=str(rigify("basic_human", "bare")))
    armature = bpy.data.objects["rig"]
    led_walker.walk(armature, "Walk", frames=FRAMES, hips="torso", step="foot_ik")
    idle("Walk")
    chosen(armature, CUTS[:1])


def test_a_plain_rig_is_locked_where_that_looks_better(fresh_file: None) -> None:
    armature = stepper.biped()
    stepper.walk(armature, "Walk", frames=FRAMES)
    idle("Walk")
    assert any(chosen(armature, CUTS[1:]))
    # a walk that goes on as itself needs nothing
    bpy.data.actions["Idle"].name = "Still"
    bpy.data.actions["Walk"].copy().name = "Idle"
    assert not any(chosen(armature, [(25.0, 25.0)]))
