# SPDX-License-Identifier: GPL-3.0-or-later
"""Loops of actions: one job for each action."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any, Self

from ...settings import fields, limits, methods
from ...settings.loops import LoopSearch, LoopSettings
from ..spec import schema, validation
from ..spec.validation import Path, Problem
from . import outlines
from .job import Job, words
from .outlines import Outline
from .section import Entry, Request, Section, Table

if TYPE_CHECKING:
    from .opened import Opened


@dataclasses.dataclass(frozen=True, kw_only=True)
class LoopJob(Job):
    """One loop. search: how its stretch is found; None where the settings name it."""

    KIND = "loop"
    SETTINGS = LoopSettings

    settings: LoopSettings
    search: LoopSearch | None

    @property
    def label(self) -> str:
        """The loop for a reader."""
        return f"loop of {self.settings.action}"

    def told(self, report: dict[str, Any]) -> dict[str, Any]:
        """Which stretch it is, what is left of its seam, and what a reader has to know of it."""
        return {**{name: report[name] for name in ("start", "end", "quality", "warnings")}, **words(report)}

    def summary(self, report: dict[str, Any]) -> dict[str, Any]:
        """The settings, and what a reader has to know of the loop."""
        names = ("settings", "frame_range", "quality", "warnings")
        return {**{name: report[name] for name in names}, **words(report)}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Self:
        """The inverse of :meth:`as_dict`."""
        search = values["search"]
        search = None if search is None else LoopSearch.from_dict(search)
        return super().from_dict({**values, "search": search})

    def make(self, opened: Opened, armature: Any, output: FilePath) -> tuple[dict[str, Any], dict[str, Any]]:
        """Find its stretch, if it has to be found, and make it."""
        from ...blender.data import actions, clip_store, named
        from ...blender.loops import bake, search
        from ...motion.steps import finish

        (name,) = named.found_names([self.settings.action], armature.name)
        settings = dataclasses.replace(self.settings, action=name)
        notes: tuple[str, ...] = ()
        if self.search is not None:
            action, weights = actions.find(name, settings.library), opened.weights(self, armature)
            clip = finish(clip_store.reading(armature, action, settings.slot, opened.reading))
            finding = search.finding(armature, clip, self.search, weights, settings.root, opened.evaluated)
            searched = finish(finding)
            (best,), notes = searched.best(1), searched.notes
            settings = dataclasses.replace(settings, start=best.start, end=best.end)
            opened.count("searching")
        report = bake.make_loop(armature, settings)
        report = dataclasses.replace(report, warnings=(*notes, *report.warnings))
        opened.count("baking")
        opened.save(self, armature, report, output)
        return report.as_dict(), report.measured()


def _of_loop(request: Request, outline: Outline, problems: list[Problem]) -> Iterator[Entry]:
    """The actions of a request, each by itself."""
    values = request.values
    if values["action"] != "all":
        yield request.path, values
        return
    path = (*request.path, "action")
    for name in outlines.fitting(path, values, request.inputs.name, outline, problems, least=1):
        yield request.path, {**values, "action": name}


def _job(request: Request, path: Path, values: Table) -> LoopJob:
    """The job of merged fields. Raises InertiaError for settings that don't go together."""
    first, last = map(float, values["range"]) if "range" in values else (None, None)
    given = methods.completed(fields.given(LoopSettings, values))
    search = None
    if values.get("find"):
        search = LoopSearch(**fields.given(LoopSearch, values), first=first, last=last)
    else:
        given |= {"start": first, "end": last}
    settings = LoopSettings(**given)
    common = request.fields(path, values, "{action}_loop", {"action": settings.action})
    return LoopJob(**common, settings=settings, search=search)


def _faults(job: LoopJob, path: Path, armature: Outline, outline: Outline) -> Iterator[Problem]:
    """Names and frames of a job that its inputs do not have."""
    problems: list[Problem] = []
    chosen = None
    if not job.settings.library:
        where = (*path, "action")
        chosen = outlines.find_action(where, job.settings.action, armature, outline, problems)
    yield from problems
    action = next((action for action in armature["actions"] if action["name"] == chosen), None)
    for frame in (job.settings.start, job.settings.end):
        if frame is not None and action is not None:
            yield from outlines.frame_fault((*path, "range"), frame, action)
    root = job.settings.root
    bones = [("root", root)] if root and not root.startswith("<") else []
    for field, name in (*bones, *(("weights", name) for name, _ in job.weights)):
        if name not in armature["bones"]:
            close = validation.close_names(name, armature["bones"])
            allowed = f"the bones {outlines.listed(armature['bones'], close)}"
            yield Problem((*path, field), validation.quoted(name), allowed, close)


OWN = {
    name: value
    for name, value in {**schema.settings(LoopSettings), **schema.settings(LoopSearch)}.items()
    if name not in ("start", "end", "first", "last")
}
ENTRY = schema.table(
    {
        **OWN,
        "action": schema.said('the action that shall loop, or "all" that fit the armature', schema.TEXT),
        "range": schema.said(
            "the first and the last frame of the loop, or with find those between which it lies (default: "
            "the whole action)",
            schema.list_of(schema.numbers(limits.FRAME), 2, maxItems=2),
        ),
        "find": schema.said(
            "whether the best stretch is found and looped, not the whole range (default: false)",
            schema.SWITCH,
        ),
        **schema.SHARED,
        "name": schema.name("{file} and {action}", '"{action}_loop"'),
    },
    "a loop of an action",
    ("action",),
)
SECTIONS = (
    Section(
        "loops",
        "loop",
        "loops to make of actions, between frames that are given or found",
        ENTRY,
        set(schema.SHARED),
        lambda table: ("file", "action"),
        _of_loop,
        _job,
        _faults,
    ),
)
