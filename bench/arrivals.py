# SPDX-License-Identifier: GPL-3.0-or-later
"""How near characters are to goals on their paths, in place, facing and time, as Blender shows them.

    python bench/arrivals.py --data DATA [--set cmu127 cmu131] [--paths 4] [--seed 7] [--write]

Winding paths of 12 m for a person, by a seed: 4 m on they pass in time, at their clips' usual pace; 8 m on
they wait for two seconds and face elsewhere. Hips sway, so their place is a mean over 0.4 s, and their facing
is one over a second. They face square to the line between both thighs, less what that is off where the clips
go on average, which Inertia calls their front. With --write the table goes into docs/reference/measured.md.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import bpy
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from goals import whether
from obstacles import options_of, winding, written
from paths import read

from inertia_addon import api
from inertia_addon.blender.feet import legs
from inertia_addon.blender.matching import followed
from tools import tables

PASSING, WAITING, SECONDS, MOST_TURN = 4.0, 8.0, 2.0, 60.0
"""Where a person passes and waits, metres along the path, for how long, and how far aside they face at most,
degrees."""
SWAY, STRIDE = 0.2, 0.5
"""The place of hips is looked at for so many seconds to both sides, and their facing for so many."""
HEADS = ["path", "passes, cm off", "degrees aside", "frames late", "waits, cm off", "degrees aside"]


def shown(armature: Any, frames: np.ndarray, names: tuple[str, str, str]) -> np.ndarray:
    """Where the heads of bones are (frames, 3, 2) on the ground."""
    found = np.empty((len(frames), 3, 2))
    for i, frame in enumerate(frames.tolist()):
        bpy.context.scene.frame_set(int(frame), subframe=frame % 1.0)
        own = armature.evaluated_get(bpy.context.evaluated_depsgraph_get())
        for j, name in enumerate(names):
            found[i, j] = (own.matrix_world @ own.pose.bones[name].head)[:2]
    return found


def names_of(armature: Any) -> tuple[str, str, str]:
    """The hips, and the thighs of the left and of the right leg."""
    bones = [bone.name for bone in armature.data.bones]
    hips = max(armature.pose.bones, key=lambda bone: len(bone.children_recursive)).name
    thighs = [bones[leg.joints[0]] for leg in legs.of_armature(armature)]
    left = [name for name in thighs if name.lower().startswith("l") or name.lower().endswith((".l", "_l"))]
    (right,) = (name for name in thighs if name not in left)
    return hips, left[0], right


def facing(places: np.ndarray) -> float:
    """Which way hips face on average, radians: square to the line from the right thigh to the left one."""
    x, y = (places[:, 1] - places[:, 2]).mean(axis=0)
    return float(np.arctan2(-x, y))


def askew(armature: Any, names: tuple[str, str, str]) -> float:
    """How far aside of where they go hips face in the clips, on average, radians."""
    total = 0.0 + 0.0j
    for action in list(bpy.data.actions):
        armature.animation_data.action = action
        first, last = action.frame_range
        places = shown(armature, np.arange(first, last, 4.0), names)
        gone = np.gradient(places[:, 0], axis=0)
        x, y = (places[:, 1] - places[:, 2]).T
        total += np.sum(np.exp(1j * np.arctan2(-x, y)) * (gone[:, 0] - 1j * gone[:, 1]))
    return float(np.angle(total))


def apart(one: float, other: float) -> float:
    """Degrees between two directions."""
    return abs(float(np.degrees((one - other + np.pi) % (2.0 * np.pi) - np.pi)))


def on(points: np.ndarray, at: float) -> tuple[np.ndarray, float]:
    """The point (2,) of a line (n, 2) so many metres on, and which way it goes there."""
    way = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
    ends = np.array([[np.interp(at + by, way, points[:, i]) for i in range(2)] for by in (-0.05, 0.0, 0.05)])
    ahead = ends[2] - ends[0]
    return ends[1], float(np.arctan2(ahead[1], ahead[0]))


def led(
    armature: Any, points: np.ndarray, size: float, pace: float, turn: float, aside: float
) -> list[float]:
    """What the columns of a path are. aside: how far hips face aside of where they go, radians."""
    fps = bpy.context.scene.render.fps / bpy.context.scene.render.fps_base
    (passes, along), (waits, then) = on(points, PASSING * size), on(points, WAITING * size)
    first, second = PASSING * size / pace, WAITING * size / pace
    asked = float(np.degrees(then)) + turn
    goals = (
        f"{PASSING * size:.6f}={first:.4f}",
        f"{WAITING * size:.6f}={second:.4f},{asked:.4f}",
        f"{WAITING * size:.6f}={second + SECONDS:.4f}",
    )
    with tempfile.TemporaryDirectory() as folder:
        made = api.path(armature, points=written(folder, points), goals=goals)
    start = bpy.data.actions[made.action].frame_range[0]
    names = names_of(armature)
    around = np.arange(-STRIDE, STRIDE + 1e-9, 0.5 / fps) * fps
    now = shown(armature, start + first * fps + around, names)
    near = np.abs(around) <= SWAY * fps
    # when it passes is told by how the hips get on along the path, without their sway
    nearby = shown(armature, start + first * fps + np.arange(-15.0, 15.5, 0.5), names)[:, 0]
    ahead = (nearby - passes) @ (np.cos(along), np.sin(along))
    slope, offset = np.polyfit(np.arange(-15.0, 15.5, 0.5), ahead, 1)
    stand = shown(armature, start + second * fps + np.arange(0.0, SECONDS * fps + 0.5, 0.5), names)
    place = stand[:, 0].mean(axis=0)
    return [
        100.0 * float(np.linalg.norm(now[near, 0].mean(axis=0) - passes)) / size,
        apart(facing(now) - aside, along),
        abs(offset / slope) * 30.0 / fps,
        100.0 * float(np.linalg.norm(place - waits)) / size,
        apart(facing(stand) - aside, np.radians(asked)),
    ]


def main() -> None:
    options = options_of(__doc__, 7)
    lines = tables.heads(HEADS)
    for name in options.set:
        armature, made, _ = read(options.data, name)
        size, chance = made.database.size, np.random.default_rng(options.seed)
        aside = askew(armature, names_of(armature))
        for i in range(options.paths):
            points, turn = size * winding(chance), float(chance.uniform(-MOST_TURN, MOST_TURN))
            found = led(armature, points, size, followed.usual_speed(made.database), turn, aside)
            most = (10.0, 5.0, 2.0, 10.0, 5.0)
            cells = [whether(value, goal) for value, goal in zip(found, most, strict=True)]
            lines.append(tables.row([f"{name}, {i + 1}", *cells]))
            print(lines[-1], flush=True)
    if options.write:
        tables.write("arrivals", lines)
    sys.stdout.flush()
    # the bpy modules can hang at exit; everything is said
    os._exit(0)


if __name__ == "__main__":
    main()
