# SPDX-License-Identifier: GPL-3.0-or-later
"""Bends of straight clips: the same steps along an arc, by which who walks straight on follows a curve."""

from __future__ import annotations

import numpy as np

from ..arrays import Array
from ..skeleton import character
from ..smoothing import smooth

SMOOTH_SECONDS = 0.1
"""Speeds are those over so long on both sides: within a step all bodies are quicker and slower."""
STEADY = 0.5
"""Who never goes slower than such a part of the usual speed neither sets out nor stops."""
STRAIGHT = np.radians(10.0)
"""Who faces no two ways further apart than this goes straight on."""
PARTS = (-1.0, -0.5, 0.5, 1.0)
"""A clip is bent to both sides, by so much of the most, as a walk on a curve goes from one to the other."""


def bent(ground: Array, fps: float, rate: float) -> tuple[Array, Array]:
    """How far a clip is turned at each frame (n,), and where its root is on the ground then (n, 2).

    ground: (n, 2), where it is as it goes straight on. rate: by which it turns to the left, radians a second.
    Each step goes the way that lies in the middle of its turn.
    """
    turn = np.asarray(rate * np.arange(len(ground)) / fps, float)
    middle = 0.5 * (turn[1:] + turn[:-1])
    steps = np.diff(ground, axis=0)
    c, s = np.cos(middle), np.sin(middle)
    led = np.stack([c * steps[:, 0] - s * steps[:, 1], s * steps[:, 0] + c * steps[:, 1]], axis=1)
    return turn, np.asarray(np.concatenate([ground[:1], ground[0] + np.cumsum(led, axis=0)]), float)


def goes_straight(rotations: Array) -> bool:
    """Whether a root that turns so, unit quaternions (n, 4), goes straight on."""
    headings = character.headings(rotations, character.upright([rotations]))
    return bool(np.ptp(np.unwrap(headings)) <= STRAIGHT)


def goes_steadily(ground: Array, fps: float) -> bool:
    """Whether a root that is there on the ground (n, 2) goes all the time: feet that stand can't be bent."""
    if len(ground) < 2:
        return False
    speeds = np.linalg.norm(np.diff(smooth(ground, SMOOTH_SECONDS * fps), axis=0), axis=1)
    usual = float(np.median(speeds))
    return usual > 0.0 and bool(speeds.min() >= STEADY * usual)
