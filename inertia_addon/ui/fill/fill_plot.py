# SPDX-License-Identifier: GPL-3.0-or-later
"""The coming fill of a gap in the 3D View: the way that the character will go, its poses on the way, and a
mark for each clip."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...plots import shapes
from ...plots.theme import Theme, mixed
from ...records import record
from ..overlay import in_view
from ..overlay.protocol import OverlayPlot
from ..shared import cache, labels
from ..translations import translated
from . import finding

if TYPE_CHECKING:
    from ...plots.shapes import Colour, Shape
    from .finding import FillView

MISSING = "Press Find Fill in Go Through Other Clips to see how the gap is filled."
WAY, GHOST, FAINT_GHOST, MARK = 3.0, 2.0, 1.0, 5.0
"""How wide the way is drawn, ghosts, and those of other choices, and half the size of a mark; pixels at a
scale of 1."""
FAINT = 0.35
"""How opaque other choices are."""


def colour_at(fraction: float, theme: Theme) -> Colour:
    """Return the colour of a ghost at a part of the gap: from the source's to the destination's by the
    way's.
    """
    if fraction < 0.5:
        return mixed(theme.source, theme.way, 2.0 * fraction)
    return mixed(theme.way, theme.destination, 2.0 * fraction - 1.0)


def faint(colour: Colour) -> Colour:
    """Return the colour of what was not chosen."""
    return (*colour[:3], FAINT * colour[3])


@record(frozen=True, eq=False)
class Choices:
    """The fills that were found: the chosen one, and all others."""

    chosen: FillView
    others: tuple[FillView, ...]


class FillPlot(OverlayPlot):
    """What will fill the gap, in the 3D View's world."""

    name = "fill"
    tool = "through"

    def model(self, armature: Any, switches: Any) -> tuple[Choices | None, str]:
        fills = finding.recall_fills(armature)
        if isinstance(fills, finding.Refused):
            return None, fills.fault
        if fills is None:
            return None, MISSING
        i = finding.chosen(armature, fills)
        choices = Choices(fills[i], fills[:i] + fills[i + 1 :])
        return cache.answer("fill:drawn", armature, (fills, i), lambda: choices), ""

    def panels(self, model: Choices) -> Sequence[Any]:
        """Return no panels: all of it lies in the world."""
        return ()

    def world(self, model: Choices, theme: Theme) -> list[Shape]:
        drawn: list[Shape] = []
        for other in model.others:
            drawn.append(shapes.line(other.way, faint(theme.way), WAY * theme.scale))
            for lines, part in other.ghosts:
                colour = faint(colour_at(part, theme))
                drawn.append(shapes.line(lines, colour, FAINT_GHOST * theme.scale, pairs=True))
        chosen = model.chosen
        drawn.append(shapes.line(chosen.way, in_view.EDGE, (WAY + 2.0) * theme.scale))
        drawn.append(shapes.line(chosen.way, theme.way, WAY * theme.scale))
        for lines, part in chosen.ghosts:
            drawn.append(shapes.line(lines, colour_at(part, theme), GHOST * theme.scale, pairs=True))
        return drawn

    def now(self, context: Any, model: Choices, cells: Sequence[Any], theme: Theme) -> list[Shape]:
        armature = self.armature(context)
        if armature is None:
            return []
        drawn: list[Shape] = []
        at, ahead = in_view.project(context, model.chosen.marks)
        for (x, y), clip in ((at[i].tolist(), model.chosen.clips[i]) for i in np.flatnonzero(ahead)):
            text = f"{labels.action(armature, clip['action'])} {clip['frame']:.0f}"
            text = translated("{0} (mirrored)", text) if clip["mirrored"] else text
            drawn += in_view.dot(x, y, MARK * theme.scale, theme.way, theme)
            drawn += in_view.label(text, x, y, theme)
        return drawn
