# SPDX-License-Identifier: GPL-3.0-or-later
"""How figures are printed beside their goals, and read again from what was printed."""

from __future__ import annotations

import re
from collections.abc import Iterator

PRINTED = re.compile(
    r"(?P<figure>-?(?:\d[\d.]*(?:e[+-]?\d+)?|inf|nan)(?: [^\s(]+)?) "
    r"\((?P<goal>at (?:most|least) [^:()]+): (?P<met>met|NOT MET)\)"
)


def least(value: float, least: float, unit: str = "") -> str:
    """A figure that should be no lower beside its goal."""
    return f"{value:.3g}{unit} (at least {least:g}{unit}: {'met' if value >= least else 'NOT MET'})"


def whether(value: float, most: float, unit: str = "") -> str:
    """A figure beside its goal."""
    return f"{value:.3g}{unit} (at most {most:g}{unit}: {'met' if value <= most else 'NOT MET'})"


def read(line: str) -> Iterator[tuple[str, str, str, str]]:
    """What a line says of goals: what each is of, the figure, the goal, and whether it is met.

    In a row of a table all figures are of the cells before the first of them.
    """
    if line.startswith("|"):
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        first = next((i for i, cell in enumerate(cells) if PRINTED.search(cell)), len(cells))
        what = ", ".join(filter(None, cells[:first]))
        for match in PRINTED.finditer(line):
            yield what, match["figure"], match["goal"], match["met"]
        return
    end = 0
    for match in PRINTED.finditer(line):
        before = line[end : match.start()].strip(" ;,:|")
        yield before, match["figure"], match["goal"], match["met"]
        end = match.end()
