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
    def setup(self) -> None:
        pass

    def draw(self, _context: Any) -> None:
        pass  # the plots are drawn below it

    def test_select(self, context: Any, location: Any) -> int:
        return 0 if build.hit_in(context, *location) is not None else -1


class Grabbed:
    """A group of one gizmo. made_of: its class; operator: what it begins."""

    bl_space_type = "VIEW_3D"
    bl_region_type = "WINDOW"
    bl_options = {"PERSISTENT"}
    gizmos: Any
    made_of: type
    operator: str

    def setup(self, _context: Any) -> None:
        gizmo = self.gizmos.new(self.made_of.__name__)
        gizmo.target_set_operator(self.operator)
        gizmo.use_draw_modal = True


class INERTIA_GGT_plots(Grabbed, bpy.types.GizmoGroup):
    bl_label = "Inertia Plots"
    made_of = INERTIA_GT_plot
    operator = "inertia.pick_meeting"

    @classmethod
    def poll(cls, context: Any) -> bool:
        own = context.scene.inertia_overlay
        return any(
            each.is_clicked and getattr(own, each.name) and each.armature(context) is not None
            for each in plots()
        )


CLASSES = (INERTIA_GT_plot, INERTIA_GGT_plots)
