# SPDX-License-Identifier: GPL-3.0-or-later
"""Stands in for a panel's layout where there is no window: draws nothing and notes everything."""

from __future__ import annotations

import types
from typing import Any

import bpy

from inertia_addon.ui import panels, rooms
from inertia_addon.ui.shared import tab


class Recorder:
    """Takes a layout's calls.

    texts: what is written; shown: names of properties; placeholders: what these show while they are empty;
    icons: of texts; greyed: buttons that can't be pressed; pointers: what buttons take for the context's;
    pressed: the operators' properties; operators: their names; buttons: likewise, in order.
    """

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.shown: list[str] = []
        self.pressed: dict[str, Any] = {}
        self.operators: set[str] = set()
        self.buttons: list[str] = []
        self.menus: list[str] = []
        self.placeholders: dict[str, str] = {}
        self.icons: dict[str, str] = {}
        self.greyed: set[str] = set()
        self.pointers: dict[str, Any] = {}
        self.enabled = True

    def row(self, **_options: Any) -> Recorder:
        self.enabled = True
        return self

    column = split = box = row

    def separator(self) -> None:
        pass

    def context_pointer_set(self, name: str, data: Any) -> None:
        """Have buttons take something else for the context's."""
        self.pointers[name] = data

    def label(self, text: str = "", icon: str = "NONE", *, translate: bool = True) -> None:
        assert icon in ICONS
        self.texts.append(text)
        self.icons[text] = icon

    def prop(
        self,
        data: Any,
        name: str,
        text: str | None = None,
        icon: str = "NONE",
        placeholder: str = "",
        *,
        expand: bool = False,
        toggle: bool = False,
        slider: bool = False,
    ) -> None:
        assert name in data.bl_rna.properties
        assert icon in ICONS
        self.shown.append(name)
        self.placeholders[name] = placeholder

    def prop_enum(self, data: Any, name: str, value: str, icon: str = "NONE") -> None:
        assert value in data.bl_rna.properties[name].enum_items
        self.prop(data, name, icon=icon)

    def prop_search(self, data: Any, name: str, where: Any, list_name: str, icon: str = "NONE") -> None:
        assert list_name in where.bl_rna.properties
        self.prop(data, name, icon=icon)

    def operator(
        self,
        name: str,
        text: str = "",
        icon: str = "NONE",
        *,
        emboss: bool = True,
        depress: bool = False,
        translate: bool = True,
    ) -> Any:
        module, _, function = name.partition(".")
        assert getattr(getattr(bpy.ops, module), function).get_rna_type().description
        assert icon in ICONS
        self.operators.add(name)
        self.buttons.append(name)
        if not self.enabled:
            self.greyed.add(text or name)
        self.pressed[text or name] = types.SimpleNamespace()
        return self.pressed[text or name]

    def progress(self, factor: float = 0.0, text: str = "") -> None:
        assert 0.0 <= factor <= 1.0
        self.texts.append(text)

    def popover(self, panel: str, text: str = "", icon: str = "NONE") -> None:
        assert hasattr(bpy.types, panel)
        assert icon in ICONS

    def template_list(
        self, kind: str, _list_id: str, data: Any, name: str, _active_data: Any, active: str, **_rows: int
    ) -> None:
        assert hasattr(bpy.types, kind)
        self.prop(data, name)
        self.prop(data, active)

    def menu(self, name: str, text: str = "", icon: str = "NONE") -> None:
        assert hasattr(bpy.types, name)
        assert icon in ICONS
        self.menus.append(name)

    def panel(self, name: str, *, default_closed: bool = False) -> tuple[Recorder, Recorder]:
        return self, self

    @property
    def text(self) -> str:
        return " ".join(self.texts)


ICONS = bpy.types.UILayout.bl_rna.functions["label"].parameters["icon"].enum_items.keys()


class Preferences:
    """Blender's own, with the extension's, in which everything is switched on that adds panels."""

    def __init__(self) -> None:
        own = types.SimpleNamespace(preferences=types.SimpleNamespace(all_modes=True, pipeline_tools=True))
        self.addons = {tab.ADDON: own}

    def __getattr__(self, name: str) -> Any:
        return getattr(bpy.context.preferences, name)


def context(width: int = 280) -> Any:
    """What a panel asks its context for."""
    return types.SimpleNamespace(
        object=bpy.context.view_layer.objects.active,
        scene=bpy.context.scene,
        selected_objects=bpy.context.selected_objects,
        preferences=Preferences(),
        region=types.SimpleNamespace(width=width),
        space_data=types.SimpleNamespace(mode="ACTION"),
    )


def panel_named(name: str) -> Any:
    """The class of one of the tab's panels in the 3D View, or of a popover, by the end of its name."""
    popovers = (cls for room in rooms.ROOMS for cls in room.classes)
    named = {cls.__name__: cls for cls in (*panels.CLASSES, *popovers)}
    return named[f"VIEW3D_PT_inertia_{name}"]


def drawn_by(draw: Any, width: int = 280) -> Recorder:
    """What a function that takes a layout and a context draws now."""
    recorder = Recorder()
    draw(recorder, context(width))
    return recorder


def drawn(panel: Any, width: int = 280) -> Recorder:
    """What a panel draws now; its poll must be true."""
    where = context(width)
    assert panel.poll(where) if hasattr(panel, "poll") else True
    recorder = Recorder()
    panel.draw(types.SimpleNamespace(layout=recorder), where)
    return recorder
