# SPDX-License-Identifier: GPL-3.0-or-later
"""Where in samples of a speed, or a facing, it goes from one level to another.

Ramps are found on the smoothed samples: where they turn back by less than a threshold is no end of a
ramp, and where a ramp all but rests on its way there are two.
"""

from __future__ import annotations

import itertools
import math

import numpy as np

from ...records import record
from ..arrays import Array
from . import filters

LEAST_PART = 0.25
"""A ramp changes by at least this part of all that the samples range over ..."""
ABOVE_NOISE = 6.0
"""... by so many times the noise that is left after smoothing ..."""
ABOVE_STRIDES = 2.5
"""... and by so many times what smoothing takes out: strides, and swaying hips."""
REST = 0.3
"""Where the rate falls below this part of the peaks on both sides, a ramp rests."""
STEP = 0.6
"""Each of the two ramps on either side of a rest changes by this part of the least change."""
REST_WINDOW = 0.25
"""The rate is that over this part of the ramp's core at least."""
RISING = (0.1, 0.9)
"""A ramp's core: between these parts of its change."""
BEFORE, AFTER = 0.6, 1.2
"""A ramp's range goes on for so many times the core's time before and after it, up to its neighbours."""


@record(frozen=True, eq=False)
class Series:
    """Evenly spaced samples. seconds, values: (n,). mean_over: seconds over which each is a mean."""

    seconds: Array
    values: Array
    mean_over: float = 0.0

    @property
    def rate(self) -> float:
        """Samples per second."""
        span = float(self.seconds[-1] - self.seconds[0]) if len(self.seconds) > 1 else 0.0
        return (len(self.seconds) - 1) / span if span > 0.0 else 1.0

    def between(self, start: float, end: float) -> slice:
        """The samples from one time to another, both included."""
        slack = 0.01 / self.rate
        first = int(np.searchsorted(self.seconds, start - slack))
        return slice(first, max(int(np.searchsorted(self.seconds, end + slack)), first))


def find(series: Series, window: float, least_change: float = 0.0) -> list[tuple[float, float]]:
    """The ranges (start, end), seconds, of all ramps, in order.

    window: of the smoothing, seconds. least_change: what a ramp changes by at least, the samples' unit.
    """
    n = len(series.values)
    if n < 5:
        return []
    # a mean over half the window leaves about as much; unlike parabolas it turns no level into ripples,
    # and no stride at an end into a ramp
    samples = filters.window_samples(0.5 * window, series.rate)
    smooth = filters.smoothed(series.values, samples, 0)
    threshold = max(
        least_change,
        LEAST_PART * float(np.ptp(smooth)),
        ABOVE_NOISE * _noise(series.values, samples),
        ABOVE_STRIDES * filters.MAD * float(np.median(np.abs(series.values - smooth))),
    )
    if threshold <= 0.0 or float(np.ptp(smooth)) < threshold:
        return []
    legs = [
        part
        for leg in _legs(smooth, threshold)
        for part in _without_rests(smooth, _rates(smooth, leg, samples), leg, STEP * threshold)
    ]
    cores = [core(smooth, leg) for leg in legs]
    return _ranges(series, cores, samples)


def _noise(values: Array, samples: int) -> float:
    """The noise's standard deviation that is left by smoothing, from samples' second differences."""
    second = np.diff(values, 2)
    return float(filters.MAD * np.median(np.abs(second)) / math.sqrt(6.0) * math.sqrt(1.0 / samples))


def _rates(smooth: Array, leg: tuple[int, int], samples: int) -> Array:
    """How quick a way is, without what is short beside it: strides, and noise."""
    start, end = core(smooth, leg)
    return np.abs(filters.slopes(smooth, max(samples, 2 * int(0.5 * REST_WINDOW * (end - start)) + 1), 1.0))


def _legs(smooth: Array, threshold: float) -> list[tuple[int, int]]:
    """Between turning points that are apart by the threshold at least: (first, last) of each way."""
    turns: list[int] = []
    low = high = 0
    direction = 0
    for i, value in enumerate(smooth):
        low = i if value < smooth[low] else low
        high = i if value > smooth[high] else high
        if direction >= 0 and smooth[high] - value >= threshold:
            turns, direction, low = [*turns, high], -1, i
            high = i
        elif direction <= 0 and value - smooth[low] >= threshold:
            turns, direction, high = [*turns, low], 1, i
            low = i
    if not turns:
        return []
    if turns[0] > 0 and abs(smooth[turns[0]] - smooth[0]) >= threshold:
        turns.insert(0, 0)
    turns.append(high if direction > 0 else low)
    return list(itertools.pairwise(turns))


def _without_rests(
    smooth: Array, rates: Array, leg: tuple[int, int], threshold: float
) -> list[tuple[int, int]]:
    """A way in one direction, cut where it rests between two ramps."""
    first, last = leg
    best: tuple[float, int] | None = None
    for i in range(first + 1, last):
        if min(abs(smooth[i] - smooth[first]), abs(smooth[last] - smooth[i])) < threshold:
            continue
        lower = min(rates[first:i].max(), rates[i : last + 1].max())
        if rates[i] < REST * lower and (best is None or rates[i] / lower < best[0]):
            best = (float(rates[i] / lower), i)
    if best is None:
        return [leg]
    return [
        part
        for half in ((first, best[1]), (best[1], last))
        for part in _without_rests(smooth, rates, half, threshold)
    ]


def core(smooth: Array, leg: tuple[int, int]) -> tuple[float, float]:
    """Between which (fractional) samples a way makes most of its change."""
    first, last = leg
    part = (smooth[first : last + 1] - smooth[first]) / (smooth[last] - smooth[first])
    # it leaves the first level for good, and reaches the other one for the first time after that
    leaves = int(np.flatnonzero(part <= RISING[0])[-1])
    arrives = leaves + int(np.argmax(part[leaves:] >= RISING[1]))
    ends = []
    for i, level in ((leaves, RISING[0]), (arrives - 1, RISING[1])):
        gap = part[i + 1] - part[i]
        ends.append(first + i + (float((level - part[i]) / gap) if gap > 0.0 else 0.5))
    return ends[0], ends[1]


def _ranges(series: Series, cores: list[tuple[float, float]], samples: int) -> list[tuple[float, float]]:
    """Each core with the levels around it, but no more than half of the way to its neighbours."""
    last = len(series.values) - 1.0
    found = []
    for i, (start, end) in enumerate(cores):
        long = end - start
        least = 0.0 if i == 0 else 0.5 * (cores[i - 1][1] + start)
        most = last if i + 1 == len(cores) else 0.5 * (end + cores[i + 1][0])
        room = 0.5 * samples
        first = math.ceil(max(start - BEFORE * long - room, least))
        final = math.floor(min(end + AFTER * long + room, most))
        found.append((float(series.seconds[first]), float(series.seconds[final])))
    return found
