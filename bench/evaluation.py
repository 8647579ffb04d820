# SPDX-License-Identifier: GPL-3.0-or-later
"""How fast a plain rig's clip is evaluated for the first time, as ratios measured in one process.

    python bench/evaluation.py [--rounds 7]

A clip of 65 bones and 2000 frames (rotations of all bones, location of the root) is read and evaluated,
joint velocities and the root's place included, in turn with stepping ``scene.frame_set`` over its frames
and reading the bones' matrices in bulk. Once with a key on every frame, once on every fifth with automatic
handles. The second ratio leaves the reading of keys out, which a bake needs anyway.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
from pathlib import Path
from typing import Any

import bpy
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench import BONES, make_rig
from inertia_addon.blender.data import actions, compat, roots
from inertia_addon.blender.evaluation import influence, joint_motion
from inertia_addon.blender.evaluation.character import read_character

FRAMES = 2000


def make_clip(every: int) -> Any:
    """Smooth random rotations of all bones and a walking root, with automatic handles."""
    chance = np.random.default_rng(7)
    action = bpy.data.actions.new(f"Every {every}")
    bag = compat.new_bag(action, compat.Slot("OBRig" if compat.has_slots() else "", "OBJECT"))
    frames = np.arange(0, FRAMES - 1 + every, every, dtype=np.float64)
    for i in range(BONES):
        half = 0.5 * chance.uniform(0.1, 0.6) * np.sin(chance.uniform(0.05, 0.2) * frames)
        axis = chance.normal(size=3)
        axis /= np.linalg.norm(axis)
        q = np.column_stack([np.cos(half), np.sin(half)[:, None] * axis])
        for k in range(4):
            _write(bag, f'pose.bones["bone{i:02}"].rotation_quaternion', k, frames, q[:, k])
    for k in range(3):
        _write(bag, 'pose.bones["bone00"].location', k, frames, 0.02 * (k + 1) * frames)
    return action


def _write(bag: Any, path: str, index: int, frames: Any, values: Any) -> None:
    curve = bag.fcurves.new(path, index=index)
    curve.keyframe_points.add(len(frames))
    curve.keyframe_points.foreach_set("co", np.column_stack([frames, values]).astype(np.float32).ravel())
    curve.update()


def by_numpy(armature: Any, action: Any) -> tuple[float, float, Any]:
    """Read a clip and evaluate it as the first time: seconds for both, and what is found."""
    began = time.perf_counter()
    clip = actions.read(action, actions.choose_slot(action, armature))
    read = time.perf_counter()
    assert not influence.why_not_plain(armature, (clip,))
    motion = joint_motion.evaluate(
        read_character(armature), clip, np.arange(FRAMES, dtype=float), roots.Root("bone00", moves=True)
    )
    return read - began, time.perf_counter() - read, motion.positions


def by_stepping(armature: Any, action: Any) -> tuple[float, Any]:
    """The least that Blender's own evaluation takes: each frame, and the matrices in bulk."""
    compat.assign(armature, action, actions.choose_slot(action, armature).identifier)
    scene = bpy.context.scene
    buffer = np.empty(16 * BONES, np.float32)
    heads = np.empty((FRAMES, BONES, 3))
    began = time.perf_counter()
    for frame in range(FRAMES):
        scene.frame_set(frame)
        armature.pose.bones.foreach_get("matrix", buffer)
        matrices = buffer.reshape(-1, 4, 4).transpose(0, 2, 1)
        world = np.array(armature.matrix_world)
        heads[frame] = matrices[:, :3, 3] @ world[:3, :3].T + world[:3, 3]
    seconds = time.perf_counter() - began
    compat.assign(armature, None)
    return seconds, heads


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7)
    rounds = parser.parse_args().rounds
    print(f"Blender {bpy.app.version_string}: {BONES} bones, {FRAMES} frames, medians of {rounds} rounds")
    for label, every in (("a key on every frame", 1), ("a key on every fifth frame", 5)):
        armature = make_rig()
        action = make_clip(every)
        times, apart = [], 0.0
        for _ in range(rounds):
            reading, ours, found = by_numpy(armature, action)
            theirs, expected = by_stepping(armature, action)
            times.append((reading, ours, theirs))
            apart = max(apart, float(np.abs(found - expected).max()))
        both = statistics.median(theirs / (reading + ours) for reading, ours, theirs in times)
        alone = statistics.median(theirs / ours for _, ours, theirs in times)
        medians = [1e3 * statistics.median(column) for column in zip(*times, strict=True)]
        print(
            f"  {label}: read and evaluated {both:.1f} times faster than stepping, evaluated {alone:.1f}"
            f"   [{medians[0]:.0f} + {medians[1]:.0f} ms, {medians[2]:.0f} ms; {apart:.1g} m apart at most]"
        )
    sys.stdout.flush()
    # the bpy modules can hang at exit; everything is said
    os._exit(0)


if __name__ == "__main__":
    main()
