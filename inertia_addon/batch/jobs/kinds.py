# SPDX-License-Identifier: GPL-3.0-or-later
"""All kinds of jobs, and the whole schema of specs, to which each adds its own part."""

from __future__ import annotations

from typing import Any

from ..spec import schema
from . import clips, fill, hops, learned, libraries, paths, steering, tables, transition
from .job import Job

KINDS = (transition, hops, tables, clips, paths, steering, learned, fill, libraries)
SECTIONS = {section.name: section for kind in KINDS for section in kind.SECTIONS}
"""The lists of a spec, by their fields."""
TASKS = {task.KIND: task for kind in KINDS for task in kind.TASKS}


def job_of(values: dict[str, Any]) -> Job:
    """The inverse of :meth:`Job.as_dict`."""
    return Job.from_dict(TASKS[values["kind"]], values)


def whole_schema() -> schema.Schema:
    """The schema of specs, as JSON values (JSON Schema, draft 2020-12)."""
    sections = SECTIONS.values()
    defaults = {name: its for section in sections for name, its in section.defaults.items()}
    properties = {
        "$schema": schema.said("where this schema is, for editors", {"type": "string"}),
        **schema.SHARED,
        "name": schema.said(f"of transitions and edges: {schema.NAME['description']}", schema.TEXT),
        "defaults": schema.table(
            {**defaults, **schema.COMMON, **schema.SEARCH},
            "settings of all entries that do not say otherwise, as far as they have them",
        ),
        **{
            section.name: schema.said(section.description, {"type": "array", "items": section.entry})
            for section in sections
        },
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A batch of inertialized transitions",
        **schema.table(properties, "what is baked, from what and into what"),
    }
