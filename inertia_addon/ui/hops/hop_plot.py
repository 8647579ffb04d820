# SPDX-License-Identifier: GPL-3.0-or-later
"""What a transition costs at each trigger frame, direct and by the best hop, and by which clip that is."""

from __future__ import annotations

import colorsys

import numpy as np
from numpy.typing import NDArray

from ..overlay import plot, shapes
from ..overlay.model import HopCurves
from ..overlay.plot import Plot, Rect
from ..overlay.shapes import Colour, Shape, Text
from ..overlay.theme import LINE_CONTRAST, Theme, readable, seen_through
from ..translations import translated

Array = NDArray[np.float64]

TITLE = "Cost by trigger: direct and best hop"
BAND = 9.0
"""How high the band is, pixels at a scale of 1."""
HUES = (0.08, 0.38, 0.58, 0.75, 0.9, 0.16, 0.48, 0.0, 0.66, 0.3)
"""Of clips, the one that wins most often first: neighbours in the list are far apart."""


def layout(curves: HopCurves, place: Rect, theme: Theme) -> Plot:
    """Where the curves lie in their panel, above the band."""
    first, last = float(curves.frames[0]), float(curves.frames[-1])
    x_range = (first, last) if last > first else (first - 1.0, last + 1.0)
    known = [np.where(np.isfinite(values), values, np.nan) for values in (curves.direct, curves.best)]
    finite = [values for values in known if np.isfinite(values).any()]
    made = plot.placed(place, theme, x_range, plot.span_of(finite))
    left, bottom, width, height = made.area
    rise = (BAND + 3.0) * theme.scale
    return Plot(made.panel, (left, bottom + rise, width, height - rise), made.x_range, made.y_range)


def shapes_of(curves: HopCurves, place: Rect, theme: Theme) -> list[Shape]:
    """The curves and the band on a panel of their own."""
    made = layout(curves, place, theme)
    found = plot.background(made, theme, translated(TITLE), curves.unit)
    axis = Plot(made.panel, _band(made, theme), made.x_range, made.y_range)
    found += plot.x_axis(axis, theme, grid=False) + plot.y_axis(made, theme)
    for values, colour, width in ((curves.direct, theme.faint, 1.3), (curves.best, theme.curve, 1.8)):
        found += _line(curves.frames, values, made, colour, width * theme.scale)
    found += _winners(curves, made, theme)
    x = float(made.x(curves.current))
    if made.area[0] - 1.0 <= x <= made.area[0] + made.area[2] + 1.0:
        found += _current(curves, x, made, theme)
    return found


def _band(made: Plot, theme: Theme) -> Rect:
    """Where the band lies: below the curves."""
    left, bottom, width, _ = made.area
    return left, bottom - (BAND + 3.0) * theme.scale, width, BAND * theme.scale


def _line(frames: Array, values: Array, made: Plot, colour: Colour, width: float) -> list[Shape]:
    """A curve, broken where there is no way."""
    found: list[Shape] = []
    for start, stop in _runs(np.isfinite(values)):
        xs, ys = plot.thinned(
            made.x(frames[start:stop]), made.y(values[start:stop]), max(1, int(made.area[2]))
        )
        if len(xs) > 1:
            found.append(shapes.line(np.column_stack([xs, ys]), colour, width))
    return found


def _runs(wanted: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Where a condition holds without a break: first and behind the last."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], wanted, [False]]).astype(int)))
    return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))


def colours_of(curves: HopCurves, theme: Theme) -> dict[int, Colour]:
    """A colour for each clip that wins somewhere, the most frequent first; grey for the direct transition."""
    won = curves.clips[np.isfinite(curves.best)]
    numbers, counts = np.unique(won[won >= 0], return_counts=True)
    behind = seen_through(theme.panel)
    found: dict[int, Colour] = {}
    for rank, number in enumerate(numbers[np.argsort(-counts, kind="stable")].tolist()):
        r, g, b = colorsys.hsv_to_rgb(HUES[rank % len(HUES)], 0.7, 0.9)
        found[number] = readable((r, g, b, 1.0), behind, LINE_CONTRAST)
    if (won < 0).any():
        found[-1] = theme.faint
    return found


def _winners(curves: HopCurves, made: Plot, theme: Theme) -> list[Shape]:
    """The band, and its legend behind the title as far as there is room."""
    left, bottom, width, height = _band(made, theme)
    colours = colours_of(curves, theme)
    half = 0.5 * width / max(len(curves.frames) - 1, 1)
    found: list[Shape] = []
    for number, colour in colours.items():
        for start, stop in _runs((curves.clips == number) & np.isfinite(curves.best)):
            x0 = max(float(made.x(curves.frames[start])) - half, left)
            x1 = min(float(made.x(curves.frames[stop - 1])) + half, left + width)
            found.append(shapes.box(x0, bottom, max(x1 - x0, 1.0), height, colour))
    s = theme.scale
    x = made.panel[0] + plot.PADDING * s + plot.width_of(translated(TITLE), theme.font) + 18.0 * s
    y = made.panel[1] + made.panel[3] - plot.PADDING * s - 0.85 * theme.font
    right = left + width - plot.width_of(curves.unit, theme.font) - 10.0 * s
    for number, colour in colours.items():
        text = translated("direct") if number < 0 else curves.names[number]
        wide = plot.width_of(text, theme.font) + 22.0 * s
        if x + wide > right:
            break
        found.append(shapes.box(x, y, 8.0 * s, 0.7 * theme.font, colour))
        found.append(Text(x + 12.0 * s, y, text, theme.font, theme.text))
        x += wide
    return found


def _current(curves: HopCurves, x: float, made: Plot, theme: Theme) -> list[Shape]:
    """Where the trigger is, with the best cost there."""
    _, bottom, _, height = made.area
    found: list[Shape] = [shapes.line([(x, bottom), (x, bottom + height)], theme.current, 1.4 * theme.scale)]
    cost = curves.best[int(np.argmin(np.abs(curves.frames - curves.current)))]
    if np.isfinite(cost):
        y = float(np.clip(made.y(cost), bottom, bottom + height))
        found += plot.marker(x, y, f"{cost:.3g}", theme, theme.current, made.area, 4.0)
    return found
