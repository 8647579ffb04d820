# SPDX-License-Identifier: GPL-3.0-or-later
"""Transitions, also those of state machines: one job each."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any, Self

from ...settings import fields
from ...settings.cost import Search
from ...settings.transition import TransitionSettings
from ...tasks.task import words
from ..spec import schema, validation
from ..spec.validation import Path, Problem
from . import outlines
from .job import Job
from .outlines import UNREADABLE, Outline
from .section import Entry, Request, Section, Table, as_floats, check_strips, ends_of, merged

if TYPE_CHECKING:
    from ...blender.cost.costing import Pair
    from ...blender.evaluation.joint_motion import Motion
    from .opened import Opened


@dataclasses.dataclass(frozen=True)
class Searched:
    """What a transition leaves to a search.

    cut, destination_frame: whether each is searched. first, last: the range of cuts, None for the
    source's own. keep_frames: how many frames of the destination are left after the cut. by: what the best
    is, see :class:`Search`.
    """

    cut: bool
    destination_frame: bool
    first: float | None = None
    last: float | None = None
    keep_frames: float = Search.keep_frames
    skate_weight: float = Search.skate_weight
    by: str = Search.by


@dataclasses.dataclass(frozen=True, kw_only=True)
class TransitionJob(Job):
    """One transition. searched: what is found first, None for nothing; the settings hold placeholders."""

    KIND = "transition"
    SETTINGS = TransitionSettings

    settings: TransitionSettings
    searched: Searched | None

    @property
    def label(self) -> str:
        """The transition for a reader."""
        cut = "best cut" if self.searched and self.searched.cut else f"cut {self.settings.cut:g}"
        return f"{self.settings.source} to {self.settings.destination}, {cut}"

    def told(self, report: dict[str, Any]) -> dict[str, Any]:
        """Where the two meet, and what a reader has to know of the bake."""
        where = {name: report["settings"][name] for name in ("cut", "destination_frame")}
        return {**where, **words(report), "warnings": list(report["warnings"])}

    def summary(self, report: dict[str, Any]) -> dict[str, Any]:
        """The settings, and what a reader has to know of the bake."""
        # reports of earlier versions don't say all of it
        names = [name for name in ("settings", "window", "until", "warnings") if name in report]
        return {**{name: report[name] for name in names}, **words(report)}

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON values; what a search was like before it could be told is not named."""
        values = super().as_dict()
        if self.searched is not None and not self.searched.skate_weight:
            del values["searched"]["skate_weight"]
        if self.searched is not None and self.searched.by == "COST":
            del values["searched"]["by"]
        return values

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Self:
        """The inverse of :meth:`as_dict`."""
        searched = values["searched"]
        if searched is not None:
            searched = Searched(**{"by": "COST", **searched})
        return super().from_dict({**values, "searched": searched})

    def make(self, opened: Opened, armature: Any, output: FilePath) -> tuple[dict[str, Any], dict[str, Any]]:
        """Bake it at its cut, or at the best one."""
        from ...blender.cost import costing, quality
        from ...blender.data import named
        from ...blender.evaluation import playback
        from ...blender.judging import verdict
        from ...blender.transition import bake
        from ...motion.steps import finish

        settings = named.with_found_names(self.settings, armature.name)
        pair = costing.read_pair(armature, settings, opened.reading)
        opened.count("baking")
        with playback.together():
            motions = finish(costing.motions(armature, pair, opened.evaluated))
        weights = opened.weights(self, armature)
        settings, notes = _searched(self, armature, settings, pair, motions, weights)
        opened.count("searching")
        plan = bake.plan_clips(armature, settings, pair.source, pair.destination)
        report = bake.write_plan(plan)
        report = dataclasses.replace(report, warnings=(*report.warnings, *notes))
        opened.count("baking")
        compared = costing.compare(settings, pair.alignment, weights, motions, plan.fps)
        judged = finish(verdict.of_played(plan.played))
        meeting = plan.settings.cut, plan.settings.cut - plan.played.later
        measured = quality.of(compared.by_bone(*meeting), [judged])
        opened.count("measuring")
        opened.save(self, armature, report, output)
        return {**report.as_dict(), "verdict": judged.as_dict()}, dataclasses.asdict(measured)


def _searched(
    job: TransitionJob,
    armature: Any,
    settings: TransitionSettings,
    pair: Pair,
    motions: tuple[Motion, Motion],
    weights: dict[str, float],
) -> tuple[TransitionSettings, list[str]]:
    """Settings with the cut and the destination frame that are best, as far as these are searched.

    Returned, too, are sentences about clips of which not every frame was looked at, and what was not judged.
    """
    from ...blender.cost import candidates, costing, meetings, prediction
    from ...blender.data import scene
    from ...motion.steps import finish

    searched, names = job.searched, [clip.action.name for clip in pair.clips]
    if searched is None:
        return settings, meetings.sampled(names, motions)
    skate_weight = searched.skate_weight
    plants = finish(prediction.plants(armature, pair.destination, skate_weight))
    compared = costing.compare(settings, pair.alignment, weights, motions, scene.fps(), plants, skate_weight)
    search = Search(searched.first, searched.last, searched.keep_frames, by=searched.by)
    entry = pair.destination.start if settings.destination_frame is None else settings.destination_frame
    given = None if searched.cut else settings.cut, None if searched.destination_frame else entry
    (best,) = finish(candidates.best(armature, settings, pair.clips, compared, search, given=given))
    settings = dataclasses.replace(settings, cut=best.cut, destination_frame=best.destination_frame)
    notes = meetings.sampled(names, motions, search if given == (None, None) else None)
    return settings, [*notes, *candidates.notes(armature, pair.clips, [best], search.by)]


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


def _job(request: Request, path: Path, values: Table) -> TransitionJob:
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
    return TransitionJob(**common, settings=settings, searched=searched)


def _faults(job: TransitionJob, path: Path, armature: Outline, outline: Outline) -> Iterator[Problem]:
    """Names and frames of a job that its inputs do not have."""
    problems: list[Problem] = []
    ends = outlines.ends(job.settings, path, armature, outline, problems)
    yield from problems
    for side, field in (("source", "cut"), ("destination", "destination_frame")):
        if side in ends:
            yield from _frame_faults(job, path, field, ends[side])
    yield from outlines.bone_faults(job, job.settings, path, armature["bones"])


def _frame_faults(job: TransitionJob, path: Path, field: str, action: Outline) -> Iterator[Problem]:
    frame, repeats = getattr(job.settings, field), job.settings.source_cycle == "ON"
    scale = job.settings.source_scale if field == "cut" else job.settings.destination_scale
    action = {**action, "end": action["start"] + (action["end"] - action["start"]) * scale}
    searched = job.searched
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
SECTIONS = (TRANSITIONS, STATE_MACHINES)
