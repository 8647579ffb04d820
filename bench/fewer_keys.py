# SPDX-License-Identifier: GPL-3.0-or-later
"""By how few keys captured clips are told within a tolerance, each figure with what it has to reach.

    python bench/fewer_keys.py --data DATA [--count 20] [--rates 120 30] [--write]

Every other captured clip, as many as are asked for, with all of its keys (120 a second) and with every
fourth of them (30 a second); constants were chosen on the rest. How far joints and planted feet are from the
clip is what Blender plays of both, on frames and half-way between them. Seconds are those of the processor.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import bpy
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from inertia_addon.blender.data import clip_store, compat
from inertia_addon.blender.evaluation.character import read_character
from inertia_addon.blender.feet import contacts
from inertia_addon.blender.fewer_keys import bake, reading
from inertia_addon.errors import InertiaError
from inertia_addon.motion.arrays import Array
from inertia_addon.motion.steps import finish
from inertia_addon.settings.fewer_keys import FewerKeysSettings
from tests.blender import clips
from tools import tables

RATES = (120, 30)
"""Keys a second."""
GOALS = {0.5: 15.0, 1.5: 8.0}
"""Which share of the keys is to be enough at most, percent, by the tolerance in centimetres."""
MOST_PLAYED = 400
"""So many frames and half frames of a clip are played, at most, evenly spread."""
Row = dict[str, float]


def files(data: Path, count: int) -> Sequence[Path]:
    """Every other captured clip, as many as that if there are so many."""
    found = sorted(path for path in data.glob("bvh/*/*.bvh") if not path.stem.endswith("_metres"))
    return found[1::2][:count]


def load(path: Path, rate: int) -> tuple[Any, Any]:
    """A captured clip with so many keys a second: its armature and its action."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    with contextlib.redirect_stdout(io.StringIO()):
        bpy.ops.import_anim.bvh(filepath=str(path), global_scale=0.01)
    armature = bpy.context.object
    action, slot = compat.assigned(armature)
    bpy.context.scene.render.fps = rate
    step = 120 // rate
    for curve in compat.curves(action, slot) if step > 1 else ():
        points = np.empty(2 * len(curve.keyframe_points), np.float32)
        curve.keyframe_points.foreach_get("co", points)
        points = points.reshape(-1, 2)[::step].copy()
        points[:, 0] = np.arange(1.0, len(points) + 1.0)
        curve.keyframe_points.clear()
        curve.keyframe_points.add(len(points))
        curve.keyframe_points.foreach_set("co", points.ravel())
        curve.keyframe_points.foreach_set("interpolation", np.ones(len(points), np.int32))
        curve.update()
    return armature, action


def played(armature: Any, action: Any, times: Array) -> Array:
    """Where Blender has the heads of all bones (n, bones, 3), metres."""
    clips.play(armature, action)
    return np.asarray(clips.poses(armature, times)[..., :3, 3])


def measured(armature: Any, action: Any, tolerance: float) -> Row:
    """What comes of a clip."""
    clip = clip_store.read(armature, action)
    planted = finish(contacts.read_contacts_steps(read_character(armature), clip))
    began = time.process_time()
    report = finish(bake.reduce_keys_steps(armature, FewerKeysSettings(action.name, tolerance_cm=tolerance)))
    seconds = time.process_time() - began
    result = bpy.data.actions[report.result]
    times = np.arange(clip.start, clip.end + 0.25, 0.5)
    times = times[:: max(1, len(times) // MOST_PLAYED)]
    away = np.linalg.norm(played(armature, result, times) - played(armature, action, times), axis=2)
    after = contacts.placed_in(read_character(armature), planted, clip_store.read(armature, result))
    off = np.linalg.norm(after.points - planted.points, axis=2)
    stands = [off[flags, i] for i, (_, flags) in enumerate(reading.find_stances(planted, planted.frames))]
    return {
        "share": 100.0 * report.keys / report.keys_before,
        "away": 100.0 * float(away.max()),
        "stance": 1000.0 * max((float(row.max()) for row in stands if len(row)), default=0.0),
        "seconds": seconds,
        "length": (clip.end - clip.start) / bpy.context.scene.render.fps,
    }


def rows(paths: Sequence[Path], rate: int, tolerance: float) -> Iterator[Row]:
    """What comes of each clip; what can't be done is said."""
    for path in paths:
        armature, action = load(path, rate)
        try:
            yield measured(armature, action, tolerance)
        except InertiaError as error:
            print(f"{path.stem}, {rate} a second, {tolerance:g} cm: {error}", file=sys.stderr)


def table(paths: Sequence[Path], rates: Sequence[int]) -> list[str]:
    """The lines of the table."""
    lines = [
        *tables.heads(
            (
                *("keys a second", "tolerance", "keys left, median", "goal", "most"),
                *("furthest joint", "planted feet", "processor seconds a second"),
            )
        )
    ]
    for rate in rates:
        for tolerance, goal in GOALS.items():
            of_clips = list(rows(paths, rate, tolerance))
            share = statistics.median(row["share"] for row in of_clips)
            most, away, stance = (max(row[name] for row in of_clips) for name in ("share", "away", "stance"))
            cost = sum(row["seconds"] for row in of_clips) / sum(row["length"] for row in of_clips)
            lines.append(
                f"| {rate} | {tolerance:g} cm | {share:.1f} % | {goal:g} % | {most:.1f} % | {away:.2f} cm "
                f"| {stance:.2f} mm | {cost:.1f} |"
            )
            print(lines[-1], f"{len(of_clips)} clips", flush=True)
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="the folder of real motion")
    parser.add_argument("--count", type=int, default=20, help="how many clips")
    parser.add_argument("--rates", type=int, nargs="+", choices=RATES, default=RATES, help="keys a second")
    parser.add_argument("--write", action="store_true", help="put the table into docs/measured.md")
    args = parser.parse_args()
    lines = table(files(args.data, args.count), args.rates)
    if args.write:
        tables.write("fewer keys", lines)
    else:
        print("\n".join(lines))


if __name__ == "__main__":
    main()
