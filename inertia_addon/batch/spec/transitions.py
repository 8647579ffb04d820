# SPDX-License-Identifier: GPL-3.0-or-later
"""Jobs of a spec's transitions and state machines."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from ...settings.transition import TransitionSettings
from . import outlines, schema, shared, validation
from .jobs import Searched, TransitionJob
from .outlines import UNREADABLE, Outline
from .reading import Request, merged
from .validation import Path, Problem

Entry = tuple[Path, dict[str, Any]]
"""A place in the spec, and the fields that count there."""


def of_transition(request: Request, outline: Outline, problems: list[Problem]) -> Iterator[Entry]:
    """The one transition of a request."""
    if "cut" in request.values:
        yield request.path, request.values
    else:
        problems.append(Problem((*request.path, "cut"), "nothing", 'a frame, or "best"'))


def of_machine(request: Request, outline: Outline, problems: list[Problem]) -> Iterator[Entry]:
    """The edges of a state machine."""
    values = {name: value for name, value in request.values.items() if name not in ("clips", "edges")}
    # a default for the cut is for transitions: that of an edge is always searched
    values["cut"] = schema.BEST
    clips = request.values["clips"]
    if clips == "all":
        clips = outlines.fitting(request, "clips", outline, problems)
    edges = request.values.get("edges", "all")
    if edges == "all":
        for source, destination in itertools.permutations(clips, 2):
            yield request.path, {**values, "source": source, "destination": destination}
        return
    for i, edge in enumerate(edges):
        path = (*request.path, "edges", i)
        own = edge if isinstance(edge, dict) else {"source": edge[0], "destination": edge[1]}
        if UNREADABLE not in outline:
            problems += _strange_ends(path, (own["source"], own["destination"]), clips)
        yield path, merged(values, own)


def _strange_ends(path: Path, ends: tuple[str, str], clips: list[str]) -> Iterator[Problem]:
    for end in ends:
        if end not in clips:
            allowed = f"the machine's clips, {outlines.listed(clips)}"
            yield Problem(path, validation.quoted(end), allowed, validation.close_names(end, clips))


def job(request: Request, path: Path, values: dict[str, Any]) -> TransitionJob:
    """The job of merged fields. Raises InertiaError for settings that don't go together."""
    settings = {name: values[name] for name in schema.SETTINGS if name in values}
    best = {name: settings.get(name) == schema.BEST for name in schema.SEARCHED}
    # of the best cut, the best entry; of a cut that is given, the destination's first frame as always
    if best["cut"] and "destination_frame" not in settings:
        best["destination_frame"] = True
    for name in best:
        if best[name]:
            settings.pop(name, None)
    settings.setdefault("cut", 0.0)
    settings["cut"] = float(settings["cut"])
    searched = None
    if any(best.values()):
        first, last = values.get("range", (None, None))
        searched = Searched(
            **best, first=first, last=last, keep_frames=float(values.get("keep_frames", 12.0))
        )
    made = TransitionSettings.from_dict(shared.as_floats(settings))
    stem = shared.stem(
        request,
        values,
        "{source}_to_{destination}",
        source=made.source,
        destination=made.destination,
        cut="best" if best["cut"] else f"{made.cut:g}",
    )
    return TransitionJob(**shared.fields(request, path, values, stem), settings=made, searched=searched)


def faults(job: TransitionJob, path: Path, armature: Outline, outline: Outline) -> Iterator[Problem]:
    """Names and frames of a job that its inputs do not have."""
    problems: list[Problem] = []
    found = outlines.ends(job, path, armature, outline, problems)
    yield from problems
    for side, field in (("source", "cut"), ("destination", "destination_frame")):
        if side in found:
            yield from _frame_faults(job, path, field, found[side])
    yield from outlines.bone_faults(job, path, armature["bones"])


def _frame_faults(job: TransitionJob, path: Path, field: str, action: Outline) -> Iterator[Problem]:
    frame = getattr(job.settings, field)
    searched = job.searched
    if searched is not None and getattr(searched, field):
        first, last = searched.first, searched.last
        if field != "cut" or first is None or last is None:
            return
        if last < action["start"] or first > action["end"]:
            yield Problem((*path, "range"), f"{first:g} to {last:g}", outlines.frames_of(action))
    elif frame is not None and not job.settings.extrapolate:
        yield from outlines.frame_fault((*path, field), frame, action, ", or extrapolate = true")
