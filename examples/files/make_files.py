# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the files that the commands of the pages name: clips, curves, recordings, wishes and a spec.

python examples/files/make_files.py [-o FOLDER]     (a Python that has bpy)

They go into the folder you are in, so that the commands work as they are written.
"""

from __future__ import annotations

import argparse
import math
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import bpy
from mathutils import Vector

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "humanoid"))

import make_clips

from inertia_addon.blender.mannequin.character import Mannequin
from inertia_addon.blender.mannequin.recordings import add_pasted, add_recordings
from inertia_addon.blender.mannequin.rig import assign_action, build_armature
from inertia_addon.blender.mannequin.street import Points, add_curve, add_street, trace_street

ROOT = Path(__file__).resolve().parents[2]

WISHES = """seconds,x,y,facing
0,0,0,
1.5,1.3,0,
4,0,1.3,
6.5,0,0,
8,0,0,
"""
STICK = """seconds,x,y,facing
0,0,0,
1.5,1,0,
4,0,2,
6.5,0,1,
8,0,0,
"""
SPEC = """files = ["clips.blend"]
formats = ["blend", "glb"]

[defaults]
blend_frames = 14

[[transitions]]
source = "Walk"
destination = "Run"
cut = "best"
range = [1, 30]
name = "start_running"

[[state_machines]]
clips = ["Idle", "Walk", "Run"]
edges = "all"

[[hops]]
source = "Run"
destination = "Idle"
trigger = [8, 24]

[[hop_tables]]
all_pairs = ["Idle", "Walk", "Run"]

[[paths]]
curve = "Street"
actions = ["Idle", "Walk", "Run"]
mirror = true

[[takes]]
input = "wishes.csv"
start = "1.5,0,90"

[[learns]]
actions = ["Idle", "Walk", "Run"]
mirror = true
minutes = 10
"""
RECORDINGS, PASTED = "recordings.blend", "pasted.blend"
BAKES = (
    ("clips.blend", ("Idle", "Walk", "60", "Start"), "clips.blend"),
    ("clips.blend", ("Walk", "Idle", "60", "Stop"), "clips.blend"),
    (RECORDINGS, ("Walk", "Walk", "97", "walk"), "walk.bvh"),
    (RECORDINGS, ("Run", "Run", "81", "run"), "run.bvh"),
    (RECORDINGS, ("Walk", "Idle", "60", "stop"), "stop.bvh"),
    (RECORDINGS, ("Idle", "Turn", "20", "turn"), "turn.bvh"),
    (RECORDINGS, ("Popping", "Walk", "97", "take"), "take.bvh"),
    (RECORDINGS, ("Walk", "Walk", "97", "walk"), "walk.glb"),
    (RECORDINGS, ("Run", "Run", "81", "run"), "run.glb"),
)
"""What transitions make: from which file, the two actions, the cut, the result's name, into which file."""


def circle(radius: float) -> Points:
    """Points (x, y, 0) of a circle that begins at the origin, towards x, metres."""
    turns = [2.0 * math.pi * i / 60 for i in range(61)]
    return [(radius * math.sin(turn), radius * (1.0 - math.cos(turn)), 0.0) for turn in turns]


def add_stairs() -> None:
    """Add the object Stairs: ten steps of 30 by 8 centimetres, the way that the mannequin walks."""
    boxes = [(-0.3 * i - 0.15, 0.08 * (i + 1)) for i in range(10)]
    vertices = [
        (x, y + dy, z) for y, top in boxes for x in (-1.0, 1.0) for dy in (-0.15, 0.15) for z in (0.0, top)
    ]
    quads = [(0, 2, 6, 4), (1, 5, 7, 3), (0, 4, 5, 1), (2, 3, 7, 6), (0, 1, 3, 2), (4, 6, 7, 5)]
    faces = [tuple(8 * i + corner for corner in quad) for i in range(len(boxes)) for quad in quads]
    mesh = bpy.data.meshes.new("Stairs")
    mesh.from_pydata(vertices, [], faces)
    bpy.context.scene.collection.objects.link(bpy.data.objects.new("Stairs", mesh))


def add_leader(points: Iterable[tuple[float, float, float]]) -> None:
    """Add the object Leader, which goes through points, one every four frames."""
    leader = bpy.data.objects.new("Leader", None)
    bpy.context.scene.collection.objects.link(leader)
    for i, place in enumerate(points):
        leader.location = place
        leader.keyframe_insert("location", frame=1 + 4 * i)


def add_fly(mannequin: Mannequin) -> None:
    """Add the action Fly: the mannequin lies in the air, a metre up, and breathes."""
    rig, idle = mannequin.rig, mannequin.actions["Idle"]
    assign_action(rig, idle)
    fly = idle.copy()
    fly.name = "Fly"
    assign_action(rig, fly)
    root = rig.pose.bones["root"]
    root.location = root.bone.matrix_local.inverted().to_3x3() @ Vector((0.0, 0.0, 1.0))
    root.keyframe_insert("location", frame=1)


def make_recordings(path: Path) -> None:
    """Write a file whose clips are as if they were recorded."""
    mannequin = make_clips.write_clips(path)
    add_recordings(mannequin)
    bpy.ops.wm.save_mainfile()


def make_pasted(path: Path) -> None:
    """Write a file whose action Pasted holds two takes, one cut to the other."""
    mannequin = make_clips.write_clips(path)
    add_pasted(mannequin)
    bpy.ops.wm.save_mainfile()


def make_square(path: Path) -> None:
    """Write a file with two characters, Walker and Walker.001, and two curves, Street and Lane."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.render.fps = make_clips.FPS
    walker = build_armature(scene)
    walker.name = "Walker"
    other = walker.copy()
    scene.collection.objects.link(other)
    add_street(scene)
    add_curve(scene, "Lane", [(x, y + 3.0, z) for x, y, z in trace_street(12.0, -1.0)])
    bpy.ops.wm.save_as_mainfile(filepath=str(path))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("-o", "--output", type=Path, default=Path(), help="the folder to write into")
    folder = parser.parse_args().output.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    mannequin = make_clips.write_clips(folder / "clips.blend")
    bpy.context.preferences.filepaths.save_version = 0
    add_stairs()
    add_street(bpy.context.scene)
    add_leader(circle(4.0))
    add_fly(mannequin)
    bpy.ops.wm.save_mainfile()
    make_recordings(folder / RECORDINGS)
    make_pasted(folder / PASTED)
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    for file, (source, destination, cut, result), into in BAKES:
        words = ["--source", source, "--destination", destination, "--cut", cut, "--result", result]
        words += ["--blend-frames", "24", "--no-assign", "-o", into]
        command = [sys.executable, "-m", "inertia_addon", "bake", file, *words]
        done = subprocess.run(
            command, cwd=folder, env=environment, check=False, stderr=subprocess.PIPE, text=True
        )
        if done.returncode:
            sys.exit(done.stderr)
    for name in (RECORDINGS, PASTED):
        (folder / f"{name}1").unlink(missing_ok=True)
    make_square(folder / "square.blend")
    points = "".join(f"{x:.4f},{y:.4f}\n" for x, y, _ in circle(4.0))
    for name, text in (
        ("path.csv", f"x,y\n{points}"),
        ("wishes.csv", WISHES),
        ("stick.csv", STICK),
        ("library.toml", SPEC),
    ):
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
