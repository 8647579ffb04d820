# SPDX-License-Identifier: GPL-3.0-or-later
"""What is shown over the editors: a scene's own choice, saved with it."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.props import BoolProperty

from . import handlers
from .protocol import plots


def changed(_own: Any, _context: Any) -> None:
    """Draw what was switched on, and nothing when all is off."""
    handlers.sync()


class OverlayProperties(bpy.types.PropertyGroup):
    """Which overlays of the coming transition a scene shows: a switch for each plot, and their details."""


def classes() -> tuple[type, ...]:
    """The properties of all plots."""
    made = OverlayProperties.__annotations__
    for each in plots():
        named = {"translation_context": each.context} if each.context else {}
        made[each.name] = BoolProperty(
            name=each.label, description=each.description, update=changed, options=set(), **named
        )
        for name, (_, make, keywords) in each.details.items():
            made[name] = make(update=changed, options=set(), **keywords)
    return (OverlayProperties,)
