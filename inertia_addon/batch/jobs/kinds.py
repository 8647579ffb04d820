# SPDX-License-Identifier: GPL-3.0-or-later
"""All kinds of jobs, and the whole schema of specs, to which each adds its own part."""

from __future__ import annotations

from typing import Any

from ..spec import schema
from . import hops, tables, transition
from .job import Job

KINDS = (
    transition,
    hops,
    tables,
)

SECTIONS = {section.name: section for kind in KINDS for section in kind.SECTIONS}
"""The lists of a spec, by their fields."""
JOBS: dict[str, type[Job]] = {kind.JOB.KIND: kind.JOB for kind in KINDS}


def job_of(values: dict[str, Any]) -> Job:
    """The inverse of :meth:`Job.as_dict`, for all kinds."""
    return JOBS[values["kind"]].from_dict(values)


def whole_schema() -> schema.Schema:
    """The schema of specs, as JSON values (JSON Schema, draft 2020-12)."""
    defaults: schema.Schema = {}
    for section in SECTIONS.values():
        defaults |= section.defaults
    return schema.whole(
        defaults,
        {
            section.name: {"description": section.description, "type": "array", "items": section.entry}
            for section in SECTIONS.values()
        },
    )
