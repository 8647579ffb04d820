# SPDX-License-Identifier: GPL-3.0-or-later
"""The guide's examples, made in the open file."""

from __future__ import annotations

from ..room import Room, menu, tool
from . import operators

EXAMPLES = menu(
    "examples",
    "Examples",
    "Make a character with clips in a new scene, to follow the guide with",
    tool("make_example", "IPO_EASE_IN_OUT", "Transition", example="TRANSITION"),
    tool("make_example", "FILE_REFRESH", "Loop", example="LOOP"),
    tool("make_example", "CON_FLOOR", "Feet", example="FEET"),
    tool("make_example", "SMOOTHCURVE", "Pops", example="POPS"),
    tool("make_example", "CURVE_DATA", "Path", example="PATH"),
    tool("make_example", "VIEW_PAN", "Steer", example="STEER"),
    icon="OUTLINER_OB_ARMATURE",
)

ROOM = Room(modules=(operators,), menus=(EXAMPLES,))
