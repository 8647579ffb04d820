# SPDX-License-Identifier: GPL-3.0-or-later
"""Pops on the time axis of editors: a mark for each, as high as it is clear, lined up with the keys."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ...plots import plot, shapes
from ...plots.plot import Plot
from ...plots.shapes import Colour, Rect, Shape, Text
from ...records import record
from ..overlay.protocol import Span, TimePlot
from ..shared import cache
from ..translations import translated
from . import properties

if TYPE_CHECKING:
    from ...plots.theme import Theme
    from ..overlay.layout import RegionInfo

MISSING = "Press Find Pops in the panel Jumps and Pops to see where the assigned action jumps."
TALL = 46.0
"""How high the band is, pixels at a scale of 1."""
PART = 0.3
"""Of the editor's height it takes this at most."""
CLEAREST = 30.0
"""From so many times what is usual on a mark has its full height."""


@record(frozen=True)
class Mark:
    """A pop. first, last: frames. times: how many times what is usual. active: whether it is looked at."""

    kind: str
    bone: str
    first: float
    last: float
    times: float
    active: bool


def colour_of(mark: Mark, theme: Theme) -> Colour:
    """Return a mark's colour by its kind, another one for the pop that is looked at."""
    if mark.active:
        return theme.current
    return {"STEP": theme.result, "SPIKE": theme.curve, "STRETCH": theme.minimum}[mark.kind]


def on_time_axis(marks: tuple[Mark, ...], rect: Rect, frames: Span, theme: Theme) -> list[Shape]:
    """Return the shapes of a band along the bottom of a time editor: a panel, a rule along its top, a title,
    and a bar over each pop's frames.

    A bar takes from a quarter of the height below the title, for a pop of the usual size, to all of it, for
    CLEAREST times the usual or more, on a logarithmic scale. The active one lies on top; its bone's name
    stands at the title's height, right of the bar in the left half of the band, else left of it. rect: the
    band, pixels. frames: at its left and right edge; bars are cut there, and left out beyond.
    """
    left, bottom, width, height = rect
    s, head = theme.scale, 1.6 * theme.font
    axes = Plot(rect, (left, bottom + 2.0 * s, width, height - head), frames, (0.0, 1.0))
    baseline = bottom + height - 1.15 * theme.font
    drawn: list[Shape] = [
        shapes.box(left, bottom, width, height, theme.panel),
        shapes.line([(left, bottom + height), (left + width, bottom + height)], theme.grid, 1.0),
        Text(left + plot.PADDING * s, baseline, translated("Pops"), theme.font, theme.text),
    ]
    for mark in sorted(marks, key=lambda mark: mark.active):
        x, end = float(axes.x(mark.first)), float(axes.x(mark.last))
        low, high = max(x - 1.5 * s, left), min(end + 1.5 * s, left + width)
        if low >= high:
            continue
        part = 0.25 + 0.75 * min(math.log(max(mark.times, 1.0)) / math.log(CLEAREST), 1.0)
        colour = colour_of(mark, theme)
        drawn.append(shapes.box(low, axes.area[1], high - low, part * axes.area[3], colour))
        if mark.active:
            align = 0.0 if x < left + 0.5 * width else 1.0
            beside = high + 5.0 * s if align == 0.0 else low - 5.0 * s
            drawn.append(Text(beside, baseline, mark.bone, theme.font, theme.text, align))
    return drawn


class PopTimeline(TimePlot):
    """Where the assigned action pops, in time editors."""

    name = "pops"
    tool = "pops"
    needs_actions = False

    def model(self, armature: Any, switches: Any) -> tuple[Any, str]:
        items = properties.FOUND.of_assigned(armature)
        if not items:
            return None, MISSING
        active = armature.inertia_pops.active
        marks = tuple(
            Mark(item.kind, properties.named(armature, item), item.first, item.last, item.times, i == active)
            for i, item in enumerate(items)
        )
        return cache.answer("pops", armature, marks, lambda: marks), ""

    def bands(self, model: Any, info: RegionInfo, below: float, *, is_alone: bool) -> list[tuple[Any, Rect]]:
        left, bottom, width, height = info.free
        tall = min(TALL * info.scale, PART * height)
        if tall < 0.5 * TALL * info.scale or width < 100.0 * info.scale:
            return []
        return [(model, (left, bottom + below, width, tall))]

    def shapes_in_time(
        self, model: Any, content: tuple[Mark, ...], rect: Rect, frames: Span, theme: Theme, *, grips: bool
    ) -> list[Shape]:
        return on_time_axis(content, rect, frames, theme)
