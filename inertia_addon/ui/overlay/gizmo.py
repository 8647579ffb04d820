# SPDX-License-Identifier: GPL-3.0-or-later
"""Lets the mouse grab the plots: an invisible gizmo lies over them. Graph Editors have no gizmos."""

from __future__ import annotations

from typing import Any

import bpy

from . import build
from .protocol import plots

TIME_EDITOR = "DOPESHEET_EDITOR"
"""The time editor that has gizmos."""


class INERTIA_GT_plot(bpy.types.Gizmo):
    bl_idname = "INERTIA_GT_plot"

    def setup(self) -> None:
        pass

    def draw(self, _context: Any) -> None:
        pass  # the plots are drawn below it

    def test_select(self, context: Any, location: Any) -> int:
        return 0 if build.hit_in(context, *location) is not None else -1


class INERTIA_GGT_plots(bpy.types.GizmoGroup):
    bl_idname = "INERTIA_GGT_plots"
    bl_label = "Inertia Plots"
    bl_space_type = "VIEW_3D"
    bl_region_type = "WINDOW"
    bl_options = {"PERSISTENT"}

    @classmethod
    def poll(cls, context: Any) -> bool:
        own = context.scene.inertia_overlay
        return any(
            each.is_clicked and getattr(own, each.name) and each.armature(context) is not None
            for each in plots()
        )

    def setup(self, _context: Any) -> None:
        gizmo = self.gizmos.new(INERTIA_GT_plot.bl_idname)
        gizmo.target_set_operator("inertia.pick_meeting")
        gizmo.use_draw_modal = True


CLASSES = (INERTIA_GT_plot, INERTIA_GGT_plots)
