# SPDX-License-Identifier: GPL-3.0-or-later
"""A person's rig after CloudRig's layout, by value: names, rests and constraints.

What deforms hangs from STR bones, these from ORG bones, and those copy a chain of FK bones or one that IK
leads, by a property of each leg.
"""

from __future__ import annotations

import math
from typing import Any

import bpy

from tests.blender import skeletons
from tests.skeletons.made_up import cloud_core

SWITCH = 'pose.bones["root"]["ik_leg.{side}"]'
LEG = ("Thigh", "Knee", "Foot")


def build(by_ik: float = 1.0) -> Any:
    """The armature, at rest. by_ik: whether its legs show IK."""
    armature = skeletons.build("cloudrig")
    posed = armature.pose.bones
    for side in "LR":
        posed["root"][f"ik_leg.{side}"] = by_ik
        _reach(armature, side)
    for name in cloud_core():
        base, _, side = name.partition(".")
        if base == "Toes":
            continue  # they go with the foot, whatever leads that
        _copy(armature, f"ORG-{name}", f"FK-{name}")
        if base in LEG:
            leads = f"IK-MSTR-Foot.{side}" if base == "Foot" else f"IK-{name}"
            _switched(armature, _copy(armature, f"ORG-{name}", leads), side)
    for side in "LR":
        for first, after in (
            ("Thigh1", "Thigh2"),
            ("Thigh2", "Knee1"),
            ("Knee1", "Knee2"),
            ("Knee2", "Foot"),
        ):
            stretch = posed[f"DEF-{first}.{side}"].constraints.new("STRETCH_TO")
            stretch.target, stretch.subtarget = armature, f"STR-{after}.{side}"
            stretch.rest_length = armature.data.bones[f"DEF-{first}.{side}"].length
    bpy.context.view_layer.update()
    return armature


def _copy(armature: Any, bone: str, of: str) -> Any:
    made = armature.pose.bones[bone].constraints.new("COPY_TRANSFORMS")
    made.target, made.subtarget = armature, of
    return made


def _switched(armature: Any, constraint: Any, side: str) -> None:
    """Let a property say how much a constraint acts."""
    driver = constraint.driver_add("influence").driver
    driver.type = "SUM"
    variable = driver.variables.new()
    variable.targets[0].id, variable.targets[0].data_path = armature, SWITCH.format(side=side)


def _reach(armature: Any, side: str) -> None:
    """Have a leg reach for its control, its knee where the pole is, as at rest."""
    reach = armature.pose.bones[f"IK-Knee.{side}"].constraints.new("IK")
    reach.target, reach.subtarget, reach.chain_count = armature, f"IK-MSTR-Foot.{side}", 2
    reach.pole_target, reach.pole_subtarget = armature, f"IK-POLE-Thigh.{side}"
    knee = f"DEF-Knee1.{side}"
    best = math.inf
    for degrees in range(-180, 180, 15):
        reach.pole_angle = math.radians(degrees)
        bpy.context.view_layer.update()
        shown = armature.pose.bones[f"IK-Knee.{side}"].head - armature.data.bones[knee].head_local
        if shown.length < best - 1e-6:
            best, angle = shown.length, reach.pole_angle
    reach.pole_angle = angle
