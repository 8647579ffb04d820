# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts of a library: matrices of its clips, and databases for motion matching, each of files of its own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...settings import fields, matching
from ...settings.cost import OF_A_COST, Search
from ...settings.matching import PathSettings
from ...settings.transition import TransitionSettings
from ...tasks.database import ANALYSED, OF_JOINS, Database
from ...tasks.matrix import Matrix
from ...tasks.task import LISTED
from ..spec import schema
from ..spec.validation import Path, Problem
from . import outlines
from .job import Job
from .outlines import Outline
from .paths import itself
from .section import Request, Section, Table, as_floats

NPZ = "npz"
SIDES = ("sources", "destinations")
BLEND = {name: value for name, value in schema.COMMON.items() if name in OF_A_COST}
SEARCH = {name: value for name, value in schema.SEARCH.items() if name != "range"}


def _transition(values: Table, names: Any, **more: Any) -> TransitionSettings:
    """The settings of a blend among merged fields. Raises InertiaError for what does not go together."""
    own = {name: values[name] for name in names if name in values}
    return TransitionSettings.from_dict(as_floats(matching.joined_by({**own, **more})))


def _matrix_job(request: Request, path: Path, values: Table) -> Job:
    """The job of a matrix."""
    sides = {side: tuple(values.get(side, ())) for side in SIDES}
    search = Search(**fields.given(Search, {name: values[name] for name in SEARCH if name in values}))
    task = Matrix(_transition(values, BLEND), search, **sides, exact=values.get("exact", False))
    return Job(**request.fields(path, values, "matrix", {}, LISTED), task=task)


def _database_job(request: Request, path: Path, values: Table) -> Job:
    """The job of a database."""
    own = {name: values[name] for name in ANALYSED if name in values}
    settings = PathSettings.of(_transition(values, OF_JOINS), {**own, "points": "none", "bends": 0.0})
    return Job(**request.fields(path, values, "database", {}, NPZ), task=Database(settings))


def _faults(job: Job, path: Path, armature: Outline, outline: Outline) -> Iterator[Problem]:
    """Names of a job that its inputs do not have."""
    problems: list[Problem] = []
    if isinstance(job.task, Matrix):
        named = [(side, name) for side in SIDES for name in getattr(job.task, side)]
        blend = job.settings
    else:
        named = [("actions", name) for name in job.settings.actions]
        blend = job.settings.transition
    for field, name in named:
        outlines.find_action((*path, field), name, armature, outline, problems)
    yield from problems
    yield from outlines.bone_faults(job, blend, path, armature["bones"])


def _entry(own: dict[str, schema.Schema], usual: str, description: str) -> schema.Schema:
    shared = {name: each for name, each in schema.SHARED.items() if name not in ("formats", "whole_file")}
    return schema.table({**own, **shared, "name": schema.name("{file}", f'"{usual}"')}, description)


def _side(said: str) -> schema.Schema:
    return schema.said(f"the clips that are {said} (default: all that fit)", schema.list_of(schema.TEXT))


MATRIX = _entry(
    {
        **BLEND,
        **SEARCH,
        "sources": _side("left"),
        "destinations": _side("entered"),
        "exact": schema.said("whether all exact costs are searched (default: false)", schema.SWITCH),
    },
    "matrix",
    "a matrix: the best transition from each of some clips to each of others",
)
DATABASE = _entry(
    {
        **{name: each for name, each in schema.EVERY.items() if name in OF_JOINS},
        **{name: each for name, each in schema.settings(PathSettings).items() if name in ANALYSED},
    },
    "database",
    "a database: some clips, analysed for motion matching",
)
TASKS = (Matrix, Database)


def _section(name: str, spoken: str, said: str, entry: schema.Schema, job: Any) -> Section:
    inherits = (schema.INHERITED - {"name"}) & set(entry["properties"])
    return Section(name, spoken, said, entry, inherits, lambda table: ("file",), itself, job, _faults)


SECTIONS = (
    _section(
        "matrices",
        "matrix",
        "matrices, as .json files: where clips meet best, such as those of two parts of a large library",
        MATRIX,
        _matrix_job,
    ),
    _section(
        "databases",
        "database",
        "databases, as .npz files: clips that are analysed for motion matching",
        DATABASE,
        _database_job,
    ),
)
