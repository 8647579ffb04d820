# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs inside of a Blender with a window: gathers the words of the tab and the menus, as they are now."""

from __future__ import annotations

import functools
import types
from collections.abc import Generator, Iterable, Iterator
from typing import Any

import bpy
from driver import LATER, Wait, inertia, region, view, window


class Words:
    """Takes a layout's calls, and keeps what an animator reads: labels, buttons, fields and their choices,
    rows of lists, and what is in menus and popovers.
    """

    def __init__(self, words: set[str]) -> None:
        self.words = words

    def row(self, **options: Any) -> Words:
        self.words.add(options.get("heading", ""))
        return self

    column = split = box = grid_flow = row

    def separator(self, **_options: Any) -> None:
        pass

    def context_pointer_set(self, _name: str, _data: Any) -> None:
        pass

    def label(self, text: str = "", **_options: Any) -> None:
        self.words.add(text)

    progress = label

    def operator(self, name: str, text: str | None = None, **_options: Any) -> Any:
        module, _, function = name.partition(".")
        rna = getattr(getattr(bpy.ops, module), function).get_rna_type()
        self.words.add(rna.name if text is None else text)
        return types.SimpleNamespace()

    def prop(
        self, data: Any, name: str, text: str | None = None, placeholder: str = "", **_options: Any
    ) -> None:
        prop = data.bl_rna.properties[name]
        value = getattr(data, name)
        choices = [item.name for item in prop.enum_items] if prop.type == "ENUM" else []
        self.words |= {prop.name if text is None else text, placeholder, *choices}
        if isinstance(value, str):
            self.words.add(value)

    def prop_enum(self, data: Any, name: str, *_value: Any, **_options: Any) -> None:
        self.prop(data, name)

    def prop_search(
        self, data: Any, name: str, *_where: Any, text: str | None = None, **_options: Any
    ) -> None:
        self.prop(data, name, text)

    def template_list(self, kind: str, _id: str, data: Any, name: str, *_active: Any, **_rows: Any) -> None:
        cls = getattr(bpy.types, kind)
        own = types.SimpleNamespace()
        for method in ("describe", "draw_more"):
            if hasattr(cls, method):
                setattr(own, method, functools.partial(getattr(cls, method), own))
        for i, item in enumerate(getattr(data, name)):
            cls.draw_row(own, self, data, item, i)

    def menu(self, name: str, text: str | None = None, **_options: Any) -> None:
        cls = getattr(bpy.types, name)
        self.words.add(cls.bl_label if text is None else text)
        if name.startswith("INERTIA"):
            cls.draw(types.SimpleNamespace(layout=self), bpy.context)

    def popover(self, panel: str, **_options: Any) -> None:
        cls = getattr(bpy.types, panel)
        self.words.add(cls.bl_label)
        if "inertia" in panel:
            with at_sidebar() as context:
                cls.draw(types.SimpleNamespace(layout=self), context)


def at_sidebar() -> Any:
    """The context that the panels of the 3D View's sidebar are drawn in."""
    return _Sidebar()


class _Sidebar:
    def __enter__(self) -> Any:
        sidebar = region("UI")
        self._override = bpy.context.temp_override(
            window=window(), screen=window().screen, area=view(), region=sidebar
        )
        self._override.__enter__()
        return bpy.context

    def __exit__(self, *raised: Any) -> None:
        self._override.__exit__(*raised)


def words_of_modes(modes: Iterable[str]) -> Generator[Wait, None, set[str]]:
    """What the tab shows in several modes, each of which is drawn first."""
    workspace, words = window().workspace, set[str]()
    before = workspace.inertia_mode
    for mode in modes:
        workspace.inertia_mode = mode
        yield LATER
        words |= shown_words()
    workspace.inertia_mode = before
    yield LATER
    return words


def shown_words() -> set[str]:
    """What the tab shows in its mode, folded panels included, as they are a click away; what is in the menu
    Inertia; and the settings of the last operation.
    """
    example = bpy.ops.inertia.make_example.get_rna_type().properties["example"]
    words = {item.name for item in example.enum_items}
    for menu in inertia("ui.rooms").MENUS:
        words.add(menu.bl_label)
        menu.draw(types.SimpleNamespace(layout=Words(words)), bpy.context)
    with at_sidebar() as context:
        for cls in inertia("ui.panels").CLASSES:
            if not cls.bl_idname.startswith("VIEW3D") or not cls.poll(context):
                continue
            words.add(cls.bl_label)
            layout = Words(words)
            cls.draw(types.SimpleNamespace(layout=layout, assigned=getattr(cls, "assigned", None)), context)
        words |= set(_settings_of_last(context))
    return words - {""}


def _settings_of_last(context: Any) -> Iterator[str]:
    operators = context.window_manager.operators
    if operators:
        yield operators[-1].bl_label
        yield from (prop.name for prop in operators[-1].bl_rna.properties)
