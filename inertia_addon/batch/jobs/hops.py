# SPDX-License-Identifier: GPL-3.0-or-later
"""Hops: one job for each trigger, or one table for a pair of clips or for all pairs of some."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...settings import fields, hops
from ...settings.hops import TABLE_KINDS, HopSettings
from ...tasks.hops import HopTask, TablesTask
from ..spec import schema, validation
from ..spec.validation import Path, SpecProblem
from . import outlines
from .job import Job
from .outlines import Outline
from .section import Entry, Request, Section, Table, blend_of, ends_of

TABLE_FORMATS = tuple(kind.removeprefix(".") for kind in TABLE_KINDS)


def _triggers(request: Request, outline: Outline, problems: list[SpecProblem]) -> Iterator[Entry]:
    """Yield an entry for each trigger of a request."""
    triggers = request.values["trigger"]
    for trigger in triggers if isinstance(triggers, list) else [triggers]:
        yield request.path, {**request.values, "trigger": trigger}


def _hop_job(request: Request, path: Path, values: Table) -> Job:
    """Return the job of a hop. values: the entry's merged fields, with a single trigger; ``rank`` is 1 where
    it is missing.

    Outputs are named {source}_to_{destination}_hop_{trigger} unless the entry has a name, in which these,
    {rank} and {file} may stand. The trigger is written as the format "g" does: 24 for 24.0. They are .blend
    files unless ``formats`` is given. Raise InertiaError if its settings don't go together, ValueError for a
    name with unknown braces.
    """
    settings, rank = _settings_of(values), int(values.get("rank", 1))
    blend = settings.transition
    parts: dict[str, Any] = {**ends_of(blend), "trigger": f"{blend.cut:g}", "rank": rank}
    return request.job(
        path, values, HopTask(settings, rank), "{source}_to_{destination}_hop_{trigger}", **parts
    )


def _pairs(request: Request, outline: Outline, problems: list[SpecProblem]) -> Iterator[Entry]:
    """Yield (path, values) of the one entry of a request for a table of hops. Where ``all_pairs`` is "all", a
    list of the names of all fitting clips takes its place; else the values are as they are.

    A clip fits that is an action of the armature, can be read and is no result of Inertia's. problems: gets a
    problem, and nothing is yielded, where "all" has fewer than two clips or there is no such armature. Inputs
    that can't be read yield nothing for "all", and are no problem.
    """
    values = request.values
    if values.get("all_pairs") != "all":
        yield request.path, values
        return
    clips = request.find_fitting("all_pairs", outline, problems)
    if len(clips) > 1:
        yield request.path, {**values, "all_pairs": clips}


def _table_job(request: Request, path: Path, values: Table) -> Job:
    """Return the job of a table of hops. values: the entry's merged fields; ``all_pairs``, where given, must
    name two different clips.

    For ``all_pairs`` the first two clips stand in for the source and the destination; clips named twice count
    once. Outputs are named "hops" then, else {source}_to_{destination}_hops, unless the entry has a name, in
    which {source}, {destination} and {file} may stand. They are .npz files unless ``formats`` is given. Raise
    InertiaError if its settings don't go together, ValueError for a name with unknown braces, IndexError for
    ``all_pairs`` with one clip alone.
    """
    all_pairs = tuple(dict.fromkeys(values.get("all_pairs", ())))
    if all_pairs:
        values = {**values, "source": all_pairs[0], "destination": all_pairs[1]}
    settings = _settings_of(values)
    name = "hops" if all_pairs else "{source}_to_{destination}_hops"
    task, parts = TablesTask(settings, all_pairs), ends_of(settings.transition)
    return request.job(path, values, task, name, usual_format=TABLE_FORMATS[0], **parts)


def _settings_of(values: Table) -> HopSettings:
    """Return the settings of a search from merged fields. Raise InertiaError if they don't go together."""
    blend = blend_of({**values, "cut": values.get("trigger", 0)}, {*hops.OF_BLENDS, "cut"})
    return HopSettings.of(blend, values)


def _clashes(path: Path, table: Table) -> Iterator[SpecProblem]:
    """Yield a problem for each field of a table of hops that does not go with the others, at that field.

    Without ``all_pairs`` these are "source" and "destination" where they are missing; with it, all fields
    whose names begin with either, such as "destination_frame", in the table's order. path: to the table.
    """
    if "all_pairs" not in table:
        for field in schema.OF_A_PAIR:
            if field not in table:
                allowed = f"a {field}, or all_pairs in place of a source and a destination"
                yield SpecProblem((*path, field), "nothing", allowed)
        return
    for field in table:
        if field.startswith(schema.OF_A_PAIR):
            yield SpecProblem((*path, field), "it with all_pairs", f"{field} of a single pair, or all_pairs")


def _faults(job: Job, path: Path, armature: Outline, outline: Outline) -> Iterator[SpecProblem]:
    """Yield a problem for each action, cycle, frame and bone of a hop or a table that its inputs do not have,
    each at its field: actions of ``all_pairs`` or, without it, ``source`` and ``destination``; then
    ``clips``; ``cycles``; ``trigger``; ``destination_frame``; bones.

    If the settings name clips, each cycle must also be one of these or of the actions of all_pairs, or,
    without all_pairs, the source or the destination; this is checked only if all actions are found. With
    all_pairs the source and the destination are not looked at; one with a library is not looked for. The
    trigger, which only a hop has, and the destination's frame are checked only against actions that are
    known. path: to the entry. armature, outline: what the armature and all inputs hold.
    """
    settings, blend = job.settings, job.settings.transition
    trigger = blend.cut if isinstance(job.task, HopTask) else None
    all_pairs = getattr(job.task, "all_pairs", ())
    problems: list[SpecProblem] = []

    def actions(field: str, names: tuple[str, ...]) -> list[str | None]:
        place = (*path, field)
        return [outlines.find_action(place, name, armature, outline, problems) for name in names]

    paired = actions("all_pairs", all_pairs)
    ends = {} if all_pairs else outlines.ends(blend, path, armature, outline, problems)
    clips, cycles = actions("clips", settings.clips), actions("cycles", settings.cycles)
    if settings.clips and not problems:
        # an end that is linked from another file is known by its name alone
        clips += paired or [ends.get(side, {}).get("name", getattr(blend, side)) for side in schema.OF_A_PAIR]
        listed = f"the clips {', '.join(map(validation.quoted, clips))}"
        strange = [validation.quoted(name) for name in cycles if name not in clips]
        problems += [SpecProblem((*path, "cycles"), name, listed) for name in strange]
    yield from problems
    if trigger is not None and "source" in ends:
        yield from outlines.frame_fault((*path, "trigger"), trigger, ends["source"])
    if blend.destination_frame is not None and "destination" in ends:
        frame = blend.destination_frame
        yield from outlines.frame_fault((*path, "destination_frame"), frame, ends["destination"])
    yield from outlines.bone_faults(job, blend, path, armature)


SEARCH = schema.of_record(HopSettings)
"""The settings of a search, and of its fade."""

SETTINGS: dict[str, schema.Schema] = {
    **schema.only(schema.EVERY, hops.OF_BLENDS),
    # the destination's clock starts where it is told to
    "destination_frame": schema.described(
        "the destination's own frame at which its clock starts (default: its first)",
        schema.numbers(fields.FRAME),
    ),
    **SEARCH,
}
"""The settings of a hop."""

INHERITED = (schema.INHERITED | set(SEARCH)) - {"name", "destination_frame"}
"""The fields at the top and in the defaults that entries about hops may stand on; two mean something else."""

FRAME = schema.numbers(fields.WHOLE_FRAME)
HOP = schema.table(
    {
        "trigger": schema.described(
            f"{hops.TRIGGER}, or several: a hop is baked for each",
            {"anyOf": [FRAME, schema.list_of(FRAME, uniqueItems=True)]},
        ),
        "rank": schema.described(f"{hops.RANK} (default: 1)", schema.numbers(fields.LISTED)),
        **SETTINGS,
        **schema.SHARED,
        "name": schema.output_name(
            "{file}, {source}, {destination}, {trigger} and {rank}",
            '"{source}_to_{destination}_hop_{trigger}"',
        ),
    },
    "a hop, or several",
    (*schema.OF_A_PAIR, "trigger"),
)
TABLE = schema.table(
    {
        "all_pairs": schema.described(f'{hops.ALL_PAIRS}; or "all" that fit the armature', schema.ACTIONS),
        **schema.without(SETTINGS, hops.OF_A_BAKE),
        **schema.without(schema.SHARED, ("whole_file",)),
        "formats": schema.formats("the kinds of files to write (default: npz)", TABLE_FORMATS),
        "name": schema.output_name(
            "{file}, {source} and {destination}", '"{source}_to_{destination}_hops", for all pairs "hops"'
        ),
    },
    "a table of hops",
)
HOPS = Section(
    "hops",
    "hop",
    "hops to find and bake: transitions through a third clip",
    HOP,
    _hop_job,
    _faults,
    _triggers,
    ("file", "source", "destination", "trigger", "rank"),
    inherits=INHERITED & HOP["properties"].keys(),
    defaults=SEARCH,
    tries_frames=True,
)
TABLES = Section(
    "hop_tables",
    "table of hops",
    "tables of the best hop for each trigger frame, for games",
    TABLE,
    _table_job,
    _faults,
    _pairs,
    ("file", "source", "destination"),
    _clashes,
    INHERITED & TABLE["properties"].keys() - {"formats"},
    tries_frames=True,
)
