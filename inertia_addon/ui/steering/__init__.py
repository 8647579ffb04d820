# SPDX-License-Identifier: GPL-3.0-or-later
"""Steering in the window: a character goes where keys or the mouse say, and the take is kept."""

from __future__ import annotations

from ..room import Room, forget_at_end, handler, menu, pointer, tool
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
        forget_at_end(live.end),
        forget_at_end(drawn.stop),
        *(handler(moment, live.on_new_state) for moment in ("load_pre", "undo_pre", "redo_pre")),
        handler("render_init", live.on_render),
        handler("save_pre", live.on_save),
    ),
)
