# SPDX-License-Identifier: GPL-3.0-or-later
"""Fields of one table of a spec that do not go together, as on the command line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...settings import methods
from ...storage import places
from . import schema, templates, validation
from .validation import Problem

Table = dict[str, Any]

PLACEHOLDERS = {
    "hops": ("file", "source", "destination", "trigger", "rank"),
    "hop_tables": ("file", "source", "destination"),
}
"""What may stand in braces in the names of some kinds of outputs ..."""
OF_TRANSITIONS = ("file", "source", "destination", "cut")
"""... and of the others."""


def of(path: validation.Path, table: Table) -> Iterator[Problem]:
    """All clashes of a table; path: to it, which says of what kind it is."""
    kind = str(path[0]) if path else ""
    yield from _lengths(path, table, of_hops=kind in schema.OF_HOPS_KINDS)
    if "range" in table and table["range"][0] > table["range"][1]:
        yield Problem((*path, "range"), validation.quoted(table["range"]), "the first frame before the last")
    if "weights" in table and not any(table["weights"].values()):
        yield Problem((*path, "weights"), "only zeros", "at least one weight above zero")
    if kind == "hop_tables":
        yield from _pairs(path, table)
    if "name" in table:
        known = ("file",) if "all_pairs" in table else PLACEHOLDERS.get(kind, OF_TRANSITIONS)
        yield from _name((*path, "name"), table["name"], known)


def _lengths(path: validation.Path, table: Table, of_hops: bool) -> Iterator[Problem]:
    method = methods.completed(table).get("method")
    foreign = methods.foreign(table, method)
    if "half_life" in foreign:
        yield Problem((*path, "half_life"), f"it with {method}", "half_life with SPRING; give blend_frames")
    if "extrapolation_half_life" in foreign:
        yield Problem((*path, "extrapolation_half_life"), f"it with {method}", "it with DEAD_BLENDING")
    # of a hop they say for how long a spring counts as a blend
    if "blend_frames" in foreign and not of_hops:
        yield Problem((*path, "blend_frames"), "it with SPRING", "half_life; blend_frames is of the others")


def _pairs(path: validation.Path, table: Table) -> Iterator[Problem]:
    """A table is of one pair, or of all pairs of some clips."""
    if "all_pairs" not in table:
        for field in schema.OF_A_PAIR:
            if field not in table:
                allowed = f"a {field}, or all_pairs in place of a source and a destination"
                yield Problem((*path, field), "nothing", allowed)
        return
    for field in table:
        if field.startswith(schema.OF_A_PAIR):
            yield Problem((*path, field), "it with all_pairs", f"{field} of a single pair, or all_pairs")


def _name(path: validation.Path, name: str, known: tuple[str, ...]) -> Iterator[Problem]:
    try:
        filled = templates.fill(name, dict.fromkeys(known, "x"))
    except ValueError:
        allowed = ", ".join("{" + part + "}" for part in known)
        yield Problem(path, validation.quoted(name), f"a name with no braces but {allowed}")
        return
    if set(filled) & set('/\\:*?"<>|\0') or filled.strip(". ") == "" or filled.startswith("."):
        allowed = "a file name without folders, that does not begin with a dot"
        yield Problem(path, validation.quoted(name), allowed)
    elif places.is_reserved(name):
        allowed = "another name, as this one is a device's on Windows"
        yield Problem(path, validation.quoted(name), allowed)
