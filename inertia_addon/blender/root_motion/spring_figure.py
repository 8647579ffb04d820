# SPDX-License-Identifier: GPL-3.0-or-later
"""Springs of several half-lives side by side: how a velocity goes from 0 to 1, and its acceleration.

That is what a half-life means, beside a ramp that was recorded: the quicker the spring, the higher and the
earlier its peak (D. Holden, "Fitting Code Driven Displacement", 2021).
"""

from __future__ import annotations

import math

import numpy as np

from ...motion.arrays import Array
from ...motion.root_motion import half_life
from ...motion.root_motion.ramps import Ramp, Series
from ...plots import plot
from ...plots.chart import sheet
from ...plots.line_chart import LINE_COLOURS, LineChart
from ...plots.line_chart import ChartSeries as Line
from ...plots.plot import Dot
from ...plots.shapes import Colour, Drawing
from ...plots.theme import LINE_CONTRAST, PAPER, Theme, composite_on_worst, readable
from ...records import record
from .measure import LEAST_SQUARES
from .measure import half_life as half_life_of

HALF_LIVES = (0.1, 0.2, 0.4, 0.8)
"""Of the springs that are drawn, seconds."""
BEFORE, WHOLE = 0.1, 6.0
"""Springs are drawn from so much of the time shown before they begin, for so many of the middle half-life."""
POINTS = 300
SIZE = (620, 260)
"""Of one chart, pixels."""
STEEPEST = 1.0 - 2.0 / math.e
"""How far every spring has come where it accelerates most."""
FAMILY: tuple[Colour, ...] = tuple(LINE_COLOURS[i] for i in (0, 2, 3, 4))
"""The colours of the springs; a fitted one has the colour of results."""


@record(frozen=True, eq=False)
class Response:
    """A spring's way from 0 to 1.

    half_life: seconds. seconds: (n,), its goal is 1 from 0 on. velocities, accelerations: (n,), a second.
    peak_seconds, peak: when it accelerates most, and how much.
    """

    half_life: float
    seconds: Array
    velocities: Array
    accelerations: Array
    peak_seconds: float
    peak: float


@record(frozen=True, eq=False)
class Recorded:
    """A ramp that was recorded, as a way from 0 to 1, beside the spring that was fitted to it.

    seconds: (n,) since the spring began. velocities: (n,). spring: as fitted, begun at 0.
    """

    seconds: Array
    velocities: Array
    spring: Response


@record(frozen=True)
class Words:
    """What is written in the charts."""

    velocity: str = "Velocity, from 0 to 1"
    acceleration: str = "Acceleration, per second"
    seconds: str = "seconds"
    fitted: str = "fitted spring"
    recorded: str = "as recorded"


ENGLISH = Words()


def responses(half_lives: tuple[float, ...] = HALF_LIVES) -> tuple[Response, ...]:
    """Return the springs of some half-lives, seconds, in their order, all over the same time: 6 times the
    median half-life, and a tenth of that before it.
    """
    end = WHOLE * float(np.median(half_lives))
    return tuple(respond(each, np.linspace(-BEFORE * end, end, POINTS)) for each in half_lives)


def respond(seconds_of_half: float, seconds: Array) -> Response:
    """Return a spring's way from 0 to 1 at times (n,) since its goal is 1."""
    y = half_life.frequency(seconds_of_half)
    at, rate = half_life.peak_on_the_move(0.0, 0.0, 1.0, seconds_of_half)
    return Response(
        half_life=seconds_of_half,
        seconds=seconds,
        velocities=half_life.response(seconds, y),
        accelerations=half_life.response_rate(seconds, y),
        peak_seconds=at,
        peak=rate,
    )


def recorded(ramp: Ramp, series: Series, estimator: str) -> Recorded | None:
    """Return a ramp as a way from 0 to 1, beside the spring of an estimator's half-life.

    In the :class:`Recorded` ``seconds`` (n,) are the times of the ramp's samples since the spring began,
    below 0 before that; ``velocities`` (n,) is what was recorded, 0 for the level before and 1 for that
    after; ``spring`` is the :class:`Response` of the half-life at these times. For LEAST_SQUARES begin and
    levels are the fit's. Any other estimator, or a ramp without a fit, takes the ramp's own levels, and the
    begin that makes the closed form's spring steepest at the ramp's peak.

    Return None for a ramp whose fit already moved when its samples began, by any estimator, as it has no way
    from rest, and for one whose levels are the same.
    """
    fit = ramp.fit if estimator == LEAST_SQUARES else None
    if ramp.is_on_the_move:
        return None
    if fit is not None:
        begin, before, change = fit.begin, fit.before, fit.after - fit.before
    else:
        begin = ramp.peak - 1.0 / float(half_life.frequency(ramp.closed_form))
        before, change = ramp.before, ramp.change
    span = series.between(ramp.start, ramp.end)
    seconds = series.seconds[span] - begin
    spring = respond(half_life_of(ramp, estimator), seconds)
    return Recorded(seconds, (series.values[span] - before) / change, spring) if change else None


def draw(recorded: Recorded | None = None) -> Drawing:
    """Draw the springs' velocities and, beside them, their accelerations."""
    return sheet(charts(recorded), 2)


def charts(
    recorded: Recorded | None = None, words: Words = ENGLISH, theme: Theme = PAPER
) -> tuple[LineChart, LineChart]:
    """Return two charts over seconds since the goal changed: how springs of four half-lives, 0.1, 0.2, 0.4
    and 0.8 s, go from 0 to 1, and how they accelerate.

    Each has a line for each spring, in this order, named such as "0.1 s", and a dot where it accelerates
    most; in the second chart the dot says the half-life and the peak, per second. All lines have the times of
    the four.

    recorded: a ramp that was recorded; its samples become a line in the first chart only, and a spring of its
    half-life, with a dot, is the last line in both. None for none. words: titles and names. theme: on whose
    panels they lie; colours are changed until they stand out there.
    """
    springs, own = responses(), theme.result
    behind = composite_on_worst(theme.panel)
    colours = [readable(colour, behind, LINE_CONTRAST) for colour in FAMILY]
    drawn = [(f"{each.half_life:g} s", each, colour) for each, colour in zip(springs, colours, strict=True)]
    velocities = [Line(name, each.seconds, each.velocities, colour) for name, each, colour in drawn]
    rates = [Line(name, each.seconds, each.accelerations, colour) for name, each, colour in drawn]
    dots = [_peak(each, colour) for _, each, colour in drawn]
    ends = float(springs[0].seconds[0]), float(springs[0].seconds[-1])
    if recorded is not None:
        name = f"{words.fitted}, {recorded.spring.half_life:.3g} s"
        fitted = respond(recorded.spring.half_life, springs[0].seconds)
        velocities.append(Line(words.recorded, recorded.seconds, recorded.velocities, theme.faint))
        velocities.append(Line(name, fitted.seconds, fitted.velocities, own, 3.0))
        rates.append(Line(name, fitted.seconds, fitted.accelerations, own, 3.0))
        dots.append(_peak(fitted, own))
    steepest = [Dot(dot.x, STEEPEST, "", dot.colour) for dot in dots]
    highest = max(dot.y for dot in dots)
    return (
        LineChart(
            series=velocities,
            dots=steepest,
            title=words.velocity,
            x_label=words.seconds,
            x_range=ends,
            y_range=(-0.1, 1.15),
            size=SIZE,
        ),
        LineChart(
            series=rates,
            dots=dots,
            title=words.acceleration,
            x_label=words.seconds,
            x_range=ends,
            y_range=(0.0, 1.15 * highest),
            size=SIZE,
        ),
    )


def _peak(spring: Response, colour: Colour) -> Dot:
    """Return the mark of a spring's highest acceleration, with the half-life that it belongs to."""
    text = f"{spring.half_life:.3g} s: {plot.number(spring.peak, 3)}"
    return Dot(spring.peak_seconds, spring.peak, text, colour)
