# SPDX-License-Identifier: GPL-3.0-or-later
"""The features of the window: one list, from which everything else that names them all is made."""

from __future__ import annotations

from typing import Any

from ..blender.data import compat
from . import (
    cost,
    examples,
    feet,
    fewer_keys,
    fill,
    finish,
    hops,
    join,
    judging,
    learned,
    library,
    loops,
    matching,
    nla,
    overlay,
    pops,
    root_motion,
    steering,
    transition,
    travel,
)
from .overlay import panels as overlay_panels
from .overlay import switches
from .room import Room, below, menu, separator, tool
from .shared import tab

ROOMS = (
    *(transition.ROOM, judging.ROOM, cost.ROOM, nla.ROOM, root_motion.ROOM, hops.ROOM, loops.ROOM),
    *(finish.ROOM, pops.ROOM, feet.ROOM, fewer_keys.ROOM, matching.ROOM, fill.ROOM),
    *(steering.ROOM, learned.ROOM),
    *(library.ROOM, travel.ROOM),
    join.ROOM,
    examples.ROOM,
    overlay.ROOM,
)
"""Each after those that it builds on. Plots stand in this order, too, from the bottom of a view upwards."""

OPERATORS = tuple(cls for room in ROOMS for cls in room.operators)
PLOTS = tuple(each for room in ROOMS for each in room.plots)


def mode_of(room: Room) -> str:
    """Return the mode in which a room's panels show: that of its first panel that has one, by its topmost
    parent; tab.JOIN where none has.
    """
    for part in room.panels:
        while part.parent is not None:
            part = part.parent
        if part.mode:
            return part.mode
    return tab.JOIN


PLOTS_OF = {
    label: tuple(each for room in ROOMS if mode_of(room) == mode for each in room.plots)
    for mode, label, _ in tab.ITEMS
}
"""The plots of each mode, by what it is called."""

for each_room in ROOMS:
    for each_plot in each_room.plots:
        each_plot.mode = mode_of(each_room)

switches.use_switches(PLOTS)
overlay_panels.hold(PLOTS, PLOTS_OF)

# Blender's search (F3) finds the operators that are in a menu, and draws the menus to find them: each of them
# must draw without an armature too.
TRANSITION = menu(
    "transition",
    "Inertia",
    "Transitions between two actions",
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
    tool("warp_to", "CON_FOLLOWPATH"),
    tool("warp_nowhere", "X"),
    tool("complete_clips", "KEYTYPE_KEYFRAME_VEC"),
    separator,
    *(below(each) for room in ROOMS for each in room.menus if hasattr(each, "icon")),
    separator,
    tool("smooth_jump", "SMOOTHCURVE"),
    tool("rebake", "FILE_REFRESH"),
    tool("load_recipe", "EYEDROPPER"),
    tool("remove_strips", "X"),
    separator,
    tool("reset_plots", "LOOP_BACK", "Reset Places of Plots"),
    icon="IPO_EASE_IN_OUT",
)

MENUS = (TRANSITION, *(cls for room in ROOMS for cls in room.menus))

PLACES = (
    *("VIEW3D_MT_pose", "VIEW3D_MT_pose_context_menu", "VIEW3D_MT_object_animation"),
    *("DOPESHEET_MT_action", "DOPESHEET_MT_key", "GRAPH_MT_key", "NLA_MT_strips"),
)
"""Menus that get an Inertia entry."""


def menus_with_entries() -> list[Any]:
    return compat.types_named(PLACES)


def draw_entry(self: Any, _context: Any) -> None:
    self.layout.separator()
    below(TRANSITION)(self.layout)


def add_entries() -> None:
    for place in menus_with_entries():
        place.append(draw_entry)


def remove_entries() -> None:
    for place in reversed(menus_with_entries()):
        place.remove(draw_entry)
