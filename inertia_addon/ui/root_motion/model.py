# SPDX-License-Identifier: GPL-3.0-or-later
"""What the overlays show of measured root motion, by value: frames, metres per second and degrees.

Frames are scene frames of an action's own time.
"""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ...blender.root_motion import measure
from ...motion.root_motion import filters
from ...records import record
from .. import translations
from ..shared import cache, labels
from ..translations import translated
from . import measured as root_motion

if TYPE_CHECKING:
    from ...motion.arrays import Array
    from ...motion.root_motion.ramps import Ramp, Series
    from .measured import RootMotionView

DEGREES = 180.0 / math.pi
SPRING_POINTS = 90
"""A spring is drawn through so many points at least."""
ESTIMATES = {measure.LEAST_SQUARES: "least squares", measure.CLOSED_FORM: "by peak rate"}


@record(frozen=True, eq=False)
class RootRamp:
    """A ramp of the speed, or a turn, with the spring that moves like it.

    start, end: frames, its range. half_life: by the chosen estimator, seconds, or the end of its interval
    where the other end is open; interval: (low, high), seconds, None without one. bound: whether it is the
    half-life, ``=``, a bound, at least ``>`` or at most ``<``, or says nothing, ``?``. remark: what to know
    of it in a word or two, "" for a good fit. change: in the plot's unit. spring_frames, spring: (n,) the
    spring. rate_frames, rates: (m,) the slope as measured, per second; steepest: peak_frame, peak_rate.
    """

    start: float
    end: float
    half_life: float
    interval: tuple[float, float] | None
    bound: str
    remark: str
    change: float
    spring_frames: Array
    spring: Array
    rate_frames: Array
    rates: Array
    peak_frame: float
    peak_rate: float


@record(frozen=True, eq=False)
class RootPlot:
    """A root's speed, or its facing, over the frames of a clip.

    kind: ``speed`` or ``turn``. unit, rate_unit: as they are written. frames, raw, smooth, rates: (n,) as
    read, smoothed, and the smoothed one's slope per second. ramps: in order. held: (first frame, last
    frame, value) of the maximum speed, None without one. by_hand: whether ranges were set by hand.
    missing: why there are no ramps, "" when there are. estimate: which estimate the ramps show, in words.
    """

    kind: str
    title: str
    note: str
    unit: str
    rate_unit: str
    frames: Array
    raw: Array
    smooth: Array
    rates: Array
    ramps: tuple[RootRamp, ...]
    held: tuple[float, float, float] | None
    by_hand: bool
    missing: str
    estimate: str = ""


@record(frozen=True, eq=False)
class RootMotionPlots:
    """The root motion of one action. called: how it is named in titles, where not by its whole name."""

    action: str
    speed: RootPlot
    turn: RootPlot
    called: str = ""

    @property
    def plots(self) -> tuple[RootPlot, RootPlot]:
        """Both, in the order in which they are shown."""
        return self.speed, self.turn


def plots_of(armature: Any) -> RootMotionPlots:
    """Return the plots (``speed``, then ``turn``) of the root motion of the action that is shown, as
    :func:`plots` makes them, with ``called``, the action's name as it is shown in titles.

    The same object is returned until what was measured, a setting or Blender's language changes. The action
    is that of the list's active row with the scope LISTED, else the chosen one, else the assigned one.

    Raise InertiaError if there is none, it can't be read or a setting is out of range, and NotMeasured if it
    was not measured yet and that would take long or needs Blender to play it.
    """
    shown = root_motion.read_view(armature)
    key = (shown, translations.language())

    def compute() -> RootMotionPlots:
        return dataclasses.replace(plots(shown), called=labels.action(armature, shown.action))

    return cache.answer("root plots", armature, key, compute, at_once=True)


def plots(view: RootMotionView) -> RootMotionPlots:
    """Return the plots of an action's speed (``speed``, m/s) and facing (``turn``, degrees), over scene
    frames of its own time.

    ``action`` is the view's; ``called`` stays "". Slopes are in m/s² and °/s. Titles ("Speed", "Facing"),
    notes and ``missing`` are in Blender's language. The speed's note is "max 1.23 m/s", or "" without a
    maximum speed; the facing's is "turns 90° in all", with an en dash for a minus. ``missing`` says why there
    are no ramps, "" where there are some and the root travels, or turns, at all.

    ``held`` is (first frame, last frame, m/s) of the maximum speed, None without one and for the facing.
    ``by_hand`` tells whether the ranges were set by hand. Ramps are in the order measured, with the
    half-lives and springs of the view's estimator.
    """
    motion, measured, curves = view.read.motion, view.measured, view.measured.curves
    no_ramps = "no ramps: it keeps its speed" if measured.travels else "does not travel"
    no_turns = "no turns" if measured.turns_at_all else "does not turn"
    held, fastest = None, ""
    if measured.maximum_speed is not None:
        first, last = measured.maximum_span
        held = (first * motion.fps, last * motion.fps, measured.maximum_speed)
        fastest = translated("max {0} m/s", f"{measured.maximum_speed:.2f}")
    turned = f"{measured.total_turn * DEGREES:.0f}".replace("-", "\u2013")
    speed = _plot(
        view,
        (motion.speed, curves.speed, curves.acceleration, measured.speeds, 1.0),
        kind="speed",
        title=translated("Speed"),
        note=fastest,
        unit="m/s",
        rate_unit="m/s²",
        held=held,
        by_hand=view.own_speed,
        missing="" if measured.travels and measured.speeds else translated(no_ramps),
    )
    turn = _plot(
        view,
        (motion.facing, curves.facing, curves.turn_rate, measured.turns, DEGREES),
        kind="turn",
        title=translated("Facing"),
        note=translated("turns {0}° in all", turned),
        unit="°",
        rate_unit="°/s",
        held=None,
        by_hand=view.own_turn,
        missing="" if measured.turns_at_all and measured.turns else translated(no_turns),
    )
    return RootMotionPlots(view.action, speed, turn)


def _plot(
    view: RootMotionView, measured: tuple[Series, Array, Array, tuple[Ramp, ...], float], **texts: Any
) -> RootPlot:
    """Return a plot.

    measured: the series as read, smoothed, its slope (n,), ramps, and how many of the plot's units one is.
    """
    series, smooth, rates, ramps, per_unit = measured
    fps = view.read.motion.fps
    return RootPlot(
        frames=series.seconds * fps,
        raw=series.values * per_unit,
        smooth=smooth * per_unit,
        rates=rates * per_unit,
        ramps=tuple(_ramp(ramp, series, fps, view.estimator, per_unit) for ramp in ramps),
        estimate=translated(ESTIMATES[view.estimator]),
        **texts,
    )


def _ramp(ramp: Ramp, series: Series, fps: float, estimator: str, per_unit: float) -> RootRamp:
    span = series.between(ramp.start, ramp.end)
    seconds = np.linspace(ramp.start, ramp.end, max(SPRING_POINTS, span.stop - span.start))
    samples = filters.window_samples(ramp.window, series.rate)
    slopes = filters.slopes(series.values, samples, series.rate)[span]
    value, bound = measure.bounded(ramp, estimator)
    return RootRamp(
        start=ramp.start * fps,
        end=ramp.end * fps,
        half_life=value,
        interval=measure.interval(ramp, estimator),
        bound=bound,
        remark=translated(_short_remark(ramp)),
        change=ramp.change * per_unit,
        spring_frames=seconds * fps,
        spring=measure.evaluate_spring(ramp, series, estimator, seconds) * per_unit,
        rate_frames=series.seconds[span] * fps,
        rates=slopes * per_unit,
        peak_frame=ramp.peak * fps,
        peak_rate=ramp.peak_rate * per_unit,
    )


def _short_remark(ramp: Ramp) -> str:
    """Return in a word or two, in English, what is wrong with a ramp's half-life; "" for a good fit.

    It is the first of these that applies: "few frames" if there is no fit; "not a spring" if not
    ``is_spring``; "cut off" if ``is_bound``; "too quick" if not ``resolved``; "uncertain" if the two
    estimates do not ``agree``. The estimator that is shown does not matter.
    """
    if ramp.fit is None:
        return "few frames"
    if not ramp.is_spring:
        return "not a spring"
    if ramp.is_bound:
        return "cut off"
    if not ramp.resolved:
        return "too quick"
    return "" if ramp.agree else "uncertain"
