# SPDX-License-Identifier: GPL-3.0-or-later
"""Jobs of a spec's hops and tables of hops."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...cli import hop_options
from ...settings.hops import HopSettings
from ...settings.transition import TransitionSettings
from . import outlines, schema, shared, validation
from .jobs import HopJob, Job, TableJob
from .outlines import Outline
from .reading import Request
from .transitions import Entry
from .validation import Path, Problem


def of_hop(request: Request, outline: Outline, problems: list[Problem]) -> Iterator[Entry]:
    """The hops of a request, one for each trigger."""
    triggers = request.values["trigger"]
    for trigger in triggers if isinstance(triggers, list) else [triggers]:
        yield request.path, {**request.values, "trigger": trigger}


def of_table(request: Request, outline: Outline, problems: list[Problem]) -> Iterator[Entry]:
    """The one table of a request."""
    values = request.values
    if values.get("all_pairs") != "all":
        yield request.path, values
        return
    clips = outlines.fitting(request, "all_pairs", outline, problems)
    if len(clips) > 1:
        yield request.path, {**values, "all_pairs": clips}


def hop_job(request: Request, path: Path, values: dict[str, Any]) -> HopJob:
    """The job of merged fields. Raises InertiaError for settings that don't go together."""
    settings, rank = _settings(values), int(values.get("rank", 1))
    own = settings.transition
    stem = shared.stem(
        request,
        values,
        "{source}_to_{destination}_hop_{trigger}",
        source=own.source,
        destination=own.destination,
        trigger=f"{own.cut:g}",
        rank=rank,
    )
    return HopJob(**shared.fields(request, path, values, stem), settings=settings, rank=rank)


def table_job(request: Request, path: Path, values: dict[str, Any]) -> TableJob:
    """The job of merged fields. Raises InertiaError for settings that don't go together."""
    all_pairs = tuple(dict.fromkeys(values.get("all_pairs", ())))
    if all_pairs:
        values = {**values, "source": all_pairs[0], "destination": all_pairs[1]}
    settings = _settings(values)
    own = settings.transition
    usual = "hops" if all_pairs else "{source}_to_{destination}_hops"
    stem = shared.stem(request, values, usual, source=own.source, destination=own.destination)
    common = shared.fields(request, path, values, stem, schema.TABLE_FORMATS[0])
    return TableJob(**common, settings=settings, all_pairs=all_pairs)


def _settings(values: dict[str, Any]) -> HopSettings:
    own = {name: values[name] for name in hop_options.FIELDS if name in values}
    own["cut"] = values.get("trigger", 0)
    transition = TransitionSettings.from_dict(shared.as_floats(own))
    searched = {name: values[name] for name in hop_options.SEARCH if name in values}
    for name, option in hop_options.SEARCH.items():
        if option.allowed is not None and name in searched:
            searched[name] = _numbers(searched[name], option)
    return hop_options.hop_settings(transition, searched)


def _numbers(value: Any, option: hop_options.Searched) -> Any:
    """Numbers of the kind that the settings have: in JSON 12 and 12.0 are the same."""
    kind = int if option.allowed is not None and option.allowed.whole else float
    if not isinstance(option.default, tuple):
        return kind(value)
    return [kind(one) for one in (value if isinstance(value, list) else [value])]


def faults(job: Job, path: Path, armature: Outline, outline: Outline) -> Iterator[Problem]:
    """Names and frames of a job that its inputs do not have."""
    assert isinstance(job.settings, HopSettings)
    settings, problems = job.settings, list[Problem]()
    all_pairs = job.all_pairs if isinstance(job, TableJob) else ()

    def found(field: str, named: tuple[str, ...]) -> list[str | None]:
        at = (*path, field)
        return [outlines.find_action(at, name, armature, outline, problems) for name in named]

    more = found("all_pairs", all_pairs)
    known = {} if all_pairs else outlines.ends(job, path, armature, outline, problems)
    clips, cycles = found("clips", settings.clips), found("cycles", settings.cycles)
    if settings.clips and not problems:
        # an end that is linked from another file is known by its name alone
        ends = [known.get(side, {}).get("name", getattr(job.transition, side)) for side in schema.OF_A_PAIR]
        problems += _strange_cycles(path, cycles, [*clips, *(more or ends)])
    yield from problems
    own = settings.transition
    if isinstance(job, HopJob) and "source" in known:
        yield from outlines.frame_fault((*path, "trigger"), own.cut, known["source"])
    if own.destination_frame is not None and "destination" in known:
        at = (*path, "destination_frame")
        yield from outlines.frame_fault(at, own.destination_frame, known["destination"])
    yield from outlines.bone_faults(job, path, armature["bones"])


def _strange_cycles(path: Path, cycles: list[str | None], clips: list[str | None]) -> Iterator[Problem]:
    for name in cycles:
        if name not in clips:
            listed = ", ".join(map(validation.quoted, clips))
            yield Problem((*path, "cycles"), validation.quoted(name), f"the clips {listed}")
