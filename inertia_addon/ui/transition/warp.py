# SPDX-License-Identifier: GPL-3.0-or-later
"""Chooses where the destination arrives by a warp of its root motion."""

from __future__ import annotations

import math
from collections.abc import Hashable
from typing import Any

import bpy

from ...settings.transition import TransitionSettings
from ..shared import cache, drawing, forms, tool
from ..shared.tool import Tool
from ..translations import translated

MARK = "Arrival"
"""What an empty is called that is made to be arrived at."""
SETTINGS = ("warp_at", "warp_from", "warp_until", "warp_heading", "warp_height")
"""When a warped destination arrives, from when and until when it is warped, and how it stands there."""


class INERTIA_OT_warp_to(Tool, bpy.types.Operator):
    bl_idname = "inertia.warp_to"
    bl_label = "Warp to Object"
    bl_description = (
        "Have the destination arrive at the other selected object, by its root motion alone: its travel "
        "leads there, and its poses stay. If no other object is selected, an empty is made at the 3D cursor "
        "for it"
    )
    needs = (tool.poll_settings,)

    def act(self, context: Any) -> None:
        armature = context.object
        others = [thing for thing in context.selected_objects if thing != armature]
        mark = others[0] if len(others) == 1 else _mark(context, armature)
        armature.inertia.warp_to, armature.inertia.warp_object = "", mark.name
        self.say('The destination arrives at "{object}"', object=mark.name)


class INERTIA_OT_warp_nowhere(Tool, bpy.types.Operator):
    bl_idname = "inertia.warp_nowhere"
    bl_label = "No Warp"
    bl_description = "Leave the destination's root motion as it is. The object it was to arrive at stays"
    needs = (
        tool.poll_settings,
        tool.need(lambda context: chosen(context.object.inertia), "The destination is not warped"),
    )

    def act(self, context: Any) -> None:
        props = context.object.inertia
        props.warp_object = props.warp_to = ""


def chosen(props: Any) -> bool:
    """Return whether an object's settings, or an operator's, have the destination warped."""
    return bool(props.warp_object or props.warp_to)


def _mark(context: Any, armature: Any) -> Any:
    """Make an empty at the 3D cursor, shown as arrows, link it to the context's collection, and return it.

    Its front, -Y, points away from the armature's origin over the ground; it is not turned where it stands
    exactly at that origin. The view layer is updated, so that its world matrix is right.
    """
    mark = bpy.data.objects.new(MARK, None)
    context.collection.objects.link(mark)
    mark.empty_display_type, mark.empty_display_size = "ARROWS", 0.5
    mark.location = context.scene.cursor.location
    way = mark.location - armature.matrix_world.translation
    # its front is -Y
    mark.rotation_euler.z = math.atan2(way.x, -way.y) if way.length > 0.0 else 0.0
    context.view_layer.update()
    return mark


def draw(layout: Any, props: Any) -> None:
    """Draw the field of the alignment and, where one is chosen, the place that the destination arrives at."""
    row = layout.row(align=True)
    row.prop(props, "alignment")
    if not chosen(props):
        place = row.row(align=True)
        place.scale_x = drawing.SHORT_WORD
        place.operator("inertia.warp_to", text=translated("Warp"), translate=False)
        return
    column = layout.column(align=True)
    row = column.row(align=True)
    if props.warp_to:
        row.prop(props, "warp_to")
    else:
        row.alert = props.warp_object not in bpy.data.objects
        row.prop(props, "warp_object", icon="OBJECT_DATA")
    row.operator("inertia.warp_nowhere", text="", icon="X")
    forms.draw(column, props, TransitionSettings, SETTINGS)


def state(armature: Any) -> Hashable:
    """Return what changes whenever that may have moved at which an armature's destination arrives."""
    name = armature.inertia.warp_object
    mark = bpy.data.objects.get(name) if name else None
    return None if mark is None else cache.object_state(mark)
