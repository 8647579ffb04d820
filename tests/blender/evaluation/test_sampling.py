# SPDX-License-Identifier: GPL-3.0-or-later
"""Curves and forward kinematics by numpy agree with Blender's own evaluation on plain rigs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest

from inertia_addon.blender.data import actions, clip_store, compat, rigs
from inertia_addon.blender.evaluation import joint_motion
from inertia_addon.blender.transition import bake
from inertia_addon.motion.curves import evaluation as curves
from inertia_addon.settings.transition import TransitionSettings
from tests.blender import builders, clips

SETS = ["Fox", "RobotExpressive", "Knight", "pab", "cmu131"]
ROUNDING = 1e-6
"""Of the largest number in a curve, its handles included: a few of float32's steps."""
EASING_ROUNDING = 1e-5
"""Blender reckons easings in float32, and some of them lose digits at their ends."""


@pytest.mark.variants(1)
@pytest.mark.parametrize("name", SETS)
def test_joint_positions_are_blenders(name: str, data_dir: Path) -> None:
    armature, names = clips.load(name, data_dir)
    rig = rigs.read(armature)
    chance = np.random.default_rng(5)
    for action in (bpy.data.actions[n] for n in names[:3]):
        clip = clip_store.read(armature, action)
        frames = chance.uniform(clip.start, clip.end, 4)
        clips.play(armature, action)
        expected = clips.poses(armature, frames)[..., :3, 3]
        found = joint_motion.joint_positions(rig, clip.curves, frames, clip.unkeyed)
        size = np.ptp(expected, axis=(0, 1)).max()
        assert np.abs(found - expected).max() < 1e-5 * max(size, 1.0)


@pytest.mark.variants(1)
@pytest.mark.parametrize("name", SETS)
def test_planned_positions_are_those_of_the_result(name: str, data_dir: Path) -> None:
    armature, names = clips.load(name, data_dir)
    rig = rigs.read(armature)
    source, destination = names[:2]
    cut = float(np.mean(bpy.data.actions[source].curve_frame_range))
    half = rig.bones.names[len(rig.bones.names) // 2 :]
    # what a bake of a large set costs is paid once
    for chosen in {"pab": (half,), "cmu131": ((),)}.get(name, ((), half)):
        settings = TransitionSettings(source, destination, cut, bones=tuple(chosen), assign=False)
        plan = bake.plan_transition(armature, settings)
        report = bake.write_plan(plan)
        result = bpy.data.actions[report.result]
        frames = np.linspace(*report.frame_range, 57)
        planned = joint_motion.joint_positions(rig, plan.slots[0].curves, frames, plan.clips[0].unkeyed)
        clip = clip_store.read(armature, result)
        np.testing.assert_allclose(
            planned,
            joint_motion.joint_positions(rig, clip.curves, frames, clip.unkeyed),
            atol=1e-6 * max(1.0, np.ptp(planned)),
        )


@pytest.mark.variants(2)
@pytest.mark.parametrize("name", SETS)
def test_real_curves_are_blenders(name: str, data_dir: Path) -> None:
    armature, names = clips.load(name, data_dir)
    chance = np.random.default_rng(6)
    for action in (bpy.data.actions[n] for n in names[:2]):
        clip = actions.read(action, actions.choose_slot(action, armature))
        frames = np.concatenate(
            [chance.uniform(clip.start - 3.0, clip.end + 3.0, 40), np.arange(clip.start, clip.end)[:60]]
        )
        for curve in list(clip.curves.values())[::5]:
            assert_blenders(curve.fcurve, frames, ROUNDING)


def assert_blenders(fcurve: Any, frames: np.ndarray, tolerance: float) -> None:
    keys = actions.read_keys(fcurve)
    expected = np.array([fcurve.evaluate(float(frame)) for frame in frames])
    size = max(
        np.abs(expected).max(), *(np.abs(points[:, 1]).max() for points in (keys.co, keys.left, keys.right))
    )
    np.testing.assert_allclose(curves.evaluate(keys, frames), expected, rtol=0.0, atol=tolerance * size)


def random_curve(bag: Any, index: int, codes: list[int]) -> tuple[Any, np.ndarray]:
    """A curve of any shape, its handles overlapping or pointing backwards, and frames around it."""
    chance = np.random.default_rng(index)
    fcurve = bag.fcurves.new("location", index=index)
    n = int(chance.integers(1, 8))
    gaps = chance.integers(1, 12, n).astype(float) if index % 3 else chance.uniform(0.02, 12.0, n)
    x = np.cumsum(gaps) + chance.integers(-500, 3000)
    y = chance.normal(size=n) * 10.0 ** chance.integers(-3, 3)
    points = fcurve.keyframe_points
    points.add(n)
    points.foreach_set("co", np.column_stack([x, y]).astype(np.float32).ravel())
    points.foreach_set("interpolation", chance.choice(codes, n).astype(np.uint8))
    points.foreach_set("easing", chance.integers(0, 4, n).astype(np.uint8))
    for name, low in (("amplitude", 0.0), ("back", 0.0), ("period", 0.5)):
        points.foreach_set(name, chance.uniform(low, 3.0, n).astype(np.float32))
    reach = chance.choice([0.01, 1.0, 3.0, 30.0]) * gaps.mean()
    for name, side in (("left", -1.0), ("right", 1.0)):
        points.foreach_set(
            f"handle_{name}_type", chance.integers(0, 5 if index % 2 else 1, n).astype(np.uint8)
        )
        across = side * chance.uniform(-0.5 if index % 5 == 0 else 0.0, 1.0, n) * reach
        co = np.column_stack([x + across, y + chance.normal(size=n) * np.abs(y).mean()])
        points.foreach_set(f"handle_{name}", co.astype(np.float32).ravel())
    fcurve.extrapolation = "LINEAR" if index % 4 < 2 else "CONSTANT"
    if index % 2:
        fcurve.update()
    around = chance.uniform(x[0] - 8.0, x[-1] + 8.0, 40)
    return fcurve, np.concatenate([around, x, x + chance.uniform(-2e-4, 2e-4, n), np.arange(x[0], x[-1])])


@pytest.mark.usefixtures("fresh_file")
def test_random_curves_are_blenders() -> None:
    action = builders.action("Curves")
    bag = compat.new_bag(action, compat.slots(action)[0])
    for index in range(300):
        easings = index % 6 == 0
        fcurve, frames = random_curve(bag, index, list(range(3, 13)) if easings else [0, 1, 2, 2, 2])
        assert_blenders(fcurve, frames, EASING_ROUNDING if easings else ROUNDING)


@pytest.mark.usefixtures("fresh_file")
def test_modifiers_are_blenders() -> None:
    armature = builders.rig({"A": None})
    action = builders.action("Clip")
    fcurve = builders.wave(action, builders.bone_path("A", "location"), 1, 1.0, 1.0, 9.0)
    fcurve.modifiers.new("CYCLES")
    clip = actions.read(action, actions.choose_slot(action, armature))
    frames = np.array([3.0, 30.5, 100.0])
    found = joint_motion.joint_positions(rigs.read(armature), clip.curves, frames, clip.unkeyed)
    expected = builders.played(armature, action, frames)[..., :3, 3]
    np.testing.assert_allclose(found, expected, atol=1e-6)
