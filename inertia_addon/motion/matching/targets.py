# SPDX-License-Identifier: GPL-3.0-or-later
"""What is to be followed over the ground: a place and a facing for each frame, or a line without any timing.

Both say for each hypothesis of a search what to look for, and what it costs to be elsewhere. Lengths are in
metres, angles in radians about the vertical from the x axis.
"""

from __future__ import annotations

import functools

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from ...errors import InertiaError
from ...records import record
from ..arrays import Array, ArrayLike, Flags, Integers, smooth
from ..quaternion import norms
from .database import SMOOTH_SECONDS
from .features import turned

NEAR = 0.1
"""So far from the path, in metres for a person, costs 1 a second; costs grow with the square."""
ASIDE = np.radians(15.0)
"""So much turned away from where to face costs 1 a second, too."""
REWARD = 3.0
"""What a metre of a line is worth that is drawn without a timing: the error that is borne to get on."""
HURRY = 15.0
"""What a second costs in which one gets no further along a line; less, the nearer the pace is to the
slowest usual one. A reward alone would have a character stand where all joins are dear."""
STEP = 0.02
"""A line is stored in steps of so many metres."""
TANGENT = 0.1
"""The direction of a line is that between two points, so many metres behind and ahead."""
JUMP_SPEED = 25.0
"""A target that is quicker, in metres a second for a person, jumps."""
STILL = 0.05
"""A target that is slower, in metres a second, keeps the direction that it had."""
SHORT, SLOW = 0.25, 0.2
"""Who shall stand at the end of a line may stop so many metres before it, and moves no faster than this
then, in metres a second, for a person."""
WINDOW = 1.5
"""The nearest point of a line is looked for no further ahead than this many times the way that was gone."""


@record(frozen=True, eq=False)
class Error:
    """What being elsewhere costs a second: (rows, times) each; and how far along the line that is, metres."""

    position: Array
    facing: Array
    progress: Array


@record(frozen=True, eq=False)
class GroundLine:
    """A line over the ground.

    points: (n, 2), evenly spaced by ``step`` metres. facing: (n,) radians, of its direction."""

    points: Array
    facing: Array
    step: float

    @property
    def length(self) -> float:
        """Its length."""
        return self.step * (len(self.points) - 1)

    @functools.cached_property
    def onward(self) -> NDArray[np.complex128]:
        """Return each point and those behind it, (n, n) complex numbers x + iy, read-only; behind the end the
        last one is repeated.
        """
        x, y = np.concatenate([self.points, np.broadcast_to(self.points[-1], self.points.shape)]).T
        # rows of a view, which are copied several times as quickly as points of a table
        return sliding_window_view(x + 1j * y, len(self.points))[:-1]

    def at(self, metres: Array) -> tuple[Array, Array]:
        """Return the points (..., 2) and directions (...), radians, that are `metres` (...) along the line.

        Between its points both are interpolated; beyond its ends they are those of the ends.
        """
        place = np.clip(metres / self.step, 0.0, len(self.points) - 1.0)
        # the last point is the end of the last stretch
        below = np.minimum(place.astype(np.int64), len(self.points) - 2)
        part = place - below
        ends = (
            (values.take(below, axis=0), values.take(below + 1, axis=0))
            for values in (self.points, self.facing)
        )
        (here, there), (facing, turned_to) = ends
        return here + (there - here) * part[..., None], facing + (turned_to - facing) * part


def line(points: ArrayLike, step: float = STEP) -> GroundLine:
    """Return a line through points (n, 2 or 3), metres, resampled evenly about every `step` metres; z is
    ignored.

    A point's direction is that from 0.1 m behind it to 0.1 m ahead. Raise InertiaError for fewer than two
    points, or a length of less than ten steps.
    """
    ground = np.asarray(points, float)[:, :2]
    gaps = np.linalg.norm(np.diff(ground, axis=0), axis=1)
    way = np.concatenate([[0.0], np.cumsum(gaps)])
    if len(ground) < 2 or way[-1] < 10.0 * step:
        raise _too_short(float(way[-1]))
    count = round(way[-1] / step)
    even = np.linspace(0.0, way[-1], count + 1)
    # lengths must rise, so that points twice in a place come once
    kept = np.concatenate([[True], gaps > 0.0])
    resampled = np.stack([np.interp(even, way[kept], ground[kept, i]) for i in range(2)], axis=1)
    apart = max(1, round(TANGENT / step))
    ends = np.clip(np.arange(count + 1) + apart, 0, count), np.clip(np.arange(count + 1) - apart, 0, count)
    ahead = resampled[ends[0]] - resampled[ends[1]]
    # without jumps, as directions between two points are interpolated
    return GroundLine(resampled, np.unwrap(np.arctan2(ahead[:, 1], ahead[:, 0])), float(way[-1]) / count)


def _too_short(length: float) -> InertiaError:
    return InertiaError(
        "The path is {length:.3g} m long, which leaves nothing to follow; draw a longer one.", length=length
    )


def errors(away: Array, aside: Array, size: ArrayLike) -> tuple[Array, Array]:
    """Return what it costs a second to be away from a place, and turned aside from a facing.

    Parameters
    ----------
    away : (..., 2)
        Metres; 0.1 m (for a person) cost 1, and costs grow with the square.
    aside : (...)
        Radians, taken to within half a turn; 15 degrees cost 1, likewise.
    size
        The character's, as a part of a person's, a number or (...).

    Returns
    -------
    tuple[Array, Array]
        Both costs (...).
    """
    near = _squares(away) / (NEAR * np.asarray(size)) ** 2
    return near, (wrapped(aside) / ASIDE) ** 2


def _squares(vectors: Array) -> Array:
    """Return the squared lengths (...) of vectors (..., 2), in a third of the time of numpy's sum."""
    x, y = vectors[..., 0], vectors[..., 1]
    return x * x + y * y


@record(frozen=True, eq=False)
class Timed:
    """Where to be on each frame (n, 2), and which way to face (n,). free: whether facing costs nothing.
    begins: in seconds of the take that it is a part of."""

    ground: Array
    facing: Array
    fps: float
    size: float = 1.0
    free: bool = False
    begins: float = 0.0

    reward = 0.0

    @property
    def frames(self) -> int:
        """How many frames it takes."""
        return len(self.ground)

    def gain(self, gone: Array, frames: int) -> Array:
        """Return zeros: time says where to be, so that nothing is gained; see Untimed."""
        return np.zeros(len(gone))

    def key(self, frame: int, progress: Array) -> Array:
        """Return how far along all rows are: in seconds."""
        return np.full(len(progress), frame / self.fps) + self.begins

    def wanted(self, frame: int, later: Integers, progress: Array, pace: Array) -> tuple[Array, Array]:
        """Return where rows should be some frames later, and which way they should face; at the end it stays.

        Parameters
        ----------
        frame
            Of the target, now.
        later : (times,)
            How many frames later.
        progress : (rows,)
            Only its length counts.
        pace
            Not used.

        Returns
        -------
        tuple[Array, Array]
            Places (rows, times, 2), metres, and facings (rows, times), radians; the same for
            all rows, read-only.
        """
        at = np.minimum(frame + later, self.frames - 1)
        shape = (len(progress), len(later))
        return np.broadcast_to(self.ground[at], (*shape, 2)), np.broadcast_to(self.facing[at], shape)

    def error(self, ground: Array, heading: Array, frame: int, later: Integers, progress: Array) -> Error:
        """Return what it costs a second to be elsewhere than the target, or to face elsewhere.

        Errors grow with the square: 0.1 m (for a person) costs 1, and so do 15 degrees. Behind the target's
        end all costs are 0, and facing costs nothing if it is free.

        Parameters
        ----------
        ground : (rows, times, 2)
            Places, metres.
        heading : (rows, times)
            Facings, radians.
        frame
            Of the target, now.
        later : (times,)
            How many frames later each is.
        progress : (rows,)
            Repeated in the result for all times.

        Returns
        -------
        Error
            Arrays (rows, times).
        """
        at, counts = np.minimum(frame + later, self.frames - 1), frame + later < self.frames
        away, aside = errors(ground - self.ground[at], heading - self.facing[at], self.size)
        if self.free:
            aside = np.zeros(aside.shape)
        return Error(away * counts, aside * counts, np.broadcast_to(progress[:, None], heading.shape))

    def is_over(self, frame: int, progress: Array, speed: Array) -> Flags:
        """Tell which rows have come to the end: all if the frame is the target's last or later, else none.

        Parameters
        ----------
        frame
            Of the target, now.
        progress : (rows,)
            Only its length counts.
        speed
            Not used.

        Returns
        -------
        Flags (rows,)
            All alike.
        """
        return np.full(len(progress), frame >= self.frames - 1)


@record(frozen=True, eq=False)
class Untimed:
    """A line that is followed as quickly as the clips go: each row has its own way along it.

    standing: whether it ends with standing still. slow: the slowest usual pace, metres a second."""

    line: GroundLine
    fps: float
    size: float = 1.0
    free: bool = False
    standing: bool = False
    slow: float = 0.0

    @property
    def reward(self) -> float:
        """What a metre is worth."""
        return REWARD / self.size

    def gain(self, gone: Array, frames: int) -> Array:
        """Return the cost (rows,) of going `gone` metres (rows,) along the line in `frames` frames; negative
        if it pays.

        Each metre takes off 3 over the character's size. If a slowest pace (slow) is set, whoever goes slower
        than that pays, too: 15 a second who stands, and evenly less up to that pace.
        """
        if self.slow <= 0.0:
            return np.asarray(-self.reward * gone)
        seconds = frames / self.fps
        short = np.maximum(1.0 - gone / (self.slow * seconds), 0.0)
        return np.asarray(HURRY * seconds * short - self.reward * gone)

    def key(self, frame: int, progress: Array) -> Array:
        """Return how far along the line all rows are, in metres."""
        return progress

    def wanted(self, frame: int, later: Integers, progress: Array, pace: Array) -> tuple[Array, Array]:
        """Return where rows should be, and face, when they have gone some way on along the line.

        Parameters
        ----------
        frame, later
            Not used.
        progress : (rows,)
            Metres along the line now.
        pace : (rows, times)
            Metres from there on.

        Returns
        -------
        tuple[Array, Array]
            Places (rows, times, 2), metres, and the line's directions there (rows, times),
            radians; beyond its ends those of the ends.
        """
        return self.line.at(progress[:, None] + pace)

    def error(self, ground: Array, heading: Array, frame: int, later: Integers, progress: Array) -> Error:
        """Return what it costs a second to be beside the line, or to face elsewhere, and the progress.

        For each time the nearest of the points in which the line is stored, line.step apart, is taken that
        is not behind the one before, and not further ahead than the character can have gone; never one
        behind `progress`. Errors grow with the square: 0.1 m (for a person) from it costs 1, and so do 15
        degrees from its direction, nothing if facing is free.

        Parameters
        ----------
        ground : (rows, times, 2)
            Places, metres, in the order of time.
        heading : (rows, times)
            Facings, radians.
        frame, later
            Not used.
        progress : (rows,)
            Metres along the line now.

        Returns
        -------
        Error
            Arrays (rows, times); progress in metres.
        """
        # the way that has been gone since the time before bounds how far ahead the nearest point may be
        steps = norms(np.diff(ground, axis=1)).max(axis=0, initial=0.0)
        nearest = np.empty((heading.shape[1], len(heading)), np.int64)
        place = np.floor(progress / self.line.step + 1e-9).astype(np.int64)
        place = np.minimum(place, len(self.line.points) - 1)
        where = ground[..., 0] + 1j * ground[..., 1]
        for i, gone in enumerate([0.3, *steps.tolist()]):
            place = nearest[i] = self._find_nearest(where[:, i], place, WINDOW * gone + 5.0 * self.line.step)
        reached = np.maximum(progress[:, None], nearest.T * self.line.step)
        points, directions = self.line.at(reached)
        position = _squares(ground - points) / (NEAR * self.size) ** 2
        aside = 0.0 * heading if self.free else wrapped(heading - directions)
        return Error(position, (aside / ASIDE) ** 2, reached)

    def _find_nearest(self, ground: NDArray[np.complex128], first: Integers, reach: float) -> Integers:
        """Return which of the line's points (rows,) is the nearest to each place (rows,), complex x + iy.

        first: (rows,), the first point that is looked at, of those before the result. reach: metres, about
        how far ahead of that it is looked for.
        """
        count = min(int(reach / self.line.step) + 2, len(self.line.points))
        ways = self.line.onward[first, :count]
        ways -= ground[:, None]
        away = ways.real**2
        away += ways.imag**2
        # of the copies behind the end the first is the end itself
        return first + away.round(9, out=away).argmin(axis=1)

    def is_over(self, frame: int, progress: Array, speed: Array) -> Flags:
        """Tell which hypotheses have reached the line's end.

        Parameters
        ----------
        frame
            Not used.
        progress : (rows,)
            Metres along the line.
        speed : (rows,)
            Metres a second; it counts only if the way shall end standing.

        Returns
        -------
        Flags (rows,)
            True from two steps of the line (about 0.04 m) before its end on; if the way shall
            end standing, from 0.25 m on and slower than 0.2 m/s (both for a person).
        """
        left = self.line.length - progress
        if self.standing:
            return np.asarray((left <= SHORT * self.size) & (speed < SLOW * self.size))
        return np.asarray(left <= 2.0 * self.line.step)


Target = Timed | Untimed


def wrapped(angles: Array) -> Array:
    """Return angles, radians, moved by whole turns into [-pi, pi)."""
    return np.asarray((angles + np.pi) % (2.0 * np.pi) - np.pi)


def at_speed(path: GroundLine, speed: float, fps: float, size: float = 1.0, *, free: bool = False) -> Timed:
    """Return a target that follows a line at a constant speed from its beginning, and faces along it.

    Parameters
    ----------
    path
        The line.
    speed
        Metres a second, above 0.
    fps
        Frames a second.
    size
        The character's, as a part of a person's.
    free
        Whether facing costs nothing.

    Returns
    -------
    Timed
        Its last frame is the last one that lies on the line, which may be short of the
        line's end.
    """
    count = int(np.floor(path.length / speed * fps + 1e-9)) + 1
    way = np.arange(count, dtype=float) * (speed / fps)
    points, facing = path.at(way)
    return Timed(points, facing, fps, size, free)


def timed(
    points: ArrayLike, fps: float, facing: ArrayLike | None = None, size: float = 1.0, *, free: bool = False
) -> Timed:
    """Return a target with a timing of its own.

    Parameters
    ----------
    points : (n, 2 or 3)
        Metres, one for each frame; z is ignored.
    fps
        Frames a second.
    facing : (n,)
        Radians; None for the direction in which it moves.
    size
        The character's, as a part of a person's.
    free
        Whether facing costs nothing.

    Returns
    -------
    Timed
        With facings without jumps.

    Raises
    ------
    InertiaError
        There are fewer than `fps` points, a step is faster than 25 m/s (for a person), or
        the steps add up to less than 0.2 m (for a person).
    """
    ground = np.asarray(points, float)[:, :2]
    if len(ground) < fps:
        raise InertiaError(
            "The target moves for {seconds:.2g} s only; give one that takes a second or more.",
            seconds=len(ground) / fps,
        )
    steps = np.linalg.norm(np.diff(ground, axis=0), axis=1)
    far = int(np.argmax(steps))
    if steps[far] * fps > JUMP_SPEED * size:
        raise InertiaError(
            "The target jumps by {metres:.3g} m at {seconds:.2f} s; give one that moves on without jumps.",
            metres=float(steps[far]),
            seconds=far / fps,
        )
    if steps.sum() < 10.0 * STEP * size:
        raise _too_short(float(steps.sum()))
    if facing is None:
        return Timed(ground, directions(ground, fps), fps, size, free)
    return Timed(ground, np.unwrap(np.asarray(facing, float)), fps, size, free)


def directions(ground: Array, fps: float) -> Array:
    """Return the direction (n,) of motion through places (n, 2), metres, in radians without jumps.

    fps: places a second. Places are smoothed with a standard deviation of 0.1 s; velocities are central
    differences. At 0.05 m/s or less the direction is the one before; at the beginning it is the first one
    that follows. If it is never quicker, the direction of the first frame's velocity, however slow, holds for
    all, 0 if that is none. Fewer than two places raise ValueError.
    """
    velocity = np.gradient(smooth(ground, SMOOTH_SECONDS * fps), axis=0) * fps
    moves = np.linalg.norm(velocity, axis=1) > STILL
    # while it has not begun to move, it faces where it will go
    places = np.where(moves, np.arange(len(ground)), -1)
    places = np.maximum.accumulate(places)
    places = np.where(places < 0, np.argmax(moves), places)
    return np.unwrap(np.arctan2(velocity[places, 1], velocity[places, 0]))


def to_local(ground: Array, heading: Array, points: Array, facing: Array) -> tuple[Array, Array]:
    """Return points and directions of the world as they are seen by characters that stand and face somewhere.

    Parameters
    ----------
    ground : (n, 2)
        Where each stands.
    heading : (n,)
        Which way it faces, radians.
    points : (n, m, 2)
        Points of the world.
    facing : (n, m)
        Directions in the world, radians.

    Returns
    -------
    tuple[Array, Array]
        Points (n, m, 2) and directions (n, m), the latter not wrapped; x is ahead.
    """
    return turned(points - ground[:, None], -heading[:, None]), facing - heading[:, None]
