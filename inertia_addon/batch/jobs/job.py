# SPDX-License-Identifier: GPL-3.0-or-later
"""What is to be done: a job, with what it is read from and written to."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from pathlib import Path
from typing import Any, Self

from ...records import record
from ...settings import fields
from ...tasks import every
from ...tasks.task import Task

FORM = 1
"""Counted up when the same recipe would be baked otherwise: what was done before is then done anew."""

SUMMARY = "batch.json"
"""What a run writes of all jobs, beside their outputs."""
FOLDER = ".inertia"
"""Within the output folder: what runs remember."""


KINDS: dict[str, type[Task]] = {}
"""The classes of tasks, by what tells their jobs apart."""


def _add_kind(task: type[Task]) -> None:
    if "KIND" in vars(task):
        KINDS[task.KIND] = task


every.open_door(_add_kind)


def digest_of(values: Any) -> str:
    """Return the SHA-256 digest, hexadecimal, of JSON values; it does not depend on the order of their
    fields.
    """
    text = json.dumps(values, sort_keys=True, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def contents_of(digests: dict[str, str]) -> str:
    """Return a digest of inputs that does not depend on their folders. digests: by path."""
    return digest_of(sorted((Path(path).name, digest) for path, digest in digests.items()))


@record(frozen=True)
class Inputs:
    """Files that are read together. files: absolute paths. scale, fps, up: see ``files.load``."""

    files: tuple[str, ...]
    scale: float | None = None
    fps: float | None = None
    up: str | None = None

    def as_values(self) -> dict[str, Any]:
        """Return the inputs as JSON values: ``files``, a list, ``scale``, ``fps`` and ``up``, None where they
        are not given; ``up`` is left out then, as earlier versions had it.
        """
        values = dict(fields.to_json(self))
        if self.up is None:
            del values["up"]
        return values

    @property
    def name(self) -> str:
        """The files for a reader, and for ``{file}`` in an output's name."""
        return Path(self.files[0]).stem

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Inputs:
        """Return the inputs of which ``dataclasses.asdict`` made these values."""
        return cls(**fields.from_json(cls, values))


@record(frozen=True, kw_only=True)
class Job:
    """Something to make, from files to files.

    task: what. weights: (bone, weight) of the joints that count, () for ``joints``. outputs: names within the
    output folder. where: the field of the spec it is from, for messages. whole_file: whether a .blend holds
    all that its inputs do, and not only what the result needs.
    """

    task: Task
    inputs: Inputs
    armature: str | None
    joints: str
    weights: tuple[tuple[str, float], ...]
    outputs: tuple[str, ...]
    where: str
    whole_file: bool

    @property
    def settings(self) -> Any:
        """The task's, as for the button."""
        return self.task.settings

    @property
    def label(self) -> str:
        """The job for a reader."""
        return self.task.label

    def identity(self, contents: str) -> str:
        """Return a digest, in hexadecimal, by which a job is known to be done: of all its fields, its inputs'
        contents, and the version of the records' form.

        contents: a digest of the inputs. The folders of files don't count, nor where in the spec the job
        stands; files' names do, as actions are named after them.
        """
        values = dataclasses.replace(self, task=self.task.placeless()).as_dict()
        values["inputs"]["files"] = [Path(path).name for path in self.inputs.files]
        del values["where"]
        return digest_of({"form": FORM, "job": values, "contents": contents})

    def as_dict(self) -> dict[str, Any]:
        """Return plain JSON values: the job's fields by their names, with inputs and weights as tables, the
        task's "kind", and, in place of "task", all of the task's own fields with "settings".
        """
        values = {name: value for name, value in fields.to_json(self).items() if name != "task"}
        values["inputs"] = self.inputs.as_values()
        return {"kind": self.task.KIND, **values, "weights": dict(self.weights), **self.task.as_dict()}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Self:
        """Return the job of which :meth:`as_dict` made these values. Former names of fields are taken, too.

        Raise KeyError for an unknown kind, and where ``kind``, ``inputs`` or the task's settings are missing;
        TypeError where any other field without a default is; InertiaError for a field that the task does not
        have.
        """
        of_job = {field.name for field in dataclasses.fields(cls)}
        of_task = {name: value for name, value in values.items() if name not in {*of_job, "kind"}}
        job = fields.from_json(cls, {name: values[name] for name in of_job & values.keys()})
        task = KINDS[values["kind"]].from_dict(of_task)
        return cls(**{**job, "inputs": Inputs.from_dict(values["inputs"]), "task": task})
