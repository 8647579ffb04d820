# SPDX-License-Identifier: GPL-3.0-or-later
"""Toes and heels kept above the ground where feet are locked, as Blender itself plays what was made."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from mathutils import Vector

from inertia_addon.blender.feet import bake, legs
from inertia_addon.blender.transition import bake as transitions
from inertia_addon.motion.feet import toes
from inertia_addon.motion.steps import finish
from inertia_addon.settings.feet import LockSettings
from inertia_addon.settings.transition import TransitionSettings
from tests.blender import builders, clips, led_walker, stepper
from tests.blender.feet.test_targets import pose_by_fk

Array = NDArray[np.float64]

FRAMES = np.arange(1.0, 56.0)
SIDES = (".L", ".R")
TOE = 0.07
"""How long a toe of the biped is."""
DIPS = ((1.0, 0.0), (27.0, 0.0), (31.0, 0.9), (35.0, 0.0), (55.0, 0.0))
"""A toe that bends down while its foot stands: frames, and radians."""


def bend(armature: Any, action: Any) -> None:
    """Let the left toe go down in the middle of an action, by a rotation about the side."""
    bone = armature.data.bones["toe.L"]
    axis = np.array(bone.matrix_local.to_3x3()).T @ (1.0, 0.0, 0.0)
    keys = [(frame, [np.cos(0.5 * angle), *(np.sin(0.5 * angle) * axis)]) for frame, angle in DIPS]
    path = builders.bone_path("toe.L", "rotation_quaternion")
    builders.curves(action, path, keys, interpolation="LINEAR", slot="OB" + armature.name)


def plain() -> Any:
    armature = stepper.biped()
    stepper.walk(armature, "Walk", frames=55)
    return armature


def led() -> Any:
    armature = led_walker.led()
    led_walker.walk(armature, "Walk", frames=55)
    return armature


def led_by_fk() -> Any:
    """The control rig with a left leg that shows FK."""
    armature = led_walker.led(switch=True)
    pose_by_fk(armature, led_walker.walk(armature, "Walk", frames=55), ".L")
    return armature


def tails(armature: Any, action: Any, name: str = "toe") -> Array:
    """Where the tips of both toes are (n, 2, 3), as Blender plays an action."""
    bones = [armature.pose.bones.find(name + side) for side in SIDES]
    matrices = builders.played(armature, action, FRAMES)[:, bones]
    return np.asarray(matrices[..., :3, 3] + TOE * matrices[..., :3, 1])


def lock(armature: Any, **settings: Any) -> Any:
    report = finish(bake.lock_action_steps(armature, LockSettings("Walk", **settings)))
    return bpy.data.actions[report.result]


@pytest.mark.parametrize("made", [plain, led, led_by_fk])
def test_tips_of_toes_are_above_a_plane_and_all_else_stays(fresh_file: None, made: Callable[[], Any]) -> None:
    armature = made()
    bend(armature, bpy.data.actions["Walk"])
    on = {"ground": "PLANE", "ground_height": 0.25}
    free, above = (lock(armature, toes=kind, **on) for kind in ("FREE", "ABOVE"))
    before, after = tails(armature, free), tails(armature, above)
    assert before[..., 2].min() < 0.25 - 0.02
    assert after[..., 2].min() > 0.25 - 5e-4
    # frames that are away from where a tip is below stay
    reach = 2 * round(0.5 * toes.REACH_SECONDS * stepper.FPS)
    for side in range(2):
        below = np.convolve(before[:, side, 2] < 0.25, np.ones(2 * reach + 1), "same") > 0.0
        assert below.sum() < 30
        np.testing.assert_allclose(after[~below, side], before[~below, side], atol=2e-5)
    # nothing but toes has other keys
    here, there = builders.by_address(free), builders.by_address(above)
    others = {
        at[0] for at in there if at not in here or builders.key_data(here[at]) != builders.key_data(there[at])
    }
    assert others <= {builders.bone_path("toe" + side, "rotation_quaternion") for side in SIDES}


def test_toes_are_kept_above_the_ground_by_lengths_of_the_leg(fresh_file: None) -> None:
    armature = plain()
    (leg, _) = legs.of_armature(armature)
    made = lock(armature, ground="PLANE", ground_height=0.1, toes="ABOVE", toe_height=0.05)
    assert tails(armature, made)[..., 2].min() > 0.1 + 0.05 * leg.length - 1e-4


def test_a_foot_without_a_toe_bone_stays(fresh_file: None) -> None:
    armature = plain()
    bpy.ops.object.mode_set(mode="EDIT")
    for side in SIDES:
        armature.data.edit_bones.remove(armature.data.edit_bones["toe" + side])
    bpy.ops.object.mode_set(mode="OBJECT")
    contents = [clips.contents(lock(armature, toes=kind, result=kind)) for kind in ("FREE", "ABOVE")]
    assert contents[0] == contents[1]


def test_a_transition_raises_toes_behind_its_cut_and_lets_them_go(fresh_file: None) -> None:
    armature = plain()
    stepper.walk(armature, "Other", frames=55, late=0.25)
    (leg, _) = legs.of_armature(armature)
    shown = {}
    for kind in ("FREE", "ABOVE"):
        settings = TransitionSettings(
            "Walk", "Other", 20.0, 11.0, feet="LOCK", toes=kind, toe_height=0.05, result=kind
        )
        report = transitions.bake_transition(armature, settings)
        shown[kind] = tails(armature, bpy.data.actions[report.result])[..., 2]
    free, above = shown["FREE"], shown["ABOVE"]
    np.testing.assert_array_equal(free[:20], above[:20])
    assert np.all(above > free - 1e-6)
    # both clips have tips no lower than 2 cm while their feet stand
    raised = slice(20 + round(toes.COMES_SECONDS * stepper.FPS), 36)
    assert free[raised].min() < 0.021
    assert above[raised].min() > 0.02 + 0.05 * leg.length - 1e-3
    np.testing.assert_allclose(free[-3:], above[-3:], atol=1e-6)


@pytest.mark.variants(1)
@pytest.mark.parametrize("name", ["cmu127", "cmu02"])
def test_tips_of_real_walks_are_above_a_plane(data_dir: Path, name: str) -> None:
    armature, names = clips.load(name, data_dir)
    walk = next(each for each in names if "run" in each or "walk" in each)
    found = legs.of_armature(armature)
    lowest = {}
    for kind in ("FREE", "ABOVE"):
        settings = LockSettings(walk, ground="PLANE", ground_height=0.3, toes=kind, result=kind)
        report = finish(bake.lock_action_steps(armature, settings))
        frames = np.arange(*report.frame_range)[::4]
        places = builders.played(armature, bpy.data.actions[report.result], frames)
        balls = [leg.ball for leg in found]
        offsets = np.array([(*leg.tip, 1.0) for leg in found if leg.tip is not None])
        lowest[kind] = (places[:, balls] @ offsets[..., None])[..., 2, 0].min()
    assert lowest["FREE"] < 0.3 - 0.005
    assert lowest["ABOVE"] > 0.3 - 0.002


RISE, LONG = 0.04, 0.25
"""Steps that go down along -Y."""


def make_steps() -> None:
    sides = [
        (x, -(step + end) * LONG, -RISE * step) for step in range(-9, 20) for end in (0, 1) for x in (-3, 3)
    ]
    data = bpy.data.meshes.new("Steps")
    data.from_pydata(sides, [], [(i, i + 1, i + 3, i + 2) for i in range(0, len(sides), 4)])
    bpy.context.collection.objects.link(bpy.data.objects.new("Steps", data))
    bpy.context.view_layer.update()


def over_steps(places: Array) -> Array:
    """How high places (..., 3) are above the steps."""
    return np.asarray(places[..., 2] + RISE * np.floor(-places[..., 1] / LONG))


@pytest.mark.parametrize("made", [plain, led])
def test_down_steps_heels_stay_above_edges_and_feet_where_they_are(
    fresh_file: None, made: Callable[[], Any]
) -> None:
    armature = made()
    make_steps()
    # where a heel is of a foot that is flat, from its bone, as it stands at rest
    bones = [armature.pose.bones["foot" + side] for side in SIDES]
    heels = [
        bone.bone.matrix_local.inverted() @ Vector((bone.bone.head_local.x, 0.25 * (0.12 + TOE), 0.02))
        for bone in bones
    ]
    which = [armature.pose.bones.find(bone.name) for bone in bones]
    seen, balls = {}, {}
    for kind in ("ABOVE", "WITH_HEELS"):
        action = lock(armature, toes=kind, ground="OBJECT", ground_object="Steps", result=kind)
        shown = builders.played(armature, action, FRAMES)
        seen[kind] = (shown[:, which] @ np.array([(*heel, 1.0) for heel in heels])[..., None])[..., :3, 0]
        balls[kind] = shown[:, [armature.pose.bones.find("toe" + side) for side in SIDES], :3, 3]
    assert over_steps(seen["ABOVE"]).min() < -0.02
    assert over_steps(seen["WITH_HEELS"]).min() > -1e-3
    assert over_steps(balls["WITH_HEELS"]).min() > -1e-3
    np.testing.assert_allclose(balls["WITH_HEELS"], balls["ABOVE"], atol=2e-3)
