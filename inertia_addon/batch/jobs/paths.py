# SPDX-License-Identifier: GPL-3.0-or-later
"""Paths: one job for each curve or animated object that a character follows."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any

from ...settings import matching
from ...settings.matching import PathSettings
from ...storage import contents
from ...tasks.task import words
from ..spec import schema
from ..spec.validation import Path, Problem
from . import learned, outlines
from .job import Job
from .learned import followed
from .outlines import Outline
from .section import Entry, Request, Section, Table, check_strips

if TYPE_CHECKING:
    from .opened import Opened


@dataclasses.dataclass(frozen=True, kw_only=True)
class PathJob(Job):
    """One path, followed. points_digest: of its file of points, "" without."""

    KIND = "path"
    SETTINGS = PathSettings

    settings: PathSettings
    points_digest: str = ""

    @property
    def label(self) -> str:
        """The path for a reader."""
        return f"path along {followed(self.settings)}"

    def identity(self, known: str) -> str:
        """As of all jobs: where the file of points is does not count, but for its name."""
        name = FilePath(self.settings.points).name
        own = dataclasses.replace(self, settings=dataclasses.replace(self.settings, points=name))
        return super(PathJob, own).identity(known)

    def told(self, report: dict[str, Any]) -> dict[str, Any]:
        """How near the path is kept, and by how many joins."""
        return {**{name: report[name] for name in ("path_rms_m", "path_max_m", "cuts")}, **words(report)}

    def summary(self, report: dict[str, Any]) -> dict[str, Any]:
        """The settings, the joins, and what a reader has to know of the path."""
        names = ("settings", "frame_range", "joins", "quality", "searched", "warnings")
        return {**{name: report[name] for name in names}, **words(report)}

    def make(self, opened: Opened, armature: Any, output: FilePath) -> tuple[dict[str, Any], dict[str, Any]]:
        """Search its way and bake it."""
        learned.check_same(self.settings.points, self.points_digest)
        from ...blender.data import named
        from ...blender.judging import verdict
        from ...blender.matching import bake, quality, search, stock
        from ...blender.matching import followed as courses
        from ...motion.steps import finish

        settings = named.with_found_names_of_path(self.settings, armature.name)
        course = courses.course(settings)
        analysed = finish(stock.analysing(armature, settings, opened.weights(self, armature)))
        opened.count("analysing")
        found = finish(search.searching(analysed, settings, course))
        opened.count("searching")
        report = finish(bake.baking(armature, found))
        opened.count("baking")
        measured = finish(quality.measuring(armature, found, report))
        opened.count("measuring")
        opened.save(self, armature, report, output)
        searched = search.figures(found)
        values = {
            **report.as_dict(),
            "settings": settings.as_dict(),
            "joins": quality.told(search.joins(found), measured.verdicts),
            "searched": searched,
            "quality": measured.figures(),
            "warnings": [*found.warnings, *report.warnings],
        }
        return {**searched, **values, **measured.as_dict()}, verdict.measures(measured.verdicts)


def _of_path(request: Request, outline: Outline, problems: list[Problem]) -> Iterator[Entry]:
    """The one path of a request."""
    yield request.path, request.values


def _job(request: Request, path: Path, values: Table) -> Job:
    """The job of merged fields. Raises InertiaError for settings that don't go together."""
    if "model" in values:
        return learned.follow_job(request, path, values)
    settings = learned.path_settings(values)
    check_strips(settings.strips, values)
    common = request.fields(path, values, "along_{path}", {"path": followed(settings)})
    digest = contents.digest(FilePath(settings.points)) if settings.points else ""
    return PathJob(**common, settings=settings, points_digest=digest)


def _clashes(path: Path, table: Table) -> Iterator[Problem]:
    """What is of the search through clips means nothing to a model."""
    for field in sorted(set(table) & set(OWN) - matching.OF_MODELS) if "model" in table else ():
        yield Problem((*path, field), "it with a model", f"{field} of a search through clips, or a model")


def _faults(job: Any, path: Path, armature: Outline, outline: Outline) -> Iterator[Problem]:
    """Names of a job that its inputs do not have."""
    problems: list[Problem] = []
    own = job.settings
    named = [("actions", name) for name in own.actions] + [("cycles", name) for name in own.cycles]
    named += [("pins", pin.clip) for pin in own.pinned] + [("bans", ban.clip) for ban in own.banned]
    named += [("speeds", clip) for clip in own.speed_of]
    for field, name in named:
        outlines.find_action((*path, field), name, armature, outline, problems)
    yield from problems
    yield from outlines.bone_faults(job, job.settings.transition, path, armature["bones"])


OWN = schema.settings(PathSettings)
ENTRY = schema.table(
    {
        **{name: value for name, value in schema.EVERY.items() if name in matching.OF_JOINS},
        **OWN,
        "model": learned.MODEL,
        **schema.SHARED,
        "name": schema.name("{file} and {path}", '"along_{path}"'),
    },
    "a path to follow: a curve, a target, or a file of points",
)
SECTIONS = (
    Section(
        "paths",
        "path",
        "curves and animated objects of a .blend file, and files of points, that a character follows with "
        "its actions, or with a model",
        ENTRY,
        (schema.INHERITED - {"name"}) & set(ENTRY["properties"]),
        lambda table: ("file", "path"),
        _of_path,
        _job,
        _faults,
        _clashes,
        files=("points", "model"),
    ),
)
