# SPDX-License-Identifier: GPL-3.0-or-later
"""The root motion of an armature's actions: which root, which way is forward, what is measured, as values.

In values for files, the clipboard and tables, angles are in degrees.
"""

from __future__ import annotations

import csv
import dataclasses
import io
import math
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from ... import escapes
from ...errors import InertiaError, Sentence
from ...motion.arrays import Array
from ...motion.root_motion import half_life as springs
from ...motion.root_motion import measure as root_motion
from ...motion.root_motion import modes
from ...motion.root_motion.filters import DEGREE
from ...motion.root_motion.half_life import CONFIDENCE
from ...motion.root_motion.measure import Measured, RootMotion
from ...motion.root_motion.modes import ClipModes
from ...motion.root_motion.ramps import AGREE, Ramp, Series
from ...motion.steps import Steps
from ...records import record
from ...settings.root_motion import Settings
from ..data import roots
from ..data.actions import Clip
from ..evaluation import facing, joint_motion
from ..evaluation.character import Character

REST, TRAVEL = "REST", "TRAVEL"
OWN_AXES = {
    "X": (1.0, 0.0, 0.0),
    "-X": (-1.0, 0.0, 0.0),
    "Y": (0.0, 1.0, 0.0),
    "-Y": (0.0, -1.0, 0.0),
    "Z": (0.0, 0.0, 1.0),
    "-Z": (0.0, 0.0, -1.0),
}
AXES = (REST, TRAVEL, *OWN_AXES)
"""How the forward axis is found: from the rest pose, from the direction of travel, or named."""

CLOSED_FORM, LEAST_SQUARES = "CLOSED_FORM", "LEAST_SQUARES"
ESTIMATORS = (LEAST_SQUARES, CLOSED_FORM)

UNITS = {"speed": "m/s", "turn": "degrees"}
KINDS = tuple(UNITS)

NOT_A_SPRING = "not a spring: it explains {explained:.0%} of the variance"

COLUMNS = (
    *(
        "action",
        "kind",
        "mode",
        "start_frame",
        "end_frame",
        "before",
        "after",
        "begin_rate",
        "peak_rate",
        "peak_frame",
    ),
    *("closed_form_seconds", "least_squares_seconds", "low_seconds", "high_seconds"),
    *("residual", "explained", "verdict"),
)
"""Of the table: a row for each ramp. Rates are per second."""


@record(frozen=True)
class Query:
    """Which root is read, and which way it faces.

    bone: a bone or OBJECT_ROOT, "" to find it. axis: one of AXES. Raises InertiaError for another one.
    """

    bone: str = ""
    axis: str = REST

    def __post_init__(self) -> None:
        if self.axis not in AXES:
            raise InertiaError(
                "The forward axis is {axis!r}; choose one of {axes}.", axis=self.axis, axes=", ".join(AXES)
            )


@record(frozen=True, eq=False)
class ActionRootMotion:
    """An action's root motion.

    action: its name. root: what was read. still: metres, see Settings. run_speed: from which on a character
    of this size runs, m/s.
    """

    action: str
    root: str
    motion: RootMotion
    still: float
    run_speed: float = 2.0


def read_motion_steps(character: Character, clip: Clip, query: Query) -> Steps[ActionRootMotion]:
    """Return a clip's root motion on its whole frames as an :class:`ActionRootMotion`; yields the part that
    is done, 0 to 1.

    It has the ``action``'s name, the name of the ``root`` that was read, the ``motion``, a
    :class:`RootMotion`, from how many metres on that counts as travelling (``still``, a fifth of the
    character's size), and from which speed on, m/s, a character of this size runs (``run_speed``). Of very
    long clips only every second, third and so on frame is looked at.

    query: the root, or "" to find it, and which of its axes faces forward, see :func:`forward_axis`. Raise
    InertiaError for a bone that does not exist, an armature in Edit Mode or at no finite place, keys that are
    not finite, and where Blender has to play the rig and would not. Whenever it yields, returns or raises,
    the file is as it was.
    """
    skeleton = character.rig
    root = roots.find_root(skeleton, [clip], query.bone)
    motion = yield from joint_motion.whole(character, clip, root)
    forward = forward_axis(character, root, motion, query.axis)
    read = root_motion.read(
        motion.frames, motion.root_position, motion.root_rotation, forward, character.fps, motion.teleports
    )
    size = skeleton.size * character.metres
    return ActionRootMotion(clip.action.name, root.name, read, roots.TRAVEL * size, modes.run_speed_of(size))


def forward_axis(
    character: Character, root: roots.Root, motion: joint_motion.JointMotion, axis: str
) -> Array:
    """Return the axis of the root's own space (3,) that faces forward: a unit vector, or zero where the rest
    pose is asked and tells nothing.

    axis: REST for where the rest pose faces, TRAVEL for the direction of travel in the motion (REST without
    any), or an axis such as "-Y"; anything else counts as REST. Raise InertiaError for an armature at no
    finite place and KeyError for a bone that does not exist, if the rest pose is asked.
    """
    if axis in OWN_AXES:
        return np.array(OWN_AXES[axis])
    if axis == TRAVEL:
        travelled = root_motion.forward_of_travel(motion.root_position, motion.root_rotation)
        if travelled is not None:
            return travelled
    return facing.rest_axis(character, root)


def measure(read: ActionRootMotion, settings: Settings, **ranges: Any) -> Measured:
    """Measure what was read; ranges: see :func:`root_motion.measure`."""
    settings = dataclasses.replace(settings, least_travel=max(settings.least_travel, read.still))
    return root_motion.measure(read.motion, settings, **ranges)


def clip_modes(read: ActionRootMotion, measured: Measured, settings: Settings) -> ClipModes:
    """Return in which modes a clip that was measured moves."""
    run_speed = settings.run_speed or read.run_speed
    return modes.find_modes(read.motion, measured, settings.sustained_seconds, run_speed)


def values(read: ActionRootMotion, measured: Measured, settings: Settings, query: Query) -> dict[str, Any]:
    """Return all that was measured of an action, as JSON values. Frames are scene frames, lengths metres,
    angles degrees, and rates those a second; "maximum_speed_frames" is None where it does not travel.
    """
    motion, found = read.motion, clip_modes(read, measured, settings)
    span = [round(second * motion.fps, 3) for second in measured.maximum_span]
    return {
        "action": read.action,
        "root": read.root,
        "forward": query.axis,
        "fps": motion.fps,
        "frames": [float(motion.frames[0]), float(motion.frames[-1])],
        "travels": measured.travels,
        "turns": measured.turns_at_all,
        "maximum_speed": measured.maximum_speed,
        "maximum_speed_frames": span if measured.travels else None,
        "sustained_seconds": settings.sustained_seconds,
        "peak_acceleration": measured.peak_acceleration,
        "peak_turn_rate": _degrees(measured.peak_turn_rate),
        "total_turn": _degrees(measured.total_turn),
        "smoothing_seconds": settings.smoothing_seconds,
        "filter": f"Savitzky-Golay, degree {DEGREE}",
        "sway": _degrees(measured.curves.sway),
        "jumps_replaced": list(motion.jumps),
        "run_speed": settings.run_speed or read.run_speed,
        "speed_ramps": [
            {"mode": mode, **ramp_values(ramp, motion.fps)}
            for mode, ramp in zip(found.speeds, measured.speeds, strict=True)
        ],
        "turn_ramps": [
            {"mode": mode, **ramp_values(ramp, motion.fps, degrees=True)}
            for mode, ramp in zip(found.turns, measured.turns, strict=True)
        ],
    }


def ramp_values(ramp: Ramp, fps: float, *, degrees: bool = False) -> dict[str, Any]:
    """Return a ramp as JSON values. Without bounds, an interval's ends are null, and without a fit all that
    it says. degrees: whether the ramp's values, in radians, are given in degrees.
    """
    unit = 180.0 / math.pi if degrees else 1.0
    fit = ramp.fit
    return {
        "start_frame": round(ramp.start * fps, 3),
        "end_frame": round(ramp.end * fps, 3),
        "before": ramp.before * unit,
        "after": ramp.after * unit,
        "begin_rate": fit.rate * unit if fit else None,
        "peak_rate": ramp.peak_rate * unit,
        "peak_frame": round(ramp.peak * fps, 3),
        "peak_window_seconds": ramp.window,
        "closed_form_seconds": ramp.closed_form,
        "least_squares_seconds": fit.half_life if fit else None,
        "low_seconds": fit.low if fit and fit.low > 0.0 else None,
        "high_seconds": fit.high if fit and math.isfinite(fit.high) else None,
        "confidence": CONFIDENCE,
        "residual": fit.residual * unit if fit else None,
        "strides": fit.strides * unit if fit else None,
        "explained": ramp.explained if fit else None,
        "is_spring": ramp.is_spring,
        "is_other": ramp.is_other,
        "begins_before": ramp.begins_before,
        "ends_after": ramp.ends_after,
        "resolved": ramp.resolved,
        "agree": ramp.agree,
        "verdict": "; ".join(remarks(ramp)),
    }


def remarks(ramp: Ramp) -> Iterator[Sentence]:
    """Yield what to know before a ramp's half-lives are used, each a phrase without full stop, in this order;
    nothing for a good fit.

    "too few frames" if there is no fit, else "not a spring", with the share of the variance that it explains,
    if it is none (``is_spring``). Then, that the ramp began before the clip or goes on after it, so that the
    half-life is at least this (``is_bound``); and that it is too quick for the frame rate, so that it is at
    most this (not ``resolved``). Of a spring only: that its interval has no upper end, with the lower one in
    seconds, and that the two estimates differ by more than 25 % of the larger (not ``agree``).
    """
    if ramp.fit is None:
        yield Sentence("too few frames for a least squares fit")
    elif not ramp.is_spring:
        yield Sentence(NOT_A_SPRING, explained=max(ramp.explained, 0.0))
    if ramp.is_bound:
        where = {
            (True, True): "began before and ends after the clip",
            (True, False): "began before the clip",
            (False, True): "goes on after the clip",
        }[ramp.begins_before, ramp.ends_after]
        yield Sentence("{where}: the half-life is at least this", where=where)
    if not ramp.resolved:
        yield Sentence("quicker than the frame rate can tell: the half-life is at most this")
    if ramp.is_spring and ramp.fit is not None and math.isinf(ramp.fit.high):
        yield Sentence("so straight that only a bound is certain: at least {least:.3g} s", least=ramp.fit.low)
    if ramp.is_spring and not ramp.agree:
        yield Sentence("the two estimates differ by more than {share:.0%}", share=AGREE)


def half_life(ramp: Ramp, estimator: str) -> float:
    """Return a ramp's half-life by an estimator, seconds; the closed form where there is no fit."""
    if estimator == LEAST_SQUARES and ramp.fit is not None:
        return ramp.fit.half_life
    return ramp.closed_form


def evaluate_spring(ramp: Ramp, series: Series, estimator: str, seconds: Array) -> Array:
    """Return the spring (n,) of an estimator's half-life at times (n,), in the series' unit.

    estimator: LEAST_SQUARES takes the ramp's fit, if it has one, with the series' mean_over. Any other, or a
    ramp without a fit, takes the closed form's spring, which leads from the level before to the level after
    and is steepest at the ramp's peak. seconds: since the clip's beginning.
    """
    if estimator == LEAST_SQUARES and ramp.fit is not None:
        return ramp.fit.at(seconds, series.mean_over)
    y = float(springs.frequency(ramp.closed_form))
    return ramp.before + ramp.change * springs.response(seconds - (ramp.peak - 1.0 / y), y)


def bounded(ramp: Ramp, estimator: str) -> tuple[float, str]:
    """Return a ramp's half-life, seconds, and whether it is one ("=") or a bound: at least (">"), at most
    ("<"), any ("?").

    For LEAST_SQUARES with a fit whose interval is open: the lower end and ">" if only that is known, the
    upper end and "<" if only that is, the fit's half-life and "?" without any. Else it is the half-life of
    the estimator, or of the closed form where there is no fit. It is ">" if the clip cuts off a part of the
    ramp that the estimator needs, else "<" if the ramp is too quick for the frame rate (not ``resolved``),
    else "=".
    """
    value = half_life(ramp, estimator)
    fit = ramp.fit if estimator == LEAST_SQUARES else None
    if fit is not None and not math.isfinite(fit.high):
        return (fit.low, ">") if fit.low > 0.0 else (value, "?")
    if fit is not None and fit.low <= 0.0:
        return fit.high, "<"
    if ramp.is_bound or (estimator == CLOSED_FORM and ramp.is_closed_form_bound):
        return value, ">"
    return value, "<" if not ramp.resolved else "="


def interval(ramp: Ramp, estimator: str) -> tuple[float, float] | None:
    """Return where the half-life lies (low, high), seconds; None for the closed form, without a fit, or if
    the samples set less than two ends.
    """
    fit = ramp.fit if estimator == LEAST_SQUARES else None
    if fit is None or fit.low <= 0.0 or not math.isfinite(fit.high):
        return None
    return fit.low, fit.high


def best_guess(ramp: Ramp, estimator: str) -> float:
    """Return a half-life to go on with, seconds: the estimator's, or the closed form where a fit says
    little.
    """
    if interval(ramp, estimator) is not None and ramp.is_spring:
        return half_life(ramp, estimator)
    return ramp.closed_form


def as_csv(actions: Iterable[dict[str, Any]]) -> str:
    """Return the ramps of actions as comma-separated values with a heading, COLUMNS: for each action a row
    for each of its ``speed_ramps``, then for each of its ``turn_ramps``.

    actions: each as :func:`values` returns it. "action" is the action's name, "kind" is "speed" or "turn";
    all other columns are the ramp's values of the same keys. KeyError where one of them is missing. Numbers
    have at most six significant digits; speeds are in m/s, turns in degrees, rates are a second. A cell is
    empty for None. A text that a spreadsheet would take for a formula gets an apostrophe before it. Each line
    ends with a line feed.
    """
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(COLUMNS)
    for action in actions:
        for kind in KINDS:
            for ramp in action[f"{kind}_ramps"]:
                cells = {**ramp, "action": action["action"], "kind": kind}
                table.writerow([_cell(cells[name]) for name in COLUMNS])
    return text.getvalue()


def _cell(value: float | str | None) -> str:
    if value is None:
        return ""
    return escapes.cell(value) if isinstance(value, str) else f"{value:.6g}"


def _degrees(angle: float | None) -> float | None:
    return None if angle is None else float(np.degrees(angle))
