# SPDX-License-Identifier: GPL-3.0-or-later
"""The verdict on the coming transition, judged anew between redraws whenever something has changed."""

from __future__ import annotations

from ..room import END, Room, once_read
from . import live, operators

ROOM = Room(
    modules=(operators,),
    parts=(
        *once_read(live, lambda: live.forget(), END, "load_pre"),
        *once_read(live, lambda: live.begin_again(), "undo_pre", "redo_pre"),
    ),
)
