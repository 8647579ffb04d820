# SPDX-License-Identifier: GPL-3.0-or-later
"""How often each speed and each turn rate occurs, as bars."""

from __future__ import annotations

from typing import Any

from ...motion.arrays import Array
from ...plots import plot
from ...plots.line_chart import Bars
from ...plots.plot import Dot
from ...plots.shapes import Rect, Shape
from ...plots.theme import Theme
from ..overlay.layout import Slot
from ..overlay.protocol import OverlayPlot
from ..translations import translated
from . import shown as shown_of
from .model import Histogram, Histograms

CUT_OFF = 1.6
"""Where standing still takes more than so many times what any speed does, its bar is cut off."""

NO_HISTOGRAM = "Measure actions in the Root Motion panel to see how often each speed occurs."


def chart(found: Histogram, width: float, theme: Theme) -> Bars:
    """Seconds of motion over a number, with the most frequent ones, which have room above their bars."""
    title = f"{found.title}, {found.unit}"
    aside = translated("s per {0} {1}", plot.number(float(found.edges[1])), found.unit)
    room = width - (2.0 * plot.PADDING + 14.0) * theme.scale
    top = 1.35 * top_of(found.seconds)
    dots = []
    if found.seconds[0] > top:
        # what the bar is cut off at
        dots.append(Dot(float(found.edges[1]), top, f"{plot.number(float(found.seconds[0]))} s", radius=0.0))
    for mode in found.modes:
        i = min(int(mode / found.edges[1]), len(found.seconds) - 1)
        highest = float(found.seconds[max(i - 1, 0) : i + 2].max())
        text = plot.number(mode, 3 if mode >= 100.0 else 2)
        dots.append(Dot(mode, min(highest, 0.8 * top), text, theme.minimum, 2.6))
    return Bars(
        title=title,
        aside=aside if plot.width_of(title + aside, theme.font) < room else "",
        edges=found.edges,
        heights=found.seconds,
        top=top,
        dots=dots,
    )


def top_of(seconds: Array) -> float:
    """The height that is shown: of all bars, or of all but the first, which stands for a root that rests."""
    others = float(seconds[1:].max(initial=0.0))
    highest = float(seconds.max(initial=0.0))
    return others if 0.0 < CUT_OFF * others < float(seconds[0]) else highest or 1.0


class SpeedHistogram(OverlayPlot):
    """How often each speed and turn rate occurs, in the 3D View."""

    name = "root_histogram"
    label = "Speed Histogram"
    description = (
        "In the 3D View: how often each speed and each turn rate occurs in all measured actions, "
        "to choose walk and run speeds"
    )
    tool = "RootMotion"
    needs_actions = False
    slot = Slot.LOWER_LEFT

    def model(self, armature: Any, own: Any) -> tuple[Any, str]:
        found = shown_of.histograms(armature)
        return found, "" if found is not None else NO_HISTOGRAM

    def shapes(self, model: Any, shown: Histograms, place: Rect, theme: Theme) -> list[Shape]:
        """Both histograms side by side on a panel."""
        left, bottom, width, height = place
        actions = translated("{0} action" if shown.actions == 1 else "{0} actions", shown.actions)
        title = translated("Speeds and turn rates, {0}", actions)
        note = translated("{0} s of motion", plot.number(shown.seconds))
        if plot.width_of(title + note, theme.font) > width - 4.0 * plot.PADDING * theme.scale:
            title, note = f"{actions}, {plot.number(shown.seconds)} s", ""
        shapes = [plot.panel(place, theme), *plot.heading(place, theme, title, note)]
        half, tall = 0.5 * width, height - plot.ROW * theme.font
        for i, histogram in enumerate((shown.speeds, shown.turns)):
            cell = (left + i * half, bottom, half, tall)
            shapes += chart(histogram, half, theme).shapes(cell, theme)
        return shapes
