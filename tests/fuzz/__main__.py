# SPDX-License-Identifier: GPL-3.0-or-later
"""``make fuzz``: spoils inputs and drives the interface at random, and says what gave way.

    python -m tests.fuzz --seed 1 --inputs 1000 --steps 2000

Each input and each episode of steps has a seed of its own, which is printed where something is wrong; the
same seed does the same again. What gave way is kept in build/fuzz, each in a folder with what was said.
"""

from __future__ import annotations

import argparse
import collections
import shutil
import sys
import tempfile
import time
from pathlib import Path

from tests.fuzz import commands, inputs
from tests.fuzz.pool import ROOT, Outcome, Worker

KEPT = ROOT / "build" / "fuzz" / Path(sys.prefix).name
"""Each Blender's apart."""
EPISODE = 100
"""Steps in one file, before the next one is begun."""


class Tally:
    """What was tried, and what gave way."""

    def __init__(self, kept: Path) -> None:
        self.kept = kept
        self.counts: collections.Counter[str] = collections.Counter()
        self.wrong = 0

    def note(self, seed: str, outcome: Outcome, faults: list[str], folder: Path) -> None:
        """Count an outcome, and keep a folder in which something gave way."""
        end = outcome.kind if outcome.kind != "done" else f"exit {outcome.code}"
        self.counts[end] += 1
        if not faults:
            return
        # Blender's own code has no promise to keep; it is told apart, and kept to look at
        blender = faults == ["crash"]
        self.wrong += not blender
        place = self.kept / seed.replace(":", "-")
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(folder, place)
        (place / "said.txt").write_text(f"{outcome.at}\n\n{outcome.said}", encoding="utf-8")
        what = "Blender crashed" if blender else ", ".join(faults)
        print(f"{seed}: {what}: {outcome.at[:300]!r}; kept in {place}", flush=True)


def make_inputs(worker: Worker, folder: Path) -> None:
    """Have a worker write the good inputs, as bpy may crash when it ends."""
    folder.mkdir()
    made = worker.do({"make": str(folder), "folder": str(folder)})
    if made.kind != "done":
        raise RuntimeError(f"The inputs could not be made: {made.said}")


def run(seed: int, count: int, steps: int, seconds: float, kept: Path, only: str = "") -> Tally:
    """Try so many inputs and steps, or as many as there is time for. only: one seed of those printed."""
    tally, until = Tally(kept), time.monotonic() + seconds
    with tempfile.TemporaryDirectory(prefix="inertia-fuzz-") as name, Worker() as worker:
        good, folder = Path(name) / "good", Path(name) / "work"
        if not only.startswith("steps:"):
            make_inputs(worker, good)
            sources = inputs.gather(good, inputs.data_folder())
            for i in range(count):
                own = f"input:{seed}:{i}"
                if time.monotonic() > until or (only and own != only):
                    continue
                tally.counts["inputs"] += 1
                source = sources[i % len(sources)]
                tally.note(own, *commands.attempt(worker, source, own, folder), folder)
        for i in range(0, steps, EPISODE):
            own = f"steps:{seed}:{i}"
            if time.monotonic() > until or (only and own != only):
                continue
            length = min(EPISODE, steps - i)
            tally.counts["steps"] += length
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            outcome = worker.do({"seed": own, "steps": length, "folder": str(folder)})
            tally.note(own, outcome, commands.end_of(outcome), folder)
    return tally


def main() -> int:
    """Run as the arguments say; 1 where something gave way."""
    parser = argparse.ArgumentParser(prog="make fuzz", description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="another one tries other inputs and steps")
    parser.add_argument("--inputs", type=int, default=1000, help="how many inputs to spoil")
    parser.add_argument("--steps", type=int, default=2000, help="how many steps to drive the interface")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop after this time")
    parser.add_argument("--only", default="", help="one of the printed seeds, such as input:1:37")
    given = parser.parse_args()
    if given.only:
        given.seed = int(given.only.split(":")[1])
    began = time.monotonic()
    tally = run(given.seed, given.inputs, given.steps, given.seconds, KEPT, given.only)
    counts = ", ".join(f"{amount} {what}" for what, amount in sorted(tally.counts.items()))
    print(f"Seed {given.seed}: {counts}; {tally.wrong} gave way; {time.monotonic() - began:.0f} s")
    return 1 if tally.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
