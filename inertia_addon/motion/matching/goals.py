# SPDX-License-Identifier: GPL-3.0-or-later
"""When a character is where on a line: the timing that leads it to goals in time, and has it wait.

Between goals the way rises with the time by the cubic of F. N. Fritsch and J. Butland (*A Method for
Constructing Local Monotone Piecewise Cubic Interpolants*, 1984): nobody goes back, and who waits stands.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from ...errors import InertiaError
from ...records import record
from ...settings.matching import Goal
from ..arrays import Array
from .targets import wrapped

NEAR = 1e-3
"""Places that are nearer to each other, in metres, are the same: who is there twice waits between."""
SETTING_OUT = 0.4
"""So many seconds more it takes to set out from where one waits."""
WITHIN = 0.5
"""Who waits is looked at about so often, in seconds."""
TURNING = 1.0
"""So many seconds before a goal with a facing one turns to it, and has turned back so many after it."""


@record(frozen=True)
class GoalGait:
    """How fast clips go, metres a second: usually, and when slow; 0 where none stands, so nobody can wait."""

    usual: float
    slow: float = 0.0


@record(frozen=True, eq=False)
class Timing:
    """Seconds (n,), metres along the line then (n,), and facing (n,), radians, None for where that goes."""

    seconds: Array
    places: Array
    facing: Array | None


def timing(
    goals: Sequence[Goal], line: Array, fps: float, gait: GoalGait, pace: float | None = None
) -> Timing:
    """Return when to be where on a line to be at each goal in time, a sample a frame from 0 s on.

    The last sample is the last frame before, or at, the arrival at the line's end. If the first goal is later
    than 0 s, the way starts at 0 m then. Where the time to the next goal is more than a slow gait needs, one
    first waits, then goes at the usual speed, see :func:`_schedule`. Between these moments places follow a
    monotone cubic, see :func:`monotone`, so that nobody goes back and the speed does not jump.

    Parameters
    ----------
    goals
        At least one, in any order. Facings are in degrees.
    line : (m, 2)
        Metres.
    fps
        Samples a second.
    gait
        The clips' usual and slow speed.
    pace
        Metres a second from the last goal on to the line's end; None or 0 for the mean speed up
        to there while one moves, or the usual speed if that mean is no more than the slow one.

    Returns
    -------
    Timing
        `seconds` (n,), `places` (n,), metres along the line, and `facing` (n,), radians, which
        is None if no goal has one. Else it is the line's direction where one is then, but for
        goals with a facing: one turns to it in the second before, keeps it while one waits
        there, and turns back in the second after.

    Raises
    ------
    InertiaError
        A goal is more than 0.001 m beyond the line's end, two goals are less than 0.001 s
        apart, or a later goal is more than 0.001 m further back along the line than an earlier
        one.
    """
    length = float(_way(line)[-1])
    ordered = sorted(goals, key=lambda goal: goal.seconds)
    _check(ordered, length)
    if ordered[0].seconds > 0.0:
        ordered.insert(0, Goal(0.0, 0.0))
    at, when = _schedule(ordered, gait)
    rest = length - float(at[-1])
    if rest > NEAR:
        moving = np.diff(at) > NEAR
        gone, took = float(np.diff(at)[moving].sum()), float(np.diff(when)[moving].sum())
        before = gone / took if moving.any() else 0.0
        # no clip goes on as slowly as one sets out
        before = before if before > gait.slow else gait.usual
        at = np.append(at, length)
        when = np.append(when, when[-1] + rest / (pace or before))
    seconds = np.arange(np.floor(when[-1] * fps + 1e-6) + 1) / fps
    places = monotone(when, at, seconds)
    turns = any(goal.facing is not None for goal in ordered)
    return Timing(
        seconds, places, _find_facing(ordered, seconds, directions(line, places)) if turns else None
    )


def _schedule(goals: Sequence[Goal], gait: GoalGait) -> tuple[Array, Array]:
    """Return the places (n,), metres, and times (n,), seconds, of the goals and of the moments at which one
    sets out late.

    goals: sorted by time, at least one. Such a moment, at the place of the goal before, is inserted if a slow
    gait would need less time for the way than there is. It leaves time for the way at the usual speed and 0.4
    s more. None is inserted if that is too much for the time there is, but for 0.001 s, or if the way is
    0.001 m or less; nor ever with a slow speed of 0.
    """
    waypoints = [(goals[0].at, goals[0].seconds)]
    for before, after in itertools.pairwise(goals):
        way, seconds = after.at - before.at, after.seconds - before.seconds
        needed = way / gait.usual + SETTING_OUT
        if NEAR < way < gait.slow * seconds and needed < seconds - NEAR:
            waypoints.append((before.at, after.seconds - needed))
        waypoints.append((after.at, after.seconds))
    at, when = np.array(waypoints).T
    return at, when


def _check(goals: Sequence[Goal], length: float) -> None:
    for goal in goals:
        if goal.at > length + NEAR:
            raise InertiaError(
                "A goal is {at:.2f} m along the path, which is {length:.2f} m long; move the goal back, or "
                "make the path longer.",
                at=goal.at,
                length=length,
            )
    for before, after in itertools.pairwise(goals):
        if after.seconds - before.seconds < NEAR:
            raise InertiaError("Two goals are at {seconds:.2f} s; remove one of them.", seconds=after.seconds)
        if after.at < before.at - NEAR:
            raise InertiaError(
                "The goal at {later:.2f} s is {back:.2f} m behind that at {sooner:.2f} s, and nobody goes "
                "back along the path; swap them.",
                later=after.seconds,
                back=before.at - after.at,
                sooner=before.seconds,
            )


def frames(goals: Sequence[Goal], fps: float) -> list[int]:
    """Return the frames on which to be at goals, sorted, without duplicates; seconds count from frame 0.

    goals: in any order. If a goal is at the same place as the one before, one waits, and frames in between,
    at most 0.5 s apart, are added.
    """
    ordered = sorted(goals, key=lambda goal: goal.seconds)
    chosen = {round(goal.seconds * fps) for goal in ordered}
    for before, after in itertools.pairwise(ordered):
        if after.at - before.at < NEAR:
            count = int((after.seconds - before.seconds) / WITHIN) + 2
            seconds = np.linspace(before.seconds, after.seconds, count)
            chosen.update(np.round(seconds * fps).astype(int).tolist())
    return sorted(chosen)


def monotone(x: Array, y: Array, at: Array) -> Array:
    """Return the values (m,) at places `at` (m,) of a cubic interpolation that rises with the data and never
    overshoots.

    x: rising (n,). y: values (n,), which do not fall; a rise of 0.001 or less counts as none. `at` lies
    between the first and last x. With a single value it is that everywhere.
    """
    if len(x) == 1:
        return np.full(len(at), y[0])
    gaps = np.diff(x)
    chords = np.where(np.diff(y) > NEAR, np.diff(y), 0.0) / gaps
    slopes = np.concatenate([chords[:1], np.zeros(len(x) - 2), chords[-1:]])
    for i in range(1, len(x) - 1):
        if chords[i - 1] > 0.0 and chords[i] > 0.0:
            weights = np.array([2.0 * gaps[i] + gaps[i - 1], gaps[i] + 2.0 * gaps[i - 1]])
            slopes[i] = weights.sum() / (weights / chords[i - 1 : i + 1]).sum()
    rows = np.clip(np.searchsorted(x, at, side="right") - 1, 0, len(gaps) - 1)
    s, gap = (at - x[rows]) / gaps[rows], gaps[rows]
    rise = s * s * (3.0 - 2.0 * s)
    ends = s * (1.0 - s) * ((1.0 - s) * slopes[rows] - s * slopes[rows + 1]) * gap
    return np.asarray(y[rows] + chords[rows] * gap * rise + ends)


def on_line(line: Array, places: Array) -> Array:
    """Return the points (n, 2) so many metres (n,) along a line (m, 2)."""
    way = _way(line)
    return np.column_stack([np.interp(places, way, line[:, i]) for i in range(2)])


def place_of(line: Array, point: Array) -> float:
    """Return how far along a line (m, 2), in metres, the point of it is that is nearest to a point (2,).

    Of several points that are as near it is the first.
    """
    way, along = _way(line), np.diff(line, axis=0)
    square = np.maximum((along**2).sum(axis=1), 1e-18)
    part = np.clip(((point - line[:-1]) * along).sum(axis=1) / square, 0.0, 1.0)
    away = np.linalg.norm(line[:-1] + part[:, None] * along - point, axis=1)
    nearest = int(np.argmin(away))
    return float(way[nearest] + part[nearest] * np.sqrt(square[nearest]))


def _way(line: Array) -> Array:
    return np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(line, axis=0), axis=1))])


def directions(line: Array, places: Array, apart: float = 0.1) -> Array:
    """Return the directions of a line at places along it.

    Parameters
    ----------
    line : (m, 2)
        Metres; its length is not 0.
    places : (n,)
        Metres along the line.
    apart
        The direction is that from so many metres behind the place to as many ahead, within
        the line.

    Returns
    -------
    Array (n,)
        Radians counter-clockwise from the x axis, without jumps.
    """
    length = float(_way(line)[-1])
    ahead = on_line(line, np.minimum(places + apart, length)) - on_line(line, np.maximum(places - apart, 0.0))
    return np.unwrap(np.arctan2(ahead[:, 1], ahead[:, 0]))


def _find_facing(goals: Sequence[Goal], seconds: Array, along: Array) -> Array:
    """Return the facing (n,), radians, at times (n,), seconds: the line's direction, except around goals with
    a facing.

    goals: sorted by time, facings in degrees from the x axis. along: (n,), the line's direction, without
    jumps; it is not changed. One turns to a goal's facing in the second before it, keeps it while one waits
    there, and turns back in the second after. A wait lasts until the last of the goals that follow within
    0.001 m of it, and have no facing of their own. The turn is a smoothstep of time; it goes by the shorter
    way from the line's direction at the time nearest to the goal's. Where the seconds around several goals
    overlap, each is blended onto what the goals before have left. The result is not wrapped.
    """
    facing = along.copy()
    for i, goal in enumerate(goals):
        if goal.facing is None:
            continue
        last = goal.seconds
        for later in goals[i + 1 :]:
            # who waits faces there as long as nothing else is said
            if later.at - goal.at > NEAR or later.facing is not None:
                break
            last = later.seconds
        away = np.maximum(np.maximum(goal.seconds - seconds, seconds - last), 0.0) / TURNING
        left = np.clip(1.0 - away, 0.0, 1.0)
        ahead = along[int(np.argmin(np.abs(seconds - goal.seconds)))]
        aside = wrapped(np.radians(goal.facing) - ahead)
        weight = left * left * (3.0 - 2.0 * left)
        facing += weight * (ahead + aside - facing)
    return facing
