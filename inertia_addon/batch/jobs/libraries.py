# SPDX-License-Identifier: GPL-3.0-or-later
"""Libraries: matrices of clips, databases for motion matching, and models that are learned, each a file."""

from __future__ import annotations

from collections.abc import Iterator

from ...settings import fields, matching
from ...settings.cost import OF_A_COST, Search
from ...settings.learned import LearnSettings
from ...settings.matching import PathSettings
from ...settings.transition import TransitionSettings
from ...tasks.database import ANALYSED, OF_JOINS, DatabaseTask
from ...tasks.learned import LearnTask
from ...tasks.matrix import MatrixTask
from ...tasks.task import LISTED
from ..spec import schema
from ..spec.validation import Path, SpecProblem
from . import outlines
from .job import Job
from .outlines import Outline
from .section import Request, Section, Table, blend_of

NPZ = "npz"
SIDES = ("sources", "destinations")
BLEND = schema.only(schema.COMMON, OF_A_COST)
SEARCH = schema.without(schema.SEARCH, ("range",))
LEARN = schema.of_record(LearnSettings)
NO_JOINS = matching.joined_by({})


def _matrix_job(request: Request, path: Path, values: Table) -> Job:
    """Return the job of a matrix of costs. values: the entry's merged fields; ``sources`` and
    ``destinations`` are () where they are missing, which stands for all clips, and ``exact`` is off. What the
    search lacks is as commands and the panel ask for it.

    Outputs are named "matrix" unless the entry has a name, in which only {file} may stand. They are .json
    files unless ``formats`` is given. Raise InertiaError if its settings don't go together, ValueError for a
    name with other braces.
    """
    sides = {side: tuple(values.get(side, ())) for side in SIDES}
    given = fields.parsed(Search, {name: values[name] for name in SEARCH if name in values})
    search = Search(**{**fields.list_requests(Search), **given})
    task = MatrixTask(blend_of(values, BLEND, **NO_JOINS), search, **sides, exact=values.get("exact", False))
    return request.job(path, values, task, "matrix", usual_format=LISTED)


def _database_job(request: Request, path: Path, values: Table) -> Job:
    """Return the job of a database for motion matching, which follows no path: its settings have no points
    and no bends. values: the entry's merged fields, of which those of the analysis and of joins count.

    The output is database.npz unless the entry has a name or formats. Raise InertiaError if its settings
    don't go together, ValueError for a name with unknown braces.
    """
    analysed = {name: values[name] for name in ANALYSED if name in values}
    joins = blend_of(values, OF_JOINS, **NO_JOINS)
    settings = PathSettings.of(joins, {**analysed, "points": "none", "bends": 0.0})
    return request.job(path, values, DatabaseTask(settings), "database", usual_format=NPZ)


def _learn_job(request: Request, path: Path, values: Table) -> Job:
    """Return the job of a model."""
    settings = LearnSettings.of({name: values[name] for name in LEARN if name in values})
    return request.job(path, values, LearnTask(settings), "model", usual_format=NPZ)


def _faults(job: Job, path: Path, armature: Outline, outline: Outline) -> Iterator[SpecProblem]:
    """Yield a problem for each action of a matrix, a database or a model, and each bone, that its inputs do
    not have: first the actions, then the bones.

    Actions of a matrix are looked for at the fields ``sources`` and then ``destinations``, others at
    ``actions``; the problem's path has the field, but no number in the list. Bones are those of ``weights``
    and the root; for a matrix or a database, also the chosen bones, the scaled ones and the bone to align, of
    the blend, each at its field. path: to the entry. armature, outline: what the armature and all inputs
    hold.
    """
    settings = job.settings
    if isinstance(job.task, MatrixTask):
        named = [(side, name) for side in SIDES for name in getattr(job.task, side)]
        blend = settings
    else:
        named = [("actions", name) for name in settings.actions]
        is_learned = isinstance(settings, LearnSettings)
        blend = TransitionSettings(**NO_JOINS, root=settings.root) if is_learned else settings.transition
    yield from outlines.action_faults(named, path, armature, outline)
    yield from outlines.bone_faults(job, blend, path, armature)


def _entry(settings: dict[str, schema.Schema], usual: str, description: str) -> schema.Schema:
    shared = schema.without(schema.SHARED, ("formats", "whole_file"))
    name = schema.output_name("{file}", f'"{usual}"')
    return schema.table({**settings, **shared, "name": name}, description)


def _side(verb: str) -> schema.Schema:
    return schema.described(f"the clips that are {verb} (default: all that fit)", schema.list_of(schema.TEXT))


MATRICES = Section(
    "matrices",
    "matrix",
    "matrices, as .json files: where clips meet best, such as those of two parts of a large library",
    _entry(
        {
            **BLEND,
            **SEARCH,
            "sources": _side("left"),
            "destinations": _side("entered"),
            "exact": schema.described("whether all exact costs are searched (default: false)", schema.SWITCH),
        },
        "matrix",
        "a matrix: the best transition from each of some clips to each of others",
    ),
    _matrix_job,
    _faults,
)
DATABASES = Section(
    "databases",
    "database",
    "databases, as .npz files: clips that are analysed for motion matching",
    _entry(
        {**schema.only(schema.EVERY, OF_JOINS), **schema.only(schema.of_record(PathSettings), ANALYSED)},
        "database",
        "a database: some clips, analysed for motion matching",
    ),
    _database_job,
    _faults,
)
MODELS = Section(
    "learns",
    "model",
    "models to learn, of which each plays a set of actions without them",
    _entry(LEARN, "model", "a model to learn"),
    _learn_job,
    _faults,
)
