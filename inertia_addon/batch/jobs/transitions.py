# SPDX-License-Identifier: GPL-3.0-or-later
"""Transitions, also those of state machines, and gaps: one job each."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator
from typing import Any

from ...settings import fields, fill
from ...settings.cost import Search
from ...settings.fill import FillSettings
from ...settings.transition import TransitionSettings
from ...tasks.fill import FillTask
from ...tasks.transition import MeetingSearch, TransitionTask
from ..spec import schema, validation
from ..spec.validation import Path, SpecProblem
from . import outlines
from .job import Job
from .outlines import UNREADABLE, Outline
from .section import Entry, Request, Section, Table, blend_of, check_strips, ends_of, merged


def _transition(request: Request, outline: Outline, problems: list[SpecProblem]) -> Iterator[Entry]:
    """Yield the one transition of a request."""
    if "cut" in request.values:
        yield request.path, request.values
    else:
        problems.append(SpecProblem((*request.path, "cut"), "nothing", 'a frame, or "best"'))


def _edges(request: Request, outline: Outline, problems: list[SpecProblem]) -> Iterator[Entry]:
    """Yield (path, values) of each edge of a state machine, with its source and destination and without
    ``clips`` and ``edges``. Its cut is "best" unless the edge itself gives one, whatever the defaults say.

    Without a list of edges they are all ordered pairs of different clips, with the request's path. An edge of
    a list is a pair of names or a table, whose fields go on top of the request's; it has a path of its own,
    (..., "edges", number). Clips "all" are those that fit.

    problems: gets one, at the edge, for each end that is none of the clips, unless the inputs can't be read;
    the edge is yielded all the same. It also gets one for fewer than two fitting clips of "all"; edges of a
    list are yielded even then.
    """
    # a default for the cut is for transitions: that of an edge is always searched
    values = {**schema.without(request.values, ("clips", "edges")), "cut": schema.BEST}
    clips = request.values["clips"]
    if clips == "all":
        clips = request.find_fitting("clips", outline, problems)
    edges = request.values.get("edges", "all")
    if edges == "all":
        for source, destination in itertools.permutations(clips, 2):
            yield request.path, {**values, "source": source, "destination": destination}
        return
    for i, edge in enumerate(edges):
        path = (*request.path, "edges", i)
        table = edge if isinstance(edge, dict) else dict(zip(schema.OF_A_PAIR, edge, strict=True))
        for end in (table[side] for side in schema.OF_A_PAIR):
            if end not in clips and UNREADABLE not in outline:
                allowed = f"the machine's clips, {outlines.listed(clips)}"
                close = validation.close_names(end, clips)
                problems.append(SpecProblem(path, validation.quoted(end), allowed, close))
        yield path, merged(values, table)


def _job(request: Request, path: Path, values: Table) -> Job:
    """Return the job of a transition, with a search for the cut or the entry where these are "best". values:
    the entry's merged fields; a missing cut is 0.

    The task's ``searched`` says what is searched, and in which ``range``; it is None where neither is. With
    the best cut the entry, ``destination_frame``, is searched, too, unless it is given. ``enter_at`` doesn't
    count where the entry's frame is given or searched. Outputs are named {source}_to_{destination} unless the
    entry has a name, in which these, {file} and {cut} ("best" or the frame, such as 12) may stand. They are
    .blend files unless ``formats`` is given. Raise InertiaError if its settings don't go together, and for
    strips in other files than a .blend; ValueError for a name with unknown braces.
    """
    best = {name: values.get(name) == schema.BEST for name in schema.SEARCHED}
    # of the best cut, the best entry; of a cut that is given, as is said where it is entered
    best["destination_frame"] |= best["cut"] and "destination_frame" not in values
    names = [name for name in schema.SETTINGS if not best.get(name)]
    usual: dict[str, Any] = {"cut": 0.0, **fields.list_requests(TransitionSettings)}
    if best["destination_frame"] or "destination_frame" in values:
        names.remove("enter_at")
        del usual["enter_at"]
    settings = blend_of(values, names, **usual)
    check_strips(strips=settings.strips, values=values)
    searched = None
    if any(best.values()):
        first, last = values.get("range", (None, None))
        seen = fields.list_requests(Search)
        searched = MeetingSearch(
            **best,
            first=first,
            last=last,
            keep_frames=float(values.get("keep_frames", Search.keep_frames)),
            before_seconds=float(values.get("before_seconds", seen["before_seconds"])),
            behind_seconds=float(values.get("behind_seconds", seen["behind_seconds"])),
            skate_weight=float(values.get("skate_weight", Search.skate_weight)),
            by=fields.settings(Search)["by"].choice(values.get("by", Search.by)),
        )
    cut = "best" if best["cut"] else f"{settings.cut:g}"
    task, parts = TransitionTask(settings, searched), ends_of(settings)
    return request.job(path, values, task, "{source}_to_{destination}", cut=cut, **parts)


def _faults(job: Job, path: Path, armature: Outline, outline: Outline) -> Iterator[SpecProblem]:
    """Yield a problem for each action, frame and bone of a transition that its inputs do not have: first the
    ends, then their frames, then bones. path: to the entry. armature, outline: what the armature and all
    inputs hold.

    The frames at ``cut`` and ``destination_frame`` must lie in their actions, which last as long as their
    scales say. They are not checked with ``extrapolate``, nor is a cut behind a source with ``source_cycle``
    "ON", or a frame of an action that is not known. Where the cut is searched, its ``range``, if given, must
    meet the source instead; a searched entry is not checked.
    """
    problems: list[SpecProblem] = []
    ends = outlines.ends(job.settings, path, armature, outline, problems)
    yield from problems
    for side, field in (("source", "cut"), ("destination", "destination_frame")):
        if side in ends:
            yield from _frame_faults(job, path, field, ends[side])
    yield from outlines.bone_faults(job, job.settings, path, armature)


def _frame_faults(job: Job, path: Path, field: str, action: Outline) -> Iterator[SpecProblem]:
    assert isinstance(job.task, TransitionTask)
    frame, repeats = getattr(job.settings, field), job.settings.source_cycle == "ON"
    scale = job.settings.source_scale if field == "cut" else job.settings.destination_scale
    action = {**action, "end": action["start"] + (action["end"] - action["start"]) * scale}
    searched = job.task.searched
    if searched is not None and getattr(searched, field):
        first, last = searched.first, searched.last
        if field != "cut" or first is None or last is None:
            return
        if last < action["start"] or (first > action["end"] and not repeats):
            yield SpecProblem((*path, "range"), f"{first:g} to {last:g}", outlines.frames_of(action))
    elif field == "cut" and repeats and frame > action["end"]:
        return  # one of its repetitions is cut
    elif frame is not None and not job.settings.extrapolate:
        yield from outlines.frame_fault((*path, field), frame, action, ", or extrapolate = true")


def _fill_job(request: Request, path: Path, values: Table) -> Job:
    """Return the job that fills a gap between two clips. values: the entry's merged fields; of a blend's,
    only those that a gap has count. ``assign`` is always on.

    Outputs are named {source}_to_{destination}_filled_{cut} unless the entry has a name, in which these and
    {file} may stand; the cut is written as the format "g" does: 12 for 12.0. They are .blend files unless
    ``formats`` is given. Raise InertiaError if its settings don't go together, and for strips in other files
    than a .blend; ValueError for a name with unknown braces.
    """
    if "keys" in values:
        # what the entry stands on may say where other gaps are
        values = FillSettings.between_keys(schema.without(values, fill.STOOD_FOR))
    blend = blend_of(values, fill.OF_GAPS, assign=True)
    settings = FillSettings.of(blend, values)
    check_strips(strips=settings.strips, values=values)
    parts = {**ends_of(blend), "cut": f"{blend.cut:g}"}
    return request.job(path, values, FillTask(settings), "{source}_to_{destination}_filled_{cut}", **parts)


def _fill_clashes(path: Path, table: Table) -> Iterator[SpecProblem]:
    """Yield a problem for each field of a gap that is missing, or that its ``keys`` stand in place of, each
    at its field; with ``keys`` also one, at them, before those, unless the first frame is the earlier one.

    Without ``keys`` the source, the destination, the cut and the destination's frame are needed, in this
    order. path: to the table.
    """
    if "keys" not in table:
        for field in (*schema.OF_A_PAIR, *("cut", "destination_frame")):
            if field not in table:
                yield SpecProblem((*path, field), "nothing", f"a {field}, or keys")
        return
    first, last = table["keys"]
    if not last > first:
        yield SpecProblem((*path, "keys"), validation.quoted(table["keys"]), "the earlier frame first")
    for field in table:
        if field in fill.STOOD_FOR:
            yield SpecProblem((*path, field), "it with keys", f"{field} without keys")


def _fill_faults(job: Job, path: Path, armature: Outline, outline: Outline) -> Iterator[SpecProblem]:
    """Yield a problem for each name and frame of a gap that its inputs do not have, at its field.

    These are first its ends, then the ``actions`` and ``cycles`` to fill it with, the frames at ``cut`` and
    ``destination_frame``, and its bones. Frames must lie in the clips, and are checked only against actions
    that are known. path: where the gap stands in the spec. armature, outline: what the armature and all
    inputs hold.
    """
    settings, blend = job.settings, job.settings.transition
    problems: list[SpecProblem] = []
    ends = outlines.ends(blend, path, armature, outline, problems)
    clips = [(field, name) for field in ("actions", "cycles") for name in getattr(settings, field)]
    yield from [*problems, *outlines.action_faults(clips, path, armature, outline)]
    for field, side in (("cut", "source"), ("destination_frame", "destination")):
        if side in ends:
            yield from outlines.frame_fault((*path, field), getattr(blend, field), ends[side])
    yield from outlines.bone_faults(job, blend, path, armature)


EDGE = schema.table(
    {**schema.without(schema.EVERY, ("cut",)), **schema.SEARCH, "name": schema.NAME},
    "an edge with settings of its own",
    schema.OF_A_PAIR,
)
ENDS = schema.list_of(schema.TEXT, 2, maxItems=2)
MACHINE = schema.table(
    {
        "clips": schema.described('the actions, or "all" that fit the armature', schema.ACTIONS),
        "edges": schema.described(
            'from which clip to which, or "all" (default: all)',
            {"anyOf": [{"const": "all"}, schema.list_of({"anyOf": [ENDS, EDGE]})]},
        ),
        **schema.without(schema.COMMON, ("cut", "result")),
        **schema.SEARCH,
        **schema.SHARED,
        "name": schema.NAME,
    },
    "a state machine",
    ("clips",),
)
GAP = schema.table(
    {
        **schema.only(schema.EVERY, fill.OF_GAPS),
        **schema.of_record(FillSettings),
        "keys": schema.described(fill.KEYS, schema.list_of(schema.numbers(fields.FRAME), 2, maxItems=2)),
        **schema.SHARED,
        "name": schema.output_name(
            "{file}, {source}, {destination} and {cut}", '"{source}_to_{destination}_filled_{cut}"'
        ),
    },
    "a gap between two actions, or between two keys of one",
    ("source",),
)
TRANSITIONS = Section(
    "transitions",
    "transition",
    "the transitions to bake",
    schema.table(
        {**schema.EVERY, **schema.SEARCH, **schema.SHARED, "name": schema.NAME},
        "a transition",
        schema.OF_A_PAIR,
    ),
    _job,
    _faults,
    _transition,
    ("file", "source", "destination", "cut"),
    inherits=schema.INHERITED,
)
STATE_MACHINES = dataclasses.replace(
    TRANSITIONS,
    name="state_machines",
    spoken="state machine",
    description="clips and the edges between them; each edge is baked at its best cut",
    entry=MACHINE,
    entries=_edges,
)
FILLS = Section(
    "fills",
    "fill",
    "gaps between two actions that clips lead across, to arrive on a frame",
    GAP,
    _fill_job,
    _fill_faults,
    placeholders=("file", "source", "destination", "cut"),
    clashes=_fill_clashes,
)
