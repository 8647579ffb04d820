# SPDX-License-Identifier: GPL-3.0-or-later
"""How well the cost predicts what a baked transition really displaces.

    python bench/displacements.py --data DATA [--meetings 200] [--seed 1] [--set NAME ...] [--write]

For each set of clips below DATA: random meetings (clip, cut, clip, destination frame) are baked, and
their displacement is measured in Blender: both the result and the destination, moved to where the
alignment puts it, are played by Blender frame by frame, and the distance between them is summed over all
joints and axes and integrated over the window. Printed are the rank correlations of the exact cost
and of the features with what was measured; how many of 20 random meetings of the same clips the
cheapest meeting displaces less than; and for how many pairs of clips their own best displaces less
than 20 random ones of theirs.

A second table has what weights of the skate change where clips meet best: what these meetings displace, and
how far feet go over the ground while they stand in the destination, predicted and baked without locking
them: that is what the prediction adds up, and no definition of skating, which is the judge's;
--skates prints it alone.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import io
import itertools
import os
import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray
from scipy.stats import spearmanr

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))


from inertia_addon.blender import files
from inertia_addon.blender.cost import costing, meetings
from inertia_addon.blender.cost.costing import Compared, Plants, WeighedSkate
from inertia_addon.blender.data import actions, compat, scene, unkeyed
from inertia_addon.blender.data.rig import armatures
from inertia_addon.blender.evaluation import joints
from inertia_addon.blender.evaluation.character import read_character
from inertia_addon.blender.transition import bake
from inertia_addon.errors import InertiaError
from inertia_addon.motion import quaternion
from inertia_addon.motion.feet import contacts as spans_of
from inertia_addon.motion.skeleton import character_space
from inertia_addon.motion.steps import finish
from inertia_addon.settings.cost import Search
from inertia_addon.settings.transition import TransitionSettings
from tools import tables

Array = NDArray[np.float64]

SECONDS = 0.4
PAIRS, RANDOM = 4, 20
"""Pairs of clips of each set, and random meetings of the first that the best is compared with."""
SKATED_PAIRS = 12
"""So many pairs of clips of a set, at most, skate where they meet best."""
WEIGHTS = (0.0, 0.3, 1.0, 3.0)
"""Of the skate, whose best meetings are compared."""
SAMPLES = 24
"""How many steps the window is integrated in."""


def sets(data: Path) -> Iterator[tuple[str, Callable[[], None]]]:
    """The sets of clips below a folder: names, and what loads them."""
    for path in sorted(data.glob("glb/*.glb")):
        yield path.stem, lambda path=path: files.load([path])
    if characters := sorted(data.glob("fbx/*.fbx"), reverse=True):
        yield "pab", lambda: load_fbx(characters)
    for folder in sorted(data.glob("bvh/*")):
        metres = sorted(folder.glob("*_metres.bvh"))
        paths, scale = (metres, 1.0) if metres else (sorted(folder.glob("*.bvh")), 0.01)
        if paths:
            yield folder.name, lambda paths=paths, scale=scale: files.load(paths, scale)


def load_fbx(paths: list[Path]) -> None:
    """The clips of one character, which are in several files, for the first file's armature."""
    files.load(paths[:1])
    for path in paths[1:]:
        before = set(bpy.data.objects)
        bpy.ops.import_scene.fbx(filepath=str(path))
        for thing in set(bpy.data.objects) - before:
            bpy.data.objects.remove(thing)


def usable(armature: Any, frames: int) -> list[str]:
    """The actions of an armature that are long enough for a window, by name."""
    found = []
    for action in sorted(bpy.data.actions, key=lambda a: a.name):
        # what has nothing for an armature, or can't be read, is no clip
        with contextlib.suppress(InertiaError):
            clip = actions.read(action, actions.choose_slot(action, armature))
            names = {path.split('"')[1] for path, _ in clip.curves if path.startswith("pose.bones")}
            if clip.end - clip.start > frames + 2 and names & set(armature.pose.bones.keys()):
                found.append(action.name)
    return found


def play(armature: Any, name: str, frames: Array) -> Array:
    """World positions (frames, bones, 3) of all heads while Blender plays an action, in metres."""
    action = bpy.data.actions[name]
    unkeyed.settle(armature, unkeyed.of_bones(armature), set())
    compat.assign(armature, action, actions.choose_slot(action, armature).identifier)
    scene = bpy.context.scene
    heads = np.empty(3 * len(armature.pose.bones), np.float32)
    found = np.empty((len(frames), len(armature.pose.bones), 3))
    for i, frame in enumerate(frames):
        scene.frame_set(int(np.floor(frame)), subframe=float(frame % 1.0))
        armature.pose.bones.foreach_get("head", heads)
        world = np.array(armature.matrix_world)
        found[i] = heads.reshape(-1, 3) @ world[:3, :3].T + world[:3, 3]
    return found * bpy.context.scene.unit_settings.scale_length


def measured(armature: Any, settings: TransitionSettings, heading: float) -> float:
    """The displacement of a baked transition, L1 in axes turned by a heading, metre seconds."""
    plan = bake.plan_transition(armature, settings)
    report = bake.write_plan(plan)
    last = max(report.window[1], settings.cut + 1.0)
    frames = np.linspace(settings.cut, last, SAMPLES + 1)
    result = play(armature, report.result, frames)
    alone = play(armature, settings.destination, frames - settings.cut + settings.destination_frame)
    compat.assign(armature, None)
    bpy.data.actions.remove(bpy.data.actions[report.result])
    turn = quaternion.exp(plan.alignment.heading * character_space.VERTICAL)
    scale = bpy.context.scene.unit_settings.scale_length
    offset = result - quaternion.rotate(turn, alone) - plan.alignment.translation * scale
    offset = quaternion.rotate(quaternion.exp(-heading * character_space.VERTICAL), offset)
    return float(np.trapezoid(np.abs(offset).sum(axis=(1, 2)), frames) / scene.fps())


class Clips:
    """Two clips of an armature, compared with all bones of weight 1."""

    def __init__(self, armature: Any, source: str, destination: str) -> None:
        self.armature = armature
        blend = SECONDS * scene.fps()
        self.settings = TransitionSettings(
            source, destination, 0.0, blend_frames=blend, feet="OFF", assign=False, result="Measured"
        )
        pair = costing.read_pair(armature, self.settings)
        self.motions = motions = finish(costing.motions(armature, pair))
        self.source = motions[0]
        weights = dict.fromkeys(armature.data.bones.keys(), 1.0)
        self.compared = costing.compare(self.settings, pair.alignment, weights, motions, scene.fps())
        self.search = Search(keep_frames=blend + 1.0)
        reference = character_space.upright([motion.root_rotation for motion in motions])
        self.alignment = pair.alignment
        self.limbs = joints.named_weights(armature, "found")
        self.by_limbs = costing.compare(self.settings, pair.alignment, self.limbs, motions, scene.fps())
        self.headings = character_space.headings(self.source.root_rotation, reference)
        if pair.alignment != "POSITION_HEADING":
            self.headings = np.zeros_like(self.headings)

    def random(self, chance: random.Random) -> tuple[float, float]:
        """A random cut, and a random frame of the destination with a window left behind it."""
        possible = meetings.entries(self.search, self.compared.destination)
        there = self.compared.destination.frames[possible]
        return float(chance.choice(list(self.compared.source.frames))), float(chance.choice(list(there)))

    def measure(self, cut: float, frame: float) -> float:
        """What a transition there displaces."""
        at = int(np.searchsorted(self.compared.source.frames, cut))
        settings = dataclasses.replace(self.settings, cut=cut, destination_frame=frame)
        return measured(self.armature, settings, float(self.headings[at]))

    def plants(self) -> Plants:
        """When feet stand in the destination."""
        clip = costing.read_pair(self.armature, self.settings).destination
        found = finish(costing.plants_of(read_character(self.armature), clip, 1.0))
        assert found is not None
        return found

    def weighed(self, plants: Plants, weight: float) -> Compared:
        """The two clips compared by what feet skate, too."""
        skating = WeighedSkate(plants, weight)
        return costing.compare(self.settings, self.alignment, self.limbs, self.motions, scene.fps(), skating)

    def features(self, cut: float, frame: float) -> float:
        """The distance between the features."""
        fps = self.compared.fps
        rows = (self.compared.source.at(cut, fps), self.compared.destination.at(frame, fps))
        here, there = map(self.compared.features, rows)
        return float(np.abs(here.first - there.first).sum())


def opened(load: Callable[[], None]) -> Any:
    """The armature of a set, in a file that has nothing else."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    with contextlib.redirect_stdout(io.StringIO()):
        load()
    armature = armatures()[0]
    for thing in [o for o in bpy.data.objects if o.type != "ARMATURE"]:
        bpy.data.objects.remove(thing)
    for track in list(armature.animation_data.nla_tracks):
        armature.animation_data.nla_tracks.remove(track)
    return armature


def run(name: str, load: Callable[[], None], count: int, seed: int) -> dict[str, list[list[str]]]:
    """The row of a set in the first table."""
    armature = opened(load)
    chance = random.Random(seed)
    known = usable(armature, int(SECONDS * scene.fps()))
    pairs = [Clips(armature, *chance.sample(known, 2)) for _ in range(PAIRS)]
    rows = []
    for i in range(count):
        clips = pairs[i % PAIRS]
        cut, frame = clips.random(chance)
        rows.append((clips.compared.at(cut, frame), clips.features(cut, frame), clips.measure(cut, frame)))
    exact, features, real = (np.array(column) for column in zip(*rows, strict=True))
    best = [finish(meetings.best_pairs(clips.compared, 1, clips.search))[0] for clips in pairs]
    least = [clips.measure(at.cut, at.destination_frame) for clips, at in zip(pairs, best, strict=True)]
    others = [[clips.measure(*clips.random(chance)) for _ in range(RANDOM)] for clips in pairs]
    wins = sum(found < min(measures) for found, measures in zip(least, others, strict=True))
    first = int(np.argmin([meeting.cost for meeting in best]))
    mixed = [others[i % PAIRS][i // PAIRS] for i in range(RANDOM)]
    beaten = sum(least[first] < other for other in mixed)
    displacements = [
        name,
        f"{spearmanr(exact, real).statistic:.3f}",
        f"{spearmanr(features, real).statistic:.3f}",
        f"{np.median(exact / real):.2f}",
        f"{beaten} of {RANDOM}",
        f"{wins} of {PAIRS}",
    ]
    return {"displacements": [displacements]}


def skated(name: str, load: Callable[[], None]) -> list[list[str]]:
    """The second table's rows: the best meetings by several weights of the skate, predicted and baked."""
    armature = opened(load)
    known = usable(armature, int(SECONDS * scene.fps()))
    pairs = list(itertools.permutations(known, 2))
    chosen = [Clips(armature, *names) for names in pairs[:: -(-len(pairs) // SKATED_PAIRS)]]
    plants = {clips.settings.destination: clips.plants() for clips in chosen}
    rows = []
    for weight in WEIGHTS:
        found = []
        for clips in chosen:
            stands = plants[clips.settings.destination]
            (best,) = finish(meetings.best_pairs(clips.weighed(stands, weight), 1, clips.search))
            at = best.cut, best.destination_frame
            cost = clips.by_limbs.at(*at)
            found.append((cost, clips.weighed(stands, 1.0).at(*at) - cost, *planted(clips, stands, *at)))
        cost, *skates = np.median(found, axis=0)
        rows.append([name, f"{weight:g}", f"{cost:.3f}", *(f"{100.0 * skate:.1f}" for skate in skates)])
    return rows


def planted(clips: Clips, plants: Plants, cut: float, frame: float) -> tuple[float, float]:
    """How far feet go while they stand in the destination, metres: in a baked transition, and in itself."""
    settings = dataclasses.replace(clips.settings, cut=cut, destination_frame=frame)
    report = bake.bake_transition(clips.armature, settings)
    frames = np.arange(np.ceil(SECONDS * scene.fps()) + 1.0)
    feet = [clips.armature.data.bones.find(joint) for joint in plants.joints]
    skated = []
    for action, first in ((report.result, cut), (settings.destination, frame)):
        at = play(clips.armature, action, first + frames)[:, feet, :2]
        steps = np.linalg.norm(np.diff(at, axis=0), axis=2)
        for k in range(len(feet)):
            spans = plants.contacts.at(k, frame, frame + frames[-1])
            stands = spans_of.planted(spans, frame + frames)
            steps[~(stands[1:] & stands[:-1]), k] = 0.0
        skated.append(float(steps.sum()))
    compat.assign(clips.armature, None)
    bpy.data.actions.remove(bpy.data.actions[report.result])
    return skated[0], skated[1]


TABLES = {
    "displacements": (
        *("set", "exact", "features", "exact / measured", "the set's best beats"),
        "best of all, by pair of clips",
    ),
    "skates": (
        "set",
        "skate weight",
        "displacement",
        "predicted way",
        "baked way",
        "the destination's own",
    ),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=os.environ.get("INERTIA_DATA", "../shared/data"))
    parser.add_argument("--meetings", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--set", nargs="+", default=None, metavar="NAME", help="only these sets")
    parser.add_argument("--skates", action="store_true", help="only what weights of the skate change")
    parser.add_argument(
        "--write", action="store_true", help="write the table into docs/reference/measured.md, too"
    )
    arguments = parser.parse_args()
    tables_ = {name: tables.heads(list(header)) for name, header in TABLES.items()}
    wanted = ["skates"] if arguments.skates else [*TABLES]
    for name, load in sets(arguments.data):
        if arguments.set is None or name in arguments.set:
            made = {} if arguments.skates else run(name, load, arguments.meetings, arguments.seed)
            for table, rows in (made | {"skates": skated(name, load)}).items():
                tables_[table] += map(tables.row, rows)
                print(*map(tables.row, rows), sep="\n", flush=True)
    for name in wanted:
        print("", name, *tables_[name], sep="\n")
        if arguments.write:
            tables.write(name, tables_[name])
    sys.stdout.flush()
    os._exit(0)  # some bpy modules crash on the way out


if __name__ == "__main__":
    main()
