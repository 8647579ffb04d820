# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes jobs of what a spec asks for, once it is known what the inputs hold."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path as FilePath

from ...errors import InertiaError
from ..spec.validation import Path, Problem
from . import outlines
from .job import SUMMARY, Inputs, Job
from .outlines import UNREADABLE, Outline
from .section import Request, Section

Taken = Callable[[str], FilePath | None]
"""Which input an output would take the place of, by the output's name; None for none."""


@dataclasses.dataclass(frozen=True)
class Expansion:
    """Jobs in the spec's order, and all faults found on the way.

    lost: requests for whatever their inputs hold, which can't be read.
    """

    jobs: list[Job]
    problems: list[Problem]
    lost: list[Request]


def expand(
    requests: Iterable[Request], outlined: Mapping[Inputs, Outline], taken: Taken = lambda output: None
) -> Expansion:
    """Make the jobs of requests.

    outlined: what all inputs hold. Jobs of inputs that can't be read are made all the same, as far as they
    can, and will fail: they are no faults of the spec.
    """
    jobs: list[Job] = []
    problems: list[Problem] = []
    lost: list[Request] = []
    written: dict[str, Job] = {}
    for request in requests:
        outline, section = outlined[request.inputs], request.section
        before = len(jobs)
        for path, values in section.entries(request, outline, problems):
            try:
                job = section.job(request, path, values)
            except InertiaError as error:
                problems.append(Problem(path, str(error).rstrip("."), "settings that go together"))
                continue
            problems += _faults(section, job, path, outline)
            problems += _doubled(job, path, written)
            problems += _replacing(job, path, taken)
            jobs.append(job)
        if UNREADABLE in outline and len(jobs) == before:
            lost.append(request)
    return Expansion(jobs, list(dict.fromkeys(problems)), lost)


def _faults(section: Section, job: Job, path: Path, outline: Outline) -> Iterator[Problem]:
    """Names and frames of a job that its inputs do not have."""
    if UNREADABLE in outline:
        return
    armature = outlines.armature_of(job.armature, outline)
    if armature is None:
        yield from outlines.armature_faults(path, job.armature, outline)
    else:
        yield from section.faults(job, path, armature, outline)


def _replacing(job: Job, path: Path, taken: Taken) -> Iterator[Problem]:
    """Outputs in the place of what is read, or of what the run itself writes."""
    for output in job.outputs:
        replaced = taken(output)
        if replaced is not None:
            said = f'"{output}", which would take the place of the input "{replaced}"'
            yield Problem((*path, "name"), said, "another name, or another folder with -o")
        elif output.casefold() == SUMMARY:
            yield Problem((*path, "name"), f'"{output}", which the run writes itself', "another name")


def _doubled(job: Job, path: Path, written: dict[str, Job]) -> Iterator[Problem]:
    for output in job.outputs:
        # file systems that don't tell A from a
        before = written.setdefault(output.casefold(), job)
        if before is not job:
            there = f"{before.where} ({before.inputs.name}: {before.label})"
            yield Problem((*path, "name"), f'"{output}", which {there} writes too', "another name")
            return
