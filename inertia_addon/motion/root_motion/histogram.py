# SPDX-License-Identifier: GPL-3.0-or-later
"""How often each speed, each acceleration and each turn rate occurs in recorded motion."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ...records import record
from ..arrays import Array
from .measure import Measured, RootMotion

BINS = 40
"""No more than so many bins."""
MOST_TOPS = 3
"""So many of the most frequent numbers are named at most ..."""
LEAST_TOP = 0.12
"""... that stand above what lies between them by at least this part of the highest ..."""
LEAST_SHARE = 0.02
"""... and that, with the bins beside them, make up this part of the motion."""

MOVING = 0.1
"""Speeds below, m/s, are those of a root that stands."""
SPEEDING_UP = 0.5
"""Likewise accelerations, m/s^2."""
TURNING = 5.0
"""Likewise turn rates, degrees per second."""


@record(frozen=True, eq=False)
class Histogram:
    """How long a number is about so large.

    edges: (n + 1,), in the number's unit. seconds: (n,) of motion in each bin. tops: the numbers that are
    most frequent in their surroundings, the most frequent one first.
    """

    edges: Array
    seconds: Array
    tops: tuple[float, ...]


@record(frozen=True, eq=False)
class Histograms:
    """How the roots of several actions move.

    actions: how many. seconds: their length in all. speeds: m/s. accelerations: m/s^2, of gaining and of
    losing speed alike. turns: turn rates, degrees per second, to either side.
    """

    actions: int
    seconds: float
    speeds: Histogram
    accelerations: Histogram
    turns: Histogram


def count_all(clips: Sequence[tuple[RootMotion, Measured]]) -> Histograms:
    """Return how long clips go so fast, change their speed so fast, and turn so fast, all smoothed and
    without signs.

    clips: pairs of a root's motion and what was measured of it; of the latter the curves count.

    Return `speeds`, in m/s, `accelerations`, in m/s^2, and `turns`, in degrees per second: each a histogram,
    see :func:`count`, of all clips' samples together, with 1 / rate of the series as the seconds of each
    sample. Below 0.1 m/s, 0.5 m/s^2 and 5 degrees per second the root is at rest. `seconds` is the sum of the
    times from first to last frame, 0 for clips without frames; `actions` counts all clips.
    """
    speeds, accelerations, turns, degrees = [], [], [], 180.0 / math.pi
    for motion, measured in clips:
        curves = measured.curves
        speeds.append((np.abs(curves.speed), 1.0 / motion.speed.rate))
        accelerations.append((np.abs(curves.acceleration), 1.0 / motion.speed.rate))
        turns.append((np.abs(curves.turn_rate) * degrees, 1.0 / motion.facing.rate))
    return Histograms(
        actions=len(clips),
        seconds=sum(float(np.ptp(motion.facing.seconds)) for motion, _ in clips if len(motion.frames)),
        speeds=count(speeds, MOVING),
        accelerations=count(accelerations, SPEEDING_UP),
        turns=count(turns, TURNING),
    )


def count(actions: Sequence[tuple[Array, float]], rest_below: float) -> Histogram:
    """Return a histogram of numbers in even bins that start at 0; negative numbers count as 0.

    actions: for each action its numbers (n,) and the seconds that each of them stands for, which the bins add
    up. rest_below: must be above 0; lower numbers are those of a root at rest and can't be among the tops.
    There are at most about 40 bins, 1, 2 or 5 times a power of ten wide, up to the one with the highest
    number. Without any numbers there is one empty bin. `edges` is one longer than `seconds`; for `tops` see
    :func:`_tops`.
    """
    values = np.concatenate([np.maximum(part, 0.0) for part, _ in actions] or [np.zeros(0)])
    weights = np.concatenate([np.full(len(part), seconds) for part, seconds in actions] or [np.zeros(0)])
    highest = float(values.max(initial=0.0))
    # 1, 2 or 5 times a power of ten, so that there are no more than BINS
    wanted = max(highest, rest_below) / (BINS - 1)
    power = 10.0 ** math.floor(math.log10(wanted))
    width = next(power * step for step in (1.0, 2.0, 5.0, 10.0) if power * step >= wanted * (1.0 - 1e-9))
    edges = width * np.arange(math.floor(highest / width) + 2.0)
    seconds = np.histogram(values, edges, weights=weights)[0].astype(float)
    return Histogram(edges, seconds, _tops(values, weights, edges, seconds, rest_below))


def _tops(
    values: Array, weights: Array, edges: Array, seconds: Array, rest_below: float
) -> tuple[float, ...]:
    """Return up to three values that occur most often in their surroundings, the most frequent one first.

    The bins' seconds are smoothed by weights of 1, 2, 3, 2, 1 ninths, with the end bins repeated beyond.
    Then, from the highest bin downwards, a bin counts if it is higher than 12 % of the highest that may have
    a top, and if the lowest between it and each one that counted before is below the lower of both by more
    than that. A bin that counts has a top if it is not the first, does not begin below rest_below (to a
    thousandth), and if the values within 1.5 bins of its middle have more than 2 % of all weight. The top is
    their weighted mean. A bin that counts but has no top still hides what does not stand clear of it.

    values, weights: (n,), weights in seconds. edges, seconds: of the histogram. () if there is none.
    """
    smooth = np.convolve(np.pad(seconds, 2, mode="edge"), np.array([1.0, 2.0, 3.0, 2.0, 1.0]) / 9.0, "valid")
    moving = edges[:-1] >= 0.999 * max(rest_below, float(edges[1]))
    least = LEAST_TOP * float(np.max(smooth, initial=0.0, where=moving))
    bins: list[int] = []
    tops: list[float] = []
    width = float(edges[1])

    def dips(i: int, j: int) -> bool:
        """Return whether between two bins there is one that is lower than both by so much."""
        return bool(min(smooth[i], smooth[j]) - smooth[min(i, j) : max(i, j) + 1].min() > least)

    for i in map(int, np.argsort(-smooth)):
        if smooth[i] <= least or len(tops) == MOST_TOPS:
            break
        if not all(dips(i, j) for j in bins):
            continue  # on the flank of a higher one
        bins.append(i)
        near = np.abs(values - (edges[i] + 0.5 * width)) <= 1.5 * width
        if moving[i] and weights[near].sum() > LEAST_SHARE * weights.sum():
            tops.append(float(np.average(values[near], weights=weights[near])))
    return tuple(tops)
