# SPDX-License-Identifier: GPL-3.0-or-later
"""How long it takes to bake long paths: 20, 60 and 120 joins of real motion.

    python bench/joins.py --data DATA [--set cmu127] [--joins 20 60 120] [--rounds 3] [--digest]

The figure eight of examples/paths is followed lap after lap, and its way is cut off after so many joins. With
--digest a checksum of the baked keys, rounded to 1e-5, stands beside each.
"""

from __future__ import annotations

import argparse
import dataclasses
import hashlib
import os
import sys
from pathlib import Path
from typing import Any

import bpy
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from goals import whether
from paths import EXAMPLES, OTHERS, SETS, best_of, read, settings, slowed

from inertia_addon.blender.data import actions, compat
from inertia_addon.blender.matching import bake, followed, search
from inertia_addon.blender.matching.action_set import Stock
from inertia_addon.blender.matching.search import PathPlan
from inertia_addon.motion.matching import clip_sequence
from inertia_addon.motion.matching.clip_sequence import assembled
from inertia_addon.motion.steps import finish

MOST_SECONDS = {120: 2.0}
"""What so many joins may take."""
SECONDS_A_JOIN = 3.0
"""More than the time between two joins."""


def long_way(made: Stock, joins: int) -> PathPlan:
    """A way along the figure eight, lap after lap, with at least so many joins."""
    own = settings(EXAMPLES / "figure_eight.csv")
    lap = slowed(made.database, followed.of_file(own))
    assert lap.times is not None
    laps = int(np.ceil(joins * SECONDS_A_JOIN / lap.times[-1]))
    steps = np.diff(lap.times, append=lap.times[-1] + lap.times[1])
    times = np.concatenate([[0.0], np.cumsum(np.tile(steps, laps))[:-1]])
    course = dataclasses.replace(lap, points=np.tile(lap.points, (laps, 1)), times=times)
    return finish(search.search_path_steps(made, own, course))


def cut_off(found: PathPlan, joins: int) -> PathPlan:
    """A way up to where it would join once more."""
    base, way = found.stock.database, found.way
    shorter = assembled(base, way.joins[: joins + 1], way.joins[joins + 1].frame, way.cost)
    moved = clip_sequence.warp_towards(shorter, found.target, base.fps)
    return dataclasses.replace(found, way=shorter, warp=moved, rises=None)


def digest(name: str) -> str:
    """A checksum of an action's keys."""
    action, told = actions.find(name), hashlib.sha256()
    for slot in compat.slots(action):
        for curve in compat.curves(action, slot.identifier):
            points = actions.read_keys(curve).points
            told.update(f"{curve.data_path}{curve.array_index}{points.shape}".encode())
            told.update(np.round(points, 5).tobytes())
    return told.hexdigest()[:12]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--set", choices=[*SETS, *OTHERS], default="cmu127")
    parser.add_argument("--joins", type=int, nargs="+", default=[20, 60, 120])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--digest", action="store_true", help="print a checksum of the baked keys, too")
    given = parser.parse_args()
    armature, made, _ = read(given.data, given.set)
    found = long_way(made, max(given.joins))
    print(f"Paths of {given.set}, {len(made.rig.bones.names)} bones, baked")
    for joins in given.joins:
        way, reports = cut_off(found, joins), list[Any]()
        spent = best_of(lambda way=way, reports=reports: bake_once(armature, way, reports), given.rounds)
        seconds = way.way.frames / made.database.fps
        most = MOST_SECONDS.get(joins)
        said = f"{spent:.2f} s" if most is None else whether(spent, most, " s")
        more = f", {digest(reports[-1].result)}" if given.digest else ""
        print(f"  {joins} joins, {seconds:.0f} s of motion: {said}{more}", flush=True)
    # the bpy modules can hang at exit; everything is said
    os._exit(0)


def bake_once(armature: Any, found: PathPlan, reports: list[Any]) -> None:
    """Bake a way, in place of the one before."""
    for report in reports:
        bpy.data.actions.remove(actions.find(report.result))
    reports[:] = [finish(bake.bake_way_steps(armature, found))]


if __name__ == "__main__":
    main()
