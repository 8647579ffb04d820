# SPDX-License-Identifier: GPL-3.0-or-later
"""Puts what a benchmark prints into a page of docs/, between the two comments that bear its name."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from pathlib import Path

PAGE = Path(__file__).resolve().parent.parent / "docs" / "reference" / "measured.md"
WIDTH = 120


def row(cells: Iterable[str]) -> str:
    """A row of a Markdown table."""
    return "| " + " | ".join(cells) + " |"


def heads(names: Sequence[str]) -> list[str]:
    """The first two lines of a Markdown table."""
    return [row(names), "| --- " * len(names) + "|"]


def replaced(page: str, name: str, lines: Sequence[str]) -> str:
    """A page with other lines in the section of a name, sentences wrapped; ValueError where it has none."""
    opening, closing = f"<!-- {name} -->\n", f"<!-- /{name} -->"
    before, _, rest = page.partition(opening)
    _, found, after = rest.partition(closing)
    if not found:
        raise ValueError(f'The page has no section "{name}"; put {opening.strip()} and {closing} there.')
    wrapped = [line if line.startswith("|") else textwrap.fill(line, WIDTH) for line in lines]
    return before + opening + "".join(f"{line}\n" for line in wrapped) + closing + after


def write(name: str, lines: Sequence[str], page: Path = PAGE) -> None:
    """Put lines into the section of a name on a page."""
    page.write_text(replaced(page.read_text(encoding="utf-8"), name, lines), encoding="utf-8")
