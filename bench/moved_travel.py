# SPDX-License-Identifier: GPL-3.0-or-later
"""What it does to real motion to move its travel onto a root bone and back, judged by what Blender shows.

    python bench/moved_travel.py --data ../shared/data [--count 12] [--seed 1]

Clips that end a metre from where they begin are drawn by a seed from the captures below DATA. Each of their
characters gets a bone ``Root`` at its feet, below everything, as animators give it one; what carried the
travel, its topmost joint or the object, carries it at first. ``travel --on root`` moves it to the root, and
``travel --on hips`` of the result takes it back. Last is the walk of examples/humanoid, whose root carries
it, so that it goes to the hips first, and back. Printed are how far any joint is from where it was, on whole
and half frames, and how far the root gets; and by how much the turn of root and hips over the ground changes
from one frame to the next, at most: a root that turns evenly does so less. Exits with 1 where a joint is
further off than a tenth of a millimetre, or the root turns less evenly than the hips.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import io
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import bpy
import numpy as np
from numpy.typing import NDArray

from inertia_addon.blender import files
from inertia_addon.blender.data import clip_store, compat
from inertia_addon.blender.data.rig import armatures
from inertia_addon.blender.travel import bake
from inertia_addon.settings.travel import TravelSettings
from tools import tables

Array = NDArray[np.float64]

ROOT = Path(__file__).resolve().parents[1]
NAME = "Root"
MOST_MILLIMETRES, LEAST_METRES = 0.1, 1.0
MOST_FRAMES = 150
"""At so many frames of a clip, evenly, it is looked where joints are; turns are looked at on every frame."""


@dataclasses.dataclass(frozen=True)
class Shown:
    """Where joints are (n, joints, 3), metres, how far root and hips have turned (n, 2), degrees, and how far
    the hips get over the ground (2,)."""

    joints: Array
    turns: Array
    way: Array


def show(armature: Any, action: Any, frames: Array, root: str, hips: str) -> Shown:
    """Have Blender show an action at frames (n,)."""
    slot = next(slot.identifier for slot in compat.slots(action) if slot.id_type == "OBJECT")
    compat.assign(armature, action, slot)
    joints, axes, ways = [], [], []
    for frame in frames.tolist():
        bpy.context.scene.frame_set(int(np.floor(frame)), subframe=frame % 1.0)
        own = armature.evaluated_get(bpy.context.evaluated_depsgraph_get())
        world = np.array(own.matrix_world, float)
        bones = own.pose.bones
        joints.append([(world @ (*bone.head, 1.0))[:3] for bone in bones if bone.name != root])
        axes.append([(world @ np.array(bones[name].matrix, float))[:3, :3] for name in (root, hips)])
        ways.append((world @ (*bones[hips].head, 1.0))[:2])
    turns = np.array(axes) @ np.linalg.inv(np.array(axes)[0])
    headings = np.arctan2(turns[..., 1, 0] - turns[..., 0, 1], turns[..., 0, 0] + turns[..., 1, 1])
    return Shown(np.array(joints), np.degrees(np.unwrap(headings, axis=0)), ways[-1] - ways[0])


def add_root(armature: Any) -> None:
    """Hang all bones of an armature from a new one at its feet."""
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    bones = armature.data.edit_bones
    lowest = min(bone.head[2] for bone in bones)
    tops = [bone for bone in bones if bone.parent is None]
    root = bones.new(NAME)
    head = max(tops, key=lambda bone: len(bone.children_recursive)).head
    root.head, root.tail = (head[0], head[1], lowest), (head[0], head[1] - 0.2, lowest)
    for bone in tops:
        bone.parent = root
    bpy.ops.object.mode_set(mode="OBJECT")


def find_below(armature: Any, top: str) -> str:
    """Return the bone below another one from which most others hang: the hips."""
    children = armature.data.bones[top].children
    return str(max(children, key=lambda bone: len(bone.children_recursive)).name)


def judge(armature: Any, action: Any, carriers: tuple[str, str]) -> list[str] | None:
    """Return the cells of a clip: what is measured, and at last whether it holds; None where it stays.

    carriers: where the travel goes, ROOT or HIPS, and where then.
    """
    root = next((bone.name for bone in armature.data.bones if bone.name.lower() == NAME.lower()), "")
    hips = find_below(armature, root)
    first, last = (float(end) for end in action.frame_range)
    whole = np.arange(np.ceil(first), np.floor(last) + 0.5)
    halves = np.arange(2.0 * whole[0], 2.0 * whole[-1] + 0.5) / 2.0
    frames = halves[np.linspace(0.0, len(halves) - 1.0, min(MOST_FRAMES, len(halves))).astype(int)]
    before = show(armature, action, frames, root, hips)
    if np.linalg.norm(before.way) < LEAST_METRES:
        return None
    made, seen = [], []
    for on in carriers:
        named = made[-1].result if made else action.name
        made.append(bake.travel(armature, TravelSettings(named, on=on, assign=False)))
        seen.append(show(armature, bpy.data.actions[made[-1].result], frames, root, hips))
    on_root = carriers.index("ROOT")
    turns = show(armature, bpy.data.actions[made[on_root].result], whole, root, hips).turns
    off = [1e3 * float(np.abs(each.joints - before.joints).max()) for each in seen]
    rough = np.abs(np.diff(turns, 2, axis=0)).max(axis=0, initial=0.0).tolist()
    holds = max(off) < MOST_MILLIMETRES and rough[0] <= max(rough[1], 1e-2)
    figures = (
        [f"{each:.4f}" for each in off] + [f"{made[on_root].way:.2f}"] + [f"{each:.3f}" for each in rough]
    )
    return [*figures, f"{turns[-1, 0] - turns[0, 0]:.0f}", "yes" if holds else "**no**"]


def load(path: Path) -> tuple[Any, Any]:
    """Open a file; return its armature and its first action, or its walk."""
    with contextlib.redirect_stdout(io.StringIO()):
        is_scaled = path.suffix == ".bvh" and not path.stem.endswith("_metres")
        files.load([path], 0.01 if is_scaled else 1.0)
        armature = max(armatures(), key=lambda each: len(clip_store.find_fitting(each)))
        fitting = clip_store.find_fitting(armature)
        return armature, next((each for each in fitting if each.name.lower().endswith("walk")), fitting[0])


def rows(data: Path, count: int, seed: int) -> Iterator[list[str]]:
    """Yield the cells of so many captured clips below a folder, drawn by a seed, then of the humanoid."""
    drawn = [*sorted(data.glob("bvh/*/*.bvh")), *sorted(data.glob("fbx/*.fbx"))]
    random.Random(seed).shuffle(drawn)
    for path in drawn:
        armature, action = load(path)
        add_root(armature)
        cells = judge(armature, action, ("ROOT", "HIPS")) if count else None
        if cells is not None:
            count -= 1
            yield [path.stem, *cells]
        if not count:
            break
    with tempfile.TemporaryDirectory() as name:
        humanoid = Path(name) / "clips.blend"
        script = ROOT / "examples" / "humanoid" / "make_clips.py"
        command = [sys.executable, str(script), "--output", str(humanoid)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        cells = judge(*load(humanoid), ("HIPS", "ROOT"))
        assert cells is not None
        yield ["the humanoid's Walk, to the hips and back", *cells]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--count", type=int, default=12)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    heads = (
        "clip",
        "off on the root, mm",
        "off again on the hips, mm",
        "way, m",
        "root's turn changes by, °",
    )
    for line in tables.heads((*heads, "the hips' by, °", "root turns, °", "holds")):
        print(line)
    wrong = 0
    for cells in rows(options.data.resolve(), options.count, options.seed):
        wrong += cells[-1] != "yes"
        print(tables.row(cells), flush=True)
    sys.stdout.flush()
    os._exit(bool(wrong))


if __name__ == "__main__":
    main()
