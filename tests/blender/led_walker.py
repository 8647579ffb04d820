# SPDX-License-Identifier: GPL-3.0-or-later
"""The biped of :mod:`stepper` on a control rig: IK reaches for a control at each foot, with a pole.

Its feet are planted as that one's are, by their balls, and roll over these while they are.
"""

from __future__ import annotations

import math
from typing import Any

import bpy
import numpy as np
from mathutils import Matrix
from numpy.typing import NDArray

from inertia_addon.motion import quaternion
from tests.blender import builders, stepper

Array = NDArray[np.float64]

SIDES = (".L", ".R")
LOWER = -0.13
"""How far the hips are below their place at rest, so that knees are bent."""
SWITCH = 'pose.bones["root"]["by_ik{side}"]'


def led(name: str = "Led", parent: str = "root", *, switch: bool = False) -> Any:
    """The armature, at rest. parent: what the foot controls hang from. switch: whether it can show FK."""
    armature = stepper.biped(name)
    bpy.ops.object.mode_set(mode="EDIT")
    edit = armature.data.edit_bones
    root = edit.new("root")
    root.tail = (0.0, 0.3, 0.0)
    edit["hips"].parent = root
    for side in SIDES:
        foot, knee = edit["foot" + side], edit["shin" + side].head
        # IK does not bend what is straight
        knee = edit["shin" + side].head = edit["thigh" + side].tail = (knee[0], -0.02, knee[2])
        control, pole = edit.new("step" + side), edit.new("aim" + side)
        control.head, control.tail, control.roll = foot.head, foot.tail, foot.roll
        pole.head, pole.tail = (knee[0], -0.8, knee[2]), (knee[0], -0.9, knee[2])
        control.parent, pole.parent = edit[parent] if parent else None, control
    bpy.ops.object.mode_set(mode="OBJECT")
    for bone in armature.data.bones:
        bone.use_deform = bone.name in stepper.BONES
    for side in SIDES:
        reach = armature.pose.bones["shin" + side].constraints.new("IK")
        reach.target, reach.subtarget, reach.chain_count = armature, "step" + side, 2
        reach.pole_target, reach.pole_subtarget = armature, "aim" + side
        reach.pole_angle = math.radians(_angle(armature, reach, side))
        along = armature.pose.bones["foot" + side].constraints.new("COPY_ROTATION")
        along.target, along.subtarget = armature, "step" + side
        if switch:
            armature.pose.bones["root"]["by_ik" + side] = 1.0
        for constraint in (reach, along) if switch else ():
            driver = constraint.driver_add("influence").driver
            driver.type = "SUM"
            variable = driver.variables.new()
            variable.targets[0].id, variable.targets[0].data_path = armature, SWITCH.format(side=side)
    bpy.context.view_layer.update()
    return armature


def _angle(armature: Any, reach: Any, side: str) -> float:
    """The pole's angle, degrees, with which the knee bends forwards."""
    control = armature.pose.bones["step" + side]
    control.location = (
        armature.data.bones[control.name].matrix_local.to_3x3().inverted()
        @ Matrix.Translation((0.0, 0.0, 0.2)).to_translation()
    )
    forward = {}
    for angle in (0.0, 90.0, 180.0, -90.0):
        reach.pole_angle = math.radians(angle)
        bpy.context.view_layer.update()
        forward[angle] = armature.pose.bones["shin" + side].head.y
    control.location = (0.0, 0.0, 0.0)
    return min(forward, key=lambda angle: forward[angle])


def walk(
    armature: Any,
    name: str = "Walk",
    frames: int = 49,
    skate: float = 0.0,
    late: float = 0.0,
    hips: str = "hips",
    step: str = "step",
    *,
    carried: bool = False,
    twist: float = 0.0,
) -> Any:
    """An action of the controls hips and step; for the other parameters see :func:`stepper.walk`.

    carried: whether the feet's go along with the hips, so that their keys must go back. twist: how fast feet
    turn about the vertical, radians a second, around their balls.
    """
    made = builders.action(name, slot=armature.name)
    at = np.arange(1.0, frames + 0.5)
    seconds = (at - 1.0) / stepper.FPS
    how = {"interpolation": "LINEAR", "slot": "OB" + armature.name}
    way = stepper.STRIDE * seconds - 0.25 * stepper.STRIDE - stepper.BALL
    moved = np.column_stack([0.0 * at, -way, LOWER + 0.0 * at])
    _key(made, armature, hips, at, moved, None, how)
    for side, lands in zip(SIDES, (late, late + 0.5), strict=True):
        ball = stepper.ball_at(at, lands)
        # the heel lifts in the second half of a plant, and is down again when the foot lands
        part = np.mod(seconds - lands, 1.0)
        lifts = np.clip((part - 0.25) / 0.25, 0.0, 1.0) * np.clip((1.0 - part) / 0.5, 0.0, 1.0)
        turns = quaternion.exp(0.35 * (lifts * lifts * (3.0 - 2.0 * lifts))[:, None] * [1.0, 0.0, 0.0])
        turns = quaternion.multiply(quaternion.exp(twist * seconds[:, None] * [0.0, 0.0, 1.0]), turns)
        arm = np.array([0.0, stepper.BALL, stepper.ANKLE - 0.02])
        offset = np.column_stack([0.0 * at, -ball[:, 0] - skate * seconds, ball[:, 1] - 0.02])
        offset += quaternion.rotate(turns, arm) - arm + (0.0, stepper.BALL, 0.0)
        _key(made, armature, step + side, at, offset - moved if carried else offset, turns, how)
    return made


def _key(
    made: Any, armature: Any, bone: str, at: Array, moved: Array, turns: Array | None, how: dict[str, Any]
) -> None:
    """Key a bone that hangs from nothing that moves: a way and turns of the armature's space."""
    rest = np.array(armature.data.bones[bone].matrix_local.to_3x3())
    path = builders.bone_path(bone, "location")
    builders.curves(made, path, [*zip(at.tolist(), (moved @ rest).tolist(), strict=True)], **how)
    if turns is not None:
        own = quaternion.log(turns) @ rest
        path = builders.bone_path(bone, "rotation_quaternion")
        builders.curves(made, path, [*zip(at.tolist(), quaternion.exp(own).tolist(), strict=True)], **how)
