# SPDX-License-Identifier: GPL-3.0-or-later
"""How far what is said of a transition before it is baked is what Blender then plays.

    python bench/judged.py --data DATA [--cuts 300] [--pairs 80] [--places 24] [--seed 2] [--set NAME ...]
    [--examples] [--brief] [--write]

Random cuts, and best pairs as they are judged, of each set of clips below DATA are planned and judged, with
feet off, automatic and locked, at 6, 12, 24 and 40 frames. Each is baked, and it, its source and its
destination are played by Blender on half frames. From where Blender has the joints then all figures are
computed anew by the formulas of seen.py, which share no code with the judge; from them follows a word. Shown
is how often it is the one that was said, how far figures are off at most in 95 % of all, by sets and by blend
times; how far feet of walks and runs in place skate over the ground that passes below them; and whether each
goal is met.

Each set that is measured is kept in build/judged, and taken from there while sources and numbers are the
same: a run that was stopped goes on with the next one.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import hashlib
import itertools
import os
import pickle
import random
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import bpy
import displacements
import numpy as np
from seen import PERSON, Seen, Stage, measured

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from inertia_addon.blender import files
from inertia_addon.blender.cost import candidates, costing
from inertia_addon.blender.cost.candidates import WantedPairs
from inertia_addon.blender.data import clip_store, scene
from inertia_addon.blender.evaluation import joints
from inertia_addon.blender.evaluation.character import read_character
from inertia_addon.blender.judging import verdict
from inertia_addon.blender.transition import bake
from inertia_addon.errors import InertiaError
from inertia_addon.motion.judging import faults
from inertia_addon.motion.judging.faults import Judgement
from inertia_addon.motion.steps import finish
from inertia_addon.settings.cost import Search
from inertia_addon.settings.transition import TransitionSettings
from tools import tables

LENGTHS, FEET = (6.0, 12.0, 24.0, 40.0), ("OFF", "AUTO", "LOCK")
WILD = ("Trex", "spider", "godot_player", "dragon", "greenman")
IN_PLACE = {
    "RobotExpressive": ("Walking", "Running"),
    "KayKit_Knight": ("Walking_A", "Walking_B", "Running_A", "Running_B"),
    "godot_player": ("walk", "run"),
}
"""Walks and runs in place."""
RANK = {"GOOD": 0, "FAIR": 1, "POOR": 2}
ROOT = Path(__file__).resolve().parents[1]


def sets(data: Path) -> Iterator[tuple[str, Any]]:
    """The sets of clips, and game characters."""
    yield from displacements.sets(data)
    for name in WILD:
        path = data / "glb" / "wild" / f"{name}.glb"
        if path.is_file():
            yield name, lambda path=path: files.load([path])


def load_examples() -> None:
    """Open the clips of examples/humanoid, which are made anew."""
    file = ROOT / "build" / "judged" / "clips.blend"
    file.parent.mkdir(parents=True, exist_ok=True)
    script = ROOT / "examples" / "humanoid" / "make_clips.py"
    subprocess.run([sys.executable, str(script), "-o", str(file)], check=True, capture_output=True)
    bpy.ops.wm.open_mainfile(filepath=str(file))


@dataclasses.dataclass
class Case:
    """A transition: what was said, with its figures, and what was measured.

    better: whether any of the best pairs is better than poor, as was said.
    """

    group: str
    key: tuple[Any, ...]
    blend: float
    feet: str
    rating: str
    told: Judgement
    seen: Seen
    size: float
    fps: float
    better: bool = False

    @property
    def alike(self) -> bool:
        """Whether the word is that of the measurement."""
        return self.rating == self.seen.word

    @property
    def changes(self) -> tuple[float, float]:
        """The change of velocity over the clips' own, said and measured."""
        highest = self.told.highest
        return highest.size / max(highest.own, 0.3 * self.size / self.fps), self.seen.change

    @property
    def lengths(self) -> list[tuple[float, float]]:
        """Skate, lift, float and reach, in centimetres of a person, said and measured."""
        person, seen = 100.0 * PERSON / self.size, self.seen
        kinds = (faults.SKATE, faults.LIFT, faults.FLOAT, faults.REACH)
        own = (seen.skate, seen.lift, seen.floats, seen.reach)
        return [(self.told.size_of(kind) * person, value) for kind, value in zip(kinds, own, strict=True)]

    @property
    def near(self) -> list[bool]:
        """Which of all figures are within 5 %, or half a centimetre."""
        said, is_seen = self.changes
        lengths = [abs(a - b) <= max(0.05 * abs(b), 0.5) for a, b in self.lengths]
        return [abs(said - is_seen) <= 0.05 * is_seen, *lengths]


def cases(name: str, load: Any, cuts: int, pairs: int, seed: int) -> Iterator[Case]:
    """Random cuts and best pairs of a set, each with all that feet may do."""
    armature, chance = displacements.opened(load), random.Random(f"{name} {seed}")
    stage = Stage(armature)
    known = displacements.usable(armature, 8)
    every = list(itertools.permutations(known, 2)) or [(n, n) for n in known]
    asked: list[tuple[str, TransitionSettings, bool]] = []
    for i in range(cuts):
        source, destination = chance.choice(every)
        spans = [bpy.data.actions[n].frame_range for n in (source, destination)]
        cut = chance.randint(int(spans[0][0]) + 1, int(spans[0][1]))
        entry = chance.randint(int(spans[1][0]), max(int(spans[1][1]) - 4, int(spans[1][0])))
        base = {"blend_frames": LENGTHS[i % len(LENGTHS)], "destination_frame": float(entry), "assign": False}
        asked.append(("random", TransitionSettings(source, destination, float(cut), **base), False))
    for i, (source, destination) in enumerate(chance.sample(every, min(pairs, len(every)))):
        settings = TransitionSettings(
            source, destination, 0.0, blend_frames=LENGTHS[i % len(LENGTHS)], assign=False
        )
        with contextlib.suppress(InertiaError):
            pair = costing.read_pair(armature, settings)
            motions = finish(costing.motions(armature, pair))
            weights = joints.named_weights(armature, "found")
            compared = costing.compare(settings, pair.alignment, weights, motions, scene.fps())
            read = finish(clip_store.read_named_steps(armature, settings.ends()))
            best = finish(
                candidates.best(
                    read_character(armature),
                    settings,
                    read,
                    compared,
                    Search(),
                    WantedPairs(candidates.COUNT),
                )
            )
            better = any(one.verdict is not None and one.verdict.rating != "POOR" for one in best)
            meeting = {"cut": best[0].cut, "destination_frame": best[0].destination_frame}
            asked.append(("best", dataclasses.replace(settings, **meeting), better))
    for group, settings, better in asked:
        yield from of_each_feet(stage, group, settings, better=better)


def of_each_feet(
    stage: Stage, group: str, settings: TransitionSettings, *, better: bool = False
) -> Iterator[Case]:
    """A transition with all that feet may do. better: see :class:`Case`."""
    for feet in FEET:
        try:
            plan = bake.plan_transition(stage.armature, dataclasses.replace(settings, feet=feet))
        except InertiaError:
            # such as a foot that can't be locked
            continue
        rating = finish(verdict.of_played(plan.evidence)).rating
        told = faults.judge(verdict.see_transition(plan.evidence))
        key = (stage.armature.name, *settings.ends(), settings.cut, settings.destination_frame, group)
        seen = measured(stage, plan)
        yield Case(group, key, settings.blend_frames, feet, rating, told, seen, stage.size, plan.fps, better)


def in_place(name: str, load: Any, cuts: int, seed: int) -> list[Case]:
    """Random cuts between walks and runs in place."""
    armature, chance = displacements.opened(load), random.Random(f"{name} in place {seed}")
    stage, found, clips = Stage(armature), [], IN_PLACE[name]
    for i in range(cuts):
        source, destination = chance.choice([*itertools.permutations(clips, 2)])
        spans = [bpy.data.actions[n].frame_range for n in (source, destination)]
        cut, entry = (float(chance.randint(int(a) + 1, int(b) - 1)) for a, b in spans)
        blend = {"blend_frames": LENGTHS[i % len(LENGTHS)], "assign": False}
        found += of_each_feet(stage, "place", TransitionSettings(source, destination, cut, entry, **blend))
    return found


def skating(found: Iterable[Case], feet: str = "AUTO") -> tuple[float, float]:
    """How far feet of transitions skate, and those of the clips in that time, cm of a person in all."""
    some = [case.seen for case in found if case.feet == feet]
    return float(sum(seen.ways.sum() for seen in some)), float(sum(seen.usual.sum() for seen in some))


def goals(found: list[Case], places: dict[str, list[Case]]) -> Iterator[tuple[str, float, str, float]]:
    """Each goal: what it is, the figure, and its bound."""
    yield "the word is that of the measurement", float(np.mean([case.alike for case in found])), ">=", 0.98
    near = [each for case in found for each in case.near]
    yield "figures within 5 % or 0.5 cm", float(np.mean(near)), ">=", 0.98
    good = [case.seen.severities() for case in found if case.rating == "GOOD"]
    over = [max(s[k] for k in ("change", "skate", "lift", "reach")) > 1.05 for s in good]
    yield "Good in spite of a fault", float(np.sum(over)), "<=", 0.0
    limbs = sum(case.seen.limb > 1.6 * 1.05 for case in found if case.rating == "GOOD")
    yield "Good in spite of a large joint beyond 1.6 times its own", float(limbs), "<=", 0.0
    hips = sum(case.seen.hips > 1.6 * 1.05 for case in found if case.rating == "GOOD")
    yield "Good in spite of hips that jump", float(hips), "<=", 0.0
    bends = sum(case.seen.bend > 1.05 for case in found if case.rating == "GOOD")
    yield "Good in spite of a knee or elbow that snaps", float(bends), "<=", 0.0
    slides = sum(max(case.seen.skating, default=0.0) > 1.05 for case in found if case.rating == "GOOD")
    yield "Good in spite of a planted foot that slides", float(slides), "<=", 0.0
    poor = [case.seen.severities() for case in found if case.rating == "POOR"]
    kinds = ("change", "limb", "bend", "skate", "lift", "float", "reach")
    less = [max(s[k] for k in kinds) < 1.9 for s in poor]
    yield "Poor without a fault twice over", float(np.sum(less)), "<=", 0.0
    by_feet: dict[tuple[Any, ...], dict[str, Seen]] = {}
    for case in [*found, *(case for some in places.values() for case in some)]:
        by_feet.setdefault(case.key, {})[case.feet] = case.seen
    three = [some for some in by_feet.values() if len(some) == len(FEET)]
    ranks = [[(RANK[some[feet].word], some[feet].total) for feet in FEET] for some in three]
    both = sum(auto[0] > max(off[0], lock[0]) for off, auto, lock in ranks)
    yield "Automatic worse, by word, than both of off and lock", float(both), "<=", 0.0
    beyond = [auto[1] / max(off[1], lock[1], 0.01) for off, auto, lock in ranks]
    yield "all that is seen with Automatic over that of the worse one, highest", max(beyond), "<=", 1.05
    worse = sum(auto[0] > min(off[0], lock[0]) for off, auto, lock in ranks)
    yield "Automatic worse, by word, than the better one", float(worse), "<=", 0.0
    poor = sum(auto[0] == RANK["POOR"] > lock[0] for _, auto, lock in ranks)
    yield "Poor with Automatic where locked feet are not", float(poor), "<=", 0.0
    alike = [auto[1] <= 1.05 * max(min(off[1], lock[1]), 0.01) for off, auto, lock in ranks]
    yield "all that is seen with Automatic at most 1.05 of the better one", float(np.mean(alike)), ">=", 0.99
    best = [case for case in found if case.group == "best" and case.feet == "AUTO"]
    if best:
        change = float(np.median([case.seen.change for case in best]))
        yield "best pairs: highest change over own, median", change, "<=", 0.8
        skate = float(np.median([case.seen.skate for case in best]))
        yield "best pairs: skate, cm, median", skate, "<=", 0.3
        poor = sum(case.seen.word == "POOR" and case.better for case in best)
        yield "best pairs: poor though one of ten is not", float(poor), "<=", 0.0
    if places:
        ratios = [ways / max(own, 1e-9) for ways, own in map(skating, places.values())]
        yield "in place: skate over the clips' own, highest of a set", max(ratios), "<=", 1.2


def row(name: str, found: list[Case]) -> str:
    """A row of the table of sets: how often words are alike, which they are, and how far figures are off."""
    words = [case.rating for case in found]
    change = [100.0 * abs(a / max(b, 1e-9) - 1.0) for a, b in (case.changes for case in found)]
    off = np.percentile([[abs(a - b) for a, b in case.lengths] for case in found], 95.0, axis=0)
    return tables.row(
        [
            *(name, str(len(found)), f"{np.mean([case.alike for case in found]):.1%}"),
            *(f"{words.count(word) / len(words):.0%}" for word in RANK),
            f"{np.percentile(change, 95.0):.1f}",
            *(f"{value:.2f}" for value in off),
        ]
    )


def by_length(found: list[Case]) -> Iterator[str]:
    """The rows of blend times, with what is measured of each way of feet."""
    for blend, feet in itertools.product(LENGTHS, FEET):
        some = [case for case in found if (case.blend, case.feet) == (blend, feet)]
        if some:
            words = [case.seen.word for case in some]
            yield tables.row(
                [
                    *(f"{blend:g}", feet.lower(), str(len(some))),
                    f"{np.mean([case.alike for case in some]):.1%}",
                    *(f"{words.count(word) / len(words):.0%}" for word in RANK),
                    f"{np.median([case.seen.change for case in some]):.2f}",
                    f"{np.mean([case.seen.skate for case in some]):.1f}",
                ]
            )


def by_place(places: dict[str, list[Case]]) -> Iterator[str]:
    """The rows of sets in place: how far feet skate, each way."""
    for name, some in places.items():
        each = [skating(some, feet)[0] for feet in FEET]
        count, own = len(some) // len(FEET), skating(some)[1]
        means = (f"{value / count:.1f}" for value in (own, *each))
        yield tables.row([name, str(count), *means, f"{each[1] / max(own, 1e-9):.2f}"])


def measuring(name: str, load: Any, cuts: int, pairs: int, places: int, seed: int) -> list[list[Case]]:
    """All that is measured of a set: its cuts and pairs, and its cuts in place."""
    there = in_place(name, load, places, seed) if name in IN_PLACE and places else []
    return [[*cases(name, load, cuts, pairs, seed)], there]


def once(name: str, load: Any, *numbers: int) -> list[list[Case]]:
    """The same as :func:`measuring`, as it is kept of the same sources."""
    digest = hashlib.sha256(repr((name, numbers)).encode())
    for path in sorted([*(ROOT / "inertia_addon").rglob("*.py"), *(ROOT / "bench").glob("*.py")]):
        digest.update(path.read_bytes())
    at = ROOT / "build" / "judged" / f"{name} {digest.hexdigest()[:16]}.pickle"
    if not at.is_file():
        at.parent.mkdir(parents=True, exist_ok=True)
        unfinished = at.with_suffix(".part")
        unfinished.write_bytes(pickle.dumps(measuring(name, load, *numbers)))
        unfinished.replace(at)
    return pickle.loads(at.read_bytes())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=os.environ.get("INERTIA_DATA", "../shared/data"))
    parser.add_argument("--cuts", type=int, default=300, help="random cuts, of all sets together")
    parser.add_argument("--pairs", type=int, default=80, help="best pairs, of all sets together")
    parser.add_argument("--places", type=int, default=24, help="cuts in place, of each set")
    parser.add_argument("--seed", type=int, default=2)
    parser.add_argument("--set", nargs="+", default=None, metavar="NAME", help="only these sets")
    parser.add_argument("--examples", action="store_true", help="only those of examples/humanoid")
    parser.add_argument("--brief", action="store_true", help="two cuts and a pair of one set")
    parser.add_argument(
        "--write", action="store_true", help="write the table into docs/reference/measured.md, too"
    )
    arguments = parser.parse_args()
    every_set = [("examples", load_examples)] if arguments.examples else sets(arguments.data)
    known = [one for one in every_set if arguments.set is None or one[0] in arguments.set]
    if not known:
        print(f"There are no clips in {arguments.data}; give --data.")
        sys.stdout.flush()
        os._exit(0)
    numbers = (2, 1, 2) if arguments.brief else (arguments.cuts, arguments.pairs, arguments.places)
    known, look = (known[:1], measuring) if arguments.brief else (known, once)
    cuts, pairs = (-(-number // len(known)) for number in numbers[:2])
    off = ("change off by, %", "skate off by, cm", "lift off by", "float off by", "reach off by")
    rows, every = tables.heads(["set", "bakes", "words alike", "good", "fair", "poor", *off]), []
    places: dict[str, list[Case]] = {}
    for name, load in known:
        found, there = look(name, load, cuts, pairs, numbers[2], arguments.seed)
        every += found
        if there:
            places[name] = there
        rows.append(row(name, found))
        print(rows[-1], flush=True)
    rows.append(row("all", every))
    lengths = tables.heads(
        ["frames", "feet", "bakes", "words alike", "good", "fair", "poor", "change over own", "skate, cm"]
    )
    lengths += by_length(every)
    rooms = tables.heads(["set", "cuts", "own skate, cm", "off", "auto", "lock", "auto over own"])
    rooms += by_place(places)
    lines = tables.heads(["goal", "figure", "wanted", "met"])
    for text, value, sign, bound in goals(every, places):
        met = value >= bound if sign == ">=" else value <= bound
        lines.append(tables.row([text, f"{value:.3f}", f"{sign} {bound:g}", "yes" if met else "**no**"]))
    parts = {"judged": rows, "judged lengths": lengths, "judged in place": rooms, "judged goals": lines}
    for part in parts.values():
        print("", *part, sep="\n")
    if arguments.write:
        for mark, part in parts.items():
            tables.write(mark, part)
    sys.stdout.flush()
    os._exit(0)  # some bpy modules crash on the way out


if __name__ == "__main__":
    main()
