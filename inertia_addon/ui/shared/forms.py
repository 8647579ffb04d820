# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws settings as their records state them: in a panel, a popover or a redo panel, whoever has them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import bpy

from ...settings import fields
from . import character, drawing, made_of
from .drawing import Popover

if TYPE_CHECKING:
    from ...settings.fields import Setting


def draw(layout: Any, holder: Any, record: Any, names: Iterable[str] | None = None) -> None:
    """Draw settings of a record below each other, with space above those that stand apart; see
    :func:`draw_setting`.

    holder: the property group or the operator that has them. names: of the settings, in their order; None for
    all that have properties.
    """
    column = layout.column()
    for i, name in enumerate(made_of.names(record) if names is None else names):
        if i and fields.settings(record)[name].apart:
            column = layout.column()
        draw_setting(column, holder, record, name)


def draw_setting(layout: Any, holder: Any, record: Any, name: str) -> None:
    """Draw one setting, if it counts.

    While it does not, it is greyed if it goes with a switch or a number of its record, and left out if it
    goes with a choice, a name, or the switch of what may be unset. One that may be unset itself has its
    switch in front, and while that is off the words for it.
    """
    setting = fields.settings(record)[name]
    if not is_counted(holder, record, setting):
        other = fields.settings(record).get(setting.goes_with[0])
        if other is None or isinstance(other.default, str):
            return
        layout = layout.column()
        layout.active = False
    if setting.unset:
        drawing.choice(layout, holder, setting.stored, setting.unset)
    else:
        layout.prop(holder, setting.stored, icon=setting.icon)


def is_counted(holder: Any, record: Any, setting: Setting) -> bool:
    """Return whether a setting counts, by what it goes with, and by what that goes with in turn. Where the
    holder does not have that, it counts.
    """
    name, *values = setting.goes_with or ("",)
    if not hasattr(holder, name):
        return True
    value = getattr(holder, name)
    if (value not in values) if values else (not value):
        return False
    other = fields.settings(record).get(name)
    return other is None or is_counted(holder, record, other)


def redone(
    record: Any, names: Iterable[str] | None = None, more: dict[str, dict[str, Any]] | None = None
) -> Callable[[type], type]:
    """Return a decorator that gives an operator properties for settings of a record, and a redo panel with
    these.

    names, more: as those of :func:`draw` and :func:`made_of.properties`.
    """
    shown = made_of.names(record) if names is None else tuple(names)

    def give(cls: type) -> type:
        setattr(cls, "draw", lambda self, _context: draw(drawing.split(self.layout), self, record, shown))  # noqa: B010
        return made_of.properties(record, more, shown)(cls)

    return give


def popover(
    name: str, label: str, tip: str, group: str, record: Any, names: Iterable[str] | None = None
) -> type[Popover]:
    """Return a new popover class with settings that an armature keeps; it is not registered here.

    name: of the class, behind VIEW3D_PT_inertia_. label, tip: its bl_label and docstring. group: the object's
    property group that has the settings. names: as those of :func:`draw`.
    """

    def show(self: Any, context: Any) -> None:
        holder = getattr(character.read_meant(context).object, group)
        draw(drawing.split(self.layout), holder, record, names)

    members = {"bl_label": label, "__doc__": tip, "__module__": __name__, "draw": show}
    return type(f"VIEW3D_PT_inertia_{name}", (Popover, bpy.types.Panel), members)
