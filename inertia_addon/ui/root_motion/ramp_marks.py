# SPDX-License-Identifier: GPL-3.0-or-later
"""The ramps of a root's plot: their ranges with edges to drag, their half-lives and peaks, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...plots import plot, shapes
from ...plots.plot import Dot, Plot
from ...plots.shapes import Colour, Rect, Shape, Text
from ...plots.theme import PANEL_ALPHA, TEXT_CONTRAST, Theme, mixed, readable
from ...records import record
from ..translations import translated

if TYPE_CHECKING:
    from .model import RootPlot, RootRamp

NEAR = 7.0
"""So near to an edge it can be grabbed; pixels at a scale of 1."""
GRIP = (4.0, 18.0)
"""The size of what shows that an edge can be grabbed, likewise."""
TINT = 0.14
"""How much of the springs' colour is in what lies behind them."""
BOUNDS = {"=": "", ">": "≥ ", "<": "≤ "}
EDGES = ("start", "end")


@record(frozen=True)
class Layout:
    """Where a plot's parts lie.

    main: the curve. lane: its slope, None without room. strip: for labels, above the curve. rows: how many
    rows of them it holds. grips: whether edges of ramps can be dragged.
    """

    main: Plot
    lane: Plot | None
    strip: Rect
    rows: int
    grips: bool = True

    @property
    def low(self) -> float:
        """Where ramps begin, upwards."""
        return (self.lane or self.main).area[1]

    @property
    def high(self) -> float:
        """Where ramps end, upwards."""
        return self.strip[1] + self.strip[3]


@record(frozen=True)
class RampGrip:
    """An edge of a ramp's range. kind: ``speed`` or ``turn``. index: a ramp's. edge: ``start`` or ``end``."""

    kind: str
    index: int
    edge: str


_lit: dict[int, RampGrip | None] = {}
"""For each region, the edge that was under the mouse, or dragged, when its gizmos were drawn last."""


def put_lit(region: Any, grip: RampGrip | None) -> None:
    """Note what is under the mouse in a region: gizmos know it, and what is drawn over the plots shows it."""
    _lit[region.as_pointer()] = grip


def lit(region: Any) -> RampGrip | None:
    """Return the edge of a ramp that is under the mouse in a region, or is dragged."""
    return _lit.get(region.as_pointer())


def _visible(ramp: RootRamp, area_plot: Plot) -> tuple[float, float] | None:
    """Return the first and the last pixel of a ramp's range that are in sight; None when none is."""
    left, width = area_plot.area[0], area_plot.area[2]
    start, end = np.clip(area_plot.x([ramp.start, ramp.end]), left, left + width)
    return (float(start), float(end)) if end > start else None


def bands(root_plot: RootPlot, layout: Layout, theme: Theme) -> list[Shape]:
    """Return a filled rectangle for each ramp's range, cut at the plot's sides, from layout.low, the bottom
    of the slope's lane or else of the curve, to layout.high, above the labels.

    Ranges of which nothing is in the plot are left out.
    """
    drawn: list[Shape] = []
    for ramp in root_plot.ramps:
        seen = _visible(ramp, layout.main)
        if seen is not None:
            width, height = seen[1] - seen[0], layout.high - layout.low
            drawn.append(shapes.box(seen[0], layout.low, width, height, tint(theme)))
    return drawn


def tint(theme: Theme) -> Colour:
    """Return the colour that fills ramps' ranges; hardly transparent, as not all editors blend alike."""
    return mixed(theme.panel, theme.result, TINT, PANEL_ALPHA)


def on_tint(theme: Theme) -> Colour:
    """Return the colour of what is less important there, and yet to be read."""
    return readable(theme.faint, tint(theme), TEXT_CONTRAST)


def handles(root_plot: RootPlot, layout: Layout, theme: Theme) -> list[Shape]:
    """Return the shapes of the edges of all ramps that lie within the plot: a line each and, if they can be
    dragged, a grip inside of the ramp.
    """
    drawn: list[Shape] = []
    for i, ramp in enumerate(root_plot.ramps):
        for edge in EDGES:
            if in_sight(ramp, edge, layout):
                drawn += handle(RampGrip(root_plot.kind, i, edge), ramp, layout, theme, bright=False)
    return drawn


def in_sight(ramp: RootRamp, edge: str, layout: Layout) -> bool:
    """Tell whether an edge lies within the plot."""
    left, width = layout.main.area[0], layout.main.area[2]
    return bool(left - 0.5 <= float(layout.main.x(getattr(ramp, edge))) <= left + width + 0.5)


def handle(grip: RampGrip, ramp: RootRamp, layout: Layout, theme: Theme, *, bright: bool) -> list[Shape]:
    """Return the shapes of one edge of a ramp: a line from layout.low to layout.high and, if layout.grips, a
    grip in the middle of the curve's height, inside of the ramp and of the plot.

    It is not looked at whether the edge lies in the plot. bright: whether it is under the mouse: then it has
    the text's colour, line and grip are wider.
    """
    s = theme.scale
    x = float(layout.main.x(getattr(ramp, grip.edge)))
    wide, tall = GRIP[0] * s * (1.5 if bright else 1.0), min(GRIP[1] * s, layout.main.area[3])
    colour = theme.text if bright else theme.result
    upright = colour if bright else mixed(theme.result, theme.panel, 0.35)
    middle = layout.main.area[1] + 0.5 * (layout.main.area[3] - tall)
    left, width = layout.main.area[0], layout.main.area[2]
    inside = min(max(x if grip.edge == "start" else x - wide, left), left + width - wide)
    rule = shapes.line([(x, layout.low), (x, layout.high)], upright, (2.0 if bright else 1.0) * s)
    return [rule, shapes.rounded(inside, middle, wide, tall, 1.5 * s, colour)] if layout.grips else [rule]


def playhead(layout: Layout, frame: float, theme: Theme) -> list[Shape]:
    """Return one line at a frame, from the lowest part to the top of the curve, as a list; [] if the frame
    lies beside the plot, whose sides count as in it.

    frame: where the character is now, in the plot's own frames.
    """
    x, top = float(layout.main.x(frame)), layout.main.area[1] + layout.main.area[3]
    left, width = layout.main.area[0], layout.main.area[2]
    if not left <= x <= left + width:
        return []
    return [shapes.line([(x, layout.low), (x, top)], theme.text, 1.0 * theme.scale)]


def handle_at(root_plot: RootPlot, layout: Layout, theme: Theme, x: float, y: float) -> RampGrip | None:
    """Return the edge of a ramp to grab at a place (pixels); None where none is within NEAR times the scale,
    and above or below the ramps.

    The nearest edge counts, the first of equal ones; from a place outside of its ramp an edge counts as 1.8
    times as far away, as neighbours may share an edge. Edges beyond the plot's sides can't be grabbed.
    """
    if not layout.low <= y <= layout.high:
        return None
    best: tuple[float, RampGrip] | None = None
    for i, ramp in enumerate(root_plot.ramps):
        for edge in EDGES:
            if not in_sight(ramp, edge, layout):
                continue
            away = x - float(layout.main.x(getattr(ramp, edge)))
            # inside of the ramp counts as nearer, as neighbours may share an edge
            outside = away < 0.0 if edge == "start" else away > 0.0
            distance = abs(away) * (1.8 if outside else 1.0)
            if distance <= NEAR * theme.scale and (best is None or distance < best[0]):
                best = (distance, RampGrip(root_plot.kind, i, edge))
    return best[1] if best is not None else None


def half_life_text(ramp: RootRamp) -> str:
    """Return a half-life, or the bound that is known of it."""
    if ramp.bound == "?":
        return translated("any half-life")
    return f"{BOUNDS[ramp.bound]}{seconds(ramp.half_life)} s"


def seconds(value: float) -> str:
    """Format seconds to hundredths, or to thousandths where they are few."""
    return f"{value:.2f}" if value >= 0.0995 else f"{value:.3f}"


def detail_text(ramp: RootRamp) -> str:
    """Say what to know of a half-life: what is wrong with it, else its interval, if any."""
    if ramp.remark:
        return ramp.remark
    return "" if ramp.interval is None else "\u2013".join(map(seconds, ramp.interval))


def labels_of(root_plot: RootPlot, layout: Layout, theme: Theme) -> list[Shape]:
    """Return the texts above the curve and the labelled dots at the ramps' peaks.

    The texts are the half-lives (for a ramp of which nothing can be told "any half-life"), each with what is
    wrong with it or else its interval where there is room. Where root_plot.missing says why there are no
    ramps, there is only that text, centred in the strip, or [] if it is wider than the strip.
    """
    if root_plot.missing:
        left, bottom, width, _ = layout.strip
        if plot.width_of(root_plot.missing, theme.font) > width:
            return []
        x, baseline = left + 0.5 * width, bottom + 0.35 * theme.font
        return [Text(x, baseline, root_plot.missing, theme.font, theme.faint, 0.5)]
    return _half_lives(root_plot, layout, theme) + _peaks(root_plot, layout, theme)


def _half_lives(root_plot: RootPlot, layout: Layout, theme: Theme) -> list[Shape]:
    """Return the texts of half-lives, each centred near its ramp, and their details: what is wrong with a
    half-life or, if nothing is, its interval.

    With one row in the layout the details stand behind the half-lives in brackets if all of these have room;
    else there are no details. With two rows the half-lives are in the upper one, and below it the details of
    those that are shown, where they have room. In each row the texts of ramps with the smallest changes are
    left out until the others fit.
    """
    low = layout.strip[1] + 0.35 * theme.font
    short, details = [list(map(text, root_plot.ramps)) for text in (half_life_text, detail_text)]
    if layout.rows == 1:
        long = [f"{text} ({detail})" if detail else text for text, detail in zip(short, details, strict=True)]
        placed = _along(root_plot, long, layout, theme)
        if len(placed) < len(root_plot.ramps):
            placed = _along(root_plot, short, layout, theme)
        return [Text(x, low, text, theme.font, theme.text, 0.5) for _, x, text in placed]
    first = _along(root_plot, short, layout, theme)
    high, kept = low + 1.3 * theme.font, {i for i, _, _ in first}
    drawn: list[Shape] = [Text(x, high, text, theme.font, theme.text, 0.5) for _, x, text in first]
    below = _along(root_plot, [text if i in kept else "" for i, text in enumerate(details)], layout, theme)
    return drawn + [Text(x, low, text, theme.font, on_tint(theme), 0.5) for _, x, text in below]


def _along(
    root_plot: RootPlot, texts: list[str], layout: Layout, theme: Theme
) -> list[tuple[int, float, str]]:
    """Return which texts have room side by side, each near its ramp: (ramp's index, middle in pixels, text),
    from left to right.

    A text's middle is that of the part of its ramp in sight, moved as far as the others need. It may lie
    beyond that part's ends by 0.3 of the text's width at most. Neighbours are 0.7 font sizes apart, and none
    reaches beyond the strip. Until all fit so, the text of the ramp with the smallest change is left out and
    the others are placed anew; [] if none fits.

    texts: one for each ramp, in order, "" for none. Those of ramps out of sight, or only in sight left of the
    strip, are left out first. Widths are estimates.
    """
    left, _, width, _ = layout.strip
    kept = []
    for i, text in enumerate(texts):
        seen = _visible(root_plot.ramps[i], layout.main) if text else None
        if seen is not None and seen[1] > left:
            kept.append((0.5 * (seen[0] + seen[1]), seen, i, plot.width_of(text, theme.font)))
    kept.sort()
    while kept:
        wanted, widths = [k[0] for k in kept], [k[3] for k in kept]
        middles = plot.spread(wanted, widths, left, left + width, 0.7 * theme.font)
        if middles is not None and all(
            k[1][0] - 0.3 * k[3] <= x <= k[1][1] + 0.3 * k[3] for k, x in zip(kept, middles, strict=True)
        ):
            return [(k[2], x, texts[k[2]]) for k, x in zip(kept, middles, strict=True)]
        kept.remove(min(kept, key=lambda k: abs(root_plot.ramps[k[2]].change)))
    return []


def _peaks(root_plot: RootPlot, layout: Layout, theme: Theme) -> list[Shape]:
    """Return a dot at each ramp's steepest place and then the labels, each a ground in the panel's colour and
    a text, of the steepest ramps first.

    A label is the signed slope to three digits with the plot's rate_unit, such as "1.20 m/s²", an en dash for
    a minus. It goes beside its dot where it touches no dot and no earlier label, else it is left out. Dots
    stand in the slope's lane at their slope, or without a lane on the smoothed curve of the main part; those
    above or below the plot stand on its edge, and those beyond its sides are left out. A label prefers the
    side below its dot for a falling slope in the lane, and for a rising one on the curve.
    """
    dots = []
    for ramp in sorted(root_plot.ramps, key=lambda ramp: -abs(ramp.peak_rate)):
        text = f"{three_digits(ramp.peak_rate)} {root_plot.rate_unit}"
        if layout.lane is not None:
            # a slope falls away to both sides of its peak
            y, falls = ramp.peak_rate, ramp.peak_rate < 0.0
        else:
            # a curve that rises there is above on the right
            y, falls = (
                float(np.interp(ramp.peak_frame, root_plot.frames, root_plot.smooth)),
                ramp.peak_rate > 0.0,
            )
        dots.append(Dot(ramp.peak_frame, y, text, theme.current, 3.2, falls))
    return plot.dots(layout.lane or layout.main, dots, theme)


def three_digits(value: float) -> str:
    """Format a number to three digits, zeros at their end included."""
    decimals = 0 if abs(value) >= 99.95 else 1 if abs(value) >= 9.995 else 2
    return f"{value:.{decimals}f}".replace("-", "\u2013")
