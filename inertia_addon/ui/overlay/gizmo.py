# SPDX-License-Identifier: GPL-3.0-or-later
"""Lets the mouse grab the plots: an invisible gizmo lies over them. Graph Editors have no gizmos."""

from __future__ import annotations

from collections.abc import Callable
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


class Lit:
    """A gizmo over what can be grabbed, each of which is lit while the mouse is on it."""

    put_lit: Callable[[Any, Any], None]
    is_highlight: bool

    @staticmethod
    def under(context: Any, x: float, y: float) -> Any:
        """What is under the mouse, None for nothing."""
        raise NotImplementedError

    def setup(self) -> None:
        """Nothing is lit."""
        self._under: Any = None

    def draw(self, context: Any) -> None:
        """Say what is lit: it is drawn after the gizmo, and over it."""
        self.put_lit(context.region, self._under if self.is_highlight else None)

    def test_select(self, context: Any, location: Any) -> int:
        """Whether the mouse can grab something."""
        under = self.under(context, *location)
        if under != self._under:
            self._under = under
            context.region.tag_redraw()
        return 0 if under is not None else -1


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


class INERTIA_GT_panel(Lit, bpy.types.Gizmo):
    @staticmethod
    def under(context: Any, x: float, y: float) -> Rect | None:
        found = build.panel_at(context, x, y)
        return found[1] if found is not None else None

    put_lit = staticmethod(moving.put_lit)


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
