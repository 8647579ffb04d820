# SPDX-License-Identifier: GPL-3.0-or-later
"""What the panels' parts have in common."""

from __future__ import annotations

from typing import Any

from . import words


class Part:
    """What a panel shows, wherever it is shown. parent: the part below which it stands, if any."""

    bl_label: str
    layout: Any
    parent: type[Part] | None = None


class Complete(Part):
    """A part of the panel that needs an armature with both actions."""

    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: Any) -> bool:
        active = context.object
        if active is None or words.missing_armature(active) is not None:
            return False
        return active.inertia.source is not None and active.inertia.destination is not None
