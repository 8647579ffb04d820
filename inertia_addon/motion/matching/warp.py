# SPDX-License-Identifier: GPL-3.0-or-later
"""Takes drift out of a way: a smooth motion of the root that brings it nearer to its target.

What is left between the character and its target is smoothed over time, so that a step is moved as a whole as
far as that can be, and put on top of where it stands and which way it faces.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from ...records import record
from ..arrays import Array, Integers
from ..smoothing import smooth
from .detours import Outline
from .features import turned
from .targets import STILL, Target, Timed, Untimed, wrapped
from .ways import Way

SECONDS = 0.5
"""The standard deviation of the Gaussian that errors are smoothed by."""
STRIDE = 0.25
"""Who is on the way sways with each stride: at a goal it faces as asked on average over about so long to both
sides, in seconds."""
TURN_LIMIT = np.radians(30.0)
"""Who faces further away than this does so on purpose, and is turned by no more, but at a goal."""
PUSHES, GENTLER, NEARER, SWAY = 100, 20.0, 1e-3, 0.075
"""So often at most a way is pushed where it is too near to something, from so many times on less and less,
and where by more than this, in metres; and it keeps this part more away, as bodies sway about their way."""


@record(frozen=True, eq=False)
class Warp:
    """How the character is moved on each frame: turned by ``turn`` (frames,) radians about where it stands
    on the ground, ``about`` (frames, 2), then moved by ``shift`` (frames, 2) metres."""

    about: Array
    turn: Array
    shift: Array

    def matrices(self) -> Array:
        """How the character is moved, as motions of the world (frames, 4, 4)."""
        found = np.tile(np.eye(4), (len(self.turn), 1, 1))
        c, s = np.cos(self.turn), np.sin(self.turn)
        found[:, 0, 0], found[:, 0, 1], found[:, 1, 0], found[:, 1, 1] = c, -s, s, c
        found[:, :2, 3] = self.about + self.shift - turned(self.about, self.turn)
        return found


def along(way: Way, target: Target, fps: float, amount: float = 1.0, goals: Sequence[int] = ()) -> Warp:
    """The warp of a way towards its target. amount: which part of the smoothed error is taken out. goals: the
    frames on which all of it is."""
    places, facing = followed(way, target)
    away = smooth(places - way.ground, SECONDS * fps)
    aside = np.zeros(way.frames)
    if not target.free:
        aside = np.clip(wrapped(facing - way.heading), -TURN_LIMIT, TURN_LIMIT)
    away, turn = amount * away, amount * smooth(aside, SECONDS * fps)
    at = np.array(sorted({frame for frame in goals if amount > 0.0 and frame < way.frames}), np.int64)
    if len(at):
        faced = 0.0 * at if target.free else turned_aside(places, facing, way.heading, fps)[at]
        left = np.column_stack([(places - way.ground - away)[at], faced - turn[at]])
        more = _through(at, left, way.frames, SECONDS * fps)
        away, turn = away + more[:, :2], turn + more[:, 2]
    return Warp(way.ground, turn, away)


def turned_aside(places: Array, facing: Array, heading: Array, fps: float) -> Array:
    """How far a facing (frames,) is from a heading (frames,), radians: where places (frames, 2) move, on
    average over a stride, as bodies sway; where they stand, on the very frame."""
    aside = np.unwrap(wrapped(facing - heading))
    speeds = np.linalg.norm(np.diff(places, axis=0), axis=1) * fps
    slower = np.minimum(np.append(speeds, np.inf), np.insert(speeds, 0, np.inf))
    return np.where(slower < STILL, aside, smooth(aside, STRIDE * fps))


def kept_away(warp: Warp, ground: Array, outlines: Sequence[Outline], distance: float, fps: float) -> Warp:
    """A warp that keeps a way (frames, 2), where it brings it, a distance away from outlines, metres.

    Where it would come nearer it is pushed aside, and smoothly back. Between two of them that are too close
    together it stays about as far from both.
    """
    shift, frames = warp.shift.copy(), np.arange(len(ground))
    best, least = shift.copy(), np.inf
    for i in range(PUSHES):
        seen = (each.depths(ground + shift, (1.0 + SWAY) * distance) for each in outlines)
        depths, ways = zip(*seen, strict=True)
        nearest = np.argmax(depths, axis=0)
        deep, way = np.array(depths)[nearest, frames], np.array(ways)[nearest, frames]
        worst = int(np.argmax(np.round(deep, 9)))
        if deep[worst] < least:
            best, least = shift.copy(), float(deep[worst])
        if deep[worst] <= NEARER:
            break
        bell = np.exp(-0.5 * ((frames - worst) / (SECONDS * fps)) ** 2)
        # less and less, so that who is pushed to and fro comes to rest
        pushed = (deep[worst] + 0.5 * NEARER) * min(1.0, GENTLER / (i + 1.0))
        shift += bell[:, None] * pushed * way[worst]
    return dataclasses.replace(warp, shift=best)


def _through(at: Integers, values: Array, count: int, deviation: float) -> Array:
    """The sum of Gaussians (count, columns) around frames (n,) that has values (n, columns) there, as nearly
    as that can be where they are close together."""
    away = (np.arange(count)[:, None] - at) / deviation
    bells = np.exp(-0.5 * away * away)
    heights, *_ = np.linalg.lstsq(bells[at], values, rcond=1e-3)
    return np.asarray(bells @ heights)


def warped(way: Way, warp: Warp) -> Way:
    """A way that is moved by a warp."""
    return dataclasses.replace(way, ground=way.ground + warp.shift, heading=way.heading + warp.turn)


def followed(way: Way, target: Target) -> tuple[Array, Array]:
    """Where a way should be (frames, 2), and face (frames,): along a line, its nearest points."""
    if isinstance(target, Timed):
        at = np.minimum(np.arange(way.frames), target.frames - 1)
        return target.ground[at], target.facing[at]
    return target.line.at(progress(way, target))


def progress(way: Way, target: Untimed) -> Array:
    """How far along a line each frame of a way is (frames,), metres; it never goes back."""
    later = np.arange(way.frames)
    error = target.error(way.ground[None], way.heading[None], 0, later, np.zeros(1))
    return np.asarray(error.progress[0])
