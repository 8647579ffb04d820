# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes jobs of what a spec asks for, once it is known what the inputs hold."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path as FilePath
from typing import Any

from ...errors import InertiaError
from . import hops, outlines, transitions
from .jobs import SUMMARY, Inputs, Job
from .outlines import UNREADABLE, Outline
from .reading import Request
from .transitions import Entry
from .validation import Path, Problem

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


@dataclasses.dataclass(frozen=True)
class Kind:
    """How jobs are made of the entries of one of a spec's lists.

    entries: what a request stands for; what is wrong goes to the list of problems. job: of an entry; raises
    InertiaError for settings that don't go together. faults: names and frames that its armature, of the
    outline, does not have.
    """

    entries: Callable[[Request, Outline, list[Problem]], Iterator[Entry]]
    job: Callable[[Request, Path, dict[str, Any]], Job]
    faults: Callable[[Any, Path, Outline, Outline], Iterator[Problem]]


KINDS = {
    "transitions": Kind(transitions.of_transition, transitions.job, transitions.faults),
    "state_machines": Kind(transitions.of_machine, transitions.job, transitions.faults),
    "hops": Kind(hops.of_hop, hops.hop_job, hops.faults),
    "hop_tables": Kind(hops.of_table, hops.table_job, hops.faults),
}


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
        outline, kind = outlined[request.inputs], KINDS[request.kind]
        before = len(jobs)
        for path, values in kind.entries(request, outline, problems):
            try:
                job = kind.job(request, path, values)
            except InertiaError as error:
                problems.append(Problem(path, str(error).rstrip("."), "settings that go together"))
                continue
            problems += _faults(kind, job, path, outline)
            problems += _doubled(job, path, written)
            problems += _replacing(job, path, taken)
            jobs.append(job)
        if UNREADABLE in outline and len(jobs) == before:
            lost.append(request)
    return Expansion(jobs, list(dict.fromkeys(problems)), lost)


def _faults(kind: Kind, job: Job, path: Path, outline: Outline) -> Iterator[Problem]:
    """Names and frames of a job that its inputs do not have."""
    if UNREADABLE in outline:
        return
    armature = outlines.armature_of(job.armature, outline)
    if armature is None:
        yield from outlines.armature_faults(path, job.armature, outline)
    else:
        yield from kind.faults(job, path, armature, outline)


def _replacing(job: Job, path: Path, taken: Taken) -> Iterator[Problem]:
    """Outputs in the place of what is read, or of what the run itself writes."""
    for output in job.outputs:
        found = taken(output)
        if found is not None:
            said = f'"{output}", which would take the place of the input "{found}"'
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
