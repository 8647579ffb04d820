# SPDX-License-Identifier: GPL-3.0-or-later
"""How often each speed, acceleration and turn rate occurs in measured actions, as bars in the 3D View."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...blender.root_motion import histograms as charts
from ...motion.root_motion import histogram
from ...plots import plot
from ..overlay.layout import PlotSlot
from ..overlay.protocol import OverlayPlot
from ..shared import cache
from ..translations import translated
from . import measured as root_motion

if TYPE_CHECKING:
    from ...motion.root_motion.histogram import Histogram, Histograms
    from ...plots.line_chart import Bars
    from ...plots.shapes import Rect, Shape
    from ...plots.theme import Theme
    from .measured import RootMotionView

NO_HISTOGRAM = "Measure actions in the Root Motion panel to see how often each speed occurs."
THREE_FROM = 560.0
"""A panel that is so wide, pixels at a scale of 1, shows accelerations, too."""


def histograms(armature: Any) -> Histograms | None:
    """Return the histograms over those actions of the armature's scope that are measured by now; None when
    none is.

    The scope is all that fit, those listed, or the one chosen, see :func:`measured.actions_of`; actions that
    are not measured, or have changed since, are left out, and one that is listed twice counts twice. None as
    well if the scope has no action or a setting is out of range. Nothing is measured. The same object until
    one of the measurements changes.
    """
    measured = root_motion.recall_views(armature)
    if not measured:
        return None
    key = tuple(measured)
    return cache.answer("root histograms", armature, key, lambda: histograms_of(measured), at_once=True)


def histograms_of(actions: list[RootMotionView]) -> Histograms:
    """Count how long the actions go so fast, change their speed so fast, and turn so fast."""
    return histogram.count_all([(shown.read.motion, shown.measured) for shown in actions])


def chart(counted: Histogram, name: str, unit: str, width: float, theme: Theme) -> Bars:
    """Return the bar chart of a histogram: seconds of motion in each bin over the number, its most frequent
    values named.

    The title is "Speed, m/s", made of name and unit, both of them translated. At its right stands the bins'
    width, as "s per 0.1 m/s", the upper edge of the first bin; it is "" unless both fit beside each other in
    `width`, the pixels of the place. theme: its `minimum` is the colour of the marks at these values.
    counted: its bins begin at 0.
    """
    title = f"{name}, {unit}"
    aside = translated("s per {0} {1}", plot.number(float(counted.edges[1])), unit)
    room = width - (2.0 * plot.PADDING + 14.0) * theme.scale
    has_room = plot.width_of(title + aside, theme.font) < room
    return charts.bars(counted, title, aside if has_room else "", theme.minimum)


class SpeedHistogram(OverlayPlot):
    """How often each speed and turn rate occurs, in the 3D View."""

    name = "root_histogram"
    tool = "rootmotion"
    needs_actions = False
    slot = PlotSlot.LOWER_LEFT

    def model(self, armature: Any, switches: Any) -> tuple[Any, str]:
        counted = histograms(armature)
        return counted, "" if counted is not None else NO_HISTOGRAM

    def shapes(self, model: Any, content: Histograms, rect: Rect, theme: Theme) -> list[Shape]:
        """Return the shapes of a panel with the histograms of speeds, m/s, and turn rates, degrees a second,
        side by side.

        A panel of THREE_FROM pixels times the scale or more has accelerations, m/s^2, between them. The panel
        comes first, then its heading, then the charts from left to right, of equal width. The heading says
        how many actions were counted, and at the right how many seconds; where both don't fit, one short text
        has both. rect: the panel, pixels. content: what is counted; model is not used.
        """
        left, bottom, width, height = rect
        actions = translated("{0} action" if content.actions == 1 else "{0} actions", content.actions)
        title = translated("Speeds and turn rates, {0}", actions)
        note = translated("{0} s of motion", plot.number(content.seconds))
        if plot.width_of(title + note, theme.font) > width - 4.0 * plot.PADDING * theme.scale:
            title, note = f"{actions}, {plot.number(content.seconds)} s", ""
        shapes = [plot.panel(rect, theme), *plot.heading(rect, theme, title, note)]
        drawn = [(content.speeds, "Speed", "m/s"), (content.turns, "Turn rate", "°/s")]
        if width >= THREE_FROM * theme.scale:
            drawn.insert(1, (content.accelerations, "Acceleration", "m/s²"))
        part, tall = width / len(drawn), height - plot.ROW * theme.font
        for i, (counted, name, unit) in enumerate(drawn):
            cell = (left + i * part, bottom, part, tall)
            shapes += chart(counted, translated(name), unit, part, theme).shapes(cell, theme)
        return shapes
