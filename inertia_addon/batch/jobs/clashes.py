# SPDX-License-Identifier: GPL-3.0-or-later
"""Fields of one table of a spec that do not go together, as on the command line."""

from __future__ import annotations

from collections.abc import Iterator

from ...settings import methods
from ...storage import places
from ..spec import templates, validation
from ..spec.validation import Path, Problem
from .section import Section, Table


def of(path: Path, table: Table, section: Section) -> Iterator[Problem]:
    """All clashes of a table of one of the spec's lists. path: to it."""
    yield from _lengths(path, table, section.tries_frames)
    if "range" in table and table["range"][0] > table["range"][1]:
        yield Problem((*path, "range"), validation.quoted(table["range"]), "the first frame before the last")
    if "weights" in table and not any(table["weights"].values()):
        yield Problem((*path, "weights"), "only zeros", "at least one weight above zero")
    yield from section.clashes(path, table)
    if "name" in table:
        yield from _name((*path, "name"), table["name"], section.placeholders(table))


def _lengths(path: Path, table: Table, tries_frames: bool) -> Iterator[Problem]:
    method = methods.completed(table).get("method")
    foreign = methods.foreign(table, method)
    if "half_life" in foreign:
        yield Problem((*path, "half_life"), f"it with {method}", "half_life with SPRING; give blend_frames")
    if "extrapolation_half_life" in foreign:
        yield Problem((*path, "extrapolation_half_life"), f"it with {method}", "it with DEAD_BLENDING")
    # of a hop they say for how long a spring counts as a blend
    if "blend_frames" in foreign and not tries_frames:
        yield Problem((*path, "blend_frames"), "it with SPRING", "half_life; blend_frames is of the others")


def _name(path: Path, name: str, known: tuple[str, ...]) -> Iterator[Problem]:
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
