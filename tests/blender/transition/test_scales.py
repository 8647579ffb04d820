# SPDX-License-Identifier: GPL-3.0-or-later
"""Clips that are scaled in time are as if their keys were."""

from __future__ import annotations

import dataclasses
from typing import Any

import bpy
import numpy as np
import pytest

from inertia_addon.blender.cost import costing
from inertia_addon.blender.data import compat
from inertia_addon.blender.transition import bake
from inertia_addon.motion.steps import finish
from inertia_addon.settings.transition import TransitionSettings
from tests.blender import builders

X = builders.bone_path("A", "location")
FOE = "OBFoe" if compat.has_slots() else "OBRig"
ONCE = {"source_cycle": "OFF", "destination_cycle": "OFF", "cut": 31.0, "destination_frame": 7.4}
OFTEN = {"source_cycle": "ON", "destination_cycle": "ON", "cut": 100.0, "destination_frame": 15.0}
MATCHED = {**OFTEN, "go_on": "CYCLES", "alignment": "POSITION", "root": "A", "match_lengths": True}


def clip(name: str, phase: float, scale: float) -> Any:
    """A way, a swing, and somebody else's; its keys lie so many times as far from the first."""
    made = builders.action(name)
    curves = [
        builders.curve(made, X, 0, [(1.0, 0.0), (41.0, 1.0)], interpolation="LINEAR"),
        builders.wave(made, builders.bone_path("B", "location"), 1, 0.3, phase=phase),
        builders.wave(made, "location", 2, 0.2, start=5.0, phase=phase, slot=FOE),
    ]
    for fcurve in curves:
        for name in ("co", "handle_left", "handle_right"):
            points = np.empty(2 * len(fcurve.keyframe_points), np.float32)
            fcurve.keyframe_points.foreach_get(name, points)
            points[::2] = 1.0 + (points[::2] - 1.0) * scale
            fcurve.keyframe_points.foreach_set(name, points)
    return made


def made_of(keyed: tuple[float, float], settings: TransitionSettings) -> tuple[Any, ...]:
    """What is baked of clips whose keys are scaled, the span of its keys, and how the joints move in each."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    armature = builders.rig({"A": None, "B": "A"})
    # Blender has to play it for its joints
    constraint = armature.pose.bones["B"].constraints.new("COPY_LOCATION")
    constraint.target, constraint.subtarget, constraint.influence = armature, "A", 0.5
    clip("Walk", 0.3, keyed[0])
    clip("Run", 1.1, keyed[1])
    pair = costing.read_pair(armature, settings)
    motions = finish(costing.motions(armature, pair))
    report = bake.bake_transition(armature, settings)
    result = bpy.data.actions[report.result]
    frames = builders.sub_frames(*report.frame_range, 0.5)
    shown = [
        builders.evaluated(result, curve.data_path, curve.array_index, frames)
        for slot in compat.slots(result)
        for curve in compat.curves(result, slot.identifier)
    ]
    return np.array(shown), report.frame_range, *(motion.positions for motion in motions)


@pytest.mark.variants(1)
@pytest.mark.parametrize("how", [ONCE, MATCHED], ids=("once", "cycles"))
def test_a_scaled_clip_is_one_whose_keys_are_scaled(how: dict[str, Any]) -> None:
    settings = TransitionSettings("Walk", "Run", **how)
    scales = {"source_scale": 1.7, "destination_scale": 0.6}
    scaled = made_of((1.0, 1.0), dataclasses.replace(settings, **scales))
    for one, other in zip(scaled, made_of((1.7, 0.6), settings), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-5)
