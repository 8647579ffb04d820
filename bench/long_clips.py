# SPDX-License-Identifier: GPL-3.0-or-later
"""What clips of 100,000 frames cost, and clips of two keys a million frames apart.

    python bench/long_clips.py [--frames 100000]

Each command runs in a process of its own over a rig of 20 bones, with a key on every frame of all rotations
and of the root's location. Printed are the seconds, also as multiples of ``info``, which does little more
than to read the file, and the most memory that the process had.

A bake of 100,000 frames can't take less than 2.23 GiB: Blender stores a key in 72 bytes, which are 1.11 GiB
of the two clips and 0.84 GiB of the result, and is 0.28 GiB large itself. Its goal leaves 0.12 GiB for all
else.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from goals import whether

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from inertia_addon.blender.data import compat

ROOT = Path(__file__).resolve().parents[1]
BONES = 20
FRAMES = 100_000
GOALS: dict[bool, dict[str, tuple[float | None, float | None]]] = {
    True: {"info": (5.8, None), "bake": (9.0, 2.35)},
    False: {"pops": (5.0, None)},
}
"""Seconds and GiB that are aimed at, where there is a key on each frame and where there are two."""
LIMIT = 600.0
"""Seconds after which a command counts as one that hangs."""


def make_rig() -> Any:
    """A chain of bones."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    data = bpy.data.armatures.new("Rig")
    armature = bpy.data.objects.new("Rig", data)
    bpy.context.scene.collection.objects.link(armature)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    above = None
    for i in range(BONES):
        bone = data.edit_bones.new(f"Bone{i}")
        bone.head, bone.tail, bone.parent = (0.0, 0.0, 0.1 * i), (0.0, 0.0, 0.1 * i + 0.1), above
        above = bone
    bpy.ops.object.mode_set(mode="OBJECT")
    return armature


def make_action(armature: Any, name: str, frames: np.ndarray, speed: float) -> None:
    """A clip that travels, and turns all bones to and fro."""
    action = bpy.data.actions.new(name)
    action.use_fake_user = True
    bag = compat.new_bag(action, compat.Slot("OBRig", "OBJECT"))
    count = np.arange(len(frames))
    for i, bone in enumerate(armature.data.bones):
        angle = 0.15 * np.sin(0.2 * count + i)
        paths = [("rotation_quaternion", [np.cos(angle), np.sin(angle), 0.0 * angle, 0.0 * angle])]
        if i == 0:
            paths.append(("location", [speed * frames, 0.1 * np.sin(0.01 * count), 0.0 * angle]))
        for prop, columns in paths:
            for index, values in enumerate(columns):
                curve = bag.fcurves.new(f'pose.bones["{bone.name}"].{prop}', index=index)
                curve.keyframe_points.add(len(frames))
                points = np.column_stack([frames, values]).astype(np.float32)
                curve.keyframe_points.foreach_set("co", points.ravel())
                curve.update()


def measured(words: list[str]) -> tuple[float, float, str]:
    """The seconds and the MiB that a command takes, and how it ended."""
    began = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, "-m", "inertia_addon", *words],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    while True:
        ended, status, usage = os.wait4(process.pid, os.WNOHANG)
        if ended:
            break
        if time.monotonic() - began > LIMIT:
            process.kill()
            os.wait4(process.pid, 0)
            process.returncode = -9
            return LIMIT, float("nan"), "stopped"
        time.sleep(0.02)
    process.returncode = os.waitstatus_to_exitcode(status)
    said = {0: "", 1: "refused"}.get(process.returncode, f"code {process.returncode}")
    return time.monotonic() - began, usage.ru_maxrss / 1024.0, said


def commands(path: Path, folder: Path, cut: int) -> list[tuple[str, list[str]]]:
    """What is measured, by name."""
    both = ["--source", "Walk", "--destination", "Run"]
    return [
        ("info", ["info", str(path)]),
        ("bake", ["bake", str(path), *both, "--cut", str(cut), "-o", str(folder / "out.blend")]),
        ("cost, best pair", ["cost", str(path), *both, "--cut", str(cut)]),
        ("cost, map", ["cost", str(path), *both, "--map", str(folder / "map.png")]),
        ("matrix", ["matrix", str(path), "-o", str(folder / "matrix")]),
        ("fit", ["fit", str(path), "--action", "Walk"]),
        ("pops", ["pops", str(path), "--action", "Walk"]),
        ("check", ["check", str(path), "--action", "Walk"]),
        ("loop", ["loop", str(path), "--action", "Walk", "-o", str(folder / "loop.blend")]),
        ("database", ["database", str(path), "--actions", "Walk", "-o", str(folder / "set.npz")]),
        ("hop, a trigger", ["hop", str(path), *both, "--trigger", str(cut), "--wait-weight", "0.1"]),
    ]


def main() -> None:
    """Print a table for each of the two files."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--frames", type=int, default=FRAMES)
    frames = parser.parse_args().frames
    kinds = {
        f"{frames} frames, a key on each": np.arange(1.0, frames + 1.0),
        "2 keys, 1,000,000 frames": np.array([1.0, 1_000_000.0]),
    }
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for kind, keyed in kinds.items():
            armature = make_rig()
            make_action(armature, "Walk", keyed, 0.02)
            make_action(armature, "Run", keyed, 0.05)
            path = folder / "long.blend"
            bpy.ops.wm.save_as_mainfile(filepath=str(path))
            print(f"\n| {kind} | s | times info | GiB | |\n| --- | --- | --- | --- | --- |")
            goals = GOALS[len(keyed) > 2] if len(keyed) in (2, FRAMES) else {}
            least = 0.0
            for called, words in commands(path, folder, int(keyed[-1]) // 2):
                seconds, memory, said = measured(words)
                least = least or seconds
                soon, small = goals.get(called, (None, None))
                took = f"{seconds:.1f}" if soon is None else whether(seconds, soon, " s")
                held = f"{memory / 1024:.2f}" if small is None else whether(memory / 1024, small, " GiB")
                print(f"| {called} | {took} | {seconds / least:.1f} | {held} | {said} |", flush=True)


if __name__ == "__main__":
    main()
