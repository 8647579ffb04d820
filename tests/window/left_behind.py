# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs inside of a Blender: what an extension has given to Blender, counted."""

from __future__ import annotations

import contextlib
import sys
from collections import Counter
from collections.abc import Iterator
from typing import Any

import bpy

KINDS = (
    "Operator",
    "Panel",
    "Menu",
    "UIList",
    "PropertyGroup",
    "AddonPreferences",
    "Header",
    "Gizmo",
    "GizmoGroup",
)
SPACES = ("SpaceView3D", "SpaceDopeSheetEditor", "SpaceGraphEditor")


def left_behind(module: str) -> dict[str, int]:
    """How many classes, handlers, timers, menu entries, properties and cached shapes of it there are."""
    found = Counter(
        {
            "classes": len(classes(module)),
            "handlers": len([f for functions in handlers() for f in functions if ours(f, module)]),
            "timers": len([f for f in functions_of(module) if bpy.app.timers.is_registered(f)]),
            "menu entries": len([f for menu in menus() for f in menu if ours(f, module)]),
            "properties": len([p for kind in ("Object", "PoseBone", "Scene") for p in properties(kind)]),
            "drawn": sum(len(kept) for kept in caches(module)),
        }
    )
    return {name: count for name, count in found.items() if count}


def ours(thing: Any, module: str) -> bool:
    return str(getattr(thing, "__module__", "")).startswith(module)


def classes(module: str) -> set[type]:
    """Its registered classes."""
    found: set[type] = set()
    waiting = [getattr(bpy.types, kind) for kind in KINDS]
    while waiting:
        children = waiting.pop().__subclasses__()
        waiting += children
        found |= {cls for cls in children if ours(cls, module) and getattr(cls, "is_registered", False)}
    return found


def handlers() -> list[list[Any]]:
    lists = [getattr(bpy.app.handlers, name) for name in dir(bpy.app.handlers)]
    return [functions for functions in lists if isinstance(functions, list)]


def functions_of(module: str) -> list[Any]:
    """All functions of its modules, as Blender does not list its timers."""
    modules = [loaded for name, loaded in list(sys.modules.items()) if name.startswith(module)]
    return [
        thing
        for loaded in modules
        for thing in vars(loaded).values()
        if callable(thing) and ours(thing, module)
    ]


def menus() -> list[list[Any]]:
    """The functions that draw the menus that are extended."""
    found = [getattr(bpy.types, name) for name in dir(bpy.types) if "_MT_" in name]
    return [menu._dyn_ui_initialize() for menu in found if hasattr(menu.draw, "_draw_funcs")]


def properties(kind: str) -> list[str]:
    """Its properties of Blender's own types."""
    return [name for name in getattr(bpy.types, kind).bl_rna.properties.keys() if name.startswith("inertia")]


def caches(module: str) -> list[Any]:
    """What its overlays keep between redraws."""
    names = (
        ("overlay.handlers", "_handles"),
        ("overlay.handlers", "_drawn"),
        ("overlay.drawing", "_batches"),
    )
    return [getattr(sys.modules[f"{module}.inertia_addon.ui.{inner}"], name) for inner, name in names]


class Callbacks:
    """Counts Blender's draw callbacks, which it does not list. held: the handles that were not given back."""

    def __init__(self) -> None:
        self.held: list[Any] = []

    @contextlib.contextmanager
    def counted(self, module: str) -> Iterator[None]:
        """Count those that are added and removed inside, and those that the extension has by then."""
        handlers = sys.modules[f"{module}.inertia_addon.ui.overlay.handlers"]
        self.held[:] = [handle for _, handle in handlers._handles]
        spaces = [getattr(bpy.types, name) for name in SPACES]
        before = [(space, space.draw_handler_add, space.draw_handler_remove) for space in spaces]
        for space, add, remove in before:
            space.draw_handler_add, space.draw_handler_remove = self._adding(add), self._removing(remove)
        try:
            yield
        finally:
            for space, add, remove in before:
                space.draw_handler_add, space.draw_handler_remove = add, remove

    def _adding(self, add: Any) -> Any:
        def added(*arguments: Any) -> Any:
            self.held.append(add(*arguments))
            return self.held[-1]

        return added

    def _removing(self, remove: Any) -> Any:
        def removed(handle: Any, *arguments: Any) -> None:
            remove(handle, *arguments)
            self.held.remove(handle)

        return removed
