# SPDX-License-Identifier: GPL-3.0-or-later
"""How fast a library of transitions is baked, as ratios measured in one run.

    python bench/batch.py [--count 200] [--most 2000]

Over one file of 65 bones with clips of 120 frames: ``batch`` with one process against a start of Blender
for each transition (the command ``bake``, a few of them), and against ``batch`` with two processes.
Over a small file: what a job costs beyond its bake (reading, measuring, writing, bookkeeping here and
there), for runs of 20 to 2,000 jobs. Of each kind of input: how large a .blend of the outputs is, with what
its result needs and as a whole file, and which share of a job its writing takes; with ``--data FOLDER`` of
real characters, too.
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

from goals import least

import bench
from tests.batch.small_rig import make_rig

ROOT = Path(__file__).resolve().parents[1]

Said = list[tuple[float, Any]]
"""When each job was done, seconds since the start, and what was said of it."""

FRAMES = 120
AUTO_CLAMPED = 4
SINGLE = 9
"""So many transitions are baked with a start of Blender each."""

CHARACTERS = (
    (("glb/KayKit_Knight.glb",), "Walking_A", "Running_A"),
    (("glb/RobotExpressive.glb",), "Walking", "Running"),
    (("glb/Fox.glb",), "Survey", "Run"),
    (("fbx/pab_locomotions.fbx",), "Hips|walk|walk:BaseAnimation", "Hips|run|run:BaseAnimation"),
    (tuple(f"bvh/cmu127/cmu127_{clip}_run.bvh" for clip in ("03", "06")), "cmu127_03_run", "cmu127_06_run"),
)
"""Real characters, by their files in the folder of data, each with two of their clips."""

ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}


def program(*words: object) -> list[str]:
    return [sys.executable, "-m", "inertia_addon", *map(str, words)]


def save(path: Path) -> None:
    for action in bpy.data.actions:
        action.use_fake_user = True
    bpy.ops.wm.save_as_mainfile(filepath=str(path), compress=False)


def make_large(path: Path) -> None:
    """65 bones, two clips."""
    bench.make_rig()
    for seed, name in enumerate(("Walk", "Run")):
        bench.make_clip(name, seed, AUTO_CLAMPED, bench.Case(FRAMES, 0, 0))
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
    out = folder / f"{file.stem}-{count}-{jobs}"
    return batch_of(folder, [file], transitions(count, cuts), out, "--jobs", jobs)


def batch_of(
    folder: Path, files: list[Path], made: list[dict[str, Any]], out: Path, *more: object
) -> tuple[float, Said]:
    """The same for any files and transitions."""
    spec, count = folder / "spec.json", len(made)
    spec.write_text(json.dumps({"files": list(map(str, files)), "transitions": made}))
    words = program("batch", spec, "-o", out, "--json", *more)
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


def report_sizes(folder: Path, large: Path, small: Path, data: Path | None) -> None:
    inputs = [([large], "Walk", "Run"), ([small], "Walk", "Run")]
    if data is not None and data.is_dir():
        # a spec's files are told from where the spec is
        inputs += [([(data / name).resolve() for name in names], *ends) for names, *ends in CHARACTERS]
    print("a .blend of the outputs: its size, and its writing's share of a job; the same as a whole file:")
    for files, source, destination in inputs:
        ends = {"source": source, "destination": destination}
        made = [{**ends, "cut": cut, "name": f"made{cut}"} for cut in range(8, 8 + SINGLE)]
        read, told = sum(file.stat().st_size for file in files), []
        for more in ((), ("--whole-file",)):
            out = folder / "-".join((files[0].stem, "sizes", *more))
            share = shares(batch_of(folder, files, made, out, *more)[1])["writing"]
            size = statistics.median(path.stat().st_size for path in out.glob("*.blend"))
            told.append(f"{size / 2**20:6.2f} MiB, {size / read:5.2f} times the input, {share:4.0%}")
        print(f"  {files[0].name:24} {read / 2**20:5.2f} MiB: {told[0]}; {told[1]}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=200, help="transitions of the large file")
    parser.add_argument("--data", type=Path, help="a folder of real characters; left out where there is none")
    parser.add_argument("--most", type=int, default=2000, help="jobs of the longest run of the small file")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="inertia-") as name:
        folder = Path(name)
        large, small = folder / "large.blend", folder / "small.blend"
        make_large(large)
        make_small(small)
        report_large(folder, large, arguments.count)
        report_small(folder, small, arguments.most)
        report_sizes(folder, large, small, arguments.data)
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
    print(f"  times as fast as a start of Blender for each ({each:.2f} s): {least(each * count / one, 10.0)}")
    print(f"  two processes, times as fast as one ({os.cpu_count()} cores): {least(one / two, 1.8)}")
    print("  a job: " + ", ".join(f"{what} {share:.0%}" for what, share in shares(said).items()))


def shares(said: Said) -> dict[str, float]:
    """What part of the jobs' time each of their steps took."""
    spent: dict[str, float] = {}
    for _, event in said:
        for what, seconds in event["seconds"].items():
            spent[what] = spent.get(what, 0.0) + seconds
    whole = sum(spent.values())
    return {what: seconds / whole for what, seconds in spent.items()}


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
