# SPDX-License-Identifier: GPL-3.0-or-later
"""How near characters come to obstacles that stand on their paths, as Blender shows their hips.

    python bench/obstacles.py --data DATA [--set cmu127 cmu131] [--paths 4] [--seed 5] [--write]

Winding paths by a formula, of 12 m for a person, each with three posts on it that a seed places and shapes.
Beside what comes of keeping away by 40 cm stands what does without. With --write the table goes into
docs/reference/measured.md.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import bpy
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from goals import least
from paths import OTHERS, SETS, read

from inertia_addon import api
from inertia_addon.blender.matching import surroundings
from tools import tables

AWAY, LENGTH, POSTS = 0.4, 12.0, 3
"""So far a person keeps away, metres; so long are the paths, and so many obstacles stand on each."""
HEADS = ["path", "nearest, cm", "without obstacles, cm", "joins a second", "without, joins a second"]


def winding(chance: np.random.Generator) -> np.ndarray:
    """Points (n, 2) of a path that bends to either side, metres of a person."""
    x = np.linspace(0.0, LENGTH, 120)
    bends = chance.uniform(-0.8, 0.8, 2)
    return np.column_stack([x, bends[0] * np.sin(x / 2.5) + bends[1] * np.sin(x / 4.0)])


def place(points: np.ndarray, size: float, chance: np.random.Generator) -> Any:
    """A collection of posts on a path."""
    posts = bpy.data.collections.new("Posts")
    bpy.context.scene.collection.children.link(posts)
    for part in (np.arange(POSTS) + chance.uniform(0.4, 0.6, POSTS)) / POSTS:
        x, y = points[int(part * len(points))] + chance.normal(0.0, 0.15, 2)
        radius, corners = chance.uniform(0.15, 0.6), int(chance.integers(3, 12))
        bpy.ops.mesh.primitive_cylinder_add(
            vertices=corners, radius=radius * size, depth=size, location=(x * size, y * size, 0.0)
        )
        post = bpy.context.object
        bpy.context.collection.objects.unlink(post)
        posts.objects.link(post)
    return posts


def gone(armature: Any, points: Path, size: float, posts: str) -> tuple[np.ndarray, float]:
    """Where a character's hips go (n, 2), metres, and how often it joins a second."""
    asked = {"obstacles": posts, "keep_away": AWAY * size} if posts else {}
    made = api.path(armature, points=points, feet="off", mirror=True, **asked)
    first, last = bpy.data.actions[made.action].frame_range
    hips = max(armature.pose.bones, key=lambda bone: len(bone.children_recursive)).name
    places = []
    for frame in np.arange(first, last, 0.5).tolist():
        bpy.context.scene.frame_set(int(frame), subframe=frame % 1.0)
        shown = armature.evaluated_get(bpy.context.evaluated_depsgraph_get())
        places.append((shown.matrix_world @ shown.pose.bones[hips].matrix).translation[:2])
    return np.array(places), made.values["cuts_per_second"]


def options_of(about: str | None, seed: int) -> argparse.Namespace:
    """What a script that leads characters along winding paths is asked for."""
    parser = argparse.ArgumentParser(description=(about or "").split("\n", 1)[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--set", choices=[*SETS, *OTHERS], nargs="+", default=["cmu127", "cmu131"])
    parser.add_argument("--paths", type=int, default=4, help="how many in each set")
    parser.add_argument("--seed", type=int, default=seed)
    parser.add_argument(
        "--write", action="store_true", help="write the table into docs/reference/measured.md"
    )
    return parser.parse_args()


def written(folder: str, points: np.ndarray) -> Path:
    """A file of a path's points (n, 2), metres."""
    file = Path(folder) / "path.csv"
    file.write_text("x,y\n" + "".join(f"{x:.5f},{y:.5f}\n" for x, y in points))
    return file


def main() -> None:
    options = options_of(__doc__, 5)
    lines = tables.heads(HEADS)
    for name in options.set:
        armature, made, _ = read(options.data, name)
        size, chance = made.database.size, np.random.default_rng(options.seed)
        for i in range(options.paths):
            points = winding(chance)
            posts = place(points, size, chance)
            with tempfile.TemporaryDirectory() as folder:
                file = written(folder, size * points)
                around, often = gone(armature, file, size, posts.name)
                straight, before = gone(armature, file, size, "")
            walls = surroundings.obstacles(posts.name)
            near, through = (
                100.0 * surroundings.nearest_obstacle(walls, way) / size for way in (around, straight)
            )
            cells = [f"{name}, {i + 1}", least(near, 100.0 * AWAY), f"{through:.0f}"]
            lines.append(tables.row([*cells, f"{often:.2f}", f"{before:.2f}"]))
            print(lines[-1], flush=True)
            for thing in list(posts.objects):
                bpy.data.objects.remove(thing)
            bpy.data.collections.remove(posts)
    if options.write:
        tables.write("obstacles", lines)
    # the bpy modules can hang at exit; everything is said
    os._exit(0)


if __name__ == "__main__":
    main()
