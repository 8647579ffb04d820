# SPDX-License-Identifier: GPL-3.0-or-later
"""The cost map on a panel."""

from __future__ import annotations

from typing import Any

import numpy as np
from bpy.props import EnumProperty

from ...plots import plot
from ...plots.heat_map import HeatMap
from ...plots.plot import Plot
from ...plots.shapes import Rect, Shape
from ...plots.theme import Theme
from ..overlay.layout import Slot
from ..overlay.protocol import Hit, OverlayPlot
from ..translations import OWN_CONTEXT, translated
from . import costs, map_job
from . import shown as shown_of
from .model import CostMap

MAP_ITEMS = (
    ("EXACT", "Exact", "The displacement itself, the offsets' zero crossings included"),
    (
        "FEATURE",
        "Features",
        "The distance between features, which is quicker: a swing past zero counts against the rest",
    ),
)

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


class CostMapPlot(OverlayPlot):
    """The cost of each cut with each destination frame, in a corner of the 3D View."""

    name = "map"
    label = "Cost Map"
    description = (
        "In a corner of the 3D View: the cost of each cut with each destination frame. Click a "
        "cell to choose both"
    )
    context = OWN_CONTEXT
    slot = Slot.RIGHT
    is_clicked = True
    details = {
        "map_kind": (
            "Map",
            EnumProperty,
            {
                "name": "Costs",
                "translation_context": OWN_CONTEXT,
                "description": "What the map shows",
                "items": MAP_ITEMS,
                "default": "EXACT",
            },
        )
    }

    def model(self, armature: Any, own: Any) -> tuple[Any, str]:
        return shown_of.cost_map(armature, costs.of(armature), own.map_kind == "EXACT")

    def shapes(self, model: Any, shown: CostMap, place: Rect, theme: Theme) -> list[Shape]:
        return shapes_of(shown, place, theme)

    def hit(self, shown: CostMap, place: Rect, theme: Theme, x: float, y: float) -> Hit | None:
        cell = cell_at(shown, layout(shown, place, theme), x, y)
        return None if cell is None else ("MAP", cell)

    def forget(self) -> None:
        map_job.forget()
