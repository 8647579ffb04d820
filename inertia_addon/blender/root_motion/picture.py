# SPDX-License-Identifier: GPL-3.0-or-later
"""Root motion as a picture: speed, facing and their rates over the frames, with the fitted springs on top."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from ...motion.arrays import Array
from ...motion.root_motion import filters
from ...motion.root_motion.measure import Measured
from ...motion.root_motion.ramps import Ramp, Series, certain
from ...plots import line_chart
from ...plots.chart import sheet
from ...plots.line_chart import LINE_COLOURS, LineChart
from ...plots.plot import Dot
from ...plots.shapes import BLACK, Colour, Drawing
from ...records import record
from . import spring_figure
from .measure import ActionRootMotion, evaluate_spring, half_life

FAINT: Colour = (0.667, 0.737, 0.808, 1.0)
STILL = 1e-3
"""What changes by less, in a plot's unit, is drawn as a level."""
SIZE = (620, 260)
"""Of one plot, pixels."""
FINE = 200
"""At so many places a spring, and its rate, are drawn."""


def draw(actions: Iterable[tuple[ActionRootMotion, Measured]], estimator: str) -> Drawing:
    """Return a picture with two rows for each action: its speed and its facing, and below them how fast these
    change, with the springs of an estimator.

    A row follows with springs of several half-lives, for comparison. estimator: whose springs are drawn, and
    whose half-lives are written at the ramps.
    """
    charts = [chart for action in actions for chart in _charts(*action, estimator)]
    return sheet([*charts, *spring_figure.charts()], 2)


@record(frozen=True, eq=False)
class _Curve:
    """What is drawn of a speed, or of a facing.

    fps: frames a second. series: as it was recorded. smooth, rates: (n,) smoothed, and how fast that changes,
    in the samples' unit, a second. ramps: as they were measured. per_unit: units of the plot per unit of the
    samples.
    """

    fps: float
    series: Series
    smooth: Array
    rates: Array
    ramps: Sequence[Ramp]
    estimator: str
    per_unit: float
    held: tuple[float, float, float] | None = None


def _charts(read: ActionRootMotion, measured: Measured, estimator: str) -> tuple[LineChart, ...]:
    """Return four charts over the scene frames of an action: its speed, facing, acceleration and turn rate,
    in this order.

    Units are m/s, degrees, m/s2 and degrees a second. Each title is the action's name, a colon and one of
    these four words. The first chart's note says the maximum speed, or that it does not travel; the second's
    the total turn, in degrees, and the sway if it turns. The other two have none.

    read, measured: the motion of the action, and what was measured of it. estimator: LEAST_SQUARES or
    CLOSED_FORM, whose springs are drawn.
    """
    motion, curves, degrees = read.motion, measured.curves, float(np.degrees(1.0))
    way = f"maximum speed {measured.maximum_speed:.3g} m/s" if measured.travels else "it does not travel"
    turn = f"total turn {np.degrees(measured.total_turn):.3g} degrees"
    if measured.turns_at_all:
        turn += f"; {np.degrees(curves.sway):.2g} degrees of swaying"
    held = None if measured.maximum_speed is None else (measured.maximum_speed, *measured.maximum_span)
    speed = _Curve(
        fps=motion.fps,
        series=motion.speed,
        smooth=curves.speed,
        rates=curves.acceleration,
        ramps=measured.speeds,
        estimator=estimator,
        per_unit=1.0,
        held=held,
    )
    facing = _Curve(
        fps=motion.fps,
        series=motion.facing,
        smooth=curves.facing,
        rates=curves.turn_rate,
        ramps=measured.turns,
        estimator=estimator,
        per_unit=degrees,
    )
    return (
        _draw_curve(f"{read.action}: speed", "m/s", speed, way),
        _draw_curve(f"{read.action}: facing", "degrees", facing, turn),
        _draw_rates(f"{read.action}: acceleration", "m/s²", speed),
        _draw_rates(f"{read.action}: turn rate", "degrees a second", facing),
    )


def _draw_curve(title: str, unit: str, curve: _Curve, note: str) -> LineChart:
    """Return the chart of a curve over scene frames.

    Its lines are "recorded" (faint), "smoothed", then "held", a level over the frames in which the speed was
    held, if ``curve.held`` says so, and a spring for each ramp, over the ramp's range; only the first of
    these is named, "fitted spring". A dot on each spring, where the ramp is steepest, says the half-life by
    ``curve.estimator``, such as "0.2 s", and ", no spring" where the fit is none. Values are multiplied by
    ``curve.per_unit``. If the recorded ones range over less than 0.001, the y axis is 1 to both sides of
    their mean.

    title, unit: of the chart and of its y axis. note: is written below it.
    """
    series, frames = curve.series, curve.series.seconds * curve.fps
    lines = [
        line_chart.ChartSeries("recorded", frames, series.values * curve.per_unit, FAINT),
        line_chart.ChartSeries("smoothed", frames, curve.smooth * curve.per_unit, LINE_COLOURS[0]),
    ]
    if curve.held is not None:
        speed, *ends = curve.held
        level = np.full(2, speed * curve.per_unit)
        lines.append(line_chart.ChartSeries("held", np.array(ends) * curve.fps, level, LINE_COLOURS[2], 3.0))
    dots = []
    for i, ramp in enumerate(curve.ramps):
        seconds = np.linspace(ramp.start, ramp.end, FINE)
        spring = evaluate_spring(ramp, series, curve.estimator, seconds) * curve.per_unit
        lines.append(_draw_spring(seconds * curve.fps, spring, is_first=i == 0))
        middle = int(np.argmin(np.abs(seconds - ramp.peak)))
        is_spring = ramp.fit is None or ramp.is_spring
        text = f"{half_life(ramp, curve.estimator):.3g} s" + ("" if is_spring else ", no spring")
        dots.append(Dot(float(seconds[middle] * curve.fps), float(spring[middle]), text, BLACK, 4.0))
    return _chart(title, unit, lines, dots, series.values * curve.per_unit, note)


def _draw_rates(title: str, unit: str, curve: _Curve) -> LineChart:
    """Return the chart of how fast a curve changes, over scene frames, in `unit`.

    Its first line is "smoothed", faint: ``curve.rates``. For each ramp follow two lines: the slope of the
    recorded samples over the ramp's own window, only where that has samples on both sides, and the rate of
    its spring by ``curve.estimator``, over the ramp's range. Of the first ramp these are named "over the
    ramp's window" and "fitted spring", of all others not at all. A dot at each ramp's peak says its rate with
    three digits. All is multiplied by ``curve.per_unit``; if the smoothed rates range over less than 0.001,
    the y axis is 1 to both sides of their mean. The chart has no note.
    """
    series, rates = curve.series, curve.rates * curve.per_unit
    lines, dots = [line_chart.ChartSeries("smoothed", series.seconds * curve.fps, rates, FAINT)], []
    for i, ramp in enumerate(curve.ramps):
        peak = ramp.peak_rate * curve.per_unit
        dots.append(Dot(ramp.peak * curve.fps, peak, f"{peak:.3g}", BLACK, 4.0))
        samples = filters.window_samples(ramp.window, series.rate)
        span = certain(series.between(ramp.start, ramp.end), len(series.values), samples)
        slopes = filters.slopes(series.values, samples, series.rate)
        frames, own = series.seconds[span] * curve.fps, slopes[span] * curve.per_unit
        name = "over the ramp's window" if i == 0 else ""
        lines.append(line_chart.ChartSeries(name, frames, own, LINE_COLOURS[0]))
        seconds = np.linspace(ramp.start, ramp.end, FINE)
        spring = (
            np.gradient(evaluate_spring(ramp, series, curve.estimator, seconds), seconds) * curve.per_unit
        )
        lines.append(_draw_spring(seconds * curve.fps, spring, is_first=i == 0))
    return _chart(title, unit, lines, dots, rates)


def _draw_spring(frames: Array, values: Array, *, is_first: bool) -> line_chart.ChartSeries:
    """Return the line of a fitted spring; only the first of a chart is named."""
    return line_chart.ChartSeries("fitted spring" if is_first else "", frames, values, LINE_COLOURS[1])


def _chart(
    title: str,
    unit: str,
    lines: Sequence[line_chart.ChartSeries],
    dots: Sequence[Dot],
    values: Array,
    note: str = "",
) -> LineChart:
    """Return a chart over frames. values: (n,) what it is of, in the plot's unit."""
    middle = float(values.mean()) if len(values) else 0.0
    is_still = not len(values) or float(np.ptp(values)) < STILL
    return LineChart(
        series=lines,
        title=title,
        x_label="frame",
        y_label=unit,
        dots=dots,
        note=note,
        size=SIZE,
        # what does not change at all has no span of its own
        y_range=(middle - 1.0, middle + 1.0) if is_still else None,
    )
