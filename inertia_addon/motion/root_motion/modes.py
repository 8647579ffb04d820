# SPDX-License-Identifier: GPL-3.0-or-later
"""The modes in which a character moves, running, walking, strafing and backing up, and what each takes.

Games give each mode three numbers: its top speed, and the half-lives of the springs that lead the velocity
and the facing (D. Holden, "Fitting Code Driven Displacement", 2021). Which mode it is follows from the
direction of travel, seen from the body: the quarter ahead, behind, or to either side. Ahead it is a walk or a
run, by its speed. Turns of a character that hardly travels are those of one that stands.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import numpy as np

from ...records import record
from ..arrays import Array
from . import filters
from .measure import Measured, RootMotion
from .ramps import Ramp

RUN, WALK, STRAFE, BACK, STAND = "run", "walk", "strafe", "back", "stand"
NAMES = (RUN, WALK, STRAFE, BACK, STAND)
"""In the order of tables."""
QUARTER = math.radians(45.0)
"""Travel within this angle of the facing leads ahead, within this of its opposite it leads back."""
STANDS = 0.2
"""Below this part of the speed from which on a character runs it stands."""
FAST = 0.5
"""The direction of a ramp is that where it has at least this part of its faster level."""
STEADY = 0.9
"""A walk before a run has a top speed of its own where it stays above this part of its highest one."""
FROUDE, GRAVITY = 0.5, 9.81
"""Walkers begin to run where v^2 / (g leg) is about this (R. M. Alexander, "Optimization and Gaits in the
Locomotion of Vertebrates", 1989). g: m/s^2."""
LEG = 0.38
"""A leg is about this part of a character's size, the diagonal of its box at rest."""


@record(frozen=True)
class ClipModes:
    """The modes of one clip.

    speeds, turns: one of NAMES for each ramp of the speed, and for each turn, in their order. tops: the
    highest sustained speed in each mode that occurs, m/s.
    """

    speeds: tuple[str, ...]
    turns: tuple[str, ...]
    tops: Mapping[str, float]


@record(frozen=True)
class HalfLives:
    """Half-lives of ramps, seconds. count: of how many. middle: their median. low, high: the extremes."""

    count: int
    middle: float
    low: float
    high: float


@record(frozen=True)
class Mode:
    """What one mode takes, over a set of clips.

    name: one of NAMES. top_speed: m/s, None where no clip holds a speed in it. speeds: of all ramps of the
    speed; starts, stops: of those that only gain, or only lose speed; turns: of the turns. Each is None where
    there is no whole ramp that a spring moves like.
    """

    name: str
    top_speed: float | None
    speeds: HalfLives | None
    starts: HalfLives | None
    stops: HalfLives | None
    turns: HalfLives | None


def run_speed_of(size: float) -> float:
    """Return from which speed on, m/s, a character of a size, metres, runs."""
    return math.sqrt(FROUDE * GRAVITY * LEG * size)


def find_modes(motion: RootMotion, measured: Measured, held_seconds: float, run_speed: float) -> ClipModes:
    """Return the modes of a clip's ramps and turns, and how fast it goes in each mode.

    Parameters
    ----------
    motion
        The clip's root motion.
    measured
        What it was measured to be.
    held_seconds
        For how long a speed must be held to count as a top speed.
    run_speed
        The speed, m/s, from which on travel ahead is a run.

    Returns
    -------
    ClipModes
        Speeds and turns in the order of the measured ones; tops by mode, the highest that is
        held in any stretch, m/s, without sign; no tops for a clip that does not travel.
    """
    tops: dict[str, float] = {}
    if measured.travels:
        for name, speed in _tops(motion, measured.curves.speed, held_seconds, run_speed):
            tops[name] = max(tops.get(name, 0.0), speed)
    return ClipModes(
        speeds=tuple(mode_of_ramp(motion, ramp, run_speed) for ramp in measured.speeds),
        turns=tuple(mode_of_turn(motion, ramp, run_speed) for ramp in measured.turns),
        tops=tops,
    )


def mode_of_ramp(motion: RootMotion, ramp: Ramp, run_speed: float) -> str:
    """Return the mode, one of NAMES but STAND, of a ramp of the speed.

    It is the mode at the ramp's faster level by size, or at its last one if the root turns back. The
    direction is the mean bearing over the samples from ramp.start to ramp.end, both included, that go the
    same way as that level and are at least half of it; they count by their speed. If there are none, all
    samples count. Travel within 45 degrees of the facing is a run if the level's size is at least run_speed,
    m/s, else a walk; within 45 degrees of its opposite it is BACK, else STRAFE. Without bearings all is
    ahead.
    """
    turns_back = ramp.before * ramp.after < 0.0
    level = ramp.after if turns_back or abs(ramp.after) >= abs(ramp.before) else ramp.before
    span = motion.speed.between(ramp.start, ramp.end)
    weights = motion.speed.values[span] * math.copysign(1.0, level)
    fast = np.where(weights >= FAST * abs(level), weights, 0.0)
    way = _direction(motion, span, fast if fast.any() else np.abs(weights))
    return _name_mode(way, abs(level), run_speed)


def mode_of_turn(motion: RootMotion, turn: Ramp, run_speed: float) -> str:
    """Return the mode, one of NAMES, of a turn: by the direction and mean speed of travel during it.

    The samples of the speed from turn.start to turn.end, both included, count as they are, without sign.
    Below 0.2 of run_speed, as a mean, and without samples, the character stands (STAND). The direction is
    their mean bearing, weighted by speed: within 45 degrees of the facing it is a run if the mean speed is at
    least run_speed, m/s, else a walk; within 45 degrees of its opposite BACK, else STRAFE. Without bearings
    all is ahead.
    """
    span = motion.speed.between(turn.start, turn.end)
    speeds = np.abs(motion.speed.values[span])
    level = float(speeds.mean()) if len(speeds) else 0.0
    if level < STANDS * run_speed:
        return STAND
    return _name_mode(_direction(motion, span, speeds), level, run_speed)


def gather(
    clips: Iterable[tuple[Measured, ClipModes]], half_life: Callable[[Ramp], float]
) -> tuple[Mode, ...]:
    """Return what each mode takes over a set of clips, in the order of NAMES.

    clips: the measures and the modes of each. half_life: a function that gives the half-life of a ramp,
    seconds. It is asked only for ramps that a spring explains, that were recorded as a whole, densely enough,
    and whose fit has an upper bound.

    Each mode has its `name` and `top_speed`, the highest of all clips, None where no clip has one. `speeds`,
    `starts`, `stops` and `turns` are each the HalfLives of such ramps, with count, median (`middle`), `low`
    and `high`, or None where there are none. `starts` are those of `speeds` whose size gains, `stops` those
    whose size falls; where a root turns back a ramp is neither. A mode without a top speed and without any
    such ramp or turn is left out, even if it occurs. Raise ValueError if a clip does not have as many modes
    as ramps or turns.
    """
    tops: dict[str, float] = {}
    speeds: list[tuple[str, Ramp]] = []
    turns: list[tuple[str, Ramp]] = []
    for measured, found in clips:
        for name, speed in found.tops.items():
            tops[name] = max(tops.get(name, 0.0), speed)
        speeds += zip(found.speeds, measured.speeds, strict=True)
        turns += zip(found.turns, measured.turns, strict=True)

    def among(ramps: Sequence[tuple[str, Ramp]], name: str, gains: float = 0.0) -> HalfLives | None:
        chosen = [ramp for mode, ramp in ramps if mode == name and _is_whole(ramp)]
        if gains:
            chosen = [ramp for ramp in chosen if gains * _gain(ramp) > 0.0]
        return _spread([half_life(ramp) for ramp in chosen])

    found_modes = (
        Mode(
            name=name,
            top_speed=tops.get(name),
            speeds=among(speeds, name),
            starts=among(speeds, name, 1.0),
            stops=among(speeds, name, -1.0),
            turns=among(turns, name),
        )
        for name in NAMES
    )
    return tuple(mode for mode in found_modes if mode.top_speed or mode.speeds or mode.turns)


def _is_whole(ramp: Ramp) -> bool:
    """Return whether a spring moves like a ramp, all of which was recorded, densely enough to tell which."""
    fit = ramp.fit
    return (
        fit is not None and ramp.is_spring and not ramp.is_bound and ramp.resolved and math.isfinite(fit.high)
    )


def _gain(ramp: Ramp) -> float:
    """Return by how much a ramp gains speed, whichever way it goes; 0 where it turns back."""
    return abs(ramp.after) - abs(ramp.before) if ramp.before * ramp.after >= 0.0 else 0.0


def _spread(seconds: Sequence[float]) -> HalfLives | None:
    """Return what half-lives have in common; None without any."""
    if not seconds:
        return None
    return HalfLives(len(seconds), float(np.median(seconds)), min(seconds), max(seconds))


def _direction(motion: RootMotion, span: slice, weights: Array) -> str:
    """Return which way some samples lead on average: WALK for ahead, STRAFE, or BACK. weights: (n,)."""
    if motion.bearings is None:
        return WALK
    return _name_direction(np.sum(weights * np.exp(1j * motion.bearings[span])))


def _name_direction(along: complex) -> str:
    """Return which way a direction leads, given as a complex number whose angle is its bearing."""
    angle = abs(float(np.angle(along)))
    return WALK if angle <= QUARTER else BACK if angle >= math.pi - QUARTER else STRAFE


def _name_mode(direction: str, speed: float, run_speed: float) -> str:
    """Return the mode of a character that goes in a direction at a speed."""
    return RUN if direction == WALK and speed >= run_speed else direction


def _tops(
    motion: RootMotion, smooth: Array, held_seconds: float, run_speed: float
) -> Iterator[tuple[str, float]]:
    """Yield (mode, speed) for each stretch in which a clip travels one way, in order; a mode may come several
    times.

    The speed, m/s, without sign, is the highest that is held for held_seconds. Stretches are those of
    :func:`_stretches` at 0.2 of run_speed or more; shorter ones than held_seconds are left out, unless the
    clip itself is shorter. If a stretch is a run, and is anywhere slower than run_speed for held_seconds
    while its lowest speed stays at 0.9 of its highest or more, (WALK, speed) with the highest such speed
    follows.

    smooth: (n,), the smoothed speed, m/s, signed. run_speed: from which on travel ahead is a run.
    """
    speed = np.abs(smooth)
    count = min(max(round(held_seconds * motion.speed.rate), 1), len(speed))
    for way, frames in _stretches(motion, speed, STANDS * run_speed):
        if frames.stop - frames.start < count:
            continue
        windows = np.lib.stride_tricks.sliding_window_view(speed[frames], count)
        least, most = windows.min(axis=1), windows.max(axis=1)
        top = float(least.max())
        mode = _name_mode(way, top, run_speed)
        yield mode, top
        steady = least[(most < run_speed) & (least >= STEADY * most)]
        if mode == RUN and len(steady):
            yield WALK, float(steady.max())


def _stretches(motion: RootMotion, speed: Array, least: float) -> Iterator[tuple[str, slice]]:
    """Yield (way, slice of samples) for each stretch in which a clip travels one way, in order.

    The way is WALK within 45 degrees of the facing, BACK within 45 degrees of its opposite, and STRAFE else,
    by the bearing smoothed over 0.5 s, weighted by the raw speed. Without bearings all is WALK. A stretch
    ends where the way changes, or where the root stands.

    speed: (n,), smoothed, without sign. least: samples that are slower stand, and are in no stretch.
    """
    ways = np.full(len(speed), WALK, dtype="<U6")
    if motion.bearings is not None:
        samples = filters.window_samples(0.5, motion.speed.rate)
        weights = np.abs(motion.speed.values)
        parts = np.column_stack([weights * np.cos(motion.bearings), weights * np.sin(motion.bearings)])
        x, y = filters.smoothed(parts, samples, 0).T
        ways = np.array([_name_direction(each) for each in x + 1j * y], dtype="<U6")
    ways[speed < least] = STAND
    first = 0
    for way, group in itertools.groupby(ways.tolist()):
        last = first + len(list(group))
        if way != STAND:
            yield way, slice(first, last)
        first = last
