# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a rig stands, how large it is, and what it hangs from change nothing of what it does there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest

from tests.blender import builders, control_clips, led_walker, made_up_limbs, stepper, walkers
from tests.blender.control_clips import Look
from tests.blender.placing import PLACES, assert_moved, put

CUT, ENTRY = 20.0, 9.0
FRAMES = np.append(np.arange(1.0, 46.0, 2.5), (CUT - 0.1, CUT))

Rig = Callable[[], tuple[Any, Any, Any]]


def plain_root() -> tuple[Any, Any, Any]:
    """A root that turns as it goes."""
    armature = walkers.character()
    return (
        armature,
        walkers.walk(armature, "Source", "Root", 0.4, 0.02),
        walkers.walk(armature, "Destination", "Root", 2.6, -0.03, (4.0, -3.0)),
    )


def plain_legs() -> tuple[Any, Any, Any]:
    """Hips that travel, on legs whose feet are locked."""
    armature = stepper.biped()
    return armature, stepper.walk(armature, "Source", 55), stepper.walk(armature, "Destination", 70, late=0.2)


def led() -> tuple[Any, Any, Any]:
    """Legs by IK, whose controls hang from nothing, so that each carries its part of the motion."""
    armature = led_walker.led(parent="")
    source = led_walker.walk(armature, "Source", 55)
    destination = led_walker.walk(armature, "Destination", 70, late=0.2, skate=0.1)
    turned(armature, destination)
    return armature, source, destination


def turned(armature: Any, action: Any) -> None:
    """Have the hips face another way throughout."""
    axis = np.array(armature.data.bones["hips"].matrix_local.to_3x3()).T @ (0.0, 0.0, 1.0)
    turn = (np.cos(0.4), *(np.sin(0.4) * axis))
    how = {"slot": "OB" + armature.name}
    builders.curves(
        action, builders.bone_path("hips", "rotation_quaternion"), [(1.0, turn), (2.0, turn)], **how
    )


def between_fk_and_ik() -> tuple[Any, Any, Any]:
    """An arm whose switch goes over."""
    armature = made_up_limbs.made_up()
    source = made_up_limbs.clip(armature, "Source", {1: 0.0})
    destination = made_up_limbs.clip(armature, "Destination", {1: 1.0}, phase=0.8)
    for number, action in enumerate((source, destination)):
        for index, slope in ((0, 0.1), (2, 0.05)):
            rows = [(1.0, 0.5 * number), (41.0, 0.5 * number + 40.0 * slope * (1 - 2 * number))]
            builders.curve(action, builders.bone_path("body", "location"), index, rows)
    return armature, source, destination


RIGS: dict[str, Rig] = {rig.__name__: rig for rig in (plain_root, plain_legs, led, between_fk_and_ik)}


def baked(made: tuple[Any, Any, Any], **how: Any) -> tuple[Any, np.ndarray]:
    """The report, and where all bones are in the world, by Blender."""
    armature, source, destination = made
    for bone in armature.pose.bones:
        bone.matrix_basis.identity()
    options = {"alignment": "POSITION_HEADING", "feet": "AUTO", "blend_frames": 10.0, **how}
    report, result = builders.transition(armature, source, destination, CUT, ENTRY, **options)
    return report, builders.played(armature, result, FRAMES)


@pytest.mark.variants(4)
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("rig", RIGS)
def test_a_transition_is_the_same_elsewhere(fresh_file: None, rig: str, place: str) -> None:
    made = RIGS[rig]()
    report, before = baked(made)
    assert (abs(report.heading_degrees) > 5.0) == (rig in ("plain_root", "led"))
    assert np.linalg.norm(report.translation) > 0.05
    there = put(made[0], place)
    again, after = baked(made)
    assert_moved(there, before, after)
    assert again.heading_degrees == pytest.approx(report.heading_degrees, abs=0.01)
    assert again.root == report.root
    assert again.window == report.window


@pytest.mark.variants(3)
@pytest.mark.parametrize("kind", ["POSITION", "HEADING", "POSITION_HEADING"])
@pytest.mark.parametrize("place", ["moved", "parented", "lying"])
def test_a_control_rig_goes_on_from_where_it_is_elsewhere(fresh_file: None, place: str, kind: str) -> None:
    """Its root, as it stands in the world, is brought to where the source has it, and nothing else is."""
    made = led()
    put(made[0], place)
    report, _ = baked(made, alignment=kind, feet="OFF")
    root = made[0].data.bones.find(report.root)
    here, there = (
        builders.played(made[0], action, [frame])[0][root]
        for action, frame in ((made[1], CUT), (made[2], ENTRY))
    )
    brought = builders.rigid(report) @ there
    wanted = here if "POSITION" in kind else there
    np.testing.assert_allclose(brought[:2, 3], wanted[:2, 3], atol=1e-4)
    if "HEADING" in kind:
        turn = here[:3, :3] @ np.linalg.inv(brought[:3, :3])
        assert abs(turn[1, 0] - turn[0, 1]) < 1e-3


def test_an_object_that_travels_is_the_same_elsewhere(fresh_file: None) -> None:
    """Its keys are seen from its parent."""
    armature = builders.rig(walkers.BONES)
    made = (
        armature,
        walkers.walk(armature, "Source", "", 0.4, 0.02),
        walkers.walk(armature, "Destination", "", 2.6, -0.03, (4.0, -3.0)),
    )
    _, before = baked(made)
    there = put(armature, "parented")
    _, after = baked(made)
    assert_moved(there, before, after)


@pytest.mark.slow
@pytest.mark.variant_of(
    "tests/blender/transition/test_moved_rigs.py::test_a_transition_is_the_same_elsewhere"
)
def test_a_generated_rig_is_the_same_elsewhere(rigify: Callable[..., Path]) -> None:
    bpy.ops.wm.open_mainfile(filepath=str(rigify("basic_human", "bare")))
    armature = bpy.data.objects["rig"]
    source = control_clips.animate(armature, "Source", Look("torso", 0.8), is_source=True)
    destination = control_clips.animate(
        armature, "Destination", Look("torso", -0.4, fk="mixed"), is_source=False
    )
    seen = []
    there = np.eye(4)
    for place in ("", "parented"):
        there = put(armature, place) if place else there
        report, _ = builders.transition(
            armature, source, destination, CUT, ENTRY, alignment="AUTO", feet="OFF"
        )
        deforming = [i for i, bone in enumerate(armature.data.bones) if bone.use_deform]
        seen.append(builders.played(armature, bpy.data.actions[report.result], FRAMES[::3])[:, deforming])
    assert_moved(there, *seen, tolerance=5e-4)
