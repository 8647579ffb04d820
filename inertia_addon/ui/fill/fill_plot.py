# SPDX-License-Identifier: GPL-3.0-or-later
"""The coming fill of a gap in the 3D View: the way that the character will go, its poses on the way, and a
mark for each clip."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...blender.data import scene
from ...plots import shapes
from ...plots.theme import Theme, mixed
from ...records import record
from ...settings.fill_wishes import Touch, Waypoint
from ..overlay import in_view
from ..overlay.protocol import OverlayPlot
from ..shared import cache, labels
from ..translations import translated
from . import drag_wish, finding, properties

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
        return [*drawn, *_draw_wishes(context, armature, theme), *_draw_grips(context, theme)]


def _draw_wishes(context: Any, armature: Any, theme: Theme) -> list[Shape]:
    """Return a mark with its frame for each waypoint and touch that an armature's gap asks for."""
    gap, metres = armature.inertia_fill, scene.metres_per_unit()
    floor = float(armature.matrix_world.translation.z)
    wishes: list[tuple[float, tuple[float, float, float]]] = []
    for waypoint in map(Waypoint.of, properties.text_to_wishes(gap.waypoints)):
        x, y = waypoint.place
        wishes.append((waypoint.frame, (x / metres, y / metres, floor)))
    for touch in map(Touch.of, properties.text_to_wishes(gap.touches)):
        x, y, z = touch.point
        wishes.append((touch.frame, (x / metres, y / metres, z / metres)))
    if not wishes:
        return []
    drawn: list[Shape] = []
    at, ahead = in_view.project(context, np.array([point for _, point in wishes]))
    for i in np.flatnonzero(ahead):
        x, y = at[i].tolist()
        drawn += in_view.dot(x, y, MARK * theme.scale, theme.cut, theme)
        drawn += in_view.label(f"{wishes[i][0]:g}", x, y, theme)
    return drawn


def _draw_grips(context: Any, theme: Theme) -> list[Shape]:
    """Return a mark on the grip under the mouse, or a line from where one was to where it is dragged."""
    key = context.region.as_pointer()
    grip, point = drag_wish.dragged.get(key, (drag_wish.lit.get(key), None))
    if grip is None:
        return []
    at, ahead = in_view.project(context, np.array([grip.point, point or grip.point]))
    if not ahead.all():
        return []
    (x, y), (to_x, to_y) = at.tolist()
    drawn = in_view.dot(to_x, to_y, MARK * theme.scale, theme.text, theme)
    drawn += in_view.label(f"{grip.joint} {grip.frame:g}".strip(), to_x, to_y, theme)
    if point is not None:
        drawn = [shapes.line([(x, y), (to_x, to_y)], theme.cut, GHOST * theme.scale), *drawn]
    return drawn
