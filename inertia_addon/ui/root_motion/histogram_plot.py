# SPDX-License-Identifier: GPL-3.0-or-later
"""How often each speed and each turn rate occurs: counted, and drawn as bars."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...plots import axes
from ..overlay import labels, plot, shapes
from ..overlay.model import Histogram, Histograms
from ..overlay.plot import Plot, Rect
from ..overlay.shapes import Shape, Text
from ..overlay.theme import Theme, mixed
from ..translations import translated

Array = NDArray[np.float64]

BINS = 40
"""No more than so many bins."""
MODES = 3
"""So many modes are named at most ..."""
LEAST_MODE = 0.12
"""... that stand above what lies between them by at least this part of the highest ..."""
LEAST_SHARE = 0.02
"""... and that, with the bins beside them, make up this part of the motion."""
CUT_OFF = 1.6
"""Where standing still takes more than so many times what any speed does, its bar is cut off."""


def of(title: str, unit: str, parts: Sequence[tuple[Array, float]], still: float) -> Histogram:
    """Count numbers of zero or more.

    parts: for each action its numbers (n,) and the seconds that each of them stands for. still: numbers
    below are those of a root that rests, and no modes.
    """
    values = np.concatenate([np.maximum(part, 0.0) for part, _ in parts]) if parts else np.zeros(0)
    weights = np.concatenate([np.full(len(part), seconds) for part, seconds in parts] or [np.zeros(0)])
    width = bin_width(max(float(values.max(initial=0.0)), still))
    count = math.floor(float(values.max(initial=0.0)) / width) + 1
    edges = width * np.arange(count + 1.0)
    seconds = np.histogram(values, edges, weights=weights)[0].astype(float)
    return Histogram(title, unit, edges, seconds, modes(values, weights, edges, seconds, still))


def bin_width(highest: float) -> float:
    """A bin's width, 1, 2 or 5 times a power of ten, so that there are no more than :data:`BINS`."""
    wanted = highest / (BINS - 1)
    power = 10.0 ** math.floor(math.log10(wanted))
    return next(power * step for step in (1.0, 2.0, 5.0, 10.0) if power * step >= wanted * (1.0 - 1e-9))


def modes(values: Array, weights: Array, edges: Array, seconds: Array, still: float) -> tuple[float, ...]:
    """The most frequent numbers (of values (n,), each with its weight), the most frequent one first."""
    smooth = np.convolve(np.pad(seconds, 2, mode="edge"), np.array([1.0, 2.0, 3.0, 2.0, 1.0]) / 9.0, "valid")
    moving = edges[:-1] >= 0.999 * max(still, float(edges[1]))
    least = LEAST_MODE * float(np.max(smooth, initial=0.0, where=moving))
    found: list[int] = []
    named: list[float] = []
    width = float(edges[1])
    for i in map(int, np.argsort(-smooth)):
        if smooth[i] <= least or len(named) == MODES:
            break
        if not all(_dips(smooth, i, j, least) for j in found):
            continue  # on the flank of a higher one
        found.append(i)
        near = np.abs(values - (edges[i] + 0.5 * width)) <= 1.5 * width
        if moving[i] and weights[near].sum() > LEAST_SHARE * weights.sum():
            named.append(float(np.average(values[near], weights=weights[near])))
    return tuple(named)


def _dips(smooth: Array, i: int, j: int, least: float) -> bool:
    """Whether between two bins there is one that is lower than both by so much."""
    low, high = min(i, j), max(i, j)
    between = float(smooth[low : high + 1].min())
    return bool(min(smooth[i], smooth[j]) - between > least)


def shapes_of(found: Histograms, place: Rect, theme: Theme) -> list[Shape]:
    """Both histograms side by side on a panel."""
    left, bottom, width, height = place
    s = theme.scale
    actions = translated("{0} action" if found.actions == 1 else "{0} actions", found.actions)
    title = translated("Speeds and turn rates, {0}", actions)
    note = translated("{0} s of motion", axes.number(found.seconds))
    if plot.width_of(title + note, theme.font) > width - 4.0 * plot.PADDING * s:
        title, note = f"{actions}, {axes.number(found.seconds)} s", ""
    shown = plot.background(Plot(place, place, (0.0, 1.0), (0.0, 1.0)), theme, title, note)
    head = plot.PADDING * s + 1.45 * theme.font
    half = 0.5 * width
    for i, histogram in enumerate((found.speeds, found.turns)):
        shown += _bars(histogram, (left + i * half, bottom, half, height - head), theme)
    return shown


def _bars(found: Histogram, cell: Rect, theme: Theme) -> list[Shape]:
    """One histogram: seconds of motion over a number."""
    s = theme.scale
    top = top_of(found.seconds)
    # a mode's name stands above its bar
    made = plot.placed(cell, theme, (0.0, float(found.edges[-1])), (0.0, 1.35 * top), 30.0)
    left, bottom, width, height = made.area
    shown = plot.x_axis(made, theme, grid=False) + plot.y_axis(made, theme)
    name = Text(
        left, cell[1] + cell[3] - 0.9 * theme.font, f"{found.title}, {found.unit}", theme.font, theme.text
    )
    shown.append(name)
    aside = translated("s per {0} {1}", axes.number(float(found.edges[1])), found.unit)
    if plot.width_of(name.text + aside, theme.font) + 14.0 * s < width:
        shown.append(Text(left + width, name.y, aside, theme.font, theme.faint, 1.0))
    heights = np.minimum(found.seconds, 1.35 * top)
    shown.append(_boxes(made, found.edges, heights, theme))
    taken: list[labels.Box] = []
    if found.seconds[0] > heights[0]:
        text = f"{axes.number(float(found.seconds[0]))} s"
        at = (float(made.x(found.edges[1])) + 4.0 * s, bottom + height - theme.font)
        shown.append(Text(*at, text, theme.font, theme.faint))
        taken.append((*at, at[0] + plot.width_of(text, theme.font), at[1] + theme.font))
    return shown + _modes(found, made, taken, theme)


def top_of(seconds: Array) -> float:
    """The height that is shown: of all bars, or of all but the first, which stands for a root that rests."""
    others = float(seconds[1:].max(initial=0.0))
    highest = float(seconds.max(initial=0.0))
    return others if 0.0 < CUT_OFF * others < float(seconds[0]) else highest or 1.0


def _boxes(made: Plot, edges: Array, heights: Array, theme: Theme) -> Shape:
    """All bars, as one shape, with a pixel between them where there is room."""
    xs, tops, base = made.x(edges), made.y(heights), made.area[1]
    gap = theme.scale if xs[1] - xs[0] > 4.0 * theme.scale else 0.0
    used = np.flatnonzero(heights > 0.0)
    a, b, c = xs[used], xs[used + 1] - gap, tops[used]
    low = np.full(len(used), base)
    corners = [(a, low), (b, low), (b, c), (a, low), (b, c), (a, c)]
    places = np.stack([np.column_stack(corner) for corner in corners], axis=1)
    return shapes.Fill(places.reshape(-1, 2).astype(np.float32), mixed(theme.curve, theme.panel, 0.2))


def _modes(found: Histogram, made: Plot, taken: list[labels.Box], theme: Theme) -> list[Shape]:
    """The most frequent numbers, named above their bars where there is room."""
    s = theme.scale
    left, bottom, width, height = made.area
    shown: list[Shape] = []
    for mode in found.modes:
        i = min(int(mode / found.edges[1]), len(found.seconds) - 1)
        x = float(made.x(mode))
        y = float(made.y(found.seconds[max(i - 1, 0) : i + 2].max()))
        y = min(y, bottom + height - 1.3 * theme.font)
        shown.append(shapes.disc(x, y + 3.0 * s, 2.6 * s, theme.minimum))
        text = axes.number(mode, 3 if mode >= 100.0 else 2)
        half = 0.5 * plot.width_of(text, theme.font)
        x = min(max(x, left + half), left + width - half)
        box = (
            x - half - 0.2 * theme.font,
            y + 7.0 * s,
            x + half + 0.2 * theme.font,
            y + 7.0 * s + theme.font,
        )
        if labels.free(box, taken):
            shown.append(Text(x, box[1], text, theme.font, theme.text, 0.5))
            taken.append(box)
    return shown
