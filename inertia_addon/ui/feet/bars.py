# SPDX-License-Identifier: GPL-3.0-or-later
"""Contacts as bars over time, a row for each foot: where they lie, what the mouse is on, and as shapes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...motion.feet.contacts import Span, repeated
from ...plots import plot, shapes
from ...plots.plot import Plot
from ...plots.shapes import Rect, Shape, Text
from ...plots.theme import TEXT_CONTRAST, Theme, readable
from ...records import record
from ..overlay.layout import is_slim
from ..translations import translated

ROW, MOST_ROW = 17.0, 22.0
"""The height of a row, pixels at a scale of 1: as wished, and at most."""
GAP = 3.0
"""Between the bars of two rows, likewise."""
NEAR = 6.0
"""So near to its edge a bar is dragged by that, likewise ..."""
BODY = 0.3
"""... but no more than this part of the bar."""
FOOT = 12.0
"""What a time editor's scroll bar takes at the bottom, likewise."""
NEW = "new"
"""What the mouse is on where there is no bar: one is drawn from there on."""


@record(frozen=True)
class Row:
    """A foot. foot: its bone; label: as it is shown. spans: in the clip, or once round a cycle.

    edited: whether an animator has edited them.
    """

    foot: str
    label: str
    spans: tuple[Span, ...]
    edited: bool


@record(frozen=True, eq=False)
class ContactBars:
    """The contacts of an action. called: its name as it is shown. clip: its first and last frame.

    period: of a cycle, whose bars are shown in every repetition that reaches into the clip.
    """

    action: str
    called: str
    rows: tuple[Row, ...]
    clip: tuple[float, float]
    period: float | None

    def bars(self, row: Row) -> list[tuple[Span, Span]]:
        """Return (span, place) pairs of a row: each span, and the span over which it is drawn, in frames.

        Without a period both are the same. Round a cycle, a span that is shorter than the period comes once
        for each repetition that reaches into the clip or touches its ends: moved by whole periods, not cut at
        the clip's ends. It may thus come several times or not at all. One as long as the period or longer
        comes once, where it is. Pairs are in the order of the row's spans, and for each of these in order of
        time.
        """
        if self.period is None:
            return [(span, span) for span in row.spans]
        placed = []
        for span in row.spans:
            whole = span.frames >= self.period - 1e-4
            again = (span,) if whole else repeated([span], self.period, *self.clip)
            placed += [(span, place) for place in again]
        return placed


@record(frozen=True)
class ContactGrip:
    """What the mouse is on. foot: whose row. span: whose bar, None for none. part: ``start``, ``end``,
    ``body`` or NEW. shift: by how many frames the bar is drawn later than its span."""

    foot: str
    span: Span | None
    part: str
    shift: float = 0.0


_lit: dict[int, ContactGrip | None] = {}
"""For each region, what was under the mouse when its gizmos were drawn last ..."""
_dragged: dict[int, ContactGrip] = {}
"""... and what is dragged in it, where it is now."""


def put_lit(region: Any, grip: ContactGrip | None) -> None:
    """Note what is under the mouse in a region: gizmos know it, and what is drawn over the bars shows it."""
    _lit[region.as_pointer()] = grip


def lit(region: Any) -> ContactGrip | None:
    """Return what is dragged in a region, or else under the mouse."""
    return _dragged.get(region.as_pointer()) or _lit.get(region.as_pointer())


def put_dragged(region: Any, grip: ContactGrip | None) -> None:
    """Note what is dragged in a region, where it is now; None when it is let go."""
    if grip is None:
        _dragged.pop(region.as_pointer(), None)
    else:
        _dragged[region.as_pointer()] = grip


def layout(model: ContactBars, rect: Rect, frames: tuple[float, float], theme: Theme) -> tuple[Plot, float]:
    """Return where the bars lie in a band of a time editor: (plot, height of a row in pixels).

    rect: the band (left, bottom, width, height), pixels. frames: at the band's left and right edge.

    The plot's panel is the band, its x range `frames`, its y range 0 to 1. Its area is all rows together,
    over the band's whole width, the first row highest. Rows are equally high, at most MOST_ROW times the
    scale. They stand at the bottom, FOOT times the scale above the band's, as a scroll bar lies there; at the
    top 1.7 font sizes are kept for a title. A slim band, one lower than LEAST_BAND times the scale, has
    neither: rows begin at its bottom. Without rows the area has no height.
    """
    left, bottom, width, height = rect
    head, foot = (0.0, 0.0) if is_slim(rect, theme.scale) else (1.7 * theme.font, FOOT * theme.scale)
    tall = max(height - head - foot, 1.0)
    row = min(tall / max(len(model.rows), 1), MOST_ROW * theme.scale)
    return Plot(rect, (left, bottom + foot, width, row * len(model.rows)), frames, (0.0, 1.0)), row


def place_of(axes: Plot, row: float, index: int, span: Span, theme: Theme) -> Rect:
    """Return where a bar is drawn: (left, bottom, width, height), pixels, whether or not it is in sight.

    axes, row: of :func:`layout`. index: of the row, 0 for the uppermost. span: over which it is drawn.

    A bar reaches half a frame beyond its span at either end. If that is less than two pixels (times the
    scale), it is made so wide to the right. It is lower than its row by GAP times the scale, by 0.3 of a row
    at most, and stands in the row's middle.
    """
    left, right = (float(x) for x in axes.x([span.start, span.end]))
    # a foot that is planted at a frame is so until halfway to the next one
    half = 0.5 * abs(float(axes.x(1.0) - axes.x(0.0)))
    gap = min(GAP * theme.scale, 0.3 * row)
    bottom = axes.area[1] + axes.area[3] - (index + 1) * row + 0.5 * gap
    return left - half, bottom, max(right - left + 2.0 * half, 2.0 * theme.scale), row - gap


def handle_at(
    model: ContactBars, rect: Rect, frames: tuple[float, float], theme: Theme, x: float, y: float
) -> ContactGrip | None:
    """Return what the mouse is on at a place of the region (pixels): a bar and which part of it, or NEW where
    a row has no bar; None outside of the rows, or more than half a frame beyond the clip where there is no
    bar.

    Within NEAR of an edge, inside at most the part BODY of the bar's length, it is that edge, else the body.
    A bar is also hit up to NEAR beside its ends; of several the nearest counts, the first of equal ones. The
    grip's shift is by how many frames the bar is drawn later than its span.
    """
    axes, row = layout(model, rect, frames, theme)
    left, bottom, width, height = axes.area
    if not (left <= x <= left + width and bottom <= y <= bottom + height):
        return None
    index = min(int((bottom + height - y) / row), len(model.rows) - 1)
    foot_row = model.rows[index]
    near = NEAR * theme.scale
    best: tuple[float, ContactGrip] | None = None
    for span, shown in model.bars(foot_row):
        at, _, wide, _ = place_of(axes, row, index, shown, theme)
        if not at - near <= x <= at + wide + near:
            continue
        edges = {"start": x - at, "end": at + wide - x}
        part, inside = min(edges.items(), key=lambda edge: abs(edge[1]))
        if inside > min(near, BODY * wide):
            part = "body"
        away = max(at - x, x - at - wide, 0.0)
        if best is None or away < best[0]:
            best = (away, ContactGrip(foot_row.foot, span, part, shown.start - span.start))
    if best is not None:
        return best[1]
    frame = frame_at(axes, x)
    return (
        ContactGrip(foot_row.foot, None, NEW) if model.clip[0] - 0.5 <= frame <= model.clip[1] + 0.5 else None
    )


def frame_at(axes: Plot, x: float) -> float:
    """Return the frame at a place of the region, which may lie beside the plot."""
    low, high = axes.x_range
    return low + (high - low) * (x - axes.area[0]) / axes.area[2]


def shapes_of(model: ContactBars, rect: Rect, frames: tuple[float, float], theme: Theme) -> list[Shape]:
    """Return the shapes of the bars on a panel, those behind first.

    rect: the band, pixels. frames: at its left and right edge; bars and grounds are cut there.

    First come the panel, a box, and a line along its top. In a slim band only the bars follow. Else there is
    the title, "Contacts, " and the action's name, and then for each row, the first on top: a ground as long
    as the clip (half a frame more at either end), the bars in the row's colour, and the foot's label, with ",
    edited" behind it if its contacts are.

    A label goes to the leftmost place in its row where it covers no bar, at most 0.8 rows high. If there is
    none, it stands beside the title, in the row's colour made readable on the panel, behind labels that went
    there before; these may run out of the band. A row without spans has its ground and label.
    """
    axes, row = layout(model, rect, frames, theme)
    left, bottom, width, height = rect
    s, font = theme.scale, theme.font
    drawn: list[Shape] = [
        shapes.box(left, bottom, width, height, theme.panel),
        shapes.line([(left, bottom + height), (left + width, bottom + height)], theme.grid, 1.0),
    ]
    if is_slim(rect, s):
        for index, foot_row in enumerate(model.rows):
            for _, shown in model.bars(foot_row):
                drawn += _bar(place_of(axes, row, index, shown, theme), axes.area, colour_of(index, theme))
        return drawn
    title = translated("Contacts, {0}", model.called)
    at = left + plot.PADDING * s
    drawn.append(Text(at, bottom + height - 1.2 * font, title, font, theme.text))
    ends = axes.x([model.clip[0] - 0.5, model.clip[1] + 0.5])
    first, last = (min(max(float(x), left), left + width) for x in ends)
    at += plot.width_of(title, font) + 2.0 * plot.PADDING * s
    for index, foot_row in enumerate(model.rows):
        low = axes.area[1] + axes.area[3] - (index + 1) * row
        drawn.append(shapes.box(first, low + 0.5 * s, max(last - first, 0.0), row - s, theme.grid))
        places = [place_of(axes, row, index, shown, theme) for _, shown in model.bars(foot_row)]
        for place_of_bar in places:
            drawn += _bar(place_of_bar, axes.area, colour_of(index, theme))
        text = translated("{0}, edited", foot_row.label) if foot_row.edited else foot_row.label
        size = min(font, 0.8 * row)
        free = _beside(places, axes.area, plot.width_of(text, size), s)
        if free is not None:
            drawn.append(Text(free, low + 0.5 * row - 0.35 * size, text, size, theme.text))
            continue
        # bars as close as these leave no room in their row
        colour = readable(colour_of(index, theme), theme.panel, TEXT_CONTRAST)
        drawn.append(Text(at, bottom + height - 1.2 * font, text, font, colour))
        at += plot.width_of(text, font) + 2.0 * plot.PADDING * s
    return drawn


def _beside(places: Sequence[Rect], area: Rect, wide: float, scale: float) -> float | None:
    """Return the x (pixels) at which a text begins that covers no bar of a row, as far left as possible; None
    where there is no such place.

    places: the row's bars. area: of the rows; the text, with padding on both sides, lies in it. The result is
    where the letters begin, behind the padding. wide: of the text alone, pixels. scale: of the padding.
    """
    gap = plot.PADDING * scale
    for left in sorted([area[0], *(place[0] + place[2] for place in places)]):
        ends = left, left + wide + 2.0 * gap
        is_free = all(place[0] >= ends[1] or place[0] + place[2] <= ends[0] for place in places)
        if ends[0] >= area[0] and ends[1] <= area[0] + area[2] and is_free:
            return left + gap
    return None


def colour_of(index: int, theme: Theme) -> shapes.Colour:
    """Return the colour of a foot: the left and the right side take turns."""
    return theme.curve if index % 2 == 0 else theme.result


def _bar(at: Rect, area: Rect, colour: shapes.Colour) -> list[Shape]:
    """Return the shape of a bar, cut at the sides of the area, as a list; [] where none of it is in sight."""
    left, right = max(at[0], area[0]), min(at[0] + at[2], area[0] + area[2])
    if right <= left:
        return []
    return [shapes.rounded(left, at[1], right - left, at[3], 3.0, colour)]


def lit_shapes(
    model: ContactBars, grip: ContactGrip, rect: Rect, frames: tuple[float, float], theme: Theme
) -> list[Shape]:
    """Return a list of the one shape that marks what a grip is on, in the theme's text colour.

    For the part "body" it is a closed line around the bar. For "start" and any other part it is a rounded box
    at that end of the bar, 4 pixels wide inside it and a pixel higher at top and bottom (all times the
    scale). The bar lies at the grip's span, moved by its shift.

    [] for a grip without a span (an empty part of a row), and for a foot that has no row. rect: the band,
    pixels. frames: at its left and right edge; the bar is not cut there.
    """
    index = next((i for i, foot_row in enumerate(model.rows) if foot_row.foot == grip.foot), None)
    if index is None or grip.span is None:
        return []
    axes, row = layout(model, rect, frames, theme)
    left, bottom, wide, tall = place_of(axes, row, index, grip.span.move(grip.shift), theme)
    right, top = left + wide, bottom + tall
    s = theme.scale
    if grip.part == "body":
        rim = [(left, bottom), (right, bottom), (right, top), (left, top), (left, bottom)]
        return [shapes.line(rim, theme.text, 1.6 * s)]
    x = left if grip.part == "start" else right - 4.0 * s
    return [shapes.rounded(x, bottom - 1.0 * s, 4.0 * s, tall + 2.0 * s, 1.5 * s, theme.text)]
