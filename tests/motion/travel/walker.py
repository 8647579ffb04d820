# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet that stand and step exactly on a ground that passes: what is made in place of a way that is known."""

from __future__ import annotations

import numpy as np

from inertia_addon.motion.steps import finish
from inertia_addon.motion.travel import ground
from inertia_addon.motion.travel.ground import GRAVITY, ClipFeet, PassingGround
from inertia_addon.motion.travel.way import GroundPath

HEIGHT = 1.1
"""How high the middle of the body is, leg lengths."""
BESIDE = 0.06
"""How far beside its way each foot stands, leg lengths: steps of people are about 10 cm wide."""
FOOT = np.array([[0.08, 0.0, 0.0], [-0.06, 0.0, 0.0], [-0.14, 0.0, 0.0]])
"""Heel, ball and tip of a foot that points along -X, from its middle, leg lengths."""


def way(seconds: float, fps: float, speed: float, turn: float) -> GroundPath:
    """A way along -X at a speed that sways a little, in lengths a second, which turns, radians a second."""
    frames = np.arange(round(seconds * fps) + 1.0)
    t = frames / fps
    turns = turn * t
    gone = speed * (t + 0.02 * np.sin(2.0 * np.pi * t))
    heading = turns[:-1] + np.pi
    steps = np.diff(gone)[:, None] * np.stack([np.cos(heading), np.sin(heading)], axis=1)
    return GroundPath(frames, np.concatenate([np.zeros((1, 2)), np.cumsum(steps, axis=0)]), turns)


def walker(made: GroundPath, fps: float, length: float = 1.0, *, is_cycle: bool = False) -> ClipFeet:
    """Two feet that walk along a way, a step each half of a second, seen from where it has led."""
    t = made.frames / fps
    soles = np.empty((len(t), 2, 3, 3))
    motions = made.matrices()
    for side in range(2):
        turn, part = np.divmod(t + 0.5 * side, 1.0)
        plants = _plants(made, fps, turn, side)
        landed, ahead = plants[..., 0], plants[..., 1]
        u = np.clip((part - 0.6) / 0.4, 0.0, 1.0)
        smooth = (u * u * u * (u * (6.0 * u - 15.0) + 10.0))[:, None, None]
        soles[:, side] = landed + smooth * (ahead - landed)
        soles[:, side, :, 2] = (0.2 * 16.0 * (u * (1.0 - u)) ** 2)[:, None]
    inverse = np.linalg.inv(motions)
    own = np.einsum("nij,nfkj->nfki", inverse[:, :3, :3], soles) + inverse[:, None, None, :3, 3]
    middle = _leaning(made, fps)
    return ClipFeet(made.frames, own.reshape(len(t), 6, 3) * length, middle * length, length, fps, is_cycle)


def ground_below(seen: ClipFeet, *, turns: bool | None = None) -> PassingGround:
    """The ground that is found below a walker."""
    return finish(ground.find_steps(seen, turns=turns))


def _leaning(made: GroundPath, fps: float) -> np.ndarray:
    """Where the middle of a body is (n, 3) that leans to where it turns, seen from where the way has led."""
    pushed = np.gradient(np.gradient(made.places, axis=0), axis=0) * fps**2
    c, s = np.cos(made.turns), np.sin(made.turns)
    own = np.stack([c * pushed[:, 0] + s * pushed[:, 1], c * pushed[:, 1] - s * pushed[:, 0]], axis=1)
    # as it sways to and fro the feet do not stand below it evenly
    lean = HEIGHT / GRAVITY * own.mean(axis=0)
    return np.column_stack([np.tile(lean, (len(own), 1)), np.full(len(own), HEIGHT)])


def _plants(made: GroundPath, fps: float, turns: np.ndarray, side: int) -> np.ndarray:
    """Where the points of a foot stand in each of some steps, and in the next one (n, 3, 3, 2)."""
    found = np.empty((len(turns), 3, 3, 2))
    t = made.frames / fps
    for k in range(2):
        # under the body in the middle of the contact
        at = turns + k - 0.5 * side + 0.3
        heading = np.interp(at, t, made.turns)
        rate = np.polyfit(t, made.turns, 1)[0]
        heading = np.where((at < t[0]) | (at > t[-1]), rate * at, heading)
        place = np.stack([_beyond(at, t, column) for column in made.places.T], axis=1)
        c, s = np.cos(heading), np.sin(heading)
        foot = FOOT + np.array([0.0, BESIDE * (1.0 - 2.0 * side), 0.0])
        found[:, :, 0, k] = place[:, :1] + c[:, None] * foot[:, 0] - s[:, None] * foot[:, 1]
        found[:, :, 1, k] = place[:, 1:] + s[:, None] * foot[:, 0] + c[:, None] * foot[:, 1]
        found[:, :, 2, k] = 0.0
    return found


def _beyond(at: np.ndarray, t: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Values at times that may lie beyond the ends, where they go on evenly."""
    found = np.interp(at, t, values)
    first, last = values[1] - values[0], values[-1] - values[-2]
    step = t[1] - t[0]
    found = np.where(at < t[0], values[0] + (at - t[0]) * first / step, found)
    return np.where(at > t[-1], values[-1] + (at - t[-1]) * last / step, found)
