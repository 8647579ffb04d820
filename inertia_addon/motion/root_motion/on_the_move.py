# SPDX-License-Identifier: GPL-3.0-or-later
"""The half-life of a spring that is already moving where its samples begin, as in a clip cut out of a start.

With ``y = 2 ln 2 / half-life`` such a spring is at ``goal + (j + k t) e^(-y t)``, whatever its place and rate
were at first: for a given ``y`` its goal, ``j`` and ``k`` follow from a linear fit, so that one number is
searched for. See :mod:`half_life` for a spring at rest, and for the interval.
"""

from __future__ import annotations

import math

import numpy as np

from ..arrays import Array, ArrayLike
from . import half_life
from .half_life import SpringFit

PLACES = 60
"""So many half-lives are tried, before the best is looked for between its neighbours."""
HALVINGS = 40
FEWEST = 7
"""Fewer samples say nothing of four numbers."""


def fit_moving(seconds: ArrayLike, values: ArrayLike) -> SpringFit | None:
    """Return the spring that fits samples best and may already be moving when they begin, with an interval.

    seconds, values: (n,), times rising. Samples that are means over a time give the same half-life. `begin`
    is the first time, `before` the spring's place then, and `rate` its rate. Return None for fewer than 7
    samples, if they do not change, or if the best spring moves away from its goal at first.
    """
    t, z = np.asarray(seconds, float), np.asarray(values, float)
    if len(t) < FEWEST or float(np.ptp(z)) <= 1e-12 * float(np.abs(z).max()):
        return None
    step = float(t[-1] - t[0]) / (len(t) - 1)
    samples = _MovingSamples(t - t[0], z)
    lowest, highest = math.log(half_life.SHORTEST * step), math.log(half_life.LONGEST * float(t[-1] - t[0]))
    logs = np.linspace(lowest, highest, PLACES)
    best = int(np.argmin([samples.left(log) for log in logs]))
    log = _least(samples, logs[max(best - 1, 0)], logs[min(best + 1, PLACES - 1)])
    goal, j, k = samples.line(log)
    found, y = math.exp(log), float(half_life.frequency(math.exp(log)))
    rate = k - j * y
    if rate * -j < 0.0 or not j:
        return None
    left = samples.left(log)
    low, high = _interval(samples, log, left, (lowest, highest))
    ends = (j + k * (t[-1] - t[0])) * math.exp(-y * (t[-1] - t[0]))
    residual, reached = math.sqrt(left / len(t)), 1.0 - ends / j
    return SpringFit(found, low, high, float(t[0]), goal + j, goal, residual, float(reached), rate)


class _MovingSamples:
    """Samples to be fitted, at times from 0 on."""

    def __init__(self, t: Array, z: Array) -> None:
        self.t, self.z = t, z

    def shapes(self, log: float) -> Array:
        """Return what a spring of a half-life is a sum of (n, 3)."""
        decayed = np.exp(-half_life.frequency(math.exp(log)) * self.t)
        return np.column_stack([np.ones(len(self.t)), decayed, self.t * decayed])

    def line(self, log: float) -> tuple[float, float, float]:
        """Return the best (goal, j, k) of a spring goal + (j + k t) e^(-y t) with a given half-life, in the
        sense of least squares.

        log: the natural log of the half-life, seconds, of which y follows, see :func:`half_life.frequency`; t
        are the samples' own times. j and k never have opposite signs, so that the spring does not go beyond
        its goal; where they would, k is 0 and the others are fitted anew.
        """
        shapes = self.shapes(log)
        goal, j, k = np.linalg.lstsq(shapes, self.z, rcond=None)[0].tolist()
        if j * k < 0.0:
            (goal, j), k = np.linalg.lstsq(shapes[:, :2], self.z, rcond=None)[0].tolist(), 0.0
        return goal, j, k

    def residuals(self, log: float) -> Array:
        """Return what the best spring of a half-life leaves of the samples (n,)."""
        return np.asarray(self.z - self.shapes(log) @ np.array(self.line(log)))

    def left(self, log: float) -> float:
        """Return the sum of the squared residuals."""
        residuals = self.residuals(log)
        return float(residuals @ residuals)


def _least(samples: _MovingSamples, low: float, high: float) -> float:
    """Return the natural log of the half-life, between `low` and `high`, at which a spring leaves the least
    residuals.

    It is found by the golden section, so that there should be one minimum in between.
    """
    part = 0.5 * (math.sqrt(5.0) - 1.0)
    a, b = high - part * (high - low), low + part * (high - low)
    left_a, left_b = samples.left(a), samples.left(b)
    for _ in range(HALVINGS):
        if left_a < left_b:
            high, b, left_b = b, a, left_a
            a = high - part * (high - low)
            left_a = samples.left(a)
        else:
            low, a, left_a = a, b, left_b
            b = low + part * (high - low)
            left_b = samples.left(b)
    return 0.5 * (low + high)


def _interval(
    samples: _MovingSamples, log: float, residual_sum: float, limits: tuple[float, float]
) -> tuple[float, float]:
    """Return the shortest and the longest half-life, seconds, that leave no more than
    :func:`half_life.find_most_left` allows.

    log: natural logarithm of the best half-life. residual_sum: what that leaves, squared and summed. limits:
    the lowest and the highest logarithm that are looked at. Where a limit leaves no more than that either,
    its end is open: 0 or inf.
    """
    most_left = half_life.find_most_left(samples.z - samples.z.mean(), samples.residuals(log), residual_sum)
    ends = []
    for limit, open_end in zip(limits, (0.0, math.inf), strict=True):
        inside, outside = log, limit
        if samples.left(limit) <= most_left:
            ends.append(open_end)
            continue
        for _ in range(HALVINGS):
            middle = 0.5 * (inside + outside)
            inside, outside = (middle, outside) if samples.left(middle) <= most_left else (inside, middle)
        ends.append(math.exp(0.5 * (inside + outside)))
    return ends[0], ends[1]
