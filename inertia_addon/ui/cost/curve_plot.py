# SPDX-License-Identifier: GPL-3.0-or-later
"""Cost curves: over a clip's own frames in the 3D View, and on the time axis of other editors."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...plots import plot, shapes
from ...plots.line_chart import LineChart, Series, from_zero
from ...plots.plot import Dot, Plot, Range
from ...plots.shapes import Lines, Rect, Shape, Text
from ...plots.theme import Theme, mixed
from ..overlay import layout as at_layout
from ..overlay.layout import RegionInfo
from ..overlay.protocol import Hit, OverlayPlot, Span, TimePlot, nearest
from ..translations import translated
from . import costs
from . import shown as shown_of
from .model import CostCurve

TITLES = {"DESTINATION": "Cost by destination frame", "CUT": "Cost by cut"}


def chart(curve: CostCurve, theme: Theme) -> LineChart:
    """The curve with its minima, the lowest one's frame, and the settings' own cost."""
    dots = [
        Dot(float(curve.frames[i]), float(curve.costs[i]), "", mixed(theme.minimum, theme.panel, 0.35), 2.8)
        for i in curve.minima[1:]
    ]
    for i in curve.minima[:1]:
        frame = float(curve.frames[i])
        dots.append(Dot(frame, float(curve.costs[i]), f"{frame:g}", theme.minimum, 4.0))
    return LineChart(
        title=f"{translated(TITLES[curve.over])}, {curve.clip}",
        aside=f"m·s, {translated('exact')}",
        series=[Series("", curve.frames, curve.costs, theme.curve, 1.8, under=True)],
        dots=dots,
        current=Dot(curve.current, curve.current_cost, f"{curve.current_cost:.3g}", theme.current, 4.0),
        y_range=from_zero([curve.costs]),
    )


def on_time_axis(curve: CostCurve, place: Rect, x_range: Range, theme: Theme) -> list[Shape]:
    """A curve in a band along the bottom of an editor, over the editor's own frames."""
    left, bottom, width, height = place
    s = theme.scale
    if at_layout.is_slim(place, s):
        return in_colours(curve, place, x_range, theme)
    head = 1.6 * theme.font
    shown = chart(curve, theme)
    made = Plot(place, (left, bottom + 2.0 * s, width, height - head), x_range, shown.ranges[1])
    *others, lowest = shown.dots or (Dot(np.inf, 0.0),)
    # what the lowest is goes into words only where the curve is long enough to leave room for them
    text = f"{lowest.label}: {lowest.y:.3g}"
    room = float(np.ptp(made.x(curve.frames))) > 4.0 * plot.width_of(text, theme.font)
    lowest = dataclasses.replace(lowest, label=text if room else "")
    current = dataclasses.replace(shown.current, label="") if shown.current is not None else None
    baseline = bottom + height - 1.15 * theme.font
    found: list[Shape] = [
        shapes.box(*place, theme.panel),
        shapes.line([(left, bottom + height), (left + width, bottom + height)], theme.grid, 1.0),
        Text(left + plot.PADDING * s, baseline, shown.title, theme.font, theme.text),
        *dataclasses.replace(shown, dots=[*others, lowest], current=current).lines(made, theme),
    ]
    note = translated("{0} m·s at {1}", f"{curve.current_cost:.3g}", f"{curve.current:g}")
    if plot.width_of(shown.title + note, theme.font) < width - 28.0 * s:
        found.append(Text(left + width - plot.PADDING * s, baseline, note, theme.font, theme.faint, 1.0))
    return found


def in_colours(curve: CostCurve, place: Rect, x_range: Range, theme: Theme) -> list[Shape]:
    """A curve in a band that has no room for it: the brighter the less a frame costs, with a mark for where
    the settings are."""
    left, bottom, width, height = place
    made = Plot(place, place, x_range, (0.0, 1.0))
    x = np.asarray(made.x(curve.frames), float)
    inside = (x >= left) & (x <= left + width)
    low, high = float(curve.costs.min()), float(curve.costs.max())
    part = (curve.costs[inside] - low) / max(high - low, 1e-12)
    colours = np.tile(np.array(theme.curve, np.float32), (int(inside.sum()), 1))
    colours[:, 3] = 1.0 - 0.9 * np.sqrt(part)
    points = np.column_stack([x[inside], np.full(int(inside.sum()), bottom + 0.5 * height)])
    found: list[Shape] = [shapes.box(*place, theme.panel)]
    if len(points) > 1:
        found.append(Lines(points.astype(np.float32), colours, 0.7 * height))
    here = float(np.asarray(made.x([curve.current]))[0])
    if left <= here <= left + width:
        found.append(shapes.box(here - theme.scale, bottom, 2.0 * theme.scale, height, theme.current))
    return found


class CostCurves(OverlayPlot):
    """The cost over each clip's frames, in the 3D View."""

    name = "curves"
    label = "Cost Curves"
    description = (
        "Along the bottom of the 3D View: the cost in metre seconds of entering the destination "
        "at each of its frames, and of each cut"
    )
    is_clicked = True

    def model(self, armature: Any, own: Any) -> tuple[Any, str]:
        found = costs.of(armature)
        return tuple(shown_of.curve(armature, found, over) for over in ("DESTINATION", "CUT")), ""

    def panels(self, model: Any) -> Sequence[Any]:
        return model

    def chart(self, shown: CostCurve, theme: Theme) -> LineChart:
        return chart(shown, theme)

    def meant(self, shown: CostCurve, x: float, y: float) -> Hit:
        return shown.over, (nearest(shown.frames, x),)


class CostTimeline(TimePlot):
    """The cost of the frames whose keys are in sight."""

    name = "timelines"
    label = "Costs in Time Editors"
    description = (
        "In the Dope Sheet and the Graph Editor, lined up with the keys: the cost of each cut, or of each "
        "destination frame where the destination is the assigned action; drag in the Dope Sheet to choose "
        "one"
    )
    is_clicked = True

    def model(self, armature: Any, own: Any) -> tuple[Any, str]:
        return shown_of.curve_in_sight(armature, costs.of(armature)), ""

    def bands(
        self, model: CostCurve, info: RegionInfo, below: float, is_alone: bool
    ) -> list[tuple[Any, Rect]]:
        place = at_layout.band(info, not is_alone)
        return [(model, place)] if place is not None else []

    def shapes_in_time(
        self, model: Any, shown: CostCurve, place: Rect, frames: Span, theme: Theme, grips: bool
    ) -> list[Shape]:
        return on_time_axis(shown, place, frames, theme)

    def meant(self, shown: CostCurve, x: float, y: float) -> Hit:
        return shown.over, (nearest(shown.frames, x),)
