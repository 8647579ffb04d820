# SPDX-License-Identifier: GPL-3.0-or-later
"""Where plots go in a region, along its bottom and in its corners, where nothing else is; and their looks."""

from __future__ import annotations

import enum
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ...plots.theme import Theme, make
from ...records import record

if TYPE_CHECKING:
    from ...plots.shapes import Colour, Rect

MARGIN = 12.0
NAVIGATION = (70.0, 250.0)
"""What the navigation gizmos take in the upper right corner: width and height at a scale of 1."""
HEADING = 58.0
"""What the view's own text takes at the top, likewise."""

MOST = 1.0 / 3.0
"""No plot covers more than this part of a view, or there would be no character to see."""
MAP_SIZE, LEGEND_SIZE = 270.0, (264.0, 24.0)
MAP_SIDES = 1.22
"""How many times as wide as high a map is."""
MAP_PARTS = (1.0, 0.8, 0.65)
"""The sizes of a map that are tried, as parts of the largest."""
LEAST_MOVED = (140.0, 24.0)
"""What is sized by hand is no smaller than this."""
LEAST_WIDTH = 170.0
"""No plot is narrower than this."""
LEAST_BAND = 52.0
"""Likewise the height of a band of a time editor."""
SLIM_BAND, SCROLL_BAR, KEYS = 8.0, 9.0, 12.0
"""The height of a band without words in an editor that is too low for them, such as the default Timeline,
how far above its bottom it is, where a scroll bar lies, and what is left for the keys."""


class PlotSlot(enum.Enum):
    """Where plots go in a 3D View: from the bottom upwards, and in the corners."""

    BOTTOM = enum.auto()
    ABOVE = enum.auto()
    RIGHT = enum.auto()
    LOWER_LEFT = enum.auto()
    LEFT = enum.auto()
    LEGEND = enum.auto()


BELOW = (PlotSlot.BOTTOM, 132.0, 99.0), (PlotSlot.ABOVE, 224.0, 112.0)
"""The height of plots along the bottom, and the least of it; pixels at a scale of 1."""
AT_LEFT = (
    (PlotSlot.LOWER_LEFT, (470.0, 142.0), (340.0, 120.0)),
    (PlotSlot.LEFT, (640.0, 330.0), (420.0, 250.0)),
)
"""The size of those at the left, and the least of it, likewise."""


@record(frozen=True)
class Moved:
    """A panel that was put somewhere, by its name, as any view can show it. x, y: its middle, as parts of a
    region's free part. width, height: pixels at a scale of 1."""

    name: str
    x: float
    y: float
    width: float
    height: float


@record(frozen=True)
class RegionInfo:
    """What is known of a region.

    free: its free part: left, bottom, width and height, pixels. scale: the UI's. character: where the
    character is, None where that is not known. moved: where panels are that were put somewhere.
    """

    free: Rect
    scale: float
    character: Rect | None = None
    moved: tuple[Moved, ...] = ()

    @classmethod
    def from_context(cls, context: Any) -> RegionInfo:
        """Return the region that is drawn now, without what other regions of its area cover."""
        scale = float(context.preferences.system.ui_scale or 1.0)
        return cls(free_part(context.area, context.region), scale)


@record(frozen=True)
class TimeAxis:
    """A time editor's frames: where frame 0 is, and frame 1000; the region's x, pixels."""

    zero: float
    thousand: float

    @classmethod
    def from_context(cls, context: Any) -> TimeAxis:
        view2d = context.region.view2d
        zero, thousand = (view2d.view_to_region(frame, 0.0, clip=False)[0] for frame in (0.0, 1000.0))
        return cls(zero, thousand)

    def __call__(self, frame: Any) -> Any:
        """Return the region's x of frames (n,)."""
        return self.zero + (self.thousand - self.zero) * frame / 1000.0


def free_part(area: Any, region: Any) -> Rect:
    """Return the part of a region that nothing else of its area covers: left, bottom, width, height, pixels
    from the region's lower left corner; width and height are 0 at least.

    Side bars, tool bars and headers count where they lie over the region, by their alignment. A redo panel
    takes the height below its top or the width left of its right edge, whichever leaves the larger part.
    """
    left, bottom, right, top = 0.0, 0.0, float(region.width), float(region.height)
    for other in area.regions:
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
    for other in area.regions:
        # it lies at 0, 0 while there is none
        if other.type == "HUD" and other.x > region.x and other.y > region.y and other.height > 1:
            x, y = float(other.x - region.x + other.width), float(other.y - region.y + other.height)
            # above it where it is folded, and beside it where it is open
            if (right - left) * (top - y) >= (right - x) * (top - bottom):
                bottom = max(bottom, y)
            else:
                left = max(left, x)
    return left, bottom, max(right - left, 0.0), max(top - bottom, 0.0)


def places(info: RegionInfo, counts: Mapping[PlotSlot, int]) -> dict[PlotSlot, list[Rect]]:
    """Return the places of plots by slot: (left, bottom, width, height), pixels in the region, from left to
    right within a slot.

    counts: how many each slot needs, 0 where it lacks one. All slots are keys, with [] for those without
    plots or room. Room is given first to the legend, one place below the view's own text; then, from the
    bottom upwards, to the rows, whose plots share the width; then to the map, one place in an upper corner;
    and last to those at the left, above the rows, which have one place each whatever the count. A plot covers
    no more than MOST of the view, unless it would be below its least size then.
    """
    s = info.scale
    gap = MARGIN * s
    rects: dict[PlotSlot, list[Rect]] = {slot: [] for slot in PlotSlot}
    if counts.get(PlotSlot.LEGEND):
        rects[PlotSlot.LEGEND] = legend(info)
    taken = rects[PlotSlot.LEGEND][0][3] + gap if rects[PlotSlot.LEGEND] else 0.0
    above = 0.0
    for slot, height, least in BELOW:
        tall = min(height * s, MOST * info.free[3], room(info, above) - taken)
        if counts.get(slot) and tall >= least * s:
            rects[slot] = side_by_side(info, above, counts[slot], tall)
        above += rects[slot][0][3] + gap if rects[slot] else 0.0
    beside = 0.0
    left_is_free = not (counts.get(PlotSlot.LOWER_LEFT) or counts.get(PlotSlot.LEFT))
    if counts.get(PlotSlot.RIGHT) and (
        corner := map_corner(info, above, rects[PlotSlot.LEGEND], left_is_free=left_is_free)
    ):
        rects[PlotSlot.RIGHT] = [corner]
        beside = corner[2] + NAVIGATION[0] * s + gap
    for slot, size, smallest in AT_LEFT:
        wide = min(size[0] * s, info.free[2] - beside - 3.0 * gap)
        tall = min(size[1] * s, room(info, above) - taken)
        most = MOST * info.free[2] * info.free[3]
        tall = min(tall, max(most / wide, smallest[1] * s)) if wide > 0.0 else 0.0
        wide = min(wide, most / tall) if tall > 0.0 else 0.0
        if counts.get(slot) and wide >= smallest[0] * s and tall >= smallest[1] * s:
            rects[slot] = [(info.free[0] + gap, info.free[1] + above + gap, wide, tall)]
            above += tall + gap
    return rects


def legend(info: RegionInfo) -> list[Rect]:
    """Return the place of the legend, a list of one (left, bottom, width, height), pixels, or [].

    It has LEGEND_SIZE times the scale. It lies at the upper left of the free part, MARGIN times the scale
    from its left side, with its top HEADING times the scale below the top, below the view's own text. []
    where it is wider than the free part without the navigation gizmos' width and two margins, or higher than
    :func:`room` at the bottom leaves.
    """
    left, bottom, width, height = info.free
    wide, tall = LEGEND_SIZE[0] * info.scale, LEGEND_SIZE[1] * info.scale
    if wide > width - (NAVIGATION[0] + 2.0 * MARGIN) * info.scale or tall > room(info, 0.0):
        return []
    return [(left + MARGIN * info.scale, bottom + height - HEADING * info.scale - tall, wide, tall)]


def room(info: RegionInfo, above: float) -> float:
    """Return the height, pixels, that is left above what reaches up to ``above``."""
    return info.free[3] - above - (HEADING + 2.0 * MARGIN) * info.scale


def side_by_side(info: RegionInfo, above: float, count: int, tall: float) -> list[Rect]:
    """Return the places (left, bottom, width, height) of `count` plots side by side over the free part's
    width, from left to right, of equal width; [] where each would be narrower than LEAST_WIDTH times the
    scale.

    A margin, MARGIN times the scale, lies before, between and behind them, and below. above: the pixels at
    the bottom of the free part that are taken already. tall: the height of each, pixels, whether there is
    room for it or not. count: at least 1.
    """
    left, bottom, width, _ = info.free
    gap = MARGIN * info.scale
    each = (width - (count + 1) * gap) / count
    if each < LEAST_WIDTH * info.scale:
        return []
    return [(left + gap + i * (each + gap), bottom + above + gap, each, tall) for i in range(count)]


def map_corner(info: RegionInfo, above: float, legends: list[Rect], *, left_is_free: bool) -> Rect | None:
    """Return the place of a map in an upper corner (left, bottom, width, height), pixels; None where there is
    no room for the least size.

    It is MAP_SIDES times as wide as high. The largest height is MAP_SIZE times the scale, limited by the room
    above `above` and below a legend, by half of the width that the navigation gizmos and two margins leave,
    and so that the map covers no more than MOST of the free part. None if that is below LEAST_WIDTH times the
    scale. MAP_PARTS of it are tried, none lower than that, at the right beside the gizmos and, if
    left_is_free, at the left. The place that hides least of the character is taken; of equal ones the larger,
    then the right.

    The top is HEADING times the scale below the free part's. At the left the map always goes below a legend,
    at the right only if it would meet it. above: the height of what is at the bottom, pixels. legends: the
    legend's place in a list, or none.
    """
    left, bottom, width, height = info.free
    s = info.scale
    across = width - (NAVIGATION[0] + 2.0 * MARGIN) * s
    edge, taken = 0.0, 0.0
    for legend in legends:
        edge, taken = legend[0] + legend[2], legend[3] + MARGIN * s
    third = math.sqrt(MOST * width * height / MAP_SIDES)
    most = min(MAP_SIZE * s, room(info, above) - taken, 0.5 * across, third)
    if most < LEAST_WIDTH * s:
        return None
    top = bottom + height - HEADING * s
    corners = []
    for part in MAP_PARTS:
        size = max(part * most, LEAST_WIDTH * s)
        wide = size * MAP_SIDES
        x = left + width - (NAVIGATION[0] + MARGIN) * s - wide
        corners.append((x, top - size - (taken if x < edge + MARGIN * s else 0.0), wide, size))
        if left_is_free:
            corners.append((left + MARGIN * s, top - taken - size, wide, size))
    return min(corners, key=lambda corner: covered(corner, info.character))


def covered(rect: Rect, character: Rect | None) -> float:
    """Return how much of a character a panel hides, square pixels; 0.0 where the character is None."""
    if character is None:
        return 0.0
    across, up = (
        min(rect[i] + rect[i + 2], character[i] + character[i + 2]) - max(rect[i], character[i])
        for i in (0, 1)
    )
    return max(across, 0.0) * max(up, 0.0)


def put(info: RegionInfo, placement: Moved) -> Rect:
    """Return where a panel that was moved lies: (left, bottom, width, height), pixels in the region.

    Its size is placement's times the scale, or the free part's if that is smaller. Its middle is where
    placement says, in parts of the free part, but moved so that all of the panel lies in it.
    """
    left, bottom, width, height = info.free
    wide, tall = min(placement.width * info.scale, width), min(placement.height * info.scale, height)
    x = left + min(max(placement.x * width - 0.5 * wide, 0.0), width - wide)
    y = bottom + min(max(placement.y * height - 0.5 * tall, 0.0), height - tall)
    return x, y, wide, tall


def remember_place(info: RegionInfo, name: str, rect: Rect) -> Moved:
    """Return what remembers a panel's place in any region: its middle, in parts of the free part, and its
    size at a scale of 1.

    rect: left, bottom, width, height, pixels. A panel narrower or lower than LEAST_MOVED times the scale
    becomes as large as that, from its lower left corner, so that its middle moves. Parts below 0 or above 1
    stay so; a free part without width or height counts as one pixel. :func:`put` gives the place back, moved
    into the free part if it lies beyond.
    """
    left, bottom, width, height = info.free
    wide, tall = max(rect[2], LEAST_MOVED[0] * info.scale), max(rect[3], LEAST_MOVED[1] * info.scale)
    x, y = rect[0] + 0.5 * wide - left, rect[1] + 0.5 * tall - bottom
    return Moved(name, x / max(width, 1.0), y / max(height, 1.0), wide / info.scale, tall / info.scale)


def band(info: RegionInfo, *, shared: bool = False) -> Rect | None:
    """Return the band along the bottom of a time editor (left, bottom, width, height), pixels.

    It is 42 % of the free part's height, or 30 % if shared, at most 110 pixels times the scale. If that is
    too low for words, it is a slim band without words above the scroll bar. None where that would hide the
    keys, or the free part is narrower than 100 pixels times the scale. shared: whether another band lies
    above it.
    """
    left, bottom, width, height = info.free
    tall = min(110.0 * info.scale, (0.3 if shared else 0.42) * height)
    if tall < LEAST_BAND * info.scale or width < 100.0 * info.scale:
        return slim_band(info, 0.0)
    return left, bottom, width, tall


def slim_band(info: RegionInfo, below: float) -> Rect | None:
    """Return a band without words over the free part's width: (left, bottom, width, height), pixels,
    SLIM_BAND times the scale high.

    None where it would leave less than KEYS times the scale above it, or that width is below 100 pixels times
    the scale. below: the top of what is beneath it, pixels above the free part's bottom; it never lies below
    the scroll bar's height.
    """
    left, bottom, width, height = info.free
    tall, above = SLIM_BAND * info.scale, max(below, SCROLL_BAR * info.scale)
    if width < 100.0 * info.scale or height < above + tall + KEYS * info.scale:
        return None
    return left, bottom + above, width, tall


def is_slim(rect: Rect, scale: float) -> bool:
    """Tell whether a band has no room for words."""
    return rect[3] < LEAST_BAND * scale


def root_bands(info: RegionInfo, below: float, count: int) -> list[Rect]:
    """Return the places of bands for root motion in a time editor (left, bottom, width, height), pixels, the
    uppermost first: at most `count`, as many as there is room for; [] for none, or where the free part is
    narrower than 100 pixels times the scale.

    below: the height, pixels, of what is at the bottom; the lowest band stands on it. They share 56 % of the
    free part's height, 36 % if below is above 0, each at most 96 pixels and at least LEAST_BAND, both times
    the scale.
    """
    left, bottom, width, height = info.free
    room = (0.36 if below > 0.0 else 0.56) * height
    fits = min(count, int(room / (LEAST_BAND * info.scale)))
    if fits < 1 or width < 100.0 * info.scale:
        return []
    tall = min(96.0 * info.scale, room / fits)
    return [(left, bottom + below + (fits - 1 - i) * tall, width, tall) for i in range(fits)]


WAYS: dict[str, Colour] = {
    "source": (0.93, 0.33, 0.78, 1.0),
    "destination": (0.33, 0.8, 0.28, 1.0),
    "way": (1.0, 0.9, 0.25, 1.0),
}
"""Of trajectories, which hang among bones: none is a colour that a theme of Blender's gives to bones. Who
can't tell red from green still sees violet, ochre and a bright yellow."""


def theme_of(context: Any) -> Theme:
    preferences = context.preferences
    colours = preferences.themes[0]
    interface = colours.user_interface
    panel = interface.wcol_menu_back
    accents = {
        "curve": _opaque(interface.axis_z),
        "current": _opaque(interface.axis_x),
        "minimum": _opaque(interface.gizmo_primary),
        **WAYS,
        "result": _opaque(colours.view_3d.object_active),
    }
    world, text = colours.view_3d.space.gradients.high_gradient, interface.wcol_regular.text
    scale, points = preferences.system.ui_scale or 1.0, float(preferences.ui_styles[0].widget.points)
    return make(_opaque(panel.inner), _opaque(world), _opaque(text), scale, points, **accents)


def _opaque(colour: Any) -> Colour:
    r, g, b = colour[:3]
    return (float(r), float(g), float(b), 1.0)
