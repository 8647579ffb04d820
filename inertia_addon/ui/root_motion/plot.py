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
from ..overlay.layout import PlotSlot, RegionInfo
from ..overlay.protocol import OverlayPlot, Span, TimePlot
from ..translations import translated
from . import ramp_marks as root_marks
from .model import RootMotionPlots, RootPlot, plots_of
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


def in_panel(root_plot: RootPlot, rect: Rect, theme: Theme) -> Layout:
    """Return where the parts of a plot lie in a panel of a 3D View, over all of the clip's frames; a clip of
    one frame has a frame more on both sides.

    rect: the panel, pixels. From ROWS_FROM (times the scale) in height on labels have two rows, below one; a
    panel lower than LANE_FROM (times the scale) has no lane for the slope. See :func:`_divided`.
    """
    first, last = float(root_plot.frames[0]), float(root_plot.frames[-1])
    x_range = (first, last) if last > first else (first - 1.0, last + 1.0)
    chart = LineChart(series=(), title=root_plot.title, x_range=x_range, y_range=y_range(root_plot))
    main = chart.layout(rect, theme)
    return _divided(root_plot, main, 2 if rect[3] >= ROWS_FROM * theme.scale else 1, theme)


def _divided(root_plot: RootPlot, plot_area: Plot, rows: int, theme: Theme) -> Layout:
    """Return a plot's area divided, from the top, into a strip for rows of labels, the curve and, if the
    panel (``plot_area.panel``, not its area) is LANE_FROM times the scale high or more, a lane for the slope.

    The strip is 1.3 font sizes high for each row and 0.2 more. The lane takes LANE of what is left, with a
    gap of 6 pixels times the scale above it; otherwise lane is None, and the curve takes all. All have the
    area's left edge and width. The lane has the area's x range and :func:`rate_range`, with room for labels
    0.6 font sizes high.

    plot_area: the whole; the curve (``main``) keeps its ranges. rows: of labels, 1 or 2.
    """
    left, bottom, width, height = plot_area.area
    s = theme.scale
    strip = (1.3 * rows + 0.2) * theme.font
    tall, gap = height - strip, 6.0 * s
    lane = None
    if plot_area.panel[3] >= LANE_FROM * s:
        low = LANE * tall
        rates = rate_range(root_plot, 0.6 * theme.font / low)
        lane = Plot(plot_area.panel, (left, bottom, width, low), plot_area.x_range, rates)
        bottom, tall = bottom + low + gap, tall - low - gap
    main = dataclasses.replace(plot_area, area=(left, bottom, width, tall))
    return Layout(main, lane, (left, bottom + tall, width, strip), rows)


def in_band(
    root_plot: RootPlot, rect: Rect, x_range: tuple[float, float], theme: Theme, *, grips: bool = True
) -> Layout:
    """Return where the parts of a plot lie in a band of a time editor: one row of labels, 1.5 font sizes
    high, the curve below it, and no lane for the slope. All have the band's left edge and width.

    From BAND_ROWS_FROM (times the scale) in height on a row of 1.6 font sizes for a title is left free above,
    and SCROLL_BAR times the scale below; in a lower band 0.2 font sizes above, and 3 pixels times the scale
    below. The curve takes the rest.

    rect: the band, pixels. x_range: the frames at its left and right edge. grips: the layout's, whether
    ramps' edges can be dragged.
    """
    left, bottom, width, height = rect
    s = theme.scale
    strip = 1.5 * theme.font
    roomy = height >= BAND_ROWS_FROM * s
    head = 1.6 * theme.font if roomy else 0.2 * theme.font
    foot = (SCROLL_BAR if roomy else 3.0) * s
    tall = height - head - strip - foot
    main = Plot(rect, (left, bottom + foot, width, tall), x_range, y_range(root_plot))
    return Layout(main, None, (left, bottom + foot + tall, width, strip), 1, grips)


def y_range(root_plot: RootPlot) -> tuple[float, float]:
    """Return the lowest and highest value that a plot shows, so that the smoothed curve and the ramps'
    springs fit in, and of the raw samples those from the 1st to the 99th percentile. Without raw samples 0
    counts as one.

    A speed's goes from the lowest, or 0 if that is above 0, to 1.08 times the highest, or to 1.0 where
    nothing is above 0. A facing's has the same room on either side: 8 % of its span, or more where that is
    needed for the plot to span LEAST_TURN degrees, so that noise looks like noise.
    """
    raw = np.percentile(root_plot.raw, [OUTLIERS, 100.0 - OUTLIERS]) if len(root_plot.raw) else np.zeros(2)
    parts = [raw, root_plot.smooth, *(ramp.spring for ramp in root_plot.ramps)]
    low = min(float(np.min(part)) for part in parts if len(part))
    high = max(float(np.max(part)) for part in parts if len(part))
    if root_plot.kind == "speed":
        return min(low, 0.0), 1.08 * high if high > 0.0 else 1.0
    more = max(0.08 * (high - low), 0.5 * (LEAST_TURN - (high - low)))
    return low - more, high + more


def rate_range(root_plot: RootPlot, room: float) -> tuple[float, float]:
    """Return the lowest and highest slope that the lane shows, so that zero, all slopes and those of the
    ramps fit in with some room; (-1.0, 1.0) where all of these are 0.

    The room above is 8 % of the lane, and ``room`` more if any ramp's peak rate is positive; below it is 8 %,
    and ``room`` more if any is negative. If both together are more than 0.7, the lane spans the slopes' span
    / 0.3 times (0.3 + both): each part then is smaller than asked for, in the same ratio.

    room: the height of a label, as a part of the lane's height.
    """
    parts = [root_plot.rates, *(ramp.rates for ramp in root_plot.ramps)]
    low = min(0.0, *(float(np.min(part)) for part in parts if len(part)))
    high = max(0.0, *(float(np.max(part)) for part in parts if len(part)))
    if high == low:
        return low - 1.0, high + 1.0
    # room for the labels of peaks, above those that rise and below those that fall
    up = 0.08 + (room if any(ramp.peak_rate > 0.0 for ramp in root_plot.ramps) else 0.0)
    down = 0.08 + (room if any(ramp.peak_rate < 0.0 for ramp in root_plot.ramps) else 0.0)
    span = (high - low) / (1.0 - min(up + down, 0.7))
    return low - down * span, high + up * span


def shapes_of(root_plot: RootPlot, action: str, rect: Rect, theme: Theme) -> list[Shape]:
    """Return the shapes of a plot on a panel of its own, those behind first: panel, title and note, the
    ranges' bands, axes and units, then curves, springs, grips and labels.

    action: how its name is shown in the title. rect: left, bottom, width, height of the panel, pixels. The x
    axis is that of all of the clip's frames, below the lowest part.
    """
    layout, padding = in_panel(root_plot, rect, theme), plot.PADDING * theme.scale
    title, note = heading(root_plot, action, rect[2] - 2.0 * padding, theme)
    drawn = [plot.panel(rect, theme), *plot.heading(rect, theme, title, "")]
    right, top = rect[0] + rect[2], rect[1] + rect[3]
    drawn += _noted(root_plot, note, right - padding, top - padding - 0.85 * theme.font, theme)
    drawn += root_marks.bands(root_plot, layout, theme)
    # the lane is the lowest, and has the frames below it
    left, bottom, width, height = layout.main.area
    frames = dataclasses.replace(layout.main, area=(left, layout.low, width, bottom + height - layout.low))
    drawn += plot.x_axis(frames, theme) + plot.y_axis(layout.main, theme)
    return drawn + _units(root_plot, layout, theme) + contents(root_plot, layout, theme)


def heading(root_plot: RootPlot, action: str, room: float, theme: Theme) -> tuple[str, str]:
    """Return the title and the note of a plot. room: pixels for both, with the gap between.

    The title is the plot's and the action's name. Notes are tried from the longest on: the estimate that
    ramps show, the plot's own note and "ranges by hand" if they are; then without the estimate; then the
    plot's own. The first that fits beside the full title is taken; if none does, the note is "", and the
    title is shortened to the room.
    """
    gap = 2.0 * theme.font + SWATCH * theme.scale
    title = f"{root_plot.title}, {action}"
    notes = [root_plot.note] if root_plot.note else []
    if root_plot.by_hand:
        notes.insert(0, ", ".join([*notes, translated("ranges by hand")]))
    if root_plot.estimate and root_plot.ramps:
        notes.insert(0, ", ".join([root_plot.estimate, *notes[:1]]))
    for note in notes:
        if plot.width_of(title + note, theme.font) + gap <= room:
            return title, note
    return plot.shortened(title, theme.font, room), ""


def _noted(root_plot: RootPlot, note: str, right: float, baseline: float, theme: Theme) -> list[Shape]:
    """Return the shapes of a note, in the faint colour, right-aligned at a place (pixels); [] for the note
    "".

    right, baseline: where it ends. If the plot has a maximum speed (held), a sample of the line in which that
    is drawn ends there instead, and the note ends to the left of it.
    """
    if not note:
        return []
    s = theme.scale
    if root_plot.held is None:
        return [Text(right, baseline, note, theme.font, theme.faint, 1.0)]
    y = baseline + 0.36 * theme.font
    return [
        Text(right - SWATCH * s, baseline, note, theme.font, theme.faint, 1.0),
        shapes.line([(right - (SWATCH - 6.0) * s, y), (right, y)], theme.minimum, 2.4 * s),
    ]


def _units(root_plot: RootPlot, layout: Layout, theme: Theme) -> list[Shape]:
    """Return the texts of the units, right-aligned left of the plot: the curve's beside the strip of labels
    and, if there is a lane, the slope's at the lane's middle.

    With a lane there is also a rule across the plot above it.
    """
    x = layout.main.area[0] - 5.0 * theme.scale
    y = layout.strip[1] + 0.45 * theme.font
    drawn: list[Shape] = [Text(x, y, root_plot.unit, theme.font, theme.faint, 1.0)]
    if layout.lane is not None:
        left, bottom, width, height = layout.lane.area
        y = bottom + 0.5 * height - 0.35 * theme.font
        drawn.append(Text(x, y, root_plot.rate_unit, theme.font, theme.faint, 1.0))
        edge = bottom + height + 3.0 * theme.scale
        drawn.append(shapes.line([(left, edge), (left + width, edge)], theme.grid, 1.0))
    return drawn


def contents(root_plot: RootPlot, layout: Layout, theme: Theme) -> list[Shape]:
    """Return the shapes within a plot, those behind first.

    In the slope's lane, if there is one, are zero, the slope, and the ramps' slopes; in the main part the raw
    and the smoothed curve, the maximum speed, if there is one, and the springs; then the edges of ramps, and
    their labels and peaks.
    """
    s = theme.scale
    drawn: list[Shape] = []
    pale = mixed(theme.curve, theme.panel, 0.5)
    if (lane := layout.lane) is not None:
        drawn += plot.curve(lane, np.array(lane.x_range), np.zeros(2), theme.grid, 1.0)
        drawn += plot.curve(lane, root_plot.frames, root_plot.rates, pale, 1.2 * s)
        for ramp in root_plot.ramps:
            drawn += plot.curve(lane, ramp.rate_frames, ramp.rates, theme.curve, 1.6 * s)
    drawn += plot.curve(layout.main, root_plot.frames, root_plot.raw, pale, 1.0 * s)
    drawn += plot.curve(layout.main, root_plot.frames, root_plot.smooth, theme.curve, 1.8 * s)
    if root_plot.held is not None:
        first, last, value = root_plot.held
        drawn += plot.curve(layout.main, np.array([first, last]), np.full(2, value), theme.minimum, 2.4 * s)
    for ramp in root_plot.ramps:
        drawn += plot.curve(layout.main, ramp.spring_frames, ramp.spring, theme.result, 2.2 * s)
    return (
        drawn + root_marks.handles(root_plot, layout, theme) + root_marks.labels_of(root_plot, layout, theme)
    )


class RootMotionPlot(OverlayPlot):
    """Speed and facing with their ramps, in the 3D View."""

    name = "root_motion"
    tool = "rootmotion"
    needs_actions = False
    slot = PlotSlot.ABOVE

    def model(self, armature: Any, switches: Any) -> tuple[Any, str]:
        return plots_of(armature), ""

    def panels(self, model: RootMotionPlots) -> Sequence[Any]:
        return model.plots

    def shapes(self, model: RootMotionPlots, content: RootPlot, rect: Rect, theme: Theme) -> list[Shape]:
        return shapes_of(content, model.called or model.action, rect, theme)

    def takes(self, content: RootPlot, rect: Rect, theme: Theme, x: float, y: float) -> bool:
        layout = in_panel(content, rect, theme)
        left, _, width, _ = layout.main.area
        return left <= x <= left + width and layout.low <= y <= layout.high

    def now(
        self, context: Any, model: RootMotionPlots, cells: Sequence[tuple[RootPlot, Rect]], theme: Theme
    ) -> list[Shape]:
        layouts = [(shown, in_panel(shown, place, theme)) for shown, place in cells]
        played = compat.assigned(context.object)[0]
        drawn: list[Shape] = []
        if played is not None and played.name == model.action:
            frame = float(context.scene.frame_current_final)
            for _, layout in layouts:
                drawn += root_marks.playhead(layout, frame, theme)
        return drawn + lit(context.region, layouts, theme)


class RootTimeline(TimePlot):
    """Speed and facing with their ramps, in time editors, lined up with the keys."""

    name = "root_timelines"
    tool = "rootmotion"
    needs_actions = False

    def model(self, armature: Any, switches: Any) -> tuple[Any, str]:
        return plots_of(armature), ""

    def bands(
        self, model: RootMotionPlots, info: RegionInfo, below: float, *, is_alone: bool
    ) -> list[tuple[Any, Rect]]:
        plots: Sequence[RootPlot] = model.plots
        places = at_layout.root_bands(info, below, len(plots))
        if len(places) < len(plots):
            # the one that has ramps
            plots = sorted(plots, key=lambda shown: not shown.ramps)
        return list(zip(plots, places, strict=False))

    def shapes_in_time(
        self,
        model: RootMotionPlots,
        content: RootPlot,
        rect: Rect,
        frames: Span,
        theme: Theme,
        *,
        grips: bool,
    ) -> list[Shape]:
        """Return the shapes of a plot in a band of a time editor, over the editor's own frames, those behind
        first: panel, a rule along its top, ranges' bands, curves, springs, edges and labels, then title and,
        where there is one, the note.

        From BAND_ROWS_FROM (times the scale) in height on, title and note are those of :func:`heading`, in a
        row of their own at the top; the action is model.called, or model.action where that is "". In a lower
        band the title is the plot's own, without the action, and stands left in the strip of the ramps'
        labels, which begin to its right; there is no note.

        content: the plot, one of the model's. rect: left, bottom, width, height of the band, pixels. frames:
        at its left and right edge. grips: whether ramps' edges can be dragged, and have grips.
        """
        s = theme.scale
        layout = in_band(content, rect, frames, theme, grips=grips)
        left, bottom, width, height = rect
        drawn: list[Shape] = [
            shapes.box(left, bottom, width, height, theme.panel),
            shapes.line([(left, bottom + height), (left + width, bottom + height)], theme.grid, 1.0),
        ]
        if height < BAND_ROWS_FROM * s:
            # the labels stand beside the title
            title, note = content.title, ""
            taken = plot.width_of(title, theme.font) + 2.0 * plot.PADDING * s
            x, y, room, tall = layout.strip
            layout = dataclasses.replace(layout, strip=(x + taken, y, max(room - taken, 0.0), tall))
            baseline = y + 0.35 * theme.font
        else:
            title, note = heading(
                content, model.called or model.action, width - 2.0 * plot.PADDING * s, theme
            )
            baseline = bottom + height - 1.15 * theme.font
        drawn += root_marks.bands(content, layout, theme) + contents(content, layout, theme)
        # over the ramps' tint, which reaches as far as the keys do
        drawn.append(Text(left + plot.PADDING * s, baseline, title, theme.font, theme.text))
        return drawn + _noted(content, note, left + width - plot.PADDING * s, baseline, theme)

    def now_in_time(
        self, context: Any, cells: Sequence[tuple[RootPlot, Rect]], frames: Span, theme: Theme
    ) -> list[Shape]:
        layouts = [(shown, in_band(shown, place, frames, theme)) for shown, place in cells]
        return lit(context.region, layouts, theme)


def lit(region: Any, layouts: Sequence[tuple[RootPlot, Layout]], theme: Theme) -> list[Shape]:
    """Return the shapes of the edge of a ramp that is under the mouse in a region, or dragged, drawn bright.

    layouts: the plots that are shown, with their layouts; the one of the edge's kind counts. [] if no edge is
    lit there, or no such plot has a ramp of its index.
    """
    handle = root_marks.lit(region)
    for shown, layout in layouts:
        if handle is not None and handle.kind == shown.kind and handle.index < len(shown.ramps):
            return root_marks.handle(handle, shown.ramps[handle.index], layout, theme, bright=True)
    return []
