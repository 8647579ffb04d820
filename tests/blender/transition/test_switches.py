# SPDX-License-Identifier: GPL-3.0-or-later
"""Constraints that the clips switch: at the cut the pose stays, whatever they reach for."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
import pytest
from mathutils import Euler

from inertia_addon.errors import InertiaError
from inertia_addon.motion.arrays import Array
from tests.blender import builders

CUT, START = 20.0, 12.0
BONES = {"Upper": None, "Lower": "Upper", "Hand": "Lower", "Goal": None, "Free": None}

pytestmark = pytest.mark.usefixtures("fresh_file")


def thing(name: str, place: tuple[float, float, float]) -> Any:
    made = bpy.data.objects.new(name, None)
    bpy.context.collection.objects.link(made)
    made.location, made.rotation_euler = place, Euler((0.3, 0.2, 1.0))
    return made


def constraint(rig: Any, kind: str, target: str) -> tuple[str, str]:
    """Add a constraint that aims at a bone of the rig, of another rig, or at an empty; its bone and path."""
    bone = "Lower" if kind == "IK" else "Free"
    made = rig.pose.bones[bone].constraints.new(kind)
    if target == "empty":
        made.target = thing("Target", (0.5, 0.3, 0.8))
    else:
        made.target, made.subtarget = (
            (rig, "Goal") if target == "own" else (builders.rig({"Goal": None}, "Other"), "Goal")
        )
    if kind == "IK":
        made.chain_count = 2
        made.use_stretch = False
    return bone, builders.bone_path(bone, f'constraints["{made.name}"].influence')


def clip(name: str, path: str, influence: float, phase: float) -> Any:
    made = builders.action(name)
    for number, bone in enumerate(BONES):
        for index in range(4):
            rotation = builders.bone_path(bone, "rotation_quaternion")
            builders.wave(made, rotation, index, 0.1, phase=phase + index + number, middle=float(index == 0))
    builders.wave(made, builders.bone_path("Goal", "location"), 0, 0.05, phase=phase)
    builders.curve(made, path, 0, [(1.0, influence)])
    return made


def heads(rig: Any, action: Any, frame: float) -> Array:
    return builders.played(rig, action, [frame])[0]


@pytest.mark.variants(4)
@pytest.mark.parametrize("target", ["own", "other", "empty"])
@pytest.mark.parametrize(
    ("kind", "before", "after"),
    [("CHILD_OF", 1.0, 0.0), ("CHILD_OF", 0.0, 1.0), ("IK", 1.0, 0.0), ("IK", 0.0, 1.0)],
)
def test_the_pose_stays(kind: str, before: float, after: float, target: str) -> None:
    rig = builders.rig(BONES)
    _, path = constraint(rig, kind, target)
    source, destination = clip("Source", path, before, 0.0), clip("Destination", path, after, 2.0)
    own = heads(rig, source, CUT)
    report, result = builders.transition(rig, source, destination, CUT, START, alignment="NONE")
    np.testing.assert_allclose(heads(rig, result, CUT), own, atol=2e-5)
    np.testing.assert_allclose(heads(rig, result, CUT - 0.02), heads(rig, source, CUT - 0.02), atol=2e-5)
    end = report.window[1]
    np.testing.assert_allclose(
        heads(rig, result, end + 0.5), heads(rig, destination, end + 0.5 - CUT + START), atol=2e-5
    )
    assert not [w for w in report.warnings if "switch" in w]


def test_a_limb_reaches_for_where_its_end_is() -> None:
    """Its goal is a control of the same rig, which is put there."""
    rig = builders.rig(BONES)
    _, path = constraint(rig, "IK", "own")
    source, destination = clip("Source", path, 0.0, 0.0), clip("Destination", path, 1.0, 2.0)
    own = heads(rig, source, CUT)
    report, result = builders.transition(rig, source, destination, CUT, START, alignment="NONE")
    now = heads(rig, result, CUT)
    seen = [i for i, name in enumerate(rig.pose.bones.keys()) if name != "Goal"]
    np.testing.assert_allclose(now[seen], own[seen], atol=2e-5)
    assert not [w for w in report.warnings if "switch" in w]


@pytest.mark.parametrize("target", ["other", "empty"])
def test_a_switch_whose_pose_can_not_stay_is_refused(target: str) -> None:
    """A limb that half reaches for something that it does not move, and wholly from the cut on."""
    rig = builders.rig(BONES)
    bone, path = constraint(rig, "IK", target)
    source, destination = clip("Source", path, 0.5, 0.0), clip("Destination", path, 1.0, 2.0)
    before = set(bpy.data.actions.keys())
    with pytest.raises(InertiaError, match=f'IK takes over .*"{bone}" would jump by .* c?m'):
        builders.transition(rig, source, destination, CUT, START, alignment="NONE")
    assert set(bpy.data.actions.keys()) == before


def test_choices_jump_at_the_cut() -> None:
    """A number that stands for a choice is no value that could be set."""
    rig = builders.rig(BONES)
    _, path = constraint(rig, "CHILD_OF", "empty")
    chosen = path.replace("influence", "target_space")
    source, destination = clip("Source", path, 1.0, 0.0), clip("Destination", path, 1.0, 2.0)
    for made, value in ((source, 0.0), (destination, 1.0)):
        builders.curve(made, chosen, 0, [(1.0, value)])
    _, result = builders.transition(rig, source, destination, CUT, START, alignment="NONE")
    assert builders.evaluated(result, chosen, 0, [CUT - 0.02, CUT]).tolist() == [0.0, 1.0]
