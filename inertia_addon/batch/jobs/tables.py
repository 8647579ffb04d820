# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables of hops: one job for a pair of clips, or for all pairs of some."""

from __future__ import annotations

from collections.abc import Iterator

from ...settings import hops as hop_settings
from ...settings.hops import TABLE_KINDS
from ...tasks.hops import Tables
from ..spec import schema
from ..spec.validation import Path, Problem
from . import hops, outlines
from .job import Job
from .outlines import Outline
from .section import Entry, Request, Section, Table, ends_of

FORMATS = tuple(kind.removeprefix(".") for kind in TABLE_KINDS)


def _of_table(request: Request, outline: Outline, problems: list[Problem]) -> Iterator[Entry]:
    """The one table of a request."""
    values = request.values
    if values.get("all_pairs") != "all":
        yield request.path, values
        return
    clips = outlines.fitting((*request.path, "all_pairs"), values, request.inputs.name, outline, problems)
    if len(clips) > 1:
        yield request.path, {**values, "all_pairs": clips}


def _job(request: Request, path: Path, values: Table) -> Job:
    """The job of merged fields. Raises InertiaError for settings that don't go together."""
    all_pairs = tuple(dict.fromkeys(values.get("all_pairs", ())))
    if all_pairs:
        values = {**values, "source": all_pairs[0], "destination": all_pairs[1]}
    settings = hops.settings_of(values)
    usual = "hops" if all_pairs else "{source}_to_{destination}_hops"
    common = request.fields(path, values, usual, ends_of(settings.transition), FORMATS[0])
    return Job(**common, task=Tables(settings, all_pairs))


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
TASKS = (Tables,)
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
