# SPDX-License-Identifier: GPL-3.0-or-later
"""What a feature has in the window, said in one place: its room's ``__init__``."""

from __future__ import annotations

from types import ModuleType
from typing import TYPE_CHECKING

import bpy

from ..records import record
from .shared.drawing import Part as PanelPart
from .shared.parts import Part

if TYPE_CHECKING:
    from .overlay.protocol import OverlayPlot


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
    pointers: tuple[Part, ...] = ()
    panels: tuple[type[PanelPart], ...] = ()
    plots: tuple[OverlayPlot, ...] = ()
    menus: tuple[type, ...] = ()
    classes: tuple[type, ...] = ()
    parts: tuple[Part, ...] = ()

    @property
    def operators(self) -> tuple[type, ...]:
        """The operators of the room's modules, in their order."""
        return tuple(cls for module in self.modules for cls in operators_of(module))


def operators_of(module: ModuleType) -> tuple[type, ...]:
    """The operators that a module defines, in their order."""
    return tuple(
        named
        for named in vars(module).values()
        if isinstance(named, type)
        and issubclass(named, bpy.types.Operator)
        and named.__module__ == module.__name__
    )
