# SPDX-License-Identifier: GPL-3.0-or-later
"""Verdicts on plans, held against what Blender then plays of the baked results."""

from __future__ import annotations

import dataclasses
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender.data import compat, rigs, scene
from inertia_addon.blender.judging import verdict
from inertia_addon.blender.judging.verdict import Fault, Verdict
from inertia_addon.blender.transition import bake
from inertia_addon.motion.judging import faults
from inertia_addon.motion.steps import finish
from inertia_addon.settings.transition import TransitionSettings
from tests.blender import builders, led_walker, stepper

Array = NDArray[np.float64]

CUT, ENTRY = 20.0, 31.0


@pytest.fixture
def armature(fresh_file: None) -> Any:
    """A biped with two walks, the feet of which are planted at other times."""
    armature = stepper.biped()
    stepper.walk(armature, "Walk", frames=55)
    stepper.walk(armature, "Late", frames=70, late=0.2)
    return armature


def settings(**how: Any) -> TransitionSettings:
    once = {"source_cycle": "OFF", "destination_cycle": "OFF", "blend_frames": 10.0, "feet": "OFF"}
    return TransitionSettings("Walk", "Late", CUT, ENTRY, **{**once, **how})


def judged(armature: Any, asked: TransitionSettings) -> tuple[bake.Plan, Verdict]:
    plan = bake.plan_transition(armature, asked)
    return plan, finish(verdict.of_played(plan.evidence))


def shown(armature: Any, plan: bake.Plan, frames: Array) -> Array:
    """Where Blender has the heads of all bones (frames, bones, 3) in the baked result, metres."""
    report = bake.write_plan(plan)
    compat.assign(armature, bpy.data.actions[report.result], report.slot)
    found = []
    for frame in frames.tolist():
        bpy.context.scene.frame_set(int(np.floor(frame)), subframe=frame % 1.0)
        posed = armature.evaluated_get(bpy.context.evaluated_depsgraph_get())
        found.append([posed.matrix_world @ bone.head for bone in posed.pose.bones])
    return np.array(found) * scene.metres_per_unit()


def change(positions: Array, fps: float) -> float:
    """The change of velocity in the middle of three frames, rms over the bones."""
    jump = positions[2] - 2.0 * positions[1] + positions[0]
    return float(np.sqrt(np.mean(np.sum(jump**2, axis=-1)))) * fps


@pytest.mark.variants(3)
@pytest.mark.parametrize("rate", [24, 120])
@pytest.mark.parametrize("how", [{}, {"method": "CUBIC"}, {"feet": "LOCK"}])
def test_changes_of_velocity_are_what_blender_plays(armature: Any, how: dict[str, Any], rate: int) -> None:
    bpy.context.scene.render.fps = rate
    plan, told = judged(armature, settings(**how))
    around = CUT + np.array([-1.0, 0.0, 1.0])
    assert told.pop.size == pytest.approx(change(shown(armature, plan, around), rate), rel=1e-3)


def test_skating_is_what_blender_plays(armature: Any) -> None:
    plan, told = judged(armature, settings())
    frames = np.arange(CUT, told.until + 0.25, 0.5)
    names = armature.data.bones.keys()
    toes = shown(armature, plan, frames)[:, [names.index(f"toe.{side}") for side in "LR"]]
    size = rigs.read(armature).size
    # both walks are on flat ground
    above = 0.5 * (toes[1:, :, 2] + toes[:-1, :, 2]) - 0.02
    weights = np.clip(2.0 - 2.0 ** (above / (0.01 * size)), 0.0, 1.0)
    skated = (np.linalg.norm(np.diff(toes[..., :2], axis=0), axis=-1) * weights).sum(axis=0)
    assert told.skate == pytest.approx(skated.max(), rel=0.03)
    assert told.skate > 0.05


@pytest.mark.parametrize("method", ["SPRING", "QUINTIC", "DEAD_BLENDING"])
def test_the_ground_passes_as_below_the_source_and_then_as_below_the_destination(method: str) -> None:
    here, there = np.array([1.0, 0.5]), np.array([3.0, -0.5])
    played: Any = SimpleNamespace(settings=settings(method=method), fps=24.0, motion=np.eye(4))
    frames = np.arange(CUT - 24.0, CUT + 97.0)
    rates = np.diff(verdict.passed(played, (here, there), frames), axis=0) * 24.0
    np.testing.assert_allclose(rates[:24], np.tile(here, (24, 1)), atol=1e-6)
    np.testing.assert_allclose(rates[-24:], np.tile(there, (24, 1)), atol=1e-2)
    assert np.all(np.diff(rates[:, 0]) > -1e-6)
    np.testing.assert_allclose(verdict.passed(played, (here, there), np.array([CUT])), 0.0, atol=1e-9)


def test_a_verdict_says_what_a_lock_is_for_where_feet_skate(armature: Any) -> None:
    _, free = judged(armature, settings())
    assert free.skate
    none, half = dataclasses.replace(free, skate=None), dataclasses.replace(free, skate=0.5 * free.skate)
    (said,) = verdict.of_locked(free, half)
    before, now = map(scene.length_text, (free.skate, 0.5 * free.skate))
    assert f"unlocked, a foot would skate {before}, now {now}" in str(said)
    assert verdict.of_locked(none, half) == verdict.of_locked(free, none) == ()
    # of another foot, or for what else is seen
    (said,) = verdict.of_locked(free, free)
    assert f"the one that skates most still goes {before}; up to frame" in str(said)


@pytest.mark.variants(1)
@pytest.mark.parametrize("scale", [0.01, 3.0])
def test_a_character_that_is_small_or_turned_is_judged_alike(armature: Any, scale: float) -> None:
    _, before = judged(armature, settings(method="CUBIC"))
    armature.scale, armature.rotation_euler, armature.location = (
        (scale,) * 3,
        (0.0, 0.0, 2.0),
        (5.0, 1.0, 0.0),
    )
    bpy.context.view_layer.update()
    _, after = judged(armature, settings(method="CUBIC"))
    assert after.rating == before.rating
    # the size is that of a box along the axes of the world
    assert after.total == pytest.approx(before.total, rel=0.03)
    for name in ("skate", "lift", "reach"):
        assert getattr(after, name) == pytest.approx(
            scale * getattr(before, name), rel=0.02, abs=1e-6 * scale
        )
    assert [(f.kind, f.bone, f.frame) for f in after.faults] == [
        (f.kind, f.bone, f.frame) for f in before.faults
    ]


@pytest.mark.variant_of(
    "tests/blender/feet/test_automatic.py::test_a_plain_rig_is_locked_where_that_looks_better"
)
def test_automatic_is_the_better_one(armature: Any) -> None:
    for cut, entry in ((8.0, 12.0), (14.5, 31.0), (26.0, 12.0)):
        asked = dataclasses.replace(settings(), cut=cut, destination_frame=entry)
        free, locked, auto = (
            judged(armature, dataclasses.replace(asked, feet=feet))[1] for feet in ("OFF", "LOCK", "AUTO")
        )
        assert auto.order <= free.order
        # locked feet may end later, and are then looked at for longer
        assert auto.rating in (min(free, locked, key=lambda told: told.order).rating, free.rating)


def test_a_foot_is_called_by_its_side(armature: Any) -> None:
    _, told = judged(armature, settings())
    skates = [fault for fault in told.faults if fault.kind == faults.SKATE]
    assert skates
    for fault in skates:
        side = {"toe.L": "the left foot", "toe.R": "the right foot"}[fault.bone]
        assert verdict.words(fault).startswith(f"{side} skates ")
        assert f" around {fault.frame:g}, " in verdict.words(fault)


def test_a_clip_that_goes_on_from_its_first_frame_has_no_fault(armature: Any) -> None:
    asked = dataclasses.replace(settings(), destination="Walk", cut=1.0, destination_frame=1.0)
    _, told = judged(armature, asked)
    assert (told.rating, told.faults) == (faults.GOOD, ())
    assert verdict.sentences(told) == ["Good: no fault is seen."]


def test_a_rig_that_blender_plays_is_judged_on_few_frames(
    fresh_file: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    armature = led_walker.led()
    led_walker.walk(armature, "Walk", frames=55)
    led_walker.walk(armature, "Late", frames=70, late=0.2)
    plan, told = judged(armature, settings())
    assert told.skate is not None
    around = CUT + np.array([-1.0, 0.0, 1.0])
    seen = [armature.data.bones.find(name) for name in stepper.BONES]
    assert told.pop.size == pytest.approx(change(shown(armature, plan, around)[:, seen], plan.fps), rel=1e-3)


@pytest.mark.variants(1)
@pytest.mark.parametrize("switch", [False, True])
@pytest.mark.parametrize("blend", [10.0, 24.0])
def test_a_leg_with_ik_switched_on_is_judged_by_what_blender_plays(
    fresh_file: None, *, switch: bool, blend: float
) -> None:
    """Whatever the controls do, which nobody sees."""
    armature = led_walker.led(switch=switch)
    actions = stepper.walk(armature, "Walk", 55), led_walker.walk(armature, "Late", 70, late=0.2)
    for action, value in zip(actions, (0.0, 1.0), strict=True):
        for side in led_walker.SIDES:
            paths = [
                f'pose.bones["{bone}{side}"].constraints["{constraint}"].influence'
                for bone, constraint in (("shin", "IK"), ("foot", "Copy Rotation"))
            ]
            for path in [led_walker.SWITCH.format(side=side)] if switch else paths:
                builders.curves(action, path, [(1, (value,))], slot="OB" + armature.name)
    plan, told = judged(armature, settings(blend_frames=blend))
    positions = shown(armature, plan, CUT + np.arange(-2.0, blend + 3.0))
    seen = [armature.data.bones.find(name) for name in stepper.BONES]
    of_leg = [change(positions[i : i + 3][:, seen], plan.fps) for i in range(len(positions) - 2)]
    assert told.highest.size == pytest.approx(max(of_leg), rel=0.15)
    assert not any(fault.bone.startswith(("step", "aim")) for fault in told.faults)


def test_joints_are_called_by_what_they_are(armature: Any) -> None:
    plan = bake.plan_transition(armature, settings())
    seen = verdict.see_transition(plan.evidence)
    called = {
        seen.names[joint]: verdict.PARTS.get(part, part[0])
        for joint, part in verdict.name_parts(seen).items()
    }
    assert called["hips"] == verdict.HIPS
    for side, word in ((".L", "left"), (".R", "right")):
        for bone, part in (("thigh", "hip"), ("shin", "knee"), ("foot", "foot"), ("toe", "toe")):
            assert called[bone + side] == f"the {word} {part}"


@pytest.mark.parametrize(
    ("fault", "text"),
    [
        (Fault(faults.SKATE, 0.04, 0.01, 1.5, "toe.L", "LEFT", 18.0), "around 18, the clips 1 cm"),
        (Fault(faults.SKATE, 0.04, 0.0, 1.5, "toe.L", "LEFT", 18.0), "where it stands in the clips"),
        (
            Fault(faults.SNAP, 2.0, 1.0, 1.2, "shin.L", "LEFT", 18.0, "KNEE"),
            "the left knee snaps at 18, 2.0 times",
        ),
        (
            Fault(faults.BEND, 0.5, 0.2, 1.2, "fore.R", "RIGHT", 18.0, "ELBOW"),
            "the right elbow snaps by 29° in two",
        ),
        (Fault(faults.POP, 2.0, 1.0, 1.2, "hips", "", 18.0, "HIPS"), "the hips pop at 18, 2.0 times as hard"),
        (Fault(faults.POP, 2.0, 1.0, 1.2, "tail.03", "", 18.0), '"tail.03" pops at 18'),
    ],
)
def test_a_fault_says_what_it_is_measured_against(armature: Any, fault: Fault, text: str) -> None:
    assert text in verdict.words(fault)
