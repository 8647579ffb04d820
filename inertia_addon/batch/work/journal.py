# SPDX-License-Identifier: GPL-3.0-or-later
"""What was done, where it was done: a record for each job, written when its outputs are complete.

A job is recognised by its recipe and its inputs' contents, its outputs by theirs; dates count nowhere.
Whatever is interrupted, each file is either as it was or complete. Nothing here needs Blender.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ...console.output import as_json
from ...console.outputs import make_folders
from ...errors import InertiaError
from ...storage import contents, safe_write
from ..jobs.job import FOLDER as FOLDER
from ..jobs.job import FORM, Inputs, digest_of


class Journal:
    """The records of an output folder, which are its only memory."""

    def __init__(self, output: Path) -> None:
        """Open the journal of a folder, and make it if there is none. Raises InertiaError when that fails."""
        self.output = output
        self.folder = output / FOLDER
        make_folders(output, self.folder / "jobs", self.folder / "inputs")

    def clean(self, outputs: Iterable[str]) -> None:
        """Remove what a run that was killed has left half written; outputs: the names that there may be."""
        records = (entry for name in ("jobs", "inputs") for entry in safe_write.left_in(self.folder / name))
        for entry in (*safe_write.left_in(self.output, outputs), *records):
            safe_write.remove(entry)

    def record(self, identity: str) -> dict[str, Any] | None:
        """The record of a job that is done and whose outputs are whole; None for any other."""
        record = _read(self.folder / "jobs" / f"{identity}.json") or {}
        outputs = record.get("outputs")
        if not isinstance(outputs, dict) or not outputs:
            return None
        whole = (digest and contents.digest(self.output / name) == digest for name, digest in outputs.items())
        return record if all(whole) else None

    def write_record(self, identity: str, names: Iterable[str], values: dict[str, Any]) -> dict[str, Any]:
        """Record a job whose outputs, by their names, are complete; returns the record."""
        files = [file for name in names for file in contents.with_companions(self.output / name)]
        if not all(file.is_relative_to(self.output) and ".." not in file.parts for file in files):
            raise InertiaError(f'"{files[0].name}" names files that were not written with it.')
        outputs = {file.relative_to(self.output).as_posix(): contents.digest(file) for file in files}
        record = {**values, "outputs": outputs}
        write_json(self.folder / "jobs" / f"{identity}.json", record)
        return record

    def outline(self, inputs: Inputs) -> dict[str, Any] | None:
        """What is known of inputs whose contents are still the same; None when that is nothing."""
        outline = _read(self._of_inputs(inputs))
        if outline is None:
            return None
        known = outline["contents"]
        return outline if contents.digests(map(Path, known)) == known else None

    def write_outline(self, inputs: Inputs, values: dict[str, Any]) -> None:
        """Remember what inputs hold; ``contents`` are their digests by path."""
        write_json(self._of_inputs(inputs), values)

    def _of_inputs(self, inputs: Inputs) -> Path:
        key = digest_of({"form": FORM, "inputs": dataclasses.asdict(inputs)})
        return self.folder / "inputs" / f"{key[:32]}.json"


def write_json(path: Path, values: dict[str, Any]) -> None:
    """Write JSON values to a file, which takes its place when it is complete. Raises InertiaError."""
    # a record that a power cut took is made anew
    with safe_write.replacing(path, settled=False) as temporary:
        temporary.write_text(as_json(values, 1) + "\n", encoding="utf-8", newline="\n")


def _read(path: Path) -> dict[str, Any] | None:
    """A record, None when there is none that can be read: then it is made anew."""
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return record if isinstance(record, dict) else None
