# SPDX-License-Identifier: GPL-3.0-or-later
"""Transitions, also those of state machines: one job each."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator

from ...settings import fields
from ...settings.cost import Search
from ...settings.transition import TransitionSettings
from ...tasks.transition import Searched, Transition
from ..spec import schema, validation
from ..spec.validation import Path, Problem
from . import outlines
from .job import Job
from .outlines import UNREADABLE, Outline
from .section import Entry, Request, Section, Table, as_floats, check_strips, ends_of, merged


def _of_transition(request: Request, outline: Outline, problems: list[Problem]) -> Iterator[Entry]:
    """The one transition of a request."""
    if "cut" in request.values:
        yield request.path, request.values
    else:
        problems.append(Problem((*request.path, "cut"), "nothing", 'a frame, or "best"'))


def _of_machine(request: Request, outline: Outline, problems: list[Problem]) -> Iterator[Entry]:
    """The edges of a state machine."""
    values = {name: value for name, value in request.values.items() if name not in ("clips", "edges")}
    # a default for the cut is for transitions: that of an edge is always searched
    values["cut"] = schema.BEST
    clips = request.values["clips"]
    if clips == "all":
        clips = outlines.fitting((*request.path, "clips"), values, request.inputs.name, outline, problems)
    edges = request.values.get("edges", "all")
    if edges == "all":
        for source, destination in itertools.permutations(clips, 2):
            yield request.path, {**values, "source": source, "destination": destination}
        return
    for i, edge in enumerate(edges):
        path = (*request.path, "edges", i)
        table = edge if isinstance(edge, dict) else {"source": edge[0], "destination": edge[1]}
        if UNREADABLE not in outline:
            problems += _strange_ends(path, (table["source"], table["destination"]), clips)
        yield path, merged(values, table)


def _strange_ends(path: Path, ends: tuple[str, str], clips: list[str]) -> Iterator[Problem]:
    for end in ends:
        if end not in clips:
            allowed = f"the machine's clips, {outlines.listed(clips)}"
            yield Problem(path, validation.quoted(end), allowed, validation.close_names(end, clips))


def _job(request: Request, path: Path, values: Table) -> Job:
    """The job of merged fields. Raises InertiaError for settings that don't go together."""
    best = {name: values.get(name) == schema.BEST for name in schema.SEARCHED}
    # of the best cut, the best entry; of a cut that is given, the destination's first frame as always
    best["destination_frame"] |= best["cut"] and "destination_frame" not in values
    given = {name: values[name] for name in schema.SETTINGS if name in values and not best.get(name)}
    settings = TransitionSettings.from_dict(as_floats({"cut": 0.0, **given}))
    check_strips(settings.strips, values)
    searched = None
    if any(best.values()):
        first, last = values.get("range", (None, None))
        keep_frames = float(values.get("keep_frames", Search.keep_frames))
        weight = float(values.get("skate_weight", Search.skate_weight))
        by = fields.settings(Search)["by"].choice(values.get("by", Search.by))
        where = {"first": first, "last": last, "keep_frames": keep_frames}
        searched = Searched(**best, **where, skate_weight=weight, by=by)
    cut = "best" if best["cut"] else f"{settings.cut:g}"
    common = request.fields(path, values, "{source}_to_{destination}", {**ends_of(settings), "cut": cut})
    return Job(**common, task=Transition(settings, searched))


def _faults(job: Job, path: Path, armature: Outline, outline: Outline) -> Iterator[Problem]:
    """Names and frames of a job that its inputs do not have."""
    problems: list[Problem] = []
    ends = outlines.ends(job.settings, path, armature, outline, problems)
    yield from problems
    for side, field in (("source", "cut"), ("destination", "destination_frame")):
        if side in ends:
            yield from _frame_faults(job, path, field, ends[side])
    yield from outlines.bone_faults(job, job.settings, path, armature["bones"])


def _frame_faults(job: Job, path: Path, field: str, action: Outline) -> Iterator[Problem]:
    assert isinstance(job.task, Transition)
    frame, repeats = getattr(job.settings, field), job.settings.source_cycle == "ON"
    scale = job.settings.source_scale if field == "cut" else job.settings.destination_scale
    action = {**action, "end": action["start"] + (action["end"] - action["start"]) * scale}
    searched = job.task.searched
    if searched is not None and getattr(searched, field):
        first, last = searched.first, searched.last
        if field != "cut" or first is None or last is None:
            return
        if last < action["start"] or (first > action["end"] and not repeats):
            yield Problem((*path, "range"), f"{first:g} to {last:g}", outlines.frames_of(action))
    elif field == "cut" and repeats and frame > action["end"]:
        return  # one of its repetitions is cut
    elif frame is not None and not job.settings.extrapolate:
        yield from outlines.frame_fault((*path, field), frame, action, ", or extrapolate = true")


EDGE = schema.table(
    {
        **{name: value for name, value in schema.EVERY.items() if name != "cut"},
        **schema.SEARCH,
        "name": schema.NAME,
    },
    "an edge with settings of its own",
    schema.OF_A_PAIR,
)
ENDS = schema.list_of(schema.TEXT, 2, maxItems=2)
MACHINE = schema.table(
    {
        "clips": schema.said('the actions, or "all" that fit the armature', schema.ACTIONS),
        "edges": schema.said(
            'from which clip to which, or "all" (default: all)',
            {"anyOf": [{"const": "all"}, schema.list_of({"anyOf": [ENDS, EDGE]})]},
        ),
        **{name: value for name, value in schema.COMMON.items() if name not in ("cut", "result")},
        **schema.SEARCH,
        **schema.SHARED,
        "name": schema.NAME,
    },
    "a state machine",
    ("clips",),
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
    schema.INHERITED,
    lambda table: ("file", "source", "destination", "cut"),
    _of_transition,
    _job,
    _faults,
)
STATE_MACHINES = dataclasses.replace(
    TRANSITIONS,
    name="state_machines",
    spoken="state machine",
    description="clips and the edges between them; each edge is baked at its best cut",
    entry=MACHINE,
    entries=_of_machine,
)
TASKS = (Transition,)
SECTIONS = (TRANSITIONS, STATE_MACHINES)
