# SPDX-License-Identifier: GPL-3.0-or-later
"""What half-lives mean: springs of several half-lives beside the ramp that was fitted, in the 3D View."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...blender.root_motion import spring_figure
from ...blender.root_motion.spring_figure import Recorded, Words
from ...plots import plot
from ...records import record
from .. import translations
from ..overlay.layout import PlotSlot
from ..overlay.protocol import OverlayPlot
from ..shared import cache
from ..translations import translated
from . import measured as root_motion

if TYPE_CHECKING:
    from ...plots.line_chart import LineChart
    from ...plots.shapes import Rect, Shape
    from ...plots.theme import Theme
    from .measured import RootMotionView

STACKED_FROM, BESIDE_FROM = 300.0, 320.0
"""A panel that is so high, pixels at a scale of 1, shows accelerations below velocities; one that is so wide
beside them."""


@record(frozen=True, eq=False)
class SpringPlot:
    """What is shown: the ramp that changes the speed most, or the widest turn, None without one; and in which
    language."""

    recorded: Recorded | None
    language: str


def main_ramp(view: RootMotionView) -> Recorded | None:
    """Return the ramp of the speed that changes it most, as a way from 0 to 1, with the spring of the
    half-life by the view's estimator; else the widest turn.

    The turn is taken if there is no ramp of the speed, or the one that changes most is like no spring (see
    ``is_other``). The same condition holds for the turn. None if it fails, too: no other ramp or turn is
    tried. None as well if the one that is taken already moved when its samples began, or leads to the level
    it came from: a turn does not stand in for such a ramp.

    The Recorded has ``seconds`` (n,), since the spring began, ``velocities`` (n,), as recorded, 0 before and
    1 after the ramp, and ``spring``, a Response at these times.
    """
    measured, motion = view.measured, view.read.motion
    for ramp, series in ((measured.main_ramp, motion.speed), (measured.main_turn, motion.facing)):
        if ramp is not None and not ramp.is_other:
            return spring_figure.recorded(ramp, series, view.estimator)
    return None


class SpringFigure(OverlayPlot):
    """Springs of several half-lives, with the fitted one among them."""

    name = "root_springs"
    tool = "rootmotion"
    needs_actions = False
    slot = PlotSlot.ABOVE

    def model(self, armature: Any, switches: Any) -> tuple[Any, str]:
        shown = root_motion.read_view(armature)
        key = (shown, translations.language())
        made = cache.answer(
            "root springs", armature, key, lambda: SpringPlot(main_ramp(shown), key[1]), at_once=True
        )
        return made, ""

    def panels(self, model: SpringPlot) -> Sequence[Any]:
        return (model,)

    def shapes(self, model: Any, content: SpringPlot, rect: Rect, theme: Theme) -> list[Shape]:
        """Return the shapes of a panel with springs of the half-lives 0.1, 0.2, 0.4 and 0.8 s that go from 0
        to 1: the panel first, then the chart of the velocities and, where :func:`cells_of` gives two places,
        that of the accelerations, below or beside it.

        With content.recorded the velocities also show the recorded ramp, and both charts the spring fitted to
        it. In a panel with both charts springs are named at their peaks in the accelerations, which have no
        legend, and the velocities' legend has only the recorded and the fitted one. A chart that is alone
        names all in its legend. Titles and names are in Blender's language. The axes of time have no label.

        rect: left, bottom, width, height of the panel, pixels. model is not used.
        """
        words = Words(
            velocity=translated("Springs from 0 to 1"),
            acceleration=translated("Acceleration, per second"),
            seconds="",
            fitted=translated("fitted spring"),
            recorded=translated("as recorded"),
        )
        velocities, rates = spring_figure.charts(content.recorded, words, theme)
        drawn = [plot.panel(rect, theme)]
        cells = cells_of(rect, theme)
        if len(cells) == 1:
            return drawn + velocities.shapes(rect, theme)
        # the others are named at their peaks, in the same colours
        own = {line.label for line in velocities.series[len(spring_figure.HALF_LIVES) :]}
        drawn += _named(velocities, own).shapes(cells[0], theme)
        return drawn + _named(rates, set()).shapes(cells[1], theme)


def cells_of(rect: Rect, theme: Theme) -> list[Rect]:
    """Return the places in a panel (left, bottom, width, height) for velocities and accelerations, in this
    order, pixels.

    A panel of STACKED_FROM (times the scale) in height or more is halved into upper and lower place. Else one
    of BESIDE_FROM (times the scale) in width or more is halved into left and right place. Otherwise the panel
    itself is the only place, for velocities.
    """
    left, bottom, width, height = rect
    half = 0.5 * height
    if height >= STACKED_FROM * theme.scale:
        return [(left, bottom + half, width, half), (left, bottom, width, half)]
    if width >= BESIDE_FROM * theme.scale:
        half = 0.5 * width
        return [(left, bottom, half, height), (left + half, bottom, half, height)]
    return [rect]


def _named(chart: LineChart, labels: set[str]) -> LineChart:
    """Return a chart whose legend names only some of its lines."""
    lines = [line if line.label in labels else dataclasses.replace(line, label="") for line in chart.series]
    return dataclasses.replace(chart, series=lines)
