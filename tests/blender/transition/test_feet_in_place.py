# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet of who walks in place, locked on the ground that passes below them, as Blender plays what was made."""

from __future__ import annotations

import dataclasses
import itertools
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender.judging import verdict
from inertia_addon.blender.transition import bake
from inertia_addon.errors import InertiaError
from inertia_addon.motion.steps import finish
from inertia_addon.settings.transition import TransitionSettings
from tests.blender import builders, clips, stepper

Array = NDArray[np.float64]

CUT, ENTRY, QUICK = 30.0, 13.0, 0.75
FASTER = stepper.STRIDE / QUICK
"""How fast the ground passes below who steps in three quarters of the time, metres a second."""


@pytest.fixture
def armature(fresh_file: None) -> Any:
    """A biped with two walks in place."""
    armature = stepper.biped()
    stepper.walk(armature, "Walk", frames=73, skate=-stepper.STRIDE)
    stepper.walk(armature, "Late", frames=145, skate=-stepper.STRIDE, late=0.2)
    return armature


def settings(**how: Any) -> TransitionSettings:
    once = {"source_cycle": "OFF", "destination_cycle": "OFF", "blend_frames": 12.0, "assign": False}
    return TransitionSettings("Walk", "Late", CUT, ENTRY, **{**once, "destination_scale": QUICK, **how})


def balls(armature: Any, action: str, frames: Array) -> Array:
    """Where the heads of both toes are (n, 2, 3), as Blender plays an action."""
    toes = [armature.pose.bones.find(name) for name in ("toe.L", "toe.R")]
    return builders.played(armature, bpy.data.actions[action], frames)[:, toes][..., :3, 3]


@pytest.mark.variants(1)
@pytest.mark.parametrize("heading", [0.0, 2.1])
def test_planted_feet_go_with_the_ground_from_one_speed_to_the_other(armature: Any, heading: float) -> None:
    armature.rotation_euler = (0.0, 0.0, heading)
    bpy.context.view_layer.update()
    plan = bake.plan_transition(armature, settings(feet="LOCK"))
    result = bake.write_plan(plan).result
    window = plan.slots[0].last_frame
    # who walks along -Y has the ground pass along Y
    along = np.array([-np.sin(heading), np.cos(heading), 0.0])
    steps = 0
    for foot, spans in plan.feet.holds.items():
        side = ("foot.L", "foot.R").index(foot)
        for first, last in spans:
            frames = np.arange(first, last + 1.0)
            speeds = np.diff(balls(armature, result, frames)[:, side], axis=0) * stepper.FPS
            np.testing.assert_allclose(speeds - (speeds @ along)[:, None] * along, 0.0, atol=1e-3)
            passing = speeds @ along
            assert (np.diff(passing) > -1e-3).all()
            assert (passing > stepper.STRIDE - 1e-3).all()
            np.testing.assert_allclose(passing[frames[:-1] >= window], FASTER, rtol=2e-3)
            steps += len(passing)
    assert steps > 8


def test_locked_feet_skate_no_further_than_in_the_clips(armature: Any) -> None:
    free, locked = (
        finish(
            verdict.of_played(
                bake.plan_transition(armature, settings(feet=feet, destination_scale=0.5)).evidence
            )
        )
        for feet in ("OFF", "LOCK")
    )
    assert free.skate is not None
    assert locked.skate is not None
    assert free.skate > 0.1
    assert locked.skate < 0.02


def test_a_foot_that_hangs_on_no_shin_stands_where_it_is_held(data_dir: Path) -> None:
    # its feet are baked beside its shins, and half a step apart the blend has them far from these
    armature, names = clips.load("RobotExpressive", data_dir)
    # some Blenders name each object's part of a clip by the object, too
    run, walk = (next(name for name in names if name.startswith(clip)) for clip in ("Running", "Walking"))
    asked = TransitionSettings(run, walk, 17.0, 20.0, blend_frames=40.0, assign=False)
    free, locked = (
        finish(
            verdict.of_played(bake.plan_transition(armature, dataclasses.replace(asked, feet=feet)).evidence)
        ).skate
        for feet in ("OFF", "LOCK")
    )
    assert free is not None
    assert locked is not None
    assert locked < 0.05 * free


def test_no_foot_is_locked_where_no_steady_ground_fits(armature: Any) -> None:
    attack = bpy.data.actions["Late"]
    curve = builders.by_address(attack)['pose.bones["hips"].location', 2]
    for key in curve.keyframe_points:
        key.co.y += 0.3 * np.sin(0.9 * key.co.x)
    curve.update()
    for feet in ("AUTO", "LOCK"):
        plan = bake.plan_transition(armature, settings(feet=feet))
        assert not plan.feet.curves
        assert plan.notes[0] == 'Feet are not locked, as no steady ground fits those of "Late".'
        assert finish(verdict.of_played(plan.evidence)).skate is None


@pytest.mark.variant_of(
    "tests/blender/feet/test_automatic.py::test_a_plain_rig_is_locked_where_that_looks_better"
)
@pytest.mark.parametrize("name", ["RobotExpressive", "pab", "cmu127"])
def test_automatic_is_what_the_judge_prefers(name: str, data_dir: Path) -> None:
    armature, names = clips.load(name, data_dir)
    chance = random.Random(f"{name} 11")
    long = [n for n in names if np.ptp(bpy.data.actions[n].frame_range) > 12.0]
    judged = 0
    for i, (source, destination) in enumerate(chance.sample([*itertools.permutations(long, 2)], 3)):
        spans = [bpy.data.actions[n].frame_range for n in (source, destination)]
        cut, entry = (float(chance.randint(int(a) + 1, int(b) - 6)) for a, b in spans)
        blend = {"blend_frames": (6.0, 12.0, 24.0, 40.0)[i % 4], "assign": False}
        asked = TransitionSettings(source, destination, cut, entry, **blend)
        try:
            plans = [
                bake.plan_transition(armature, dataclasses.replace(asked, feet=feet))
                for feet in ("OFF", "LOCK", "AUTO")
            ]
        except InertiaError:
            continue
        free, locked, automatic = (finish(verdict.of_played(plan.evidence)).order for plan in plans)
        assert automatic == min(free, locked)
        judged += 1
    assert judged
