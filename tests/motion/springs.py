# SPDX-License-Identifier: GPL-3.0-or-later
"""Made-up springs, and how well their half-lives are found again."""

from __future__ import annotations

import dataclasses
import functools

import numpy as np

from inertia_addon.motion.root_motion import half_life, ramps
from inertia_addon.motion.root_motion.ramps import Ramp, Series

RATES = (24.0, 25.0, 30.0, 48.0, 50.0, 60.0, 90.0, 120.0)
NOISE = 0.01


@dataclasses.dataclass(frozen=True, eq=False)
class Case:
    """A spring's samples, and what they were made with: half_life in seconds, kind "speed" or "turn"."""

    series: Series
    half_life: float
    fps: float
    kind: str
    change: float


@dataclasses.dataclass(frozen=True)
class Outcome:
    """What was found of a case; ramp is None where not exactly one was."""

    case: Case
    ramp: Ramp | None

    @property
    def fit_error(self) -> float:
        return np.inf if self.ramp is None else abs(self.ramp.fit.half_life / self.case.half_life - 1.0)

    @property
    def closed_form_error(self) -> float:
        return np.inf if self.ramp is None else abs(self.ramp.closed_form / self.case.half_life - 1.0)

    @property
    def covered(self) -> bool:
        return self.ramp is not None and self.ramp.fit.low <= self.case.half_life <= self.ramp.fit.high


def spring(
    random: np.random.Generator, noise: float = NOISE, half: float | None = None, fps: float | None = None
) -> Case:
    """A spring from any speed or facing to any other, its noise a part of the change.

    It is at rest before for up to a second, and recorded for five to eight half-lives. Integrated by small
    steps rather than by the formula that is fitted.
    """
    half = float(np.exp(random.uniform(np.log(0.05), np.log(2.0)))) if half is None else half
    fps = float(random.choice(RATES)) if fps is None else fps
    begin = random.uniform(0.2, 1.0)
    seconds = begin + random.uniform(5.0, 8.0) * half + 0.3
    kind = str(random.choice(["speed", "turn"]))
    if kind == "speed":
        before, after = random.uniform(0.0, 8.0, 2)
        at, mean_over = (np.arange(int(seconds * fps)) + 0.5) / fps, 1.0 / fps
    else:
        before = random.uniform(-np.pi, np.pi)
        after = before + random.choice([-1.0, 1.0]) * random.uniform(np.radians(20.0), 2.0 * np.pi)
        at, mean_over = np.arange(int(seconds * fps)) / fps, 0.0
    values = before + (after - before) * integrated(at - begin, half, mean_over)
    values += random.normal(0.0, noise * abs(after - before), len(at))
    return Case(Series(at, values, mean_over), half, fps, kind, after - before)


def strided(random: np.random.Generator) -> Case:
    """A start or a stop with strides on top: waves of 4 to 15 % of the speed at the frequency of the steps,
    which come quicker with it, at twice of it, and at half, as left and right differ."""
    half, fps = (
        float(np.exp(random.uniform(np.log(0.15), np.log(0.8)))),
        float(random.choice((30.0, 60.0, 120.0))),
    )
    begin = random.uniform(0.6, 1.5)
    seconds = begin + random.uniform(6.0, 9.0) * half + 1.5
    levels = [random.uniform(0.0, 2.0), random.uniform(2.5, 6.0)]
    before, after = levels if random.random() < 0.5 else levels[::-1]
    at = (np.arange(int(seconds * fps)) + 0.5) / fps
    speed = before + (after - before) * integrated(at - begin, half, 1.0 / fps)
    steps = random.uniform(1.4, 3.2) * (0.8 + 0.2 * speed / speed.max())
    phase, largest = 2.0 * np.pi * np.cumsum(steps) / fps, random.uniform(0.04, 0.15)
    waves = sum(
        part * np.sin(times * phase + random.uniform(0.0, 2.0 * np.pi))
        for part, times in ((1.0, 1.0), (0.3, 2.0), (0.25, 0.5))
    )
    values = speed * (1.0 + largest * waves) + random.normal(0.0, 0.5 * NOISE * abs(after - before), len(at))
    return Case(Series(at, values, 1.0 / fps), half, fps, "speed", after - before)


def integrated(seconds: np.ndarray, half: float, mean_over: float) -> np.ndarray:
    """The response of a critically damped spring, by integration; see :func:`_table`."""
    y = 2.0 * np.log(2.0) / half
    grid, area, response = _table()

    def read(values: np.ndarray, at: np.ndarray) -> np.ndarray:
        # behind the table's end the spring has arrived
        beyond = np.maximum(at - grid[-1], 0.0) if values is area else 0.0
        return np.interp(at, grid, values, left=0.0) + beyond

    if mean_over <= 0.0:
        return read(response, y * seconds)
    parts = [read(area, y * (seconds + side * mean_over)) / y for side in (0.5, -0.5)]
    return (parts[0] - parts[1]) / mean_over


@functools.cache
def _table() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Times, area and response of x'' = -2 x' - (x - 1) from rest, by Runge and Kutta's method."""
    grid = np.linspace(0.0, 40.0, 40001)
    h = grid[1]

    def rate(s: np.ndarray) -> np.ndarray:
        # of the area, the response, its slope, and of the goal
        return np.array([s[1], s[2], -2.0 * s[2] - (s[1] - s[3]), 0.0 * s[3]])

    # where each part of a state would be a step later: of a linear equation that is all there is to a step
    step = np.eye(4)
    a = rate(step)
    b = rate(step + 0.5 * h * a)
    c = rate(step + 0.5 * h * b)
    d = rate(step + h * c)
    step = step + h / 6.0 * (a + 2.0 * b + 2.0 * c + d)
    table = np.array([[0.0], [0.0], [0.0], [1.0]])
    while table.shape[1] < len(grid):
        table, step = np.hstack([table, step @ table]), step @ step
    return grid, table[0, : len(grid)], table[1, : len(grid)]


def outcome(case: Case, window: float = 0.7) -> Outcome:
    """Find the ramp of a case by itself, and measure it."""
    found = ramps.find(case.series, window)
    return Outcome(case, ramps.measure_ramp(case.series, *found[0]) if len(found) == 1 else None)


def strided_outcomes(count: int, seed: int) -> list[Outcome]:
    """Random starts and stops with strides, measured over all of their samples."""
    random = np.random.default_rng(seed)
    cases = [strided(random) for _ in range(count)]
    return [Outcome(case, ramps.measure_ramp(case.series, -np.inf, np.inf)) for case in cases]


def outcomes(count: int, seed: int) -> list[Outcome]:
    """Random cases, each of them found and measured."""
    random = np.random.default_rng(seed)
    return [outcome(spring(random)) for _ in range(count)]


def resolvable(found: Outcome) -> bool:
    """Whether the half-life is three frames or more."""
    return found.case.half_life * found.case.fps >= 3.0


def exact(half: float, seconds: np.ndarray, begin: float = 0.0, mean_over: float = 0.0) -> np.ndarray:
    """The response by the formula."""
    return half_life.response(seconds - begin, half_life.frequency(half), mean_over)
