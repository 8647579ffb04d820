# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the motion of a character leads in a gap: what one expects who names no place to arrive at.

Its velocity, as it faces, goes from the source's to the destination's in equal steps, so that on the way it
is the mean of both; how it turns fades from either end. Tried on what was cut out of captured motion: to
carry a turn on for longer, or to take a mean velocity of a longer time, leads further from where people went.
"""

from __future__ import annotations

import math

import numpy as np

from ...records import record
from ..arrays import Array
from ..matching.database import Database

TURNS_SECONDS = 0.15
"""A turn at either end goes on for so long, on average, while it fades."""
STANDS = 0.1
"""Who goes so fast, metres a second of a person, half stands: what sways goes nowhere."""
STEPS_A_SECOND = 60.0
"""The way is summed up in so many steps."""


@record(frozen=True)
class GroundMotion:
    """How a character goes at one end of a gap. ground: (2,) metres of the world. heading: radians.
    velocity: (2,) metres a second of the world. spin: radians a second to the left."""

    ground: Array
    heading: float
    velocity: Array
    spin: float

    def velocity_ahead(self, size: float) -> Array:
        """Return the velocity (2,), metres a second, ahead of the heading and to its left; a slow one is
        shortened.

        A heading of 0 faces +x of the world and has +y to its left; headings grow to the left.

        size: the character's height, as a part of a person's, above 0. What sways goes nowhere: with v the
        speed, the velocity is multiplied by v^2 / (v^2 + (0.1 size)^2).
        """
        c, s = math.cos(self.heading), math.sin(self.heading)
        x, y = self.velocity.tolist()
        squared = x * x + y * y
        counts = squared / (squared + (STANDS * size) ** 2)
        return counts * np.array([c * x + s * y, c * y - s * x])


def read_ground_motion(database: Database, frame: int) -> GroundMotion:
    """Return how the character goes at a flat frame of a database."""
    velocity, spin = database.rates(np.array([frame]))
    return GroundMotion(database.ground[frame], float(database.heading[frame]), velocity[0], float(spin[0]))


def lead(departure: GroundMotion, met: GroundMotion, seconds: float, size: float) -> tuple[Array, float]:
    """Return where a character is after some time, if it goes on as at its departure, and then as it is met.

    Its velocity ahead and to the left, see :meth:`GroundMotion.velocity_ahead`, changes evenly from that at
    the departure to that of what is met. Its spin is the departure's times exp(-t / 0.15 s), plus that of
    what is met times exp(-(seconds - t) / 0.15 s), 0.15 s being TURNS_SECONDS. So the heading is
    departure.heading + 0.15 (1 - exp(-seconds / 0.15)) times the sum of both spins. The way is summed up at
    60 steps a second.

    Parameters
    ----------
    departure
        How it goes when it departs.
    met
        How it goes when it is met; where that stands and faces does not count.
    seconds
        The time between, above 0.
    size
        The character's height, as a part of a person's, above 0; see
        :meth:`GroundMotion.velocity_ahead`.

    Returns
    -------
    tuple[Array, float]
        The place on the ground (2,), metres, and the heading, radians, in the world of the
        departure. Whole turns are counted in the heading.
    """
    count = max(1, round(STEPS_A_SECOND * seconds))
    since = (np.arange(count) + 0.5) * seconds / count
    # the integrals of exponential fades from both ends
    leaving = -np.expm1(-since / TURNS_SECONDS)
    arriving = np.exp((since - seconds) / TURNS_SECONDS) - math.exp(-seconds / TURNS_SECONDS)
    headings = departure.heading + TURNS_SECONDS * (departure.spin * leaving + met.spin * arriving)
    part = (since / seconds)[:, None]
    ahead = (1.0 - part) * departure.velocity_ahead(size) + part * met.velocity_ahead(size)
    c, s = np.cos(headings), np.sin(headings)
    way = np.array([np.mean(c * ahead[:, 0] - s * ahead[:, 1]), np.mean(s * ahead[:, 0] + c * ahead[:, 1])])
    turn = -math.expm1(-seconds / TURNS_SECONDS) * TURNS_SECONDS * (departure.spin + met.spin)
    return departure.ground + seconds * way, departure.heading + turn


def motion_to(ground: Array, heading: float, met: GroundMotion) -> tuple[float, tuple[float, float]]:
    """Return the motion that brings what is met to a place and a heading.

    Parameters
    ----------
    ground : (2,)
        The place, metres.
    heading
        Radians about the vertical.
    met
        Where it stands and faces by itself.

    Returns
    -------
    tuple[float, tuple[float, float]]
        The angle, radians, by which it is turned about the world's origin, and then how it
        is moved on the ground, x and y in metres.
    """
    angle = heading - met.heading
    c, s = math.cos(angle), math.sin(angle)
    x, y = met.ground.tolist()
    return angle, (float(ground[0] - (c * x - s * y)), float(ground[1] - (s * x + c * y)))
