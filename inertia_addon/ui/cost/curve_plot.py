# SPDX-License-Identifier: GPL-3.0-or-later
"""Cost curves: over a clip's own frames in the 3D View, and on the time axis of other editors."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...blender.cost import meetings
from ...blender.data import compat
from ...errors import InertiaError, Sentence
from ...motion.cost import costs as cost
from ...plots import plot, shapes
from ...plots.line_chart import ChartSeries, LineChart, from_zero
from ...plots.plot import Dot, Plot, Range
from ...plots.shapes import Lines, Rect, Shape, Text
from ...plots.theme import Theme, mixed
from ...records import record
from ...settings.cost import Search
from ..overlay import layout as at_layout
from ..overlay.protocol import Hit, OverlayPlot, Span, TimePlot, nearest
from ..shared import cache, labels
from ..translations import translated
from . import search
from .costs import PairCosts, by_bone, costs_of

if TYPE_CHECKING:
    from ...motion.arrays import Array
    from ..overlay.layout import RegionInfo

TITLES = {"DESTINATION": "Cost by destination frame", "CUT": "Cost by cut"}
MINIMA = 5
"""How many local minima a curve names."""


@record(frozen=True, eq=False)
class CostCurve:
    """Cost over the frames of one clip, the other clip's frame being fixed.

    over: ``DESTINATION`` (for the chosen cut, every destination frame) or ``CUT`` (for the chosen
    destination frame, every cut). clip: the action's name. frames, costs: (n,). current,
    current_cost: where the settings are, which may lie between two frames. minima: indices of the
    local minima, the lowest first.
    """

    over: str
    clip: str
    frames: Array
    costs: NDArray[np.float32]
    current: float
    current_cost: float
    minima: tuple[int, ...]


def cost_curve(armature: Any, costs: PairCosts, over: str) -> CostCurve:
    """Return the cost over the destination's frames for the settings' cut (over "DESTINATION"), or over the
    cuts for its entry (over "CUT"), in metre seconds.

    frames and costs have all whole frames of the clip, in order. minima: indices into these of local minima
    that a search may find, at most five, the lowest first; search settings that can't be count as the
    defaults. clip is the action's shown name. current is the settings' own frame, which may lie between two,
    and current_cost the whole cost there. Frames are those of the clip, also where a cycle shows them in a
    later repetition.
    """
    compared, actions = costs.compared, costs.evaluated.names
    at_cut = over == "DESTINATION"
    cut = compared.source.find_clip_frame(costs.cut)
    current, other = (costs.destination_frame, cut) if at_cut else (cut, costs.destination_frame)
    try:
        limits = search.search_of(armature)
    except InertiaError:
        # a file may hold numbers that can't be, which searches say
        limits = Search()

    def compute() -> CostCurve:
        values = compared.over_destination(other) if at_cut else compared.over_cut(other)
        side = compared.destination if at_cut else compared.source
        possible = meetings.possible(compared, limits, over, other)
        masked = np.where(possible, values, np.finfo(np.float32).max)
        lowest = (int(i) for i in cost.local_minima(masked) if possible[i])
        minima = tuple(itertools.islice(lowest, MINIMA))
        clip = labels.action(armature, actions[at_cut])
        return CostCurve(over, clip, side.frames, values, np.nan, np.nan, minima)

    curve = cache.answer(f"costs {over}", armature, (compared, other, limits), compute)

    def placed() -> CostCurve:
        now = sum(part for _, part in by_bone(costs, armature))
        return dataclasses.replace(curve, current=current, current_cost=now)

    return cache.answer(f"curve {over}", armature, (curve, current), placed)


def left_out(armature: Any, costs: PairCosts) -> str:
    """Return a sentence that names the frame at which the destination would cost least for the settings' cut,
    if a search can't enter it there, as too little of it is left; "" otherwise.

    All whole frames are compared with the best one that a search may find. It is "" if that costs no more, if
    source and destination are the same clip, or if a search can enter the destination nowhere.
    """
    shown = cost_curve(armature, costs, "DESTINATION")
    best = int(np.argmin(shown.costs))
    if costs.compared.is_one or not shown.minima or shown.costs[best] >= shown.costs[shown.minima[0]]:
        return ""
    return Sentence(
        '"{action}" costs least when entered at {frame:g}, but too little of it is left there; mark it as '
        "a cycle if it is one.",
        action=shown.clip,
        frame=shown.frames[best],
    )


def chart(curve: CostCurve, theme: Theme) -> LineChart:
    """Return the chart of a cost curve, in metre seconds over frames, from 0 upwards, under a translated
    title that ends in the clip's name.

    `dots` has the minima: the others first, smaller and without a name, and last the lowest, larger and named
    by its frame; [] for a curve without minima. `current` is the settings' own place, named by its cost.
    """
    pale = mixed(theme.minimum, theme.panel, 0.35)
    places = [(float(curve.frames[i]), float(curve.costs[i])) for i in curve.minima]
    dots = [Dot(frame, cost, "", pale, 2.8) for frame, cost in places[1:]]
    dots += [Dot(frame, cost, f"{frame:g}", theme.minimum, 4.0) for frame, cost in places[:1]]
    return LineChart(
        title=f"{translated(TITLES[curve.over])}, {curve.clip}",
        aside=f"m·s, {translated('exact')}",
        series=[ChartSeries("", curve.frames, curve.costs, theme.curve, 1.8, under=True)],
        dots=dots,
        current=Dot(curve.current, curve.current_cost, f"{curve.current_cost:.3g}", theme.current, 4.0),
        y_range=from_zero([curve.costs]),
    )


def in_colours(curve: CostCurve, rect: Rect, x_range: Range, theme: Theme) -> list[Shape]:
    """Return the shapes of a cost curve in a band too low for a chart: a panel, a stripe in the curve's
    colour, the more opaque the less a frame costs, and a mark at the settings' frame.

    Opacity goes from 1.0 where the whole curve costs least to 0.1 where it costs most, whatever part of it is
    in sight; at a part p of the way between these costs it is 1 - 0.9 sqrt(p), all along a level curve 1.0.
    x_range: the frames at the band's left and right edge; what lies outside, the mark included, is left out.
    With fewer than two frames in sight there is no stripe.
    """
    left, bottom, width, height = rect
    area = Plot(rect, rect, x_range, (0.0, 1.0))
    x = np.asarray(area.x(curve.frames), float)
    inside = (x >= left) & (x <= left + width)
    low, high = float(curve.costs.min()), float(curve.costs.max())
    part = (curve.costs[inside] - low) / max(high - low, 1e-12)
    colours = np.tile(np.array(theme.curve, np.float32), (int(inside.sum()), 1))
    colours[:, 3] = 1.0 - 0.9 * np.sqrt(part)
    points = np.column_stack([x[inside], np.full(int(inside.sum()), bottom + 0.5 * height)])
    band: list[Shape] = [shapes.box(left, bottom, width, height, theme.panel)]
    if len(points) > 1:
        band.append(Lines(points.astype(np.float32), colours, 0.7 * height))
    current = float(np.asarray(area.x([curve.current]))[0])
    if left <= current <= left + width:
        band.append(shapes.box(current - theme.scale, bottom, 2.0 * theme.scale, height, theme.current))
    return band


class CostCurves(OverlayPlot):
    """The cost over each clip's frames, in the 3D View."""

    name = "curves"
    is_clicked = True

    def model(self, armature: Any, switches: Any) -> tuple[Any, str]:
        costs = costs_of(armature)
        return tuple(cost_curve(armature, costs, over) for over in ("DESTINATION", "CUT")), ""

    def panels(self, model: Any) -> Sequence[Any]:
        return model

    def chart(self, content: CostCurve, theme: Theme) -> LineChart:
        return chart(content, theme)

    def meant(self, content: CostCurve, x: float, y: float) -> Hit:
        return content.over, (nearest(content.frames, x),)


class CostTimeline(TimePlot):
    """The cost of the frames whose keys are in sight."""

    name = "timelines"
    is_clicked = True

    def model(self, armature: Any, switches: Any) -> tuple[Any, str]:
        # the cost of each cut lines up with the keys of the source, and of the result up to the cut; where
        # the destination is assigned its keys are in sight, and the cost of its frames lines up with them
        pair, shown = armature.inertia, compat.assigned(armature)[0]
        over = "DESTINATION" if shown == pair.destination and shown != pair.source else "CUT"
        return cost_curve(armature, costs_of(armature), over), ""

    def bands(
        self, model: CostCurve, info: RegionInfo, below: float, *, is_alone: bool
    ) -> list[tuple[Any, Rect]]:
        place = at_layout.band(info, shared=not is_alone)
        return [(model, place)] if place is not None else []

    def shapes_in_time(
        self, model: Any, content: CostCurve, rect: Rect, frames: Span, theme: Theme, *, grips: bool
    ) -> list[Shape]:
        """Return the shapes of a cost curve in a band of a time editor, over the editor's own frames.

        In a slim band they are those of :func:`in_colours`. Otherwise there are title, curve and minima, the
        lowest with its frame and cost, and at the right what the settings' own frame costs; both texts only
        where there is room. frames: at the band's left and right edge. model and grips are not used.
        """
        left, bottom, width, height = rect
        s = theme.scale
        if at_layout.is_slim(rect, s):
            return in_colours(content, rect, frames, theme)
        line_chart = chart(content, theme)
        area = (left, bottom + 2.0 * s, width, height - 1.6 * theme.font)
        axes = Plot(rect, area, frames, line_chart.ranges[1])
        *others, lowest = line_chart.dots or (Dot(np.inf, 0.0),)
        # what the lowest is goes into words only where the curve is long enough to leave room for them
        text = f"{lowest.label}: {lowest.y:.3g}"
        room = float(np.ptp(axes.x(content.frames))) > 4.0 * plot.width_of(text, theme.font)
        lowest = dataclasses.replace(lowest, label=text if room else "")
        current = (
            dataclasses.replace(line_chart.current, label="") if line_chart.current is not None else None
        )
        baseline = bottom + height - 1.15 * theme.font
        band: list[Shape] = [
            shapes.box(left, bottom, width, height, theme.panel),
            shapes.line([(left, bottom + height), (left + width, bottom + height)], theme.grid, 1.0),
            Text(left + plot.PADDING * s, baseline, line_chart.title, theme.font, theme.text),
            *dataclasses.replace(line_chart, dots=[*others, lowest], current=current).lines(axes, theme),
        ]
        note = translated("{0} m·s at {1}", f"{content.current_cost:.3g}", f"{content.current:g}")
        if plot.width_of(line_chart.title + note, theme.font) < width - 28.0 * s:
            band.append(Text(left + width - plot.PADDING * s, baseline, note, theme.font, theme.faint, 1.0))
        return band

    def meant(self, content: CostCurve, x: float, y: float) -> Hit:
        return content.over, (nearest(content.frames, x),)
