# SPDX-License-Identifier: GPL-3.0-or-later
"""Actions whose planted feet are locked: one job for each."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any

from ...settings import fields
from ...settings.feet import LockSettings
from ..spec import schema
from ..spec.validation import Path, Problem
from . import outlines
from .job import Job
from .outlines import Outline
from .section import Entry, Request, Section, Table

if TYPE_CHECKING:
    from .opened import Opened


@dataclasses.dataclass(frozen=True, kw_only=True)
class FeetJob(Job):
    """One action whose feet are locked."""

    KIND = "feet"
    SETTINGS = LockSettings

    settings: LockSettings

    @property
    def label(self) -> str:
        """The action for a reader."""
        return f"feet of {self.settings.action}"

    def told(self, report: dict[str, Any]) -> dict[str, Any]:
        """How far the feet skated, and skate, together."""
        return {
            f"skate_{name}": sum(foot["skate_m"] for foot in report[name]) for name in ("before", "after")
        }

    def summary(self, report: dict[str, Any]) -> dict[str, Any]:
        """The settings, and what each foot does."""
        return {name: report[name] for name in ("settings", "frame_range", "before", "after", "pinned")}

    def make(self, opened: Opened, armature: Any, output: FilePath) -> tuple[dict[str, Any], dict[str, Any]]:
        """Lock them, and judge the result as a check does."""
        from ...blender.checking import check
        from ...blender.data import actions, clip_store, named
        from ...blender.feet import bake
        from ...motion.steps import finish

        (name,) = named.found_names([self.settings.action], armature.name)
        report = bake.lock_action(armature, dataclasses.replace(self.settings, action=name))
        opened.count("baking")
        clip = clip_store.read(armature, actions.find(report.result), report.slot)
        checked = finish(check.steps(armature, clip))
        opened.count("measuring")
        opened.save(self, armature, report, output)
        return report.as_dict(), checked.measured()


def _of_feet(request: Request, outline: Outline, problems: list[Problem]) -> Iterator[Entry]:
    """The actions of a request, each by itself."""
    values = request.values
    if values["action"] != "all":
        yield request.path, values
        return
    path = (*request.path, "action")
    for name in outlines.fitting(path, values, request.inputs.name, outline, problems, least=1):
        yield request.path, {**values, "action": name}


def _job(request: Request, path: Path, values: Table) -> FeetJob:
    """The job of merged fields."""
    settings = LockSettings(**fields.given(LockSettings, values))
    common = request.fields(path, values, "{action}_locked", {"action": settings.action})
    return FeetJob(**common, settings=settings)


def _faults(job: FeetJob, path: Path, armature: Outline, outline: Outline) -> Iterator[Problem]:
    """Names of a job that its inputs do not have."""
    problems: list[Problem] = []
    outlines.find_action((*path, "action"), job.settings.action, armature, outline, problems)
    yield from problems


ENTRY = schema.table(
    {
        **schema.settings(LockSettings),
        "action": schema.said(
            'the action whose feet are locked, or "all" that fit the armature', schema.TEXT
        ),
        **{name: value for name, value in schema.SHARED.items() if name not in ("joints", "weights")},
        "name": schema.name("{file} and {action}", '"{action}_locked"'),
    },
    "an action whose planted feet are locked",
    ("action",),
)
SECTIONS = (
    Section(
        "feet",
        "feet",
        "actions whose planted feet are locked, each in a new one",
        ENTRY,
        {"files", "each_file", "armature", "scale", "fps", "formats", "whole_file"},
        lambda table: ("file", "action"),
        _of_feet,
        _job,
        _faults,
    ),
)
