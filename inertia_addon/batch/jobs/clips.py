# SPDX-License-Identifier: GPL-3.0-or-later
"""What is done with single actions: one job for each, of any task about one."""

from __future__ import annotations

import functools
from collections.abc import Iterator

from ...settings import fields
from ...tasks import every
from ...tasks.task import LISTED, PAGE, ClipTask, Task
from ..spec import schema
from ..spec.validation import Path, SpecProblem
from . import outlines
from .job import Job
from .outlines import Outline
from .section import Entry, Request, Section, Table


def _entries(
    task: type[ClipTask], request: Request, outline: Outline, problems: list[SpecProblem]
) -> Iterator[Entry]:
    """Yield (path, values) of each entry that a request stands for: the request's own as they are, or, where
    ``action`` is "all", one with each fitting clip's name as ``action``. All have the request's path.

    A clip fits that is an action of the armature, can be read and is no result of Inertia's, or that is one
    if the task is about results. problems: gets a
    problem where not even one clip fits, or there is no such armature; nothing is yielded then. Inputs that
    can't be read yield nothing for "all", and are no problem.
    """
    values = request.values
    if values["action"] != "all":
        yield request.path, values
        return
    for name in request.find_fitting("action", outline, problems, least=1, are_results=task.OF_RESULTS):
        yield request.path, {**values, "action": name}


def _faults(job: Job, path: Path, armature: Outline, outline: Outline) -> Iterator[SpecProblem]:
    """Yield a problem for each name and frame of a job that its inputs do not have, in this order: its
    action, at the field ``action``; the range's ends, each at the field ``range``; bones, at the fields that
    name them.

    The ends are the settings' ``start`` and ``end``, where they have them and these are not None. path: where
    the job stands in the spec. armature, outline: what the armature and its inputs hold. The action of a job
    with a ``library`` is not looked for; frames are checked only against an action that the armature has.
    """
    problems: list[SpecProblem] = []
    settings, action = job.settings, None
    if not getattr(settings, "library", ""):
        name = outlines.find_action((*path, "action"), settings.action, armature, outline, problems)
        action = outlines.action_of(armature, name)
    yield from problems
    for frame in (getattr(settings, "start", None), getattr(settings, "end", None)):
        if frame is not None and action is not None:
            yield from outlines.frame_fault((*path, "range"), frame, action)
    yield from outlines.bone_faults(job, settings, path, armature)


def _formats(task: type[ClipTask]) -> tuple[str, ...]:
    """Return the kinds of files that a task may write, without dots, the usual one first; () for none."""
    baked = () if task.BAKES is False else schema.FORMATS
    pages = (PAGE.name,) if task.PLAYS else ()
    return (LISTED, *pages, *baked) if task.LISTS else baked


def _entry(task: type[ClipTask]) -> schema.Schema:
    """Return the JSON schema of a spec's entry that asks for a task: its settings, the shared fields that
    mean something to it, and a name. Only ``action`` is required.

    Fields that the task hides are left out, ``joints`` and ``weights`` where it counts no joints, and
    ``whole_file`` where it never bakes. A task that lists what it finds has ``formats`` of its own. A task
    that searches also has the fields of its search, and ``range`` (two frames) and ``find`` in place of
    ``first`` and ``last``.
    """
    settings = schema.of_record(task.SETTINGS)
    hidden = {*task.HIDDEN, *(() if task.COUNTS_JOINTS else ("joints", "weights"))}
    hidden |= {"whole_file"} if task.BAKES is False else set()
    action = f'{settings["action"]["description"]}, or "all" that fit the armature'
    properties = {**settings, "action": schema.described(action, schema.TEXT), **schema.SHARED}
    if task.LISTS:
        kinds = _formats(task)
        others = f", {PAGE.name} is a page that plays it" if task.PLAYS else ""
        others += ", all others the new action" if task.BAKES is not False else ""
        formats = f"the kinds of files to write: {LISTED} holds what was found{others} (default: {LISTED})"
        properties["formats"] = schema.formats(formats, kinds)
    if task.SEARCH is not None:
        frames = schema.list_of(schema.numbers(fields.FRAME), 2, maxItems=2)
        search = {
            "range": schema.described(task.SEARCH.between, frames),
            "find": schema.described(f"{task.SEARCH.finds} (default: false)", schema.SWITCH),
        }
        properties = {**schema.of_record(task.SEARCH.record), **search, **properties}
        hidden |= {"first", "last"}
    usual = task.IN_SPECS.usual or f'"{task.STEM}"'
    properties["name"] = schema.output_name("{file} and {action}", usual)
    return schema.table(schema.without(properties, hidden), task.IN_SPECS.entry, ("action",))


def _section(task: type[ClipTask]) -> Section:
    """Return the list of a spec that asks for a task about single actions, as a Section. Its field, spoken
    name and description are those of the task's ``IN_SPECS``.

    An entry gives a job for its action, or with "all" one for each that fits. It inherits the shared fields
    that its schema has, but not ``formats`` where the task lists what it finds. Outputs are named by the
    task's ``stem`` unless the entry has a name, in which {file} and {action} may stand. ``job`` raises
    InertiaError for settings that don't go together, and ValueError for a name with unknown braces.
    """

    def job(request: Request, path: Path, values: Table) -> Job:
        asked = task.of_values(values)
        action, usual = asked.settings.action, _formats(task)[0]
        return request.job(path, values, asked, asked.stem, usual_format=usual, action=action)

    entry, spoken = _entry(task), task.IN_SPECS
    inherits = schema.SHARED.keys() & entry["properties"].keys() - ({"formats"} if task.LISTS else set())
    return Section(
        spoken.name,
        spoken.spoken,
        spoken.description,
        entry,
        job,
        _faults,
        functools.partial(_entries, task),
        ("file", "action"),
        inherits=inherits,
    )


SECTIONS: dict[str, Section] = {}
"""The lists of tasks about single actions, by their fields."""


def _add_section(task: type[Task]) -> None:
    if issubclass(task, ClipTask):
        SECTIONS[task.IN_SPECS.name] = _section(task)


every.open_door(_add_section)
