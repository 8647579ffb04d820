# SPDX-License-Identifier: GPL-3.0-or-later
"""A point on the ground that goes as it is wished, and how a character and it are drawn to each other.

The point's velocity and facing follow what is wished by springs. The character is drawn
to it, and it to the character (D. Holden, "Code vs Data Driven Displacement", 2021).
"""

from __future__ import annotations

import dataclasses

import numpy as np

from ...records import record
from ...settings.steering import Wish
from ..arrays import Array, ArrayLike
from ..matching.targets import wrapped
from ..root_motion import half_life
from .fitted import Gait

DRAWN = 0.2
"""The half-life, in seconds, of what is left between the character and its point, ..."""
PART = 0.5
"""... of which no more is taken out than this part of the character's own way, ..."""
ARC = 0.5
"""... and no more of its turn than that makes on a circle of this radius, in metres for a person, beside as
much of its own turn."""
PULLED = 0.5
"""The half-life by which the point comes to the character."""
APART = 0.25
"""The point is no further from the character than this, in metres for a person."""
KEPT = 2.0**-24
"""Metres and radians are kept to so much, so that machines whose last digits differ go the same way."""


@record(frozen=True, eq=False)
class Point:
    """What goes as it is wished: place (2,) metres, velocity and acceleration (2,); facing, radians, and how
    fast that turns; the facing that it turns to, and the velocity (2,) that it gets."""

    place: Array
    velocity: Array
    acceleration: Array
    facing: float
    turning: float
    goal: float
    asked: Array

    @classmethod
    def standing(cls, ground: Array, heading: float) -> Point:
        """One that stands at a place (2,), facing so, radians."""
        none = np.zeros(2)
        return cls(ground, none, none, heading, 0.0, heading, none)


@record(frozen=True)
class Lead:
    """How a point leads a character, by the clips' gait. size: as a part of a person's. fps: of moments."""

    gait: Gait
    size: float
    fps: float

    def redirected(self, point: Point, wish: Wish) -> Point:
        """A point that goes and turns to what is wished: to where it goes, if no facing is said."""
        goal = point.goal
        if wish.facing is not None:
            goal = float(np.radians(wish.facing))
        elif wish.x != 0.0 or wish.y != 0.0:
            goal = float(np.arctan2(wish.y, wish.x))
        return dataclasses.replace(point, goal=goal, asked=self.gait.attainable(np.array([wish.x, wish.y])))

    def gone(self, point: Point, seconds: Array) -> tuple[Array, Array, Array]:
        """Where a point is after so many seconds (n,), and its velocity and acceleration, (n, 2) each."""
        moving = point.place, point.velocity, point.acceleration
        return driven(*moving, point.asked, self.gait.speed_seconds, seconds)

    def faced(self, point: Point, seconds: Array) -> tuple[Array, Array]:
        """Which way a point faces after so many seconds (n,), radians, and how fast it turns then."""
        goal = np.asarray(point.facing + wrapped(np.asarray(point.goal - point.facing)))
        facing, rate = np.asarray(point.facing), np.asarray(point.turning)
        return towards(facing, rate, goal, self.gait.turn_seconds, seconds)

    def drawn(
        self, point: Point, ground: Array, heading: float, way: Array, turn: float
    ) -> tuple[Array, float, Point]:
        """A moment later: where the character is (2,), its heading, radians, and the point. ground (2,),
        heading: where it was. way (2,), turn: what it does by itself, in the world."""
        second = np.array([1.0 / self.fps])
        places, velocities, accelerations = self.gone(point, second)
        facings, turnings = self.faced(point, second)
        gone = float(np.linalg.norm(way))
        ground, heading = ground + way, heading + turn
        draws = 1.0 - float(0.5 ** (second[0] / DRAWN))
        ground = rounded(ground + _limited((places[0] - ground) * draws, PART * gone))
        most = PART * (abs(turn) + gone / (ARC * self.size))
        heading += float(np.clip(wrapped(facings[0] - heading) * draws, -most, most))
        away = (places[0] - ground) * 0.5 ** (second[0] / PULLED)
        led = Point(
            rounded(ground + _limited(away, APART * self.size)),
            rounded(velocities[0]),
            rounded(accelerations[0]),
            float(rounded(facings[0])),
            float(rounded(turnings[0])),
            point.goal,
            point.asked,
        )
        return ground, float(rounded(heading)), led


def _limited(vector: Array, most: float) -> Array:
    """A vector (2,), no longer than so much."""
    size = float(np.linalg.norm(vector))
    return vector if size <= most else vector * (most / size)


def rounded(values: Array | float) -> Array:
    """Values as exactly as they are kept."""
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
    """A value (...) with its rate (...) a second on its way to a goal (...), after so many seconds (n,).
    lasting: the spring's half-life, seconds. Returns both (n, ...)."""
    y, t = float(half_life.frequency(lasting)), _times(seconds, value)
    away = value - goal
    slope = rate + y * away
    fades = np.exp(-y * t)
    return goal + fades * (away + slope * t), fades * (rate - y * slope * t)


def driven(
    place: Array, velocity: Array, acceleration: Array, goal: Array, lasting: float, seconds: ArrayLike
) -> tuple[Array, Array, Array]:
    """A place (...) whose velocity (...) goes to a goal (...), after so many seconds (n,). Returns the
    places, velocities and accelerations (n, ...): the first is the integral of the second."""
    y, t = float(half_life.frequency(lasting)), _times(seconds, place)
    away = velocity - goal
    slope = acceleration + y * away
    fades = np.exp(-y * t)
    # of e^(-y t) (away + slope t), from 0 on
    gone = (away + slope / y) / y - fades * (away + slope * t + slope / y) / y
    moved = place + goal * t + gone
    return moved, goal + fades * (away + slope * t), fades * (acceleration - y * slope * t)


def _times(seconds: ArrayLike, value: Array) -> Array:
    times = np.atleast_1d(np.asarray(seconds, float))
    return times.reshape(len(times), *([1] * np.ndim(value)))
