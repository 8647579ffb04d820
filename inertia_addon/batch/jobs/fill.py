# SPDX-License-Identifier: GPL-3.0-or-later
"""Gaps: one job for each."""

from __future__ import annotations

from collections.abc import Iterator

from ...settings import fill
from ...settings.fill import FillSettings
from ...settings.transition import TransitionSettings
from ...tasks.fill import Fill
from ..spec import schema
from ..spec.validation import Path, Problem
from . import outlines, paths
from .job import Job
from .outlines import Outline
from .section import Request, Section, Table, as_floats, check_strips, ends_of


def _job(request: Request, path: Path, values: Table) -> Job:
    """The job of merged fields. Raises InertiaError for settings that don't go together."""
    blend = {name: values[name] for name in fill.OF_GAPS if name in values}
    transition = TransitionSettings.from_dict(as_floats({"assign": True, **blend}))
    parts = {**ends_of(transition), "cut": f"{transition.cut:g}"}
    common = request.fields(path, values, "{source}_to_{destination}_filled_{cut}", parts)
    settings = FillSettings.of(transition, values)
    check_strips(settings.strips, values)
    return Job(**common, task=Fill(settings))


def _faults(job: Job, path: Path, armature: Outline, outline: Outline) -> Iterator[Problem]:
    """Names and frames of a job that its inputs do not have."""
    own, problems = job.settings, list[Problem]()
    ends = outlines.ends(own.transition, path, armature, outline, problems)
    for field in ("actions", "cycles"):
        for name in getattr(own, field):
            outlines.find_action((*path, field), name, armature, outline, problems)
    yield from problems
    for field, side in (("cut", "source"), ("destination_frame", "destination")):
        if side in ends:
            yield from outlines.frame_fault((*path, field), getattr(own.transition, field), ends[side])
    yield from outlines.bone_faults(job, own.transition, path, armature["bones"])


ENTRY = schema.table(
    {
        **{name: value for name, value in schema.EVERY.items() if name in fill.OF_GAPS},
        **schema.settings(FillSettings),
        **schema.SHARED,
        "name": schema.name(
            "{file}, {source}, {destination} and {cut}", '"{source}_to_{destination}_filled_{cut}"'
        ),
    },
    "a gap between two actions",
    (*schema.OF_A_PAIR, "cut", "destination_frame"),
)
TASKS = (Fill,)
SECTIONS = (
    Section(
        "fills",
        "fill",
        "gaps between two actions that clips lead across, to arrive on a frame",
        ENTRY,
        (schema.INHERITED - {"name"}) & set(ENTRY["properties"]),
        lambda table: ("file", "source", "destination", "cut"),
        paths.itself,
        _job,
        _faults,
    ),
)
