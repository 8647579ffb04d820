# SPDX-License-Identifier: GPL-3.0-or-later
"""What menus are made of: the rooms' and the extension's own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import bpy

Row = Callable[[Any], object]
"""Draws an entry into a layout."""


def tool(name: str, icon: str, text: str | None = None, **values: object) -> Row:
    """An operator of the extension, with what its properties are set to."""

    def draw(layout: Any) -> None:
        entry = layout.operator(f"inertia.{name}", text=text, icon=icon)
        for key, value in values.items():
            setattr(entry, key, value)

    return draw


def below(menu: Any, icon: str = "") -> Row:
    """A menu in a menu. icon: "" for its own."""
    return lambda layout: layout.menu(menu.__name__, icon=icon or menu.icon)


def separator(layout: Any) -> None:
    """A line between entries."""
    layout.separator()


def menu(name: str, label: str, description: str, *rows: Row, icon: str) -> type:
    """A menu's class. icon: what it has where another menu leads to it."""

    def draw(self: Any, _context: Any) -> None:
        for row in rows:
            row(self.layout)

    members = {
        "bl_label": label,
        "bl_description": description,
        "draw": draw,
        "icon": icon,
        "__module__": __name__,
    }
    return type(f"INERTIA_MT_{name}", (bpy.types.Menu,), members)
