# SPDX-License-Identifier: GPL-3.0-or-later
"""Actions that are given travel, or from which it is taken: one job for each."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any

from ...settings import fields
from ...settings.travel import TravelSettings
from ..spec import schema
from ..spec.validation import Path, Problem
from . import outlines
from .job import Job
from .outlines import Outline
from .section import Entry, Request, Section, Table, as_floats

if TYPE_CHECKING:
    from .opened import Opened


@dataclasses.dataclass(frozen=True, kw_only=True)
class TravelJob(Job):
    """One action that is given travel, or from which it is taken."""

    KIND = "travel"
    SETTINGS = TravelSettings

    settings: TravelSettings

    @property
    def label(self) -> str:
        """The action for a reader."""
        return (
            f"{self.settings.action} in place"
            if self.settings.in_place
            else f"travel of {self.settings.action}"
        )

    def told(self, report: dict[str, Any]) -> dict[str, Any]:
        """How fast it goes, and how far."""
        return {name: report[name] for name in ("speed", "way", "skate_after")}

    def summary(self, report: dict[str, Any]) -> dict[str, Any]:
        """The settings, and the travel."""
        told = ("settings", "frame_range", "root", "told_by", "speed", "turn", "way", "heading")
        return {name: report[name] for name in (*told, "skate_before", "skate_after")}

    def make(self, opened: Opened, armature: Any, output: FilePath) -> tuple[dict[str, Any], dict[str, Any]]:
        """Make it."""
        from ...blender.data import named
        from ...blender.travel import bake

        (name,) = named.found_names([self.settings.action], armature.name)
        report = bake.travel(armature, dataclasses.replace(self.settings, action=name))
        opened.count("baking")
        opened.save(self, armature, report, output)
        return report.as_dict(), {}


def _of_travel(request: Request, outline: Outline, problems: list[Problem]) -> Iterator[Entry]:
    """The actions of a request, each by itself."""
    values = request.values
    if values["action"] != "all":
        yield request.path, values
        return
    path = (*request.path, "action")
    for name in outlines.fitting(path, values, request.inputs.name, outline, problems, least=1):
        yield request.path, {**values, "action": name}


def _job(request: Request, path: Path, values: Table) -> TravelJob:
    """The job of merged fields."""
    given = {name: value for name, value in values.items() if name in OWN}
    settings = TravelSettings(**as_floats(fields.given(TravelSettings, given)))
    name = "{action}_in_place" if settings.in_place else "{action}_travel"
    common = request.fields(path, values, name, {"action": settings.action})
    return TravelJob(**common, settings=settings)


def _faults(job: TravelJob, path: Path, armature: Outline, outline: Outline) -> Iterator[Problem]:
    """Names of a job that its inputs do not have."""
    problems: list[Problem] = []
    outlines.find_action((*path, "action"), job.settings.action, armature, outline, problems)
    yield from problems


OWN = {
    name: value
    for name, value in schema.settings(TravelSettings).items()
    if name not in ("library", "assign")
}
ENTRY = schema.table(
    {
        **OWN,
        "action": schema.said('the action that travels, or "all" that fit the armature', schema.TEXT),
        **{name: value for name, value in schema.SHARED.items() if name not in ("joints", "weights")},
        "name": schema.name("{file} and {action}", '"{action}_travel", or "{action}_in_place"'),
    },
    "an action that is given travel, or from which it is taken",
    ("action",),
)
SECTIONS = (
    Section(
        "travels",
        "travel",
        "actions that are given the travel that their feet tell of, or from which it is taken",
        ENTRY,
        {"files", "each_file", "armature", "scale", "fps", "formats", "whole_file"},
        lambda table: ("file", "action"),
        _of_travel,
        _job,
        _faults,
    ),
)
