# SPDX-License-Identifier: GPL-3.0-or-later
"""Where plots go in a region: along its bottom, and in its corners, where nothing else is."""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Mapping
from typing import Any

from ...plots.shapes import Rect

MARGIN = 12.0
NAVIGATION = (70.0, 250.0)
"""What the navigation gizmos take in the upper right corner: width and height at a scale of 1."""
HEADING = 58.0
"""What the view's own text takes at the top, likewise."""

FOLDED = 30.0
"""The panel of the last operation is higher than this only when it is open: then it covers what it may."""

CURVES_HEIGHT, MAP_SIZE = 132.0, 270.0
ROOT_HEIGHT, LEAST_ROOT = 224.0, 112.0
HISTOGRAM_SIZE, LEAST_HISTOGRAM = (470.0, 142.0), (340.0, 120.0)
OFFSETS_SIZE, LEAST_OFFSETS = (640.0, 330.0), (420.0, 250.0)
LEAST_WIDTH = 170.0
"""No plot is narrower than this."""
LEAST_BAND = 52.0
"""Likewise the height of a band of a time editor."""


class Slot(enum.Enum):
    """Where plots go in a 3D View: from the bottom upwards, and in the corners."""

    BOTTOM = enum.auto()
    ABOVE = enum.auto()
    RIGHT = enum.auto()
    LOWER_LEFT = enum.auto()
    LEFT = enum.auto()


@dataclasses.dataclass(frozen=True)
class RegionInfo:
    """A region's free part: left, bottom, width and height, pixels; and the UI scale."""

    free: Rect
    scale: float

    @classmethod
    def from_context(cls, context: Any) -> RegionInfo:
        """The region that is drawn now, without what other regions of its area lie over."""
        scale = float(context.preferences.system.ui_scale or 1.0)
        return cls(free_part(context.area, context.region, scale), scale)


@dataclasses.dataclass(frozen=True)
class TimeAxis:
    """A time editor's frames: where frame 0 is, and frame 1000; the region's x, pixels."""

    zero: float
    thousand: float

    @classmethod
    def from_context(cls, context: Any) -> TimeAxis:
        """Of the region that is drawn now."""
        view2d = context.region.view2d
        zero, thousand = (view2d.view_to_region(frame, 0.0, clip=False)[0] for frame in (0.0, 1000.0))
        return cls(zero, thousand)

    def __call__(self, frame: Any) -> Any:
        """The region's x of frames (n,)."""
        return self.zero + (self.thousand - self.zero) * frame / 1000.0


def free_part(area: Any, region: Any, scale: float) -> Rect:
    """What of a region no side bar, tool bar or header lies over, nor the last operation's folded panel."""
    left, bottom, right, top = 0.0, 0.0, float(region.width), float(region.height)
    for other in area.regions:
        if _is_folded_panel(other, region, scale):
            bottom = max(bottom, other.y - region.y + other.height)
        if other.type in ("WINDOW", "HUD", "XR") or other.width <= 1 or other.height <= 1:
            continue
        x, y = other.x - region.x, other.y - region.y
        if x >= region.width or y >= region.height or x + other.width <= 0 or y + other.height <= 0:
            continue  # beside it
        if other.alignment == "LEFT":
            left = max(left, x + other.width)
        elif other.alignment == "RIGHT":
            right = min(right, x)
        elif other.alignment == "TOP":
            top = min(top, y)
        elif other.alignment == "BOTTOM":
            bottom = max(bottom, y + other.height)
    return left, bottom, max(right - left, 0.0), max(top - bottom, 0.0)


def _is_folded_panel(other: Any, region: Any, scale: float) -> bool:
    """Whether a region is the folded panel of the last operation; it lies at 0, 0 while there is none."""
    seen = other.type == "HUD" and other.x > region.x and other.y > region.y
    return seen and 1 < other.height <= FOLDED * scale


def places(info: RegionInfo, counts: Mapping[Slot, int]) -> dict[Slot, list[Rect]]:
    """Where plots go, as many in each slot; fewer, or none, where there is no room."""
    s = info.scale
    gap = MARGIN * s
    found: dict[Slot, list[Rect]] = {slot: [] for slot in Slot}
    above = 0.0
    for slot, height, least in (
        (Slot.BOTTOM, CURVES_HEIGHT * s, CURVES_HEIGHT * s),
        (Slot.ABOVE, min(ROOT_HEIGHT * s, 0.45 * info.free[3]), LEAST_ROOT * s),
    ):
        tall = min(height, room(info, above))
        if counts.get(slot) and tall >= least:
            found[slot] = side_by_side(info, above, counts[slot], tall)
        above += found[slot][0][3] + gap if found[slot] else 0.0
    beside = 0.0
    if counts.get(Slot.RIGHT) and (corner := map_corner(info, above)):
        found[Slot.RIGHT] = [corner]
        beside = corner[2] + NAVIGATION[0] * s + gap
    for slot, size, smallest in (
        (Slot.LOWER_LEFT, HISTOGRAM_SIZE, LEAST_HISTOGRAM),
        (Slot.LEFT, OFFSETS_SIZE, LEAST_OFFSETS),
    ):
        wide = min(size[0] * s, info.free[2] - beside - 3.0 * gap)
        tall = min(size[1] * s, room(info, above))
        if counts.get(slot) and wide >= smallest[0] * s and tall >= smallest[1] * s:
            found[slot] = [(info.free[0] + gap, info.free[1] + above + gap, wide, tall)]
            above += tall + gap
    return found


def room(info: RegionInfo, above: float) -> float:
    """The height that is left above what is so high already, pixels."""
    return info.free[3] - above - (HEADING + 2.0 * MARGIN) * info.scale


def side_by_side(info: RegionInfo, above: float, count: int, tall: float) -> list[Rect]:
    """Places for plots, above what is so high already; none where these would be too narrow."""
    left, bottom, width, _ = info.free
    gap = MARGIN * info.scale
    each = (width - (count + 1) * gap) / count
    if each < LEAST_WIDTH * info.scale:
        return []
    return [(left + gap + i * (each + gap), bottom + above + gap, each, tall) for i in range(count)]


def map_corner(info: RegionInfo, above: float) -> Rect | None:
    """A place at the right, beside the navigation gizmos and above what is at the bottom; None for none.

    above: the height of that, pixels.
    """
    left, bottom, width, height = info.free
    s = info.scale
    across = width - (NAVIGATION[0] + 2.0 * MARGIN) * s
    size = min(MAP_SIZE * s, room(info, above), 0.5 * across)
    if size < LEAST_WIDTH * s:
        return None
    right = left + width - (NAVIGATION[0] + MARGIN) * s
    return right - size * 1.22, bottom + height - HEADING * s - size, size * 1.22, size


def band(info: RegionInfo, shared: bool = False) -> Rect | None:
    """The band along the bottom of a time editor; None where it would hide the keys.

    shared: with another one above it.
    """
    left, bottom, width, height = info.free
    tall = min(110.0 * info.scale, (0.3 if shared else 0.42) * height)
    if tall < LEAST_BAND * info.scale or width < 100.0 * info.scale:
        return None
    return left, bottom, width, tall


def root_bands(info: RegionInfo, below: float, count: int) -> list[Rect]:
    """Bands of a time editor for root motion, one above the other, as many as there is room for.

    below: the height of what is at the bottom. The first one is the highest.
    """
    left, bottom, width, height = info.free
    room = (0.36 if below > 0.0 else 0.56) * height
    fits = min(count, int(room / (LEAST_BAND * info.scale)))
    if fits < 1 or width < 100.0 * info.scale:
        return []
    tall = min(96.0 * info.scale, room / fits)
    return [(left, bottom + below + (fits - 1 - i) * tall, width, tall) for i in range(fits)]
