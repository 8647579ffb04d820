# SPDX-License-Identifier: GPL-3.0-or-later
"""What every command says of every rig: that it is done, or by which sentence it is refused, and why.

    python bench/every_command.py --data DATA [--rig NAME ...] [--command NAME ...] [--jobs 2] [--write]
    python bench/every_command.py --files FILE ... [--command NAME ...] [--jobs 2]

Each rig below DATA, or in each of some files, is read from its files by each command, with a clip that walks,
if its name says so, and another one that is drawn at random. A sentence that is no result is a number of the
list below the table, a note that comes with a result a letter. Exits with 1 where a command ends in anything
else than a result or one sentence, hangs, or says a sentence for which no reason is known here.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import random
import re
import string
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from inertia_addon.blender import files
from inertia_addon.blender.data import clip_store, rigs, scene
from inertia_addon.blender.data.rig import armatures
from inertia_addon.console import output
from tests.fuzz import pool
from tools import tables

pool.LONGEST_SECONDS = 300.0
NOTE = "inertia: note: "
WALKS = re.compile("walk|run|jog|locomotion", re.IGNORECASE)
LEAST_FRAMES = 8
"""Shorter clips are poses, and drawn where there are no others."""
REASONS = Path(__file__).with_suffix(".toml")
"""Why each sentence is right to be said, by how it begins."""


@dataclasses.dataclass(frozen=True)
class Rig:
    """Files of one skeleton, and what is done with them.

    clips: one that walks, if there is one, and two others. spans: first and last frames of these. walks: up
    to three that walk, or these. size: of the character, in metres.
    """

    name: str
    files: tuple[str, ...]
    scale: float
    armature: str
    clips: tuple[str, ...]
    spans: tuple[tuple[float, float], ...]
    walks: tuple[str, ...]
    size: float

    @property
    def pair(self) -> list[str]:
        """The options that name source and destination."""
        return ["--source", self.clips[0], "--destination", self.clips[1]]

    @property
    def middle(self) -> str:
        """A frame in the midst of the source."""
        return str(round(sum(self.spans[0]) / 2.0))


def _spec(rig: Rig, out: Path) -> list[str]:
    names = {"source": rig.clips[0], "destination": rig.clips[1], "cut": float(rig.middle)}
    spec = {
        "files": [str(Path(file).resolve()) for file in rig.files],
        "scale": rig.scale,
        "armature": rig.armature,
        "transitions": [names],
        "loops": [{"action": rig.clips[0]}],
        "formats": ["blend"],
    }
    if not rig.files[0].endswith((".bvh", ".fbx")):
        del spec["scale"]
    path = out / "spec.json"
    path.write_text(json.dumps(spec), encoding="utf-8")
    return ["batch", str(path), "-o", str(out / "library"), "--json"]


def _points(rig: Rig, out: Path) -> str:
    path = out / "points.csv"
    path.write_text(f"x,y\n0,0\n0,{-3.0 * rig.size:g}\n", encoding="utf-8")
    return str(path)


def _wishes(rig: Rig, out: Path) -> str:
    """Stand, go ahead, turn to the left, and stop."""
    path = out / "wishes.csv"
    speed = 0.7 * rig.size
    rows = ((0, 0, 0), (0.5, 0, -speed), (2, speed, 0), (3.5, 0, 0), (4.5, 0, 0))
    path.write_text("seconds,x,y\n" + "".join(f"{t},{x:g},{y:g}\n" for t, x, y in rows), encoding="utf-8")
    return str(path)


def _gap(rig: Rig) -> list[str]:
    """The options of a gap in the midst of a clip."""
    first, last = rig.spans[0]
    cut, arrival = (round(first + part * (last - first)) for part in (0.3, 0.7))
    clip = rig.clips[0]
    return [
        *("--source", clip, "--destination", clip, "--cut", str(cut)),
        *("--destination-frame", str(arrival), "--gap-frames", str(max(arrival - cut, 8))),
    ]


Told = Callable[[Rig, Path], list[str]]
COMMANDS: dict[str, Told] = {
    "info": lambda rig, out: ["info"],
    "bake": lambda rig, out: ["bake", *rig.pair, "--cut", rig.middle, "-o", f"{out}/a.blend"],
    "to .glb": lambda rig, out: ["bake", *rig.pair, "--cut", rig.middle, "-o", f"{out}/a.glb"],
    "to .fbx": lambda rig, out: ["bake", *rig.pair, "--cut", rig.middle, "-o", f"{out}/a.fbx"],
    "to .bvh": lambda rig, out: ["bake", *rig.pair, "--cut", rig.middle, "-o", f"{out}/a.bvh"],
    "complete": lambda rig, out: ["complete", "-o", f"{out}/a.blend"],
    "cost": lambda rig, out: ["cost", *rig.pair, "--cut", rig.middle, "--map", f"{out}/a.png"],
    "cost --best": lambda rig, out: ["cost", *rig.pair, "--best", "3"],
    "matrix": lambda rig, out: ["matrix", "--clips", *rig.clips[:2], "-o", f"{out}/matrix"],
    "hop": lambda rig, out: [
        *("hop", *rig.pair, "--clips", *rig.clips, "--trigger", rig.middle),
        *("--bake", f"{out}/a.blend"),
    ],
    "check": lambda rig, out: ["check", "--action", rig.clips[0]],
    "feet": lambda rig, out: ["feet", "--action", rig.clips[0], "-o", f"{out}/a.blend"],
    "loop": lambda rig, out: ["loop", "--action", rig.clips[0], "-o", f"{out}/a.blend"],
    "loop --find": lambda rig, out: ["loop", "--action", rig.clips[0], "--find", "3"],
    "travel": lambda rig, out: ["travel", "--action", rig.clips[0], "-o", f"{out}/a.blend"],
    "travel --in-place": lambda rig, out: [
        *("travel", "--in-place", "--action", rig.clips[0], "-o", f"{out}/a.blend"),
    ],
    "pops": lambda rig, out: ["pops", "--action", rig.clips[0]],
    "pops --repair": lambda rig, out: [
        *("pops", "--action", rig.clips[0], "--repair", "-o", f"{out}/a.blend")
    ],
    "keys": lambda rig, out: ["keys", "--action", rig.clips[0], "-o", f"{out}/a.blend"],
    "finish": lambda rig, out: ["finish", "--action", rig.clips[0]],
    "fit": lambda rig, out: ["fit", "--action", *rig.clips[:2]],
    "path": lambda rig, out: [
        *("path", "--actions", *rig.walks, "--points", _points(rig, out), "-o", f"{out}/a.blend")
    ],
    "steer": lambda rig, out: [
        *("steer", "--actions", *rig.walks, "--input", _wishes(rig, out), "-o", f"{out}/a.blend")
    ],
    "fill": lambda rig, out: ["fill", *_gap(rig), "-o", f"{out}/a.blend"],
    "database": lambda rig, out: ["database", "--actions", *rig.walks, "-o", f"{out}/a.npz"],
    "learn": lambda rig, out: [
        *("learn", "--actions", *rig.walks, "--mirror", "--iterations", "5", "--hidden", "16"),
        *("-o", f"{out}/a.npz"),
    ],
    "batch": _spec,
}
"""What is asked for, by its column: a rig and a folder to the words of the command."""


@dataclasses.dataclass(frozen=True)
class Answer:
    """What a command said: the sentence that is no result, notes, and what is wrong with how it ended."""

    refusal: str = ""
    notes: tuple[str, ...] = ()
    fault: str = ""


def characters(data: Path, wanted: Sequence[str] | None, seed: int) -> Iterator[Rig]:
    """The rigs below a folder, each with its clips."""
    for path in sorted(data.glob("glb/**/*.glb")) + sorted(data.glob("fbx/*.fbx")):
        if wanted is None or path.stem.startswith(tuple(wanted)):
            yield _rig(path.stem, [path], 1.0, seed)
    for folder in sorted(data.glob("bvh/*")):
        metres = sorted(folder.glob("*_metres.bvh"))
        plain = [path for path in sorted(folder.glob("*.bvh")) if path not in metres]
        for paths, scale, name in ((plain, 0.01, folder.name), (metres, 1.0, f"{folder.name}_metres")):
            if paths and (wanted is None or name.startswith(tuple(wanted))):
                # one file for each clip: a few of them are as good as all
                drawn = _drawn([path.stem for path in paths], seed)
                yield _rig(name, [next(p for p in paths if p.stem == stem) for stem in drawn], scale, seed)


def _drawn(names: Sequence[str], seed: int) -> list[str]:
    """Three of some names: one that walks, if there is one, and others, again where there are too few."""
    chance = random.Random(f"{names} {seed}")
    walks = [name for name in names if WALKS.search(name)] or list(names)
    first = chance.choice(walks)
    others = [name for name in names if name != first]
    chance.shuffle(others)
    return [first, *(others or [first])[:2]]


def _rig(name: str, paths: Sequence[Path], scale: float, seed: int) -> Rig:
    paths = list(dict.fromkeys(paths))
    with output.muted(1, show=False), output.muted(2, show=False):
        files.load(paths, scale)
    armature = max(armatures(), key=lambda each: len(clip_store.find_fitting(each)))
    spans = {action.name: tuple(action.frame_range) for action in clip_store.find_fitting(armature)}
    long = [name for name, (first, last) in spans.items() if last - first >= LEAST_FRAMES]
    drawn = _drawn(long or list(spans), seed)
    size = rigs.read(armature).size * scene.metres_per_unit()
    walks = [clip for clip in long if WALKS.search(clip)][:3] or list(dict.fromkeys(drawn))
    clips = tuple(drawn), tuple(spans[clip] for clip in drawn), tuple(walks)
    return Rig(name, tuple(map(str, paths)), scale, armature.name, *clips, size)


def asked(worker: pool.Worker, rig: Rig, command: str) -> Answer:
    """What a command says of a rig."""
    with tempfile.TemporaryDirectory(prefix="inertia-every-") as folder:
        words = COMMANDS[command](rig, Path(folder))
        if words[0] != "batch":
            is_scaled = rig.files[0].endswith((".bvh", ".fbx"))
            read = ["--scale", f"{rig.scale:g}"] if is_scaled else []
            words += ["--armature", rig.armature, *read, "--json", "--", *rig.files]
        outcome = worker.do({"argv": words, "folder": folder})
    lines = outcome.said.splitlines()
    if outcome.kind != "done" or "Traceback" in outcome.said or outcome.code not in (0, 1):
        return Answer(fault=f"{outcome.kind}, exit code {outcome.code}: {lines[-1] if lines else ''}")
    notes = tuple(line.removeprefix(NOTE) for line in lines if line.startswith(NOTE))
    values = [json.loads(line) for line in lines if line.startswith("{")]
    refusals = [value["error"] for value in values if value.get("error")]
    if any(value.get("reached") is False for value in values):
        refusals, notes = [notes[-1]], notes[:-1]
    if outcome.code and not refusals:
        return Answer(notes=notes, fault=f"exit code {outcome.code} without a sentence")
    return Answer(" ".join(refusals), notes)


def answers_of(rig: Rig, commands: Sequence[str]) -> list[Answer]:
    """What each command says of a rig, one after the other in a Blender of their own."""
    with pool.Worker() as worker:
        return [asked(worker, rig, command) for command in commands]


def general(sentence: str) -> str:
    """A sentence without what it is said of, so that it is one for all rigs."""
    quoted = re.sub(r'"[^"]*"', '"..."', sentence)
    quoted = re.sub(r'("\.\.\."(, | and )?)+(?=[ ,.;:)])', '"..."', quoted)
    return re.sub(r"(?<![\w.])-?\d[\d.,]*(?<![.,])", "N", quoted)


def reason(sentence: str) -> str | None:
    """Why a sentence is said; None where that is not known."""
    known = tomllib.loads(REASONS.read_text(encoding="utf-8"))
    return next((why for begins, why in known.items() if general(sentence).startswith(begins)), None)


@dataclasses.dataclass
class Sentences:
    """Sentences in the order in which they came, each with what says it."""

    marks: Sequence[str]
    said: dict[str, list[str]] = dataclasses.field(default_factory=dict)

    def mark(self, sentence: str, where: str) -> str:
        """The mark of a sentence; where: which rig's command says it."""
        self.said.setdefault(general(sentence), []).append(where)
        return self.marks[[*self.said].index(general(sentence))]

    def lines(self, title: str) -> Iterator[str]:
        """The table of what is said, and why."""
        yield from tables.heads(["", title, "why", "how often"])
        for mark, (sentence, where) in zip(self.marks, self.said.items(), strict=False):
            yield tables.row([mark, sentence, reason(sentence) or "**not known**", str(len(where))])


def main() -> int:
    """Print the tables; 1 where something ended in no result and in no sentence that has a reason."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    read = parser.add_mutually_exclusive_group(required=True)
    read.add_argument("--data", type=Path)
    read.add_argument("--files", type=Path, nargs="+", help="of a rig each, in metres")
    parser.add_argument("--rig", nargs="+", help="only rigs whose names begin like one of these")
    parser.add_argument("--command", nargs="+", choices=[*COMMANDS], default=[*COMMANDS], metavar="NAME")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2, help="how many rigs at a time")
    parser.add_argument(
        "--write", action="store_true", help="write the tables into docs/reference/measured.md, too"
    )
    arguments = parser.parse_args()
    refusals = Sentences([str(number) for number in range(1, 1000)])
    notes = Sentences([a + b for a in ("", *string.ascii_lowercase) for b in string.ascii_lowercase])
    rows = tables.heads(["rig", *arguments.command])
    said: dict[str, str] = {}
    faults = 0
    with ThreadPoolExecutor(arguments.jobs) as threads:
        # those that answer run in folders of their own
        known = [
            *(_rig(path.name, [path.resolve()], 1.0, arguments.seed) for path in arguments.files or ()),
            *(characters(arguments.data.resolve(), arguments.rig, arguments.seed) if arguments.data else ()),
        ]
        every = threads.map(lambda rig: answers_of(rig, arguments.command), known)
        for rig, answers in zip(known, every, strict=True):
            cells = []
            for command, answer in zip(arguments.command, answers, strict=True):
                where = f"{rig.name}: {command}"
                marks = [notes.mark(note, where) for note in answer.notes]
                cell = refusals.mark(answer.refusal, where) if answer.refusal else "ok"
                cells.append("**wrong**" if answer.fault else " ".join([cell, *dict.fromkeys(marks)]))
                for text in filter(None, (answer.fault, answer.refusal, *answer.notes)):
                    said[f"{where}: {text}"] = text
                    print(f"{where}: {text}", file=sys.stderr, flush=True)
                    faults += text == answer.fault
            rows.append(tables.row([rig.name, *cells]))
            print(rows[-1], flush=True)
    lines = [*rows, "", *refusals.lines("refused by"), "", *notes.lines("noted")]
    print("", *lines, sep="\n")
    if arguments.write and arguments.data:
        tables.write("every command", lines)
    return 1 if faults or None in map(reason, said.values()) else 0


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    # bpy 4.2 may crash at the interpreter's end
    os._exit(code)
