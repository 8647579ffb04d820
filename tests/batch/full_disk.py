# SPDX-License-Identifier: GPL-3.0-or-later
"""A small disk to fill."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

KIB = 2**10


@contextlib.contextmanager
def small_disk(folder: Path) -> Iterator[Path]:
    """A folder that is a disk of 256 KiB of its own; the test is skipped where none can be made."""
    folder.mkdir()
    if not sys.platform.startswith("linux"):
        pytest.skip("a small disk is made by Linux only")
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(folder)],
        capture_output=True,
        text=True,
        check=False,
    )
    if made.returncode:
        pytest.skip(f"only who may mount can make a small disk: {made.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def fill(disk: Path, but: int = 0) -> None:
    """Leave no more than some bytes free."""
    reserve = disk / "reserve"
    reserve.write_bytes(bytes(but))
    with (disk / "filling").open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while True:
            file.write(bytes(KIB))
    reserve.unlink()
