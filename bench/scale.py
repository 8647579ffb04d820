# SPDX-License-Identifier: GPL-3.0-or-later
"""What a large library takes on a Dask cluster of two workers, in parts that fit into memory.

    python bench/scale.py --data ../shared/data [--frames 1000000] [--at-once 40] [--blocks 2]

Captured clips are copied under other names until there are so many frames. On the cluster, batch analyses all
of them, searches a path in each part, and compares the clips of some pairs of parts; the command path then
chooses among the clips that the parts' paths take. The command matrix compares one of these pairs in one
process, too: the results are the same, or this exits with 1.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "examples" / "large_library"))

import make_parts
from goals import whether

SET = "bvh/cmu127"
CLIPS, SCALE = "*run*.bvh", 0.01
LENGTH = 12.0
"""Metres that are followed."""
MOST_MEGABYTES = 1500.0
"""What a process may take with two parts open."""
MOST_HOURS = 1.0
"""What all pairs of clips of a million frames may take on two cores."""
MILLION = 1e6
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[1])}


def frames_of(file: Path) -> int:
    """How many frames a .bvh file has."""
    head = file.read_text(encoding="utf-8").partition("Frames:")[2]
    return int(head.split()[0])


def library(data: Path, folder: Path, frames: int) -> int:
    """Copy clips until there are so many frames; returns how many there are."""
    known = {path: frames_of(path) for path in sorted((data / SET).glob(CLIPS))}
    total = 0
    for i, (path, count) in zip(itertools.count(), itertools.cycle(known.items())):
        if total >= frames:
            break
        # those that follow each other are of other takes
        shutil.copy(path, folder / f"{i:05}_{path.stem}.bvh")
        total += count
    return total


class Watch(threading.Thread):
    """Notes the most memory that any worker's Blender takes, in megabytes, and their processor time."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.most, self._is_over = 0.0, threading.Event()
        self._seconds: dict[str, float] = {}

    @property
    def seconds(self) -> float:
        """The processor time of all of them so far."""
        return sum(self._seconds.values())

    def run(self) -> None:
        while not self._is_over.wait(0.5):
            for process in Path("/proc").glob("[0-9]*"):
                try:
                    words = (process / "cmdline").read_bytes().split(b"\0")
                    if b"worker" in words and b"inertia_addon" in words:
                        said = (process / "status").read_text().partition("VmHWM:")[2]
                        self.most = max(self.most, int(said.split()[0]) / 1024.0)
                        # user and system time, the 14th and 15th word
                        ticks = (process / "stat").read_text().rpartition(")")[2].split()[11:13]
                        self._seconds[process.name] = sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")
                except (OSError, IndexError):
                    continue

    def end(self) -> float:
        """The most that there was."""
        self._is_over.set()
        self.join()
        return self.most


def call(*words: object) -> str:
    """Run a command of Inertia's; exits with what it said where it fails."""
    command = [sys.executable, "-m", "inertia_addon", *map(str, words)]
    done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, words[:2]))}: {done.stderr[-2000:]}")
    return done.stdout


def batch(folder: Path, name: str, entries: list[dict[str, Any]], address: str) -> float:
    """Have a cluster do some entries of a list; the seconds it took."""
    spec = folder / f"{name}.json"
    spec.write_text(json.dumps({"scale": SCALE, name: entries}), encoding="utf-8")
    began = time.monotonic()
    call("batch", spec, "-o", folder / name, "--scheduler", address)
    return time.monotonic() - began


def check_same(folder: Path, matrices: list[dict[str, Any]]) -> None:
    """See that the first matrix of two parts is what one process finds. Exits where it is not."""
    told = matrices[-1]
    made = json.loads((folder / "matrices" / f"{told['name']}.json").read_text(encoding="utf-8"))["edges"]
    files = [folder / name for name in told["files"]]
    call("matrix", *files, "--by", "cost", "--scale", SCALE, "-o", folder / "whole")
    known = {
        (edge["source"], edge["destination"]): edge
        for edge in json.loads((folder / "whole" / "matrix.json").read_text(encoding="utf-8"))["edges"]
    }
    for edge in made:
        if edge != known[edge["source"], edge["destination"]]:
            sys.exit(f"{edge['source']} to {edge['destination']} differs from what one process finds.")
    print(f"  {len(made)} pairs of two parts are what the command matrix finds in one process")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--frames", type=int, default=60_000)
    parser.add_argument("--at-once", type=int, default=40, help="clips of a part")
    parser.add_argument("--blocks", type=int, default=2, help="so many matrices are made")
    given = parser.parse_args()
    from distributed import LocalCluster

    with tempfile.TemporaryDirectory(prefix="inertia-scale-") as name:
        folder = Path(name)
        clips, points = folder / "clips", folder / "points.csv"
        clips.mkdir()
        frames = library(given.data, clips, given.frames)
        points.write_text(f"x,y\n0,0\n{LENGTH},0\n", encoding="utf-8")
        parts = make_parts.parts_of(clips, given.at_once)
        count = sum(map(len, parts))
        print(f"{frames} frames in {count} clips, {len(parts)} parts of {given.at_once} clips; two workers")
        values = make_parts.spec(parts, folder, "cost", points)
        # two parts are open for these, which takes most
        between = [each for each in values["matrices"] if len(each["files"]) > given.at_once]
        some = (between or values["matrices"])[: given.blocks]
        watch = Watch()
        watch.start()
        with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
            address = cluster.scheduler_address
            seconds = batch(folder, "databases", values["databases"], address)
            print(f"  databases: {seconds:.0f} s, a million frames {seconds * MILLION / frames / 60:.1f} min")
            seconds = batch(folder, "paths", values["paths"], address)
            print(
                f"  {LENGTH:g} m searched in each part: {seconds:.0f} s, a million frames "
                f"{seconds * MILLION / frames / 60:.1f} min"
            )
            before = watch.seconds
            seconds = batch(folder, "matrices", some, address)
            used = watch.seconds - before
        pairs = sum(len(each["sources"]) * len(each["destinations"]) for each in some)
        every = (count * MILLION / frames) ** 2
        print(
            f"  matrices: {pairs} pairs in {seconds:.0f} s, {used:.0f} s of processor time; on two cores all "
            f"{every:.2g} pairs of a million frames: {whether(used / pairs * every / 7200, MOST_HOURS, ' h')}"
        )
        print(f"  a process at most, with two parts open: {whether(watch.end(), MOST_MEGABYTES, ' MiB')}")
        began = time.monotonic()
        names = make_parts.chosen(folder / "paths")
        files = [path for part in parts for path in part if path.stem in names]
        told = json.loads(call("path", *files, "--points", points, "--scale", SCALE, "--json"))
        print(
            f"  path among the {len(files)} clips that parts chose: {time.monotonic() - began:.0f} s, "
            f"{100.0 * told['path_rms_m']:.1f} cm off"
        )
        check_same(folder, some)


if __name__ == "__main__":
    main()
