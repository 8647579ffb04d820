# SPDX-License-Identifier: GPL-3.0-or-later
"""The keys that an animator may switch on in the preferences, and the pie menu that one of them opens."""

from __future__ import annotations

import string
from typing import Any

import bpy
import rna_keymap_ui
from bpy.props import BoolProperty, EnumProperty

from .room import tool
from .shared import tab
from .steering import pressed
from .translations import OWN_CONTEXT

MODES = (("Pose", "EMPTY"), ("Object Mode", "EMPTY"), ("Dopesheet", "DOPESHEET_EDITOR"))
"""Where the keys are heard: the names of Blender's keymaps, and their editors."""
KEYS: tuple[tuple[str, str, dict[str, object]], ...] = (
    ("wm.call_menu_pie", "I", {"name": "INERTIA_MT_pie"}),
    ("inertia.bake_transition", "B", {}),
    ("inertia.find_meeting", "M", {"goal": "PAIR"}),
    ("inertia.preview", "P", {}),
    ("inertia.compare", "C", {}),
)
"""Operators, the letter that calls each with Ctrl, Shift and Alt, and what its properties are set to."""
STOPS = ("Frames", "EMPTY", "inertia.stop_training", "ESC")
"""The key that stops a training, and that Blender's own keymap stops the playback with: it is always on, and
nobody's while nothing is trained."""
DRAGS = ("Graph Editor", "GRAPH_EDITOR", "inertia.pick_meeting", "LEFTMOUSE")
"""What drags a cost curve in a Graph Editor, which has no gizmos: it is always on, and passes on what is
pressed beside the curve."""

STEERS = tuple(
    (kind, kind.replace("_", " ").title(), "")
    for kind in (*string.ascii_uppercase, "SPACE", "TAB", *(f"NUMPAD_{i}" for i in range(10)))
)
"""Keys that a character may be steered with."""
WISHES = ("Forward", "Back", "Left", "Right", "Face Left", "Face Right", "Stop")
"""What is wished by them, as an animator reads it: in the order of ``pressed.KEYS``."""

AROUND = (
    tool("use_assigned_action", "ARMATURE_DATA", "Assigned Action as Source", side="SOURCE"),
    tool("use_assigned_action", "ARMATURE_DATA", "Assigned Action as Destination", side="DESTINATION"),
    tool("bake_transition", "IPO_EASE_IN_OUT"),
    tool("find_meeting", "VIEWZOOM", "Best Pair", goal="PAIR"),
    tool("preview", "PLAY"),
    tool("compare", "SPLIT_VERTICAL"),
    tool("bake_fill", "SNAP_MIDPOINT"),
    tool("rebake", "FILE_REFRESH"),
)
"""The pie's, in Blender's order: west, east, south, north, then the corners."""


class INERTIA_MT_pie(bpy.types.Menu):
    bl_label = "Inertia"
    bl_description = "The tools for a transition, around the mouse"

    def draw(self, _context: Any) -> None:
        pie = self.layout.menu_pie()
        for row in AROUND:
            row(pie)


class InertiaPreferences(bpy.types.AddonPreferences):
    """The keys, as Blender's own preferences show them."""

    bl_idname = tab.ADDON

    all_modes: BoolProperty(
        name="Show All Modes at Once",
        description="Show the panels of all modes below one another, instead of a switch between them",
        translation_context=OWN_CONTEXT,
    )
    pipeline_tools: BoolProperty(
        name="Pipeline Tools",
        description="Show the panels that production pipelines need: lists of transitions, models that learn "
        "from clips, half-lives of root motion, and their export",
        translation_context=OWN_CONTEXT,
    )
    __annotations__ |= {
        f"steer_{wish}": EnumProperty(
            name=name,
            description="The key that does so while a character is steered",
            items=STEERS,
            default=key,
        )
        for name, (wish, key) in zip(WISHES, pressed.KEYS.items(), strict=True)
    }

    def draw(self, context: Any) -> None:
        column = self.layout.column()
        column.prop(self, "all_modes")
        column.prop(self, "pipeline_tools")
        column.label(text="Keys that steer; the arrows do, too:")
        steer = column.grid_flow(columns=4, row_major=True, even_columns=True)
        for name in pressed.KEYS:
            steer.prop(self, f"steer_{name}")
        column.label(text="Keys, which do nothing until they are switched on:")
        user = context.window_manager.keyconfigs.user
        for mode, _ in MODES:
            keymap = user.keymaps.get(mode)
            for item in _own_items(keymap):
                column.context_pointer_set("keymap", keymap)
                rna_keymap_ui.draw_kmi([], user, keymap, item, column, 0)


def is_own(item: Any) -> bool:
    """Tell whether a key calls something of Inertia's."""
    return item.idname.startswith("inertia.") or (
        item.idname == "wm.call_menu_pie" and item.properties.name == INERTIA_MT_pie.__name__
    )


def _own_items(keymap: Any | None) -> list[Any]:
    return [] if keymap is None else [item for item in keymap.keymap_items if is_own(item)]


def attach() -> None:
    """Add the extension's keys to Blender's add-on keymaps; nothing without a window.

    In each keymap of MODES there is an item for each row of KEYS: an operator on Ctrl, Shift, Alt and a
    letter, with its properties set, switched off. Two more, STOPS and DRAGS, are switched on, in front of
    what others have added to their keymaps. What the user makes of them Blender keeps.

    Each call adds them once more; :func:`detach` removes all.
    """
    offered = bpy.context.window_manager.keyconfigs.addon
    if offered is None:  # without a window
        return
    for mode, space in MODES:
        keymap = offered.keymaps.new(mode, space_type=space)
        for operator, letter, values in KEYS:
            item = keymap.keymap_items.new(operator, letter, "PRESS", ctrl=True, shift=True, alt=True)
            for name, value in values.items():
                setattr(item.properties, name, value)
            item.active = False
    for mode, space, operator, key in (STOPS, DRAGS):
        # before the playback's and the selection's; an operator that has nothing to do there passes them on
        offered.keymaps.new(mode, space_type=space).keymap_items.new(operator, key, "PRESS", head=True)


def detach() -> None:
    offered = bpy.context.window_manager.keyconfigs.addon
    for mode in (*dict(MODES), STOPS[0], DRAGS[0]) if offered is not None else ():
        keymap = offered.keymaps.get(mode)
        for item in _own_items(keymap):
            keymap.keymap_items.remove(item)


CLASSES = (INERTIA_MT_pie, InertiaPreferences)
