# SPDX-License-Identifier: GPL-3.0-or-later
"""The way that the assigned action would go, in the 3D View's world, before it is made."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...blender.data import compat
from ...blender.travel import noting
from ...plots import shapes
from ...plots.shapes import Shape
from ...plots.theme import Theme
from ..overlay import in_view
from ..overlay.protocol import OverlayPlot
from ..shared import tab
from . import looking
from .looking import Shown

MISSING = "Assign an action to see where it would travel."
WAY, MARK, PRINT = 3.0, 5.0, 4.0
"""How wide the way is drawn, and half the sizes of the marks of seconds and of where feet stand; pixels at a
scale of 1."""


class WayPlot(OverlayPlot):
    """Where the assigned action would go with travel."""

    name = "travel"
    label = "Travel"
    description = (
        "In the 3D View, while the tab is in the mode Travel: the way that the assigned action would go with "
        "travel, its speed, and a mark for each second and each place where a foot stands"
    )
    tool = "Travel"
    needs_actions = False

    def armature(self, context: Any) -> Any | None:
        return super().armature(context) if tab.shows(context, tab.TRAVEL) else None

    def model(self, armature: Any, own: Any) -> tuple[Shown | None, str]:
        action, _ = compat.assigned(armature)
        if action is None:
            return None, MISSING
        noted = noting.stored(action)
        if noted is not None and not noted.taken:
            return None, ""  # it goes its way already
        job = looking.of(armature)
        return job.shown, job.fault

    def panels(self, model: Any) -> Sequence[Any]:
        return ()

    def world(self, model: Shown, theme: Theme) -> list[Shape]:
        return [
            shapes.line(model.points, in_view.EDGE, (WAY + 2.0) * theme.scale),
            shapes.line(model.points, theme.way, WAY * theme.scale),
        ]

    def now(self, context: Any, model: Shown, cells: Any, theme: Theme) -> list[Shape]:
        found: list[Shape] = []
        for places, size, colour in (
            (model.prints, PRINT * theme.scale, theme.faint),
            (model.marks, MARK * theme.scale, theme.way),
        ):
            at, ahead = in_view.seen(context, places)
            for x, y in at[ahead].tolist():
                found += in_view.dot(x, y, size, colour, theme)
        at, ahead = in_view.seen(context, model.points[len(model.points) // 2][None])
        if ahead[0]:
            x, y = np.asarray(at[0]).tolist()
            found += in_view.label(speed_text(model), x, y, theme)
        return found


def speed_text(shown: Shown) -> str:
    """``1.30 m/s``."""
    return f"{shown.speed:.2f} m/s"
