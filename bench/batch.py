# SPDX-License-Identifier: GPL-3.0-or-later
"""How fast a library of transitions is baked, as ratios measured in one run.

    python bench/batch.py [--count 200] [--most 2000]

Over one file of 65 bones with clips of 120 frames: ``batch`` with one process against a start of Blender
for each transition (the command ``bake``, a few of them), and against ``batch`` with two processes.
Over a small file: what a job costs beyond its bake (reading, measuring, writing, bookkeeping here and
there), for runs of 20 to 2,000 jobs.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import bpy

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "batch"))

from small_rig import make_rig

import bench

ROOT = Path(__file__).resolve().parents[1]

Said = list[tuple[float, Any]]
"""When each job was done, seconds since the start, and what was said of it."""

FRAMES = 120
AUTO_CLAMPED = 4
SINGLE = 9
"""So many transitions are baked with a start of Blender each."""

ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}


def program(*words: object) -> list[str]:
    return [sys.executable, "-m", "inertia_addon", *map(str, words)]


def save(path: Path) -> None:
    for action in bpy.data.actions:
        action.use_fake_user = True
    bpy.ops.wm.save_as_mainfile(filepath=str(path), compress=False)


def make_large(path: Path) -> None:
    """65 bones, two clips."""
    bench.FRAMES = FRAMES
    bench.make_rig()
    for seed, name in enumerate(("Walk", "Run")):
        bench.make_clip(name, seed, AUTO_CLAMPED)
    save(path)


def make_small(path: Path) -> None:
    """Three bones, two clips."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    make_rig()
    save(path)


def transitions(count: int, cuts: int) -> list[dict[str, Any]]:
    """Transitions that differ in their cuts and destination frames, at whole frames."""
    return [
        {
            "source": "Walk",
            "destination": "Run",
            "cut": 5 + i % cuts,
            "destination_frame": 1 + i // cuts % 20,
            "blend_frames": 8 + i // (20 * cuts),
            "name": f"made{i:05}",
        }
        for i in range(count)
    ]


def batch(folder: Path, file: Path, count: int, cuts: int, jobs: int) -> tuple[float, Said]:
    """Run ``batch``; returns the seconds it took, and when each job was done, with what it said."""
    spec, out = folder / "spec.json", folder / f"{file.stem}-{count}-{jobs}"
    spec.write_text(json.dumps({"files": [str(file)], "transitions": transitions(count, cuts)}))
    words = program("batch", spec, "-o", out, "--jobs", jobs, "--json")
    began = time.perf_counter()
    said = []
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=ENVIRONMENT) as running:
        assert running.stdout is not None
        for line in running.stdout:
            event = json.loads(line)
            if event["event"] == "done":
                said.append((time.perf_counter() - began, event))
    seconds = time.perf_counter() - began
    assert running.returncode == 0
    assert len(said) == count
    return seconds, said


def bake(folder: Path, file: Path, transition: dict[str, Any]) -> float:
    """Bake one transition with a Blender of its own; returns the seconds it took."""
    words = ("--source", "Walk", "--destination", "Run", "--cut", transition["cut"])
    frame = ("--destination-frame", transition["destination_frame"])
    began = time.perf_counter()
    subprocess.run(
        program("bake", file, *words, *frame, "-o", folder / "single.blend"),
        check=True,
        env=ENVIRONMENT,
        stderr=subprocess.DEVNULL,
    )
    return time.perf_counter() - began


def beyond(said: Said) -> tuple[float, float]:
    """Seconds that a job costs beyond its bake, and its bake, while one process does them: medians."""
    baking = [event["seconds"]["baking"] for _, event in said]
    apart = [after[0] - before[0] for before, after in itertools.pairwise(said)]
    return statistics.median(a - b for a, b in zip(apart, baking[1:], strict=True)), statistics.median(baking)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=200, help="transitions of the large file")
    parser.add_argument("--most", type=int, default=2000, help="jobs of the longest run of the small file")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="inertia-") as name:
        folder = Path(name)
        large, small = folder / "large.blend", folder / "small.blend"
        make_large(large)
        make_small(small)
        report_large(folder, large, arguments.count)
        report_small(folder, small, arguments.most)
    sys.stdout.flush()
    # the bpy modules can hang at exit; everything is said
    os._exit(0)


def report_large(folder: Path, file: Path, count: int) -> None:
    some = transitions(count, 60)[:: max(1, count // SINGLE)][:SINGLE]
    # between the runs, as other work on the machine comes and goes
    third = SINGLE // 3
    single = [bake(folder, file, transition) for transition in some[:third]]
    one, said = batch(folder, file, count, 60, 1)
    single += [bake(folder, file, transition) for transition in some[third : 2 * third]]
    two, _ = batch(folder, file, count, 60, 2)
    single += [bake(folder, file, transition) for transition in some[2 * third :]]
    each = statistics.median(single)
    print(f"batch, {count} transitions over one file of {bench.BONES} bones, clips of {FRAMES} frames:")
    print(f"  {each * count / one:.1f} times as fast as a start of Blender for each ({each:.2f} s each)")
    print(
        f"  two processes {one / two:.2f} times as fast as one ({os.cpu_count()} cores), "
        f"{each * count / two:.1f} times as fast as a start for each"
    )
    spent: dict[str, float] = {}
    for _, event in said:
        for what, seconds in event["seconds"].items():
            spent[what] = spent.get(what, 0.0) + seconds
    whole = sum(spent.values())
    print("  a job: " + ", ".join(f"{what} {seconds / whole:.0%}" for what, seconds in spent.items()))


def report_small(folder: Path, file: Path, most: int) -> None:
    print("a job beyond its bake, one process, three bones:")
    first = None
    for count in (20, 200, most):
        extra, baking = beyond(batch(folder, file, count, 30, 1)[1])
        first = first or extra
        print(
            f"  {count:5} jobs: {1000 * extra:.1f} ms beyond {1000 * baking:.1f} ms of baking, "
            f"{extra / first:.2f} times that of 20"
        )


if __name__ == "__main__":
    main()
