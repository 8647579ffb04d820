# SPDX-License-Identifier: GPL-3.0-or-later
"""From the active armature to what is to be shown and its shapes, and from a place under the mouse to frames.

Objects of the model stay the same objects while nothing changes, so that what was drawn of them can be drawn
again.
"""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import InertiaError
from ...plots import plot
from ...plots.shapes import Rect, Shape, Text
from .. import translations
from ..shared import cache, tab
from ..translations import translated
from . import in_view, layout
from .layout import Moved, PlotSlot, RegionInfo, theme_of
from .protocol import Hit, Overlay, OverlayPlot, TimePlot, parts_of
from .switches import plot_switches

if TYPE_CHECKING:
    from ...motion.arrays import Array
    from ...plots.theme import Theme


def switched_on(context: Any, *, in_time: bool) -> list[OverlayPlot]:
    """Return the plots that are switched on in the context's scene and belong to the mode of its workspace,
    in 3D Views or in time editors.
    """
    scene = context.scene.inertia_overlay
    on = [each for each in plot_switches() if getattr(scene, each.name) and tab.shows(context, each.mode)]
    return [each.plot for each in on if isinstance(each.plot, TimePlot) == in_time]


def view3d_overlay(context: Any) -> Overlay | None:
    """Return what a 3D View shows; None when nothing is on, or no active armature could show it."""
    if not context.space_data.overlay.show_overlays:
        return None
    return _overlay_of("overlay", context, switched_on(context, in_time=False))


def time_overlay(context: Any) -> Overlay | None:
    """Return what a Dope Sheet or Graph Editor shows, None when it shows nothing."""
    return _overlay_of("time overlay", context, switched_on(context, in_time=True))


def _overlay_of(name: str, context: Any, plots: Sequence[OverlayPlot]) -> Overlay | None:
    """Return what some plots show of the active armature, and a note; the same object as before while nothing
    has changed. None where no plot has an armature to show.

    name: what it is kept under. A plot that raises InertiaError has no part, and its sentence goes into the
    note. A plot with a tool adds to the note only while that panel is unfolded in sight, and one that is on
    only as it is so at first never does. The note is translated, and "" for nothing to say.
    """
    parts: dict[str, Any] = {}
    notes: dict[str, None] = {}
    owner = None
    with cache.one_redraw():
        for each in plots:
            armature = each.armature(context)
            if armature is None:
                continue
            owner = armature
            try:
                parts[each.name], note = each.model(armature, context.scene.inertia_overlay)
            except InertiaError as error:
                note = error.sentence
            # what nobody has switched on does not ask for anything
            is_asked_for = context.scene.inertia_overlay.is_property_set(each.name)
            if is_asked_for and (not each.tool or tab.is_seen(each.tool)):
                notes[note] = None
    if owner is None:
        return None
    text = " ".join(translations.sentence(note) for note in notes if note)
    return cache.answer(name, owner, (text, *parts.items()), lambda: Overlay(parts, text))


NO_ROOM = "Enlarge the view to see all plots."
LEAST_FOR_A_NOTE = 150.0
"""In a view of less height, pixels at a scale of 1, even a note is in the way."""
TOPS = (PlotSlot.LOWER_LEFT, PlotSlot.ABOVE, PlotSlot.BOTTOM)
"""What a note stands above: the first of these that is there."""


def panel_name(overlay_plot: OverlayPlot, index: int) -> str:
    """Return the name by which one of a plot's panels is remembered."""
    return f"{overlay_plot.name} {index}"


def _slots(overlay: Overlay, info: RegionInfo) -> tuple[dict[PlotSlot, list[Rect]], bool]:
    """Return the places for the panels of an overlay that were not moved, by slot, and whether any slot has
    fewer places than such panels.

    Places are (left, bottom, width, height), pixels in the region; all slots are keys, with [] for those
    without panels or room.
    """
    counts = collections.Counter[PlotSlot]()
    moved = {place.name for place in info.moved}
    for each, model in parts_of(overlay):
        names = {panel_name(each, i) for i in range(len(each.panels(model)))}
        counts[each.slot] += len(names - moved)
    slots = layout.places(info, counts)
    return slots, any(len(slots[slot]) < count for slot, count in counts.items())


def cells(overlay: Overlay, info: RegionInfo) -> dict[str, list[tuple[Any, Rect]]]:
    """Return, for each plot of the overlay that a 3D View shows by name, a list of pairs: what a panel shows,
    and its place (left, bottom, width, height), pixels in the region.

    Panels without room are left out, so that a list may be empty.
    """
    cells: dict[str, list[tuple[Any, Rect]]] = {each.name: [] for each, _ in parts_of(overlay)}
    for each, _, _, shown, place in _panels(overlay, info):
        cells[each.name].append((shown, place))
    return cells


def _panels(overlay: Overlay, info: RegionInfo) -> list[tuple[OverlayPlot, Any, str, Any, Rect]]:
    """Return each panel of a 3D View that has a place, in the order of the plots: plot, model, the name by
    which it is remembered, what it shows, and the place.

    A moved panel is where it was put; the others take their slot's places in turn, and those without one are
    left out.
    """
    left = {slot: iter(places) for slot, places in _slots(overlay, info)[0].items()}
    moved = {place.name: layout.put(info, place) for place in info.moved}
    panels = []
    for each, model in parts_of(overlay):
        for i, shown in enumerate(each.panels(model)):
            name = panel_name(each, i)
            place = moved.get(name) or next(left[each.slot], None)
            if place is not None:
                panels.append((each, model, name, shown, place))
    return panels


def stacked(overlay: Overlay, info: RegionInfo) -> list[tuple[OverlayPlot, Any, str, Any, Rect]]:
    """Return the panels of a 3D View from the lowest to the topmost: what was moved lies on top."""
    moved = {place.name for place in info.moved}
    return sorted(_panels(overlay, info), key=lambda panel: panel[2] in moved)


def view3d_pixels(overlay: Overlay, info: RegionInfo, theme: Theme) -> list[Shape]:
    """Return the shapes over a 3D View, the lowest first: the panels that have a place, in the order of the
    plots, then those that were moved, and last a note on what is missing.

    The note is the overlay's own, and behind it, if a panel has no room, NO_ROOM. It stands above the first
    of the slots in TOPS that has a place, else at the bottom of the free part. There is none for nothing to
    say, and none where the free part is no higher than LEAST_FOR_A_NOTE times the scale. All are in pixels of
    the region.
    """
    shapes: list[Shape] = []
    for each, model, _, shown, place in stacked(overlay, info):
        shapes += each.shapes(model, shown, place, theme)
    slots, is_cramped = _slots(overlay, info)
    note = " ".join(filter(None, [overlay.note, translated(NO_ROOM) if is_cramped else ""]))
    if note and info.free[3] > LEAST_FOR_A_NOTE * info.scale:
        top = next((slots[slot][0] for slot in TOPS if slots[slot]), None)
        above = top[1] + top[3] if top is not None else info.free[1]
        shapes += _note(note, info, above, theme)
    return shapes


def _note(text: str, info: RegionInfo, above: float, theme: Theme) -> list[Shape]:
    """Return the shapes of a sentence on a panel of its own, at the left, above `above`, the top of what is
    below (pixels).

    Where it would cover the view's own text at the top, it is moved to the right, beside the navigation
    gizmos. The panel is no wider than the free part; a longer text is not cut, and reaches beyond it.
    """
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
    return [shape for each, model in parts_of(overlay) for shape in each.world(model, theme)]


def time_cells(overlay: Overlay, info: RegionInfo) -> list[tuple[TimePlot, Any, list[tuple[Any, Rect]]]]:
    """Return (plot, model, bands) of the plots of a time editor, the lowest plot first.

    bands: pairs of what is shown and its place (left, bottom, width, height), pixels in the region; [] for a
    plot without room. Each plot's bands begin above the highest band of those before it. A plot that is the
    only one may take more height.
    """
    parts = parts_of(overlay, in_time=True)
    cells, below = [], 0.0
    for each, model in parts:
        bands = each.bands(model, info, below, is_alone=len(parts) == 1)
        cells.append((each, model, bands))
        below = max([below, *(place[1] + place[3] - info.free[1] for _, place in bands)])
    return cells


def time_editor(
    overlay: Overlay, info: RegionInfo, to_x: Callable[[Array], Array], theme: Theme, *, grips: bool = True
) -> list[Shape]:
    """Return the shapes along the bottom of a time editor, lined up with the keys, and above them the
    overlay's note, if it has one.

    to_x: from frames to the region's x, pixels. grips: whether the mouse can drag something in this editor,
    which is marked then.
    """
    frames = frames_in_sight(info, to_x)
    shapes: list[Shape] = []
    top = info.free[1]
    for each, model, bands in time_cells(overlay, info):
        for shown, place in bands:
            shapes += each.shapes_in_time(model, shown, place, frames, theme, grips=grips)
            top = max(top, place[1] + place[3])
    if overlay.note:
        shapes += _note(overlay.note, info, top, theme)
    return shapes


def frames_in_sight(info: RegionInfo, to_x: Callable[[Array], Array]) -> tuple[float, float]:
    """Return the frames at the left and the right edge of a time editor's free part, which need not be whole.

    to_x: from frames to the region's x, pixels; it must be linear and rising.
    """
    first, later = np.asarray(to_x(np.array([0.0, 1000.0])), float)
    left, width = info.free[0], info.free[2]
    low, high = (1000.0 * (np.array([left, left + width]) - first) / (later - first)).tolist()
    return low, high


def hit(overlay: Overlay, info: RegionInfo, theme: Theme, x: float, y: float) -> Hit | None:
    """Return what lies at a place of a 3D View's region, with the frames it stands for; None for nothing.

    Only the topmost panel at the place counts, as it hides those under it.
    """
    for each, _, _, shown, place in reversed(stacked(overlay, info)):
        if _is_in_rect(place, x, y):
            return each.hit(shown, place, theme, x, y)
    return None


def _is_in_rect(rect: Rect, x: float, y: float) -> bool:
    """Tell whether a rectangle (left, bottom, width, height) holds a point; its edges belong to it."""
    left, bottom, width, height = rect
    return left <= x <= left + width and bottom <= y <= bottom + height


def hit_in_time(
    overlay: Overlay, info: RegionInfo, to_x: Callable[[Array], Array], x: float, y: float
) -> Hit | None:
    """Return what a place of a time editor's region stands for: ("CUT" or "DESTINATION", (frame,)), by the
    lowest band there of a plot that is clicked; None if no such band holds the place.

    The frame is the one of the plot's curve nearest to the place. to_x: from frames to the region's x,
    pixels, linear. x, y: pixels; a band's edges belong to it.
    """
    low, high = frames_in_sight(info, to_x)
    frame = low + (high - low) * (x - info.free[0]) / info.free[2]
    for each, _, bands in time_cells(overlay, info):
        for shown, place in bands:
            if each.is_clicked and _is_in_rect(place, x, y):
                meant: Hit = each.meant(shown, frame, 0.0)
                return meant
    return None


def hit_in(context: Any, x: float, y: float) -> Hit | None:
    """Return what a place (pixels) of the context's region stands for, in a 3D View or a time editor: a kind,
    such as "CUT" or "MAP", and a tuple of its numbers; None for nothing, or without an overlay.

    In a 3D View panels come before marks in the world, and of several at the place the topmost is taken.
    """
    if context.area.type != "VIEW_3D":
        in_time = time_overlay(context)
        info, to_x = RegionInfo.from_context(context), layout.TimeAxis.from_context(context)
        return None if in_time is None else hit_in_time(in_time, info, to_x, x, y)
    overlay = view3d_overlay(context)
    if overlay is None:
        return None
    on_panel = hit(overlay, region_of(context), theme_of(context), x, y)
    if on_panel is not None:
        return on_panel
    hits = (each.hit_in_view(context, model, x, y) for each, model in parts_of(overlay))
    return next((hit for hit in hits if hit is not None), None)


def region_of(context: Any) -> RegionInfo:
    """Return what is known of the region of the context's 3D View: its free part, the UI's scale, the places
    of panels that were moved, and the box that the active armature's bones take in it.

    The box is None if the overlay of the cost map is off, without an editable armature, or where all bones
    lie behind the eye.
    """
    switches = context.scene.inertia_overlay
    moved = tuple(Moved(panel.name, *panel.place) for panel in switches.moved)
    character = in_view.character_box(context) if switches.map else None
    return dataclasses.replace(RegionInfo.from_context(context), character=character, moved=moved)


def panel_at(context: Any, x: float, y: float) -> tuple[str, Rect] | None:
    """Return the name and place (left, bottom, width, height) of the topmost panel at a place of a 3D View's
    region; all in pixels.

    None if there is none, overlays are off, or the mouse does something at that place of the panel, such as
    pick a frame. A panel's edges belong to it.
    """
    overlay = view3d_overlay(context)
    if overlay is None:
        return None
    theme = theme_of(context)
    for each, _, name, shown, place in reversed(stacked(overlay, region_of(context))):
        if _is_in_rect(place, x, y):
            return None if each.takes(shown, place, theme, x, y) else (name, place)
    return None
