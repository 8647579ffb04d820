# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs commands on spoiled inputs, and judges what they leave."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path
from random import Random

from tests.fuzz import inputs, mutations
from tests.fuzz.pool import Outcome, Worker

FORMER = b"what was there before"
OUTPUTS = (
    "out.blend",
    "out.bvh",
    "out.glb",
    "out.gltf",
    "out.fbx",
    "out.png",
    "out.csv",
    "out.json",
    "out.npz",
)
TELL, LAST = {".bvh", ".glb"}, 16
"""Files of these kinds say how long they are; of a number at the end nobody can tell that it was longer."""
BESIDE = {"out.bin", "report.json", "edges.json"}
"""What else commands may write on demand, or as a part of an output."""


def attempt(worker: Worker, source: Path, seed: str, folder: Path) -> tuple[Outcome, list[str]]:
    """Spoil an input, run a command on it in an empty folder; returns its end, and what is wrong with it."""
    chance = Random(seed)
    shutil.rmtree(folder, ignore_errors=True)
    path = inputs.stage(source, folder)
    if path.suffix == ".bvh":
        shutil.copy(path, folder / "other.bvh")
    way, good = chance.random(), path.read_bytes()
    if way < 0.15:
        path.write_bytes(mutations.cut(good, chance))
    elif way < 0.9:
        path.write_bytes(mutations.spoil(good, path.suffix, chance))
    is_cut = way < 0.15 and path.suffix in TELL and len(path.read_bytes()) < len(good.rstrip()) - LAST
    words = inputs.command(path, chance)
    if chance.random() < 0.3:
        for name in OUTPUTS:
            (folder / name).write_bytes(FORMER)
    before = contents(folder)
    outcome = worker.do({"argv": words, "folder": str(folder)})
    found = faults(outcome, before, contents(folder))
    if is_cut and outcome.kind == "done" and outcome.code == 0:
        found.append("took a part for the whole")
    return outcome, found


def contents(folder: Path) -> dict[str, str]:
    """What each file in a folder holds, by its digest; not those in folders below."""
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.iterdir()
        if path.is_file()
    }


def faults(outcome: Outcome, before: dict[str, str], after: dict[str, str]) -> list[str]:
    """What is wrong with how a command ended."""
    found = end_of(outcome)
    if found:
        pass
    elif outcome.code not in (0, 1, 2):
        found.append(f"exit code {outcome.code}")
    elif outcome.code != 0 and "inertia: " not in outcome.said and '"event"' not in outcome.said:
        found.append("no sentence")
    written = {*OUTPUTS, *BESIDE} if outcome.kind == "done" and outcome.code == 0 else set()
    for name, digest in before.items():
        if after.get(name) != digest and name not in written:
            found.append(f"{'changed' if name in after else 'lost'} {name}")
    # what a crash of Blender leaves half written is Blender's
    if outcome.kind == "done":
        found += [f"left {name}" for name in after if name not in before and name not in written]
    return found


def end_of(outcome: Outcome) -> list[str]:
    """What is wrong with the end itself."""
    if outcome.kind != "done":
        return [outcome.kind]
    return ["traceback"] if "Traceback (most recent call last)" in outcome.said else []
