# SPDX-License-Identifier: GPL-3.0-or-later
"""What is drawn in the 3D View's world: the ways of joints, and bones tinted by what they cost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from bpy.props import IntProperty

from ...plots import colours, shapes
from ...plots.shapes import Lines, Shape
from ...plots.theme import Theme
from ...settings.ranges import Range
from ..overlay.protocol import OverlayPlot
from ..shared.made_of import limits_of
from . import costs, ghosts_of
from . import shown as shown_of
from .model import TintedBone, Trajectory

GHOST_FRAMES = Range(0, 10_000, "frames", whole=True, soft_most=200)

WIDTHS = {"SOURCE": 1.6, "DESTINATION": 1.6, "RESULT": 3.0}
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
    colour = {"SOURCE": theme.source, "DESTINATION": theme.destination, "RESULT": theme.way}[way.kind]
    rgba = np.tile(np.array(colour, np.float32), (len(way.frames), 1))
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


def tinted(bones: tuple[TintedBone, ...], theme: Theme) -> list[Shape]:
    """A thick line along each bone, brighter and wider for a larger share."""
    found: list[Shape] = []
    for bone in sorted(bones, key=lambda bone: bone.share):
        r, g, b = colours.sequential(0.15 + 0.85 * bone.share)
        colour = (float(r), float(g), float(b), 0.55 + 0.4 * bone.share)
        found.append(shapes.line([bone.head, bone.tail], colour, (4.0 + 6.0 * bone.share) * theme.scale))
    return found


class Ghosts(OverlayPlot):
    """The ways of joints through the world."""

    name = "ghosts"
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
        return ()

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
