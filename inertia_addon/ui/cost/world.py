# SPDX-License-Identifier: GPL-3.0-or-later
"""What is drawn in the 3D View's world: the ways of joints, and bones tinted by what they cost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from bpy.props import IntProperty

from ...plots import heat_map, plot, shapes
from ...plots.shapes import Colour, Lines, Rect, Shape, Text
from ...plots.theme import Theme, mixed
from ...settings.limits import Range
from ..overlay.layout import Slot
from ..overlay.protocol import OverlayPlot
from ..shared.made_of import limits_of
from ..translations import translated
from . import costs, ghosts_of
from . import shown as shown_of
from .model import TintedBone, Trajectory

GHOST_FRAMES = Range(0, 10_000, "frames", whole=True, soft_most=200)

WIDTHS = {"SOURCE": 1.6, "DESTINATION": 1.6, "RESULT": 3.0}
NAMES = {"SOURCE": "Source", "DESTINATION": "Destination", "RESULT": "Result"}
SWATCH = 24.0
"""What a sample of a line takes in the legend, pixels at a scale of 1."""
FADE_FRAMES = 30.0
"""So many frames from the cut a trajectory has faded to a third."""
TICK = 0.004
"""Half the size of the cross on each frame of a result, as part of the trajectories' extent."""
ARMS = np.kron(np.eye(3), [[1.0], [-1.0]])
"""The ends of a cross's three lines, (6, 3), of half the length 1."""


def trajectories(ways: tuple[Trajectory, ...], theme: Theme) -> list[Shape]:
    """The ways in their order: the result's, with a cross on each frame, comes last, over the others."""
    return [shape for way in ways for shape in _way(way, theme)]


def _way(way: Trajectory, theme: Theme) -> list[Shape]:
    rgba = np.tile(np.array(colour_of(way.kind, theme), np.float32), (len(way.frames), 1))
    if way.cut is not None:
        away = np.abs(way.frames - way.frames[way.cut])
        rgba[:, 3] = 1.0 / (1.0 + 2.0 * away / FADE_FRAMES)
    points = np.ascontiguousarray(way.points, np.float32)
    found: list[Shape] = [Lines(points, rgba, WIDTHS[way.kind] * theme.scale)]
    if way.kind == "RESULT":
        found.append(_crosses(points, rgba, theme))
        if way.cut is not None:
            found.append(_cross(points[way.cut], theme))
    return found


def _crosses(points: shapes.Floats, rgba: shapes.Floats, theme: Theme) -> Shape:
    """A small cross on each point."""
    size = np.float32(TICK * max(float(np.ptp(points, axis=0).max()), 0.05))
    ends = (points[:, None, :] + (size * ARMS).astype(np.float32)).reshape(-1, 3)
    return Lines(np.ascontiguousarray(ends), np.repeat(rgba, 6, axis=0), 1.0 * theme.scale, pairs=True)


def _cross(point: shapes.Floats, theme: Theme) -> Shape:
    """A larger cross where the cut is."""
    return shapes.line(point + 0.025 * ARMS, theme.cut, 2.4 * theme.scale, pairs=True)


def legend(kinds: tuple[str, ...], place: Rect, theme: Theme) -> list[Shape]:
    """A panel with a line of each way, in its colour and width, and whose it is, as far as there is room.

    The panel ends where the words do, which take less room in some languages.
    """
    s, font = theme.scale, theme.font
    x, y = place[0] + plot.PADDING * s, place[1] + 0.5 * place[3]
    right = place[0] + place[2] - 2.0 * s
    found: list[Shape] = []
    for kind in kinds:
        text = translated(NAMES[kind])
        if x + SWATCH * s + plot.width_of(text, font) > right:
            break
        ends = [(x, y), (x + (SWATCH - 6.0) * s, y)]
        # the colours are for the world, and a panel may be as light as one of them
        edge = mixed(theme.text, theme.panel, 0.35)
        found.append(shapes.line(ends, edge, (1.5 * WIDTHS[kind] + 2.0) * s))
        found.append(shapes.line(ends, colour_of(kind, theme), 1.5 * WIDTHS[kind] * s))
        found.append(Text(x + SWATCH * s, y - 0.35 * font, text, font, theme.text))
        x += SWATCH * s + plot.width_of(text, font) + 10.0 * s
    left, bottom, _, height = place
    return [plot.panel((left, bottom, x - left, height), theme), *found]


def colour_of(kind: str, theme: Theme) -> Colour:
    """The colour of a way, as it is in the world: a legend that differs says nothing."""
    return {"SOURCE": theme.source, "DESTINATION": theme.destination, "RESULT": theme.way}[kind]


def tinted(bones: tuple[TintedBone, ...], theme: Theme) -> list[Shape]:
    """A thick line along each bone, brighter and wider for a larger share."""
    found: list[Shape] = []
    for bone in sorted(bones, key=lambda bone: bone.share):
        r, g, b = heat_map.sequential(0.15 + 0.85 * bone.share)
        colour = (float(r), float(g), float(b), 0.55 + 0.4 * bone.share)
        found.append(shapes.line([bone.head, bone.tail], colour, (4.0 + 6.0 * bone.share) * theme.scale))
    return found


class Ghosts(OverlayPlot):
    """The ways of joints through the world."""

    name = "ghosts"
    slot = Slot.LEGEND
    label = "Ghost Trajectories"
    description = (
        "The ways of the hips, hands and feet through the world: in the source, in the "
        "destination where it will be, and in the result"
    )
    details = {
        "ghost_frames": (
            "Ghosts Around",
            IntProperty,
            {
                "name": "Around",
                "description": "How many frames before the cut and after the window trajectories show",
                "default": 20,
                **limits_of(GHOST_FRAMES),
            },
        )
    }

    def model(self, armature: Any, own: Any) -> tuple[Any, str]:
        return ghosts_of.joints(armature, costs.of(armature), own.ghost_frames)

    def panels(self, model: Any) -> Sequence[Any]:
        """What says whose way is which."""
        kinds = tuple(kind for kind in NAMES if any(way.kind == kind for way in model))
        return (kinds,) if kinds else ()

    def shapes(self, model: Any, shown: tuple[str, ...], place: Rect, theme: Theme) -> list[Shape]:
        return legend(shown, place, theme)

    def world(self, model: Any, theme: Theme) -> list[Shape]:
        return trajectories(model, theme)


class Tint(OverlayPlot):
    """The bones, tinted by what they cost."""

    name = "tint"
    label = "Tint Bones"
    description = "Colour the bones by their share of the cost at the cut"

    def model(self, armature: Any, own: Any) -> tuple[Any, str]:
        # the bones move with each frame: only what can't be shown is said here
        costs.of(armature)
        return None, ""

    def world_now(self, context: Any, theme: Theme) -> list[Shape]:
        return tinted(shown_of.tinted(context), theme)
