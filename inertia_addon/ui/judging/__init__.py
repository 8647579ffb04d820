# SPDX-License-Identifier: GPL-3.0-or-later
"""The verdict on the coming transition, judged anew between redraws whenever something has changed."""

from __future__ import annotations

from ..room import Room, forget_at_end, handler
from . import live, operators

ROOM = Room(
    modules=(operators,),
    parts=(
        forget_at_end(live.forget),
        handler("load_pre", live.forget),
        *(handler(moment, live.begin_again) for moment in ("undo_pre", "redo_pre")),
    ),
)
