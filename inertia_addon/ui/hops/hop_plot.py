# SPDX-License-Identifier: GPL-3.0-or-later
"""What a transition costs at each trigger frame, direct and by the best hop, and by which clip that is."""

from __future__ import annotations

import colorsys
import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...blender.hops import hop_gain
from ...plots import plot, shapes
from ...plots.line_chart import ChartSeries, LineChart, from_zero
from ...plots.plot import Dot, Plot
from ...plots.shapes import Colour, Rect, Shape, Text
from ...plots.theme import LINE_CONTRAST, Theme, composite_on_worst, readable
from ...records import record
from ...settings.hops import UNITS
from ..overlay.protocol import Hit, OverlayPlot, nearest
from ..shared import cache, labels
from ..translations import translated
from . import finding

if TYPE_CHECKING:
    from ...motion.arrays import Array

TITLE = "Cost by cut: straight or by a hop"
MISSING = "Press Find Hops in Go Through Other Clips to see what they cost."
BAND = 9.0
"""How high the band is, pixels at a scale of 1."""
HUES = (0.08, 0.38, 0.58, 0.75, 0.9, 0.16, 0.48, 0.0, 0.66, 0.3)
"""Of clips, the one that wins most often first: neighbours in the list are far apart."""


@record(frozen=True, eq=False)
class HopCurves:
    """Cost over the trigger frames: direct, and the best way with a hop.

    frames: (n,) scene frames of the source's own time. direct, best: (n,), infinity where there is no way;
    the direct one is the best unless a hop costs enough less. clips: (n,) which of ``names`` the best way
    leads through, -1 for the direct one. current: the trigger. unit: of the costs.
    """

    frames: Array
    direct: Array
    best: Array
    clips: NDArray[np.int64]
    names: tuple[str, ...]
    current: float
    unit: str


def chart(curves: HopCurves, theme: Theme) -> LineChart:
    """Return the chart of costs over the trigger frames, from 0 upwards: two series, "by a hop" (the best
    way, also where that is straight) and, dashed, "straight", with gaps (nan) where there is no way.

    The aside is the costs' unit. A rule stands at the trigger, curves.current. A dot stands there, too, at
    the height of the best cost of the trigger frame nearest to it, with that cost to three digits; without a
    way from that frame there is none. curves: of at least one frame.
    """
    direct, best = (np.where(np.isfinite(each), each, np.nan) for each in (curves.direct, curves.best))
    cost = float(best[int(np.argmin(np.abs(curves.frames - curves.current)))])
    is_way = np.isfinite(cost)
    return LineChart(
        title=translated(TITLE),
        aside=curves.unit,
        series=[
            ChartSeries(translated("by a hop"), curves.frames, best, theme.curve, 3.2),
            ChartSeries(translated("straight"), curves.frames, direct, theme.result, 1.8, dashed=True),
        ],
        dots=[Dot(curves.current, cost, f"{cost:.3g}", theme.current, 4.0)] if is_way else (),
        rules=[(curves.current, theme.current)],
        y_range=from_zero([direct, best]),
    )


def _band(layout: Plot, theme: Theme) -> Rect:
    """Return where the band lies: below the curves."""
    left, bottom, width, _ = layout.area
    return left, bottom - (BAND + 3.0) * theme.scale, width, BAND * theme.scale


def colours_of(curves: HopCurves, theme: Theme) -> dict[int, Colour]:
    """Return a colour for each clip through which a best way leads, by its number in the curves' names, the
    most frequent first, each readable on a panel; last -1, the faint colour, if going straight is the best
    somewhere.
    """
    won = curves.clips[np.isfinite(curves.best)]
    numbers, counts = np.unique(won[won >= 0], return_counts=True)
    behind = composite_on_worst(theme.panel)
    colours: dict[int, Colour] = {}
    for rank, number in enumerate(numbers[np.argsort(-counts, kind="stable")].tolist()):
        r, g, b = colorsys.hsv_to_rgb(HUES[rank % len(HUES)], 0.7, 0.9)
        colours[number] = readable((r, g, b, 1.0), behind, LINE_CONTRAST)
    if (won < 0).any():
        colours[-1] = theme.faint
    return colours


def _winners(curves: HopCurves, layout: Plot, theme: Theme) -> list[Shape]:
    """Return the shapes of the band below the curves, and of the legend behind the title.

    layout: of :meth:`HopPlot.layout`, below whose area the band lies, BAND times the scale high. At each
    trigger frame it has the colour of the first clip of the best way, the faint colour for straight, and
    nothing where there is no way. Frames in a row of one colour make one box, which reaches half a frame
    further at either end, is cut at the area's sides, and is at least a pixel wide.

    The legend has a square and the name for each colour of :func:`colours_of`, in its order, until one has no
    room before the unit; it and those behind it are left out.
    """
    left, bottom, width, height = _band(layout, theme)
    colours = colours_of(curves, theme)
    half = 0.5 * width / max(len(curves.frames) - 1, 1)
    marks: list[Shape] = []
    for number, colour in colours.items():
        for start, stop in plot.runs((curves.clips == number) & np.isfinite(curves.best)):
            x0 = max(float(layout.x(curves.frames[start])) - half, left)
            x1 = min(float(layout.x(curves.frames[stop - 1])) + half, left + width)
            marks.append(shapes.box(x0, bottom, max(x1 - x0, 1.0), height, colour))
    s = theme.scale
    x = layout.panel[0] + plot.PADDING * s + plot.width_of(translated(TITLE), theme.font) + 18.0 * s
    y = layout.panel[1] + layout.panel[3] - plot.PADDING * s - 0.85 * theme.font
    right = left + width - plot.width_of(curves.unit, theme.font) - 10.0 * s
    for number, colour in colours.items():
        text = translated("straight") if number < 0 else curves.names[number]
        wide = plot.width_of(text, theme.font) + 22.0 * s
        if x + wide > right:
            break
        marks.append(shapes.box(x, y, 8.0 * s, 0.7 * theme.font, colour))
        marks.append(Text(x + 12.0 * s, y, text, theme.font, theme.text))
        x += wide
    return marks


class HopPlot(OverlayPlot):
    """The cost by trigger frame, direct and by the best hop."""

    name = "hops"
    tool = "through"
    is_clicked = True

    def model(self, armature: Any, switches: Any) -> tuple[HopCurves | None, str]:
        searched = finding.recall_table(armature)
        if searched is None:
            return None, MISSING
        current = armature.inertia.cut

        def compute() -> HopCurves:
            prepared, table = searched.prepared, searched.table
            frames = prepared.frames[searched.problem.source][table.triggers]
            clips = tuple(labels.action(armature, name) for name in prepared.names)
            hops = hop_gain.is_cheaper(table.cost, table.direct)
            best, through = np.where(hops, table.cost, table.direct), np.where(hops, table.clips[:, 0], -1)
            unit = UNITS[prepared.settings.distance]
            return HopCurves(frames, table.direct, best, through, clips, current, unit)

        curves = cache.answer("hop curves", armature, (searched, current), compute)
        if np.all(curves.clips < 0):
            return None, hop_gain.STRAIGHT
        listed = armature.inertia_hops
        is_straight = listed.straight and abs(listed.trigger - current) < 1e-3
        return curves, hop_gain.STRAIGHT if is_straight else ""

    def layout(self, content: HopCurves, rect: Rect, theme: Theme) -> Plot:
        """Return where the curves' numbers lie in their panel: the chart's own layout, with an area whose
        lower edge is raised by BAND + 3 pixels (times the scale), which the band of colours takes; its upper
        edge stays.

        rect: left, bottom, width, height of the panel, pixels. The panel and both ranges are the chart's own.
        """
        whole = chart(content, theme).layout(rect, theme)
        left, bottom, width, height = whole.area
        rise = (BAND + 3.0) * theme.scale
        return dataclasses.replace(whole, area=(left, bottom + rise, width, height - rise))

    def shapes(self, model: Any, content: HopCurves, rect: Rect, theme: Theme) -> list[Shape]:
        """Draw the curves and the band on a panel of their own."""
        layout, curves = self.layout(content, rect, theme), chart(content, theme)
        return [
            plot.panel(rect, theme),
            *plot.heading(rect, theme, curves.title, curves.aside),
            *plot.x_axis(dataclasses.replace(layout, area=_band(layout, theme)), theme, grid=False),
            *plot.y_axis(layout, theme),
            *curves.legend(layout, theme),
            *curves.lines(layout, theme),
            *_winners(content, layout, theme),
        ]

    def meant(self, content: HopCurves, x: float, y: float) -> Hit:
        return "CUT", (nearest(content.frames, x),)
