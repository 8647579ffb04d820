# SPDX-License-Identifier: GPL-3.0-or-later
"""A list of transitions that are baked in the open file, or written as a spec for a batch."""

from __future__ import annotations

from ..room import Room, menu, pointer, separator, tool
from . import listed, operators

LIBRARY = menu(
    "library",
    "List of Transitions",
    "Bake many transitions of one armature",
    tool("bake_library", "IPO_EASE_IN_OUT"),
    tool("save_library", "EXPORT"),
    separator,
    tool("library_pairs", "ADD", "Add Pair to List", change="ADD"),
    tool("library_pairs", "REMOVE", "Remove Pair from List", change="REMOVE"),
    tool("library_pairs", "PRESET_NEW", "List All Pairs", change="ALL"),
    tool("library_pairs", "TRASH", "Clear List of Transitions", change="CLEAR"),
    icon="PRESET",
)

ROOM = Room(
    modules=(operators,),
    properties=listed.CLASSES,
    pointers=(pointer("inertia_library", listed.LibraryProperties),),
    panels=listed.PARTS,
    menus=(LIBRARY,),
)
