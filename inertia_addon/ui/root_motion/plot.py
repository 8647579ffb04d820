# SPDX-License-Identifier: GPL-3.0-or-later
"""A root's speed, or its facing, over time: where it lies, and as shapes. See ramp_marks.py for its ramps."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...blender.data import compat
from ...plots import plot, shapes
from ...plots.line_chart import LineChart
from ...plots.plot import Plot
from ...plots.shapes import Rect, Shape, Text
from ...plots.theme import Theme, mixed
from ..overlay import layout as at_layout
from ..overlay.layout import RegionInfo, Slot
from ..overlay.protocol import OverlayPlot, Span, TimePlot
from ..translations import translated
from . import ramp_marks as root_marks
from . import shown as shown_of
from .model import RootMotionPlots, RootPlot
from .ramp_marks import Layout

LANE = 0.32
"""The part of a plot that shows the slope."""
LANE_FROM, ROWS_FROM = 165.0, 140.0
"""The least heights of a panel that has a lane for the slope, and two rows of labels; at a scale of 1."""
BAND_ROWS_FROM = 74.0
"""In a band of less height, at a scale of 1, labels stand beside the title."""
SCROLL_BAR = 11.0
"""What a time editor's scroll bar takes at the bottom, pixels at a scale of 1."""
SWATCH = 20.0
"""Room for a sample of a line, pixels at a scale of 1."""
LEAST_TURN = 20.0
"""A facing's plot shows so many degrees at least, so that noise looks like noise."""
OUTLIERS = 1.0
"""So many percent of the raw samples, at either end, may lie outside of the plot."""


def in_panel(found: RootPlot, place: Rect, theme: Theme) -> Layout:
    """Where things lie in a panel of a 3D View."""
    first, last = float(found.frames[0]), float(found.frames[-1])
    x_range = (first, last) if last > first else (first - 1.0, last + 1.0)
    shown = LineChart(series=(), title=found.title, x_range=x_range, y_range=y_range(found))
    main = shown.layout(place, theme)
    return _divided(found, main, 2 if place[3] >= ROWS_FROM * theme.scale else 1, theme)


def _divided(found: RootPlot, whole: Plot, rows: int, theme: Theme) -> Layout:
    """A plot's area divided into rows of labels, the curve, and a lane for its slope where there is room."""
    left, bottom, width, height = whole.area
    s = theme.scale
    strip = (1.3 * rows + 0.2) * theme.font
    tall, gap = height - strip, 6.0 * s
    lane = None
    if whole.panel[3] >= LANE_FROM * s:
        low = LANE * tall
        lane = Plot(
            whole.panel, (left, bottom, width, low), whole.x_range, rate_range(found, 0.6 * theme.font / low)
        )
        bottom, tall = bottom + low + gap, tall - low - gap
    main = dataclasses.replace(whole, area=(left, bottom, width, tall))
    return Layout(main, lane, (left, bottom + tall, width, strip), rows)


def in_band(
    found: RootPlot, place: Rect, x_range: tuple[float, float], theme: Theme, grips: bool = True
) -> Layout:
    """Where things lie in a band of a time editor. x_range: the frames at its left and right edge."""
    left, bottom, width, height = place
    s = theme.scale
    strip = 1.5 * theme.font
    roomy = height >= BAND_ROWS_FROM * s
    head = 1.6 * theme.font if roomy else 0.2 * theme.font
    foot = (SCROLL_BAR if roomy else 3.0) * s
    tall = height - head - strip - foot
    main = Plot(place, (left, bottom + foot, width, tall), x_range, y_range(found))
    return Layout(main, None, (left, bottom + foot + tall, width, strip), 1, grips)


def y_range(found: RootPlot) -> tuple[float, float]:
    """What a plot shows upwards: all but some of the raw samples."""
    raw = np.percentile(found.raw, [OUTLIERS, 100.0 - OUTLIERS]) if len(found.raw) else np.zeros(2)
    parts = [raw, found.smooth, *(ramp.spring for ramp in found.ramps)]
    low = min(float(np.min(part)) for part in parts if len(part))
    high = max(float(np.max(part)) for part in parts if len(part))
    if found.kind == "speed":
        return min(low, 0.0), 1.08 * high if high > 0.0 else 1.0
    more = max(0.08 * (high - low), 0.5 * (LEAST_TURN - (high - low)))
    return low - more, high + more


def rate_range(found: RootPlot, room: float) -> tuple[float, float]:
    """What the slope's lane shows upwards, zero included. room: for a label, as a part of the lane."""
    parts = [found.rates, *(ramp.rates for ramp in found.ramps)]
    low = min(0.0, *(float(np.min(part)) for part in parts if len(part)))
    high = max(0.0, *(float(np.max(part)) for part in parts if len(part)))
    if high == low:
        return low - 1.0, high + 1.0
    # room for the labels of peaks, above those that rise and below those that fall
    up = 0.08 + (room if any(ramp.peak_rate > 0.0 for ramp in found.ramps) else 0.0)
    down = 0.08 + (room if any(ramp.peak_rate < 0.0 for ramp in found.ramps) else 0.0)
    span = (high - low) / (1.0 - min(up + down, 0.7))
    return low - down * span, high + up * span


def shapes_of(found: RootPlot, action: str, place: Rect, theme: Theme) -> list[Shape]:
    """A plot on a panel of its own."""
    made = in_panel(found, place, theme)
    s = theme.scale
    room = place[2] - 2.0 * plot.PADDING * s
    title, note = heading(found, action, room, theme)
    shown = [plot.panel(place, theme), *plot.heading(place, theme, title, "")]
    right, top = place[0] + place[2], place[1] + place[3]
    shown += _noted(found, note, right - plot.PADDING * s, top - plot.PADDING * s - 0.85 * theme.font, theme)
    shown += root_marks.bands(found, made, theme)
    # the lane is the lowest, and has the frames below it
    left, _, width, height = made.main.area
    frames = dataclasses.replace(
        made.main, area=(left, made.low, width, made.main.area[1] + height - made.low)
    )
    shown += plot.x_axis(frames, theme) + plot.y_axis(made.main, theme)
    shown += _units(found, made, theme)
    return shown + contents(found, made, theme)


def on_time_axis(
    found: RootMotionPlots,
    each: RootPlot,
    place: Rect,
    x_range: tuple[float, float],
    theme: Theme,
    grips: bool,
) -> list[Shape]:
    """A plot in a band of a time editor, over the editor's own frames."""
    s = theme.scale
    made = in_band(each, place, x_range, theme, grips)
    left, bottom, width, height = place
    shown: list[Shape] = [
        shapes.box(*place, theme.panel),
        shapes.line([(left, bottom + height), (left + width, bottom + height)], theme.grid, 1.0),
    ]
    room = width - 2.0 * plot.PADDING * s
    if height < BAND_ROWS_FROM * s:
        title, note = each.title, ""
        made = dataclasses.replace(made, strip=_beside(made.strip, title, theme))
        baseline = made.strip[1] + 0.35 * theme.font
    else:
        title, note = heading(each, found.called or found.action, room, theme)
        baseline = bottom + height - 1.15 * theme.font
    shown += root_marks.bands(each, made, theme) + contents(each, made, theme)
    # over the ramps' tint, which reaches as far as the keys do
    shown.append(Text(left + plot.PADDING * s, baseline, title, theme.font, theme.text))
    return shown + _noted(each, note, left + width - plot.PADDING * s, baseline, theme)


def _beside(strip: Rect, title: str, theme: Theme) -> Rect:
    """A strip of labels, without what a title takes at its left."""
    taken = plot.width_of(title, theme.font) + 2.0 * plot.PADDING * theme.scale
    return strip[0] + taken, strip[1], max(strip[2] - taken, 0.0), strip[3]


def heading(found: RootPlot, action: str, room: float, theme: Theme) -> tuple[str, str]:
    """Title and note of a plot, as much of them as there is room for, pixels."""
    gap = 2.0 * theme.font + SWATCH * theme.scale
    title = f"{found.title}, {action}"
    notes = [found.note] if found.note else []
    if found.by_hand:
        notes.insert(0, ", ".join([*notes, translated("ranges by hand")]))
    if found.estimate and found.ramps:
        notes.insert(0, ", ".join([found.estimate, *notes[:1]]))
    for note in notes:
        if plot.width_of(title + note, theme.font) + gap <= room:
            return title, note
    return plot.shortened(title, theme.font, room), ""


def _noted(found: RootPlot, note: str, right: float, baseline: float, theme: Theme) -> list[Shape]:
    """A note that ends at a place, behind it the colour in which the maximum speed is drawn."""
    if not note:
        return []
    s = theme.scale
    if found.held is None:
        return [Text(right, baseline, note, theme.font, theme.faint, 1.0)]
    y = baseline + 0.36 * theme.font
    return [
        Text(right - SWATCH * s, baseline, note, theme.font, theme.faint, 1.0),
        shapes.line([(right - (SWATCH - 6.0) * s, y), (right, y)], theme.minimum, 2.4 * s),
    ]


def _units(found: RootPlot, made: Layout, theme: Theme) -> list[Shape]:
    """The units, where axes have their labels: above those of the curve, and beside the slope's lane."""
    x = made.main.area[0] - 5.0 * theme.scale
    shown: list[Shape] = [
        Text(x, made.strip[1] + 0.45 * theme.font, found.unit, theme.font, theme.faint, 1.0)
    ]
    if made.lane is not None:
        left, bottom, width, height = made.lane.area
        y = bottom + 0.5 * height - 0.35 * theme.font
        shown.append(Text(x, y, found.rate_unit, theme.font, theme.faint, 1.0))
        edge = bottom + height + 3.0 * theme.scale
        shown.append(shapes.line([(left, edge), (left + width, edge)], theme.grid, 1.0))
    return shown


def contents(found: RootPlot, made: Layout, theme: Theme) -> list[Shape]:
    """Curves, springs, and the ramps with their numbers."""
    s = theme.scale
    shown: list[Shape] = []
    pale = mixed(theme.curve, theme.panel, 0.5)
    if made.lane is not None:
        lane = made.lane
        zero = np.zeros(2)
        shown += plot.curve(lane, np.array(lane.x_range), zero, theme.grid, 1.0)
        shown += plot.curve(lane, found.frames, found.rates, pale, 1.2 * s)
        for ramp in found.ramps:
            shown += plot.curve(lane, ramp.rate_frames, ramp.rates, theme.curve, 1.6 * s)
    shown += plot.curve(made.main, found.frames, found.raw, pale, 1.0 * s)
    shown += plot.curve(made.main, found.frames, found.smooth, theme.curve, 1.8 * s)
    if found.held is not None:
        first, last, value = found.held
        shown += plot.curve(made.main, np.array([first, last]), np.full(2, value), theme.minimum, 2.4 * s)
    for ramp in found.ramps:
        shown += plot.curve(made.main, ramp.spring_frames, ramp.spring, theme.result, 2.2 * s)
    return shown + root_marks.handles(found, made, theme) + root_marks.labels_of(found, made, theme)


class RootMotionPlot(OverlayPlot):
    """Speed and facing with their ramps, in the 3D View."""

    name = "root_motion"
    label = "Root Motion"
    description = (
        "In the 3D View: the speed and the facing of the root over time, with the springs fitted "
        "to them. Drag the edges of a ramp to set its range"
    )
    tool = "RootMotion"
    needs_actions = False
    slot = Slot.ABOVE

    def model(self, armature: Any, own: Any) -> tuple[Any, str]:
        return shown_of.of(armature), ""

    def panels(self, model: RootMotionPlots) -> Sequence[Any]:
        return model.plots

    def shapes(self, model: RootMotionPlots, shown: RootPlot, place: Rect, theme: Theme) -> list[Shape]:
        return shapes_of(shown, model.called or model.action, place, theme)

    def takes(self, shown: RootPlot, place: Rect, theme: Theme, x: float, y: float) -> bool:
        made = in_panel(shown, place, theme)
        left, _, width, _ = made.main.area
        return left <= x <= left + width and made.low <= y <= made.high

    def now(
        self, context: Any, model: RootMotionPlots, cells: Sequence[tuple[RootPlot, Rect]], theme: Theme
    ) -> list[Shape]:
        layouts = [(shown, in_panel(shown, place, theme)) for shown, place in cells]
        frame = frame_played(context, model.action)
        marks = [] if frame is None else [root_marks.playhead(made, frame, theme) for _, made in layouts]
        return [*(shape for found in marks for shape in found), *lit(context.region, layouts, theme)]


class RootTimeline(TimePlot):
    """Speed and facing with their ramps, in time editors, lined up with the keys."""

    name = "root_timelines"
    label = "Root in Time Editors"
    description = (
        "In the Dope Sheet and the Graph Editor, lined up with the keys: the speed and the "
        "facing of the root, with the springs fitted to them"
    )
    tool = "RootMotion"
    needs_actions = False

    def model(self, armature: Any, own: Any) -> tuple[Any, str]:
        return shown_of.of(armature), ""

    def bands(
        self, model: RootMotionPlots, info: RegionInfo, below: float, is_alone: bool
    ) -> list[tuple[Any, Rect]]:
        plots: Sequence[RootPlot] = model.plots
        found = at_layout.root_bands(info, below, len(plots))
        if len(found) < len(plots):
            # the one that has ramps
            plots = sorted(plots, key=lambda each: not each.ramps)
        return list(zip(plots, found, strict=False))

    def shapes_in_time(
        self, model: RootMotionPlots, shown: RootPlot, place: Rect, frames: Span, theme: Theme, grips: bool
    ) -> list[Shape]:
        return on_time_axis(model, shown, place, frames, theme, grips)

    def now_in_time(
        self, context: Any, cells: Sequence[tuple[RootPlot, Rect]], frames: Span, theme: Theme
    ) -> list[Shape]:
        layouts = [(shown, in_band(shown, place, frames, theme)) for shown, place in cells]
        return lit(context.region, layouts, theme)


def frame_played(context: Any, action: str) -> float | None:
    """The frame at which the root motion shown is now; None where another action plays."""
    played = compat.assigned(context.object)[0]
    if played is None or played.name != action:
        return None
    return float(context.scene.frame_current_final)


def lit(region: Any, layouts: Sequence[tuple[RootPlot, Layout]], theme: Theme) -> list[Shape]:
    """The edge of a ramp that is under the mouse."""
    handle = root_marks.lit(region)
    for shown, made in layouts:
        if handle is not None and handle.kind == shown.kind and handle.index < len(shown.ramps):
            return root_marks.handle(handle, shown.ramps[handle.index], made, theme, bright=True)
    return []
