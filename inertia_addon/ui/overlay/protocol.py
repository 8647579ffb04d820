# SPDX-License-Identifier: GPL-3.0-or-later
"""What every plot of the overlays is: the engine goes through a list of them, and knows none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...plots import plot
from ...records import record
from ..shared import character
from .layout import PlotSlot, RegionInfo
from .switches import plot_switches

if TYPE_CHECKING:
    from ...motion.arrays import Array
    from ...plots.chart import Chart
    from ...plots.plot import Plot
    from ...plots.shapes import Rect, Shape
    from ...plots.theme import Theme

Hit = tuple[str, tuple[float, ...]]
"""What a place stands for: ``CUT`` or ``DESTINATION`` with a frame, ``MAP`` with one of each, ``LOOP``
with a first and a last one, or ``JOIN`` with a second of a path."""
Span = tuple[float, float]


@record(frozen=True, eq=False)
class Overlay:
    """All that is switched on for the active armature.

    parts: what is shown, by the names of the plots that show it. note: a sentence where
    something can't be shown, "" when all can.
    """

    parts: Mapping[str, Any]
    note: str = ""


class OverlayPlot:
    """What a :class:`PlotSwitch` switches on, in 3D Views.

    name: of its switch, and of its part of an overlay. needs_actions: whether an armature without both
    actions has nothing to show. slot: where it goes. is_clicked: whether the mouse finds frames in it. tool:
    the panel whose work it shows; it says what is missing only while that is unfolded, "" for always.
    """

    name: str
    needs_actions = True
    slot = PlotSlot.BOTTOM
    is_clicked = False
    tool = ""

    def armature(self, context: Any) -> Any | None:
        """Return the active armature, if it has what this plot shows."""
        return (character.armature_of if self.needs_actions else character.holder_of)(context)

    def model(self, armature: Any, switches: Any) -> tuple[Any | None, str]:
        """Return what is shown, by value, None for nothing, and a sentence on what is missing.

        switches: the scene's switches. Return the same object while nothing changes. Raise InertiaError.
        """
        raise NotImplementedError

    def panels(self, model: Any) -> Sequence[Any]:
        """Return what has a panel of its own."""
        return (model,)

    def chart(self, content: Any, theme: Theme) -> Chart:
        """Return the chart of one of these panels."""
        raise NotImplementedError

    def layout(self, content: Any, rect: Rect, theme: Theme) -> Plot:
        """Return where the chart's numbers lie in its panel."""
        return self.chart(content, theme).layout(rect, theme)

    def shapes(self, model: Any, content: Any, rect: Rect, theme: Theme) -> list[Shape]:
        return [plot.panel(rect, theme), *self.chart(content, theme).shapes(rect, theme)]

    def hit(self, content: Any, rect: Rect, theme: Theme, x: float, y: float) -> Hit | None:
        """Return what a place (x, y, pixels of the region) stands for in a panel's chart: a kind and its
        numbers.

        They are ("CUT", (frame,)), ("DESTINATION", (frame,)), ("MAP", (cut, destination frame)), ("LOOP",
        (first, last)) or ("JOIN", (second,)), as the plot is. None outside of the area that the chart's
        numbers take (its edges belong to it), or if the plot is not clicked. content: what the panel shows;
        rect: left, bottom, width, height, pixels.
        """
        at = self.layout(content, rect, theme).at(x, y) if self.is_clicked else None
        if at is None:
            return None
        chart_x, chart_y = at
        return self.meant(content, chart_x, chart_y)

    def hit_in_view(self, context: Any, model: Any, x: float, y: float) -> Hit | None:
        """Return what the plot shows in the world at a place of the region in use, None for nothing."""
        return None

    def takes(self, content: Any, rect: Rect, theme: Theme, x: float, y: float) -> bool:
        """Tell whether the mouse does something at a place of a panel; elsewhere it moves the panel."""
        return self.hit(content, rect, theme, x, y) is not None

    def meant(self, content: Any, x: float, y: float) -> Hit:
        """Return what a place of the chart stands for."""
        raise NotImplementedError

    def world(self, model: Any, theme: Theme) -> list[Shape]:
        """Return what is drawn in the 3D View's world."""
        return []

    def world_now(self, context: Any, theme: Theme) -> list[Shape]:
        """Return what is drawn in the 3D View's world and differs at each redraw."""
        return []

    def now(self, context: Any, model: Any, cells: Sequence[Any], theme: Theme) -> list[Shape]:
        """Return what is drawn over the panels and differs at each redraw. cells: what they show, and
        where.
        """
        return []

    def forget(self) -> None:
        """Drop what is kept between redraws."""


class TimePlot(OverlayPlot):
    """Something that is shown in time editors, lined up with the keys."""

    def bands(self, model: Any, info: RegionInfo, below: float, *, is_alone: bool) -> list[tuple[Any, Rect]]:
        """Return the models of its panels with their places, as far as there is room.

        below: the height, pixels, of what is at the bottom already. is_alone: nothing else is shown.
        """
        raise NotImplementedError

    def shapes_in_time(
        self, model: Any, content: Any, rect: Rect, frames: Span, theme: Theme, *, grips: bool
    ) -> list[Shape]:
        """Draw one of its panels. frames: those in sight. grips: the mouse can drag something there."""
        raise NotImplementedError

    def now_in_time(
        self, context: Any, cells: Sequence[tuple[Any, Rect]], frames: Span, theme: Theme
    ) -> list[Shape]:
        """Return what is drawn over the bands and differs at each redraw."""
        return []


def nearest(frames: Array, frame: float) -> float:
    """Return the frame, of frames (n,), that is nearest to another."""
    return float(frames[np.argmin(np.abs(frames - frame))])


def parts_of(overlay: Overlay, *, in_time: bool = False) -> list[tuple[Any, Any]]:
    """Return the plots of an overlay's parts in a 3D View, or in a time editor, with their models."""
    shown = [each.plot for each in plot_switches() if overlay.parts.get(each.name) is not None]
    return [(plot, overlay.parts[plot.name]) for plot in shown if isinstance(plot, TimePlot) == in_time]
