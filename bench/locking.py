# SPDX-License-Identifier: GPL-3.0-or-later
"""How long Lock Feet takes, beside Blender's own IK constraints and its baking on the same legs.

    python bench/locking.py [--frames 2000] [--bones 65]

A biped of so many bones with a key on every frame of all of them. Locked: the action read, its contacts
found, the feet locked, the new action written. Blender: IK constraints that hold the ankles at targets, and
``bake_action`` on the bones of the legs, without finding a contact or a target. The least processor time of
some rounds counts, in which they take turns.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import bpy
import numpy as np
from bpy_extras import anim_utils
from goals import least

from inertia_addon.blender.data import compat
from inertia_addon.blender.feet import bake
from inertia_addon.motion.steps import finish
from inertia_addon.settings.feet import LockSettings
from tests.blender import builders, stepper

LEGS = [name + side for name in ("thigh", "shin", "foot") for side in (".L", ".R")]


def make(bones: int, frames: int) -> Any:
    """A biped that walks and skates, with as many more bones in chains as make up the number."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    armature = stepper.biped()
    bpy.ops.object.mode_set(mode="EDIT")
    more = [f"hair {i}" for i in range(bones - len(stepper.BONES))]
    above = armature.data.edit_bones["chest"]
    for i, name in enumerate(more):
        bone = armature.data.edit_bones.new(name)
        side = 0.3 if i % 2 else -0.3
        bone.head, bone.tail = (side, 0.0, 1.4 + 0.01 * i), (side, 0.0, 1.41 + 0.01 * i)
        bone.parent = above if i % 10 == 0 else armature.data.edit_bones[more[i - 1]]
    bpy.ops.object.mode_set(mode="OBJECT")
    action = stepper.walk(armature, "Walk", frames=frames, skate=0.2)
    at = np.arange(1.0, frames + 0.5)
    for i, name in enumerate([*more, "chest", "head", "toe.L", "toe.R"]):
        angle = 0.1 * np.sin(0.2 * at + i)
        turns = np.column_stack([np.cos(angle), np.sin(angle), 0.0 * at, 0.0 * at])
        path = builders.bone_path(name, "rotation_quaternion")
        rows = [*zip(at.tolist(), turns.tolist(), strict=True)]
        builders.curves(action, path, rows, interpolation="LINEAR", slot="OB" + armature.name)
    compat.assign(armature, action, "OB" + armature.name)
    return armature


def locked(armature: Any) -> float:
    """Seconds that Lock Feet takes; what it makes is removed again, and the walk assigned."""
    walk, slot = compat.assigned(armature)
    began = time.process_time()
    report = finish(bake.lock_action_steps(armature, LockSettings("Walk")))
    spent = time.process_time() - began
    bpy.data.actions.remove(bpy.data.actions[report.result])
    compat.assign(armature, walk, slot)
    return spent


def hold(armature: Any) -> None:
    """Hold both ankles at targets by IK constraints, and select the bones of the legs."""
    for side in (".L", ".R"):
        target = bpy.data.objects.new("target" + side, None)
        bpy.context.collection.objects.link(target)
        target.location = (0.1 if side == ".L" else -0.1, -1.0, 0.1)
        constraint = armature.pose.bones["shin" + side].constraints.new("IK")
        constraint.target, constraint.chain_count = target, 2
    for bone in armature.pose.bones:
        compat.select_bone(bone, state=bone.name in LEGS)


def baked(armature: Any, frames: int) -> float:
    """Seconds that Blender takes for IK on both legs; what it makes is removed again."""
    hold(armature)
    options = anim_utils.BakeOptions(
        only_selected=True,
        do_pose=True,
        do_object=False,
        do_visual_keying=True,
        do_constraint_clear=False,
        do_parents_clear=False,
        do_clean=False,
        do_location=True,
        do_rotation=True,
        do_scale=True,
        do_bbone=False,
        do_custom_props=False,
    )
    bpy.context.view_layer.update()
    walk, slot = compat.assigned(armature)
    began = time.process_time()
    made = anim_utils.bake_action(armature, action=None, frames=range(1, frames + 1), bake_options=options)
    spent = time.process_time() - began
    for side in (".L", ".R"):
        constraints = armature.pose.bones["shin" + side].constraints
        constraints.remove(constraints[0])
    compat.assign(armature, walk, slot)
    bpy.data.actions.remove(made)
    return spent


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--frames", type=int, default=2000)
    parser.add_argument("--bones", type=int, default=65)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    armature = make(arguments.bones, arguments.frames)
    rounds = [(locked(armature), baked(armature, arguments.frames)) for _ in range(arguments.rounds)]
    ours, other = map(min, zip(*rounds, strict=True))
    times = other / ours
    print(
        f"{arguments.bones} bones, {arguments.frames} frames: feet locked in {ours:.2f} s, IK and "
        f"bake_action on the legs in {other:.2f} s, times as long: {least(times, 10.0)}"
    )
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
