# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of what each command says to each slip; ``make slips`` writes it into docs/reference/slips.md."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from inertia_addon.cli import program
from tests.batch.small_rig import Run

COMMANDS = [*program.COMMANDS]
WRITES = "INERTIA_SLIPS"
"""Names the file that the table is added to; nothing is written without."""


def said(done: Run, folder: Path) -> str:
    """The first sentence of a run, without where the test had its files."""
    line = (
        done.err.replace(f"{folder}{os.sep}", "")
        .replace(f"..{os.sep}{folder.name}{os.sep}", "")
        .replace(str(folder), "FOLDER")
        .partition("\n")[0]
    )
    # names that hang by the folder say nothing
    line = re.sub(r"\b[0-9a-f]{32}\b", "NUMBER", line)
    return line.removeprefix("inertia: ").replace("|", "\\|")


def rows(table: list[tuple[str, str, int, str]]) -> list[str]:
    """The table's lines, by command and slip."""
    ordered = sorted(set(table), key=lambda row: (COMMANDS.index(row[0]), *row[1:]))
    return [f"| {command} | {slip} | {code} | {sentence} |" for command, slip, code, sentence in ordered]


@pytest.fixture(scope="module")
def table() -> Iterator[list[tuple[str, str, int, str]]]:
    """What was said to each slip; it is added to the file that is asked for."""
    told: list[tuple[str, str, int, str]] = []
    yield told
    if WRITES in os.environ:
        with Path(os.environ[WRITES]).open("a", encoding="utf-8") as file:
            file.write("\n".join(rows(told)) + "\n")
