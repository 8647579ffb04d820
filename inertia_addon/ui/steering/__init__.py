# SPDX-License-Identifier: GPL-3.0-or-later
"""Steering in the window: a character goes where keys or the mouse say, and the take is kept."""

from __future__ import annotations

from ..room import END, Room, menu, once_read, pointer, tool
from . import drawn, live, operators, panels, properties

STEERING = menu(
    "steering",
    "Steer",
    "A character that goes where it is told to, with the clips it has",
    tool("steer", "VIEW_PAN"),
    icon="VIEW_PAN",
)

ROOM = Room(
    modules=(operators,),
    properties=properties.CLASSES,
    pointers=(pointer("inertia_steer", properties.SteerProperties),),
    panels=panels.PARTS,
    classes=panels.CLASSES,
    menus=(STEERING,),
    parts=(
        *once_read(live, lambda: live.end(), END),
        *once_read(drawn, lambda: drawn.stop(), END),
        *once_read(live, lambda: live.on_new_state(), "load_pre", "undo_pre", "redo_pre"),
        *once_read(live, lambda: live.on_render(), "render_init"),
        *once_read(live, lambda: live.on_save(), "save_pre"),
    ),
)
