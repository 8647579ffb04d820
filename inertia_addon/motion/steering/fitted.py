# SPDX-License-Identifier: GPL-3.0-or-later
"""How a set of clips is moved: the springs that its speeds and turns follow, and the speeds that it has.

Springs are those that :mod:`root_motion` fits to each clip's root; what is steered changes its speed and its
facing by them, so that it asks of the clips what these do.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from ...records import record
from ...settings.root_motion import Settings
from ..arrays import Array
from ..matching import coverage
from ..matching.database import Database
from ..root_motion import filters, half_life, measure
from ..root_motion.ramps import Ramp, Series
from ..steps import Steps, finish, part

USUAL = 0.27
"""The half-life, in seconds, of a set in which no speed changes."""
WHOLE, LEAST_TURN = 0.4, 40.0
"""Only what changes the speed by so much of the highest, or turns by so many degrees, is no mere stride."""
SHORTEST, LONGEST = 0.15, 0.6
"""No half-life is shorter or longer: what is steered has to answer."""
KEPT = 4
"""For so many databases it is kept how they are moved."""
QUARTER = math.pi / 2.0
"""Without a turn that says how it is led, a quarter turn is as quick at most as the clips are."""


@record(frozen=True)
class FittedGait:
    """How a set is moved.

    speed_seconds, turn_seconds: half-lives of velocities and facings. speeds: the ranges that clips have,
    metres a second, slow ones first."""

    speed_seconds: float
    turn_seconds: float
    speeds: tuple[tuple[float, float], ...]

    def attainable(self, velocity: Array) -> Array:
        """Return the wished velocity (2,), metres a second, with its speed changed to the nearest that the
        clips have.

        The direction stays. A speed within one of `speeds` stays, too; else it is changed to the nearest end
        of a range, of two equally near ones to that of the slower range. A zero velocity is returned as zero,
        even if no clip stands. The result is a new array. Raise ValueError if `speeds` is empty and the
        velocity is not zero.
        """
        speed = float(np.linalg.norm(velocity))
        if speed == 0.0:
            # nobody can say which way to go on
            return np.zeros(2)
        near = min((min(max(speed, low), high) for low, high in self.speeds), key=lambda v: abs(v - speed))
        return np.asarray(velocity * (near / speed))

    @property
    def top(self) -> float:
        """The highest speed, metres a second."""
        return self.speeds[-1][1]


_kept: dict[Database, FittedGait] = {}


def gait_of(database: Database) -> FittedGait:
    """Return how the clips of a database are moved; mirror images and bends add nothing new."""
    return finish(steps(database))


def steps(database: Database) -> Steps[FittedGait]:
    """Find how the clips of a database are moved; yield progress from 0 to 1 and return a FittedGait.

    `speed_seconds` and `turn_seconds` are half-lives: medians (the lower of two middle ones) of the ramps of
    speed and the turns that a spring explains and that were recorded as a whole, kept between 0.15 and 0.6 s
    and rounded to 0.001. Only ramps by 0.4 of the highest speed and turns by 40 degrees count. Without any,
    that of speeds is 0.27 s, and that of turns is that of a quarter turn whose peak rate is the 95th
    percentile of all turning rates, or 0.6 s where nothing turns.

    `speeds` are the ranges of speeds that the clips have, (low, high) in metres a second, slow ones first,
    cut at the highest speed that a clip holds. At least the slowest range is kept. Mirror images and bends
    count only for these ranges and the turning rates.

    The result is cached by the database's identity; of more than four the one found first is dropped. A
    cached result is returned without progress.
    """
    if database not in _kept:
        _kept[database] = yield from _fit_steps(database)
        while len(_kept) > KEPT:
            del _kept[next(iter(_kept))]
    return _kept[database]


def _fit_steps(database: Database) -> Steps[FittedGait]:
    had = coverage.speeds_of(database)
    settings = Settings(least_speed_change=WHOLE * had[-1][1], least_turn=LEAST_TURN)
    pairs = zip(database.sources, database.slices, strict=True)
    parts = [frames for source, frames in pairs if not (source.mirrored or source.bend)]
    seen = []
    for i, frames in enumerate(parts):
        motion = _measure_root(database, frames)
        seen.append((yield from part(measure.steps(motion, settings), i / len(parts), (i + 1) / len(parts))))
    top = max((each.maximum_speed or 0.0 for each in seen), default=0.0)
    # what is held for a moment only is no speed to be asked for
    kept = tuple((low, min(high, max(top, low))) for low, high in had if low <= top) or had[:1]
    speed = _usual((ramp for each in seen for ramp in each.speeds), USUAL)
    rates = np.abs(database.rates(np.arange(database.frames))[1])
    quickest = float(np.quantile(rates, 0.95))
    slow = half_life.from_peak(QUARTER, quickest) if quickest > 0.0 else LONGEST
    turn = _usual((ramp for each in seen for ramp in each.turns), slow)
    return FittedGait(speed, turn, kept)


def _measure_root(database: Database, frames: slice) -> measure.RootMotion:
    """Return the root motion of some flat frames of the database, as :class:`RootMotion`, without bearings.

    frames: a slice with at least two frames, n of them. The result has:

    `frames`, 0 to n - 1, and `fps`, the database's. `speed`, a :class:`Series` of n - 1 samples, metres a
    second, in the middle between two frames: the step along the line of travel there, negative from where the
    root turns back on; the line is that of steps smoothed by lines in windows of 0.25 s. `facing`, a Series
    of n: the database's heading, radians, as it is. `furthest`, the greatest distance from the first place,
    metres. `jumps`, the indices within the slice of frames that jumped; places are those with these replaced.
    Seconds count from 0 at the slice's beginning, as frames do.
    """
    fps = database.fps
    ground, jumps = filters.without_jumps(database.ground[frames])
    steps = np.diff(ground, axis=0) * fps
    ahead = filters.smoothed(steps, filters.window_samples(measure.DIRECTION_SECONDS, fps), 1)
    along = measure.lines_of_travel(ahead, fps)
    seconds = np.arange(len(ground)) / fps
    speed = Series(0.5 * (seconds[1:] + seconds[:-1]), np.sum(steps * along, axis=1), 1.0 / fps)
    facing = Series(seconds, database.heading[frames])
    away = float(np.linalg.norm(ground - ground[0], axis=1).max())
    return measure.RootMotion(fps, seconds * fps, speed, facing, away, jumps)


def _usual(ramps: Iterable[Ramp], otherwise: float) -> float:
    """Return the half-life of ramps, within the limits: the median of those that are whole and led by a
    spring; `otherwise` where there are none.
    """
    half_lives = sorted(
        ramp.fit.half_life
        for ramp in ramps
        if ramp.is_spring and not ramp.is_bound and ramp.resolved and ramp.fit is not None
    )
    usual = half_lives[(len(half_lives) - 1) // 2] if half_lives else otherwise
    return round(min(max(usual, SHORTEST), LONGEST), 3)
