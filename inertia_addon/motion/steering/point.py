# SPDX-License-Identifier: GPL-3.0-or-later
"""A point on the ground that goes as it is wished, and how a character and it are drawn to each other.

What is wished may be filtered: a wish that is near to the filtered one is come to smoothly, and one that is
too far away is taken at once: the pose jumps, and a join by inertialization covers that (D. Bollo,
"Inertialization", 2018). The point's velocity and facing follow what came of that by springs. The character
is drawn to it, and it to the character (D. Holden, "Code vs Data Driven Displacement", 2021).
"""

from __future__ import annotations

import dataclasses

import numpy as np

from ...records import record
from ...settings.steering import WALKS, SteerSettings, Wish, gait_of
from ..arrays import Array, ArrayLike
from ..matching.features import turned
from ..matching.targets import wrapped
from ..root_motion import half_life
from .fitted import FittedGait

ARC = 0.5
"""A turn may be as much of a character's own way as that makes on a circle of this radius, in metres for a
person."""
KEPT = 2.0**-24
"""Metres and radians are kept to so much, so that machines whose last digits differ go the same way."""


@record(frozen=True, eq=False)
class Point:
    """What goes as it is wished: place (2,) metres, velocity and acceleration (2,); facing, radians, and how
    fast that turns; the facing that it turns to, and the velocity (2,) that it gets.

    aim: the facing that is wished, radians, and wished: the velocity (2,), filtered. gait: 0 for walking, 1
    for running, and gait_rate: how fast that changes, a second.
    """

    place: Array
    velocity: Array
    acceleration: Array
    facing: float
    turning: float
    goal: float
    asked: Array
    aim: float
    wished: Array
    gait: float = 0.0
    gait_rate: float = 0.0

    @classmethod
    def at_rest(cls, ground: Array, heading: float) -> Point:
        """Return a point that stands at a place (2,), facing so, radians."""
        none = np.zeros(2)
        return cls(ground, none, none, heading, 0.0, heading, none, heading, none)


@record(frozen=True)
class Lead:
    """How a point leads a character, by the clips' gait. size: as a part of a person's. fps: of moments. how:
    what else decides it."""

    gait: FittedGait
    size: float
    fps: float
    how: SteerSettings = dataclasses.field(default_factory=SteerSettings)

    @property
    def velocity_half_life(self) -> float:
        """The half-life by which the point changes its velocity, seconds."""
        chosen = self.how.velocity_half_life
        return self.gait.speed_seconds if chosen is None else chosen

    @property
    def turn_half_life(self) -> float:
        """The half-life by which the point turns, seconds."""
        chosen = self.how.turning_half_life
        return self.gait.turn_seconds if chosen is None else chosen

    def redirected(self, point: Point, wish: Wish) -> tuple[Point, bool]:
        """Return the point as it is once it is told a wish, and whether its filter has let go.

        The point's place, velocity and facing stay, except as told below. `aim` and `goal` become the wished
        facing, given in degrees and kept in radians; without one the direction of x and y; without either
        both are the last aim. They are not brought near to the point's facing: :meth:`faced` goes the shorter
        way round. `wished` becomes the wished velocity (2,), metres a second in the world, and `asked` the
        same with a speed that the clips have, see :meth:`FittedGait.attainable`.

        If settings.is_stick is set, x and y are where a stick is: `gait` and `gait_rate` go on by a frame,
        and the wished velocity comes of the stick, the point's facing and that gait. A stick's direction is
        still the facing if none is wished.

        With a filter (settings.is_filtered) `goal`, `wished` and `asked` approach the wish smoothly, and
        False is returned, unless the wish is too far from them: then it is taken at once and True is
        returned, see :meth:`_filtered`. Without a filter the second value is False.
        """
        aim = point.aim
        if wish.facing is not None:
            aim = float(np.radians(wish.facing))
        elif wish.x != 0.0 or wish.y != 0.0:
            aim = float(np.arctan2(wish.y, wish.x))
        velocity, gait, gait_rate = np.array([wish.x, wish.y]), point.gait, point.gait_rate
        if self.how.is_stick:
            gait, gait_rate = self._gait(point, float(np.linalg.norm(velocity)))
            velocity = self._by_gait(velocity, point.facing, gait)
        told = dataclasses.replace(
            point,
            goal=aim,
            asked=self.gait.attainable(velocity),
            aim=aim,
            wished=velocity,
            gait=gait,
            gait_rate=gait_rate,
        )
        return self._filtered(point, told) if self.how.is_filtered else (told, False)

    def _filtered(self, before: Point, new_point: Point) -> tuple[Point, bool]:
        """Return the point with its wish filtered, and whether the filter has let go.

        before: the point as it was, of which `wished` and `goal` are the filtered velocity and facing.
        new_point: as it was told the wish; all else of the result is as in it.

        If `wished` of the two differ by more than settings.snap_speed (metres a second), the wish is taken at
        once: the point's velocity becomes `asked`, its acceleration zero, and True is returned. Otherwise, if
        its aim is more than settings.snap_angle (degrees) from `goal` before, either way, new_point is
        returned as it is, with True.

        Otherwise False is returned, and `wished` and `goal` have gone on from those before by the part 1 -
        0.5^(1 / (fps * filter_half_life)) of what lacks, `goal` the shorter way round; both are rounded to
        multiples of 2^-24. `asked` is the filtered velocity with a speed that the clips have, but without
        that change of speed if the wish is zero.
        """
        aside = float(wrapped(np.asarray(new_point.aim - before.goal)))
        if np.linalg.norm(new_point.wished - before.wished) > self.how.snap_speed:
            return dataclasses.replace(new_point, velocity=new_point.asked, acceleration=np.zeros(2)), True
        if abs(aside) > np.radians(self.how.snap_angle):
            return new_point, True
        gone = 1.0 - 0.5 ** (1.0 / (self.fps * self.how.filter_half_life))
        wished = rounded(before.wished + gone * (new_point.wished - before.wished))
        # who is to stand is not led at the least speed of the clips until nothing is left to filter
        asked = self.gait.attainable(wished) if new_point.wished.any() else wished
        goal = float(rounded(before.goal + gone * aside))
        return dataclasses.replace(new_point, goal=goal, asked=asked, wished=wished), False

    def _gait(self, point: Point, length: float) -> tuple[float, float]:
        """Return a point's gait, 0 for walking to 1 for running, one frame later, and its rate per second,
        both rounded to multiples of 2^-24.

        length: of the stick. The goal is length - 1, between 0 and 1. The gait follows it by a critically
        damped spring with the half-life settings.gait_half_life, see :func:`towards`. The point is not
        changed.
        """
        now, rate = np.asarray(point.gait), np.asarray(point.gait_rate)
        goal, second = np.asarray(gait_of(length)), np.array([1.0 / self.fps])
        gaits, rates = towards(now, rate, goal, self.how.gait_half_life, second)
        return float(rounded(gaits[0])), float(rounded(rates[0]))

    def _by_gait(self, stick: Array, facing: float, gait: float) -> Array:
        """Return the velocity (2,), metres a second in the world, that a stick (2,) wishes of who faces so,
        radians from the X axis, to the left if above 0.

        stick: a direction in the world. One of length 1 (WALKS) or more counts as of length 1, a shorter one
        with its own length. Seen along the facing, its part ahead or back, and its part to the side, are
        multiplied by different speeds, those of settings.speeds for the gait: ahead if the first part is
        above 0, else back; and sideways. gait: 0 for walking, 1 for running; speeds between are interpolated
        linearly.
        """
        ahead, side, back = self.how.speeds(gait)
        local = turned(stick / max(float(np.linalg.norm(stick)), WALKS), np.asarray(-facing))
        speeds = np.array([ahead if local[0] > 0.0 else back, side])
        return turned(local * speeds, np.asarray(facing))

    def gone(self, point: Point, seconds: Array) -> tuple[Array, Array, Array]:
        """Return where a point is after some seconds (n,), and its velocity and acceleration, (n, 2) each."""
        moving = point.place, point.velocity, point.acceleration
        return driven(*moving, point.asked, self.velocity_half_life, seconds)

    def faced(self, point: Point, seconds: Array) -> tuple[Array, Array]:
        """Return which way a point faces after some seconds (n,), radians, and how fast it turns then."""
        goal = np.asarray(point.facing + wrapped(np.asarray(point.goal - point.facing)))
        facing, rate = np.asarray(point.facing), np.asarray(point.turning)
        return towards(facing, rate, goal, self.turn_half_life, seconds)

    def drawn(
        self, point: Point, ground: Array, heading: float, own_step: Array, turn: float
    ) -> tuple[Array, float, Point]:
        """Return the character's place and heading a frame later, and the point then.

        The point goes on for 1 / fps seconds by its springs (:meth:`gone`, :meth:`faced`), and the character
        by its own step and turn. Then they are drawn to each other.

        If settings.synchronise is set, both get the same place and heading, between the point's for a
        synchronise_part of 0 and the character's for 1; headings go the shorter way round. Otherwise the
        character is first moved towards the point, if settings.adjust is set (:meth:`_adjusted`), and then
        the point is pulled towards the character, always, and kept near it with settings.clamp
        (:meth:`_pulled`).

        Only the point's place and facing are drawn: its velocity, acceleration and turning rate are those of
        the springs. Headings are not wrapped; those of two that meet may differ by whole turns.

        Parameters
        ----------
        point
            The point now, with its wish.
        ground : (2,)
            The character's place now, metres.
        heading
            Its heading now, radians.
        own_step : (2,)
            How far its clips move it in this frame, metres of the world.
        turn
            How far they turn it, radians to the left.

        Returns
        -------
        tuple[Array, float, Point]
            The place (2,), the heading, and the point, all rounded to multiples of 2^-24.
        """
        second = np.array([1.0 / self.fps])
        places, velocities, accelerations = self.gone(point, second)
        facings, turnings = self.faced(point, second)
        place, facing, how = places[0], float(facings[0]), self.how
        ground, heading = ground + own_step, heading + turn
        if how.synchronise:
            place = ground = rounded(place + how.synchronise_part * (ground - place))
            aside = float(wrapped(np.asarray(heading - facing)))
            facing += how.synchronise_part * aside
            heading -= (1.0 - how.synchronise_part) * aside
        else:
            if how.adjust:
                ground, heading = self._adjusted((ground, heading), (place, facing), own_step, turn)
            ground = rounded(ground)
            place, facing = self._pulled((place, facing), (ground, heading))
        led = dataclasses.replace(
            point,
            place=rounded(place),
            velocity=rounded(velocities[0]),
            acceleration=rounded(accelerations[0]),
            facing=float(rounded(facing)),
            turning=float(rounded(turnings[0])),
        )
        return ground, float(rounded(heading)), led

    def _adjusted(
        self, character: tuple[Array, float], point: tuple[Array, float], own_step: Array, turn: float
    ) -> tuple[Array, float]:
        """Return the character's place (2,) and heading, radians, moved a part of the way to the point's.

        character, point: (place, heading) of each. own_step (2,), turn: what the character has just done by
        itself in this frame. Its place and heading approach the point's by their half-lives. The move is at
        most adjust_part times the length of own_step. The turn, either way, is at most adjust_turn_part times
        the sum of the size of `turn` and the angle of own_step's length on a circle of radius 0.5 m times the
        character's size. So who walks straight ahead can be turned, and who stands still is neither moved nor
        turned.
        """
        (ground, heading), (place, facing), how = character, point, self.how
        gone, seconds = float(np.linalg.norm(own_step)), 1.0 / self.fps
        draws = 1.0 - 0.5 ** (seconds / how.adjust_half_life)
        turns = 1.0 - 0.5 ** (seconds / how.adjust_turn_half_life)
        most = how.adjust_turn_part * (abs(turn) + gone / (ARC * self.size))
        aside = float(np.clip(wrapped(np.asarray(facing - heading)) * turns, -most, most))
        return ground + _limited((place - ground) * draws, how.adjust_part * gone), heading + aside

    def _pulled(self, point: tuple[Array, float], character: tuple[Array, float]) -> tuple[Array, float]:
        """Return the point's place (2,) and facing, radians, pulled towards the character.

        point, character: (place, facing) of each. In this frame 0.5^(1 / (fps * pull_half_life)) of the way
        from the character's place to the point's is left; the facing is not pulled. If settings.clamp is set,
        what is left is then shortened to clamp_distance times the character's size, and a facing that is more
        than clamp_angle degrees from the character's, the shorter way round, is brought back to that angle.
        The facing is not wrapped; without clamp it is returned as it is.
        """
        (place, facing), (ground, heading), how = point, character, self.how
        away = (place - ground) * 0.5 ** (1.0 / (self.fps * how.pull_half_life))
        if not how.clamp:
            return ground + away, facing
        aside, most = float(wrapped(np.asarray(facing - heading))), float(np.radians(how.clamp_angle))
        if abs(aside) > most:
            facing += float(np.clip(aside, -most, most)) - aside
        return ground + _limited(away, how.clamp_distance * self.size), facing


def _limited(vector: Array, most: float) -> Array:
    """Return a vector (2,), shortened to `most` if it is longer."""
    size = float(np.linalg.norm(vector))
    return vector if size <= most else vector * (most / size)


def rounded(values: Array | float) -> Array:
    """Return values as exactly as they are kept, as multiples of KEPT."""
    return np.asarray(np.round(np.asarray(values) / KEPT) * KEPT)


# --- critically damped springs in closed form
#
# D. Holden, "The Spring-Roll-Call" (2021): exact for any step, so that a prediction is a step, too. With
# y = 2 ln 2 / half-life, see root_motion/half_life.py, and the distance x from the goal,
#
#     x(t) = e^(-y t) (x + (v + y x) t)


def towards(
    value: Array, rate: Array, goal: Array, lasting: float, seconds: ArrayLike
) -> tuple[Array, Array]:
    """Return a value and its rate on its way to a goal by a critically damped spring, after some seconds.

    Parameters
    ----------
    value : (...)
        Where it is.
    rate : (...)
        Its rate, per second.
    goal : (...)
        Where it goes.
    lasting
        The spring's half-life, seconds, above 0. The distance from the goal fades as
        exp(-y t) (1 + y t) from rest, with y = 2 ln 2 / half-life: after one half-life 0.597 of it
        is left.
    seconds : (n,)
        How much later; a single number gives n = 1.

    Returns
    -------
    tuple[Array, Array]
        The values and their rates, (n, ...) each.
    """
    y, t = float(half_life.frequency(lasting)), _times(seconds, value)
    away = value - goal
    slope = rate + y * away
    fades = np.exp(-y * t)
    return goal + fades * (away + slope * t), fades * (rate - y * slope * t)


def driven(
    position: Array, velocity: Array, acceleration: Array, goal: Array, lasting: float, seconds: ArrayLike
) -> tuple[Array, Array, Array]:
    """Return a position whose velocity goes to a goal by a critically damped spring, after some seconds.

    Parameters
    ----------
    position : (...)
        Where it is.
    velocity : (...)
        Per second.
    acceleration : (...)
        Per second squared.
    goal : (...)
        The velocity that it gets.
    lasting
        The spring's half-life, seconds, above 0, as of :func:`towards`: y = 2 ln 2 / half-life.
    seconds : (n,)
        How much later; a single number gives n = 1.

    Returns
    -------
    tuple[Array, Array, Array]
        Positions, velocities and accelerations, (n, ...) each; the first is the integral of
        the second.
    """
    y, t = float(half_life.frequency(lasting)), _times(seconds, position)
    away = velocity - goal
    slope = acceleration + y * away
    fades = np.exp(-y * t)
    # of e^(-y t) (away + slope t), from 0 on
    gone = (away + slope / y) / y - fades * (away + slope * t + slope / y) / y
    moved = position + goal * t + gone
    return moved, goal + fades * (away + slope * t), fades * (acceleration - y * slope * t)


def _times(seconds: ArrayLike, value: Array) -> Array:
    times = np.atleast_1d(np.asarray(seconds, float))
    return times.reshape(len(times), *([1] * np.ndim(value)))
