# SPDX-License-Identifier: GPL-3.0-or-later
"""Entries in Blender's own menus."""

from __future__ import annotations

from typing import Any

import bpy

from ..blender import compat, recipe


class INERTIA_MT_transition(bpy.types.Menu):
    bl_idname = "INERTIA_MT_transition"
    bl_label = "Inertia"
    bl_description = "Transitions between two actions"

    def draw(self, context: Any) -> None:
        layout = self.layout
        layout.operator("inertia.bake_transition", icon="IPO_EASE_IN_OUT")
        layout.operator("inertia.use_current_frame")
        layout.operator("inertia.swap_actions")
        layout.separator()
        for goal, text in (
            ("DESTINATION", "Best Destination Frame"),
            ("CUT", "Best Cut"),
            ("PAIR", "Best Pair"),
            ("PAIRS", "Ten Best Pairs"),
        ):
            layout.operator("inertia.find_meeting", text=text).goal = goal
        layout.separator()
        column = layout.column()
        active = context.object
        column.enabled = active is not None and recipe.is_result(compat.assigned(active)[0])
        column.operator("inertia.rebake", icon="FILE_REFRESH")
        column.operator("inertia.load_recipe", icon="COPYDOWN")
        layout.separator()
        layout.operator("inertia.set_blend_scale")
        layout.operator("inertia.list_bones")


class INERTIA_MT_scale_collection(bpy.types.Menu):
    bl_idname = "INERTIA_MT_scale_collection"
    bl_label = "Copy Blend Scale to Collection"
    bl_description = "Give the active bone's blend scale to the bones of a bone collection"

    def draw(self, context: Any) -> None:
        data = context.object.data
        active = context.object.pose.bones[data.bones.active.name]
        for collection in data.collections_all:
            entry = self.layout.operator("inertia.set_blend_scale", text=collection.name, icon="GROUP_BONE")
            entry.target, entry.collection = "COLLECTION", collection.name
            entry.value = active.inertia.blend_scale
        if not len(data.collections_all):
            self.layout.label(text="The armature has no bone collections")


CLASSES = (INERTIA_MT_transition, INERTIA_MT_scale_collection)

PLACES = ("VIEW3D_MT_pose", "DOPESHEET_MT_key")
"""Menus that get an Inertia entry; the Dope Sheet's Action menu is not there in every version."""


def draw_entry(self: Any, _context: Any) -> None:
    """The entry at a menu's end."""
    self.layout.separator()
    self.layout.menu(INERTIA_MT_transition.bl_idname)


def attach() -> None:
    """Add the entries."""
    for name in PLACES:
        getattr(bpy.types, name).append(draw_entry)


def detach() -> None:
    """Remove the entries."""
    for name in reversed(PLACES):
        getattr(bpy.types, name).remove(draw_entry)
