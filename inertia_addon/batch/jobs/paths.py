# SPDX-License-Identifier: GPL-3.0-or-later
"""Paths: one job for each curve or animated object that a character follows."""

from __future__ import annotations

from collections.abc import Iterator

from ...settings import matching
from ...settings.matching import PathSettings
from ...tasks import paths
from ...tasks.task import LISTED
from ..spec import schema
from ..spec.validation import Path, Problem
from . import learned, outlines
from .job import Job
from .outlines import Outline
from .section import Entry, Request, Section, Table, check_strips


def itself(request: Request, outline: Outline, problems: list[Problem]) -> Iterator[Entry]:
    """The one path of a request."""
    yield request.path, request.values


def _job(request: Request, path: Path, values: Table) -> Job:
    """The job of merged fields. Raises InertiaError for settings that don't go together."""
    settings = learned.path_settings(values)
    digest = paths.digest_of(settings.points)
    task: paths.Path
    if "model" in values:
        task = paths.Follow(settings, digest, **learned.model_of(values))
    else:
        check_strips(settings.strips, values)
        task = paths.Path(settings, digest)
    common = request.fields(path, values, "along_{path}", {"path": paths.followed(settings)})
    return Job(**common, task=task)


def clashes(path: Path, table: Table) -> Iterator[Problem]:
    """What is of the search through clips means nothing to a model."""
    for field in sorted(set(table) & {*OWN, "moves"} - matching.OF_MODELS) if "model" in table else ():
        yield Problem((*path, field), "it with a model", f"{field} of a search through clips, or a model")


def faults(job: Job, path: Path, armature: Outline, outline: Outline) -> Iterator[Problem]:
    """Names of a job that its inputs do not have."""
    problems: list[Problem] = []
    own = job.settings
    named = [("actions", name) for name in own.actions] + [("cycles", name) for name in own.cycles]
    named += [("pins", pin.clip) for pin in own.pinned] + [("bans", ban.clip) for ban in own.banned]
    named += [("fixed", pin.clip) for pin in own.entered]
    named += [("speeds", clip) for clip in own.speed_of] + [("moves", clip) for clip in own.moves]
    for field, name in named:
        outlines.find_action((*path, field), name, armature, outline, problems)
    yield from problems
    yield from outlines.bone_faults(job, job.settings.transition, path, armature["bones"])


OWN = {name: own for name, own in schema.settings(PathSettings).items() if name not in matching.OF_CROWDS}
ENTRY = schema.table(
    {
        **{name: value for name, value in schema.EVERY.items() if name in matching.OF_JOINS},
        **OWN,
        "model": learned.MODEL,
        **schema.SHARED,
        "formats": schema.said(
            f"the kinds of files to write: {LISTED} holds what was found, and alone bakes nothing; all "
            f"others the path (default: {schema.FORMATS[0]})",
            schema.list_of({"enum": [*schema.FORMATS, LISTED]}, uniqueItems=True),
        ),
        "name": schema.name("{file} and {path}", '"along_{path}"'),
    },
    "a path to follow: a curve, a target, or a file of points",
)
TASKS = (paths.Path, paths.Follow)
SECTIONS = (
    Section(
        "paths",
        "path",
        "curves and animated objects of a .blend file, and files of points, that a character follows with "
        "its actions, or with a model",
        ENTRY,
        (schema.INHERITED - {"name"}) & set(ENTRY["properties"]),
        lambda table: ("file", "path"),
        itself,
        _job,
        faults,
        clashes,
        files=("points", "model"),
    ),
)
