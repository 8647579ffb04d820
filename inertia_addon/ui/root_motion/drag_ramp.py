# SPDX-License-Identifier: GPL-3.0-or-later
"""Drags an edge of a ramp in the plots of root motion: what lies between the edges is measured.

An invisible gizmo over the plots lets the mouse grab it; Graph Editors have none.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import bpy

from ..overlay import build, mouse
from ..overlay import layout as overlay_layout
from ..shared import cache, character, tool
from ..shared.tool import Drags
from ..translations import translated
from . import measured as root_motion
from . import plot as root_plot
from . import ramp_marks

if TYPE_CHECKING:
    from ...motion.arrays import Array
    from ...plots.theme import Theme
    from ..overlay.layout import RegionInfo
    from ..overlay.protocol import Overlay
    from .model import RootPlot
    from .ramp_marks import Layout, RampGrip

    Grabbed = tuple[RampGrip, RootPlot, Layout]

LEAST_STEPS = 6
"""A range holds so many steps between frames at least, or there is nothing to fit."""


class INERTIA_OT_drag_ramp(Drags, bpy.types.Operator):
    bl_idname = "inertia.drag_ramp"
    bl_label = "Drag Ramp"
    bl_description = (
        "Set where a ramp of the root motion begins or ends: drag its edge. Only what lies between is "
        "measured. ESC puts it back"
    )
    needs = (tool.poll_settings, root_motion.poll_shown_action)

    def invoke(self, context: Any, event: Any) -> set[str]:
        grabbed = grab(context, event.mouse_region_x, event.mouse_region_y)
        if grabbed is None:
            return {"PASS_THROUGH"}
        armature = context.object
        self._handle, plot, self._layout = grabbed
        ramp = plot.ramps[self._handle.index]
        self._action = root_motion.choose_action(armature)
        kind = self._handle.kind
        self._before = root_motion.ranges_of(armature, self._action, kind)
        self._ranges = list(self._before or root_motion.find_ranges(armature, self._action, kind))
        # the range that it was measured in, as ranges without a change have no ramp
        apart = [abs(start - ramp.start) + abs(end - ramp.end) for start, end in self._ranges]
        self._index = apart.index(min(apart))
        self._limits = limits(plot, self._handle)
        self._away = frame_at(self._layout, event.mouse_region_x) - getattr(ramp, self._handle.edge)
        self._moved = False
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def follow(self, context: Any, event: Any) -> None:
        # whole frames at a time
        low, high = self._limits
        frame = float(round(frame_at(self._layout, event.mouse_region_x) - self._away))
        frame = min(max(frame, low), high)
        start, end = self._ranges[self._index]
        new = (frame, end) if self._handle.edge == "start" else (start, frame)
        if new == (start, end):
            return
        self._ranges[self._index] = new
        self._moved = True
        root_motion.put_ranges(context.object, self._action, self._handle.kind, self._ranges)
        text = translated("Frames {0} to {1}. ESC puts them back.", f"{new[0]:g}", f"{new[1]:g}")
        context.area.header_text_set(text)
        cache.redraw()

    def is_moved(self) -> bool:
        return self._moved

    def put_back(self, context: Any) -> None:
        root_motion.put_ranges(context.object, self._action, self._handle.kind, self._before or ())


def limits(plot: RootPlot, grip: RampGrip) -> tuple[float, float]:
    """Return the first and the last frame to which an edge of a ramp may be moved.

    It stays in the clip, whose ends are rounded outwards to whole frames, between the ramps before and
    behind, and at least LEAST_STEPS steps of the clip (from its first frame to its second) from the ramp's
    other edge. Where a neighbour, or the clip's end, leaves less room than that, both results are the
    neighbour's edge, or that end. plot: with at least two frames. grip: its index is that of a ramp of the
    plot.
    """
    ramp, frames = plot.ramps[grip.index], plot.frames
    least = LEAST_STEPS * float(frames[1] - frames[0])
    others = [other for other in plot.ramps if other is not ramp]
    if grip.edge == "start":
        ends = [other.end for other in others if other.end <= ramp.start]
        before = max(ends, default=float(math.floor(frames[0])))
        return before, max(ramp.end - least, before)
    starts = [other.start for other in others if other.start >= ramp.end]
    after = min(starts, default=float(math.ceil(frames[-1])))
    return min(ramp.start + least, after), after


def frame_at(layout: Layout, x: float) -> float:
    """Return the frame at a place of the region, which may lie beside the plot."""
    low, high = layout.main.x_range
    left, _, width, _ = layout.main.area
    return low + (high - low) * (x - left) / width


def grab(context: Any, x: float, y: float) -> Grabbed | None:
    """Return (grip, plot, layout): the edge of a ramp that can be grabbed at a place of the context's region,
    its plot and where that lies; None for none, or where no plot is shown.

    x, y: pixels from the region's lower left corner. The region is that of a 3D View or else of a time
    editor. Of several plots the first at whose place there is an edge counts.
    """
    theme, info = overlay_layout.theme_of(context), overlay_layout.RegionInfo.from_context(context)
    if context.area.type == "VIEW_3D":
        overlay = build.view3d_overlay(context)
        layouts = in_view3d(overlay, info, theme) if overlay is not None else []
    else:
        overlay = build.time_overlay(context)
        to_x = overlay_layout.TimeAxis.from_context(context)
        layouts = in_time_editor(overlay, info, to_x, theme) if overlay is not None else []
    return grabbed(layouts, theme, x, y)


def in_view3d(overlay: Overlay, info: RegionInfo, theme: Theme) -> list[tuple[RootPlot, Layout]]:
    """Return the plots of root motion that a 3D View shows, and where they lie."""
    cells = build.cells(overlay, info).get(root_plot.RootMotionPlot.name, [])
    return [(shown, root_plot.in_panel(shown, place, theme)) for shown, place in cells]


def in_time_editor(
    overlay: Overlay, info: RegionInfo, to_x: Callable[[Array], Array], theme: Theme
) -> list[tuple[RootPlot, Layout]]:
    """Return the plots of root motion that a time editor shows, and where they lie."""
    frames = build.frames_in_sight(info, to_x)
    return [
        (shown, root_plot.in_band(shown, place, frames, theme))
        for time_plot, _, bands in build.time_cells(overlay, info)
        if time_plot.name == root_plot.RootTimeline.name
        for shown, place in bands
    ]


def grabbed(layouts: list[tuple[RootPlot, Layout]], theme: Theme, x: float, y: float) -> Grabbed | None:
    """Return (grip, plot, layout) for the first edge of a ramp that can be grabbed at a place (pixels); None
    for none.

    layouts: (plot, layout) pairs in order, of which the first with an edge within reach counts; in it the
    nearest edge.
    """
    for shown, layout in layouts:
        handle = ramp_marks.handle_at(shown, layout, theme, x, y)
        if handle is not None:
            return handle, shown, layout
    return None


class INERTIA_GT_ramp(mouse.Lit, bpy.types.Gizmo):
    @staticmethod
    def under(context: Any, x: float, y: float) -> RampGrip | None:
        grabbed = grab(context, x, y)
        return grabbed[0] if grabbed is not None else None

    @staticmethod
    def note_lit(region: Any, under: RampGrip | None) -> None:
        ramp_marks.put_lit(region, under)


class RampGrips(mouse.Grabbed):
    """The edges of the ramps of a plot. switch: the plot's name."""

    made_of = INERTIA_GT_ramp
    operator = "inertia.drag_ramp"
    switch = ""

    @classmethod
    def poll(cls, context: Any) -> bool:
        return bool(getattr(context.scene.inertia_overlay, cls.switch) and character.holder_of(context))


class INERTIA_GGT_ramps(RampGrips, bpy.types.GizmoGroup):
    bl_label = "Inertia Ramps"
    switch = "root_motion"


class INERTIA_GGT_ramps_in_time(RampGrips, bpy.types.GizmoGroup):
    bl_label = "Inertia Ramps in Time"
    bl_space_type = mouse.TIME_EDITOR
    switch = "root_timelines"


GIZMOS = (INERTIA_GT_ramp, INERTIA_GGT_ramps, INERTIA_GGT_ramps_in_time)
