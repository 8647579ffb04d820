# SPDX-License-Identifier: GPL-3.0-or-later
"""What a cluster's workers send: only what their job announced is taken, whatever they say it is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...errors import InertiaError
from ...storage import safe_write
from ..jobs import kinds
from ..jobs.job import Job
from .journal import Journal


def write(
    journal: Journal, task: dict[str, Any], done: dict[str, Any], files: dict[str, bytes]
) -> dict[str, Any]:
    """Write what was sent of a task, the outputs themselves last, and record it; returns the record.

    task: what the worker was told. done, files: what it says, and sends, by name. Raises InertiaError.
    """
    job, contents = kinds.job_of(task["job"]), task["contents"]
    _check(job, files)
    for name in sorted(files, key=lambda name: name in job.outputs):
        path = journal.output / name
        path.parent.mkdir(exist_ok=True)
        with safe_write.replacing(path) as temporary:
            temporary.write_bytes(files[name])
    identity = job.identity(contents)
    values = {"identity": identity, "job": job.as_dict()}
    values |= {name: done[name] for name in ("report", "quality")}
    return journal.write_record(identity, job.outputs, values)


def _check(job: Job, files: dict[str, bytes]) -> None:
    """Raise InertiaError unless files are what a job announced, with what lies beside .gltf files."""
    strange = sorted(name for name in files if name not in job.outputs and not _is_beside(job, name))
    if strange:
        raise InertiaError(
            'A worker of the cluster sent "{strange}", which is no output of its job; nothing of the job '
            "was written.",
            strange=strange[0],
        )


def _is_beside(job: Job, name: str) -> bool:
    """Whether a name is that of the numbers, or of a picture, of a .gltf file among a job's outputs."""
    stems = [Path(output).stem for output in job.outputs if output.endswith(".gltf")]
    folder, slash, file = name.rpartition("/")
    if not slash:
        return name in [f"{stem}.bin" for stem in stems]
    # a hidden file, or the folder above, is none
    is_theirs = folder in [f"{stem}_textures" for stem in stems]
    return is_theirs and "\\" not in file and not file.startswith(".")
