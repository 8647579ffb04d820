# SPDX-License-Identifier: GPL-3.0-or-later
"""How often each speed and each turn rate occurs, counted."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ...motion.arrays import Array
from .model import Histogram

BINS = 40
"""No more than so many bins."""
MODES = 3
"""So many modes are named at most ..."""
LEAST_MODE = 0.12
"""... that stand above what lies between them by at least this part of the highest ..."""
LEAST_SHARE = 0.02
"""... and that, with the bins beside them, make up this part of the motion."""


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
