# SPDX-License-Identifier: GPL-3.0-or-later
"""The coming fill of a gap in the 3D View: the way that the character will go, its poses on the way, and a
mark for each clip."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...plots import shapes
from ...plots.shapes import Colour, Shape
from ...plots.theme import Theme, mixed
from ..overlay import in_view
from ..overlay.protocol import OverlayPlot
from ..shared import names
from ..translations import translated
from . import finding
from .finding import Shown

MISSING = "Press Find Fill in the panel Fill to see how the gap is filled."
WAY, GHOST, MARK = 3.0, 2.0, 5.0
"""How wide the way and ghosts are drawn, and half the size of a mark; pixels at a scale of 1."""


def colour_at(part: float, theme: Theme) -> Colour:
    """The colour of a ghost, of which so much of the gap is over: from the source's to the destination's by
    the way's."""
    if part < 0.5:
        return mixed(theme.source, theme.way, 2.0 * part)
    return mixed(theme.way, theme.destination, 2.0 * part - 1.0)


class FillPlot(OverlayPlot):
    """What will fill the gap, in the 3D View's world."""

    name = "fill"
    label = "Fill"
    description = (
        "In the 3D View: the way on which the gap will be filled, poses of the character on it, and a mark "
        "where each of its clips takes over"
    )
    tool = "Fill"

    def model(self, armature: Any, own: Any) -> tuple[Shown | None, str]:
        found = finding.known(armature)
        if isinstance(found, finding.Refused):
            return None, found.fault
        return found, MISSING if found is None else ""

    def panels(self, model: Shown) -> Sequence[Any]:
        """It has none: all of it lies in the world."""
        return ()

    def world(self, model: Shown, theme: Theme) -> list[Shape]:
        found: list[Shape] = [
            shapes.line(model.way, in_view.EDGE, (WAY + 2.0) * theme.scale),
            shapes.line(model.way, theme.way, WAY * theme.scale),
        ]
        for lines, part in model.ghosts:
            found.append(shapes.line(lines, colour_at(part, theme), GHOST * theme.scale, pairs=True))
        return found

    def now(self, context: Any, model: Shown, cells: Sequence[Any], theme: Theme) -> list[Shape]:
        armature = self.armature(context)
        if armature is None:
            return []
        found: list[Shape] = []
        at, ahead = in_view.seen(context, model.marks)
        for (x, y), clip in ((at[i].tolist(), model.clips[i]) for i in np.flatnonzero(ahead)):
            text = f"{names.action(armature, clip['action'])} {clip['frame']:.0f}"
            text = translated("{0} (mirrored)", text) if clip["mirrored"] else text
            found += in_view.dot(x, y, MARK * theme.scale, theme.way, theme)
            found += in_view.label(text, x, y, theme)
        return found
