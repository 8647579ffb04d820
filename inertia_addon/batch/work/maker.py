# SPDX-License-Identifier: GPL-3.0-or-later
"""Does jobs with the Blender of this process, and keeps inputs open from one to the next."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...blender.data import named
from ...blender.files import inventory
from ...errors import InertiaError
from ..jobs.job import Inputs, Job, contents_of
from ..jobs.opened import Opened
from .journal import Journal


class Maker:
    """A Blender at work. It holds one set of inputs at a time."""

    def __init__(self) -> None:
        self._opened = Opened()

    @property
    def seconds(self) -> dict[str, float]:
        """What the last job spent its time on."""
        return self._opened.seconds

    def inspect(self, inputs: Inputs) -> dict[str, Any]:
        """What inputs hold, with their digests by path as ``contents``, and ``warnings``.

        Raises InertiaError.
        """
        sources = self._opened.open(inputs)
        sources.renew()
        return {**inventory.outline(), "contents": sources.contents, "warnings": list(sources.warnings)}

    def make(self, job: Job, contents: str, output: Path) -> dict[str, Any]:
        """Do a job: write its outputs into a folder, and record it; returns the record.

        contents: :func:`contents_of` its inputs, as they were inspected. Raises InertiaError with no output
        half written.
        """
        self._opened.start()
        sources = self._opened.open(job.inputs)
        if contents_of(sources.contents) != contents:
            raise InertiaError(
                '"{file}" has changed since it was looked at; run it with --resume.', file=job.inputs.name
            )
        sources.renew()
        self._opened.count("reading")
        made = job.make(self._opened, named.find_armature(job.armature), output)
        identity = job.identity(contents)
        values = {"identity": identity, "job": job.as_dict()}
        values |= {"report": made.report, "quality": made.quality}
        record = Journal(output).write_record(identity, job.outputs, values)
        self._opened.count("writing")
        return record

    def close(self) -> None:
        """Let go of the inputs."""
        self._opened.close()
