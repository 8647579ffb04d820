# SPDX-License-Identifier: GPL-3.0-or-later
"""Lets the mouse grab the edges of ramps: an invisible gizmo lies over the plots. Graph Editors have none."""

from __future__ import annotations

from typing import Any

import bpy

from ..overlay.gizmo import TIME_EDITOR
from ..overlay.protocol import holder_of
from . import under_mouse
from .drag_ramp import grab
from .ramp_marks import Handle


class INERTIA_GT_ramp(bpy.types.Gizmo):
    bl_idname = "INERTIA_GT_ramp"

    def setup(self) -> None:
        self._handle: Handle | None = None

    def draw(self, context: Any) -> None:
        # the plots are drawn after it, and over it
        under_mouse.put(context.region, self._handle if self.is_highlight else None)

    def test_select(self, context: Any, location: Any) -> int:
        found = grab(context, *location)
        handle = found[0] if found is not None else None
        if handle != self._handle:
            self._handle = handle
            context.region.tag_redraw()
        return 0 if handle is not None else -1


def _grab_ramps(group: Any) -> None:
    gizmo = group.gizmos.new(INERTIA_GT_ramp.bl_idname)
    gizmo.target_set_operator("inertia.drag_ramp")
    gizmo.use_draw_modal = True


class INERTIA_GGT_ramps(bpy.types.GizmoGroup):
    bl_idname = "INERTIA_GGT_ramps"
    bl_label = "Inertia Ramps"
    bl_space_type = "VIEW_3D"
    bl_region_type = "WINDOW"
    bl_options = {"PERSISTENT"}

    @classmethod
    def poll(cls, context: Any) -> bool:
        return bool(context.scene.inertia_overlay.root_motion and holder_of(context))

    def setup(self, _context: Any) -> None:
        _grab_ramps(self)


class INERTIA_GGT_ramps_in_time(bpy.types.GizmoGroup):
    bl_idname = "INERTIA_GGT_ramps_in_time"
    bl_label = "Inertia Ramps in Time"
    bl_space_type = TIME_EDITOR
    bl_region_type = "WINDOW"
    bl_options = {"PERSISTENT"}

    @classmethod
    def poll(cls, context: Any) -> bool:
        return bool(context.scene.inertia_overlay.root_timelines and holder_of(context))

    def setup(self, _context: Any) -> None:
        _grab_ramps(self)


CLASSES = (INERTIA_GT_ramp, INERTIA_GGT_ramps, INERTIA_GGT_ramps_in_time)
