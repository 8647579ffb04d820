# SPDX-License-Identifier: GPL-3.0-or-later
"""A way over the ground: rigid motions of the plane, one a frame, that take a clip along; and who walks."""

from __future__ import annotations

import dataclasses

import numpy as np

from ...records import record
from ..arrays import Array, ArrayLike
from ..feet.contacts import lowest_around
from ..judging import evidence as judge
from ..judging.evidence import Track
from .ground import AROUND_SECONDS, ClipFeet, PassingGround

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


@record(frozen=True, eq=False)
class GroundPath:
    """How a character is moved over the ground at frames of a clip.

    frames: (n,) rising. places: (n, 2), where the world's origin is taken. turns: (n,) radians about the
    vertical, unwrapped. The first motion is none.
    """

    frames: Array
    places: Array
    turns: Array

    def matrices(self, frames: ArrayLike | None = None) -> Array:
        """Return the motions of the world (n, 4, 4), at this path's frames, or at `frames` (n,) if given.

        Each turns about the vertical through the world's origin, then moves that to the place; heights stay.
        They act on columns. Between the path's frames turn and place are interpolated linearly; beyond the
        ends they are held.
        """
        turns, places = self.turns, self.places
        if frames is not None:
            at = np.asarray(frames, float)
            turns = np.interp(at, self.frames, turns)
            places = np.stack([np.interp(at, self.frames, column) for column in places.T], axis=1)
        motions = np.tile(np.eye(4), (len(turns), 1, 1))
        c, s = np.cos(turns), np.sin(turns)
        motions[:, 0, 0], motions[:, 0, 1], motions[:, 1, 0], motions[:, 1, 1] = c, -s, s, c
        motions[:, :2, 3] = places
        return motions

    def repeated(self, frames: ArrayLike) -> Array:
        """Return the motions (n, 4, 4) of the world at frames (n,) of a cycle that repeats this path, before
        and behind it too.

        From the first frame on, up to before the last, motions are those of :meth:`matrices`. Each later
        repetition is moved by this path's last motion from the left, once for each repetition, each earlier
        one by its inverse; the frame on which two meet counts as the first of the later one. So a repetition
        starts where the one before has ended, provided that the path's first motion is none. The path must
        have at least two frames.
        """
        first, last = self.frames[[0, -1]].tolist()
        turns, within = np.divmod(np.asarray(frames, float) - first, last - first)
        motions, whole = self.matrices(first + within), self.matrices()[-1]
        for turn in np.unique(turns).tolist():
            motions[turns == turn] = np.linalg.matrix_power(whole, int(turn)) @ motions[turns == turn]
        return motions

    def carry(self, points: Array) -> Array:
        """Return points (n, ..., 3) at its frames, each where the way takes them."""
        motions = self.matrices()
        turned = np.einsum("nij,n...j->n...i", motions[:, :3, :3], points)
        return np.asarray(turned + motions[:, :3, 3].reshape(-1, *(1,) * (points.ndim - 2), 3))

    def backwards(self) -> GroundPath:
        """Return the way that undoes this one."""
        inverse = np.array(np.linalg.inv(self.matrices()), float)
        return GroundPath(self.frames, inverse[:, :2, 3], -self.turns)

    def about(self, centre: ArrayLike) -> GroundPath:
        """Return this way as it is seen from a centre (2,): ``places`` are then how far that is taken."""
        away = self.matrices()[:, :2, :2] @ np.asarray(centre, float) - centre
        return dataclasses.replace(self, places=self.places + away)

    def scaled(self, factor: float) -> GroundPath:
        """Return this way in another unit of length."""
        return dataclasses.replace(self, places=self.places * factor)


def of_matrices(frames: ArrayLike, motions: Array) -> GroundPath:
    """Return the way of motions of the world (n, 4, 4), by turns about the vertical and shifts over the
    ground.
    """
    motions = motions @ np.linalg.inv(motions[0])
    turns = np.unwrap(np.arctan2(motions[:, 1, 0], motions[:, 0, 0]))
    return GroundPath(np.asarray(frames, float), motions[:, :2, 3], turns)


def along(frames: ArrayLike, rates: Array, fps: float) -> GroundPath:
    """Return the way below which ground passes at some rates.

    Each step is the exponential of the opposite rate (R. Murray, Z. Li, S. Sastry, "A Mathematical
    Introduction to Robotic Manipulation", 1994, section 2.3, in the plane), taken from where the steps before
    have led.

    Parameters
    ----------
    frames : (n,)
        Rising.
    rates : (n - 1, 3)
        From each frame to the next, in the clip's own world: how fast the ground at the
        origin goes, x and y a second, and how fast it turns there, radians a second.
    fps
        Frames a second.

    Returns
    -------
    GroundPath
        At the frames; it begins with no motion.
    """
    frames = np.asarray(frames, float)
    seconds = np.diff(frames) / fps
    turned, gone = -rates[:, 2] * seconds, -rates[:, :2] * seconds[:, None]
    half = 0.5 * turned
    # sin(a) / a and (1 - cos(a)) / a, which is sin(a / 2) sinc(a / 2)
    along_, across = np.sinc(turned / np.pi), np.sin(half) * np.sinc(half / np.pi)
    x, y = gone.T
    steps = np.stack([along_ * x - across * y, across * x + along_ * y], axis=1)
    turns = np.concatenate([[0.0], np.cumsum(turned)])
    c, s = np.cos(turns[:-1]), np.sin(turns[:-1])
    led = np.stack([c * steps[:, 0] - s * steps[:, 1], s * steps[:, 0] + c * steps[:, 1]], axis=1)
    return GroundPath(frames, np.concatenate([np.zeros((1, 2)), np.cumsum(led, axis=0)]), turns)


def rates_of(path: GroundPath, fps: float) -> Array:
    """Return the rates (n - 1, 3) at which ground passes below a path: the inverse of :func:`along`.

    A row is for the step from a frame to the next: x and y of the velocity of the ground at the origin, in
    the path's unit a second, and its turn in radians a second. fps: frames a second.
    """
    motions = path.matrices()
    steps = np.linalg.inv(motions[:-1]) @ motions[1:]
    seconds = np.diff(path.frames) / fps
    turned = np.diff(path.turns)
    half = 0.5 * turned
    along_, across = np.sinc(turned / np.pi), np.sin(half) * np.sinc(half / np.pi)
    scale = along_**2 + across**2
    x, y = steps[:, 0, 3], steps[:, 1, 3]
    gone = np.stack([along_ * x + across * y, along_ * y - across * x], axis=1) / scale[:, None]
    return np.concatenate([-gone, -turned[:, None]], axis=1) / seconds[:, None]


def velocities(feet: ClipFeet, rates: Array) -> Array:
    """Return how fast the ground passes below the body (n - 1, 2), in the clip's unit a second."""
    at = 0.5 * (feet.middle[1:, :2] + feet.middle[:-1, :2])
    return np.asarray(rates[:, :2] + rates[:, 2:] * np.stack([-at[:, 1], at[:, 0]], axis=1))


def speed(feet: ClipFeet, rates: Array) -> float:
    """Return how fast the body goes over the ground on average, seen from itself, in the clip's unit a
    second.
    """
    return float(np.linalg.norm(velocities(feet, rates).mean(axis=0)))


def skates(clip_feet: ClipFeet, rates: Array) -> Array:
    """Return how far each foot skates over ground that passes at `rates`: (feet,), in the clip's unit, summed
    over all steps, in the order of the feet's soles.

    rates: (n - 1, 3), see :func:`along`. It is how far the ball of the foot, the second of its three points,
    goes horizontally over the ground from each frame to the next. A step counts by 2 - 2^(h / low), from 1 to
    0, where low is 0.03 leg lengths and h the mean over both frames of how high the ball is above its own
    lowest height within 0.6 s before and behind; see :func:`judging.evidence.measure_skating`. For that
    lowest height a cycle is repeated before and behind; its steps are counted once.
    """
    balls = clip_feet.soles[:, 1::3]
    seconds = np.diff(clip_feet.frames) / clip_feet.fps
    moved = along(clip_feet.frames, rates, clip_feet.fps).carry(balls)
    heights = balls[..., 2]
    repeats = 3 if clip_feet.is_cycle else 1
    repeated = np.concatenate([heights[:-1]] * (repeats - 1) + [heights])
    around = round(AROUND_SECONDS / float(seconds.mean()))
    lowest = np.stack([lowest_around(z, around) for z in repeated.T], axis=1)
    first = (len(heights) - 1) * (repeats // 2)
    stands, still = lowest[first : first + len(heights)], np.zeros((len(heights), 2))
    track, feet = Track(clip_feet.frames, moved), list(range(moved.shape[1]))
    return judge.measure_skating(track, feet, still, stands, LOW * clip_feet.length, clip_feet.fps).sum(
        axis=0
    )


def walks(feet: ClipFeet, ground: PassingGround) -> bool:
    """Tell whether a character in place walks, runs or creeps over the ground that was found.

    Its feet must skate at least 5 % less over the passing ground than over a standing one. The ground's mean
    velocity below the body must also be at least 0.3 leg lengths a second, and at least 0.8 of its mean
    speed, so that it passes steadily in one direction. Except in a cycle, two more conditions hold: the
    greatest distance that the body gets from its first place over the ground is more than 1.5 times the reach
    of its feet, and that reach is more than 0.25 leg lengths. The reach is how far a ball of a foot ranges
    along the mean velocity, the median of all feet.

    Outside of cycles, what follows the first sentence is not asked of a body that gets further than 2.5 times
    the reach and than a leg length, if its feet skate less than 0.6 of what they do on standing ground.
    """
    passing = velocities(feet, ground.rates)
    mean = float(np.linalg.norm(passing.mean(axis=0)))
    pace = float(np.linalg.norm(passing, axis=1).mean())
    before = float(skates(feet, np.zeros_like(ground.rates)).sum())
    after = float(skates(feet, ground.rates).sum())
    if after > LESS * before or mean <= 0.0:
        return False
    middle = along(feet.frames, ground.rates, feet.fps).carry(feet.middle)[:, :2]
    gone = float(np.linalg.norm(middle - middle[0], axis=1).max())
    reach = float(np.median(np.ptp(feet.soles[:, 1::3, :2] @ (passing.mean(axis=0) / mean), axis=0)))
    if not feet.is_cycle and gone > max(MANY * reach, feet.length) and after < CLEARLY * before:
        # whoever has gone so far may have stood, and turned about
        return True
    steady = mean >= SLOWEST * feet.length and mean >= STEADY * pace
    return steady and (feet.is_cycle or (gone > STEPS * reach and reach > STEP * feet.length))
