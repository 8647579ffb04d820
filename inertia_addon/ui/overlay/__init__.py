# SPDX-License-Identifier: GPL-3.0-or-later
"""What Inertia draws over Blender's editors: what to show, how it looks, and drawing it, each apart."""

from __future__ import annotations

from ..room import Registration, Room, handler, pointer
from . import handlers, mouse, panels

ROOM = Room(
    modules=(mouse,),
    properties=panels.PROPERTIES,
    pointers=(
        pointer("inertia_overlay", panels.OverlayProperties, "Scene", "Inertia Overlays", override=False),
    ),
    classes=(*panels.CLASSES, *mouse.CLASSES),
    parts=(
        *(handler(moment, handlers.on_new_state) for moment in ("load_post", "undo_post", "redo_post")),
        Registration(handlers.begin, handlers.end),
    ),
)
