# SPDX-License-Identifier: GPL-3.0-or-later
"""What the command line says: results on standard output, messages on standard error, and no chatter."""

from __future__ import annotations

import contextlib
import ctypes
import io
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any


def say(message: str) -> None:
    """Write a message of one line to standard error."""
    print(f"inertia: {message}", file=sys.stderr, flush=True)


def as_json(values: dict[str, Any]) -> str:
    """Values as JSON text; what is not finite would be no JSON, and raises ValueError."""
    return json.dumps(values, indent=2, ensure_ascii=False, allow_nan=False)


@contextlib.contextmanager
def write_json(path: Path, values: dict[str, Any]) -> Iterator[None]:
    """Write values as a JSON file, which takes its place when the block that follows has gone well."""
    from ..blender import safe_write

    with safe_write.replacing(path) as temporary:
        temporary.write_text(as_json(values) + "\n", encoding="utf-8")
        yield


@contextlib.contextmanager
def muted(descriptor: int, show: bool) -> Iterator[None]:
    """Keep what Blender and its add-ons print to a descriptor, 1 or 2, from being seen.

    They print from C as well as from Python, so the descriptor itself is turned aside. show: let it
    be seen on standard error.
    """
    stream = "stdout" if descriptor == 1 else "stderr"
    if show and descriptor == 2:
        yield
        return
    _flush()
    kept = os.dup(descriptor)
    aside = os.dup(2) if show else os.open(os.devnull, os.O_WRONLY)
    os.dup2(aside, descriptor)
    os.close(aside)
    replacement = sys.stderr if show else io.StringIO()
    before = getattr(sys, stream)
    setattr(sys, stream, replacement)
    try:
        yield
    finally:
        setattr(sys, stream, before)
        _flush()
        os.dup2(kept, descriptor)
        os.close(kept)


def _flush() -> None:
    """Write out what Python and C still hold back, as it belongs to where the descriptors lead now."""
    sys.stdout.flush()
    sys.stderr.flush()
    library = "ucrtbase" if os.name == "nt" else None
    with contextlib.suppress(OSError, AttributeError):
        # no C library by that name: then what C holds back is written later, and nothing else is lost
        ctypes.CDLL(library).fflush(None)


def table(rows: list[list[str]]) -> list[str]:
    """Rows of cells as lines with aligned columns."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    ]
