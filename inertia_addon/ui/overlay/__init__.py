# SPDX-License-Identifier: GPL-3.0-or-later
"""What Inertia draws over Blender's editors: what to show, how it looks, and drawing it, each apart."""

from __future__ import annotations

from ..room import Room
from ..shared.parts import Part, handler, pointer
from . import gizmo, handlers, moving, panels

ROOM = Room(
    modules=(moving,),
    properties=panels.PROPERTIES,
    pointers=(
        pointer("inertia_overlay", panels.OverlayProperties, "Scene", "Inertia Overlays", override=False),
    ),
    classes=(*panels.CLASSES, *gizmo.CLASSES),
    parts=(
        *(handler(moment, handlers.on_new_state) for moment in ("load_post", "undo_post", "redo_post")),
        Part(handlers.begin, handlers.end),
    ),
)
