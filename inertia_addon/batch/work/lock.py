# SPDX-License-Identifier: GPL-3.0-or-later
"""Keeps other processes out of the folder that a run is at work in, with the file locks of the system.

A library for this would have to be bundled with the extension, and none lets children go on holding a lock.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ...errors import InertiaError
from .journal import FOLDER

try:
    import fcntl
except ImportError:
    # Windows has the other one
    fcntl = None  # type: ignore[assignment]
    import msvcrt


PATIENCE_SECONDS = 30.0
"""So long the children of a run that was killed are waited for: on a busy machine they are slow to notice."""


@contextmanager
def held(folder: Path, patience_seconds: float) -> Iterator[int | None]:
    """Hold the lock on a folder, a file in it that is made if needed; it ends with the process at the latest.

    Yields a descriptor for children: the lock lasts until the last who inherits it has ended. On Windows it
    can't be inherited: None. patience_seconds: so long another process has time to let go. Raises
    InertiaError when it does not, and OSError where files can't be locked.
    """
    descriptor = os.open(folder / FOLDER / "lock", os.O_RDWR | os.O_CREAT, 0o644)
    try:
        until = time.monotonic() + patience_seconds
        while not _take(descriptor):
            if time.monotonic() > until:
                said = f'Another run is at work in "{folder}"; wait for its end, or give another folder.'
                raise InertiaError(said)
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
    """Try to take the lock; False when another process has it."""
    try:
        if fcntl is not None:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        else:
            # of the first byte, also where there is none
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
    except (BlockingIOError, PermissionError):
        return False
    return True
