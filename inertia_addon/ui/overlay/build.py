# SPDX-License-Identifier: GPL-3.0-or-later
"""From what is to be shown to shapes, and back from a place under the mouse to frames."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ...plots import plot
from ...plots.shapes import Rect, Shape, Text
from ...plots.theme import Theme
from ..cost import curve_plot, map_plot, offsets_plot
from ..hops import hop_plot as bridge_plot
from ..root_motion import histogram_plot as root_histogram
from ..root_motion import plot as root_plot
from ..root_motion import ramp_marks as root_marks
from ..translations import translated
from . import layout, world
from .layout import RegionInfo
from .model import Overlay, RootPlot

__all__ = ["RegionInfo", "hit", "time_editor", "view3d_pixels", "view3d_world"]

Array = NDArray[np.float64]

NO_ROOM = "Enlarge the view to see all plots."
LEAST_FOR_A_NOTE = 150.0
"""In a view of less height, pixels at a scale of 1, even a note is in the way."""


@dataclasses.dataclass(frozen=True)
class Places:
    """Where plots go in a 3D View; without room none, or None."""

    curves: list[Rect]
    roots: list[Rect]
    map: Rect | None
    histograms: Rect | None
    offsets: Rect | None

    @property
    def row(self) -> list[Rect]:
        """The highest of what lies along the bottom."""
        return self.roots or self.curves


def _plots_below(overlay: Overlay) -> int:
    """How many plots of transitions go along the bottom; that of hops is the last."""
    return len(overlay.curves) + (overlay.bridge is not None)


def places(overlay: Overlay, info: RegionInfo) -> Places:
    """Where what is shown goes: from the bottom upwards, the map in the upper right corner."""
    gap = layout.MARGIN * info.scale
    count = _plots_below(overlay)
    curves = layout.curves(info, count) if count else []
    above = curves[0][3] + gap if curves else 0.0
    roots = layout.roots(info, above, len(overlay.root.plots)) if overlay.root is not None else []
    above += roots[0][3] + gap if roots else 0.0
    corner = layout.map_corner(info, above) if overlay.map is not None else None
    beside = corner[2] + layout.NAVIGATION[0] * info.scale + gap if corner else 0.0
    histograms = None
    if overlay.histograms is not None:
        histograms = layout.histogram_corner(info, above, beside)
    above += histograms[3] + gap if histograms else 0.0
    offsets = layout.offsets_corner(info, above, beside) if overlay.offsets is not None else None
    return Places(curves, roots, corner, histograms, offsets)


def view3d_pixels(overlay: Overlay, info: RegionInfo, theme: Theme) -> list[Shape]:
    """The plots over a 3D View, where there is room for them, and a sentence on what is missing."""
    at = places(overlay, info)
    found: list[Shape] = []
    for curve, place in zip(overlay.curves, at.curves, strict=False):
        found += curve_plot.shapes_of(curve, place, theme)
    if overlay.bridge is not None and at.curves:
        found += bridge_plot.shapes_of(overlay.bridge, at.curves[-1], theme)
    if overlay.root is not None:
        for shown, place in zip(overlay.root.plots, at.roots, strict=False):
            found += root_plot.shapes_of(shown, overlay.root.action, place, theme)
    if overlay.map is not None and at.map is not None:
        found += map_plot.shapes_of(overlay.map, at.map, theme)
    if overlay.histograms is not None and at.histograms is not None:
        found += root_histogram.shapes_of(overlay.histograms, at.histograms, theme)
    if overlay.offsets is not None and at.offsets is not None:
        found += offsets_plot.shapes_of(overlay.offsets, at.offsets, theme)
    note = " ".join(filter(None, [overlay.note, translated(NO_ROOM) if _cramped(overlay, at) else ""]))
    if note and info.free[3] > LEAST_FOR_A_NOTE * info.scale:
        top = at.histograms or (at.row[0] if at.row else None)
        above = top[1] + top[3] if top is not None else info.free[1]
        found += _note(note, info, above, theme)
    return found


def _cramped(overlay: Overlay, at: Places) -> bool:
    """Whether something that is to be shown has no room."""
    return (
        len(at.curves) < _plots_below(overlay)
        or (overlay.root is not None and not at.roots)
        or (overlay.map is not None and at.map is None)
        or (overlay.histograms is not None and at.histograms is None)
        or (overlay.offsets is not None and at.offsets is None)
    )


def _note(text: str, info: RegionInfo, above: float, theme: Theme) -> list[Shape]:
    """A sentence on a panel of its own: at the left above what is below, or beside the view's own text."""
    s = theme.scale
    left, bottom = info.free[0] + layout.MARGIN * s, above + layout.MARGIN * s
    wanted = plot.width_of(text, 0.94 * theme.font) + 2.0 * plot.PADDING * s
    width, height = min(wanted, info.free[2] - 2.0 * layout.MARGIN * s), 2.1 * theme.font
    if bottom + height > info.free[1] + info.free[3] - layout.HEADING * s:
        right = info.free[0] + info.free[2] - (layout.NAVIGATION[0] + layout.MARGIN) * s
        left = max(left, right - width)
    panel = (left, bottom, width, height)
    return [
        plot.panel(panel, theme),
        Text(left + plot.PADDING * s, bottom + 0.68 * theme.font, text, theme.font, theme.text),
    ]


def view3d_world(overlay: Overlay, theme: Theme) -> list[Shape]:
    """The ways of joints through the world."""
    return world.trajectories(overlay.trajectories, theme)


def time_editor(
    overlay: Overlay, info: RegionInfo, to_x: Callable[[Array], Array], theme: Theme, grips: bool = True
) -> list[Shape]:
    """What lines up with the keys, along the bottom: one cost curve, and root motion above it.

    to_x: from frames to the region's x, the same way for all. grips: whether ramps' edges can be dragged.
    """
    place, bands = _bands(overlay, info)
    found: list[Shape] = []
    if overlay.curves and place is not None:
        found += curve_plot.on_time_axis(overlay.curves[0], place, frames_in_sight(info, to_x), theme)
    if overlay.root is not None and bands:
        found += root_plot.on_time_axis(overlay.root, bands, frames_in_sight(info, to_x), theme, grips)
    if overlay.note:
        top = max((at for _, at in bands), key=lambda at: at[1], default=place)
        found += _note(overlay.note, info, top[1] + top[3] if top is not None else info.free[1], theme)
    return found


def _bands(overlay: Overlay, info: RegionInfo) -> tuple[Rect | None, list[tuple[RootPlot, Rect]]]:
    """Where the cost curve and root motion go in a time editor; of the latter what there is room for."""
    place = layout.band(info, overlay.root is not None) if overlay.curves else None
    if overlay.root is None:
        return place, []
    plots: tuple[RootPlot, ...] = overlay.root.plots
    found = layout.root_bands(info, place[3] if place is not None else 0.0, len(plots))
    if len(found) < len(plots):
        # the one that has ramps
        plots = tuple(sorted(plots, key=lambda each: not each.ramps))
    return place, list(zip(plots, found, strict=False))


def frames_in_sight(info: RegionInfo, to_x: Callable[[Array], Array]) -> tuple[float, float]:
    """The frames at the left and the right edge of a time editor's free part."""
    first, later = np.asarray(to_x(np.array([0.0, 1000.0])), float)
    left, width = info.free[0], info.free[2]
    low, high = (1000.0 * (np.array([left, left + width]) - first) / (later - first)).tolist()
    return low, high


def hit(
    overlay: Overlay, info: RegionInfo, theme: Theme, x: float, y: float
) -> tuple[str, tuple[float, ...]] | None:
    """What lies at a place of a 3D View's region, with the frames it stands for; None for nothing.

    ``CUT`` and ``DESTINATION`` have one frame, ``MAP`` has the cut and the destination frame.
    """
    at_all = places(overlay, info)
    if overlay.map is not None and at_all.map is not None:
        cell = map_plot.cell_at(overlay.map, map_plot.layout(overlay.map, at_all.map, theme), x, y)
        if cell is not None:
            return "MAP", cell
    for curve, place in zip(overlay.curves, at_all.curves, strict=False):
        at = curve_plot.layout(curve, place, theme).at(x, y)
        if at is not None:
            return curve.over, (float(curve.frames[np.argmin(np.abs(curve.frames - at[0]))]),)
    if overlay.bridge is not None and at_all.curves:
        at = bridge_plot.layout(overlay.bridge, at_all.curves[-1], theme).at(x, y)
        if at is not None:
            return "CUT", (float(overlay.bridge.frames[np.argmin(np.abs(overlay.bridge.frames - at[0]))]),)
    return None


def root_layouts(
    overlay: Overlay, info: RegionInfo, theme: Theme
) -> list[tuple[RootPlot, root_marks.Layout]]:
    """The plots of root motion that a 3D View shows, and where they lie."""
    if overlay.root is None:
        return []
    places_ = places(overlay, info).roots
    return [
        (shown, root_plot.in_panel(shown, place, theme))
        for shown, place in zip(overlay.root.plots, places_, strict=False)
    ]


def root_bands(
    overlay: Overlay, info: RegionInfo, to_x: Callable[[Array], Array], theme: Theme
) -> list[tuple[RootPlot, root_marks.Layout]]:
    """The same in a time editor."""
    if overlay.root is None:
        return []
    in_sight = frames_in_sight(info, to_x)
    return [
        (shown, root_plot.in_band(shown, place, in_sight, theme)) for shown, place in _bands(overlay, info)[1]
    ]


def grab(
    layouts: list[tuple[RootPlot, root_marks.Layout]], theme: Theme, x: float, y: float
) -> tuple[root_marks.Handle, RootPlot, root_marks.Layout] | None:
    """The edge of a ramp that can be grabbed at a place, with its plot; None for none."""
    for shown, made in layouts:
        handle = root_marks.handle_at(shown, made, theme, x, y)
        if handle is not None:
            return handle, shown, made
    return None
