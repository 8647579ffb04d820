# SPDX-License-Identifier: GPL-3.0-or-later
"""A plot: axes on which numbers have a place, with their ticks, and what all charts are drawn with."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..records import record
from . import shapes
from .shapes import Array, Colour, Rect, Shape, Text
from .theme import Theme

Range = tuple[float, float]
Ticks = tuple[list[float], list[str]]
"""The numbers at ticks, and what is written there."""

CLOSEST = 0.8
"""So much nearer than usual ticks may come where there would be a single one."""
MOST = 12
"""No axis needs more ticks than that, however long it is."""


def spaced(low: float, high: float, pixels: float, room: float, least_step: float = 0.0) -> Ticks:
    """Return (numbers, labels) of ticks between two numbers, rising, as many as leave room for their labels.

    low, high: the axis' ends. pixels: how long the axis is. room: pixels that a label takes. least_step:
    ticks lie no nearer than that, where they count things that have no halves; 0 for any. The numbers are
    those of :func:`ticks` for at most pixels / room ticks, whole, but from 2 to MOST (12) however short the
    axis is: they are multiples of a step of 1, 2 or 5 times a power of ten. If there are fewer than two of
    these, up to three more are tried; taken are the first such with at least two ticks that lie CLOSEST (0.8)
    of the room apart. There may still be one or none. The labels are those of :func:`tick_labels`.
    """
    most = min(max(2, int(pixels / room)), MOST)
    values = ticks(low, high, most, least_step)
    for more in range(most + 1, most + 4) if len(values) < 2 else ():
        closer = ticks(low, high, more, least_step)
        if len(closer) > 1 and (closer[1] - closer[0]) * pixels >= CLOSEST * room * (high - low):
            values = closer
            break
    return values, tick_labels(values)


def ticks(low: float, high: float, most: int, least_step: float = 0.0) -> list[float]:
    """Return evenly spaced numbers from low to high, rising; the ends may be among them.

    They are the multiples of a step that is 1, 2 or 5 times a power of ten: the least such that is not below
    (high - low) / ``most`` nor least_step and gives no more than ``most`` numbers. most: below 1 counts as 1.
    The list is empty where no multiple lies between.
    """
    wanted = max((high - low) / max(most, 1), least_step, 1e-300)
    power = 10.0 ** math.floor(math.log10(wanted))
    for step in (power * factor for factor in (1.0, 2.0, 5.0, 10.0, 20.0)):
        first = math.ceil(low / step - 1e-9)
        last = math.floor(high / step + 1e-9)
        if step >= wanted * (1.0 - 1e-9) and last - first < max(most, 1):
            break
    return [index * step for index in range(first, last + 1)]


def decades(low: float, high: float, most: int) -> Ticks:
    """Return the numbers and labels of at most ``most`` (at least 1) ticks of a logarithmic axis, rising.

    low, high: logarithms to the base of ten, as the ticks' numbers are. Labels are the powers of ten of
    these, such as 0.5, as :func:`number` writes them: to three digits, whole from 1000 on, 1e+06 from a
    million on. Ticks are the 1, 2 and 5 times powers of ten that lie from low to high (ends included), if no
    more than most do; else only the powers of ten; where these are too many, only every so many of them, from
    the lowest on. Both lists are empty where none lies between.
    """
    powers = range(math.floor(low), math.ceil(high) + 1)
    for steps in ((1, 2, 5), (1,)):
        values = [power + math.log10(step) for power in powers for step in steps]
        values = [value for value in values if low - 1e-9 <= value <= high + 1e-9]
        if len(values) <= most:
            break
    values = values[:: -(-len(values) // most)] if values else []
    return values, [number(10.0**value) for value in values]


def tick_labels(values: list[float]) -> list[str]:
    """Return the texts of ticks' numbers, all with as many decimals as their step needs; [] for [].

    values: rising, evenly spaced; their step is that of the first two. 0, 0.5 and 1 become "0.0", "0.5" and
    "1.0". If the greatest magnitude is a million or more, or the step is below 0.0001, all have three
    significant digits instead, in Python's "g" format, such as "1e+06" and "5e+05". A lone number is written
    by :func:`number`: with three such digits, but whole from 1000 up to a million. Minus signs, those of
    exponents too, are en dashes; a number that rounds to zero has none.
    """
    if not values:
        return []
    if len(values) == 1:
        return [number(values[0])]
    step = values[1] - values[0]
    greatest = max(map(abs, values))
    if greatest >= 1e6 or step < 1e-4:
        texts = [f"{value:.3g}" for value in values]
    else:
        decimals = max(0, -math.floor(math.log10(step) + 1e-9))
        texts = [f"{value:.{decimals}f}" for value in values]
    # a zero that rounding made negative is none, and a minus is as wide as a plus
    return [text.lstrip("-") if not text.strip("-0.") else text.replace("-", "\u2013") for text in texts]


def number(value: float, digits: int = 3) -> str:
    """Return a number for reading, to `digits` digits, but whole up to a million."""
    text = f"{value:.0f}" if 10.0**digits <= abs(value) < 1e6 else f"{value:.{digits}g}"
    return text.replace("-", "\u2013", 1) if text.startswith("-") else text


PADDING, RADIUS = 8.0, 5.0
"""Around the contents of a panel, and of its corners; pixels at a scale of 1."""
ROW = 1.45
"""From one line of text to the next, in sizes of the font."""
GROUND = 0.7
"""How much a label covers of what lies below it."""
CURRENT_DIGITS = 5
"""So exact is the current place named: cuts may lie between frames."""
WIDE_FROM = "\u2e80"
"""From this letter on Unicode has those of East Asia, which are as wide as they are high."""

Box = tuple[float, float, float, float]
"""Left, bottom, right, top, pixels."""


@record(frozen=True)
class Plot:
    """A panel and the plot in it. panel, area: on the region. x_range, y_range: what the area shows."""

    panel: Rect
    area: Rect
    x_range: Range
    y_range: Range

    def x(self, value: ArrayLike) -> Array:
        """Return the region's x of numbers."""
        low, high = self.x_range
        return self.area[0] + self.area[2] * (np.asarray(value, float) - low) / (high - low)

    def y(self, value: ArrayLike) -> Array:
        """Return the region's y of numbers."""
        low, high = self.y_range
        return self.area[1] + self.area[3] * (np.asarray(value, float) - low) / (high - low)

    def at(self, x: float, y: float) -> tuple[float, float] | None:
        """Return the x and y numbers at a place of the region (pixels), or None outside of the plot; its
        edges belong to it.
        """
        left, bottom, width, height = self.area
        if not (left <= x <= left + width and bottom <= y <= bottom + height):
            return None
        (x0, x1), (y0, y1) = self.x_range, self.y_range
        return x0 + (x1 - x0) * (x - left) / width, y0 + (y1 - y0) * (y - bottom) / height


def panel(rect: Rect, theme: Theme) -> Shape:
    """Return the panel on which plots over a view lie."""
    return shapes.rounded(*rect, RADIUS * theme.scale, theme.panel)


def heading(rect: Rect, theme: Theme, title: str, aside: str) -> list[Shape]:
    """Return the texts at the top of a place: the title's rows at the left, from the top, and then the aside,
    at the right of the first row and on its baseline.

    rect: left, bottom, width, height, pixels. The title is wrapped between words to the width that the aside
    leaves, so that it may take several rows, see :func:`title_rows`; an empty title or aside makes no text.
    The title is in the theme's text colour, at theme.title times its font; the aside is in the faint colour,
    at the font, and ends at the right (align 1). Both keep PADDING (8 pixels times the scale) from the
    place's sides. The first baseline is that and 0.85 of the title's size below the top; each further row is
    ROW (1.45) of that size lower.
    """
    left, bottom, width, height = rect
    pad, size = PADDING * theme.scale, theme.title * theme.font
    top = bottom + height - pad - 0.85 * size
    drawn: list[Shape] = [
        Text(left + pad, top - ROW * i * size, row, size, theme.text)
        for i, row in enumerate(title_rows(title, aside, width, theme))
    ]
    if aside:
        drawn.append(Text(left + width - pad, top, aside, theme.font, theme.faint, 1.0))
    return drawn


def title_rows(title: str, aside: str, width: float, theme: Theme) -> list[str]:
    """Return the rows that a title takes in a place of some width, beside the text at the right of it."""
    beside = width_of(aside, theme.font) + theme.font if aside else 0.0
    return wrapped(title, theme.title * theme.font, width - 2.0 * PADDING * theme.scale - beside)


def x_ticks(span: Range, width: float, theme: Theme, least_step: float = 0.0) -> Ticks:
    """Return the ticks of a lower axis of some width, pixels; see :func:`spaced`."""
    return spaced(*span, width, 3.7 * theme.font, least_step)


def y_ticks(span: Range, height: float, theme: Theme, least_step: float = 0.0) -> Ticks:
    """Return the ticks of an upright axis of some height, pixels; see :func:`spaced`."""
    return spaced(*span, height, 2.4 * theme.font, least_step)


def x_axis(
    axes: Plot, theme: Theme, ticks: Ticks | None = None, *, grid: bool = True, current: float | None = None
) -> list[Shape]:
    """Return the shapes of a lower axis: rules across the plot if grid, as one Lines with pairs, and then the
    ticks' labels below it, Texts in the theme's faint colour.

    ticks: their numbers and labels, None for those that fit. Numbers beyond the plot are not left out.
    current: a number along x that something else writes there, see :func:`current_text`; labels whose text
    would come nearer to its text than 6 pixels are left out, their rules are not. Labels are centred on their
    ticks (align 0.5), but moved to the left where they would come nearer to the panel's right than 2 pixels.
    Their baseline is 1.25 font sizes below the plot. These pixels are multiplied by the theme's scale.
    """
    values, texts = x_ticks(axes.x_range, axes.area[2], theme) if ticks is None else ticks
    bottom, top = axes.area[1], axes.area[1] + axes.area[3]
    xs = axes.x(values)
    drawn: list[Shape] = [_rules(xs, bottom, top, theme.grid, upright=True)] if grid else []
    edge = axes.panel[0] + axes.panel[2] - 2.0 * theme.scale
    # what the current number takes to either side, with a gap
    plate = "" if current is None else current_text(current)
    half_plate = 0.5 * width_of(plate, theme.font) + 6.0 * theme.scale
    for x, text in zip(xs.tolist(), texts, strict=True):
        half = 0.5 * width_of(text, theme.font)
        if current is None or abs(x - float(axes.x(current))) > half + half_plate:
            at = min(x, edge - half)
            drawn.append(Text(at, bottom - 1.25 * theme.font, text, theme.font, theme.faint, 0.5))
    return drawn


def current_text(value: float) -> str:
    """Return the current number as it is written on an axis."""
    return number(value, CURRENT_DIGITS)


def y_axis(
    axes: Plot, theme: Theme, ticks: Ticks | None = None, *, grid: bool = True, current: float | None = None
) -> list[Shape]:
    """Return the shapes of an upright axis: rules across the plot if grid, as one Lines with pairs, and then
    the ticks' labels, Texts in the theme's faint colour that end 5 pixels left of the plot.

    ticks: their numbers and labels, None for those that fit. Numbers beyond the plot are not left out.
    current: a number along y that something else writes there; labels that are no further from it than 1.5
    times the font's size are left out, their rules are not. Pixels are multiplied by the theme's scale.
    """
    values, texts = y_ticks(axes.y_range, axes.area[3], theme) if ticks is None else ticks
    left, right = axes.area[0], axes.area[0] + axes.area[2]
    ys = axes.y(values)
    drawn: list[Shape] = [_rules(ys, left, right, theme.grid, upright=False)] if grid else []
    for y, text in zip(ys.tolist(), texts, strict=True):
        if current is None or abs(y - float(axes.y(current))) > 1.5 * theme.font:
            at = y - 0.35 * theme.font
            drawn.append(Text(left - 5.0 * theme.scale, at, text, theme.font, theme.faint, 1.0))
    return drawn


def _rules(places: Array, low: float, high: float, colour: Colour, *, upright: bool) -> Shape:
    """Return parallel lines across a plot, a pixel wide, from `low` to `high`. upright: whether places are x,
    and the lines vertical.
    """
    ends = np.array([[(p, low), (p, high)] if upright else [(low, p), (high, p)] for p in places])
    return shapes.line(ends.reshape(-1, 2), colour, 1.0, pairs=True)


def curve(axes: Plot, xs: ArrayLike, ys: ArrayLike, colour: Colour, width: float) -> list[Shape]:
    """Return a curve through numbers (n,), xs rising, broken where they are not finite; none of it
    outside.
    """
    return [shapes.line(points, colour, width) for points in curves(axes, xs, ys)]


def curves(axes: Plot, xs: ArrayLike, ys: ArrayLike) -> list[Array]:
    """Return the parts of a curve that lie between a plot's sides, each as places (n, 2) in pixels, n at
    least 2.

    xs, ys: numbers (n,), xs rising. The curve is broken where either is not finite, and cut at the plot's
    sides, with interpolated ends. Where it leaves the plot above or below, it goes along that edge. A part
    with more than four points for each pixel column is thinned to the lowest and highest of each. A part in a
    single point is left out.
    """
    xs, ys = np.ravel(np.asarray(xs, float)), np.ravel(np.asarray(ys, float))
    parts = []
    for start, stop in runs(np.isfinite(xs) & np.isfinite(ys)):
        x, y = _cut_curve(xs[start:stop], ys[start:stop], *axes.x_range)
        if len(x) > 1:
            x, y = thinned(axes.x(x), axes.y(y), max(1, int(axes.area[2])))
            low, high = axes.area[1], axes.area[1] + axes.area[3]
            parts.append(np.column_stack([x, np.clip(y, low, high)]))
    return parts


def _cut_curve(xs: Array, ys: Array, low: float, high: float) -> tuple[Array, Array]:
    """Return the xs and ys of a curve between two numbers along x, with interpolated points at both ends.

    xs, ys: (n,), xs rising, n at least 1. Both are empty where the curve is not between the numbers, or
    touches them in a point alone.
    """
    first, last = np.clip([low, high], xs[0], xs[-1])
    if not last > first:
        return xs[:0], ys[:0]
    inside = (xs > first) & (xs < last)
    at = np.concatenate([[first], xs[inside], [last]])
    start, end = np.interp([first, last], xs, ys)
    return at, np.concatenate([[start], ys[inside], [end]])


def runs(wanted: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Return the first index of each run in which a condition holds, and the index behind its last."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], wanted, [False]]).astype(int)))
    return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))


def thinned(xs: Array, ys: Array, columns: int) -> tuple[Array, Array]:
    """Return the xs and ys of a curve's points, reduced to its lowest and highest in each of `columns` equal
    columns.

    xs, ys: (n,), finite, xs rising. Up to four points a column on the average, n up to 4 times columns, are
    returned as they are. Otherwise each column that has points gives two, the lowest first, both at the x of
    its first point; columns without points give none.
    """
    if len(xs) <= 4 * columns:
        return xs, ys
    column = np.minimum(((xs - xs[0]) / max(xs[-1] - xs[0], 1e-9) * columns).astype(int), columns - 1)
    starts = np.flatnonzero(np.diff(column, prepend=-1))
    low, high = np.minimum.reduceat(ys, starts), np.maximum.reduceat(ys, starts)
    return np.repeat(xs[starts], 2), np.column_stack([low, high]).ravel()


def under(points: Array, bottom: float, colour: Colour) -> Shape:
    """Return the area below a curve (n, 2)."""
    low = np.column_stack([points[:, 0], np.full(len(points), bottom)])
    quads = [points[:-1], low[:-1], low[1:], points[:-1], low[1:], points[1:]]
    return shapes.FilledShape(np.stack(quads, axis=1).reshape(-1, 2).astype(np.float32), colour)


@record(frozen=True)
class Dot:
    """A place to point out.

    colour: None for that of the current place. radius: pixels at a scale of 1. falls: whether a label is
    better below it, where it stands at the lower end of something.
    """

    x: float
    y: float
    label: str = ""
    colour: Colour | None = None
    radius: float = 3.5
    falls: bool = False


def dots(axes: Plot, marked: Sequence[Dot], theme: Theme) -> list[Shape]:
    """Return the shapes of dots, a disc each, and then those of their labels, each a ground of the panel's
    colour and a Text on it.

    Dots more than a pixel beyond the plot's sides are left out; those above or below it stand on its edge. A
    label goes beside its dot, to the first place of :func:`_list_label_places` that touches no dot and no
    earlier label; if there is none, it is left out, so that the labels of earlier dots come first. A dot
    without a colour has that of the current place, one with the label "" has no label.
    """
    s, font = theme.scale, theme.font
    left, bottom, width, height = axes.area
    drawn: list[Shape] = []
    places = []
    for dot in marked:
        x, y = float(axes.x(dot.x)), float(np.clip(axes.y(dot.y), bottom, bottom + height))
        if left - 1.0 <= x <= left + width + 1.0:
            places.append((x, y, dot))
            drawn.append(shapes.disc(x, y, dot.radius * s, dot.colour or theme.current))
    reach = 4.0 * s
    taken = [(x - reach, y - reach, x + reach, y + reach) for x, y, _ in places]
    for x, y, dot in places:
        wide = width_of(dot.label, font)
        for box in (
            _list_label_places(x, y, wide, falls=dot.falls, area=axes.area, theme=theme) if dot.label else ()
        ):
            if not any(overlap(box, other) for other in taken):
                # how wide a text is, is only about known: another keeps some pixels off
                taken.append((box[0] - 2.0 * s, box[1], box[2] + 2.0 * s, box[3]))
                ground = (box[0] - 2.0 * s, box[1] - 0.2 * font, 0.9 * wide + 4.0 * s, 1.1 * font)
                drawn.append(shapes.box(*ground, (*theme.panel[:3], GROUND)))
                drawn.append(Text(box[0], box[1], dot.label, font, theme.text))
                break
    return drawn


def _list_label_places(
    x: float, y: float, wide: float, *, falls: bool, area: Rect, theme: Theme
) -> list[Box]:
    """Return the boxes (left, bottom, right, top) where a dot's label may go, the best first, all moved into
    the area.

    x, y: the dot, pixels. wide: of the label, pixels. They go just above the dot (bottom at y + 3), just
    below it (bottom at y - 3 less 0.75 font sizes), a row of one font size further up, a row further down;
    with falls below comes before above. In each row the box to the right, from x + 7 on, comes before that to
    the left, up to x - 7; one that does not fit into the area's width is left out. Where neither fits, there
    is one, centred on the dot and moved in. So there are 4 or 8 boxes, each as wide as the label and 0.8 font
    sizes high; their bottoms are moved to be at least 2 above the area's and a font size below its top.
    Pixels in this text are multiplied by the theme's scale.
    """
    s, font = theme.scale, theme.font
    left, bottom, width, height = area
    high, low = y + 3.0 * s, y - 3.0 * s - 0.75 * font
    rows = (low, high, low - font, high + font) if falls else (high, low, high + font, low - font)
    ups = [min(max(row, bottom + 2.0 * s), bottom + height - font) for row in rows]
    starts = [start for start in (x + 7.0 * s, x - 7.0 * s - wide) if left <= start <= left + width - wide]
    starts = starts or [min(max(x - 0.5 * wide, left), left + width - wide)]
    return [(start, up, start + wide, up + 0.8 * font) for up in ups for start in starts]


def overlap(a: Box, b: Box) -> bool:
    """Tell whether two boxes have a part in common."""
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def spread(
    wanted: Sequence[float], widths: Sequence[float], low: float, high: float, gap: float
) -> list[float] | None:
    """Return the middles of labels along a line, in order, moved so that they do not overlap; None if there
    is no room for all.

    wanted: their middles, rising. widths: of each, same length. low, high: all lie between these. gap:
    between neighbours. All are in the same unit. A label moves up as far as those before it need, then down
    as far as the end needs.
    """
    if sum(widths) + gap * max(len(widths) - 1, 0) > high - low:
        return None
    middles: list[float] = []
    edge = low
    for middle, width in zip(wanted, widths, strict=True):
        middles.append(max(middle, edge + 0.5 * width))
        edge = middles[-1] + 0.5 * width + gap
    edge = high
    for i in reversed(range(len(middles))):
        middles[i] = min(middles[i], edge - 0.5 * widths[i])
        edge = middles[i] - 0.5 * widths[i] - gap
    return middles


def width_of(text: str, font: float) -> float:
    """Return about how wide a line of text is, pixels; only what draws it knows exactly."""
    return sum((1.0 if letter >= WIDE_FROM else 0.6) for letter in text) * font


def shortened(text: str, font: float, room: float) -> str:
    """Return a text that fits into some pixels: the text itself, or its beginning and an ellipsis.

    font: its size, pixels. Widths are estimates, see :func:`width_of`. The first letter and the ellipsis stay
    even where they do not fit; of a text of one letter that does not fit only the ellipsis is returned.
    """
    if width_of(text, font) <= room:
        return text
    kept = text[:-1]
    while len(kept) > 1 and width_of(f"{kept}…", font) > room:
        kept = kept[:-1]
    return f"{kept}…"


def wrapped(text: str, font: float, room: float) -> list[str]:
    """Return the rows of a text, broken between words so that each fits into `room` pixels.

    font: its size, pixels. A word that does not fit alone is cut and ends in an ellipsis. Line breaks of the
    text stay, an empty line as "", and spaces in a row become one. An empty text has no rows.
    """
    rows = []
    for paragraph in text.splitlines():
        row = ""
        for word in paragraph.split():
            longer = f"{row} {word}".strip()
            if row and width_of(longer, font) > room:
                rows.append(row)
                longer = word
            row = longer
        rows.append(row)
    return [shortened(row, font, room) for row in rows]
