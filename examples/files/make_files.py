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
from mathutils import Matrix, Vector

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "humanoid"))

import make_clips
from mannequin.rig import assign

ROOT = Path(__file__).resolve().parents[2]
Points = list[tuple[float, float, float]]

POP_FRAMES, POP_RADIANS = (40, 43), 0.35
"""The frames between which the thigh of take.bvh is turned, and by how much."""
SWAYING, SWAY_FRAMES, SWAY_RADIANS = ("chest", "upper_arm.L", "upper_arm.R"), 12.3, 0.06
"""What sways in recordings, so many frames for each radian of its phase, and how far."""
FURTHER = 1.1
"""How much further the root of "Skating" gets than its feet step."""
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
RECORDINGS = "recordings.blend"
BAKES = (
    ("clips.blend", ("Idle", "Walk", "60", "Start"), "clips.blend"),
    ("clips.blend", ("Walk", "Idle", "60", "Stop"), "clips.blend"),
    (RECORDINGS, ("Walk", "Walk", "97", "walk"), "walk.bvh"),
    (RECORDINGS, ("Run", "Run", "81", "run"), "run.bvh"),
    (RECORDINGS, ("Walk", "Idle", "60", "stop"), "stop.bvh"),
    (RECORDINGS, ("Idle", "Turn", "20", "turn"), "turn.bvh"),
    (RECORDINGS, ("Popping", "Walk", "97", "take"), "take.bvh"),
)
"""What transitions make: from which file, the two actions, the cut, the result's name, into which file."""


def circle(radius: float) -> Points:
    """Points (x, y, 0) of a circle that begins at the origin, towards x, metres."""
    turns = [2.0 * math.pi * i / 60 for i in range(61)]
    return [(radius * math.sin(turn), radius * (1.0 - math.cos(turn)), 0.0) for turn in turns]


def street(length: float, aside: float) -> Points:
    """Points (x, y, 0) of a way that swings gently to both sides, metres."""
    return [(length * i / 60, aside * math.sin(2.0 * math.pi * i / 60), 0.0) for i in range(61)]


def add_curve(name: str, points: Points) -> None:
    """Add a curve object through points."""
    curve = bpy.data.curves.new(name, "CURVE")
    curve.dimensions = "3D"
    spline = curve.splines.new("POLY")
    spline.points.add(len(points) - 1)
    for point, place in zip(spline.points, points, strict=True):
        point.co = (*place, 1.0)
    bpy.context.scene.collection.objects.link(bpy.data.objects.new(name, curve))


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


def add_fly(rig: bpy.types.Object) -> None:
    """Add the action Fly: the mannequin lies in the air, a metre up, and breathes."""
    assign(rig, bpy.data.actions["Idle"])
    fly = bpy.data.actions["Idle"].copy()
    fly.name = "Fly"
    assign(rig, fly)
    root = rig.pose.bones["root"]
    root.location = root.bone.matrix_local.inverted().to_3x3() @ Vector((0.0, 0.0, 1.0))
    root.keyframe_insert("location", frame=1)


def make_recordings(path: Path) -> None:
    """Write a file whose clips are as if they were recorded."""
    make_clips.main(["-o", str(path)])
    add_recordings(bpy.data.objects["Mannequin"])
    bpy.ops.wm.save_mainfile()


def add_recordings(rig: bpy.types.Object) -> None:
    """Have chest and arms never go twice the same way in walk and run, and add two faulty walks.

    In "Popping" a thigh jumps aside and back again; in "Skating" the root gets further than its feet step.
    """
    thigh = rig.pose.bones["thigh.L"]
    popping = bpy.data.actions["Walk"].copy()
    popping.name = "Popping"
    for action in (bpy.data.actions["Walk"], bpy.data.actions["Run"], popping):
        assign(rig, action)
        first, last = (int(frame) for frame in action.frame_range)
        for frame in range(first, last + 1):
            bpy.context.scene.frame_set(frame)
            for i, name in enumerate(SWAYING):
                sway(rig.pose.bones[name], SWAY_RADIANS * math.sin(frame / SWAY_FRAMES + i), frame)
            if action == popping and frame in range(*POP_FRAMES):
                sway(thigh, POP_RADIANS, frame)
    skating = bpy.data.actions["Walk"].copy()
    skating.name = "Skating"
    for action in (popping, skating):
        action.use_fake_user = True
    assign(rig, skating)
    root = rig.pose.bones["root"]
    for frame in range(1, int(skating.frame_range[1]) + 1):
        bpy.context.scene.frame_set(frame)
        root.location *= FURTHER
        root.keyframe_insert("location", frame=frame)
    assign(rig, bpy.data.actions["Walk"])


def sway(bone: bpy.types.PoseBone, angle: float, frame: int) -> None:
    """Key a bone turned about its own x axis from where it is."""
    bone.matrix_basis = bone.matrix_basis @ Matrix.Rotation(angle, 4, "X")
    euler = bone.rotation_mode != "QUATERNION"
    bone.keyframe_insert("rotation_euler" if euler else "rotation_quaternion", frame=frame)


def make_square(path: Path) -> None:
    """Write a file with two characters, Walker and Walker.001, and two curves, Street and Lane."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.render.fps = make_clips.FPS
    walker = make_clips.build_armature(scene)
    walker.name = "Walker"
    other = walker.copy()
    scene.collection.objects.link(other)
    add_curve("Street", street(12.0, 1.0))
    add_curve("Lane", [(x, y + 3.0, z) for x, y, z in street(12.0, -1.0)])
    bpy.ops.wm.save_as_mainfile(filepath=str(path))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("-o", "--output", type=Path, default=Path(), help="the folder to write into")
    folder = parser.parse_args().output.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    make_clips.main(["-o", str(folder / "clips.blend")])
    bpy.context.preferences.filepaths.save_version = 0
    add_stairs()
    add_curve("Street", street(12.0, 1.0))
    add_leader(circle(4.0))
    add_fly(bpy.data.objects["Mannequin"])
    bpy.ops.wm.save_mainfile()
    make_recordings(folder / RECORDINGS)
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
    (folder / f"{RECORDINGS}1").unlink(missing_ok=True)
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
