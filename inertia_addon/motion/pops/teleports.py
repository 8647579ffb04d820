# SPDX-License-Identifier: GPL-3.0-or-later
"""Teleports: where the whole character is elsewhere from one frame to the next, which is no motion.

Examples are a bind pose before the first frame of a take, and the seam of two takes in one action. A step
from a frame to the next belongs to a motion if the step before it or the one behind it is like it, or if it
is short. How far it is from both, as a root mean square over the joints, and at most its own length, is its
gap. The gaps of teleports stand clear of those of all other steps of the clip. A kick, a stumble or one limb
that was captured badly does not stand out so: the steps beside it foresee it, or most joints have no part in
it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ...records import record
from ..arrays import Array, ArrayLike, Flags, Integers

LEAST = 0.04
"""The gap of a teleport, in sizes of the character: 10 cm of a grown-up, over all joints."""
TIMES = 4.0
"""The gap of a teleport is so many times the highest gap of all steps that are none."""
SELDOM = 10
"""At most one of so many steps is a teleport, or two of few: what jumps more often moves like that."""
SHORTEST = 6
"""A clip of fewer frames is too short to say what is usual in it."""
STILL = 1e-4
"""A joint whose way is within this part of the longest one does not move."""
HELD, AROUND = 1e-6, 4
"""A pose is held that stays within this part of the size; so many steps beside a teleport are looked at."""
STUB = 2.0
"""What goes on for fewer frames between two teleports is a pose, not a motion."""
SAME = 1e-4
"""Frames nearer than this are the same."""


@record(frozen=True)
class Teleport:
    """One teleport of a clip.

    last: the last frame before it. first: the first frame behind it. way: how far the joints are taken,
    metres, as a root mean square.
    """

    last: float
    first: float
    way: float

    def timed(self, times: Callable[[Sequence[float]], Array]) -> Teleport:
        """Return the same teleport in another time. times: takes frames (n,), and returns theirs (n,)."""
        last, first = times([self.last, self.first]).tolist()
        return Teleport(last, first, self.way)


def find(positions: ArrayLike, size: float, seconds: ArrayLike = 1.0) -> list[tuple[int, float]]:
    """Return the steps that are teleports, each with its way in the positions' unit, in order.

    positions: (n, joints, 3) at n successive frames, in the world. size: of the character, in the same unit.
    seconds: (n - 1,) how long each step takes, in any unit; 1 where all take as long.
    """
    positions = np.asarray(positions, float)
    if len(positions) < SHORTEST or size <= 0.0:
        return []
    return steps_of(gaps(positions, seconds), size)


def gaps(positions: ArrayLike, seconds: ArrayLike = 1.0) -> tuple[Array, Array]:
    """Return the gap of each step (n - 1,) and its length (n - 1,), both in the positions' unit.

    For the parameters see :func:`find`. The first and the last step have one neighbour alone.
    """
    positions = np.asarray(positions, float)
    spans = np.max(np.ptp(positions, axis=0), axis=-1)
    positions = positions[:, spans > STILL * max(float(spans.max(initial=0.0)), 1e-12)]
    steps = np.diff(positions, axis=0)
    rates = steps / np.broadcast_to(np.asarray(seconds, float), len(steps))[:, None, None]
    lone = np.full(1, np.inf)
    changes = _rms(np.diff(rates, axis=0))
    gap = np.minimum(np.concatenate([lone, changes]), np.concatenate([changes, lone]))
    return np.minimum(gap, _rms(rates)), _rms(steps)


def _rms(vectors: Array) -> Array:
    """Return the root mean square over the joints (n,) of the lengths of vectors (n, joints, 3)."""
    if not vectors.shape[1]:
        return np.zeros(len(vectors))
    return np.asarray(np.sqrt(np.mean(np.einsum("nji,nji->nj", vectors, vectors), axis=1)))


def steps_of(measured: tuple[Array, Array], size: float) -> list[tuple[int, float]]:
    """Return the teleports among steps, as :func:`find` does. measured: what :func:`gaps` returned."""
    gap, lengths = measured
    order = np.argsort(-gap, kind="stable")
    ranked = gap[order]
    most = min(max(2, len(gap) // SELDOM), len(gap) - 1)
    clear = ranked[:most] > np.maximum(LEAST * size, TIMES * ranked[1 : most + 1])
    count = int(np.flatnonzero(clear)[-1]) + 1 if clear.any() else 0
    moving = lengths > HELD * size
    steps = sorted(order[:count].tolist())
    if 2 * np.count_nonzero(moving) < len(moving):
        # in blocked animation a pose is changed at once between two holds: there that is the motion
        beside = [(moving[max(i - AROUND, 0) : i], moving[i + 1 : i + 1 + AROUND]) for i in steps]
        steps = [i for i, parts in zip(steps, beside, strict=True) if any(map(np.any, parts))]
    return [(i, float(gap[i])) for i in steps]


def parts_of(frames: ArrayLike, teleports: Sequence[Teleport]) -> Integers:
    """Return of each frame (n,), rising, in which part of the clip it lies, between two teleports: 0, 1, ...

    A frame within a teleport belongs to the part behind it.
    """
    frames = np.asarray(frames, float)
    lasts = np.array([teleport.last for teleport in teleports], float)
    return np.searchsorted(np.sort(lasts), frames - SAME, side="left")


def is_moving(frames: ArrayLike, teleports: Sequence[Teleport]) -> Flags:
    """Return at which frames (n,), rising, the clip goes on for at least ``STUB`` frames without a teleport.

    A bind pose before a take is no place to leave it or to enter it. All frames, if there are no others.
    """
    frames = np.asarray(frames, float)
    parts, going = parts_of(frames, teleports), np.zeros(len(frames), bool)
    for part in np.unique(parts):
        within = parts == part
        going[within] = float(np.ptp(frames[within])) >= STUB
    return going if going.any() else np.ones(len(frames), bool)


def rates(values: ArrayLike, frames: ArrayLike, teleports: Sequence[Teleport]) -> Array:
    """Return the rate of change per frame of values (n, k) at frames (n,), rising, of each part by itself.

    Central differences, one-sided at the ends of a part, and nothing in one of a single frame.
    """
    values, frames = np.asarray(values, float), np.asarray(frames, float)
    parts, rate = parts_of(frames, teleports), np.zeros(values.shape)
    for part in np.unique(parts):
        within = np.flatnonzero(parts == part)
        if len(within) > 1:
            rate[within] = np.gradient(values[within], frames[within], axis=0)
    return rate
