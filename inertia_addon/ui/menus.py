# SPDX-License-Identifier: GPL-3.0-or-later
"""Inertia's menu, and its entries in Blender's own menus.

Blender's search (F3) finds the operators that are in a menu, and draws the menus to find them: each of
them must draw without an armature too.
"""

from __future__ import annotations

from typing import Any

import bpy

from ..blender.data import compat, recipe
from .shared import words


class INERTIA_MT_transition(bpy.types.Menu):
    bl_idname = "INERTIA_MT_transition"
    bl_label = "Inertia"
    bl_description = "Transitions between two actions"

    def draw(self, _context: Any) -> None:
        layout = self.layout
        layout.operator("inertia.bake_transition", icon="IPO_EASE_IN_OUT")
        layout.operator("inertia.use_current_frame", icon="TIME")
        for side, text in (
            ("SOURCE", "Assigned Action as Source"),
            ("DESTINATION", "Assigned Action as Destination"),
        ):
            layout.operator("inertia.use_assigned_action", text=text, icon="ARMATURE_DATA").side = side
        layout.operator("inertia.swap_actions", icon="ARROW_LEFTRIGHT")
        layout.operator("inertia.complete_clips", icon="KEYTYPE_KEYFRAME_VEC")
        layout.separator()
        layout.menu(INERTIA_MT_meeting.bl_idname, icon="VIEWZOOM")
        layout.menu(INERTIA_MT_joints.bl_idname, icon="BONE_DATA")
        layout.menu(INERTIA_MT_hops.bl_idname, icon="NLA")
        layout.menu(INERTIA_MT_root_motion.bl_idname, icon="CURVE_DATA")
        layout.menu(INERTIA_MT_bones.bl_idname, icon="GROUP_BONE")
        layout.separator()
        layout.operator("inertia.rebake", icon="FILE_REFRESH")
        layout.operator("inertia.load_recipe", icon="COPYDOWN")


class INERTIA_MT_meeting(bpy.types.Menu):
    bl_idname = "INERTIA_MT_meeting"
    bl_label = "Find Best Meeting"
    bl_description = "Find where a transition costs least, and see what it costs elsewhere"

    def draw(self, _context: Any) -> None:
        layout = self.layout
        for goal, text in (
            ("DESTINATION", "Best Entry"),
            ("CUT", "Best Cut"),
            ("PAIR", "Best Pair"),
            ("PAIRS", "Ten Best Pairs"),
        ):
            layout.operator("inertia.find_meeting", text=text, icon="VIEWZOOM").goal = goal
        layout.separator()
        layout.operator("inertia.step_pair", text="Next Pair", icon="TRIA_DOWN").step = 1
        layout.operator("inertia.step_pair", text="Previous Pair", icon="TRIA_UP").step = -1
        layout.separator()
        layout.operator("inertia.evaluate_clips", icon="PLAY")
        layout.operator("inertia.save_map", icon="FILE_IMAGE").as_image = False
        layout.operator("inertia.save_map", text="Cost Map as Image", icon="IMAGE_DATA").as_image = True


class INERTIA_MT_joints(bpy.types.Menu):
    bl_idname = "INERTIA_MT_joints"
    bl_label = "Joints That Count"
    bl_description = "Edit the list of joints that count in the cost of a transition"

    def draw(self, _context: Any) -> None:
        layout = self.layout
        layout.operator("inertia.fill_joints", icon="GREASEPENCIL")
        layout.operator("inertia.add_joints", icon="ADD")
        layout.operator("inertia.remove_joint", icon="REMOVE")
        layout.operator("inertia.clear_joints", icon="X")
        layout.separator()
        layout.operator("inertia.move_joint", text="Move Joint Up", icon="TRIA_UP").direction = "UP"
        layout.operator("inertia.move_joint", text="Move Joint Down", icon="TRIA_DOWN").direction = "DOWN"


class INERTIA_MT_hops(bpy.types.Menu):
    bl_idname = "INERTIA_MT_hops"
    bl_label = "Hops"
    bl_description = "Ways from the source to the destination by a third clip"

    def draw(self, _context: Any) -> None:
        layout = self.layout
        layout.operator("inertia.find_hops", icon="VIEWZOOM")
        layout.operator("inertia.bake_hop", icon="IPO_EASE_IN_OUT")
        layout.operator("inertia.rebake_hop", icon="FILE_REFRESH")
        layout.separator()
        layout.operator("inertia.hop_clips", text="List All Clips That Fit", icon="PRESET_NEW").change = "ALL"
        layout.operator("inertia.save_hops", icon="EXPORT")


class INERTIA_MT_root_motion(bpy.types.Menu):
    bl_idname = "INERTIA_MT_root_motion"
    bl_label = "Root Motion"
    bl_description = "How fast the root goes and turns, and the springs that would move it so"

    def draw(self, _context: Any) -> None:
        layout = self.layout
        layout.operator("inertia.measure_actions", icon="PLAY")
        layout.operator("inertia.use_half_life", icon="IPO_EASE_IN_OUT")
        layout.separator()
        for change, text, icon in (
            ("ALL", "List All Actions", "ADD"),
            ("ACTION", "List Assigned Action", "ARMATURE_DATA"),
            ("SELECTED", "List Selected Actions", "RESTRICT_SELECT_OFF"),
            ("CLEAR", "Clear List of Actions", "X"),
        ):
            layout.operator("inertia.list_actions", text=text, icon=icon).change = change
        layout.separator()
        for kind, text in (("speed", "Find Speed Ramps Again"), ("turn", "Find Turns Again")):
            layout.operator("inertia.reset_ramps", text=text, icon="LOOP_BACK").kind = kind
        layout.separator()
        layout.operator("inertia.save_root_motion", icon="EXPORT")
        layout.operator("inertia.copy_root_motion", icon="COPYDOWN")


class INERTIA_MT_bones(bpy.types.Menu):
    bl_idname = "INERTIA_MT_bones"
    bl_label = "Bones"
    bl_description = "Which bones take part in the transition, and how long each of them blends"

    def draw(self, _context: Any) -> None:
        layout = self.layout
        layout.operator("inertia.list_bones", icon="RESTRICT_SELECT_OFF")
        layout.operator("inertia.set_blend_scale", icon="BONE_DATA")
        layout.menu(INERTIA_MT_scale_collection.bl_idname, icon="GROUP_BONE")


class INERTIA_MT_scale_collection(bpy.types.Menu):
    bl_idname = "INERTIA_MT_scale_collection"
    bl_label = "Copy Blend Scale to Collection"
    bl_description = "Give the active bone's blend scale to the bones of a bone collection"

    def draw(self, context: Any) -> None:
        armature = context.object
        active = words.active_bone(armature) if words.is_armature(armature) else None
        if active is None:
            self.layout.label(text="Select a bone first")
            return
        for collection in armature.data.collections_all:
            entry = self.layout.operator(
                "inertia.set_blend_scale", text=collection.name, icon="GROUP_BONE", translate=False
            )
            entry.target, entry.collection = "COLLECTION", collection.name
            entry.value = recipe.shown_scale(active)
        if not len(armature.data.collections_all):
            self.layout.label(text="The armature has no bone collections")


CLASSES = (
    INERTIA_MT_transition,
    INERTIA_MT_meeting,
    INERTIA_MT_joints,
    INERTIA_MT_hops,
    INERTIA_MT_root_motion,
    INERTIA_MT_bones,
    INERTIA_MT_scale_collection,
)

PLACES = (
    "VIEW3D_MT_pose",
    "VIEW3D_MT_pose_context_menu",
    "VIEW3D_MT_object_animation",
    "DOPESHEET_MT_action",
    "DOPESHEET_MT_key",
    "GRAPH_MT_key",
    "NLA_MT_strips",
)
"""Menus that get an Inertia entry."""


def places() -> list[Any]:
    """Those of the menus that this Blender has."""
    return compat.types_named(PLACES)


def draw_entry(self: Any, _context: Any) -> None:
    """The entry at a menu's end."""
    self.layout.separator()
    self.layout.menu(INERTIA_MT_transition.bl_idname, icon="IPO_EASE_IN_OUT")


def attach() -> None:
    """Add the entries."""
    for menu in places():
        menu.append(draw_entry)


def detach() -> None:
    """Remove the entries."""
    for menu in reversed(places()):
        menu.remove(draw_entry)
