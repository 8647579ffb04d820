# SPDX-License-Identifier: GPL-3.0-or-later
"""The fields for what a way goes around, alike for all ways."""

from __future__ import annotations

from typing import Any

import bpy


def search_collection(_data: Any, _context: Any, text: str) -> list[str]:
    """The collections of the file whose names hold a text."""
    return [each.name for each in bpy.data.collections if text.casefold() in each.name.casefold()]


KEYWORDS: dict[str, Any] = {"search": search_collection, "search_options": set()}
"""What the property ``obstacles`` is made with."""


def draw(column: Any, own: Any) -> None:
    """What a way keeps away from, and how far; red where that is no collection."""
    row = column.row()
    row.alert = bool(own.obstacles) and own.obstacles not in bpy.data.collections
    row.prop(own, "obstacles", icon="OUTLINER_COLLECTION")
    if own.obstacles:
        column.prop(own, "keep_away")
