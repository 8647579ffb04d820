# SPDX-License-Identifier: GPL-3.0-or-later
"""From what is to be shown to shapes, and back from a place under the mouse to frames."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from . import bridge_plot, curve_plot, layout, map_plot, offsets_plot, plot, shapes, world
from .layout import RegionInfo
from .model import Overlay
from .plot import Rect
from .shapes import Shape, Text
from .theme import Theme

__all__ = ["RegionInfo", "hit", "time_editor", "view3d_pixels", "view3d_world"]

Array = NDArray[np.float64]

NO_ROOM = "Enlarge the view to see all plots."
LEAST_FOR_A_NOTE = 150.0
"""In a view of less height, pixels at a scale of 1, even a note is in the way."""


def _plots_below(overlay: Overlay) -> int:
    """How many plots go along the bottom; that of hops is the last."""
    return len(overlay.curves) + (overlay.bridge is not None)


def _places(overlay: Overlay, info: RegionInfo) -> tuple[list[Rect], Rect | None, Rect | None]:
    """Where the curves, the map and the offsets go."""
    count = _plots_below(overlay)
    curves = layout.curves(info, count) if count else []
    above = curves[0][3] + layout.MARGIN * info.scale if curves else 0.0
    corner = layout.map_corner(info, above) if overlay.map is not None else None
    beside = corner[2] + (layout.NAVIGATION[0] + layout.MARGIN) * info.scale if corner else 0.0
    offsets = layout.offsets_corner(info, above, beside) if overlay.offsets is not None else None
    return curves, corner, offsets


def view3d_pixels(overlay: Overlay, info: RegionInfo, theme: Theme) -> list[Shape]:
    """The plots over a 3D View, where there is room for them, and a sentence on what is missing."""
    curves, corner, offsets = _places(overlay, info)
    found: list[Shape] = []
    for curve, place in zip(overlay.curves, curves, strict=False):
        found += curve_plot.shapes_of(curve, place, theme)
    if overlay.bridge is not None and curves:
        found += bridge_plot.shapes_of(overlay.bridge, curves[-1], theme)
    if overlay.map is not None and corner is not None:
        found += map_plot.shapes_of(overlay.map, corner, theme)
    if overlay.offsets is not None and offsets is not None:
        found += offsets_plot.shapes_of(overlay.offsets, offsets, theme)
    cramped = (
        len(curves) < _plots_below(overlay)
        or (overlay.map is not None and corner is None)
        or (overlay.offsets is not None and offsets is None)
    )
    note = " ".join(filter(None, [overlay.note, NO_ROOM if cramped else ""]))
    if note and info.free[3] > LEAST_FOR_A_NOTE * info.scale:
        above = curves[0][1] + curves[0][3] if curves else info.free[1]
        found += _note(note, info, above, theme)
    return found


def _note(text: str, info: RegionInfo, above: float, theme: Theme) -> list[Shape]:
    """A sentence on a panel of its own, at the left above what is at the bottom."""
    s = theme.scale
    left, bottom = info.free[0] + layout.MARGIN * s, above + layout.MARGIN * s
    wanted = 0.56 * theme.font * len(text) + 2.0 * plot.PADDING * s
    width = min(wanted, info.free[2] - 2.0 * layout.MARGIN * s)
    panel = (left, bottom, width, 2.1 * theme.font)
    return [
        shapes.rounded(*panel, plot.RADIUS * s, theme.panel),
        Text(left + plot.PADDING * s, bottom + 0.68 * theme.font, text, theme.font, theme.text),
    ]


def view3d_world(overlay: Overlay, theme: Theme) -> list[Shape]:
    """The ways of joints through the world."""
    return world.trajectories(overlay.trajectories, theme)


def time_editor(
    overlay: Overlay, info: RegionInfo, to_x: Callable[[Array], Array], theme: Theme
) -> list[Shape]:
    """The one curve that lines up with the keys, along the bottom. to_x: from frames to the region's x."""
    if not overlay.curves:
        return _note(overlay.note, info, info.free[1], theme) if overlay.note else []
    place = layout.band(info)
    return curve_plot.on_time_axis(overlay.curves[0], place, to_x, theme) if place is not None else []


def hit(
    overlay: Overlay, info: RegionInfo, theme: Theme, x: float, y: float
) -> tuple[str, tuple[float, ...]] | None:
    """What lies at a place of a 3D View's region, with the frames it stands for; None for nothing.

    ``CUT`` and ``DESTINATION`` have one frame, ``MAP`` has the cut and the destination frame.
    """
    curves, corner, _ = _places(overlay, info)
    if overlay.map is not None and corner is not None:
        cell = map_plot.cell_at(overlay.map, map_plot.layout(overlay.map, corner, theme), x, y)
        if cell is not None:
            return "MAP", cell
    for curve, place in zip(overlay.curves, curves, strict=False):
        at = curve_plot.layout(curve, place, theme).at(x, y)
        if at is not None:
            return curve.over, (float(curve.frames[np.argmin(np.abs(curve.frames - at[0]))]),)
    if overlay.bridge is not None and curves:
        at = bridge_plot.layout(overlay.bridge, curves[-1], theme).at(x, y)
        if at is not None:
            return "CUT", (float(overlay.bridge.frames[np.argmin(np.abs(overlay.bridge.frames - at[0]))]),)
    return None
