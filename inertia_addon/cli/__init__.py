# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line: thin, on top of tasks, blender, motion and batch.

Its modules are imported when a command runs: a Blender with a window needs none of them.
"""

from __future__ import annotations

from typing import Any

_registered: list[Any] = []


def register() -> None:
    """Make ``blender --command inertia`` known."""
    import bpy

    _registered.append(bpy.utils.register_cli_command("inertia", _main))


def unregister() -> None:
    """Take that back."""
    import bpy

    while _registered:
        bpy.utils.unregister_cli_command(_registered.pop())


def _main(words: list[str]) -> int:
    from .program import main

    return main(words)
