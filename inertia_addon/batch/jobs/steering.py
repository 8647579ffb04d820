# SPDX-License-Identifier: GPL-3.0-or-later
"""Takes: one job for each file of wishes that steers a character."""

from __future__ import annotations

import pathlib

from ...settings import fields, matching, steering
from ...settings.matching import PathSettings
from ...settings.transition import TransitionSettings
from ...tasks import paths as path_tasks
from ...tasks.steering import Played, Take
from ..spec import schema
from ..spec.validation import Path
from . import learned, paths
from .job import Job
from .section import Request, Section, Table, as_floats, check_strips


def _job(request: Request, path: Path, values: Table) -> Job:
    """The job of merged fields. Raises InertiaError for settings that don't go together, and for a file of
    wishes that is none."""
    blend = {name: values[name] for name in matching.OF_JOINS if name in values}
    transition = TransitionSettings.from_dict(as_floats(matching.joined_by({"assign": True, **blend})))
    file = pathlib.Path(values["input"])
    wished = tuple(map(str, steering.read(file)))
    begins = steering.start(values.get("start", "0,0,0"))
    moves = tuple(values.get("moves", ()))
    settings = PathSettings.steered(transition, values, wished, begins, moves)
    common = request.fields(path, values, "take_{input}", {"input": file.stem})
    task: path_tasks.Path
    if "model" in values:
        task = Played(settings, **learned.model_of(values))
    else:
        check_strips(settings.strips, values)
        task = Take(settings)
    return Job(**common, task=task)


OWN = {
    name: value
    for name, value in paths.OWN.items()
    if name
    not in {one.key for field, one in fields.settings(PathSettings).items() if field in matching.NOT_OF_TAKES}
}
ENTRY = schema.table(
    {
        **{name: value for name, value in schema.EVERY.items() if name in matching.OF_JOINS},
        **OWN,
        "input": schema.said("the .csv file of wishes, from the spec's folder", schema.TEXT),
        "start": schema.said(
            "where it begins: x and y in metres, and degrees, such as 1.5,0,90", schema.TEXT
        ),
        "moves": schema.said(
            "actions that are played only where a row of wishes names them", schema.list_of(schema.TEXT)
        ),
        "model": learned.MODEL,
        **schema.SHARED,
        "name": schema.name("{file} and {input}", '"take_{input}"'),
    },
    "a take: a file of wishes that steers a character",
    ("input",),
)
TASKS = (Take, Played)
SECTIONS = (
    Section(
        "takes",
        "take",
        "files of wishes by which a character is steered with its actions, or with a model",
        ENTRY,
        (schema.INHERITED - {"name"}) & set(ENTRY["properties"]),
        lambda table: ("file", "input"),
        paths.itself,
        _job,
        paths.faults,
        paths.clashes,
        files=("input", "model"),
    ),
)
