# SPDX-License-Identifier: GPL-3.0-or-later
"""What is done with single actions: one job for each, of any task about one."""

from __future__ import annotations

from collections.abc import Iterator

from ...settings import limits
from ...tasks import every
from ...tasks.task import LISTED, ClipTask
from ..spec import schema
from ..spec.validation import Path, Problem
from . import outlines
from .job import Job
from .outlines import Outline
from .section import Entry, Request, Section, Table

TASKS = tuple(task for task in every.TASKS if issubclass(task, ClipTask))


def _entries(request: Request, outline: Outline, problems: list[Problem]) -> Iterator[Entry]:
    """The actions of a request, each by itself."""
    values = request.values
    if values["action"] != "all":
        yield request.path, values
        return
    path = (*request.path, "action")
    for name in outlines.fitting(path, values, request.inputs.name, outline, problems, least=1):
        yield request.path, {**values, "action": name}


def _faults(job: Job, path: Path, armature: Outline, outline: Outline) -> Iterator[Problem]:
    """Names and frames of a job that its inputs do not have."""
    problems: list[Problem] = []
    own, chosen = job.settings, None
    if not getattr(own, "library", ""):
        chosen = outlines.find_action((*path, "action"), own.action, armature, outline, problems)
    yield from problems
    action = next((action for action in armature["actions"] if action["name"] == chosen), None)
    for frame in (getattr(own, "start", None), getattr(own, "end", None)):
        if frame is not None and action is not None:
            yield from outlines.frame_fault((*path, "range"), frame, action)
    yield from outlines.bone_faults(job, own, path, armature["bones"])


def _formats(task: type[ClipTask]) -> tuple[str, ...]:
    """The kinds of files that a task may write, the usual one first."""
    baked = () if task.BAKES is False else schema.FORMATS
    return (LISTED, *baked) if task.LISTS else baked


def _entry(task: type[ClipTask]) -> schema.Schema:
    """The fields of an entry that asks for a task."""
    own = schema.settings(task.SETTINGS)
    left_out = {*task.HIDDEN, *(() if task.COUNTS_JOINTS else ("joints", "weights"))}
    left_out |= {"whole_file"} if task.BAKES is False else set()
    action = f'{own["action"]["description"]}, or "all" that fit the armature'
    properties = {**own, "action": schema.said(action, schema.TEXT), **schema.SHARED}
    if task.LISTS:
        known, usual = _formats(task), LISTED
        others = ", all others the new action" if len(known) > 1 else ""
        said = f"the kinds of files to write: {LISTED} holds what was found{others} (default: {usual})"
        properties["formats"] = schema.said(said, schema.list_of({"enum": [*known]}, uniqueItems=True))
    if task.SEARCH is not None:
        frames = schema.list_of(schema.numbers(limits.FRAME), 2, maxItems=2)
        found = {
            "range": schema.said(task.SEARCH.between, frames),
            "find": schema.said(f"{task.SEARCH.finds} (default: false)", schema.SWITCH),
        }
        properties = {**schema.settings(task.SEARCH.record), **found, **properties}
        left_out |= {"first", "last"}
    properties["name"] = schema.name("{file} and {action}", task.IN_SPECS.usual or f'"{task.STEM}"')
    told = {name: value for name, value in properties.items() if name not in left_out}
    return schema.table(told, task.IN_SPECS.entry, ("action",))


def _section(task: type[ClipTask]) -> Section:
    """The list of a spec that asks for a task."""

    def job(request: Request, path: Path, values: Table) -> Job:
        asked = task.of(values)
        parts = {"action": asked.settings.action}
        common = request.fields(path, values, asked.stem, parts, _formats(task)[0])
        return Job(**common, task=asked)

    entry, said = _entry(task), task.IN_SPECS
    inherits = schema.SHARED.keys() & entry["properties"].keys() - ({"formats"} if task.LISTS else set())
    return Section(
        *(said.name, said.spoken, said.description, entry, inherits),
        *(lambda table: ("file", "action"), _entries, job, _faults),
    )


SECTIONS = tuple(map(_section, TASKS))
