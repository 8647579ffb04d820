# SPDX-License-Identifier: GPL-3.0-or-later
"""Critically damped springs in closed form: a velocity, or an angle, on its way to what is wished.

D. Holden, "The Spring-Roll-Call" (2021): exact for any step, so that a prediction is a step, too. With
``y = 2 ln 2 / half-life``, see :mod:`root_motion.half_life`, and the distance ``x`` from the goal,

    x(t) = e^(-y t) (x + (v + y x) t)
"""

from __future__ import annotations

import numpy as np

from ..arrays import Array, ArrayLike
from ..root_motion import half_life


def towards(
    value: Array, rate: Array, goal: Array, lasting: float, seconds: ArrayLike
) -> tuple[Array, Array]:
    """A value (...) with its rate (...) a second on its way to a goal (...), after so many seconds (n,).

    lasting: the spring's half-life, seconds. Returns both (n, ...).
    """
    y, t = float(half_life.frequency(lasting)), _times(seconds, value)
    away = value - goal
    slope = rate + y * away
    fades = np.exp(-y * t)
    return goal + fades * (away + slope * t), fades * (rate - y * slope * t)


def driven(
    place: Array, velocity: Array, acceleration: Array, goal: Array, lasting: float, seconds: ArrayLike
) -> tuple[Array, Array, Array]:
    """A place (...) whose velocity (...) goes to a goal (...), after so many seconds (n,).

    Returns the places, velocities and accelerations (n, ...): the first is the integral of the second.
    """
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
