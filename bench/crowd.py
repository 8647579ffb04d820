# SPDX-License-Identifier: GPL-3.0-or-later
"""How near the hips of any two of a crowd come, as Blender shows them.

    python bench/crowd.py --data DATA [--set cmu131] [--minutes 2] [--crowds 3] [--count 20] [--write]

A model learns a set of clips, and crowds follow winding curves by a formula that cross each other: over a
place, each from a seeded spot on its rim to another one. Beside what comes of keeping apart by a shoulder's
width stands what does without. With --write the table goes into docs/reference/measured.md.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path
from typing import Any

import bpy
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from goals import least
from paths import SETS, read

from inertia_addon.blender.evaluation import joints
from inertia_addon.blender.learned import clips, crowd, follow
from inertia_addon.motion.learned.training import Training
from inertia_addon.motion.steps import finish
from inertia_addon.settings.learned import CrowdSettings, LearnSettings
from inertia_addon.settings.matching import PathSettings, joined_by
from inertia_addon.settings.transition import TransitionSettings
from tools import tables

SHOULDERS, RADIUS, SPOTS = 0.5, 7.0, 0.9
"""A person's width, the place's radius, and how far apart all begin at least, metres of a person."""
HEADS = ["crowd", "nearest, cm", "without, cm", "path, cm rms", "without, cm rms", "seconds"]
EVERY = 2
"""Hips are looked at on every so many frames."""


def curves(count: int, size: float, chance: np.random.Generator) -> list[Any]:
    """Curves from spots on the rim of a place across it."""
    spots: list[np.ndarray] = []
    while len(spots) < count:
        angle = chance.uniform(0.0, 2.0 * np.pi)
        spot = RADIUS * np.array([np.cos(angle), np.sin(angle)]) * chance.uniform(0.8, 1.0)
        if all(np.linalg.norm(spot - other) > SPOTS for other in spots):
            spots.append(spot)
    found = []
    for i, spot in enumerate(spots):
        angle = np.arctan2(spot[1], spot[0]) + np.pi + chance.normal(0.0, 0.5)
        end = RADIUS * np.array([np.cos(angle), np.sin(angle)])
        part = np.linspace(0.0, 1.0, 60)[:, None]
        across = np.array([-(end - spot)[1], (end - spot)[0]])
        line = spot + (end - spot) * part + 0.1 * chance.normal() * np.sin(np.pi * part) * across
        shape = bpy.data.curves.new(f"Way {i}", "CURVE")
        shape.dimensions = "3D"
        spline = shape.splines.new("POLY")
        spline.points.add(len(line) - 1)
        for point, (x, y) in zip(spline.points, size * line, strict=True):
            point.co = (x, y, 0.0, 1.0)
        found.append(bpy.data.objects.new(f"Way {i}", shape))
        bpy.context.scene.collection.objects.link(found[-1])
    return found


def seen(those: list[Any], last: float) -> float:
    """How near the hips of any two come, metres, on frames as Blender shows them."""
    hips = max(those[0].pose.bones, key=lambda bone: len(bone.children_recursive)).name
    nearest = np.inf
    for frame in range(1, int(last) + 1, EVERY):
        bpy.context.scene.frame_set(frame)
        graph = bpy.context.evaluated_depsgraph_get()
        shown = [one.evaluated_get(graph) for one in those]
        places = np.array([(one.matrix_world @ one.pose.bones[hips].matrix).translation[:2] for one in shown])
        gaps = np.linalg.norm(places[:, None] - places, axis=-1) + np.where(np.eye(len(those)), np.inf, 0.0)
        nearest = min(nearest, float(gaps.min()))
    return nearest


def gone(model: Any, those: list[Any], ways: list[Any], apart: float) -> tuple[float, float, float]:
    """How near any two come, how near all stay to their paths, metres rms, and how long it takes, seconds."""
    path = PathSettings(
        TransitionSettings(**joined_by({"assign": True, "feet": "OFF"})), curve=ways[0].name, apart=apart
    )
    pairs = tuple(f"{one.name}={way.name}" for one, way in zip(those, ways, strict=True))
    made = finish(crowd.bake_crowd_steps(model, crowd.walkers(CrowdSettings(path, pairs), model)))
    last = max(report.frame_range[1] for _, report in made)
    rms = [follow.figures(found)["path_rms_m"] for found, _ in made]
    return seen(those, last), float(np.median(rms)), last / bpy.context.scene.render.fps


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--set", choices=SETS, default="cmu131")
    parser.add_argument("--minutes", type=float, default=2.0, help="of training")
    parser.add_argument("--crowds", type=int, default=3)
    parser.add_argument("--count", type=int, default=20, help="how many in each")
    parser.add_argument("--seed", type=int, default=6)
    parser.add_argument(
        "--write", action="store_true", help="write the table into docs/reference/measured.md"
    )
    options = parser.parse_args()
    armature, made, _ = read(options.data, options.set)
    size, chance = made.database.size, np.random.default_rng(options.seed)
    asked = LearnSettings(mirror=True, minutes=options.minutes)
    material, skeleton = finish(
        clips.read_material_steps(armature, asked, joints.named_weights(armature, "stored"))
    )
    own = Training(material, asked, skeleton)
    own.clock = time.process_time
    model = finish(own.steps())
    those = [armature, *(copied(armature) for _ in range(options.count - 1))]
    lines = tables.heads(HEADS)
    for i in range(options.crowds):
        ways = curves(options.count, size, chance)
        near, rms, seconds = gone(model, those, ways, SHOULDERS * size)
        before, alone, _ = gone(model, those, ways, 0.0)
        cells = [f"{options.count}, {i + 1}", least(100.0 * near / size, 100.0 * SHOULDERS)]
        cells += [f"{value * 100.0 / size:.0f}" for value in (before, rms, alone)]
        lines.append(tables.row([*cells, f"{seconds:.0f}"]))
        print(lines[-1], flush=True)
        for way in ways:
            bpy.data.objects.remove(way)
    if options.write:
        tables.write("crowd", lines)
    # the bpy modules can hang at exit; everything is said
    os._exit(0)


def copied(armature: Any) -> Any:
    """Another character of the same skeleton."""
    other = armature.copy()
    other.animation_data_clear()
    bpy.context.scene.collection.objects.link(other)
    return other


if __name__ == "__main__":
    main()
