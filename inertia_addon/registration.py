# SPDX-License-Identifier: GPL-3.0-or-later
"""What Blender is told of the extension: one list, gone through forwards and then backwards."""

from __future__ import annotations

from . import cli
from .ui import keys, panels, rooms, translations
from .ui.room import Registration, classes, forget_at_end, handler
from .ui.rooms import OPERATORS, ROOMS
from .ui.shared import cache, file_handlers, long_work, tab

SHARED = (
    handler("save_pre", file_handlers.on_save),
    handler("depsgraph_update_pre", file_handlers.on_update),
    handler("frame_change_pre", file_handlers.on_update),
    handler("load_post", file_handlers.on_load),
    handler("depsgraph_update_post", cache.on_depsgraph_update),
    handler("load_post", cache.forget),
    *(handler(moment, long_work.give_up) for moment in ("undo_pre", "redo_pre", "load_pre")),
    *(handler(moment, cache.look_again) for moment in ("undo_post", "redo_post")),
    forget_at_end(file_handlers.names_of.cache_clear),
    forget_at_end(file_handlers.on_load),
    forget_at_end(long_work.give_up),
    forget_at_end(cache.stop),
)
"""What looks at the file for all rooms, and when; and what is kept for them in memory."""

PARTS = (
    Registration(translations.attach, translations.detach),
    *classes(*(room.properties for room in ROOMS)),
    *(part for room in ROOMS for part in room.pointers),
    *classes(OPERATORS, rooms.MENUS, panels.CLASSES, keys.CLASSES),
    *classes(*(room.classes for room in ROOMS)),
    tab.PART,
    Registration(rooms.add_entries, rooms.remove_entries),
    Registration(keys.attach, keys.detach),
    *SHARED,
    *(part for room in ROOMS for part in room.parts),
    Registration(cli.register, cli.unregister),
)
"""Everything, in an order in which each part finds what it needs."""

_registered: list[Registration] = []


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
