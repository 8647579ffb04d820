# SPDX-License-Identifier: GPL-3.0-or-later
"""How often each speed and each turn rate occurs: counted, and as bars."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...motion.arrays import Array
from ...plots import plot
from ...plots.line_chart import Bars
from ...plots.plot import Dot
from ...plots.shapes import Rect, Shape
from ...plots.theme import Theme
from ...records import record
from .. import translations
from ..overlay.layout import Slot
from ..overlay.protocol import OverlayPlot
from ..shared import cache
from ..translations import translated
from . import measured as root_motion
from .measured import Shown

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

NO_HISTOGRAM = "Measure actions in the Root Motion panel to see how often each speed occurs."
MOVING = 0.1
"""Speeds below, m/s, are those of a root that stands."""
TURNING = 5.0
"""Likewise turn rates, degrees per second."""


@record(frozen=True, eq=False)
class Histogram:
    """How long a number is about so large.

    edges: (n + 1,), in the unit. seconds: (n,) of motion in each bin. modes: the numbers that are most
    frequent in their surroundings, the most frequent one first.
    """

    title: str
    unit: str
    edges: Array
    seconds: Array
    modes: tuple[float, ...]


@record(frozen=True, eq=False)
class Histograms:
    """Of the speeds and turn rates of several actions. actions: how many. seconds: their length in all."""

    actions: int
    seconds: float
    speeds: Histogram
    turns: Histogram


def histograms(armature: Any) -> Histograms | None:
    """Of all measured actions; None when there are none."""
    measured = root_motion.known(armature)
    if not measured:
        return None
    key = (*measured, translations.language())
    return cache.answer("root histograms", armature, key, lambda: histograms_of(measured), at_once=True)


def histograms_of(actions: list[Shown]) -> Histograms:
    """How long the actions go so fast, and turn so fast."""
    speeds, turns, degrees = [], [], 180.0 / math.pi
    for shown in actions:
        motion, curves = shown.read.motion, shown.measured.curves
        speeds.append((np.abs(curves.speed), 1.0 / motion.speed.rate))
        turns.append((np.abs(curves.turn_rate) * degrees, 1.0 / motion.facing.rate))
    return Histograms(
        len(actions),
        sum(float(np.ptp(shown.read.motion.facing.seconds)) for shown in actions),
        count(translated("Speed"), "m/s", speeds, MOVING),
        count(translated("Turn rate"), "°/s", turns, TURNING),
    )


def count(title: str, unit: str, parts: Sequence[tuple[Array, float]], still: float) -> Histogram:
    """Count numbers of zero or more.

    parts: for each action its numbers (n,) and the seconds that each of them stands for. still: numbers
    below are those of a root that rests, and no tab.
    """
    values = np.concatenate([np.maximum(part, 0.0) for part, _ in parts] or [np.zeros(0)])
    weights = np.concatenate([np.full(len(part), seconds) for part, seconds in parts] or [np.zeros(0)])
    highest = float(values.max(initial=0.0))
    # 1, 2 or 5 times a power of ten, so that there are no more than BINS
    wanted = max(highest, still) / (BINS - 1)
    power = 10.0 ** math.floor(math.log10(wanted))
    width = next(power * step for step in (1.0, 2.0, 5.0, 10.0) if power * step >= wanted * (1.0 - 1e-9))
    edges = width * np.arange(math.floor(highest / width) + 2.0)
    seconds = np.histogram(values, edges, weights=weights)[0].astype(float)
    return Histogram(title, unit, edges, seconds, _modes(values, weights, edges, seconds, still))


def _modes(values: Array, weights: Array, edges: Array, seconds: Array, still: float) -> tuple[float, ...]:
    """The most frequent numbers (of values (n,), each with its weight), the most frequent one first."""
    smooth = np.convolve(np.pad(seconds, 2, mode="edge"), np.array([1.0, 2.0, 3.0, 2.0, 1.0]) / 9.0, "valid")
    moving = edges[:-1] >= 0.999 * max(still, float(edges[1]))
    least = LEAST_MODE * float(np.max(smooth, initial=0.0, where=moving))
    tops: list[int] = []
    modes: list[float] = []
    width = float(edges[1])

    def dips(i: int, j: int) -> bool:
        """Whether between two bins there is one that is lower than both by so much."""
        return bool(min(smooth[i], smooth[j]) - smooth[min(i, j) : max(i, j) + 1].min() > least)

    for i in map(int, np.argsort(-smooth)):
        if smooth[i] <= least or len(modes) == MODES:
            break
        if not all(dips(i, j) for j in tops):
            continue  # on the flank of a higher one
        tops.append(i)
        near = np.abs(values - (edges[i] + 0.5 * width)) <= 1.5 * width
        if moving[i] and weights[near].sum() > LEAST_SHARE * weights.sum():
            modes.append(float(np.average(values[near], weights=weights[near])))
    return tuple(modes)


def chart(histogram: Histogram, width: float, theme: Theme) -> Bars:
    """Seconds of motion over a number, with the most frequent ones, which have room above their bars."""
    seconds, bin_width = histogram.seconds, float(histogram.edges[1])
    title = f"{histogram.title}, {histogram.unit}"
    aside = translated("s per {0} {1}", plot.number(bin_width), histogram.unit)
    room = width - (2.0 * plot.PADDING + 14.0) * theme.scale
    top = 1.35 * top_of(seconds)
    dots = []
    if seconds[0] > top:
        # what the bar is cut off at
        dots.append(Dot(bin_width, top, f"{plot.number(float(seconds[0]))} s", radius=0.0))
    for mode in histogram.modes:
        i = min(int(mode / bin_width), len(seconds) - 1)
        highest = float(seconds[max(i - 1, 0) : i + 2].max())
        text = plot.number(mode, 3 if mode >= 100.0 else 2)
        dots.append(Dot(mode, min(highest, 0.8 * top), text, theme.minimum, 2.6))
    return Bars(
        title=title,
        aside=aside if plot.width_of(title + aside, theme.font) < room else "",
        edges=histogram.edges,
        heights=seconds,
        top=top,
        dots=dots,
    )


def top_of(seconds: Array) -> float:
    """The height that is shown: of all bars, or of all but the first, which stands for a root that rests."""
    others = float(seconds[1:].max(initial=0.0))
    highest = float(seconds.max(initial=0.0))
    return others if 0.0 < CUT_OFF * others < float(seconds[0]) else highest or 1.0


class SpeedHistogram(OverlayPlot):
    """How often each speed and turn rate occurs, in the 3D View."""

    name = "root_histogram"
    label = "Speed Histogram"
    description = (
        "In the 3D View: how often each speed and each turn rate occurs in all measured actions, "
        "to choose walk and run speeds"
    )
    tool = "RootMotion"
    needs_actions = False
    slot = Slot.LOWER_LEFT

    def model(self, armature: Any, own: Any) -> tuple[Any, str]:
        counted = histograms(armature)
        return counted, "" if counted is not None else NO_HISTOGRAM

    def shapes(self, model: Any, shown: Histograms, place: Rect, theme: Theme) -> list[Shape]:
        """Both histograms side by side on a panel."""
        left, bottom, width, height = place
        actions = translated("{0} action" if shown.actions == 1 else "{0} actions", shown.actions)
        title = translated("Speeds and turn rates, {0}", actions)
        note = translated("{0} s of motion", plot.number(shown.seconds))
        if plot.width_of(title + note, theme.font) > width - 4.0 * plot.PADDING * theme.scale:
            title, note = f"{actions}, {plot.number(shown.seconds)} s", ""
        shapes = [plot.panel(place, theme), *plot.heading(place, theme, title, note)]
        half, tall = 0.5 * width, height - plot.ROW * theme.font
        for i, histogram in enumerate((shown.speeds, shown.turns)):
            cell = (left + i * half, bottom, half, tall)
            shapes += chart(histogram, half, theme).shapes(cell, theme)
        return shapes
