# SPDX-License-Identifier: GPL-3.0-or-later
"""Left to Inertia, feet are not locked where that makes a transition rougher, on rigs of all kinds."""

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
from tests.blender import builders, clips, led_walker, stepper

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


def hardest(armature: Any, plan: bake.Plan) -> float:
    """The highest change of bones' velocities from the cut on, m/s, as Blender plays what is baked: of any on
    a rig with constraints, else of all together, rms."""
    result = bpy.data.actions[bake.write_plan(plan).result]
    frames = np.arange(plan.settings.cut - 1.0, plan.settings.cut + 50.0)
    heads = builders.played(armature, result, frames)[:, :, :3, 3]
    changes = np.linalg.norm(np.diff(heads, 2, axis=0), axis=2) * bpy.context.scene.render.fps
    if any(len(bone.constraints) for bone in armature.pose.bones):
        return float(changes.max())
    return float(np.sqrt((changes**2).mean(axis=1)).max())


def bounded(armature: Any, cuts: list[tuple[float, float]], blend: float = 10.0) -> list[bool]:
    """Whether feet are locked at each cut, having seen that the bound holds."""
    locked = []
    for cut, entry in cuts:
        off, auto = (planned(armature, feet, cut, entry, blend) for feet in ("OFF", "AUTO"))
        assert hardest(armature, auto) <= 1.2 * hardest(armature, off) + 1e-3
        locked.append(bool(auto.feet.curves))
    return locked


def test_a_control_rig_that_stops_is_no_rougher_for_its_feet(fresh_file: None) -> None:
    armature = led_walker.led()
    led_walker.walk(armature, "Walk", frames=FRAMES)
    idle("Walk")
    bounded(armature, CUTS)
    cut, entry = CUTS[0]
    locked, auto = (planned(armature, feet, cut, entry) for feet in ("LOCK", "AUTO"))
    assert hardest(armature, locked) > 1.2 * hardest(armature, auto)
    (said,) = [note for note in auto.notes if "Feet are not locked" in note]
    assert "choose Lock to lock them all the same" in said
    # where they are locked, the report says until when they differ
    assert locked.feet.last > locked.slots[0].last_frame
    told = json.loads(json.dumps(finish(verdict.of_played(locked.played)).as_dict()))
    assert told["until"] == locked.feet.last


def test_a_plain_rig_that_stops_is_no_rougher_for_its_feet(fresh_file: None) -> None:
    armature = stepper.biped()
    stepper.walk(armature, "Walk", frames=FRAMES)
    idle("Walk")
    bounded(armature, CUTS)


def test_rigify_walks_to_an_idle_no_rougher_for_its_feet(rigify: Callable[..., Path]) -> None:
    bpy.ops.wm.open_mainfile(filepath=str(rigify("basic_human", "bare")))
    armature = bpy.data.objects["rig"]
    led_walker.walk(armature, "Walk", frames=FRAMES, hips="torso", step="foot_ik")
    idle("Walk")
    bounded(armature, CUTS[1:2])


def test_feet_are_still_locked_where_that_is_smooth(fresh_file: None) -> None:
    armature = stepper.biped()
    stepper.walk(armature, "Walk", frames=FRAMES)
    stepper.walk(armature, "Idle", frames=70, late=0.2)
    assert bounded(armature, [(25.0, 9.0), (25.0, 20.0), (30.0, 26.0)], blend=4.0) == [True, True, False]
