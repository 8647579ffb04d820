# SPDX-License-Identifier: GPL-3.0-or-later
"""The cost map as a picture with axes and a legend."""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import NDArray

from ...plots import colours
from ..overlay import plot, shapes
from ..overlay.model import CostMap
from ..overlay.plot import Plot, Rect
from ..overlay.shapes import Picture, Shape, Text
from ..overlay.theme import Theme
from ..translations import translated

Floats = NDArray[np.float32]

LEGEND = 48.0
"""Room for the legend at the right, pixels at a scale of 1."""
HIGH = 98.0
"""The percentile at which the colours end, as few bad cells would otherwise take them all."""
UPWARDS = "Destination frame"
BLACK, WHITE = (0.0, 0.0, 0.0, 1.0), (1.0, 1.0, 1.0, 1.0)


@dataclasses.dataclass(frozen=True)
class Span:
    """The costs at the ends of the colours."""

    low: float
    high: float


def layout(found: CostMap, place: Rect, theme: Theme) -> Plot:
    """Where the map lies in its panel; each cell reaches half a step to either side of its frame."""
    ranges = []
    for frames in (found.cuts, found.destinations):
        half = 0.5 * (float(frames[-1] - frames[0]) / (len(frames) - 1)) if len(frames) > 1 else 0.5
        ranges.append((float(frames[0]) - half, float(frames[-1]) + half))
    made = plot.placed(place, theme, ranges[0], ranges[1], 50.0, LEGEND)
    line = 1.3 * theme.font
    left, bottom, width, height = made.area
    return dataclasses.replace(made, area=(left, bottom + line, width, height - line))


def span_of(costs: Floats) -> Span:
    """From the least to nearly the greatest of the costs that are known."""
    known = costs[np.isfinite(costs)]
    if not len(known):
        return Span(0.0, 1.0)
    low, high = float(known.min()), float(np.percentile(known, HIGH))
    return Span(low, high if high > low else low + 1.0)


def pixels_of(costs: Floats, columns: int, rows: int, span: Span) -> Floats:
    """The map (rows, columns, 4): cuts to the right, destination frames upwards.

    Where there are more frames than pixels the least of a pixel's costs is shown: good cells stay in sight.
    """
    small = enlarged(enlarged(reduced(reduced(costs, columns).T, rows), rows).T, columns).T
    rgba = np.ones((*small.shape, 4), np.float32)
    rgba[..., :3] = colours.sequential((small - span.low) / (span.high - span.low))
    rgba[np.isnan(small), 3] = 0.25
    return rgba


def reduced(values: Floats, count: int) -> Floats:
    """No more than so many rows, each the least of those it stands for; NaN where none is known."""
    if len(values) <= count:
        return values
    starts = np.unique(np.linspace(0, len(values), count + 1)[:-1].astype(int))
    return np.fmin.reduceat(values, starts, axis=0)


def enlarged(values: Floats, count: int) -> Floats:
    """Exactly so many rows, each of the nearest one's values: cells stay squares."""
    middles = (np.arange(count) + 0.5) * len(values) / count
    return values[np.minimum(middles.astype(int), len(values) - 1)]


def shapes_of(found: CostMap, place: Rect, theme: Theme) -> list[Shape]:
    """The map on its panel."""
    made = layout(found, place, theme)
    span = span_of(found.costs)
    kind = translated("exact" if found.exact else "by features")
    shown = plot.background(made, theme, translated("Cost map"), f"m·s, {kind}")
    left, bottom, width, height = made.area
    shown.append(Picture(pixels_of(found.costs, max(int(width), 1), max(int(height), 1), span), made.area))
    shown += plot.x_axis(made, theme, grid=False) + plot.y_axis(made, theme, grid=False)
    below = bottom - 2.5 * theme.font
    beside = place[0] + plot.PADDING * theme.scale + 0.8 * theme.font
    rightwards, upwards = translated("Cut"), translated(UPWARDS)
    shown.append(Text(left + 0.5 * width, below, rightwards, theme.font, theme.faint, 0.5))
    if height > plot.width_of(upwards, theme.font):
        shown.append(
            Text(beside, bottom + 0.5 * height, upwards, theme.font, theme.faint, 0.5, vertical=True)
        )
    shown += _legend(made, span, theme)
    return shown + _marks(found, made, theme)


def _legend(made: Plot, span: Span, theme: Theme) -> list[Shape]:
    """The colours with their costs."""
    left, bottom, width, height = made.area
    s = theme.scale
    x = left + width + 11.0 * s
    ramp = np.ones((64, 1, 4), np.float32)
    ramp[:, 0, :3] = colours.sequential(np.linspace(0.0, 1.0, 64))
    found: list[Shape] = [Picture(ramp, (x, bottom, 8.0 * s, height))]
    values, labels = plot.ticks_of(span.low, span.high, height, 26.0 * s)
    for value, text in zip(values, labels, strict=True):
        y = bottom + height * (value - span.low) / (span.high - span.low) - 0.35 * theme.font
        found.append(Text(x + 11.0 * s, y, text, theme.font, theme.faint))
    return found


def _marks(found: CostMap, made: Plot, theme: Theme) -> list[Shape]:
    """The settings' own pair with cross hairs, and the best pairs by number."""
    left, bottom, width, height = made.area
    s = theme.scale
    shown: list[Shape] = []
    x, y = float(made.x(found.cut)), float(made.y(found.destination))
    here = made.at(x, y) is not None
    if here:
        ends = [(x, bottom), (x, bottom + height), (left, y), (left + width, y)]
        shown.append(shapes.line(ends, (*BLACK[:3], 0.6), 3.0 * s, pairs=True))
        shown.append(shapes.line(ends, (*WHITE[:3], 0.9), 1.2 * s, pairs=True))
    for rank, (cut, frame) in enumerate(found.best):
        at = float(made.x(cut)), float(made.y(frame))
        if made.at(*at) is not None:
            shown += [shapes.disc(*at, 7.5 * s, BLACK), shapes.disc(*at, 6.5 * s, WHITE)]
            size = 0.8 * theme.font
            shown.append(Text(at[0], at[1] - 0.36 * size, str(rank + 1), size, BLACK, 0.5))
    if here:
        shown += [shapes.disc(x, y, 4.5 * s, WHITE), shapes.disc(x, y, 3.2 * s, theme.current)]
    return shown


def cell_at(found: CostMap, made: Plot, x: float, y: float) -> tuple[float, float] | None:
    """The cut and destination frame of the cell at a place of the region; None outside."""
    at = made.at(x, y)
    if at is None:
        return None
    cut, destination = (
        float(frames[np.argmin(np.abs(frames - value))])
        for frames, value in zip((found.cuts, found.destinations), at, strict=True)
    )
    return cut, destination
