# SPDX-License-Identifier: GPL-3.0-or-later
"""Paths, takes and crowds: one job for each curve, object or file that a character follows or is steered by,
and one for each crowd."""

from __future__ import annotations

import pathlib
from collections.abc import Iterator

from ...settings import fields, matching, steering
from ...settings.learned import CrowdSettings
from ...settings.matching import PathSettings
from ...settings.transition import TransitionSettings
from ...tasks import paths
from ...tasks.steering import TakeTask, TakeWithModelTask
from ...tasks.task import LISTED, Task
from ..spec import schema, validation
from ..spec.validation import Path, SpecProblem
from . import outlines
from .job import Job
from .outlines import Outline
from .section import Request, Section, Table, blend_of, check_strips


def _joins_of(values: Table) -> TransitionSettings:
    """Return how clips are joined, from merged fields."""
    return blend_of(values, matching.OF_JOINS, **matching.joined_by({"assign": True}))


def _path_of(values: Table) -> PathSettings:
    """Return how a path is followed, from merged fields."""
    return PathSettings.of(_joins_of(values), {name: values[name] for name in PATH if name in values})


def _model_of(values: Table) -> dict[str, str]:
    """Return the model of merged fields, with its digest."""
    return {"model": values["model"], "model_digest": paths.digest_of(values["model"])}


def _path_job(request: Request, path: Path, values: Table) -> Job:
    """Return the job of a path, followed with clips or, if `values` name one as ``model``, with a model.
    values: the entry's merged fields.

    The files of points and of the model are read for their digests alone; that of a file that is not there is
    "". Outputs are named along_{path} unless the entry has a name, in which {path} and {file} may stand;
    {path} is the curve's or the target's name, or that of the file of points without its ending. They are
    .blend files unless ``formats`` is given. Raise InertiaError if the settings don't go together and,
    without a model, for strips in other files than a .blend; OSError for a file that can't be read;
    ValueError for a name with unknown braces.
    """
    settings = _path_of(values)
    digest = paths.digest_of(settings.points)
    task: Task
    if "model" in values:
        task = paths.FollowTask(settings, digest, **_model_of(values))
    else:
        check_strips(strips=settings.strips, values=values)
        task = paths.PathTask(settings, digest)
    return request.job(path, values, task, "along_{path}", path=paths.followed(settings))


def _take_job(request: Request, path: Path, values: Table) -> Job:
    """Return the job of a take, steered with clips or, if `values` name one as ``model``, with a model.
    values: the entry's merged fields. The file of wishes, ``input``, is read here; ``start`` is "0,0,0" where
    it is missing.

    Outputs are named take_{input}, after that file without its ending, unless the entry has a name, in which
    {input} and {file} may stand. They are .blend files unless ``formats`` is given. Raise InertiaError if the
    settings don't go together, for a file of wishes that can't be read or holds none and, without a model,
    for strips in other files than a .blend; OSError for a model's file that can't be read; ValueError for a
    name with unknown braces; KeyError without ``input``.
    """
    joins, file = _joins_of(values), pathlib.Path(values["input"])
    wishes = tuple(map(str, steering.read(file)))
    start, moves = steering.start(values.get("start", "0,0,0")), tuple(values.get("moves", ()))
    settings = PathSettings.steered(joins, values, wishes, start, moves)
    task: Task
    if "model" in values:
        task = TakeWithModelTask(settings, **_model_of(values))
    else:
        check_strips(strips=settings.strips, values=values)
        task = TakeTask(settings)
    return request.job(path, values, task, "take_{input}", input=file.stem)


def _crowd_job(request: Request, path: Path, values: Table) -> Job:
    """Return the job of a crowd."""
    # each follows a path of its own, which this stands for
    settings = CrowdSettings(_path_of({**values, "curve": "crowd"}), tuple(values["crowd"]))
    values = {**values, "armature": settings.members[0].armature, "whole_file": True}
    return request.job(path, values, paths.CrowdTask(settings, **_model_of(values)), "crowd")


def _clashes(path: Path, table: Table) -> Iterator[SpecProblem]:
    """Yield a problem for each field of a search through clips in a table with a model."""
    for field in sorted(set(table) & {*OF_ONE, "moves"} - matching.OF_MODELS) if "model" in table else ():
        yield SpecProblem((*path, field), "it with a model", f"{field} of a search through clips, or a model")


def _faults(job: Job, path: Path, armature: Outline, outline: Outline) -> Iterator[SpecProblem]:
    """Yield a problem for each action and bone of a path or a take that its inputs do not have, at the field
    that names it. A model makes no difference.

    Actions are those of the set, of cycles, pins, bans, fixed entries, speeds and moves, in this order; then
    come the bones of the joins' blend. Frames are not checked. path: to the entry.
    """
    settings = job.settings
    clips = {
        "actions": settings.actions,
        "cycles": settings.cycles,
        "pins": [pin.clip for pin in settings.pinned],
        "bans": [ban.clip for ban in settings.banned],
        "fixed": [pin.clip for pin in settings.entered],
        "speeds": settings.speed_of,
        "moves": settings.moves,
    }
    named = [(field, name) for field, names in clips.items() for name in names]
    yield from outlines.action_faults(named, path, armature, outline)
    yield from outlines.bone_faults(job, settings.transition, path, armature)


def _crowd_faults(job: Job, path: Path, armature: Outline, outline: Outline) -> Iterator[SpecProblem]:
    """Yield a problem for each member of a crowd whose armature its inputs do not have, at the field
    ``crowd``; then one for each bone that `armature` lacks.

    Names of armatures must be exact here. armature: that of the first member, the only one whose bones are
    looked at. Neither actions nor what the members follow is checked. path: to the entry.
    """
    armatures = [each["name"] for each in outline["armatures"]]
    for member in job.settings.members:
        if member.armature not in armatures:
            close = validation.close_names(member.armature, armatures)
            allowed = f"the armatures {outlines.listed(armatures, close)}"
            yield SpecProblem((*path, "crowd"), validation.quoted(member.armature), allowed, close)
    yield from outlines.bone_faults(job, job.settings.path.transition, path, armature)


PATH = schema.of_record(PathSettings)
JOINS = schema.only(schema.EVERY, matching.OF_JOINS)
MODEL = schema.described("the model to follow with, an .npz file from the spec's folder", schema.TEXT)
OF_ONE = schema.without(PATH, matching.OF_CROWDS)
"""The settings that mean something to one alone."""
NOT_OF_TAKES = {fields.settings(PathSettings)[name].key for name in matching.NOT_OF_TAKES}
NOT_SHARED_BY_ALL = {"curve", "target", "points", "points_unit", "points_time", "ground", "goals"}
NOT_OF_CROWDS = {"formats", "whole_file", "armature", "joints", "weights"}

PATHS = Section(
    "paths",
    "path",
    "curves and animated objects of a .blend file, and files of points, that a character follows with "
    "its actions, or with a model",
    schema.table(
        {
            **JOINS,
            **OF_ONE,
            "model": MODEL,
            **schema.SHARED,
            "formats": schema.formats(
                f"the kinds of files to write: {LISTED} holds what was found, and alone bakes nothing; all "
                f"others the path (default: {schema.FORMATS[0]})",
                (*schema.FORMATS, LISTED),
            ),
            "name": schema.output_name("{file} and {path}", '"along_{path}"'),
        },
        "a path to follow: a curve, a target, or a file of points",
    ),
    _path_job,
    _faults,
    placeholders=("file", "path"),
    clashes=_clashes,
    files=("points", "model"),
)
TAKES = Section(
    "takes",
    "take",
    "files of wishes by which a character is steered with its actions, or with a model",
    schema.table(
        {
            **JOINS,
            **schema.without(OF_ONE, NOT_OF_TAKES),
            **schema.of_record(steering.SteerSettings),
            "input": schema.described("the .csv file of wishes, from the spec's folder", schema.TEXT),
            "start": schema.described(
                "where it begins: x and y in metres, and degrees, such as 1.5,0,90", schema.TEXT
            ),
            "moves": schema.described(
                "actions that are played only where a row of wishes names them", schema.list_of(schema.TEXT)
            ),
            "model": MODEL,
            **schema.SHARED,
            "name": schema.output_name("{file} and {input}", '"take_{input}"'),
        },
        "a take: a file of wishes that steers a character",
        ("input",),
    ),
    _take_job,
    _faults,
    placeholders=("file", "input"),
    clashes=_clashes,
    files=("input", "model"),
)
CROWDS = Section(
    "crowds",
    "crowd",
    "crowds: many armatures along paths of their own, all with one model, in a .blend file",
    schema.table(
        {
            **JOINS,
            **{name: PATH[name] for name in sorted(matching.OF_MODELS - NOT_SHARED_BY_ALL)},
            "model": MODEL,
            **schema.of_record(CrowdSettings),
            **schema.without(schema.SHARED, NOT_OF_CROWDS),
            "name": schema.output_name("{file}", '"crowd"'),
        },
        "a crowd: several armatures of a .blend file, each along a path of its own, all with one model",
        ("model", "crowd"),
    ),
    _crowd_job,
    _crowd_faults,
    files=("model",),
)
