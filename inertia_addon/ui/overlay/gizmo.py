# SPDX-License-Identifier: GPL-3.0-or-later
"""Lets the mouse grab the plots: an invisible gizmo lies over them. Graph Editors have no gizmos."""

from __future__ import annotations

from typing import Any

import bpy

from ...plots.shapes import Rect
from . import build, moving, state

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


class Picked(Grabbed):
    """What the mouse picks frames in. in_time: whether in a time editor."""

    made_of = INERTIA_GT_plot
    operator = "inertia.pick_meeting"
    in_time = False

    @classmethod
    def poll(cls, context: Any) -> bool:
        shown = state.on(context.scene.inertia_overlay, cls.in_time)
        return any(each.is_clicked and each.armature(context) is not None for each in shown)


class INERTIA_GGT_plots(Picked, bpy.types.GizmoGroup):
    bl_label = "Inertia Plots"


class INERTIA_GGT_plots_in_time(Picked, bpy.types.GizmoGroup):
    bl_label = "Inertia Plots in Time"
    bl_space_type = TIME_EDITOR
    in_time = True


class INERTIA_GT_panel(bpy.types.Gizmo):
    def setup(self) -> None:
        self._place: Rect | None = None

    def draw(self, context: Any) -> None:
        # the plots are drawn after it, and over it
        moving.put_lit(context.region, self._place if self.is_highlight else None)

    def test_select(self, context: Any, location: Any) -> int:
        found = build.panel_at(context, *location)
        place = found[1] if found is not None else None
        if place != self._place:
            self._place = place
            context.region.tag_redraw()
        return 0 if place is not None else -1


class INERTIA_GGT_panels(Grabbed, bpy.types.GizmoGroup):
    bl_label = "Inertia Panels"
    made_of = INERTIA_GT_panel
    operator = "inertia.move_plot"

    @classmethod
    def poll(cls, context: Any) -> bool:
        own = context.scene.inertia_overlay
        return any(each.armature(context) is not None for each in state.on(own, in_time=False))


CLASSES = (
    *(INERTIA_GT_plot, INERTIA_GGT_plots, INERTIA_GGT_plots_in_time),
    *(INERTIA_GT_panel, INERTIA_GGT_panels),
)
