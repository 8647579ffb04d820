# SPDX-License-Identifier: GPL-3.0-or-later
"""How much there is of each number, as bars."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from ..records import record
from . import plot, shapes
from .axes import Range
from .chart import Chart
from .plot import Dot, Plot
from .shapes import Array, Shape
from .theme import Theme, mixed


@record(frozen=True, eq=False, kw_only=True)
class Bars(Chart):
    """A bar for each bin.

    edges: the bins', (n + 1,). heights: (n,), which are cut off at ``top``. dots: places to point out.
    """

    edges: Array
    heights: Array
    top: float
    dots: Sequence[Dot] = ()

    @property
    def ranges(self) -> tuple[Range, Range]:
        """The numbers at the plot's edges."""
        return (float(self.edges[0]), float(self.edges[-1])), (0.0, self.top)

    def contents(self, made: Plot, theme: Theme) -> list[Shape]:
        """The bars with their axes' numbers."""
        return [
            *plot.x_axis(made, theme, grid=False),
            *plot.y_axis(made, theme),
            boxes(made, self.edges, np.minimum(self.heights, self.top), theme),
            *plot.dots(made, self.dots, theme),
        ]


def boxes(made: Plot, edges: ArrayLike, heights: Array, theme: Theme) -> Shape:
    """All bars, as one shape, with a pixel between them where there is room."""
    xs, tops = made.x(edges), made.y(heights)
    gap = theme.scale if xs[1] - xs[0] > 4.0 * theme.scale else 0.0
    used = np.flatnonzero(heights > 0.0)
    a, b, c = xs[used], xs[used + 1] - gap, tops[used]
    low = np.full(len(used), made.area[1])
    corners = [(a, low), (b, low), (b, c), (a, low), (b, c), (a, c)]
    places = np.stack([np.column_stack(corner) for corner in corners], axis=1)
    return shapes.Fill(places.reshape(-1, 2).astype(np.float32), mixed(theme.curve, theme.panel, 0.2))
