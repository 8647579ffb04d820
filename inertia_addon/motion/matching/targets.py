# SPDX-License-Identifier: GPL-3.0-or-later
"""What is to be followed over the ground: a place and a facing for each frame, or a line without any timing.

Both say for each hypothesis of a search what to look for, and what it costs to be elsewhere. Lengths are in
metres, angles in radians about the vertical from the x axis.
"""

from __future__ import annotations

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from ...errors import InertiaError
from ...records import record
from ..arrays import Array, ArrayLike, Flags, Integers, smooth
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

    def at(self, metres: Array) -> tuple[Array, Array]:
        """Return the points (..., 2) and directions (...) that are `metres` (...) along the line; its
        ends beyond them.
        """
        place = np.clip(metres / self.step, 0.0, len(self.points) - 1.0)
        below = np.minimum(place.astype(np.int64), len(self.points) - 2)
        part = place - below
        points = self.points[below] + (self.points[below + 1] - self.points[below]) * part[..., None]
        return points, self.facing[below] + (self.facing[below + 1] - self.facing[below]) * part


def line(points: ArrayLike, step: float = STEP) -> GroundLine:
    """Return a line through points (n, 2 or 3), whose height is left aside.

    Raise InertiaError without a length.
    """
    ground = np.asarray(points, float)[:, :2]
    gaps = np.linalg.norm(np.diff(ground, axis=0), axis=1)
    way = np.concatenate([[0.0], np.cumsum(gaps)])
    if len(ground) < 2 or way[-1] < 10.0 * step:
        raise _too_short(float(way[-1]))
    count = round(way[-1] / step)
    even = np.linspace(0.0, way[-1], count + 1)
    kept = np.concatenate([[True], gaps > 0.0])
    resampled = np.stack([np.interp(even, way[kept], ground[kept, i]) for i in range(2)], axis=1)
    apart = max(1, round(TANGENT / step))
    ends = np.clip(np.arange(count + 1) + apart, 0, count), np.clip(np.arange(count + 1) - apart, 0, count)
    ahead = resampled[ends[0]] - resampled[ends[1]]
    return GroundLine(resampled, np.unwrap(np.arctan2(ahead[:, 1], ahead[:, 0])), float(way[-1]) / count)


def _too_short(length: float) -> InertiaError:
    return InertiaError(
        "The path is {length:.3g} m long, which leaves nothing to follow; draw a longer one.", length=length
    )


def errors(away: Array, aside: Array, size: ArrayLike) -> tuple[Array, Array]:
    """Return what it costs a second to be away (..., 2), metres, and aside (...), radians.

    size: by a person's.
    """
    near = np.sum(away**2, axis=-1) / (NEAR * np.asarray(size)) ** 2
    return near, (wrapped(aside) / ASIDE) ** 2


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
        """Return where rows should be (rows, times, 2) so many frames later, and face (rows, times)."""
        at = np.minimum(frame + later, self.frames - 1)
        shape = (len(progress), len(later))
        return np.broadcast_to(self.ground[at], (*shape, 2)), np.broadcast_to(self.facing[at], shape)

    def error(self, ground: Array, heading: Array, frame: int, later: Integers, progress: Array) -> Error:
        """Return what it costs to be at places (rows, times, 2), facing (rows, times), so many frames
        later.
        """
        at, counts = np.minimum(frame + later, self.frames - 1), frame + later < self.frames
        away, aside = errors(ground - self.ground[at], heading - self.facing[at], self.size)
        if self.free:
            aside = np.zeros(aside.shape)
        return Error(away * counts, aside * counts, np.broadcast_to(progress[:, None], heading.shape))

    def is_over(self, frame: int, progress: Array, speed: Array) -> Flags:
        """Tell which rows (rows,) have come to the end."""
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
        """Return what it costs to go `gone` metres (rows,) along the line in some frames: less than
        nothing.
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
        """Return where rows should be, and face, having gone the distances ``pace`` (rows, times) on from
        now.
        """
        return self.line.at(progress[:, None] + pace)

    def error(self, ground: Array, heading: Array, frame: int, later: Integers, progress: Array) -> Error:
        """Return the error to the nearest point of the line that is not behind; see :meth:`Timed.error`."""
        reached = np.empty(heading.shape)
        now, before = progress, None
        points = self.line.points
        longer = np.concatenate([points, np.broadcast_to(points[-1], points.shape)]).T.copy()
        for i in range(heading.shape[1]):
            place = ground[:, i]
            # what has been gone since bounds how far ahead the nearest point may be
            gone = WINDOW * (0.3 if before is None else float(np.linalg.norm(place - before, axis=1).max()))
            now = self._nearest(place, now, gone + 5.0 * self.line.step, longer)
            reached[:, i], before = now, place
        points, directions = self.line.at(reached)
        position = np.sum((ground - points) ** 2, axis=-1) / (NEAR * self.size) ** 2
        aside = 0.0 * heading if self.free else wrapped(heading - directions)
        return Error(position, (aside / ASIDE) ** 2, reached)

    def _nearest(self, point: Array, progress: Array, reach: float, longer: Array) -> Array:
        """Return the way (rows,), in metres, to the nearest point of the line, at most `reach` metres
        ahead of progress. longer: (2, 2 n), the line's points, followed by as many copies of the last one.
        """
        first = np.floor(progress / self.line.step + 1e-9).astype(np.int64)
        last = len(self.line.points) - 1
        count = min(int(reach / self.line.step) + 2, last + 1)
        # windows of a row are copied several times as quickly as points of a table
        x, y = sliding_window_view(longer, count, axis=1)[:, first]
        away = (x - point[:, :1]) ** 2 + (y - point[:, 1:]) ** 2
        best = np.minimum(first + np.argmin(np.round(away, 9), axis=1), last)
        return np.maximum(progress, best * self.line.step)

    def is_over(self, frame: int, progress: Array, speed: Array) -> Flags:
        """Tell which rows have come to the end, and stand still there if they shall."""
        left = self.line.length - progress
        if self.standing:
            return np.asarray((left <= SHORT * self.size) & (speed < SLOW * self.size))
        return np.asarray(left <= 2.0 * self.line.step)


Target = Timed | Untimed


def wrapped(angles: Array) -> Array:
    """Angles in [-pi, pi)."""
    return np.asarray((angles + np.pi) % (2.0 * np.pi) - np.pi)


def at_speed(path: GroundLine, speed: float, fps: float, size: float = 1.0, *, free: bool = False) -> Timed:
    """Return a target that follows a line at a constant speed, metres a second."""
    count = int(np.floor(path.length / speed * fps + 1e-9)) + 1
    way = np.arange(count, dtype=float) * (speed / fps)
    points, facing = path.at(way)
    return Timed(points, facing, fps, size, free)


def timed(
    points: ArrayLike, fps: float, facing: ArrayLike | None = None, size: float = 1.0, *, free: bool = False
) -> Timed:
    """Return a target that has its own timing.

    points: (n, 2 or 3), one for each frame. facing: (n,) radians; None for the direction it goes. Raises
    InertiaError for one that jumps, or that lasts no second.
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
    """Return which way something goes that is at places (n, 2), in radians, unwrapped; while still, as
    before.
    """
    velocity = np.gradient(smooth(ground, SMOOTH_SECONDS * fps), axis=0) * fps
    moves = np.linalg.norm(velocity, axis=1) > STILL
    # while it has not begun to move, it faces where it will go
    places = np.where(moves, np.arange(len(ground)), -1)
    places = np.maximum.accumulate(places)
    places = np.where(places < 0, np.argmax(moves), places)
    return np.unwrap(np.arctan2(velocity[places, 1], velocity[places, 0]))


def to_local(ground: Array, heading: Array, points: Array, facing: Array) -> tuple[Array, Array]:
    """Points (n, m, 2) and directions (n, m) of the world as seen by who stands (n, 2) and faces (n,) so."""
    return turned(points - ground[:, None], -heading[:, None]), facing - heading[:, None]
