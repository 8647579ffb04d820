# SPDX-License-Identifier: GPL-3.0-or-later
"""How fast a character's root goes over the ground and turns, and the springs that would move it so.

The world's floor is the plane z = 0. Speeds are those along the smoothed direction of travel, so that noise
does not add to them. Who turns back without standing goes on along the same line, at a speed that goes
through zero and is negative from there on, as one spring would move it. The facing is that of the root's
forward axis as seen from above, counter-clockwise positive, and goes on beyond half a turn.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence

import numpy as np

from ...records import record
from ...settings.root_motion import Settings
from .. import quaternion
from ..arrays import Array, ArrayLike, Flags, runs
from ..pops.teleports import Teleport, parts_of
from ..skeleton import character_space
from ..steps import Steps, finish, part
from . import filters, ramps
from .ramps import Ramp, Series

Span = tuple[float, float]

FRONT = np.array([0.0, -1.0, 0.0])
"""Where facing is zero: Blender's front."""
DIRECTION_SECONDS = 0.25
"""The window over which the direction of travel is taken."""
MOST_JOINED = 6
"""Strides divide a ramp into no more than so many that are joined again."""
LEAST_SPAN = 5
"""Fewer frames have no ramps."""
LEVEL = 0.2
"""A forward axis whose horizontal part gets shorter than this says little: the heading takes its place."""
TRAVELLING = 0.3
"""The direction of travel counts where the speed is at least this part of the highest."""
NEAR_SECONDS, LEAST_MOVING = 0.5, 0.1
"""Who turns back is slower than TRAVELLING of the highest speed within so long; slower than this part of the
highest of all, who goes nowhere sways."""
TURNED_BACK = -0.5
"""Who turns back goes, behind it, where the cosine of the angle to the direction before is this at most,
..."""
STANDING_SECONDS = 1.0
"""... and is slow for no longer than this: who was goes ahead from there."""
STILL_TURN = np.radians(10.0)
"""A facing that stays within this, once smoothed, does not turn."""


@record(frozen=True, eq=False)
class RootMotion:
    """A root's way over the ground, sampled.

    fps: frames per second. frames: (n,) scene frames. speed: metres per second, a sample between each two
    frames, each the mean over a frame, negative from where one turns back on. facing: radians, a sample a
    frame. Their seconds count from the scene's frame 0. furthest: metres from where it began. jumps: frames
    that jumped, and were replaced, or those behind a teleport. bearings: (n - 1,) radians from the facing to
    the direction of travel, for each sample of the speed; None where it always travels ahead.
    """

    fps: float
    frames: Array
    speed: Series
    facing: Series
    furthest: float
    jumps: tuple[float, ...]
    bearings: Array | None = None


@record(frozen=True, eq=False)
class Curves:
    """What is shown of root motion, smoothed.

    speed, acceleration: (n - 1,) m/s and m/s^2. facing, turn_rate: (n,) radians and radians per second.
    sway: the facing's root mean square about the smoothed one, radians.
    """

    speed: Array
    acceleration: Array
    facing: Array
    turn_rate: Array
    sway: float


@record(frozen=True, eq=False)
class Measured:
    """What root motion comes to.

    curves: smoothed. maximum_speed: sustained, m/s, None for a root that does not travel; it is held in
    maximum_span, seconds. speeds, turns: the ramps of the speed, and of the facing (radians), in order.
    total_turn: radians, from the first facing to the last. travels, turns_at_all: what can be measured.
    """

    curves: Curves
    maximum_speed: float | None
    maximum_span: Span
    speeds: tuple[Ramp, ...]
    turns: tuple[Ramp, ...]
    total_turn: float
    travels: bool
    turns_at_all: bool

    @property
    def main_ramp(self) -> Ramp | None:
        """The ramp that changes the speed most."""
        return max(self.speeds, key=lambda ramp: abs(ramp.change), default=None)

    @property
    def main_turn(self) -> Ramp | None:
        """The turn that goes furthest."""
        return max(self.turns, key=lambda ramp: abs(ramp.change), default=None)

    @property
    def peak_acceleration(self) -> float | None:
        """The steepest slope of any ramp, m/s^2, without its sign."""
        return max((abs(ramp.peak_rate) for ramp in self.speeds), default=None)

    @property
    def peak_turn_rate(self) -> float | None:
        """The steepest slope of any turn, radians per second, without its sign."""
        return max((abs(ramp.peak_rate) for ramp in self.turns), default=None)


def read(
    frames: ArrayLike,
    positions: ArrayLike,
    rotations: ArrayLike,
    forward: ArrayLike,
    fps: float,
    teleports: Sequence[Teleport] = (),
) -> RootMotion:
    """Return how a root moves: its speed along its way, its facing, and its direction of travel against that.

    Steps across teleports are replaced by interpolating the steps beside them; single frames that jump away
    and back are replaced too, see :func:`filters.without_jumps`. From where the root turns back without
    standing, its speed is negative, see :func:`lines_of_travel`.

    Parameters
    ----------
    frames : (n,)
        Evenly spaced.
    positions : (n, 3)
        In the world, metres; z is ignored.
    rotations : (n, 4)
        Root to world, unit quaternions.
    forward : (3,)
        The root's own axis that points ahead.
    fps
        Frames a second.
    teleports
        In any order.

    Returns
    -------
    RootMotion
        `speed` has n - 1 samples, m/s, half-way between the frames; `facing` n, radians, as
        :func:`measure_facing`; both count seconds from frame 0. `bearings` (n - 1,) has the
        direction of travel, smoothed, against the facing: radians from -pi to pi, to the left
        positive. `furthest` is the largest distance over the ground from the first frame,
        metres. `jumps` lists the frames, as numbers of `frames`, that were replaced in place or
        facing, or are right behind a teleport, rising.
    """
    frames, positions = np.asarray(frames, float), np.asarray(positions, float)
    crossed = np.diff(parts_of(frames, teleports)) > 0
    ground, jumps = filters.without_jumps(_led_across(positions[:, :2], crossed))
    step = float(frames[1] - frames[0]) if len(frames) > 1 else 1.0
    steps = np.diff(ground, axis=0) * (fps / step)
    directions = filters.smoothed(steps, filters.window_samples(DIRECTION_SECONDS, fps / step), 1)
    speed = np.sum(steps * lines_of_travel(directions, fps / step), axis=1)
    angles, turns = filters.without_jumps(_led_across(measure_facing(rotations, forward)[:, None], crossed))
    seconds = frames / fps
    away = np.linalg.norm(ground - ground[:1], axis=1)
    series = Series(0.5 * (seconds[1:] + seconds[:-1]), speed, step / fps), Series(seconds, angles[:, 0])
    behind = (np.flatnonzero(crossed) + 1).tolist()
    jumped = tuple(float(frames[i]) for i in sorted({*jumps, *turns, *behind}))
    along = bearings(directions, angles[:, 0])
    return RootMotion(fps, frames, *series, float(away.max(initial=0.0)), jumped, along)


def bearings(directions: Array, facings: Array) -> Array:
    """Return how far to the left of its facing a root travels, radians from -pi to pi (n - 1,).

    directions: (n - 1, 2) of travel. facings: (n,) radians, as :func:`measure_facing` has them.
    """
    ways = np.arctan2(directions[:, 0], -directions[:, 1])
    away = ways - 0.5 * (facings[1:] + facings[:-1])
    return np.asarray((away + math.pi) % (2.0 * math.pi) - math.pi)


def lines_of_travel(velocities: Array, rate: float) -> Array:
    """Return the unit directions (n, 2) along which a root's speed is measured.

    A sample is slow below 0.3 of the highest speed within 0.5 s of it, or below 0.1 of the highest of all.
    Directions are those of the velocities, ahead, from the start on and after the root was slow for longer
    than a second. If it is slow for no longer, from one sample that is not slow to the next one, and the two
    velocities are 120 degrees or more apart, it has turned back: the directions from there on are opposite to
    the velocities, so that the speed becomes negative. Another such turn changes that back.

    In the slow samples of a turn back, the directions go over evenly from the one line to the other, as
    vectors made unit ones. All other slow samples have the direction of their own velocity, also while the
    root goes backwards; zero where the velocity is zero.

    velocities: smoothed (n, 2), `rate` a second; not changed, but returned as they are if n is 0.
    """
    sizes = np.linalg.norm(velocities, axis=1)
    if not len(sizes):
        return velocities
    ahead = np.divide(velocities, sizes[:, None], out=np.zeros_like(velocities), where=sizes[:, None] > 0.0)
    near = round(NEAR_SECONDS * rate)
    around = np.lib.stride_tricks.sliding_window_view(np.pad(sizes, near), 2 * near + 1)
    least = np.maximum(TRAVELLING * around.max(axis=1), LEAST_MOVING * sizes.max(initial=0.0))
    sign, before = 1.0, -1
    for first, last in runs((sizes >= least) & (sizes > 0.0)):
        is_near = before >= 0 and (first - before) <= STANDING_SECONDS * rate
        if not is_near:
            sign = 1.0
        elif sign * float(ahead[before] @ ahead[first]) <= TURNED_BACK:
            sign = -sign
            share = np.linspace(0.0, 1.0, first - before + 1)[1:-1, None]
            between = (1.0 - share) * ahead[before] + share * sign * ahead[first]
            ahead[before + 1 : first] = between / np.linalg.norm(between, axis=1, keepdims=True)
        ahead[first : last + 1] *= sign
        before = last
    return ahead


def _led_across(values: Array, crossed: Flags) -> Array:
    """Return values (n, k) in which each step across a teleport is replaced by one interpolated from the
    steps beside it.

    The first value stays, and later ones move along. Return the given array if no step is such a one, or all
    are. crossed: (n - 1,), which steps lie across a teleport.
    """
    if not crossed.any() or crossed.all():
        return values
    steps, places = np.diff(values, axis=0), np.arange(len(crossed))
    for column in range(values.shape[1]):
        steps[crossed, column] = np.interp(places[crossed], places[~crossed], steps[~crossed, column])
    return np.concatenate([values[:1], values[:1] + np.cumsum(steps, axis=0)])


def measure_facing(rotations: ArrayLike, forward: ArrayLike) -> Array:
    """Return which way a root faces (n,): radians about the vertical from :data:`FRONT`, counter-clockwise
    from above positive, unwrapped.

    The angle is that of `forward` as seen from above: 0 along -Y, pi / 2 along +X. If the horizontal part of
    `forward`, turned to the world, is shorter than 0.2 of 1 (LEVEL) in any frame, headings against the root's
    average upright pose are taken throughout instead, see :func:`character.headings`. They are shifted so
    that they agree with the axis in the frame in which it is most level.

    rotations: (n, 4) root to world, unit quaternions. forward: (3,), a unit vector in the root's own space.
    """
    q = np.asarray(rotations, float)
    ahead = quaternion.rotate(q, np.asarray(forward, float))
    across = np.linalg.norm(ahead[:, :2], axis=1)
    angles = np.arctan2(ahead[:, 0], -ahead[:, 1])
    if len(q) and across.min() < LEVEL:
        headings = character_space.headings(q, character_space.upright([q]))
        # their zero is any; the axis says what it is where it is most level
        i = int(np.argmax(across))
        angles = headings + angles[i] - headings[i]
    return np.unwrap(angles)


def forward_of_travel(positions: ArrayLike, rotations: ArrayLike) -> Array | None:
    """Return the unit vector (3,), in the root's own axes, along which the root travels on average; None if
    there is none.

    Only steps over the ground count that are at least 0.3 as long as the 95th percentile. Each is turned into
    the root's axes by the rotation of its first frame, and the sum is normalised. It is None for fewer than 2
    frames, for a root that stands, and if the sum's length is at most 0.1 of the sum of the steps' lengths.

    positions: (n, 3), world; z is ignored. rotations: (n, 4), root to world, unit quaternions.
    """
    p, q = np.asarray(positions, float), np.asarray(rotations, float)
    if len(p) < 2:
        return None
    steps = np.diff(p, axis=0) * (1.0, 1.0, 0.0)
    sizes = np.linalg.norm(steps, axis=1)
    if not sizes.any():
        return None
    going = sizes >= TRAVELLING * np.quantile(sizes, 0.95)
    local = quaternion.rotate(quaternion.conjugate(q[:-1][going]), steps[going])
    axis = local.sum(axis=0)
    size = float(np.linalg.norm(axis))
    return axis / size if size > 0.1 * float(sizes[going].sum()) else None


def measure(motion: RootMotion, settings: Settings, **ranges: Sequence[Span] | None) -> Measured:
    """Measure maximum speed, ramps and turns: :func:`steps`, at once."""
    return finish(steps(motion, settings, **ranges))


def steps(
    motion: RootMotion,
    settings: Settings,
    speed_ranges: Sequence[Span] | None = None,
    turn_ranges: Sequence[Span] | None = None,
) -> Steps[Measured]:
    """Measure root motion: maximum speed, ramps of the speed, and turns; yield progress from 0 to 1.

    Progress up to 0.5 is for the speed's ramps, the rest for the turns.

    Parameters
    ----------
    motion
        The root motion.
    settings
        With the thresholds.
    speed_ranges
        Ranges (start, end), seconds, of the speed's ramps to measure; also if the root does not
        travel. None finds those that change by settings.least_speed_change, m/s, and joins
        those that strides divide, see :func:`joined_strides`: none in a clip of fewer than 5
        frames, or if the root goes no further than settings.least_travel.
    turn_ranges
        Those of the turns, likewise, not joined. None finds those of settings.least_turn
        degrees: none in a clip of fewer than 5 frames, or if the smoothed facing stays within
        10 degrees.

    Returns
    -------
    Measured
        What the steps return. `speeds` and `turns` have the ramps in order of their ranges;
        ranges in which no ramp can be measured are missing. `maximum_speed`, without sign, is
        the highest held for settings.sustained_seconds, in `maximum_span`; it is None for a root
        that does not travel. `total_turn` is how far the smoothed facing turns from the first
        frame to the last, radians.
    """
    smooth = curves(motion, settings)
    facing = smooth.facing
    travels = len(motion.frames) >= LEAST_SPAN and motion.furthest > settings.least_travel
    turns_at_all = len(motion.frames) >= LEAST_SPAN and float(np.ptp(facing)) > float(STILL_TURN)
    window = settings.smoothing_seconds
    if speed_ranges is None:
        found = ramps.find(motion.speed, window, settings.least_speed_change) if travels else []
        speed_ranges = joined_strides(motion.speed, found, settings.peak_seconds)
    if turn_ranges is None:
        least = math.radians(settings.least_turn)
        turn_ranges = ramps.find(motion.facing, window, least) if turns_at_all else ()
    maximum, span = _sustained(motion.speed, np.abs(smooth.speed), settings.sustained_seconds)
    speeds = yield from part(_measured(motion.speed, speed_ranges, settings.peak_seconds), 0.0, 0.5)
    turns = yield from part(_measured(motion.facing, turn_ranges, settings.peak_seconds), 0.5, 1.0)
    return Measured(
        curves=smooth,
        maximum_speed=maximum if travels else None,
        maximum_span=span,
        speeds=speeds,
        turns=turns,
        total_turn=float(facing[-1] - facing[0]) if len(facing) else 0.0,
        travels=travels,
        turns_at_all=turns_at_all,
    )


_measure_once = functools.lru_cache(maxsize=64)(ramps.measure_ramp)
"""While one ramp's range is dragged the others stay as they are. Series are told apart by identity."""


def joined_strides(series: Series, ranges: Sequence[Span], window: float) -> list[Span]:
    """Return ranges (start, end), seconds, in which neighbours have been joined where strides divide a single
    ramp.

    From the left, the longest group of up to six ranges that :func:`_is_one` is taken as one, then the next
    group behind it. A joined range leads from the first one's start to the last one's end; a single range
    stays as it is.

    ranges: in order. window: the smoothing for peak rates, seconds. The result is a new list; [] for none.
    """
    left, joined = list(ranges), []
    while left:
        count = next(
            count
            for count in range(min(len(left), MOST_JOINED), 0, -1)
            if count == 1 or _is_one(series, left[:count], window)
        )
        joined.append((left[0][0], left[count - 1][1]))
        left = left[count:]
    return joined


def _is_one(series: Series, ranges: Sequence[Span], window: float) -> bool:
    """Tell whether the ramps in some ranges are a single one that strides divide.

    They are if the mean changes enough from the beginning to the end, see :func:`ramps.may_be_one`, and if a
    spring with strides on top, measured over all of the ranges, leaves next to nothing unexplained, see
    :func:`ramps.is_one`. ranges: (start, end), seconds, in order, one at least. window: of the smoothing for
    peak rates, seconds.
    """
    start, end = ranges[0][0], ranges[-1][1]
    if not ramps.may_be_one(series, start, end):
        return False
    return ramps.is_one(_measure_once(series, start, end, window))


def _measured(series: Series, ranges: Sequence[Span], window: float) -> Steps[tuple[Ramp, ...]]:
    measured = []
    for i, (start, end) in enumerate(ranges):
        measured.append(_measure_once(series, start, end, window))
        yield (i + 1) / len(ranges)
    return tuple(ramp for ramp in measured if ramp is not None)


def curves(motion: RootMotion, settings: Settings) -> Curves:
    """Return the smoothed curves of root motion, by polynomials fitted in windows.

    They are `speed` (n - 1,), m/s, and its slope, `acceleration`; `facing` (n,), radians, and its slope,
    `turn_rate`, per second; and `sway`, the root mean square of the facing about the smoothed one, radians, 0
    without samples. settings.smoothing_seconds: the length of the windows. The motion is not changed.
    """
    smooth, slopes = [], []
    for series in (motion.speed, motion.facing):
        samples = filters.window_samples(settings.smoothing_seconds, series.rate)
        smooth.append(filters.smoothed(series.values, samples))
        slopes.append(filters.slopes(series.values, samples, series.rate))
    away = motion.facing.values - smooth[1]
    sway = float(np.sqrt(np.mean(away**2))) if len(away) else 0.0
    return Curves(smooth[0], slopes[0], smooth[1], slopes[1], sway)


def _sustained(series: Series, speed: Array, held_seconds: float) -> tuple[float, Span]:
    """Return the highest smoothed speed that is kept for `held_seconds`, m/s, and when that is, (start, end)
    in seconds.

    speed: (n,), at the samples of the series. A clip that is shorter counts as a whole; without samples all
    is 0.
    """
    if not len(speed):
        return 0.0, (0.0, 0.0)
    count = min(max(round(held_seconds * series.rate), 1), len(speed))
    least = np.lib.stride_tricks.sliding_window_view(speed, count).min(axis=1)
    i = int(np.argmax(least))
    return float(least[i]), (float(series.seconds[i]), float(series.seconds[i + count - 1]))
