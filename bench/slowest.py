# SPDX-License-Identifier: GPL-3.0-or-later
"""How long the tests take under this Blender, and which take longest, with what each of them says.

    python bench/slowest.py --data DATA [--write] [TESTS ...]

Runs those of TESTS, or all, as `make test BRIEF=1` does. A test's name is what it says, and its file what it
is about. Exits as pytest does where one fails.
"""

from __future__ import annotations

import argparse
import ast
import os
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from goals import whether

from tools import tables

ROOT = Path(__file__).resolve().parent.parent
MINUTES, COUNT = 4.0, 20
"""All tests should take no longer than so many minutes, and so many of the slowest are told."""
TOOK = re.compile(r"^(?P<seconds>[\d.]+)s (?:call|setup|teardown) +(?P<file>[^:]+)::(?P<test>.+)$")
SPREAD = ("-n", "auto", "--maxprocesses", "4", "--dist", "loadfile", "--no-loadscope-reorder")


def about(file: str) -> str:
    """What a file of tests says that it is about."""
    said = ast.get_docstring(ast.parse((ROOT / file).read_text(encoding="utf-8"))) or ""
    return said.split("\n\n")[0].replace("\n", " ")


def saying(test: str) -> str:
    """What a test says, by its name, with what it is given."""
    name, _, given = test.partition("[")
    words = name.rpartition("::")[2].removeprefix("test_").replace("_", " ")
    return f"{words} ({given[:-1]})" if given else words


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--write", action="store_true", help="write the table into docs/measured.md, too")
    parser.add_argument("tests", nargs="*", help="only these files or folders")
    given = parser.parse_args()
    command = [sys.executable, "-m", "pytest", *SPREAD, "--brief", f"--durations={COUNT}", *given.tests]
    environment = {**os.environ, "INERTIA_DATA": str(given.data.resolve())}
    lines, rows = "", []
    with subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            lines = line
            if took := TOOK.match(line.strip()):
                where = took["file"].removeprefix("tests/")
                cells = saying(took["test"]), about(took["file"]).replace("|", "/")
                rows.append(tables.row([f"{float(took['seconds']):.0f}", where, *cells]))
            elif line.startswith("FAILED"):
                print(line, end="", flush=True)
    summary = re.search(r"(\d+) passed.* in ([\d.]+)s", lines)
    table = [*tables.heads(["s", "file", "what it says", "what its file is about"]), *rows]
    print(*table, sep="\n")
    if summary is None:
        sys.exit(process.returncode or "pytest said nothing of how long it took.")
    minutes = float(summary[2]) / 60.0
    said = f"{summary[1]} tests, {os.cpu_count()} cores: {whether(minutes, MINUTES, ' min')}"
    print(said, flush=True)
    if given.write:
        if process.returncode or given.tests:
            sys.exit("Nothing is written: a test failed, or some were left out.")
        tables.write("slowest", [*table, "", said])
    sys.exit(process.returncode)


if __name__ == "__main__":
    main()
