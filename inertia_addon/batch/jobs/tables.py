# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables of hops: one job for a pair of clips, or for all pairs of some."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any

from ...settings import hops as hop_settings
from ...settings.hops import TABLE_KINDS, HopSettings
from ..spec import schema
from ..spec.validation import Path, Problem
from . import hops, outlines
from .job import Job
from .outlines import Outline
from .section import Entry, Request, Section, Table, ends_of

if TYPE_CHECKING:
    from .opened import Opened

FORMATS = tuple(kind.removeprefix(".") for kind in TABLE_KINDS)


@dataclasses.dataclass(frozen=True, kw_only=True)
class TableJob(Job):
    """A table of hops. all_pairs: the clips whose pairs it is of, () for the settings' own pair."""

    KIND = "hop table"
    SETTINGS = HopSettings

    settings: HopSettings
    all_pairs: tuple[str, ...]

    @property
    def label(self) -> str:
        """The table for a reader."""
        blend, count = self.settings.transition, len(self.all_pairs)
        pair = f"{blend.source} to {blend.destination}"
        return f"hops of {count * (count - 1)} pairs" if count else f"hops {pair}"

    def told(self, report: dict[str, Any]) -> dict[str, Any]:
        """What the tables of the pairs say."""
        return {"pairs": report["pairs"]}

    def summary(self, report: dict[str, Any]) -> dict[str, Any]:
        """The settings, what was searched, and what the tables say."""
        return {"settings": self.settings.as_dict(), **report}

    def make(self, opened: Opened, armature: Any, output: FilePath) -> tuple[dict[str, Any], dict[str, Any]]:
        """Search for all triggers."""
        from ...blender.data import named
        from ...blender.hops import table
        from . import hop_search

        settings = named.with_found_names_of_hops(self.settings, armature.name)
        all_pairs = named.found_names(self.all_pairs, armature.name)
        prepared = opened.prepared(armature, settings, opened.weights(self, armature), all_pairs)
        solved = hop_search.tables(prepared, all_pairs)
        opened.count("searching")
        held = table.contents(prepared, solved)
        for name in self.outputs:
            table.save(output / name, held)
        told = {"pairs": hop_search.told(prepared, solved), "searched": hop_search.described(prepared)}
        return told, {}


def _of_table(request: Request, outline: Outline, problems: list[Problem]) -> Iterator[Entry]:
    """The one table of a request."""
    values = request.values
    if values.get("all_pairs") != "all":
        yield request.path, values
        return
    clips = outlines.fitting((*request.path, "all_pairs"), values, request.inputs.name, outline, problems)
    if len(clips) > 1:
        yield request.path, {**values, "all_pairs": clips}


def _job(request: Request, path: Path, values: Table) -> TableJob:
    """The job of merged fields. Raises InertiaError for settings that don't go together."""
    all_pairs = tuple(dict.fromkeys(values.get("all_pairs", ())))
    if all_pairs:
        values = {**values, "source": all_pairs[0], "destination": all_pairs[1]}
    settings = hops.settings_of(values)
    usual = "hops" if all_pairs else "{source}_to_{destination}_hops"
    common = request.fields(path, values, usual, ends_of(settings.transition), FORMATS[0])
    return TableJob(**common, settings=settings, all_pairs=all_pairs)


def _clashes(path: Path, table: Table) -> Iterator[Problem]:
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


ENTRY = schema.table(
    {
        "all_pairs": schema.said(f'{hop_settings.ALL_PAIRS}; or "all" that fit the armature', schema.ACTIONS),
        **{name: value for name, value in hops.SEARCHED.items() if name not in hop_settings.OF_A_BAKE},
        **{name: value for name, value in schema.SHARED.items() if name != "whole_file"},
        "formats": schema.said(
            "the kinds of files to write (default: npz)",
            schema.list_of({"enum": list(FORMATS)}, uniqueItems=True),
        ),
        "name": schema.name(
            "{file}, {source} and {destination}",
            '"{source}_to_{destination}_hops", for all pairs "hops"',
        ),
    },
    "a table of hops",
)
SECTIONS = (
    Section(
        "hop_tables",
        "table of hops",
        "tables of the best hop for each trigger frame, for games",
        ENTRY,
        hops.INHERITED & set(ENTRY["properties"]) - {"formats"},
        lambda table: ("file",) if "all_pairs" in table else ("file", "source", "destination"),
        _of_table,
        _job,
        hops.faults,
        _clashes,
        tries_frames=True,
    ),
)
