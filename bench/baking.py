# SPDX-License-Identifier: GPL-3.0-or-later
"""What a bake takes by the shell once Blender runs, whatever its verdict is, and what a batch job takes.

    python bench/baking.py [--cuts 24]

The file of examples/humanoid is read, two of its clips are joined at random cuts, and the result is judged
and written, each by the command ``bake`` in this process. Printed is the processor time of a command by the
word of its verdict: the median and the highest. Then the same transitions are the jobs of one ``batch``, and
what a job takes is the processor time of its worker beyond that of a batch with one job.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import io
import json
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from goals import whether

from inertia_addon.cli import program

ROOT = Path(__file__).resolve().parents[1]
MOST_SECONDS = 0.3
PAIRS = (("Walk", "Run"), ("Run", "Walk"), ("Idle", "Run"), ("Walk", "Turn"))
SEED = 1


def draw_transitions(count: int) -> list[dict[str, Any]]:
    """Draw transitions at cuts and entries within half a second of their clips' beginnings, as in specs."""
    drawn = random.Random(SEED)
    return [
        {
            **dict(zip(("source", "destination"), PAIRS[i % len(PAIRS)], strict=True)),
            "cut": float(drawn.randrange(8, 24)),
            "destination_frame": float(drawn.randrange(1, 16)),
            "feet": drawn.choice(("auto", "lock", "off")),
            "name": f"made{i:03}",
        }
        for i in range(count)
    ]


def bake(file: Path, transition: dict[str, Any]) -> tuple[str, float]:
    """Bake a transition by its command, here; return its verdict's word and the processor seconds it took."""
    options = ((f"--{name.replace('_', '-')}", f"{value}") for name, value in transition.items())
    given = [word for option in options if option[0] != "--name" for word in option]
    out, report = file.with_name("out.blend"), file.with_name("report.json")
    begun = time.process_time()
    with contextlib.redirect_stderr(io.StringIO()):
        code = program.main(["bake", str(file), *given, "-o", str(out), "--report", str(report)])
    took = time.process_time() - begun
    if code != program.DONE:
        sys.exit(f"bake {' '.join(given)} ended with {code}")
    return json.loads(report.read_text(encoding="utf-8"))["verdict"]["rating"].title(), took


def run_batch(file: Path, transitions: list[dict[str, Any]]) -> float:
    """Bake transitions as jobs of a batch with one worker; return the processor seconds of both processes."""
    folder = file.with_name(f"library{len(transitions)}")
    spec = folder.with_suffix(".json")
    spec.write_text(json.dumps({"files": [str(file)], "transitions": transitions}), encoding="utf-8")
    begun = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "inertia_addon", "batch", str(spec), "-o", str(folder), "--jobs", "1"]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return ended.ru_utime + ended.ru_stime - begun.ru_utime - begun.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cuts", type=int, default=24)
    transitions = draw_transitions(parser.parse_args().cuts)
    with tempfile.TemporaryDirectory(prefix="inertia-bench-") as folder:
        file = Path(folder) / "clips.blend"
        script = ROOT / "examples" / "humanoid" / "make_clips.py"
        subprocess.run([sys.executable, str(script), "-o", str(file)], check=True, capture_output=True)
        # the first one imports what it needs
        bake(file, transitions[0])
        took = collections.defaultdict(list)
        for transition in transitions:
            rating, seconds = bake(file, transition)
            took[rating].append(seconds)
        print(f"bake by the shell, without the start of Blender, {len(transitions)} transitions:")
        for rating in ("Good", "Fair", "Poor"):
            if seconds := took[rating]:
                median = f"{statistics.median(seconds):.2f} s the median of {len(seconds)}"
                print(f"  {rating}, {median}; the highest: {whether(max(seconds), MOST_SECONDS, ' s')}")
            else:
                print(f"  {rating}: none")
        each = (run_batch(file, transitions) - run_batch(file, transitions[:1])) / (len(transitions) - 1)
        print(f"  a job of a batch: {whether(each, MOST_SECONDS, ' s')}")


if __name__ == "__main__":
    main()
