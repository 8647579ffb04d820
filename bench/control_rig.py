# SPDX-License-Identifier: GPL-3.0-or-later
"""How long things take on a production rig, Rigify's human, by what Blender takes to show one of its frames.

    python bench/control_rig.py [--rounds 5]

Nine clips of 121 frames, with a key on every tenth, move all controls; every other one shows the legs by FK.
All are cycles; a tenth one is not. Measured in turn are bare ``scene.frame_set``s through a clip, these with
a look at the pose, a bake that leaves feet alone, into the tenth clip and into a cycle, one that does not,
another whose clips differ in FK and IK, the evaluation of two clips, and a search for hops over all nine; of
each the processor time of the quickest of some rounds, and how many frames Blender is had to show.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from goals import whether
from mathutils import Matrix

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from inertia_addon.blender.cost import costing
from inertia_addon.blender.evaluation import joints, playback
from inertia_addon.blender.hops import search as hops
from inertia_addon.blender.transition import bake
from inertia_addon.motion.steps import finish
from inertia_addon.settings.hops import HopSettings
from inertia_addon.settings.transition import TransitionSettings
from inertia_addon.tasks import hops as hop_tasks
from tests.rigify_character import generated

CLIPS, LAST, EVERY, CUT = 9, 121, 10, 60.0
PERIOD, UNEVEN = 60.0, 73.0
"""After so many frames controls begin anew, and so many in the clip that is no cycle."""
MOVED = ("torso", "foot_ik.L", "foot_ik.R", "hand_ik.L", "hand_ik.R")


def make_character() -> Any:
    """Rigify's human with its clips, of which the first is assigned."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "human.blend"
        bpy.ops.wm.open_mainfile(filepath=str(generated(path, "human", "bare")))
    armature = bpy.data.objects["rig"]
    made = [make_clip(armature, number) for number in range(CLIPS)]
    make_clip(armature, CLIPS + 1, UNEVEN).name = "Once"
    armature.animation_data.action = made[0]
    bpy.context.scene.frame_set(1)
    return armature


def make_clip(armature: Any, number: int, period: float = PERIOD) -> Any:
    """A clip that moves all controls."""
    action = bpy.data.actions.new(f"Clip {number}")
    action.use_fake_user = True
    armature.animation_data.action = action
    bones = armature.pose.bones
    for bone in bones:
        bone.matrix_basis = Matrix()
    for limb in ("thigh_parent.L", "thigh_parent.R"):
        bones[limb]["IK_FK"] = float(number % 2)
        bones[limb].keyframe_insert('["IK_FK"]', frame=1)
    controls = [bone for bone in bones if bone.custom_shape is not None]
    for frame in range(1, LAST + 1, EVERY):
        for place, bone in enumerate(controls):
            swing = math.sin(2.0 * math.pi * ((frame - 1) / period + 0.07 * number + 0.13 * place))
            if bone.name == "root":
                bone.location = (0.0, -0.01 * (1 + number % 3) * (frame - 1), 0.0)
            elif bone.name in MOVED:
                bone.location = (0.01 * swing, -0.05 * swing, 0.04 * swing - 0.1 * (bone.name == "torso"))
            elif bone.rotation_mode == "QUATERNION" and not any(bone.lock_rotation):
                bone.rotation_quaternion = (1.0, 0.1 * swing, 0.03 * swing, 0.02)
                bone.keyframe_insert("rotation_quaternion", frame=frame)
                continue
            else:
                continue
            bone.keyframe_insert("location", frame=frame)
    return action


def step(armature: Any, *, read: bool) -> None:
    """Step through a clip, with a look at the pose or without."""
    heads = np.empty(3 * len(armature.pose.bones), np.float32)
    for frame in range(1, LAST + 1):
        bpy.context.scene.frame_set(frame)
        if read:
            shown = armature.evaluated_get(bpy.context.view_layer.depsgraph)
            shown.pose.bones.foreach_get("head", heads)


def settings(destination: str, feet: str = "OFF") -> TransitionSettings:
    """A transition from the first clip."""
    return TransitionSettings(source="Clip 0", destination=destination, cut=CUT, assign=False, feet=feet)


def baked(armature: Any, destination: str, feet: str = "OFF") -> None:
    """Bake a transition from the first clip."""
    report = bake.bake_transition(armature, settings(destination, feet))
    bpy.data.actions.remove(bpy.data.actions[report.result])


def evaluated(armature: Any) -> None:
    """Read and evaluate two clips."""
    pair = costing.read_pair(armature, settings("Clip 1"))
    with playback.together():
        finish(costing.motions(armature, pair))


def searched(armature: Any) -> None:
    """Find hops over all clips, for every trigger."""
    weights = joints.named_weights(armature, "found")
    finish(hops.table(hop_tasks.prepare(armature, HopSettings(settings("Clip 1")), weights)))


def measured(work: Callable[[], None]) -> tuple[float, int]:
    """The processor time of some work, and how often Blender shows a frame for it."""
    shown: list[None] = []
    bpy.app.handlers.frame_change_post.append(lambda *_arguments: shown.append(None))
    try:
        began = time.process_time()
        work()
        return time.process_time() - began, len(shown)
    finally:
        bpy.app.handlers.frame_change_post.pop()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    armature = make_character()
    constraints = sum(len(bone.constraints) for bone in armature.pose.bones)
    works: dict[str, Callable[[], None]] = {
        "bare": lambda: step(armature, read=False),
        "read": lambda: step(armature, read=True),
        "bake": lambda: baked(armature, "Once"),
        "cycle": lambda: baked(armature, "Clip 2"),
        "feet": lambda: baked(armature, "Clip 2", "AUTO"),
        "switch": lambda: baked(armature, "Clip 1"),
        "two": lambda: evaluated(armature),
        "hops": lambda: searched(armature),
    }
    taken = [{name: measured(work) for name, work in works.items()} for _ in range(rounds)]
    least = {name: min(one[name] for one in taken) for name in works}
    frame, read = least["bare"][0] / LAST, least["read"][0]
    print(
        f"Blender {bpy.app.version_string}: Rigify's human, {len(armature.pose.bones)} bones, {constraints} "
        f"constraints, the least of {rounds} rounds; a frame_set takes {1e3 * frame:.1f} ms"
    )
    for label, name, unit, most in (
        ("a bake, in frame_sets", "bake", frame, 60.0),
        ("a bake into a cycle, in frame_sets", "cycle", frame, 60.0),
        ("a bake that looks after feet, in frame_sets", "feet", frame, 120.0),
        ("a bake in which legs go from IK to FK, in frame_sets", "switch", frame, 120.0),
        ("two clips evaluated, by stepping through them", "two", 2.0 * read, 1.0),
        (f"hops over {CLIPS} clips, by stepping through them", "hops", CLIPS * read, 0.9),
    ):
        spent, shown = least[name]
        print(f"  {label}: {whether(spent / unit, most)}   [{spent:.2f} s, {shown} frames shown]")
    sys.stdout.flush()
    # the bpy modules can hang at exit; everything is said
    os._exit(0)


if __name__ == "__main__":
    main()
