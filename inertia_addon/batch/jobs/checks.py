# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks of actions: how well their feet stay put, and how much they pop; one job for each action."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any

from ...settings.feet import CheckSettings
from ...storage import safe_write
from ..spec import schema
from ..spec.validation import Path, Problem
from . import outlines
from .job import Job, words
from .outlines import Outline
from .section import Entry, Request, Section, Table

if TYPE_CHECKING:
    from .opened import Opened

FORMATS = ("json",)


@dataclasses.dataclass(frozen=True, kw_only=True)
class CheckJob(Job):
    """One action that is checked."""

    KIND = "check"
    SETTINGS = CheckSettings

    settings: CheckSettings

    @property
    def label(self) -> str:
        """The check for a reader."""
        return f"check of {self.settings.action}"

    def told(self, report: dict[str, Any]) -> dict[str, Any]:
        """How much it pops, and the verdict's words on what Inertia has baked."""
        return {"pop": report["pop"], **words(report)}

    def summary(self, report: dict[str, Any]) -> dict[str, Any]:
        """All that was measured."""
        return {"settings": self.settings.as_dict(), **report}

    def make(self, opened: Opened, armature: Any, output: FilePath) -> tuple[dict[str, Any], dict[str, Any]]:
        """Measure it, and write that down."""
        from ...blender.checking import check
        from ...blender.data import actions, clip_store, named
        from ...console import output as console
        from ...motion.steps import finish

        (name,) = named.found_names([self.settings.action], armature.name)
        steps = clip_store.reading(armature, actions.find(name), self.settings.slot, opened.reading)
        checked = finish(check.steps(armature, finish(steps)))
        opened.count("measuring")
        told = checked.as_dict()
        for file in self.outputs:
            with safe_write.replacing(output / file) as path:
                path.write_text(console.as_json(told, 1) + "\n", encoding="utf-8")
        return told, checked.measured()


def _of_check(request: Request, outline: Outline, problems: list[Problem]) -> Iterator[Entry]:
    """The actions of a request, each by itself."""
    values = request.values
    if values["action"] != "all":
        yield request.path, values
        return
    path = (*request.path, "action")
    for name in outlines.fitting(path, values, request.inputs.name, outline, problems, least=1):
        yield request.path, {**values, "action": name}


def _job(request: Request, path: Path, values: Table) -> CheckJob:
    """The job of merged fields."""
    settings = CheckSettings(values["action"], values.get("slot", ""))
    parts = {"action": settings.action}
    common = request.fields(path, values, "{action}_check", parts, FORMATS[0])
    return CheckJob(**common, settings=settings)


def _faults(job: CheckJob, path: Path, armature: Outline, outline: Outline) -> Iterator[Problem]:
    """Names of a job that its inputs do not have."""
    problems: list[Problem] = []
    outlines.find_action((*path, "action"), job.settings.action, armature, outline, problems)
    yield from problems


OWN = schema.settings(CheckSettings)
ENTRY = schema.table(
    {
        **OWN,
        "action": schema.said('the action to check, or "all" that fit the armature', schema.TEXT),
        **{
            name: value
            for name, value in schema.SHARED.items()
            if name not in ("whole_file", "joints", "weights")
        },
        "formats": schema.said(
            "the kind of file to write (default: json)",
            schema.list_of({"enum": list(FORMATS)}, uniqueItems=True),
        ),
        "name": schema.name("{file} and {action}", '"{action}_check"'),
    },
    "a check of an action",
    ("action",),
)
SECTIONS = (
    Section(
        "checks",
        "check",
        "actions whose feet and pops are measured, for gates",
        ENTRY,
        {"files", "each_file", "armature", "scale", "fps"},
        lambda table: ("file", "action"),
        _of_check,
        _job,
        _faults,
    ),
)
