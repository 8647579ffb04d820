# SPDX-License-Identifier: GPL-3.0-or-later
"""What a feature has in the window, said in one place: its room's ``__init__``; and what that is made of."""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from types import ModuleType
from typing import TYPE_CHECKING, Any

import bpy
from bpy.app.handlers import persistent
from bpy.props import PointerProperty

from ..lazy_modules import is_read, read_contents
from ..records import record
from .shared.made_of import OVERRIDE

if TYPE_CHECKING:
    from .overlay.switches import PlotSwitch
    from .shared.drawing import PanelPart as PanelPart


@record(frozen=True)
class Registration:
    """Something to register, and how to take exactly that back."""

    register: Callable[[], object]
    unregister: Callable[[], object]


def classes(*groups: Iterable[type]) -> Iterable[Registration]:
    for cls in itertools.chain(*groups):
        yield Registration(partial(bpy.utils.register_class, cls), partial(bpy.utils.unregister_class, cls))


def pointer(
    name: str, group: type, owner: str = "Object", label: str = "", *, override: bool = True
) -> Registration:
    """Return the registration of a property by which a type of Blender's has a group of properties; nothing
    is registered here. Registering sets the type's attribute `name`, unregistering deletes it; files keep
    what was saved of it.

    name: of the attribute; its words are the label, unless another one is given, and the tooltip is the first
    paragraph of the group's docstring. group: the class of the properties. owner: the name of the type in
    ``bpy.types``. override: whether library overrides may set it.
    """
    label = label or name.replace("_", " ").title()
    tip = " ".join((inspect.getdoc(group) or "").partition("\n\n")[0].split())

    def register() -> None:
        options = {"override": OVERRIDE} if override else {}
        prop = PointerProperty(name=label, description=tip.rstrip("."), type=group, **options)
        setattr(getattr(bpy.types, owner), name, prop)

    return Registration(register, lambda: delattr(getattr(bpy.types, owner), name))


def handler(moment: str, function: Callable[..., Any]) -> Registration:
    """Return the registration of a function as a handler; nothing is registered here. moment: the name of a
    list of ``bpy.app.handlers``. Unregistering does nothing if it is no longer in the list.
    """

    def unregister() -> None:
        functions = getattr(bpy.app.handlers, moment)
        # another script may have emptied the list
        if function in functions:
            functions.remove(function)

    return Registration(lambda: getattr(bpy.app.handlers, moment).append(function), unregister)


def forget_at_end(forget: Callable[[], object]) -> Registration:
    """Return the part that empties what is kept in memory when the extension is unregistered."""
    return Registration(lambda: None, forget)


END = "end"
"""The moment at which the extension is unregistered."""


def once_read(module: ModuleType, function: Callable[[], object], *moments: str) -> Iterator[Registration]:
    """Return the registrations of a function of a module as a handler that does nothing until the module has
    been read: what nobody has used has nothing to save, to forget or to end.

    moments: names of lists of ``bpy.app.handlers``, and END.
    """

    @persistent
    def call(*_arguments: Any) -> None:
        if is_read(module):
            function()

    for moment in moments:
        yield forget_at_end(call) if moment == END else handler(moment, call)


Row = Callable[[Any], object]
"""Draws an entry into a layout."""


def tool(name: str, icon: str, text: str | None = None, **values: object) -> Row:
    """Return a function that draws a menu entry for an operator into a layout.

    name: the operator's idname without "inertia.". text: None for the operator's label. values: what its
    properties are set to.
    """

    def draw(layout: Any) -> None:
        entry = layout.operator(f"inertia.{name}", text=text, icon=icon)
        for key, value in values.items():
            setattr(entry, key, value)

    return draw


def below(menu: Any, icon: str = "") -> Row:
    """Return a menu row with another menu. icon: "" for the menu's own."""
    return lambda layout: layout.menu(menu.__name__, icon=icon or menu.icon)


def separator(layout: Any) -> None:
    layout.separator()


def menu(name: str, label: str, description: str, *rows: Row, icon: str = "") -> type:
    """Return a new menu class, INERTIA_MT_NAME, that draws rows one after the other; it is not registered
    here.

    Each row is called with the menu's layout alone. label and description become bl_label and bl_description;
    icon is kept as the class's `icon`, which :func:`below` shows where another menu leads to it; without one
    the class has none, and the extension's own menu does not lead to it.
    """

    def draw(self: Any, _context: Any) -> None:
        for row in rows:
            row(self.layout)

    members = {"bl_label": label, "bl_description": description, "draw": draw}
    if icon:
        members["icon"] = icon
    return type(f"INERTIA_MT_{name}", (bpy.types.Menu,), {**members, "__module__": __name__})


@record(frozen=True, kw_only=True)
class Room:
    """A feature's window.

    modules: where its operators are, each found by being there. properties: groups of properties and lists,
    each after those that it holds. pointers: what objects, bones and scenes remember. panels: parents before
    what stands below them. plots: from the bottom of a view upwards. menus: the extension's own leads to
    those that have an icon. classes: what else Blender has to know, such as gizmos. parts: handlers, and
    what is forgotten at the end.
    """

    modules: tuple[ModuleType, ...] = ()
    properties: tuple[type, ...] = ()
    pointers: tuple[Registration, ...] = ()
    panels: tuple[type[PanelPart], ...] = ()
    plots: tuple[PlotSwitch, ...] = ()
    menus: tuple[type, ...] = ()
    classes: tuple[type, ...] = ()
    parts: tuple[Registration, ...] = ()

    @property
    def operators(self) -> tuple[type, ...]:
        """The operators that the room's modules define, in their order."""
        return tuple(
            cls
            for module in self.modules
            for cls in read_contents(module).values()
            if isinstance(cls, type)
            and issubclass(cls, bpy.types.Operator)
            and cls.__module__ == module.__name__
        )
