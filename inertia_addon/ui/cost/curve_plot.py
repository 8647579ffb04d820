# SPDX-License-Identifier: GPL-3.0-or-later
"""Cost curves: over a clip's own frames in the 3D View, and on the time axis of other editors."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ..overlay import plot, shapes
from ..overlay.model import CostCurve
from ..overlay.plot import Plot, Rect
from ..overlay.shapes import Shape, Text
from ..overlay.theme import Theme, mixed
from ..translations import translated

Array = NDArray[np.float64]

CLOSE = 3.5
"""Labels nearer than this, in sizes of the font, would lie over one another."""
TITLES = {"DESTINATION": "Cost by destination frame", "CUT": "Cost by cut"}


def layout(curve: CostCurve, place: Rect, theme: Theme) -> Plot:
    """Where a curve lies in its panel."""
    first, last = float(curve.frames[0]), float(curve.frames[-1])
    x_range = (first, last) if last > first else (first - 1.0, last + 1.0)
    return plot.placed(place, theme, x_range, plot.span_of([curve.costs]))


def shapes_of(curve: CostCurve, place: Rect, theme: Theme) -> list[Shape]:
    """A curve on a panel of its own."""
    made = layout(curve, place, theme)
    kind = translated("exact" if curve.exact else "by features")
    title = f"{translated(TITLES[curve.over])}, {curve.clip}"
    found = plot.background(made, theme, title, f"m·s, {kind}")
    found += plot.x_axis(made, theme) + plot.y_axis(made, theme)
    xs, ys = plot.thinned(made.x(curve.frames), made.y(curve.costs), max(1, int(made.area[2])))
    found.append(_under(xs, ys, made.area[1], theme))
    found.append(shapes.line(np.column_stack([xs, ys]), theme.curve, 1.8 * theme.scale))
    current = float(made.x(curve.current))
    found += _minima(curve, made.x(curve.frames), made.y(curve.costs), current, theme, made.area)
    return found + _current(curve, current, made, theme)


def _under(xs: Array, ys: Array, bottom: float, theme: Theme) -> Shape:
    """The area below a curve."""
    low = np.full(len(xs), bottom)
    a, b = np.column_stack([xs, ys]), np.column_stack([xs, low])
    quads = np.stack([a[:-1], b[:-1], b[1:], a[:-1], b[1:], a[1:]], axis=1).reshape(-1, 2)
    return shapes.Fill(quads.astype(np.float32), (*theme.curve[:3], 0.16))


def _minima(curve: CostCurve, xs: Array, ys: Array, current: float, theme: Theme, area: Rect) -> list[Shape]:
    """Dots on the local minima; the lowest one has its frame beside it, unless the current cost is there."""
    found: list[Shape] = []
    for rank, i in enumerate(curve.minima):
        free = abs(float(xs[i]) - current) > CLOSE * theme.font
        text = f"{curve.frames[i]:g}" if rank == 0 and free else ""
        colour = theme.minimum if rank == 0 else mixed(theme.minimum, theme.panel, 0.35)
        found += plot.marker(float(xs[i]), float(ys[i]), text, theme, colour, area, 4.0 if rank == 0 else 2.8)
    return found


def _current(curve: CostCurve, x: float, made: Plot, theme: Theme) -> list[Shape]:
    """Where the settings are, with the cost there."""
    left, bottom, width, height = made.area
    if not left - 1.0 <= x <= left + width + 1.0:
        return []
    y = float(np.clip(made.y(curve.current_cost), bottom, bottom + height))
    return [
        shapes.line([(x, bottom), (x, bottom + height)], theme.current, 1.4 * theme.scale),
        *plot.marker(x, y, f"{curve.current_cost:.3g}", theme, theme.current, made.area, 4.0),
    ]


def on_time_axis(curve: CostCurve, place: Rect, to_x: Callable[[Array], Array], theme: Theme) -> list[Shape]:
    """A curve in a band along the bottom of an editor, over the editor's own frames."""
    left, bottom, width, height = place
    s = theme.scale
    head = 1.6 * theme.font
    title, baseline = f"{translated(TITLES[curve.over])}, {curve.clip}", bottom + height - 1.15 * theme.font
    made = Plot(
        place, (left, bottom + 2.0 * s, width, height - head), (0.0, 1.0), plot.span_of([curve.costs])
    )
    found: list[Shape] = [
        shapes.box(left, bottom, width, height, theme.panel),
        shapes.line([(left, bottom + height), (left + width, bottom + height)], theme.grid, 1.0),
        Text(left + 8.0 * s, baseline, title, theme.font, theme.text),
    ]
    x_all, y_all = np.asarray(to_x(curve.frames), float), made.y(curve.costs)
    seen = np.flatnonzero((x_all >= left - 50.0 * s) & (x_all <= left + width + 50.0 * s))
    if len(seen) > 1:
        span = slice(max(seen[0] - 1, 0), seen[-1] + 2)
        xs, ys = plot.thinned(x_all[span], y_all[span], max(1, int(width)))
        found.append(_under(xs, ys, bottom, theme))
        found.append(shapes.line(np.column_stack([xs, ys]), theme.curve, 1.8 * s))
    inside = [i for i in curve.minima if left <= x_all[i] <= left + width]
    for i in inside:
        lowest = i == curve.minima[0]
        colour = theme.minimum if lowest else mixed(theme.minimum, theme.panel, 0.35)
        size = 4.0 if lowest else 2.8
        # what the lowest is goes into words only where the curve is long enough to leave room for them
        text = f"{curve.frames[i]:g}: {curve.costs[i]:.3g}"
        room = abs(float(x_all[-1] - x_all[0])) > 4.0 * plot.width_of(text, theme.font)
        found += plot.marker(
            float(x_all[i]), float(y_all[i]), text if lowest and room else "", theme, colour, made.area, size
        )
    x = float(to_x(np.array([curve.current]))[0])
    note = translated("{0} m·s at {1}", f"{curve.current_cost:.3g}", f"{curve.current:g}")
    if plot.width_of(title + note, theme.font) < width - 28.0 * s:
        found.append(Text(left + width - 8.0 * s, baseline, note, theme.font, theme.faint, 1.0))
    if left <= x <= left + width:
        found.append(shapes.line([(x, bottom), (x, bottom + height - head)], theme.current, 1.4 * s))
        y = float(made.y(curve.current_cost))
        found += plot.marker(x, y, "", theme, theme.current, place, 4.0)
    return found
