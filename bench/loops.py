# SPDX-License-Identifier: GPL-3.0-or-later
"""What loops are worth on real motion: what Find Loop finds, and what Make Loop makes of it.

    make loops DATA=/path/to/motion

The walk and run cycles of game characters are cut to 80 and 90 % and closed again, and every walk of two
captures is looped where Find Loop says. Of each the gap of the pose is printed, and the seam: the highest
change of joint velocity at the last frame, the seam and the next, over the clip's own highest; how Blender's
own Cycles modifiers play it for five cycles at sub-frames; how far a foot skates over the seam, by the
judge's word; and, beside that, how fast feet go over the ground while the clip has them planted: the median
of the foot that does so most, by the formula below, which shares no code with the judge.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import io
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import bpy
import numpy as np

import bench
from inertia_addon.blender.data import actions, clip_store, compat, rigs, scene
from inertia_addon.blender.evaluation import joint_motion, joints
from inertia_addon.blender.evaluation.character import read_character
from inertia_addon.blender.loops import bake, channels, search
from inertia_addon.blender.loops.judged import LoopReport
from inertia_addon.errors import InertiaError
from inertia_addon.motion.steps import finish
from inertia_addon.settings.loops import LoopSearch, LoopSettings
from tests.blender import clips
from tools import tables

CUT = {
    "Fox": ("Walk", "Run"),
    "RobotExpressive": ("Walking", "Running"),
    "Knight": ("Walking_", "Running_"),
    "pab": ("|walk|", "|jog|", "|run|"),
}
"""Of characters whose clips are cycles, what is in the names of those that walk and run."""
PARTS = (0.8, 0.9)
WALKS = {"cmu131": ("_01_start_walk", "_02_start_walk"), "cmu02": ("_walk",)}
"""Of captures, what is in the names of the walks."""
GIANT = 20.0
"""What is larger, in metres, has centimetres for units."""
CYCLES, SUBFRAME = 5, 0.05
HEADS = (
    *("clip", "frames", "cost, cm", "gap, m", "seam before", "seam", "Blender's", "heading", "moved, cm"),
    *("feet, m/s", "in the loop", "locked", "skate, cm", "locked", "seam, locked"),
)


@dataclasses.dataclass(frozen=True)
class Row:
    """A loop. cost: metres, None where it was not searched. blenders: see :func:`played`.

    locked: the same with its feet locked; None where that can't be. metres: to a unit of the file. speeds: of
    planted feet, metres a second, in the clip, in the loop, and where they are locked; None where none is.
    """

    name: str
    report: LoopReport
    cost: float | None
    blenders: float
    locked: LoopReport | None
    metres: float
    speeds: tuple[float | None, float | None, float | None]

    def cells(self) -> list[str]:
        """What the table says of it."""
        found, quality = self.report, self.report.quality
        assert quality is not None
        return [
            self.name,
            f"{found.start:g} to {found.end:g}",
            "" if self.cost is None else f"{100.0 * self.cost:.1f}",
            f"{quality.gap:.1e}",
            f"{quality.seam_before:.2f}",
            f"{quality.seam:.2f}",
            f"{self.blenders:.2f}",
            f"{found.heading_degrees:.1f}",
            f"{100.0 * quality.moved * self.metres:.1f}",
            *("" if speed is None else f"{speed * self.metres:.3f}" for speed in self.speeds),
            *("" if way is None else f"{way:.1f}" for way in map(self.skate, (found, self.locked))),
            "" if self.locked is None or self.locked.quality is None else f"{self.locked.quality.seam:.2f}",
        ]

    def skate(self, report: LoopReport | None) -> float | None:
        """How far the foot that skates furthest does so over a seam, cm; None where nobody can say."""
        if report is None or report.verdict is None or report.verdict.skate is None:
            return None
        return 100.0 * report.verdict.skate * self.metres


def planted_speeds(armature: Any, settings: LoopSettings, loop: str) -> tuple[float | None, float | None]:
    """How fast feet go over the ground while the clip has them planted, metres a second, in the clip and in a
    loop of it: the median of each foot, and of these the highest; None where none is planted."""
    character = read_character(armature)
    found, _ = finish(bake.read_stretch_steps(character, settings))
    known = finish(channels.find_planted_steps(character, found))
    if known is None:
        return None, None
    count = int(np.ceil(found.cycle.period - 1e-3))
    step, cycle = found.cycle.period / count, found.result_cycle
    made = clip_store.read(armature, actions.find(loop), found.clip.slot.identifier)
    made = dataclasses.replace(made, start=cycle.start, end=cycle.end, cycle=cycle)
    planted = channels.of_loop(found, known)
    cases = (
        (found.clip, found.cycle.start + np.arange(count) * step, known.spans),
        (made, found.first + np.arange(2 * count + 1) * step, planted.spans),
    )
    placed = [(leg.point, leg.offset) for leg in known.legs]
    fastest = []
    for clip, frames, spans in cases:
        points = finish(joint_motion.track_points_steps(read_character(armature), clip, placed, frames))
        steps = np.diff(points[..., :2], axis=0) * scene.fps() / step - known.ground
        speeds = []
        for k, own in enumerate(spans):
            # of the loop all repetitions
            turned = (frames - cycle.start) % cycle.period + cycle.start if clip is made else frames
            later = (turned, turned + cycle.period)
            inside = np.any([(f >= s.start) & (f <= s.end) for s in own for f in later], axis=0)
            if own and (inside[1:] & inside[:-1]).any():
                speeds.append(float(np.median(np.hypot(*steps[inside[1:] & inside[:-1], k].T))))
        fastest.append(max(speeds, default=None))
    return fastest[0], fastest[1]


def played(armature: Any, report: LoopReport) -> float:
    """How much more sharply joints bend at seams than at keys, as Blender itself plays five cycles.

    The highest second difference of a joint's place at the seams over the highest at the keys of a cycle, at
    sub-frames.
    """
    compat.assign(armature, bpy.data.actions[report.result], report.slot)
    first, last = report.frame_range
    # Blender may take the very instant of a seam between frames for one of the cycle before
    seams = first + (last - first) * np.arange(1.0, CYCLES) + 0.3 * SUBFRAME
    keys = np.arange(first + 1.0, last - 1e-3)
    sharp = [max(_bend(armature, frame) for frame in frames.tolist()) for frames in (seams, keys)]
    compat.assign(armature, None)
    return sharp[0] / max(sharp[1], 1e-9)


def _bend(armature: Any, frame: float) -> float:
    heads = []
    for at in (frame - SUBFRAME, frame, frame + SUBFRAME):
        whole = int(np.floor(at))
        bpy.context.scene.frame_set(whole, subframe=at - whole)
        places = np.empty(3 * len(armature.pose.bones), np.float32)
        armature.pose.bones.foreach_get("head", places)
        world = np.array(armature.matrix_world)
        heads.append(places.reshape(-1, 3).astype(float) @ world[:3, :3].T + world[:3, 3])
    return float(np.linalg.norm(heads[0] - 2.0 * heads[1] + heads[2], axis=1).max())


def loop(armature: Any, name: str, start: float, end: float, cost: float | None) -> Row:
    report = finish(
        bake.make_loop_steps(armature, LoopSettings(name, start, end, repeat="MODIFIERS", assign=False))
    )
    blenders = played(armature, report)
    before, free = planted_speeds(armature, LoopSettings(name, start, end), report.result)
    bpy.data.actions.remove(bpy.data.actions[report.result])
    locked = standing = None
    with contextlib.suppress(InertiaError):
        settings = LoopSettings(name, start, end, assign=False, lock_feet=True)
        locked = finish(bake.make_loop_steps(armature, settings))
        _, standing = planted_speeds(armature, settings, locked.result)
        bpy.data.actions.remove(bpy.data.actions[locked.result])
    metres = 0.01 if rigs.read(armature).size > GIANT else 1.0
    short, speeds = name.partition("|")[2].partition("|")[0] or name, (before, free, standing)
    return Row(short, report, cost, blenders, locked, metres, speeds)


def cut(armature: Any, names: list[str], wanted: tuple[str, ...]) -> Iterator[Row]:
    """The cycles of a character, cut."""
    for name in names:
        if any(part in name for part in wanted):
            clip = clip_store.read(armature, actions.find(name))
            for part in PARTS:
                end = clip.start + part * (clip.end - clip.start)
                row = loop(armature, name, clip.start, end, None)
                yield dataclasses.replace(row, name=f"{row.name}, {part:.0%}")


def found(armature: Any, names: list[str], wanted: tuple[str, ...]) -> Iterator[Row]:
    """The walks of a capture, where they loop best."""
    weights = joints.named_weights(armature, "stored")
    for name in names:
        if any(part in name for part in wanted):
            clip = clip_store.read(armature, actions.find(name))
            best = finish(search.search_loop_steps(armature, clip, LoopSearch(), weights)).best(1)[0]
            yield loop(armature, name, best.start, best.end, best.cost)


def judged(what: str, value: str, *, good: bool) -> str:
    return tables.row([what, value, "pass" if good else "FAIL"])


def verdicts(rows: list[Row]) -> list[str]:
    """What has to hold, and whether it does."""
    qualities = [row.report.quality for row in rows if row.report.quality is not None]
    gap = max(one.gap for one in qualities)
    seams = np.array([one.seam for one in qualities])
    costs = np.array([row.cost for row in rows if row.cost is not None])
    median, most = float(np.median(seams)), float(np.percentile(seams, 95))
    within = float(np.mean(costs <= 0.08)) if len(costs) else 0.0
    straight = max(abs(row.report.heading_degrees) for row in rows)
    blenders = max(row.blenders for row in rows)
    feet = [row.speeds[2] * row.metres for row in rows if row.speeds[2] is not None]
    standing = float(np.median(feet)) if feet else np.inf
    return [
        *tables.heads(("what", "measured", "")),
        judged("pose gap, at most 1e-5 m", f"{gap:.1e} m", good=gap <= 1e-5),
        judged("seam, median at most 1.0", f"{median:.2f}", good=median <= 1.0),
        judged("seam, 95th percentile at most 1.1", f"{most:.2f}", good=most <= 1.1),
        judged("walks with ends within 8 cm, at least 80 %", f"{within:.0%}", good=within >= 0.8),
        judged("heading per cycle of straight walks, below 1 degree", f"{straight:.2f}", good=straight < 1.0),
        judged("planted feet locked, median at most 0.01 m/s", f"{standing:.4f} m/s", good=standing <= 0.01),
        judged(
            "bend at Blender's own seams over within, at most 1.5", f"{blenders:.2f}", good=blenders <= 1.5
        ),
    ]


def speed(rounds: int) -> None:
    """How long it takes to find a loop and to make it, against Blender showing all frames once."""
    rig = bench.make_rig()
    bench.make_clip("Source", 1, 4)
    clip = clip_store.read(rig, actions.find("Source"))
    weights = joints.named_weights(rig, "all")
    took: list[list[float]] = [[], [], []]
    for _ in range(rounds):
        began = time.perf_counter()
        found = finish(search.search_loop_steps(rig, clip, LoopSearch(by_feet=False), weights)).best(8)
        took[0].append(time.perf_counter() - began)
        took[1].append(_shown(rig, clip.start, clip.end))
        began = time.perf_counter()
        finish(bake.make_loop_steps(rig, LoopSettings("Source", found[0].start, found[0].end, assign=False)))
        took[2].append(time.perf_counter() - began)
    finding, showing, making = (float(np.median(part)) for part in took)
    print(
        f"{len(rig.data.bones)} bones, {clip.end - clip.start + 1.0:.0f} frames: a loop is found in "
        f"{1e3 * finding:.0f} ms, {finding / showing:.2f} of what Blender takes to show them, and made in "
        f"{1e3 * making:.0f} ms, {making / showing:.2f} of that"
    )


def _shown(rig: Any, first: float, last: float) -> float:
    """How long Blender takes to show frames, in seconds."""
    action = actions.find("Source")
    compat.assign(rig, action, actions.choose_slot(action, rig).identifier)
    began = time.perf_counter()
    for frame in range(int(first), int(last) + 1):
        bpy.context.scene.frame_set(frame)
    return time.perf_counter() - began


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument(
        "--write", action="store_true", help="write the table into docs/reference/measured.md, too"
    )
    parser.add_argument("--speed", type=int, metavar="ROUNDS", help="say how long it takes, and nothing else")
    arguments = parser.parse_args()
    if arguments.speed:
        speed(arguments.speed)
        return
    rows: list[Row] = []
    for name in (*CUT, *WALKS):
        make = cut if name in CUT else found
        with contextlib.redirect_stdout(io.StringIO()):
            armature, names = clips.load(name, arguments.data)
        made = list(make(armature, names, {**CUT, **WALKS}[name]))
        rows += [dataclasses.replace(row, name=f"{name}: {row.name}") for row in made]
    lines = [*tables.heads(HEADS), *(tables.row(row.cells()) for row in rows)]
    said = verdicts(rows)
    print("\n".join([*lines, "", *said]))
    if arguments.write:
        tables.write("loops", said)
    sys.exit(any("FAIL" in line for line in said))


if __name__ == "__main__":
    main()
