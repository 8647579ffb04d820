# SPDX-License-Identifier: GPL-3.0-or-later
"""What every stretch of an action costs as a loop, as a map to click in."""

from __future__ import annotations

from typing import Any

from ...plots.heat_map import HeatMap
from ...plots.theme import Theme
from ..overlay.layout import Slot
from ..overlay.protocol import Hit, OverlayPlot, nearest
from ..translations import translated
from . import found
from .found import LoopMap

MISSING = "Press Find Loop in the panel Loop to see where the action loops."
FAINT = 0.25
"""How opaque stretches are that are not allowed."""


class LoopMapPlot(OverlayPlot):
    """The cost of each start with each length, in a corner of the 3D View."""

    name = "loops"
    label = "Loop Map"
    description = (
        "In a corner of the 3D View: what each stretch of the action costs as a loop, by its first frame and "
        "its length, once Find Loop has looked. Click a place to take it"
    )
    tool = "Loop"
    needs_actions = False
    slot = Slot.RIGHT
    is_clicked = True

    def model(self, armature: Any, own: Any) -> tuple[Any | None, str]:
        known = found.known(armature)
        return known, MISSING if known is None else ""

    def chart(self, shown: LoopMap, theme: Theme) -> HeatMap:
        """The map: starts to the right, lengths upwards."""
        return HeatMap(
            values=shown.costs.T,
            x_range=(float(shown.starts[0]), float(shown.starts[-1])),
            y_range=(float(shown.lengths[0]), float(shown.lengths[-1])),
            title=translated("Loop map"),
            aside="m",
            x_label=translated("First frame"),
            y_label=translated("Length"),
            marks=[(*place, str(rank + 1)) for rank, place in enumerate(shown.best)],
            current=(shown.start, shown.end - shown.start),
            unknown=FAINT,
        )

    def meant(self, shown: LoopMap, x: float, y: float) -> Hit:
        start = nearest(shown.starts, x)
        return "LOOP", (start, start + nearest(shown.lengths, y))
