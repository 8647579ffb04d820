# SPDX-License-Identifier: GPL-3.0-or-later
"""Warps of a root's motion: how a character is moved on each frame, and the warp by which it arrives.

The latter leaves the poses as they are, and spreads over a span of time what lies between where the motion
leads and where it shall lead. The turn grows with the way that is done, each step is turned along with it, so
that who walks ahead still walks ahead, and what is then left to the place is added, by the same shares. They
follow smooth steps, so that the velocity has no jump at either end. Where the motion rests nothing is moved,
as feet would skate there.
"""

from __future__ import annotations

import numpy as np

from ...records import record
from ..arrays import Array

TRAVELS = 0.2
"""A warp is spread over the way that is done where that leads further than this part of the character's size;
else over time."""


@record(frozen=True, eq=False)
class Warp:
    """How the character is moved on each frame: turned by ``turn`` (frames,) radians about where it stands
    on the ground, ``about`` (frames, 2), then moved by ``shift`` (frames, 2), in the same unit of length."""

    about: Array
    turn: Array
    shift: Array

    def matrices(self) -> Array:
        """Return how the character is moved on each frame, as motions of the world (frames, 4, 4), heights
        unchanged.

        Each turns by `turn` about the vertical through `about`, to the left if above 0, then shifts by
        `shift`. They act on columns.
        """
        matrices = np.tile(np.eye(4), (len(self.turn), 1, 1))
        c, s = np.cos(self.turn), np.sin(self.turn)
        matrices[:, 0, 0], matrices[:, 0, 1], matrices[:, 1, 0], matrices[:, 1, 1] = c, -s, s, c
        matrices[:, :2, 3] = self.about + self.shift - _turned(self.about, self.turn)
        return matrices


def shares(frames: Array, ground: Array, span: tuple[float, float], size: float) -> Array:
    """Return which part of a warp each frame has: 0 up to the span, 1 behind it, a smooth step between.

    The step is p^2 (3 - 2 p), so that it begins and ends without a jump of the rate. p is the part of the
    span's way along the ground, step by step, that is done by a frame. If the root gets no further than 0.2
    of the size from where it is as the span begins, p is the part of the span's time.

    Parameters
    ----------
    frames : (n,)
        Rising; both ends of the span are among them, within 1e-6.
    ground : (n, 2)
        Where the root is.
    span
        The first and the last frame, which must differ. They have the shares 0 and 1.
    size
        The character's, in the unit of ground.

    Returns
    -------
    Array (n,)
        From 0 to 1, never falling.
    """
    within = (frames >= span[0] - 1e-6) & (frames <= span[1] + 1e-6)
    there = ground[within]
    part = (frames[within] - span[0]) / (span[1] - span[0])
    if np.linalg.norm(there - there[0], axis=1).max() > TRAVELS * size:
        way = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(there, axis=0), axis=1))])
        part = way / way[-1]
    share = (frames > span[1]).astype(float)
    share[within] = part * part * (3.0 - 2.0 * part)
    return share


def lead_to(ground: Array, share: Array, at: int, goal: Array, turn: float) -> Warp:
    """Return the warp by which a root arrives at a place on the ground, turned.

    Each step of the way is turned by the mean of the turns at its two ends, and what is then left to the goal
    is added by the shares.

    Parameters
    ----------
    ground : (n, 2)
        Where the root goes by itself.
    share : (n,)
        Which part of the warp each frame has, see :func:`shares`.
    at
        The index of the frame of the arrival; the share must be 1 there, else it misses the
        goal.
    goal : (2,)
        Where the root is to be then, in the unit of ground.
    turn
        By how much it is turned then, radians about the vertical, to the left if above 0.

    Returns
    -------
    Warp
        For all n frames: turned by `turn` times the share about `ground`, then shifted.
    """
    turns = turn * share
    steps = _turned(np.diff(ground, axis=0), 0.5 * (turns[1:] + turns[:-1]))
    bent = ground[0] + np.concatenate([np.zeros((1, 2)), np.cumsum(steps, axis=0)])
    return Warp(ground, turns, bent - ground + share[:, None] * (goal - bent[at]))


def stretches(ground: Array, shift: Array) -> tuple[float, float]:
    """Return (how long a way (n, 2) is, how long it is with each of its places shifted by its own (n, 2)), in
    their unit.
    """
    before, after = (
        float(np.linalg.norm(np.diff(way, axis=0), axis=1).sum()) for way in (ground, ground + shift)
    )
    return before, after


def _turned(vectors: Array, angles: Array) -> Array:
    """Return vectors (n, 2) turned by angles (n,), radians."""
    c, s = np.cos(angles), np.sin(angles)
    x, y = vectors[:, 0], vectors[:, 1]
    return np.stack([c * x - s * y, s * x + c * y], axis=1)
