# SPDX-License-Identifier: GPL-3.0-or-later
"""Overlays with made-up costs, and the two themes that Blender comes with."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from inertia_addon.plots import theme
from inertia_addon.plots.shapes import Rect
from inertia_addon.ui.cost.curve_plot import CostCurve
from inertia_addon.ui.cost.joint_trajectories import Trajectory
from inertia_addon.ui.cost.map_plot import MarkedCostMap
from inertia_addon.ui.cost.offsets_plot import DecayCurve, Offsets, Valley
from inertia_addon.ui.hops.hop_plot import HopCurves
from inertia_addon.ui.overlay import build
from inertia_addon.ui.overlay.layout import WAYS
from inertia_addon.ui.overlay.protocol import Overlay
from inertia_addon.ui.rooms import PLOTS

ACCENTS = {
    "curve": (0.16, 0.56, 1.0, 1.0),
    "current": (1.0, 0.2, 0.32, 1.0),
    "minimum": (0.96, 0.95, 0.3, 1.0),
    **WAYS,
    "result": (1.0, 0.63, 0.16, 1.0),
}
DARK = theme.make(
    (0.09, 0.09, 0.09, 1.0), (0.24, 0.24, 0.24, 1.0), (0.9, 0.9, 0.9, 1.0), 1.0, 11.0, **ACCENTS
)
LIGHT = theme.make((0.9, 0.9, 0.9, 1.0), (0.5, 0.5, 0.5, 1.0), (0.1, 0.1, 0.1, 1.0), 1.0, 11.0, **ACCENTS)


def scaled(look: theme.Theme, scale: float) -> theme.Theme:
    """A theme at another UI scale."""
    return dataclasses.replace(look, scale=scale, font=11.0 * scale)


def region(width: float = 1600.0, height: float = 900.0, scale: float = 1.0) -> build.RegionInfo:
    """A region with nothing over it."""
    return build.RegionInfo((0.0, 0.0, width, height), scale)


def showing(note: str = "", **parts: Any) -> Overlay:
    """An overlay of parts by the names of their plots."""
    assert set(parts) <= {plot.name for plot in PLOTS}
    return Overlay(parts, note)


def also(overlay: Overlay, **parts: Any) -> Overlay:
    """The same with more parts."""
    return showing(overlay.note, **overlay.parts, **parts)


def places(overlay: Overlay, info: build.RegionInfo) -> dict[str, list[Rect]]:
    """Where the panels of each plot are, by its name."""
    return {name: [place for _, place in found] for name, found in build.cells(overlay, info).items()}


def curve(over: str = "DESTINATION", count: int = 80) -> CostCurve:
    """A wavy curve of costs."""
    frames = 1.0 + np.arange(count)
    costs = (1.0 + 0.4 * np.cos(frames / 6.0) + 0.002 * frames).astype(np.float32)
    return CostCurve(over, "Run", frames, costs, 12.5, 1.3, (18, 55))


def cost_map(cuts: int = 60, destinations: int = 40) -> MarkedCostMap:
    """A map with one best cell."""
    cut, destination = 10.0 + np.arange(cuts), 1.0 + np.arange(destinations)
    costs = np.hypot(cut[:, None] - 30.0, destination[None] - 9.0).astype(np.float32)
    return MarkedCostMap(cut, destination, costs, "EXACT", 20.0, 5.0, ((30.0, 9.0), (45.0, 20.0)))


def offsets() -> Offsets:
    """Three decays and a valley."""
    t = np.linspace(0.0, 0.4, 50)
    decays = tuple(
        DecayCurve(name, t, 0.3 * np.exp(-t * k) - 0.02, 0.2, 0.05, (0.0, 0.28), name == "Quintic")
        for name, k in (("Quintic", 5.0), ("Cubic", 8.0), ("Spring", 12.0))
    )
    axis = np.linspace(-1.0, 1.0, 21)
    exact = np.abs(axis[None] + axis[:, None])
    return Offsets("foot.L", decays, Valley(axis, axis, exact + 0.1, exact, ((0.5, -0.5),)))


def hop_curves(count: int = 60) -> HopCurves:
    """Curves with three winners, and no way at the end."""
    frames = 10.0 + np.arange(count)
    direct, best = 0.3 + 0.1 * np.sin(frames / 7.0), 0.2 + 0.05 * np.cos(frames / 5.0)
    direct[-8:], best[-5:] = np.inf, np.inf
    clips = np.repeat([0, 2, -1], count // 3)
    return HopCurves(frames, direct, best, clips, ("Jog", "Jump", "Turn"), 31.0, "m²")


def everything() -> Overlay:
    """All at once."""
    frames = np.arange(10.0, 30.0)
    way = np.column_stack([frames, np.sin(frames), frames * 0.0])
    ways = tuple(Trajectory("foot.L", kind, frames, way, 10) for kind in ("SOURCE", "DESTINATION", "RESULT"))
    return showing(
        "Something to know.",
        curves=(curve(), curve("CUT")),
        map=cost_map(),
        offsets=offsets(),
        ghosts=ways,
        hops=hop_curves(),
    )


def extent(shape: Any) -> tuple[float, float, float, float]:
    """Left, bottom, right and top of a shape's points, texts by their widest letters."""
    if hasattr(shape, "text"):
        width = 0.62 * shape.size * len(shape.text)
        left = shape.x - shape.align * width
        return left, shape.y, left + width, shape.y + 0.72 * shape.size
    if hasattr(shape, "pixels"):
        left, bottom, width, height = shape.box
        return left, bottom, left + width, bottom + height
    points = shape.points if hasattr(shape, "points") else shape.corners
    return (*points.min(axis=0)[:2], *points.max(axis=0)[:2])
