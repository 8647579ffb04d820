# SPDX-License-Identifier: GPL-3.0-or-later
"""Drags an edge of a ramp in the plots of root motion: what lies between the edges is measured."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import bpy

from ...motion.arrays import Array
from ...plots.theme import Theme
from ..overlay import build
from ..overlay.layout import RegionInfo, TimeAxis
from ..overlay.protocol import Overlay
from ..overlay.theme import from_context
from ..shared import cache, tool
from ..shared.tool import Drags
from ..translations import translated
from . import measured as root_motion
from .model import RootPlot, RootRamp
from .plot import RootMotionPlot, RootTimeline, in_band, in_panel
from .ramp_marks import Handle, Layout, handle_at

LEAST_STEPS = 6
"""A range holds so many steps between frames at least, or there is nothing to fit."""

Grabbed = tuple[Handle, RootPlot, Layout]


class INERTIA_OT_drag_ramp(Drags, bpy.types.Operator):
    bl_idname = "inertia.drag_ramp"
    bl_label = "Drag Ramp"
    bl_description = (
        "Set where a ramp of the root motion begins or ends: drag its edge. Only what lies between is "
        "measured. ESC puts it back"
    )
    needs = (tool.poll_settings, root_motion.poll_shown_action)

    def invoke(self, context: Any, event: Any) -> set[str]:
        found = grab(context, event.mouse_region_x, event.mouse_region_y)
        if found is None:
            return {"PASS_THROUGH"}
        armature = context.object
        self._handle, self._plot, self._made = found
        ramp = self._plot.ramps[self._handle.index]
        self._action = root_motion.shown_action(armature)
        self._before = root_motion.ranges_of(armature, self._action, self._handle.kind)
        self._ranges = list(
            self._before or root_motion.found_ranges(armature, self._action, self._handle.kind)
        )
        self._index = nearest(self._ranges, ramp)
        self._limits = limits(self._plot, self._handle)
        self._away = frame_at(self._made, event.mouse_region_x) - getattr(ramp, self._handle.edge)
        self._moved = False
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def follow(self, context: Any, event: Any) -> None:
        # whole frames at a time
        low, high = self._limits
        frame = min(max(float(round(frame_at(self._made, event.mouse_region_x) - self._away)), low), high)
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


def nearest(ranges: list[tuple[float, float]], ramp: RootRamp) -> int:
    """The index of the range that a ramp was measured in, as ranges without a change have no ramp."""
    return min(
        range(len(ranges)), key=lambda i: abs(ranges[i][0] - ramp.start) + abs(ranges[i][1] - ramp.end)
    )


def limits(plot: RootPlot, handle: Handle) -> tuple[float, float]:
    """Between which frames an edge may be: inside of the clip, and beside the ramp's neighbours."""
    ramp = plot.ramps[handle.index]
    step = float(plot.frames[1] - plot.frames[0])
    least = LEAST_STEPS * step
    first, last = math.floor(plot.frames[0]), math.ceil(plot.frames[-1])
    others = [other for other in plot.ramps if other is not ramp]
    if handle.edge == "start":
        before = max((other.end for other in others if other.end <= ramp.start), default=float(first))
        return before, max(ramp.end - least, before)
    after = min((other.start for other in others if other.start >= ramp.end), default=float(last))
    return min(ramp.start + least, after), after


def frame_at(made: Layout, x: float) -> float:
    """The frame at a place of the region, which may lie beside the plot."""
    low, high = made.main.x_range
    left, width = made.main.area[0], made.main.area[2]
    return low + (high - low) * (x - left) / width


def grab(context: Any, x: float, y: float) -> Grabbed | None:
    """The edge of a ramp at a place of the region, with its plot; None for none."""
    theme, info = from_context(context), RegionInfo.from_context(context)
    if context.area.type == "VIEW_3D":
        overlay = build.of_view3d(context)
        layouts = in_view3d(overlay, info, theme) if overlay is not None else []
    else:
        overlay = build.of_time_editor(context)
        to_x = TimeAxis.from_context(context)
        layouts = in_time_editor(overlay, info, to_x, theme) if overlay is not None else []
    return grabbed(layouts, theme, x, y)


def in_view3d(overlay: Overlay, info: RegionInfo, theme: Theme) -> list[tuple[RootPlot, Layout]]:
    """The plots of root motion that a 3D View shows, and where they lie."""
    cells = build.cells(overlay, info).get(RootMotionPlot.name, [])
    return [(shown, in_panel(shown, place, theme)) for shown, place in cells]


def in_time_editor(
    overlay: Overlay, info: RegionInfo, to_x: Callable[[Array], Array], theme: Theme
) -> list[tuple[RootPlot, Layout]]:
    """The plots of root motion that a time editor shows, and where they lie."""
    frames = build.frames_in_sight(info, to_x)
    return [
        (shown, in_band(shown, place, frames, theme))
        for each, _, bands in build.time_cells(overlay, info)
        if each.name == RootTimeline.name
        for shown, place in bands
    ]


def grabbed(layouts: list[tuple[RootPlot, Layout]], theme: Theme, x: float, y: float) -> Grabbed | None:
    """The edge of a ramp that can be grabbed at a place, with its plot; None for none."""
    for shown, made in layouts:
        handle = handle_at(shown, made, theme, x, y)
        if handle is not None:
            return handle, shown, made
    return None
