# SPDX-License-Identifier: GPL-3.0-or-later
"""Follows the mouse over a cost map or curve: where it is, there the clips meet."""

from __future__ import annotations

from typing import Any

import bpy

from ...overlay import build
from ...shared import common


class INERTIA_OT_pick_meeting(bpy.types.Operator):
    bl_idname = "inertia.pick_meeting"
    bl_label = "Pick Meeting"
    bl_description = (
        "Set the cut and the destination frame from the cost map, or one of them from a cost curve: "
        "press and drag. ESC puts them back"
    )
    bl_options = {"UNDO", "BLOCKING", "INTERNAL"}

    @classmethod
    def poll(cls, context: Any) -> bool:
        return common.poll_settings(cls, context) and common.poll_actions(cls, context)

    def invoke(self, context: Any, event: Any) -> set[str]:
        own = context.object.inertia
        self._before = (own.cut, own.use_destination_frame, own.destination_frame)
        found = build.hit_in(context, event.mouse_region_x, event.mouse_region_y)
        if found is None:
            return {"PASS_THROUGH"}
        self._kind = found[0]
        self._put(context, found[1])
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context: Any, event: Any) -> set[str]:
        if event.type in ("ESC", "RIGHTMOUSE") and event.value == "PRESS":
            own = context.object.inertia
            own.cut, own.use_destination_frame, own.destination_frame = self._before
            return {"CANCELLED"}
        if event.type == "LEFTMOUSE" and event.value == "RELEASE":
            return {"FINISHED"}
        if event.type == "MOUSEMOVE":
            found = build.hit_in(context, event.mouse_region_x, event.mouse_region_y)
            if found is not None and found[0] == self._kind:
                self._put(context, found[1])
        return {"RUNNING_MODAL"}

    def _put(self, context: Any, values: tuple[float, ...]) -> None:
        own = context.object.inertia
        if self._kind in ("CUT", "MAP"):
            own.cut = values[0]
        if self._kind in ("DESTINATION", "MAP"):
            own.destination_frame = values[-1]
            own.use_destination_frame = True
        context.area.tag_redraw()
