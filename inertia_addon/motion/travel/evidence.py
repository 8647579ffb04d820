# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether the ground that was found below a clip is one that somebody walks over."""

from __future__ import annotations

import numpy as np

from ..arrays import Array
from ..feet.contacts import lowest_around
from ..judging import ground as grounds
from ..judging.evidence import Track
from . import way
from .ground import AROUND_SECONDS, Ground, Seen

LOW = 0.03
"""A foot skates while it is lower than this above the ground, in leg lengths: 2.5 cm of a grown-up."""
SLOWEST = 0.3
"""Who goes no faster than this, in leg lengths a second, stays where it is."""
STEADY = 0.8
"""Ground that is walked over goes one way, but for this part of how fast it passes."""
LESS = 0.95
"""Feet that walk over it skate less than where it stands, at least by the rest."""
MANY, CLEARLY = 2.5, 0.6
"""Who goes so many times as far as its feet reach, and a leg length at least, and skates less than this part
of what it did, walks, however unsteadily."""
STEPS, STEP = 1.5, 0.25
"""Who walks goes further than its feet reach, so many times at least, as there is more than one step; and
these reach this part of a leg length at least."""


def velocities(seen: Seen, rates: Array) -> Array:
    """How fast the ground passes below the body (n - 1, 2), in the clip's unit a second."""
    at = 0.5 * (seen.middle[1:, :2] + seen.middle[:-1, :2])
    return np.asarray(rates[:, :2] + rates[:, 2:] * np.stack([-at[:, 1], at[:, 0]], axis=1))


def speed(seen: Seen, rates: Array) -> float:
    """How fast the body goes over the ground on average, seen from itself, in the clip's unit a second."""
    return float(np.linalg.norm(velocities(seen, rates).mean(axis=0)))


def skates(seen: Seen, rates: Array) -> Array:
    """How far each foot skates over ground that passes at ``rates`` (feet,), in the clip's unit.

    By the balls of the feet, and as the judge has it, see :func:`judging.ground.skating`.
    """
    balls = seen.soles[:, 1::3]
    seconds = np.diff(seen.frames) / seen.fps
    moved = way.along(seen.frames, rates, seen.fps).moved(balls)
    heights = balls[..., 2]
    repeats = 3 if seen.is_cycle else 1
    whole = np.concatenate([heights[:-1]] * (repeats - 1) + [heights])
    around = round(AROUND_SECONDS / float(seconds.mean()))
    lowest = np.stack([lowest_around(z, around) for z in whole.T], axis=1)
    first = (len(heights) - 1) * (repeats // 2)
    stands, still = lowest[first : first + len(heights)], np.zeros((len(heights), 2))
    track, feet = Track(seen.frames, moved), list(range(moved.shape[1]))
    return grounds.skating(track, feet, still, stands, LOW * seen.length, seen.fps).sum(axis=0)


def walks(seen: Seen, found: Ground) -> bool:
    """Whether a character walks, runs or creeps over the ground that was found, in place."""
    passing = velocities(seen, found.rates)
    mean = float(np.linalg.norm(passing.mean(axis=0)))
    each = float(np.linalg.norm(passing, axis=1).mean())
    before = float(skates(seen, np.zeros_like(found.rates)).sum())
    after = float(skates(seen, found.rates).sum())
    if after > LESS * before or mean <= 0.0:
        return False
    middle = way.along(seen.frames, found.rates, seen.fps).moved(seen.middle)[:, :2]
    gone = float(np.linalg.norm(middle - middle[0], axis=1).max())
    reach = float(np.median(np.ptp(seen.soles[:, 1::3, :2] @ (passing.mean(axis=0) / mean), axis=0)))
    if not seen.is_cycle and gone > max(MANY * reach, seen.length) and after < CLEARLY * before:
        # whoever has gone so far may have stood, and turned about
        return True
    steady = mean >= SLOWEST * seen.length and mean >= STEADY * each
    return steady and (seen.is_cycle or (gone > STEPS * reach and reach > STEP * seen.length))
