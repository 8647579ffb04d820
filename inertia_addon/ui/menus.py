# SPDX-License-Identifier: GPL-3.0-or-later
"""Inertia's menu, which leads to those of the rooms, and its entries in Blender's own menus.

Blender's search (F3) finds the operators that are in a menu, and draws the menus to find them: each of
them must draw without an armature too.
"""

from __future__ import annotations

from typing import Any

from ..blender.data import compat
from . import rooms
from .room import below, menu, separator, tool

TRANSITION = menu(
    *("transition", "Inertia", "Transitions between two actions"),
    tool("bake_transition", "IPO_EASE_IN_OUT"),
    tool("bake_selected", "COMMUNITY", "Bake Selected Armatures", whose="ACTIVE"),
    tool("bake_selected", "COMMUNITY", "Bake Selected Armatures, Each Its Own", whose="OWN"),
    tool("preview", "PLAY"),
    tool("compare", "SPLIT_VERTICAL"),
    tool("use_current_frame", "TIME"),
    tool("use_assigned_action", "ARMATURE_DATA", "Assigned Action as Source", side="SOURCE"),
    tool("use_assigned_action", "ARMATURE_DATA", "Assigned Action as Destination", side="DESTINATION"),
    tool("use_pose", "POSE_HLT"),
    tool("swap_actions", "ARROW_LEFTRIGHT"),
    tool("use_strips", "NLA"),
    tool("bake_transition", "NLA", "Bake from Strips", from_strips=True),
    tool("complete_clips", "KEYTYPE_KEYFRAME_VEC"),
    separator,
    *(below(each) for room in rooms.ROOMS for each in room.menus if hasattr(each, "icon")),
    separator,
    tool("smooth_jump", "SMOOTHCURVE"),
    tool("rebake", "FILE_REFRESH"),
    tool("load_recipe", "COPYDOWN"),
    tool("remove_strips", "X"),
    separator,
    tool("reset_plots", "LOOP_BACK", "Reset Places of Plots"),
    icon="IPO_EASE_IN_OUT",
)

CLASSES = (TRANSITION, *(cls for room in rooms.ROOMS for cls in room.menus))

PLACES = (
    *("VIEW3D_MT_pose", "VIEW3D_MT_pose_context_menu", "VIEW3D_MT_object_animation"),
    *("DOPESHEET_MT_action", "DOPESHEET_MT_key", "GRAPH_MT_key", "NLA_MT_strips"),
)
"""Menus that get an Inertia entry."""


def places() -> list[Any]:
    """Those of the menus that this Blender has."""
    return compat.types_named(PLACES)


def draw_entry(self: Any, _context: Any) -> None:
    self.layout.separator()
    below(TRANSITION)(self.layout)


def attach() -> None:
    for place in places():
        place.append(draw_entry)


def detach() -> None:
    for place in reversed(places()):
        place.remove(draw_entry)
