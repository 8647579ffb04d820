# SPDX-License-Identifier: GPL-3.0-or-later
"""Root motion as a picture: speed and facing over the frames, with the fitted springs on top."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...motion.root_motion.measure import Measured
from ...motion.root_motion.ramp_search import Series
from ...motion.root_motion.ramps import Ramp
from ...plots import line_chart
from ...plots.chart import sheet
from ...plots.line_chart import LINE_COLOURS, LineChart
from ...plots.plot import Dot
from ...plots.shapes import BLACK, Colour, Drawing
from .measure import Read
from .values import half_life

FAINT: Colour = (0.667, 0.737, 0.808, 1.0)
STILL = 1e-3
"""What changes by less, in a plot's unit, is drawn as a level."""
SIZE = (620, 260)
"""Of one plot, pixels."""


def draw(found: Sequence[tuple[Read, Measured]], estimator: str) -> Drawing:
    """A row for each action, its speed at the left and its facing at the right.

    estimator: whose half-lives are written at the ramps.
    """
    return sheet([chart for one in found for chart in _charts(*one, estimator)], 2)


def _charts(read: Read, measured: Measured, estimator: str) -> tuple[LineChart, LineChart]:
    """The speed and the facing of an action."""
    motion, curves, degrees = read.motion, measured.curves, float(np.degrees(1.0))
    way = f"maximum speed {measured.maximum_speed:.3g} m/s" if measured.travels else "it does not travel"
    turn = f"total turn {np.degrees(measured.total_turn):.3g} degrees"
    if measured.turns_at_all:
        turn += f"; {np.degrees(curves.sway):.2g} degrees of swaying"
    speed = (motion.speed, curves.speed, measured.speeds, (motion.fps, 1.0), estimator, way)
    facing = (motion.facing, curves.facing, measured.turns, (motion.fps, degrees), estimator, turn)
    return (
        _plot(f"{read.action}: speed", "m/s", *speed),
        _plot(f"{read.action}: facing", "degrees", *facing),
    )


def _plot(
    title: str,
    unit: str,
    series: Series,
    smooth: np.ndarray,
    ramps: Sequence[Ramp],
    scales: tuple[float, float],
    estimator: str,
    note: str,
) -> LineChart:
    """One chart. scales: frames per second, and units of the plot per unit of the samples."""
    fps, per_unit = scales
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
        lines.append(
            line_chart.Series("fitted spring" if i == 0 else "", seconds * fps, spring, LINE_COLOURS[1])
        )
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
