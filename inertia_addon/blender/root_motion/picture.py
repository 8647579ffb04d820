# SPDX-License-Identifier: GPL-3.0-or-later
"""Root motion as a picture: speed, facing and their rates over the frames, with the fitted springs on top."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from ...motion.arrays import Array
from ...motion.root_motion.measure import Measured
from ...motion.root_motion.ramps import Ramp, Series
from ...plots import line_chart
from ...plots.chart import sheet
from ...plots.line_chart import LINE_COLOURS, LineChart
from ...plots.plot import Dot
from ...plots.shapes import BLACK, Colour, Drawing
from .measure import Read, half_life

FAINT: Colour = (0.667, 0.737, 0.808, 1.0)
STILL = 1e-3
"""What changes by less, in a plot's unit, is drawn as a level."""
SIZE = (620, 260)
"""Of one plot, pixels."""
FINE = 200
"""At so many places a spring's rate is drawn."""


def draw(actions: Iterable[tuple[Read, Measured]], estimator: str) -> Drawing:
    """Two rows for each action: its speed and its facing, and below them how fast these change, with the
    fitted springs.

    estimator: whose half-lives are written at the ramps.
    """
    return sheet([chart for action in actions for chart in _charts(*action, estimator)], 2)


def _charts(read: Read, measured: Measured, estimator: str) -> tuple[LineChart, ...]:
    """The speed, the facing, the acceleration and the turn rate of an action."""
    motion, curves, degrees = read.motion, measured.curves, float(np.degrees(1.0))
    way = f"maximum speed {measured.maximum_speed:.3g} m/s" if measured.travels else "it does not travel"
    turn = f"total turn {np.degrees(measured.total_turn):.3g} degrees"
    if measured.turns_at_all:
        turn += f"; {np.degrees(curves.sway):.2g} degrees of swaying"
    speed = (motion.speed, curves.speed, measured.speeds, 1.0, way)
    facing = (motion.facing, curves.facing, measured.turns, degrees, turn)
    return (
        _chart(f"{read.action}: speed", "m/s", motion.fps, estimator, *speed),
        _chart(f"{read.action}: facing", "degrees", motion.fps, estimator, *facing),
        _rate_chart("acceleration", "m/s²", motion.fps, motion.speed, curves.acceleration, measured.speeds),
        _rate_chart(
            "turn rate",
            "degrees a second",
            motion.fps,
            motion.facing,
            curves.turn_rate * degrees,
            measured.turns,
            degrees,
        ),
    )


def _chart(
    title: str,
    unit: str,
    fps: float,
    estimator: str,
    series: Series,
    smooth: Array,
    ramps: Sequence[Ramp],
    per_unit: float,
    note: str,
) -> LineChart:
    """One chart. fps: frames a second. per_unit: units of the plot per unit of the samples."""
    frames = series.seconds * fps
    lines = [
        line_chart.Series("recorded", frames, series.values * per_unit, FAINT),
        line_chart.Series("smoothed", frames, smooth * per_unit, LINE_COLOURS[0]),
    ]
    dots = []
    for i, ramp in enumerate(ramps):
        if ramp.fit is None:
            continue
        seconds = series.seconds[series.between(ramp.start, ramp.end)]
        spring = ramp.fit.at(seconds, series.mean_over) * per_unit
        label = "fitted spring" if i == 0 else ""
        lines.append(line_chart.Series(label, seconds * fps, spring, LINE_COLOURS[1]))
        middle = int(np.argmin(np.abs(seconds - ramp.peak)))
        text = f"{half_life(ramp, estimator):.3g} s" + ("" if ramp.is_spring else ", no spring")
        dots.append(Dot(float(seconds[middle] * fps), float(spring[middle]), text, BLACK, 4.0))
    middle_value = float(series.values.mean() * per_unit) if len(series.values) else 0.0
    still = not len(series.values) or float(np.ptp(series.values)) * per_unit < STILL
    return LineChart(
        series=lines,
        title=title,
        x_label="frame",
        y_label=unit,
        dots=dots,
        note=note,
        size=SIZE,
        # what does not change at all has no span of its own
        y_range=(middle_value - 1.0, middle_value + 1.0) if still else None,
    )


def _rate_chart(
    title: str,
    unit: str,
    fps: float,
    series: Series,
    rates: Array,
    ramps: Sequence[Ramp],
    per_unit: float = 1.0,
) -> LineChart:
    """How fast a series changes: rates (n,), smoothed, in the plot's unit, with the fitted springs' own and
    the peaks. fps, per_unit: see :func:`_chart`."""
    frames = series.seconds * fps
    lines, dots = [line_chart.Series("smoothed", frames, rates, LINE_COLOURS[0])], []
    for ramp in ramps:
        text = f"{ramp.peak_rate * per_unit:.3g}"
        dots.append(Dot(ramp.peak * fps, ramp.peak_rate * per_unit, text, BLACK, 4.0))
        if ramp.fit is None:
            continue
        seconds = np.linspace(ramp.start, ramp.end, FINE)
        spring = np.gradient(ramp.fit.at(seconds, series.mean_over), seconds) * per_unit
        label = "fitted spring" if len(lines) == 1 else ""
        lines.append(line_chart.Series(label, seconds * fps, spring, LINE_COLOURS[1]))
    is_still = not len(rates) or float(np.ptp(rates)) < STILL
    return LineChart(
        series=lines,
        title=title,
        x_label="frame",
        y_label=unit,
        dots=dots,
        size=SIZE,
        y_range=(-1.0, 1.0) if is_still else None,
    )
