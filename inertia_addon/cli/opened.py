# SPDX-License-Identifier: GPL-3.0-or-later
"""The file that is open in the Blender that runs a command: ``blender FILE --command inertia ...``."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from ..errors import InertiaError, UsageError

COMMAND = ("--command", "-c")
"""The options of Blender behind which a command stands."""


def file() -> Path | None:
    """Return the file that is open; None for none, and where Blender was not needed yet."""
    bpy = sys.modules.get("bpy")
    path: str = "" if bpy is None else bpy.data.filepath
    return Path(path) if path else None


def is_of_blender(words: Sequence[str]) -> bool:
    """Return whether Blender was started with these words for a command, and not Python."""
    return any(word in words[1:] for word in COMMAND)


def explain_missing(words: Sequence[str]) -> InertiaError:
    """Return, not raise, the error for a command that has no file to read.

    words: those that Blender was started with, its own path first. Only .blend files before the first
    ``--command`` or ``-c`` count. Without such a word, without such a file, or if the last one does not
    exist, the error is a UsageError that asks for one. Else Blender could not open the last one: the
    InertiaError says that it is of a later Blender, if so, or else just that. Raise OSError if that file
    can't be read.
    """
    ends = [words.index(word, 1) for word in COMMAND if word in words[1:]]
    named = [Path(word) for word in words[1 : min(ends, default=0)] if word.lower().endswith(".blend")]
    if not named or not named[-1].is_file():
        return UsageError("Give a FILE to read.")

    from ..blender.files import importing

    path = named[-1]
    return importing.of_later_blender(path) or InertiaError(
        f'"{path.name}" could not be opened, as Blender says above; give another file, or use the Blender '
        "that has saved it."
    )
