# SPDX-License-Identifier: GPL-3.0-or-later
"""Hops: one job for each trigger."""

from __future__ import annotations

from collections.abc import Iterator

from ...settings import hops as hop_settings
from ...settings import limits
from ...settings.hops import HopSettings
from ...settings.transition import TransitionSettings
from ...tasks import hops
from ..spec import schema, validation
from ..spec.validation import Path, Problem
from . import outlines
from .job import Job
from .outlines import Outline
from .section import Entry, Request, Section, Table, as_floats, ends_of


def _of_hop(request: Request, outline: Outline, problems: list[Problem]) -> Iterator[Entry]:
    """The hops of a request, one for each trigger."""
    triggers = request.values["trigger"]
    for trigger in triggers if isinstance(triggers, list) else [triggers]:
        yield request.path, {**request.values, "trigger": trigger}


def _job(request: Request, path: Path, values: Table) -> Job:
    """The job of merged fields. Raises InertiaError for settings that don't go together."""
    settings, rank = settings_of(values), int(values.get("rank", 1))
    blend = settings.transition
    usual = "{source}_to_{destination}_hop_{trigger}"
    common = request.fields(
        path, values, usual, {**ends_of(blend), "trigger": f"{blend.cut:g}", "rank": rank}
    )
    return Job(**common, task=hops.Hop(settings, rank))


def settings_of(values: Table) -> HopSettings:
    """What merged fields say of a search. Raises InertiaError for settings that don't go together."""
    blend = {name: values[name] for name in hop_settings.OF_BLENDS if name in values}
    blend["cut"] = values.get("trigger", 0)
    transition = TransitionSettings.from_dict(as_floats(blend))
    return HopSettings.of(transition, values)


def faults(job: Job, path: Path, armature: Outline, outline: Outline) -> Iterator[Problem]:
    """Names and frames of a job's search, of a hop or for a table, that its inputs do not have."""
    settings, blend = job.settings, job.settings.transition
    trigger = blend.cut if isinstance(job.task, hops.Hop) else None
    all_pairs = getattr(job.task, "all_pairs", ())
    problems: list[Problem] = []

    def actions(field: str, named: tuple[str, ...]) -> list[str | None]:
        at = (*path, field)
        return [outlines.find_action(at, name, armature, outline, problems) for name in named]

    more = actions("all_pairs", all_pairs)
    ends = {} if all_pairs else outlines.ends(blend, path, armature, outline, problems)
    clips, cycles = actions("clips", settings.clips), actions("cycles", settings.cycles)
    if settings.clips and not problems:
        # an end that is linked from another file is known by its name alone
        known = [ends.get(side, {}).get("name", getattr(blend, side)) for side in schema.OF_A_PAIR]
        problems += _strange_cycles(path, cycles, [*clips, *(more or known)])
    yield from problems
    for field, frame, side in (
        ("trigger", trigger, "source"),
        ("destination_frame", blend.destination_frame, "destination"),
    ):
        if frame is not None and side in ends:
            yield from outlines.frame_fault((*path, field), frame, ends[side])
    yield from outlines.bone_faults(job, blend, path, armature["bones"])


def _strange_cycles(path: Path, cycles: list[str | None], clips: list[str | None]) -> Iterator[Problem]:
    for name in cycles:
        if name not in clips:
            listed = ", ".join(map(validation.quoted, clips))
            yield Problem((*path, "cycles"), validation.quoted(name), f"the clips {listed}")


SEARCH = schema.settings(HopSettings)
"""The settings of a search, and of its fade."""

SEARCHED: dict[str, schema.Schema] = {
    **{name: value for name, value in schema.EVERY.items() if name in hop_settings.OF_BLENDS},
    # the destination's clock starts where it is told to
    "destination_frame": schema.said(
        "the destination's own frame at which its clock starts (default: its first)",
        schema.numbers(limits.FRAME),
    ),
    **SEARCH,
}
"""The settings of a hop."""


INHERITED = (schema.INHERITED | set(SEARCH)) - {"name", "destination_frame"}
"""The fields at the top and in the defaults that entries about hops may stand on; two mean something else."""


FRAME = schema.numbers(limits.WHOLE_FRAME)
ENTRY = schema.table(
    {
        "trigger": schema.said(
            f"{hop_settings.TRIGGER}, or several: a hop is baked for each",
            {"anyOf": [FRAME, schema.list_of(FRAME, uniqueItems=True)]},
        ),
        "rank": schema.said(f"{hop_settings.RANK} (default: 1)", schema.numbers(limits.LISTED)),
        **SEARCHED,
        **schema.SHARED,
        "name": schema.name(
            "{file}, {source}, {destination}, {trigger} and {rank}",
            '"{source}_to_{destination}_hop_{trigger}"',
        ),
    },
    "a hop, or several",
    (*schema.OF_A_PAIR, "trigger"),
)
TASKS = (hops.Hop,)
SECTIONS = (
    Section(
        "hops",
        "hop",
        "hops to find and bake: transitions through a third clip",
        ENTRY,
        INHERITED & set(ENTRY["properties"]),
        lambda table: ("file", "source", "destination", "trigger", "rank"),
        _of_hop,
        _job,
        faults,
        defaults=SEARCH,
        tries_frames=True,
    ),
)
