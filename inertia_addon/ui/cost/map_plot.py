# SPDX-License-Identifier: GPL-3.0-or-later
"""The cost map on a panel."""

from __future__ import annotations

from typing import Any

from bpy.props import EnumProperty

from ...plots.heat_map import HeatMap
from ...plots.theme import Theme
from ..overlay.layout import Slot
from ..overlay.protocol import Hit, OverlayPlot, nearest
from ..translations import OWN_CONTEXT, translated
from . import costs, map_job
from . import shown as shown_of
from .model import CostMap

MAP_ITEMS = (
    ("EXACT", "Exact", "The cost itself, swings past the destination included"),
    (
        "FEATURE",
        "Estimate",
        "A quicker estimate, by features: a swing past the destination counts against the rest, so an arm "
        "that swings to and fro may seem to cost next to nothing",
    ),
)

FAINT = 0.25
"""How opaque a map in the making is where nothing is known yet."""


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

    def chart(self, shown: CostMap, theme: Theme) -> HeatMap:
        """The map: cuts to the right, destination frames upwards; each cell reaches half a step around."""
        return HeatMap(
            values=shown.costs.T,
            x_range=(float(shown.cuts[0]), float(shown.cuts[-1])),
            y_range=(float(shown.destinations[0]), float(shown.destinations[-1])),
            title=translated("Cost map"),
            aside=f"m·s, {translated('exact' if shown.exact else 'estimated')}",
            x_label=translated("Cut"),
            y_label=translated("Destination frame"),
            marks=[(*pair, str(rank + 1)) for rank, pair in enumerate(shown.best)],
            current=(shown.cut, shown.destination),
            span=shown.span,
            unknown=FAINT,
        )

    def meant(self, shown: CostMap, x: float, y: float) -> Hit:
        return "MAP", (nearest(shown.cuts, x), nearest(shown.destinations, y))

    def forget(self) -> None:
        map_job.forget()
