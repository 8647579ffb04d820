# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures how long things take: runs the benchmarks of speed one after the other, and sums up their goals.

    python bench/every.py --data ../shared/data [--only costs batch] [--write]

--write puts the table of goals into docs/reference/measured.md, unless something is left out. Exits with 1
where a benchmark fails; a goal that is missed is said, and is no failure.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import goals

from tools import tables

HERE = Path(__file__).resolve().parent
DATA = "{data}"
ONE_THREAD = ("paths", "steering", "joins", "learned", "training")
"""What is compared with one core of others."""
BENCHMARKS: dict[str, tuple[str, ...]] = {
    "starting": (),
    "bench": (),
    "baking": (),
    "evaluation": (),
    "control_rig": (),
    "costs": (),
    "hops": (),
    "redraw": (),
    "verdict": (),
    "long_clips": (),
    "many_bones": (),
    "loops": ("--data", DATA, "--speed", "5"),
    "locking": (),
    "paths": ("--data", DATA, "--timed"),
    "steering": ("--data", DATA, "--set", "cmu127", "--timed"),
    "joins": ("--data", DATA),
    "learned": ("--data", DATA, "--set", "cmu131", "--minutes", "1", "--timed"),
    "training": ("--data", DATA, "--set", "cmu127, all", "--minutes", "10", "--checked"),
    "batch": ("--data", DATA),
    "scale": ("--data", DATA),
    "slowest": ("--data", DATA),
}
WRITES = ("slowest",)
"""What has a table of its own in the same run."""
SCRIPTS = {"training": "learned"}
"""Where a benchmark is another one's script."""


def lines(name: str, data: str, *, writes: bool) -> Iterator[str]:
    """What a benchmark prints, line by line. Raises CalledProcessError where it fails."""
    words = [word.replace(DATA, data) for word in BENCHMARKS[name]]
    words += ["--write"] * (writes and name in WRITES)
    environment = {**os.environ, "PYTHONPATH": str(HERE.parent), "PYTHONUNBUFFERED": "1"}
    if name in ONE_THREAD:
        environment["OPENBLAS_NUM_THREADS"] = "1"
    command = [sys.executable, str(HERE / f"{SCRIPTS.get(name, name)}.py"), *words]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield from process.stdout
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", required=True)
    parser.add_argument("--only", nargs="+", choices=BENCHMARKS, default=[*BENCHMARKS])
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    rows, failed = [], []
    for name in options.only:
        print(f"--- {name}", flush=True)
        try:
            for line in lines(name, options.data, writes=options.write):
                print(line, end="", flush=True)
                rows += [tables.row([name, *parts]) for parts in goals.read(line)]
        except subprocess.CalledProcessError as error:
            failed.append(name)
            print(f"{name} failed with {error.returncode}", flush=True)
    table = [*tables.heads(["benchmark", "what", "figure", "goal", ""]), *rows]
    missed = sum("NOT MET" in row for row in rows)
    said = f"{len(rows)} goals, {missed} of them missed; {os.cpu_count()} cores."
    print("", *table, said, sep="\n")
    if options.write:
        if failed or len(options.only) < len(BENCHMARKS):
            sys.exit("Nothing is written: some benchmarks were left out or failed.")
        tables.write("speed", [*table, "", said])
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
