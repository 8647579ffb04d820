# SPDX-License-Identifier: GPL-3.0-or-later
"""The cost map on a panel."""

from __future__ import annotations

import numpy as np

from ...plots import plot
from ...plots.heat_map import HeatMap
from ...plots.plot import Plot
from ...plots.shapes import Rect, Shape
from ...plots.theme import Theme
from ..overlay.model import CostMap
from ..translations import translated

FAINT = 0.25
"""How opaque a map in the making is where nothing is known yet."""


def chart(found: CostMap) -> HeatMap:
    """The map: cuts to the right, destination frames upwards."""
    return HeatMap(
        values=found.costs.T,
        x_range=(float(found.cuts[0]), float(found.cuts[-1])),
        y_range=(float(found.destinations[0]), float(found.destinations[-1])),
        title=translated("Cost map"),
        aside=f"m·s, {translated('exact' if found.exact else 'by features')}",
        x_label=translated("Cut"),
        y_label=translated("Destination frame"),
        marks=[(*pair, str(rank + 1)) for rank, pair in enumerate(found.best)],
        current=(found.cut, found.destination),
        span=found.span,
        unknown=FAINT,
    )


def layout(found: CostMap, place: Rect, theme: Theme) -> Plot:
    """Where the map lies in its panel; each cell reaches half a step to either side of its frame."""
    return chart(found).layout(place, theme)


def shapes_of(found: CostMap, place: Rect, theme: Theme) -> list[Shape]:
    """The map on its panel."""
    return [plot.panel(place, theme), *chart(found).shapes(place, theme)]


def cell_at(found: CostMap, made: Plot, x: float, y: float) -> tuple[float, float] | None:
    """The cut and destination frame of the cell at a place of the region; None outside."""
    at = made.at(x, y)
    if at is None:
        return None
    cut, destination = (
        float(frames[np.argmin(np.abs(frames - value))])
        for frames, value in zip((found.cuts, found.destinations), at, strict=True)
    )
    return cut, destination
