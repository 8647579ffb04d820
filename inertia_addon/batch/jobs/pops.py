# SPDX-License-Identifier: GPL-3.0-or-later
"""Pops of actions, listed or smoothed; one job for each action."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any

from ...settings import fields
from ...settings.pops import PopSettings
from ...storage import safe_write
from ..spec import schema
from ..spec.validation import Path, Problem
from . import outlines
from .job import Job
from .outlines import Outline
from .section import Entry, Request, Section, Table, as_floats

if TYPE_CHECKING:
    from .opened import Opened

LISTED = "json"
"""The kind of file that lists pops; all others hold the action without them."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class PopJob(Job):
    """One action whose pops are listed, or smoothed."""

    KIND = "pops"
    SETTINGS = PopSettings

    settings: PopSettings

    @property
    def label(self) -> str:
        """The job for a reader."""
        return f"pops of {self.settings.action}"

    def told(self, report: dict[str, Any]) -> dict[str, Any]:
        """What pops, and how many are left."""
        return {"pops": report["pops"], "left": report["left"]}

    def summary(self, report: dict[str, Any]) -> dict[str, Any]:
        """All that was found."""
        return {"settings": self.settings.as_dict(), **report}

    def make(self, opened: Opened, armature: Any, output: FilePath) -> tuple[dict[str, Any], dict[str, Any]]:
        """Find them, and write down what they are, or the action without."""
        from ...blender.data import actions, clip_store, named
        from ...blender.pops import bake, search
        from ...console import output as console
        from ...motion.steps import finish

        (name,) = named.found_names([self.settings.action], armature.name)
        settings = dataclasses.replace(self.settings, action=name)
        steps = clip_store.reading(armature, actions.find(name), settings.slot, opened.reading)
        found = finish(search.searching(armature, finish(steps), settings))
        opened.count("searching")
        told = {**found.as_dict(), "left": len(found.pops)}
        written = [file for file in self.outputs if not file.endswith(f".{LISTED}")]
        if written:
            # what has none is handed on as it is, so that a pipeline has all of its files
            report = bake.smooth_found(armature, settings, found) if found.pops else bake.kept(found)
            told["left"] = report.left
            opened.save(self, armature, report, output, written)
        for file in set(self.outputs) - set(written):
            with safe_write.replacing(output / file) as path:
                path.write_text(console.as_json(told, 1) + "\n", encoding="utf-8")
        return told, {"pops": told["left"]}


def _of_pops(request: Request, outline: Outline, problems: list[Problem]) -> Iterator[Entry]:
    """The actions of a request, each by itself."""
    values = request.values
    if values["action"] != "all":
        yield request.path, values
        return
    path = (*request.path, "action")
    for name in outlines.fitting(path, values, request.inputs.name, outline, problems, least=1):
        yield request.path, {**values, "action": name}


def _job(request: Request, path: Path, values: Table) -> PopJob:
    """The job of merged fields."""
    given = {name: value for name, value in values.items() if name in OWN}
    settings = PopSettings(**as_floats(fields.given(PopSettings, given)))
    common = request.fields(path, values, "{action}_pops", {"action": settings.action}, LISTED)
    return PopJob(**common, settings=settings)


def _faults(job: PopJob, path: Path, armature: Outline, outline: Outline) -> Iterator[Problem]:
    """Names of a job that its inputs do not have."""
    problems: list[Problem] = []
    outlines.find_action((*path, "action"), job.settings.action, armature, outline, problems)
    yield from problems


OWN = {
    name: value for name, value in schema.settings(PopSettings).items() if name not in ("library", "assign")
}
ENTRY = schema.table(
    {
        **OWN,
        "action": schema.said('the action that pops, or "all" that fit the armature', schema.TEXT),
        **{name: value for name, value in schema.SHARED.items() if name not in ("joints", "weights")},
        "formats": schema.said(
            f"the kinds of files to write: {LISTED} lists the pops, all others hold the action without them "
            f"(default: {LISTED})",
            schema.list_of({"enum": [LISTED, *schema.FORMATS]}, uniqueItems=True),
        ),
        "name": schema.name("{file} and {action}", '"{action}_pops"'),
    },
    "the pops of an action",
    ("action",),
)
SECTIONS = (
    Section(
        "pops",
        "pops",
        "actions whose jumps are listed or smoothed",
        ENTRY,
        {"files", "each_file", "armature", "scale", "fps"},
        lambda table: ("file", "action"),
        _of_pops,
        _job,
        _faults,
    ),
)
