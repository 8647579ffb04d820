# SPDX-License-Identifier: GPL-3.0-or-later
"""Constraints and drivers are told of where they act on what the clips key, in counts that can be read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import bpy
import pytest

from tests.blender import builders

NAMES = [f"b{i}" for i in range(7)]
X = [(1, 0.0), (31, 1.0)]


@pytest.fixture
def chain(fresh_file: None) -> Any:
    return builders.rig(dict(zip(NAMES, [None, *NAMES], strict=False)))


def told(armature: Any, *paths: str) -> list[str]:
    """What is said of constraints and drivers when two clips key some channels."""
    made = [builders.action(name) for name in ("Source", "Destination")]
    for action in made:
        for path in paths:
            builders.curve(action, path, 0, X)
    report, _ = builders.transition(armature, *made, 15.0, 5.0)
    found = [text for text in report.warnings if "onstraints on" in text or "rivers on" in text]
    bpy.data.actions.remove(bpy.data.actions[report.result])
    return found


def location(bone: str) -> str:
    return builders.bone_path(bone, "location")


def rotation(bone: str) -> str:
    return builders.bone_path(bone, "rotation_euler")


def euler(armature: Any) -> None:
    for bone in armature.pose.bones:
        bone.rotation_mode = "XYZ"


def aim(bone: Any, kind: str) -> Any:
    """A constraint of a kind that reads another object."""
    made = bone.constraints.new(kind)
    made.target = bpy.data.objects.get("Target") or bpy.data.objects.new("Target", None)
    return made


def mute(armature: Any) -> None:
    aim(armature.pose.bones["b1"], "COPY_LOCATION").mute = True


def without_influence(armature: Any) -> None:
    aim(armature.pose.bones["b1"], "COPY_LOCATION").influence = 0.0


def without_a_target(armature: Any) -> None:
    armature.pose.bones["b1"].constraints.new("COPY_LOCATION")


def of_the_scale(armature: Any) -> None:
    aim(armature.pose.bones["b1"], "COPY_SCALE")


def of_the_turn(armature: Any) -> None:
    armature.pose.bones["b1"].constraints.new("LIMIT_ROTATION")


def of_another_bone(armature: Any) -> None:
    aim(armature.pose.bones["b2"], "COPY_TRANSFORMS")


def muted_drivers(armature: Any) -> None:
    for index, expression in enumerate(("1.0", "frame")):
        driver = armature.driver_add(location("b1"), index)
        driver.driver.expression, driver.mute = expression, True


def a_variable_called_frame(armature: Any) -> None:
    driver = armature.driver_add(location("b2"), 0).driver
    driver.variables.new().name = "frame"
    driver.expression = "frame * 2"


@pytest.mark.parametrize(
    "prepare",
    [
        *(mute, without_influence, without_a_target, of_the_scale, of_the_turn, of_another_bone),
        *(muted_drivers, a_variable_called_frame),
    ],
)
def test_a_constraint_that_does_not_act_on_the_keys_is_not_told(
    chain: Any, prepare: Callable[[Any], None]
) -> None:
    prepare(chain)
    assert told(chain, location("b1")) == []


def test_switches_alone_are_no_pose(chain: Any) -> None:
    chain.pose.bones["b1"]["space"] = 1.0
    aim(chain.pose.bones["b1"], "COPY_TRANSFORMS")
    assert told(chain, 'pose.bones["b1"]["space"]') == []


def test_ik_acts_on_its_whole_chain(chain: Any) -> None:
    euler(chain)
    aim(chain.pose.bones["b4"], "IK").chain_count = 3
    found = told(chain, *map(rotation, ("b1", "b2", "b3")), location("b4"))
    assert found == ['Constraints on "b2", "b3" act on top of the result, as they do now.']


def test_the_object_is_told_of_too(chain: Any) -> None:
    chain.constraints.new("LIMIT_LOCATION")
    assert told(chain, location("b1")) == []
    assert told(chain, "location", location("b1")) == [
        'Constraints on "Rig" act on top of the result, as they do now.'
    ]


def test_constraints_and_drivers_are_counted_where_they_are_many(chain: Any) -> None:
    for bone in chain.pose.bones[:6]:
        bone.constraints.new("LIMIT_LOCATION")
        aim(bone, "COPY_LOCATION")
        for index in range(2):
            chain.driver_add(location(bone.name), index).driver.expression = "1.0"
    assert told(chain, *map(location, NAMES)) == [
        '12 constraints on 6 controls, such as "b0", "b1", act on top of the result, as they do now.',
        '6 drivers on 6 controls, such as "b0", "b1", win over the result\'s keys.',
    ]


def test_a_driver_of_the_frame_is_named_by_the_control_that_shows_it(chain: Any) -> None:
    bones = chain.pose.bones
    bones["b1"].custom_shape = bpy.data.objects.new("Shape", None)
    bones["b3"].name = "MCH-b3"
    copying = bones["MCH-b3"].constraints.new("COPY_TRANSFORMS")
    copying.target, copying.subtarget = chain, "b1"
    chain.driver_add(location("MCH-b3"), 0).driver.expression = "frame / 10"
    (found,) = told(chain, location("b0"))
    assert found.startswith('Drivers on "b1" read the scene\'s frame')
