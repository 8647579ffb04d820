# SPDX-License-Identifier: GPL-3.0-or-later
"""What was done, where it was done: a record for each job, written when its outputs are complete.

A job is recognised by its recipe and its inputs' contents, its outputs by theirs; dates count nowhere.
Whatever is interrupted, each file is either as it was or complete. A lock keeps other processes out of the
folder, by the system: a library for this would have to be bundled with the extension, and none lets children
go on holding a lock. Nothing here needs Blender.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ...console.output import as_json
from ...console.output_files import make_folders
from ...errors import InertiaError
from ...storage import contents, safe_write
from ..jobs.job import FOLDER, FORM, Inputs, digest_of

try:
    import fcntl
except ImportError:
    # Windows has the other one
    fcntl = None  # type: ignore[assignment]
    import msvcrt

DIGEST = "digest"
"""The field of a record that holds a digest of all others."""
RECORDED = ("job", "report", "quality", "outputs")
"""What a job's record without it has at least, each a table."""
PATIENCE_SECONDS = 30.0
"""So long the children of a run that was killed are waited for: on a busy machine they are slow to notice."""


class Journal:
    """The records of an output folder, which are its only memory."""

    def __init__(self, output: Path) -> None:
        """Open the journal of a folder, and make it if there is none. Raise InertiaError when that fails."""
        self.output = output
        self.folder = output / FOLDER
        make_folders(output, self.folder / "jobs", self.folder / "inputs")

    def clean(self, outputs: Iterable[str]) -> None:
        """Remove what a run that was killed has left half written; outputs: the names that there may be."""
        records = (entry for name in ("jobs", "inputs") for entry in safe_write.left_in(self.folder / name))
        for entry in (*safe_write.left_in(self.output, outputs), *records):
            safe_write.remove(entry)

    def record(self, identity: str) -> dict[str, Any] | None:
        """Return the record of a job that is done and whose outputs are all whole, by digests of their
        contents; None for any other.

        identity: the job's digest, after which the record's file is named, .inertia/jobs/{identity}.json in
        the output folder; see :meth:`Job.identity`. A record that is damaged, names no outputs, or has "" for
        the digest of one, counts as none.
        """
        record = _read(self.folder / "jobs" / f"{identity}.json", RECORDED)
        if record is None or not record["outputs"]:
            return None
        digests = record["outputs"].items()
        whole = (digest and contents.digest(self.output / name) == digest for name, digest in digests)
        return record if all(whole) else None

    def write_record(self, identity: str, names: Iterable[str], values: dict[str, Any]) -> dict[str, Any]:
        """Write the record of a job whose outputs, by their names in the folder, are complete; return it:
        `values` with ``outputs``, without the digest of itself that the file has.

        The file is .inertia/jobs/{identity}.json in the output folder, and replaces an old one. identity: of
        the job. values: the record's other fields. ``outputs`` has the digests by name, in the order of
        `names`, each followed by the files beside it, such as those of a .gltf; names have "/" between folder
        and file, and the digest of a file that is not there is "".

        Raise InertiaError where an output names files that are not within the folder or is a .gltf file that
        can't be read as one, with nothing written, or the record can't be written.
        """
        files = [file for name in names for file in contents.with_companions(self.output / name)]
        # the folder's own path may lead through others
        beside = [file.relative_to(self.output) for file in files if file.is_relative_to(self.output)]
        if len(beside) < len(files) or any(".." in file.parts for file in beside):
            raise InertiaError(f'"{files[0].name}" names files that were not written with it.')
        outputs = {name.as_posix(): contents.digest(file) for name, file in zip(beside, files, strict=True)}
        record = {**values, "outputs": outputs}
        _write(self.folder / "jobs" / f"{identity}.json", record)
        return record

    def outline(self, inputs: Inputs) -> dict[str, Any] | None:
        """Return what is known of inputs whose contents are still the same: ``armatures``, ``actions``,
        ``contents`` (digests by path) and maybe ``warnings``, as a worker found them; None when nothing is
        known, it is damaged or of an earlier version, or any of these files differs or is gone.
        """
        # inputs are soon looked at anew, while a job that is done may have taken long
        outline = _read(self._of_inputs(inputs))
        if outline is None or contents.digests(map(Path, outline["contents"])) != outline["contents"]:
            return None
        return outline

    def write_outline(self, inputs: Inputs, values: dict[str, Any]) -> None:
        """Remember what inputs hold; ``contents`` are their digests by path."""
        _write(self._of_inputs(inputs), values)

    def _of_inputs(self, inputs: Inputs) -> Path:
        key = digest_of({"form": FORM, "inputs": inputs.as_values()})
        return self.folder / "inputs" / f"{key[:32]}.json"


def write_json(path: Path, values: dict[str, Any]) -> None:
    """Write JSON values to a file, which takes its place when it is complete. Raise InertiaError."""
    # a record that a power cut took is made anew
    with safe_write.replace_safely(path, settled=False) as temporary:
        temporary.write_text(as_json(values, 1) + "\n", encoding="utf-8", newline="\n")


def _write(path: Path, values: dict[str, Any]) -> None:
    """Write a record with a digest of itself, by which :func:`_read` sees any damage."""
    write_json(path, {**values, DIGEST: _digest(json.loads(as_json(values)))})


def _read(path: Path, wanted: Iterable[str] = ()) -> dict[str, Any] | None:
    """Return a record of the journal, without its digest; None when there is no file, it can't be read, or
    its contents don't match the digest. Nothing is written.

    wanted: the fields that a record of an earlier version, which has no digest, must have, each a table, to
    count; () where none of an earlier version does. It is ignored for records with a digest.
    """
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        digest = record.pop(DIGEST, None)
        if digest is None:
            tables = [record.get(name) for name in wanted]
            is_whole = bool(tables) and all(isinstance(table, dict) for table in tables)
        else:
            is_whole = digest == _digest(record)
    except (OSError, ValueError, TypeError, AttributeError, RecursionError):
        return None
    return record if is_whole else None


def _digest(values: dict[str, Any]) -> str:
    """Return a digest of JSON values as they were read."""
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()


@contextmanager
def lock(folder: Path, patience_seconds: float) -> Iterator[int | None]:
    """Hold the lock on a folder within a ``with``, by the file .inertia/lock in it; it ends with the process
    at the latest. The folder .inertia must exist; the file is made if need be, and stays.

    Yields a descriptor for children: the lock lasts until the last who inherits it has ended. On Windows it
    can't be inherited: None. patience_seconds: so long another process has time to let go; it is tried once
    at least. Raise InertiaError when it does not, and OSError where files can't be locked or .inertia is
    missing.
    """
    descriptor = os.open(folder / FOLDER / "lock", os.O_RDWR | os.O_CREAT, 0o644)
    try:
        until = time.monotonic() + patience_seconds
        while not _take(descriptor):
            if time.monotonic() > until:
                raise InertiaError(
                    f'Another run is at work in "{folder}"; wait for its end, or give another folder.'
                )
            time.sleep(0.1)
        if fcntl is not None:
            os.set_inheritable(descriptor, True)
            yield descriptor
            return
        try:
            yield None
        finally:
            # closing the file does it too, but at some time
            msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)
    finally:
        os.close(descriptor)


def _take(descriptor: int) -> bool:
    """Return whether the lock of an open file was taken; False at once when another process has it.

    descriptor: of the file. OSError where files can't be locked.
    """
    try:
        if fcntl is not None:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        else:
            # of the first byte, also where there is none
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
    except (BlockingIOError, PermissionError):
        return False
    return True
