# SPDX-License-Identifier: GPL-3.0-or-later
"""Whose object is moved, turned, scaled or parented gets the same results, moved with it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender.cost import costing
from inertia_addon.blender.data import compat, scene
from inertia_addon.blender.evaluation import joints
from inertia_addon.blender.feet import bake as feet_bake
from inertia_addon.blender.hops import bake as hop_bake
from inertia_addon.blender.hops import search as hops
from inertia_addon.blender.judging import verdict
from inertia_addon.blender.loops import bake as loops
from inertia_addon.blender.transition import bake
from inertia_addon.motion.steps import finish
from inertia_addon.settings.feet import LockSettings
from inertia_addon.settings.hops import HopSettings
from inertia_addon.settings.loops import LoopSettings
from inertia_addon.settings.transition import TransitionSettings
from tests.blender import led_walker, stepper

Array = NDArray[np.float64]
Make = Callable[[Any], tuple[str, str]]
ONCE = {"source_cycle": "OFF", "destination_cycle": "OFF", "blend_frames": 10.0, "assign": False}
FRAMES = np.arange(2.0, 44.0, 3.0)


def plain() -> Any:
    armature = stepper.biped()
    stepper.walk(armature, "Walk", frames=55)
    stepper.walk(armature, "Late", frames=70, late=0.2)
    return armature


def controlled() -> Any:
    armature = led_walker.led()
    led_walker.walk(armature, "Walk", frames=55)
    led_walker.walk(armature, "Late", frames=70, late=0.2)
    return armature


def moved(armature: Any) -> None:
    armature.location = (3.0, -2.0, 0.5)


def turned(armature: Any) -> None:
    armature.rotation_euler = (0.0, 0.0, 2.1)


def scaled(armature: Any) -> None:
    armature.scale = (0.01,) * 3


def parented(armature: Any) -> None:
    empty = bpy.data.objects.new("Empty", None)
    bpy.context.collection.objects.link(empty)
    empty.location, empty.rotation_euler, empty.scale = (-1.0, 4.0, 0.2), (0.0, 0.0, -0.7), (2.0,) * 3
    armature.parent = empty
    armature.location, armature.rotation_euler = (1.0, 0.5, 0.0), (0.0, 0.0, 1.2)


def in_centimetres(armature: Any) -> None:
    bpy.context.scene.unit_settings.scale_length = 0.01
    armature.scale = (100.0,) * 3
    armature.rotation_euler = (0.0, 0.0, 0.4)


WAYS = (moved, turned, scaled, parented, in_centimetres)


def transition(armature: Any) -> tuple[str, str]:
    report = bake.bake_transition(
        armature, TransitionSettings("Walk", "Late", 20.0, 31.0, **ONCE, feet="OFF")
    )
    return report.result, report.slot


def locked(armature: Any) -> tuple[str, str]:
    report = bake.bake_transition(
        armature, TransitionSettings("Walk", "Late", 20.0, 31.0, **ONCE, feet="LOCK")
    )
    return report.result, report.slot


def hop(armature: Any) -> tuple[str, str]:
    own = TransitionSettings("Walk", "Late", 12.0, blend_frames=5.0, assign=False, feet="OFF")
    settings = HopSettings(own, ("Late",), distance="DISPLACEMENT", longest_stay=6, find_cycles=False)
    prepared = finish(hops.prepare(armature, settings, joints.named_weights(armature, "found")))
    ways, _ = finish(hops.ranked(prepared, 1))
    report = hop_bake.bake_hop(armature, settings, ways[0])
    return report.result, report.last.slot


def feet(armature: Any) -> tuple[str, str]:
    report = feet_bake.lock_action(armature, LockSettings("Late"))
    return report.result, report.slot


def loop(armature: Any) -> tuple[str, str]:
    report = loops.make_loop(armature, LoopSettings("Walk", start=5.0, end=27.0, assign=False))
    return report.result, report.slot


def shown(armature: Any, made: tuple[str, str]) -> Array:
    """Where Blender has the bones' heads, in the armature's own space at rest (frames, bones, 3)."""
    compat.assign(armature, bpy.data.actions[made[0]], made[1])
    found = []
    for frame in FRAMES.tolist():
        bpy.context.scene.frame_set(int(frame))
        posed = armature.evaluated_get(bpy.context.evaluated_depsgraph_get())
        found.append([posed.matrix_world @ bone.head for bone in posed.pose.bones])
    compat.assign(armature, None)
    return np.array(found)


@pytest.mark.parametrize("make", [transition, locked, hop, feet, loop])
@pytest.mark.parametrize("kind", [plain, controlled])
def test_results_move_with_their_object(fresh_file: None, kind: Callable[[], Any], make: Make) -> None:
    armature = kind()
    before = shown(armature, make(armature))
    rest = np.array(armature.matrix_world)
    for way in WAYS:
        for thing in (armature,):
            thing.parent, thing.location, thing.rotation_euler = None, (0.0,) * 3, (0.0,) * 3
            thing.scale = (1.0,) * 3
        bpy.context.scene.unit_settings.scale_length = 1.0
        way(armature)
        bpy.context.view_layer.update()
        motion = np.array(armature.matrix_world) @ np.linalg.inv(rest)
        after = shown(armature, make(armature))
        expected = before @ motion[:3, :3].T + motion[:3, 3]
        size = float(np.cbrt(np.linalg.det(motion[:3, :3])))
        np.testing.assert_allclose(
            after, expected, atol=2e-3 * size, err_msg=f"{make.__name__} {way.__name__}"
        )


@pytest.mark.parametrize("kind", [plain, controlled])
def test_costs_and_verdicts_are_those_of_the_same_character(
    fresh_file: None, kind: Callable[[], Any]
) -> None:
    armature = kind()
    settings = TransitionSettings("Walk", "Late", 20.0, 31.0, **ONCE, feet="OFF")

    def told() -> tuple[float, verdict.Verdict]:
        pair = costing.read_pair(armature, settings)
        motions = finish(costing.motions(armature, pair))
        weights = joints.named_weights(armature, "found")
        compared = costing.compare(settings, pair.alignment, weights, motions, scene.fps())
        plan = bake.plan_transition(armature, settings)
        return compared.at(20.0, 31.0), finish(verdict.of_played(plan.played))

    cost, judged = told()
    for way in (turned, scaled, parented):
        armature.parent, armature.location, armature.rotation_euler = None, (0.0,) * 3, (0.0,) * 3
        armature.scale = (1.0,) * 3
        way(armature)
        bpy.context.view_layer.update()
        size = float(np.cbrt(np.linalg.det(np.array(armature.matrix_world)[:3, :3])))
        again, same = told()
        # axes of the world are summed one by one
        assert again == pytest.approx(size * cost, rel=0.35)
        assert same.rating == judged.rating
        assert same.pop.size == pytest.approx(size * judged.pop.size, rel=0.01)
        assert same.skate == pytest.approx(size * judged.skate, rel=0.05)
