# SPDX-License-Identifier: GPL-3.0-or-later
"""Lets the mouse grab the plots: invisible gizmos lie over them. Graph Editors have no gizmos."""

from __future__ import annotations

from typing import Any

import bpy

from ..root_motion.ramp_marks import Handle
from . import state


class INERTIA_GT_plot(bpy.types.Gizmo):
    bl_idname = "INERTIA_GT_plot"

    def setup(self) -> None:
        pass

    def draw(self, _context: Any) -> None:
        pass  # the plots are drawn below it

    def test_select(self, context: Any, location: Any) -> int:
        from ..cost.operators.pick_meeting import hit

        return 0 if hit(context, *location) is not None else -1


class INERTIA_GT_ramp(bpy.types.Gizmo):
    bl_idname = "INERTIA_GT_ramp"

    def setup(self) -> None:
        self._handle: Handle | None = None

    def draw(self, context: Any) -> None:
        # the plots are drawn after it, and over it
        _lit[context.region.as_pointer()] = self._handle if self.is_highlight else None

    def test_select(self, context: Any, location: Any) -> int:
        from ..root_motion.drag_ramp import grab

        found = grab(context, *location)
        handle = found[0] if found is not None else None
        if handle != self._handle:
            self._handle = handle
            context.region.tag_redraw()
        return 0 if handle is not None else -1


_lit: dict[int, Handle | None] = {}
"""For each region, which edge of a ramp was under the mouse when its gizmos were drawn last."""


def lit(region: Any) -> Handle | None:
    """The edge of a ramp that is under the mouse in a region, or is dragged."""
    return _lit.get(region.as_pointer())


class INERTIA_GGT_plots(bpy.types.GizmoGroup):
    bl_idname = "INERTIA_GGT_plots"
    bl_label = "Inertia Plots"
    bl_space_type = "VIEW_3D"
    bl_region_type = "WINDOW"
    bl_options = {"PERSISTENT"}

    @classmethod
    def poll(cls, context: Any) -> bool:
        own = context.scene.inertia_overlay
        return bool(own.map or own.curves or own.bridge) and state.armature_of(context) is not None

    def setup(self, _context: Any) -> None:
        gizmo = self.gizmos.new(INERTIA_GT_plot.bl_idname)
        gizmo.target_set_operator("inertia.pick_meeting")
        gizmo.use_draw_modal = True


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
        return bool(context.scene.inertia_overlay.root_motion and state.root_armature_of(context))

    def setup(self, _context: Any) -> None:
        _grab_ramps(self)


class INERTIA_GGT_ramps_in_time(bpy.types.GizmoGroup):
    bl_idname = "INERTIA_GGT_ramps_in_time"
    bl_label = "Inertia Ramps in Time"
    bl_space_type = "DOPESHEET_EDITOR"
    bl_region_type = "WINDOW"
    bl_options = {"PERSISTENT"}

    @classmethod
    def poll(cls, context: Any) -> bool:
        return bool(context.scene.inertia_overlay.root_timelines and state.root_armature_of(context))

    def setup(self, _context: Any) -> None:
        _grab_ramps(self)


CLASSES = (
    INERTIA_GT_plot,
    INERTIA_GT_ramp,
    INERTIA_GGT_plots,
    INERTIA_GGT_ramps,
    INERTIA_GGT_ramps_in_time,
)
