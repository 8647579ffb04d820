# SPDX-License-Identifier: GPL-3.0-or-later
"""A chart: axes with what is written about them, and sheets of charts."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..records import record
from . import plot
from .plot import PADDING, ROW, Plot, Range, Ticks
from .shapes import Drawing, Rect, Shape, Text
from .theme import PAPER, Theme

MARGIN = 8
"""Around the charts of a sheet, pixels."""
LEFT = 44.0
"""What the left axis takes at least, pixels at a scale of 1."""


@record(frozen=True, eq=False, kw_only=True)
class Chart:
    """What all charts have.

    title: above the plot. aside: fainter, at the right of it. x_label, y_label: what the axes are.
    note: what is written below. size: the plot's width and height where the chart may choose, pixels.
    """

    title: str = ""
    aside: str = ""
    x_label: str = ""
    y_label: str = ""
    note: str = ""
    size: tuple[int, int] = (860, 360)

    def layout(self, rect: Rect, theme: Theme) -> Plot:
        """Return the plot of this chart in a place: where its panel and its area lie, and which numbers the
        area shows.

        rect: left, bottom, width and height of the panel, pixels, the origin at the lower left. The area is
        what title, axes and note leave of the panel, but at least one pixel wide and high, so that in a small
        panel it reaches beyond it. The numbers are the chart's own ranges.
        """
        left, bottom, width, height = rect
        above, below = self._ends(width, theme)
        tall = max(height - above - below, 1.0)
        before, behind = self._sides(tall, theme)
        area = (left + before, bottom + below, max(width - before - behind, 1.0), tall)
        return Plot(rect, area, *self.ranges)

    def room(self, theme: Theme) -> tuple[int, int]:
        """Return the width and height, pixels, that the chart takes where it may choose."""
        wide, tall = self.plot_size
        width = wide + sum(self._sides(tall, theme))
        return width, tall + sum(self._ends(width, theme))

    def shapes(self, rect: Rect, theme: Theme) -> list[Shape]:
        """Return the shapes of the chart in a place, without a background of its own."""
        axes = self.layout(rect, theme)
        return [
            *plot.heading(rect, theme, self.title, self.aside),
            *self.contents(axes, theme),
            *self._labels(axes, theme),
        ]

    @property
    def ranges(self) -> tuple[Range, Range]:
        """The numbers at the plot's left and right, and at its lower and upper edge."""
        raise NotImplementedError

    def contents(self, axes: Plot, theme: Theme) -> list[Shape]:
        """Return the shapes of the plot with its axes' numbers."""
        raise NotImplementedError

    @property
    def plot_size(self) -> tuple[int, int]:
        """The plot's width and height where the chart may choose, pixels."""
        return self.size

    def x_ticks(self, width: float, theme: Theme) -> Ticks:
        """Return the ticks of the lower axis of a width in pixels."""
        return plot.x_ticks(self.ranges[0], width, theme)

    def y_ticks(self, height: float, theme: Theme) -> Ticks:
        """Return the ticks of the left axis of a height in pixels."""
        return plot.y_ticks(self.ranges[1], height, theme)

    def _sides(self, height: float, theme: Theme) -> tuple[int, int]:
        """Return (left, right): the whole pixels, rounded up, that the chart needs beside a plot of some
        height (pixels).

        Left are the widest of the y ticks' labels, 5 pixels and 1.4 font sizes for a y label if there is one,
        but together at least LEFT (44) pixels; and the panel's padding (8). Right are what the kind of chart
        has there, such as a legend, by :meth:`_right`, or else 4 pixels; and the padding. All but the font's
        size and the labels are at a scale of 1 and are multiplied by `theme.scale`.
        """
        texts = self.y_ticks(height, theme)[1]
        widest = max((plot.width_of(text, theme.font) for text in texts), default=0.0)
        label = 1.4 * theme.font if self.y_label else 0.0
        left = max(widest + 5.0 * theme.scale + label, LEFT * theme.scale) + PADDING * theme.scale
        return math.ceil(left), math.ceil(self._right(height, theme) + PADDING * theme.scale)

    def _right(self, _height: float, theme: Theme) -> float:
        return 4.0 * theme.scale

    def _ends(self, width: float, theme: Theme) -> tuple[int, int]:
        """Return (above, below): the whole pixels, rounded up, that the chart needs over and under its plot,
        in a panel of some width (pixels).

        Above are the title's rows, wrapped to that width (one row for the aside alone), each ROW (1.45) times
        the title's font, another 0.35 font sizes, and what the kind of chart has there, by :meth:`_above`.
        Below are the lower axis with its label if there is one, by :meth:`_below`, and the note's wrapped
        rows, each ROW font sizes, with 0.6 font sizes more if there are any. Each includes the panel's
        padding, 8 pixels times `theme.scale`.
        """
        rows = len(plot.title_rows(self.title, self.aside, width, theme)) or bool(self.aside)
        notes = len(self._notes(width, theme))
        above = (ROW * theme.title * rows + 0.35) * theme.font + self._above(width, theme)
        below = (ROW * notes + 0.6 * bool(notes)) * theme.font + self._below(theme)
        pad = PADDING * theme.scale
        return math.ceil(above + pad), math.ceil(below + pad)

    def _above(self, _width: float, _theme: Theme) -> float:
        return 0.0

    def _below(self, theme: Theme) -> float:
        """Return the pixels that the lower axis needs."""
        return (ROW + (1.3 if self.x_label else 0.0)) * theme.font

    def _notes(self, width: float, theme: Theme) -> list[str]:
        return plot.wrapped(self.note, theme.font, width - 2.0 * PADDING * theme.scale)

    def _labels(self, axes: Plot, theme: Theme) -> list[Shape]:
        """Return the texts of the x label, the y label and the note's rows, each only where there is one, in
        this order.

        All are in the theme's faint colour; the note's rows come from the lowest up, and stand at the panel's
        lower left. The x label is centred on the plot, below its ticks' labels, the y label stands upright at
        the panel's left, in the middle of the plot. Both labels are shortened to the room that they have; the
        note is wrapped.
        """
        left, bottom, width, height = axes.area
        font, pad = theme.font, PADDING * theme.scale
        drawn: list[Shape] = []
        if self.x_label:
            middle = left + 0.5 * width
            room = min(middle - axes.panel[0], axes.panel[0] + axes.panel[2] - middle) - pad
            text = plot.shortened(self.x_label, font, 2.0 * room)
            low = bottom - self._below(theme) + 0.25 * font
            drawn.append(Text(middle, low, text, font, theme.faint, 0.5))
        if self.y_label:
            text = plot.shortened(self.y_label, font, height)
            x = axes.panel[0] + pad + 0.8 * font
            drawn.append(Text(x, bottom + 0.5 * height, text, font, theme.faint, 0.5, vertical=True))
        notes = self._notes(axes.panel[2], theme)
        x, low = axes.panel[0] + pad, axes.panel[1] + pad + 0.25 * font
        rows = enumerate(reversed(notes))
        return drawn + [Text(x, low + ROW * i * font, row, font, theme.faint) for i, row in rows]


def alone(chart: Chart, theme: Theme = PAPER) -> Plot:
    """Return how a chart's numbers lie if it has a sheet for itself."""
    width, height = chart.room(theme)
    return chart.layout((MARGIN, MARGIN, width, height), theme)


def sheet(charts: Sequence[Chart], columns: int = 1, theme: Theme = PAPER) -> Drawing:
    """Return a drawing of charts in rows of so many columns, each chart at the size that it chooses.

    charts: at least one, row by row from the upper left; the last row may have fewer. columns: 1 or more;
    with fewer charts the sheet is only as wide as these. Each column is as wide as its widest chart, each row
    as high as its highest, see :meth:`Chart.room`; charts stand at the upper left of their place. A margin of
    MARGIN (8) pixels goes around the whole sheet, none between the charts. The background is the theme's
    panel colour; the shapes are those of the charts, one chart after the other. Raise IndexError without
    charts, and ValueError where columns is 0.
    """
    sizes = [chart.room(theme) for chart in charts]
    rows = [sizes[i : i + columns] for i in range(0, len(sizes), columns)]
    widths = [max(row[i][0] for row in rows if i < len(row)) for i in range(len(rows[0]))]
    heights = [max(tall for _, tall in row) for row in rows]
    drawn: list[Shape] = []
    top = height = sum(heights) + 2 * MARGIN
    for i, chart in enumerate(charts):
        row, column = divmod(i, columns)
        if column == 0:
            top -= heights[row]
        (wide, tall), left = sizes[i], MARGIN + sum(widths[:column])
        place = (float(left), float(top - MARGIN + heights[row] - tall), float(wide), float(tall))
        drawn += chart.shapes(place, theme)
    return Drawing(sum(widths) + 2 * MARGIN, height, theme.panel, drawn)
