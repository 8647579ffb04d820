# SPDX-License-Identifier: GPL-3.0-or-later
"""Does jobs with the Blender of this process, of inputs that stay open from one to the next."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

from ...blender.data import named
from ...blender.files import inventory
from ...errors import InertiaError
from ..jobs.job import Inputs, Job, contents_of
from ..jobs.opened import Opened
from .journal import Journal


def inspect(opened: Opened, inputs: Inputs) -> dict[str, Any]:
    """What inputs hold, with their digests by path as ``contents``, and ``warnings``. Raises InertiaError."""
    sources = opened.open(inputs)
    sources.renew()
    return {**inventory.outline(), "contents": sources.contents, "warnings": list(sources.warnings)}


def make(opened: Opened, job: Job, contents: str, output: Path) -> dict[str, Any]:
    """Do a job: write its outputs into a folder, and record it; returns the record.

    contents: :func:`contents_of` its inputs, as they were inspected. Raises InertiaError with no output
    half written.
    """
    opened.start()
    sources = opened.open(job.inputs)
    if contents_of(sources.contents) != contents:
        raise InertiaError(
            '"{file}" has changed since it was looked at; run it with --resume.', file=job.inputs.name
        )
    sources.renew()
    opened.count("reading")
    made = job.make(opened, named.find_armature(job.armature), output)
    identity = job.identity(contents)
    values = {"identity": identity, "job": job.as_dict(), **dataclasses.asdict(made)}
    record = Journal(output).write_record(identity, job.outputs, values)
    opened.count("writing")
    return record
