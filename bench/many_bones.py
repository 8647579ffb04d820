# SPDX-License-Identifier: GPL-3.0-or-later
"""What a transition takes on rigs with many bones: baked, and its costs with the best pair.

    python bench/many_bones.py [--bones 2000] [--rounds 3] [--cuts 2] [--save FOLDER]

The humanoid of examples/humanoid gets chains of four bones, as of hair, cloth and faces, until it has so many
bones. All of them have a key on each frame of its clips, of which sixty frames are kept. Once its mesh is
moved by the body alone, and once there is no mesh, so that all bones are judged. Each command runs in a
process of its own. Printed are the least processor seconds of some rounds, and the same as multiples of
``info``, which does little more than to read the file; and at how many of some cuts the entry that is found
is that which is found where no bone is left out. --save keeps the files.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import bpy
import numpy as np
from goals import whether

from inertia_addon.blender.data import compat
from inertia_addon.blender.data.rig import bone_path
from inertia_addon.blender.transition import entering, glances
from inertia_addon.motion.steps import finish
from inertia_addon.settings.transition import TransitionSettings
from tests.blender import builders

ROOT = Path(__file__).resolve().parents[1]
BONES, CHAIN, FRAMES = 2000, 4, 60
CLIPS = ("Walk", "Run")
BODY = ("head", "neck", "chest", "spine", "hips")
"""Chains hang from these in turns, as far as the rig has them."""
MOST_SECONDS = 3.0


def add_chains(armature: Any, bones: int) -> list[str]:
    """Hang chains of bones on an armature until it has so many; return the names of the new ones."""
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    edited = armature.data.edit_bones
    body = [bone.name for bone in edited if bone.name.lower().startswith(BODY)] or [edited[0].name]
    names = [f"chain {i // CHAIN} {i % CHAIN}" for i in range(bones - len(edited))]
    for i, name in enumerate(names):
        chain, place = divmod(i, CHAIN)
        bone = edited.new(name)
        bone.parent = edited[names[i - 1] if place else body[chain % len(body)]]
        away = 0.05 * np.array([np.cos(2.4 * chain), np.sin(2.4 * chain), 0.2])
        bone.head = edited[body[chain % len(body)]].head if not place else edited[names[i - 1]].tail
        bone.tail = np.asarray(bone.head) + away
    bpy.ops.object.mode_set(mode="OBJECT")
    return names


def sway(action: Any, slot: str, names: list[str]) -> None:
    """Give bones a key on each frame of an action, by which they sway as often as it lasts seconds."""
    first, last = action.frame_range
    frames = np.arange(first, last + 0.5)
    for i, name in enumerate(names):
        angle = 0.1 * np.sin(2.0 * np.pi * (frames - first) / (last - first) + i)
        turns = np.column_stack([np.cos(angle), np.sin(angle), 0.0 * angle, 0.0 * angle])
        rows = [*zip(frames.tolist(), turns.tolist(), strict=True)]
        path = bone_path(name, "rotation_quaternion")
        builders.curves(action, path, rows, interpolation="LINEAR", slot=slot)


def make(folder: Path, bones: int) -> dict[str, Path]:
    """Write the files of the rig; return their paths, by which bones are judged."""
    path = folder / "judged.blend"
    script = ROOT / "examples" / "humanoid" / "make_clips.py"
    subprocess.run(
        [sys.executable, str(script), "--output", str(path)], check=True, stdout=subprocess.DEVNULL
    )
    bpy.ops.wm.open_mainfile(filepath=str(path))
    names = add_chains(find_armature(), bones)
    for clip in CLIPS:
        action = bpy.data.actions[clip]
        slot = next(slot.identifier for slot in compat.slots(action))
        shorten(action, slot)
        sway(action, slot, names)
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    for mesh in [item for item in bpy.data.objects if item.type == "MESH"]:
        bpy.data.objects.remove(mesh)
    bare = folder / "bare.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(bare))
    return {"the body is judged": path, "all are judged": bare}


def find_armature() -> Any:
    """Return the armature of the file that is open."""
    return next(item for item in bpy.data.objects if item.type == "ARMATURE")


def shorten(action: Any, slot: str) -> None:
    """Take the keys behind the last frame that is kept out of an action."""
    for curve in compat.curves(action, slot):
        points = curve.keyframe_points
        for i in range(len(points) - 1, -1, -1):
            if points[i].co[0] > FRAMES + 1:
                points.remove(points[i], fast=True)
        curve.update()


def spend(words: list[str]) -> float:
    """Return the processor seconds that a command takes. Raises CalledProcessError where it fails."""
    process = subprocess.Popen(
        [sys.executable, "-m", "inertia_addon", *words],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, words)
    return usage.ru_utime + usage.ru_stime


def commands(path: Path, folder: Path) -> dict[str, list[str]]:
    """Return the words of what is measured, by what it is."""
    both = [str(path), "--source", CLIPS[0], "--destination", CLIPS[1], "--cut", "20"]
    return {
        "info": ["info", str(path)],
        "bake": ["bake", *both, "-o", str(folder / "out.blend")],
        "bake, feet off": ["bake", *both, "--feet", "off", "-o", str(folder / "out.blend")],
        "bake, entry named": ["bake", *both, "--destination-frame", "1", "-o", str(folder / "out.blend")],
        "cost": ["cost", *both],
    }


def count_same_entries(path: Path, cuts: int) -> int:
    """Return at how many of some cuts the entry is the one that is found where all bones are looked at."""
    bpy.ops.wm.open_mainfile(filepath=str(path))
    armature, least, same = find_armature(), glances.LEAST, 0
    for cut in np.linspace(10.0, FRAMES - 10.0, cuts).round().tolist():
        settings = TransitionSettings(*CLIPS, cut)
        found = []
        for glances.LEAST in (least, np.inf):
            found.append(finish(entering.entered(armature, settings)).destination_frame)
        same += found[0] == found[1]
    glances.LEAST = least
    return same


def main() -> None:
    """Print a table for each of the two files."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--bones", type=int, default=BONES)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--cuts", type=int, default=2)
    parser.add_argument("--save", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = options.save or Path(name)
        folder.mkdir(exist_ok=True)
        for judged, path in make(folder, options.bones).items():
            print(f"\n| {options.bones} bones, {judged} | processor s | times info |\n| --- | --- | --- |")
            least = 0.0
            for called, words in commands(path, Path(name)).items():
                seconds = min(spend(words) for _ in range(options.rounds))
                least = least or seconds
                figure = f"{seconds:.2f}" if called == "info" else whether(seconds, MOST_SECONDS, " s")
                print(f"| {called} | {figure} | {seconds / least:.1f} |", flush=True)
            if options.cuts:
                same = count_same_entries(path, options.cuts)
                print(f"the entry is that of all bones at {same} of {options.cuts} cuts", flush=True)
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
