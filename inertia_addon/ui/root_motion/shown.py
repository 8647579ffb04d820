# SPDX-License-Identifier: GPL-3.0-or-later
"""From measured root motion to what is shown of it: frames, metres per second and degrees."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np

from ...blender.root_motion import values as root_motion_values
from ...motion.arrays import Array
from ...motion.root_motion import filters, half_life
from ...motion.root_motion.measure import Measured
from ...motion.root_motion.ramp_search import Series
from ...motion.root_motion.ramps import Ramp
from .. import translations
from ..shared import cache, labels
from ..translations import translated
from . import histogram as root_histogram
from . import measured as root_motion
from .measured import Shown
from .model import Histograms, RootMotionPlots, RootPlot, RootRamp

DEGREES = 180.0 / math.pi
SPRING_POINTS = 90
"""A spring is drawn through so many points at least."""
ESTIMATES = {
    root_motion_values.LEAST_SQUARES: "least squares",
    root_motion_values.CLOSED_FORM: "by peak rate",
}
MOVING = 0.1
"""Speeds below, m/s, are those of a root that stands."""
TURNING = 5.0
"""Likewise turn rates, degrees per second."""


def of(armature: Any) -> RootMotionPlots:
    """The root motion of the action that is shown. Raises InertiaError, in a sentence, without one."""
    shown = root_motion.of(armature)
    key = (shown, translations.language())

    def compute() -> RootMotionPlots:
        return dataclasses.replace(plots(shown), called=labels.action(armature, shown.action))

    return cache.answer("root plots", armature, key, compute, at_once=True)


def histograms(armature: Any) -> Histograms | None:
    """Of all measured actions; None when there are none."""
    known = root_motion.known(armature)
    if not known:
        return None
    key = (*known, translations.language())
    return cache.answer("root histograms", armature, key, lambda: histograms_of(known), at_once=True)


def plots(shown: Shown) -> RootMotionPlots:
    """The plots of an action."""
    motion, measured = shown.read.motion, shown.measured
    found, fps = measured.curves, motion.fps
    held, fastest = None, ""
    if measured.maximum_speed is not None:
        first, last = measured.maximum_span
        held = (first * fps, last * fps, measured.maximum_speed)
        fastest = translated("max {0} m/s", f"{measured.maximum_speed:.2f}")
    turned = f"{measured.total_turn * DEGREES:.0f}".replace("-", "\u2013")
    speed = RootPlot(
        kind="speed",
        title=translated("Speed"),
        note=fastest,
        unit="m/s",
        rate_unit="m/s²",
        frames=motion.speed.seconds * fps,
        raw=motion.speed.values,
        smooth=found.speed,
        rates=found.acceleration,
        ramps=tuple(_ramp(ramp, motion.speed, fps, shown.estimator, 1.0) for ramp in measured.speeds),
        held=held,
        by_hand=shown.own_speed,
        missing=translated(_missing(measured, "speed")),
        estimate=translated(ESTIMATES[shown.estimator]),
    )
    turn = RootPlot(
        kind="turn",
        title=translated("Facing"),
        note=translated("turns {0}° in all", turned),
        unit="°",
        rate_unit="°/s",
        frames=motion.facing.seconds * fps,
        raw=motion.facing.values * DEGREES,
        smooth=found.facing * DEGREES,
        rates=found.turn_rate * DEGREES,
        ramps=tuple(_ramp(ramp, motion.facing, fps, shown.estimator, DEGREES) for ramp in measured.turns),
        held=None,
        by_hand=shown.own_turn,
        missing=translated(_missing(measured, "turn")),
        estimate=speed.estimate,
    )
    return RootMotionPlots(shown.action, speed, turn)


def _missing(measured: Measured, kind: str) -> str:
    if kind == "speed":
        if not measured.travels:
            return "does not travel"
        return "" if measured.speeds else "no ramps: it keeps its speed"
    if not measured.turns_at_all:
        return "does not turn"
    return "" if measured.turns else "no turns"


def _ramp(ramp: Ramp, series: Series, fps: float, estimator: str, unit: float) -> RootRamp:
    """One ramp. unit: how many of the plot's units one of the series' is."""
    span = series.between(ramp.start, ramp.end)
    seconds = np.linspace(ramp.start, ramp.end, max(SPRING_POINTS, span.stop - span.start))
    samples = filters.window_samples(ramp.window, series.rate)
    slopes = filters.slopes(series.values, samples, series.rate)[span]
    value, bound = root_motion_values.bounded(ramp, estimator)
    return RootRamp(
        start=ramp.start * fps,
        end=ramp.end * fps,
        half_life=value,
        interval=root_motion_values.interval(ramp, estimator),
        bound=bound,
        remark=translated(short_remark(ramp)),
        change=ramp.change * unit,
        spring_frames=seconds * fps,
        spring=spring(ramp, series, estimator, seconds) * unit,
        rate_frames=series.seconds[span] * fps,
        rates=slopes * unit,
        peak_frame=ramp.peak * fps,
        peak_rate=ramp.peak_rate * unit,
    )


def spring(ramp: Ramp, series: Series, estimator: str, seconds: Array) -> Array:
    """The spring (n,) of an estimator's half-life at times (n,), in the series' unit.

    The closed form's leads from level to level, and is steepest where the samples are.
    """
    if estimator == root_motion_values.LEAST_SQUARES and ramp.fit is not None:
        return ramp.fit.at(seconds, series.mean_over)
    y = float(half_life.frequency(ramp.closed_form))
    return ramp.before + ramp.change * half_life.response(seconds - (ramp.peak - 1.0 / y), y)


def short_remark(ramp: Ramp) -> str:
    """What :func:`root_motion_values.remarks` says first, in a word or two."""
    if ramp.fit is None:
        return "few frames"
    if not ramp.is_spring:
        return "not a spring"
    if ramp.is_bound:
        return "cut off"
    if not ramp.resolved:
        return "too quick"
    return "" if ramp.agree else "uncertain"


def histograms_of(known: list[Shown]) -> Histograms:
    """How long the actions go so fast, and turn so fast."""
    speeds, turns = [], []
    for shown in known:
        motion, curves = shown.read.motion, shown.measured.curves
        speeds.append((curves.speed, 1.0 / motion.speed.rate))
        turns.append((np.abs(curves.turn_rate) * DEGREES, 1.0 / motion.facing.rate))
    return Histograms(
        len(known),
        sum(float(np.ptp(shown.read.motion.facing.seconds)) for shown in known),
        root_histogram.of(translated("Speed"), "m/s", speeds, MOVING),
        root_histogram.of(translated("Turn rate"), "°/s", turns, TURNING),
    )
