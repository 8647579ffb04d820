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
AT_ONCE = 4096
"""So many frames times joints are looked at together."""
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
    """Return the teleports of a clip: the index of each step from a frame to the next, and its gap.

    A gap must exceed 0.04 sizes and four times that of every step that is no teleport; at most one step in
    ten, or two, can be teleports. If more steps than that stand out alike, none of them is one. In a clip
    that mostly holds its pose a lone step is none either, see :func:`steps_of`.

    Parameters
    ----------
    positions : (n, joints, 3)
        In the world, at successive frames.
    size
        The character's, in the same unit.
    seconds : (n - 1,)
        How long each step takes, in any unit; or 1 for equal steps. Gaps are divided by it
        before they are compared with sizes, so let a usual step take about 1.

    Returns
    -------
    list[tuple[int, float]]
        (index, gap), by rising index. Index i is the step from frame i to i + 1; gaps are in
        the positions' unit per unit of seconds, see :func:`gaps`. [] for fewer than 6 frames,
        or if the size is not above 0.
    """
    positions = np.asarray(positions, float)
    if len(positions) < SHORTEST or size <= 0.0:
        return []
    return steps_of(gaps(positions, seconds), size)


def gaps(positions: ArrayLike, seconds: ArrayLike = 1.0) -> tuple[Array, Array]:
    """Return for each step how far it is from the steps beside it (n - 1,), and its length (n - 1,).

    A gap is the smaller of the differences to both neighbours' velocities, and at most the step's own
    velocity; the first and the last step have one neighbour. Lengths are not divided by seconds. Both results
    are root mean squares over the joints that move, 0 if none does. A joint moves if the largest of its
    extents along x, y and z is above 1e-4 of that of the joint that moves most.

    positions: (n, joints, 3), in the world; n at least 1, else ValueError. seconds: (n - 1,), how long each
    step takes, or 1 for equal steps. Gaps are in the positions' unit per unit of seconds, lengths in the
    positions' unit.
    """
    positions = np.asarray(positions, float)
    spans = np.max(np.ptp(positions, axis=0), axis=-1)
    moving = np.flatnonzero(spans > STILL * max(float(spans.max(initial=0.0)), 1e-12))
    taken = np.broadcast_to(np.asarray(seconds, float), len(positions) - 1)[:, None, None]
    lengths, speeds, changes = (np.zeros(max(0, len(positions) - less)) for less in (1, 1, 2))
    # few joints at a time, as to go through much memory takes several times as long
    count = max(1, AT_ONCE // len(positions))
    for first in range(0, len(moving), count):
        ways = np.diff(positions[:, moving[first : first + count]], axis=0)
        rates = ways / taken
        for sums, vectors in ((lengths, ways), (speeds, rates), (changes, np.diff(rates, axis=0))):
            sums += np.einsum("nji,nji->n", vectors, vectors)
    lengths, speeds, changes = (np.sqrt(sums / max(1, len(moving))) for sums in (lengths, speeds, changes))
    lone = np.full(1, np.inf)
    gap = np.minimum(np.concatenate([lone, changes]), np.concatenate([changes, lone]))
    return np.minimum(gap, speeds), lengths


def steps_of(measured: tuple[Array, Array], size: float) -> list[tuple[int, float]]:
    """Return the teleports among steps, as (index, gap), by rising index.

    A teleport's gap is above 0.04 sizes and above four times that of every step that is none. Of the counts
    of steps for which that holds, largest gaps first, the largest is taken; at most one step in ten, or two,
    are teleports, and at least one step is none. A clip in which fewer than half of the steps are longer than
    1e-6 sizes holds its pose: there a step only counts if another moves so far within the four steps before
    it or the four behind it.

    measured: for each step its gap (n - 1,), how far it is from those beside it, and its length (n - 1,); see
    :func:`gaps`. size: the character's, in the same unit. [] if there is none.
    """
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
    """Return flags (n,): which frames lie in a part of the clip, between two teleports, that lasts for two
    frames or more.

    A bind pose before a take is no place to leave it or to enter it. How long a part lasts is the last of its
    frames less its first, in frames: frames 1 and 2 last for one, 1 to 3 for two. If no part lasts that long
    all flags are set.

    frames: (n,), rising frame numbers, whole or not. teleports: with their `last` frame before and `first`
    behind. The part before a teleport ends with its `last`; a frame between both belongs to the part behind.
    """
    frames = np.asarray(frames, float)
    parts, going = parts_of(frames, teleports), np.zeros(len(frames), bool)
    for part in np.unique(parts):
        within = parts == part
        going[within] = float(np.ptp(frames[within])) >= STUB
    return going if going.any() else np.ones(len(frames), bool)


def rates(values: ArrayLike, frames: ArrayLike, teleports: Sequence[Teleport]) -> Array:
    """Return the rate of change of values, of each part between teleports by itself.

    Parameters
    ----------
    values : (n, k)
        In any unit.
    frames : (n,)
        Rising frame numbers, which need not be evenly spaced.
    teleports
        In any order; () for none. Frames up to a teleport's `last`, those within it not,
        belong to the part before it.

    Returns
    -------
    Array (n, k)
        In the values' unit per frame: np.gradient over `frames`, which is central and is
        weighted by uneven spacing; one-sided at the ends of a part, and 0 in a part of a
        single frame.
    """
    values, frames = np.asarray(values, float), np.asarray(frames, float)
    parts, rate = parts_of(frames, teleports), np.zeros(values.shape)
    for part in np.unique(parts):
        within = np.flatnonzero(parts == part)
        if len(within) > 1:
            rate[within] = np.gradient(values[within], frames[within], axis=0)
    return rate
