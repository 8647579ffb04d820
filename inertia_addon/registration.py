# SPDX-License-Identifier: GPL-3.0-or-later
"""What Blender is told of the extension: one list, gone through forwards and then backwards."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import bpy

from .cli import program as command
from .ui import menus, operators, translations
from .ui.cost import joint_list, search
from .ui.hops import found as bridge
from .ui.hops import properties as bridge_properties
from .ui.overlay import gizmo, handlers
from .ui.overlay import panels as overlay_panels
from .ui.overlay import properties as overlay_properties
from .ui.root_motion import panels as root_motion_panels
from .ui.root_motion import properties as root_motion_properties
from .ui.shared import cache, first_poses, groups
from .ui.transition import panels, properties


@dataclasses.dataclass(frozen=True)
class Part:
    """Something to register, and how to take exactly that back."""

    register: Callable[[], None]
    unregister: Callable[[], None]


def _class(cls: type) -> Part:
    return Part(lambda: bpy.utils.register_class(cls), lambda: bpy.utils.unregister_class(cls))


PARTS = (
    Part(translations.attach, translations.detach),
    *map(_class, properties.CLASSES),
    *map(_class, joint_list.CLASSES),
    *map(_class, search.CLASSES),
    *map(_class, root_motion_panels.CLASSES),
    *map(_class, root_motion_properties.CLASSES),
    *map(_class, bridge_properties.CLASSES),
    *map(_class, overlay_properties.CLASSES),
    Part(properties.attach, properties.detach),
    Part(joint_list.attach, joint_list.detach),
    Part(search.attach, search.detach),
    Part(root_motion_properties.attach, root_motion_properties.detach),
    Part(bridge_properties.attach, bridge_properties.detach),
    Part(overlay_properties.attach, overlay_properties.detach),
    *map(_class, operators.CLASSES),
    *map(_class, menus.CLASSES),
    *map(_class, overlay_panels.CLASSES),
    *map(_class, panels.CLASSES),
    *map(_class, gizmo.CLASSES),
    Part(menus.attach, menus.detach),
    Part(groups.attach, groups.detach),
    Part(first_poses.attach, first_poses.detach),
    Part(cache.attach, cache.detach),
    Part(bridge.forget, bridge.forget),
    Part(handlers.attach, handlers.detach),
    Part(command.register, command.unregister),
)
"""Everything, in an order in which each part finds what it needs."""

_registered: list[Part] = []


def register() -> None:
    """Register every part; when one fails, none stays."""
    unregister()
    try:
        for part in PARTS:
            part.register()
            _registered.append(part)
    except BaseException:
        # whatever it was, it is raised again
        unregister()
        raise


def unregister() -> None:
    """Take back what was registered, last first."""
    while _registered:
        _registered.pop().unregister()
