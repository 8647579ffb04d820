# SPDX-License-Identifier: GPL-3.0-or-later
"""What hops are worth on real motion: costs over all triggers, and what Blender shows of baked results.

    python bench/hop_gains.py --data DATA [--triggers 12] [--seed 1] [--write]

Reads the BVH sets cmu127 and cmu02 below DATA, resampled to 30 frames a second, and finds the best hop
through all other clips of the set for every trigger frame of some pairs of clips (blends of 12 frames, stays
of up to a second, point clouds, the weight found). Printed are the medians over all trigger frames at which
there is a direct transition, in 1000ths of a square metre: direct at the trigger, direct after the best wait,
and the best way with a hop, waiting included. For some triggers whose best way is a hop both are baked, as
inertialized transitions and as cross-fades, and played by Blender from the trigger to the end of the hop's
last blend: *pop* is the largest change of joint velocity from frame to frame, m/s, rms over the joints,
*feet* the mean speed of feet near the ground, m/s; medians over the triggers, direct / by the hop.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import io
import os
import sys
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parent))

from methods import FPS, WINDOW, import_set, second_difference

from inertia_addon.blender.data import compat
from inertia_addon.blender.evaluation import joints
from inertia_addon.blender.hops import bake as hop_bake
from inertia_addon.blender.hops import search as hops
from inertia_addon.blender.hops.search import FoundHop
from inertia_addon.blender.transition import bake
from inertia_addon.blender.transition.meeting import PlanOptions
from inertia_addon.motion.hops import search as hop
from inertia_addon.motion.steps import finish
from inertia_addon.settings.hops import HopSettings
from inertia_addon.settings.transition import TransitionSettings
from tools import tables

Array = NDArray[np.float64]

SETS = {
    "cmu127": (
        "cmu127_04_walk_to_run",
        ("cmu127_15_run_turn_left", "cmu127_23_run_dive_roll_run", "cmu127_25_run_jump_over"),
        ("cmu127_01_motorcycle_calib", "cmu127_02_range_of_motion"),
    ),
    "cmu02": ("cmu02_07_swordplay", ("cmu02_01_walk", "cmu02_03_run", "cmu02_04_jump_balance"), ()),
}
"""By set: the source, the destinations, and what is no motion to go through."""
NEAR_GROUND = 0.05
"""A foot's joint is on the ground no more than so many metres above the lowest that it comes."""


class Character:
    """An armature of a set of clips, as Blender plays it."""

    def __init__(self, armature: Any) -> None:
        self.armature = armature
        found = joints.default_joints(armature)
        self.weights = {joint.bone: joint.weight for joint in found}
        names = list(armature.pose.bones.keys())
        self.feet = [names.index(joint.bone) for joint in found if joint.role == "FOOT"]

    def played(self, name: str, slot: str, frames: Array) -> Array:
        """Where the joints are (frames, joints, 3) in an action."""
        compat.assign(self.armature, bpy.data.actions[name], slot)
        scene, heads = bpy.context.scene, np.empty(3 * len(self.armature.pose.bones), np.float32)
        found = []
        for frame in frames.tolist():
            scene.frame_set(int(frame))
            self.armature.pose.bones.foreach_get("head", heads)
            world = np.array(self.armature.matrix_world)
            found.append(heads.reshape(-1, 3) @ world[:3, :3].T + world[:3, 3])
        compat.assign(self.armature, None)
        return np.array(found)

    def pop_and_feet(self, positions: Array) -> tuple[float, float]:
        """The largest change of joint velocity, m/s, and how fast feet near the ground move, m/s."""
        feet = positions[:, self.feet]
        height = 0.5 * (feet[1:, :, 2] + feet[:-1, :, 2])
        planted = height < feet[..., 2].min() + NEAR_GROUND
        speed = np.linalg.norm(np.diff(feet[..., :2], axis=0), axis=-1) * FPS
        return float(second_difference(positions).max()), float(speed[planted].mean())


def measured(character: Character, settings: HopSettings, way: FoundHop) -> dict[str, tuple[float, float]]:
    """Pop and feet of a hop, and of the direct transition at the same trigger."""
    own = dataclasses.replace(settings.transition, cut=way.trigger, assign=False)
    found = {}
    for fade in ("INERTIALIZED", "CROSS_FADE"):
        each = dataclasses.replace(settings, transition=own, fade=fade)
        made = hop_bake.bake_hop(character.armature, each, way)
        direct = bake.bake_transition(
            character.armature, own, options=PlanOptions(cross_fade=fade == "CROSS_FADE")
        )
        frames = np.arange(way.trigger - 1.0, made.cuts[-1] + way.blends[-1] + 2.0)
        for label, report in (("hop", made.last), ("direct", direct)):
            positions = character.played(report.result, report.slot, frames)
            found[f"{label} {fade}"] = character.pop_and_feet(positions)
            bpy.data.actions.remove(bpy.data.actions[report.result])
    return found


def row(character: Character, source: str, destination: str, others: tuple[str, ...], options: Any) -> str:
    """A line of the table."""
    transition = TransitionSettings(source, destination, 1.0, blend_frames=float(WINDOW))
    clips = tuple(name for name in others if name not in (source, destination))
    settings = HopSettings(transition, clips, seed=options.seed, find_cycles=False)
    made = finish(hops.prepare(character.armature, settings, character.weights))
    prepared = finish(hops.weighed(made))
    problem = prepared.own_problem()
    found = finish(hops.table(prepared))
    waiting = finish(hop.solve(dataclasses.replace(problem, candidates=()), prepared.objective))
    both = np.isfinite(found.direct)
    costs = [1000.0 * float(np.median(values[both])) for values in (found.direct, waiting.cost, found.cost)]
    won = np.flatnonzero(both & (found.clips[:, 0] >= 0))
    parts = [source.split(".")[0], destination.split(".")[0], f"{both.sum()}"]
    parts += [f"{cost:.1f}" for cost in costs]
    parts += [f"{100.0 * (1.0 - costs[2] / costs[0]):.0f} %", f"{100.0 * len(won) / both.sum():.0f} %"]
    chance = np.random.default_rng(options.seed)
    sample = chance.choice(won, min(options.triggers, len(won)), replace=False) if len(won) else won
    figures: dict[str, list[tuple[float, float]]] = {}
    for way in hops.ways(prepared, found.chosen(np.sort(sample)), problem):
        for label, values in measured(character, settings, way).items():
            figures.setdefault(label, []).append(values)
    for i in range(2):
        for fade in ("INERTIALIZED", "CROSS_FADE"):
            pair = [np.median([v[i] for v in figures.get(f"{k} {fade}", [])]) for k in ("direct", "hop")]
            parts.append(" / ".join(f"{value:.2f}" for value in pair))
    return tables.row(parts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--triggers", type=int, default=12, help="how many hops of each pair are baked")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--write", action="store_true", help="write the table into docs/reference/measured.md, too"
    )
    options = parser.parse_args()
    heads = ["from", "to", "triggers", "direct", "direct, waiting", "best", "less by", "hops"]
    heads += ["pop", "pop, cross-fades", "feet", "feet, cross-fades"]
    lines = tables.heads(heads)
    print("\n".join(lines))
    for name, (source, destinations, without) in SETS.items():
        with contextlib.redirect_stdout(io.StringIO()):
            armature, names = import_set(options.data / "bvh" / name, "", 0.01)
        character = Character(armature)
        # those of the import itself, at the files' own rate, bear the plain names
        resampled = {made.split(".")[0]: made for made in names}
        others = tuple(made for plain, made in resampled.items() if plain not in without)
        for destination in destinations:
            ends = resampled[source], resampled[destination]
            lines.append(row(character, *ends, others, options))
            print(lines[-1], flush=True)
    if options.write:
        tables.write("hops", lines)
    sys.stdout.flush()
    # the bpy modules can hang at exit; everything is said
    os._exit(0)


if __name__ == "__main__":
    main()
