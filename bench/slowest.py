# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the processor time of the tests goes under this Blender.

    python bench/slowest.py --data DATA [--all] [--write] [TESTS ...]

Runs those of TESTS, or all, as `make test` does, with --all as `make test ALL=1`. Prints the processor
seconds by folder, by fixture and by what is started and imported, and the twenty tests whose variants take
most together. Exits as pytest does where a test fails.
"""

from __future__ import annotations

import argparse
import collections
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from goals import whether

from tests import processor_time
from tests.processor_time import Spent
from tools import tables

ROOT = Path(__file__).resolve().parent.parent
MINUTES = 3.0
"""No more than so many should the first ring of the tests take on two cores."""
COUNT, LEAST = 20, 0.05
"""So many of the most expensive rows are told, if they take so many seconds."""
SPREAD = ("-n", "auto", "--maxprocesses", "4", "--dist", "worksteal")


def folder_of(test: str) -> str:
    """Return the room of the tests that a test is in: its layer and feature."""
    parts = test.partition("::")[0].split("/")[1:]
    return "/".join(parts[:-1][:2]) or parts[-1]


def saying(test: str) -> str:
    """Return what a test says, by its name."""
    return test.rpartition("::")[2].removeprefix("test_").replace("_", " ")


def sums(seconds: Iterable[tuple[str, float]]) -> dict[str, tuple[int, float]]:
    """Return how many times each name stands in a list, and the sum of its seconds, the greatest first."""
    added: dict[str, tuple[int, float]] = collections.defaultdict(lambda: (0, 0.0))
    for name, spent in seconds:
        count, total = added[name]
        added[name] = count + 1, total + spent
    return dict(sorted(added.items(), key=lambda row: -row[1][1]))


def table(names: tuple[str, str, str], rows: Mapping[str, tuple[int, float]]) -> list[str]:
    """Return the most expensive rows as a Markdown table."""
    most = [row for row in rows.items() if row[1][1] >= LEAST][:COUNT]
    return [
        *tables.heads(names),
        *(tables.row([name, str(count), f"{spent:.1f}"]) for name, (count, spent) in most),
        "",
    ]


def overhead(run: list[Spent]) -> list[str]:
    """Return what is started, imported and found apart from the tests themselves, as a Markdown table."""
    starts = sums((program, 1.0) for spent in run for program, n in spent.starts.items() for _ in range(n))
    rows = [tables.row([f"starts of {program}", str(count), ""]) for program, (count, _) in starts.items()]
    waited = sum(spent.children for spent in run)
    rows.append(
        tables.row(
            ["all processes that were started", str(sum(n for n, _ in starts.values())), f"{waited:.1f}"]
        )
    )
    for name in ("numpy", "bpy"):
        taken = [spent.imports.get(name, 0.0) for spent in run]
        rows.append(
            tables.row(
                [f"importing {name} in each of the tests' own processes", str(len(run)), f"{sum(taken):.1f}"]
            )
        )
    found = sum(spent.collecting for spent in run)
    rows.append(tables.row(["finding the tests", str(len(run)), f"{found:.1f}"]))
    return [*tables.heads(["what", "times", "processor s"]), *rows, ""]


def report(run: list[Spent]) -> list[str]:
    """Return all tables of a run."""
    tests = [(test, spent) for process in run for test, spent in process.tests.items()]
    by_folder = sums((folder_of(test), spent) for test, spent in tests)
    by_test = sums((test.partition("[")[0], spent) for test, spent in tests)
    told = {
        f"{test.partition('::')[0].removeprefix('tests/')}: {saying(test)}": row
        for test, row in by_test.items()
    }
    fixtures: dict[str, tuple[int, float]] = collections.defaultdict(lambda: (0, 0.0))
    for process in run:
        for name, (count, spent) in process.fixtures.items():
            fixtures[name] = fixtures[name][0] + count, fixtures[name][1] + spent
    by_fixture = dict(sorted(fixtures.items(), key=lambda row: -row[1][1]))
    return [
        *table(("folder", "tests", "processor s"), by_folder),
        *table(("fixture", "made", "processor s, without the fixtures that it asks for"), by_fixture),
        *overhead(run),
        *table(("test, all its variants together", "variants", "processor s"), told),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--all", action="store_true", help="run all variants of the tests")
    parser.add_argument(
        "--write", action="store_true", help="write the tables into docs/reference/measured.md, too"
    )
    parser.add_argument("tests", nargs="*", help="only these files or folders")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        noted = Path(folder) / "spent.json"
        measured = ("-p", "tests.processor_time", f"{processor_time.OPTION}={noted}")
        ring = ["--all-variants"] if given.all else []
        command = [sys.executable, "-m", "pytest", "-q", *SPREAD, *measured, *ring, *given.tests]
        environment = {**os.environ, "INERTIA_DATA": str(given.data.resolve())}
        ended = subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
        )
        print(*(line for line in ended.stdout.splitlines() if line.startswith("FAILED")), sep="\n", end="")
        summary = re.search(r"(\d+) passed.* in ([\d.]+)s", ended.stdout)
        if summary is None or not noted.exists():
            sys.exit(ended.stdout[-2000:] + ended.stderr[-2000:])
        lines = report(processor_time.read(noted))
    minutes = float(summary[2]) / 60.0
    lines.append(f"{summary[1]} tests, {os.cpu_count()} cores: {whether(minutes, MINUTES, ' min')}")
    print(*lines, sep="\n", flush=True)
    if given.write:
        if ended.returncode or given.tests or given.all:
            sys.exit("Nothing is written: a test failed, or this was not the first ring.")
        tables.write("slowest", lines)
    sys.exit(ended.returncode)


if __name__ == "__main__":
    main()
