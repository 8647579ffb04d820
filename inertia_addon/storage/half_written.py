# SPDX-License-Identifier: GPL-3.0-or-later
"""What a program that has to end at once must not leave behind: files half written, or half in their places.

Nothing here needs Blender.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

_begun: set[Path] = set()
_depth = 0
_waiting: list[Callable[[], None]] = []


@contextmanager
def beginning(*paths: Path) -> Iterator[None]:
    """Files and folders that nobody wants once the block or the program ends; none needs to exist yet."""
    _begun.update(paths)
    try:
        yield
    finally:
        for path in paths:
            remove(path)
        _begun.difference_update(paths)


@contextmanager
def whole() -> Iterator[None]:
    """What is begun in the block is brought to its end, whoever asks the program to end meanwhile."""
    global _depth
    _depth += 1
    try:
        yield
    finally:
        _depth -= 1
        while _waiting and not _depth:
            abandon(_waiting.pop())


def abandon(leave: Callable[[], None]) -> None:
    """Remove what is begun, and leave the program: now, or once what has to be whole is."""
    if _depth:
        _waiting.append(leave)
        return
    for path in _begun:
        remove(path)
    leave()


def remove(path: Path) -> None:
    """Remove a file, or a folder with all that is in it, if there is one."""
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
