# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel that tells the assigned action by fewer keys."""

from __future__ import annotations

from ..room import Room, menu, pointer, tool
from . import panels

KEYS = menu(
    "fewer_keys",
    "Fewer Keys",
    "The assigned action by the fewest keys that show it",
    tool("fewer_keys", "KEYFRAME"),
    icon="KEYFRAME",
)

ROOM = Room(
    modules=(panels,),
    properties=(panels.FewerKeysProperties,),
    pointers=(pointer("inertia_fewer_keys", panels.FewerKeysProperties),),
    panels=(panels.FewerKeysPanel,),
    menus=(KEYS,),
)
