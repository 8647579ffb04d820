# SPDX-License-Identifier: GPL-3.0-or-later
"""How the ground passes below a character that moves in place: so that feet that stand on it stand still.

In such a clip no foot is ever slow, so that a foot that stands is told by where it is and by company: it is
low, it does not rise or fall, and it goes as all else that stands does. Ground is rigid, and passes at a
velocity and turns; the rates that fit most of the low points of the soles are found by least squares whose
weights are taken anew from what is left (iteratively reweighted), first by a scale at which all of them
count, then by ever smaller ones (graduated non-convexity: A. Blake, A. Zisserman, "Visual Reconstruction",
1987, chapter 7; the loss is S. Geman's and D. McClure's, 1985). All lengths are in those of the leg.

Between two contacts a body goes on as it went, and while it stands it is slowed down and pushed on, see
:mod:`push`: what is kept near to that is how the middle of the body goes over the ground, not the clip's own
origin.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from ..arrays import Array, Integers
from ..feet.contacts import lowest_around
from .push import Push

LOW = 0.08
"""Points of a sole count less the higher they are above the lowest place around, and not from here on."""
AROUND_SECONDS = 0.6
"""The lowest place counts that a point comes to no longer before or after than this."""
STEADY, STEADY_CYCLE = 0.2, 0.4
"""Points that differ from the ground by this much, in leg lengths a second, count a quarter at the end; those
of cycles, which are often made by hand, and not so that all feet agree."""
BEHIND = 0.2
"""A point that is slower than the ground counts by so much, and one that is faster by the rest: feet that
land, roll and lift go along with the character a little, and never the other way."""
GOES = 0.25
"""... where the ground passes by more than this, in leg lengths a second: who stands only shivers."""
HERTZ, HERTZ_CYCLE = 4.0, 30.0
"""What is quicker in how the body goes is left to how it is pushed, ..."""
SLOW_HERTZ, TURN_HERTZ = 2.5, 1.0
"""... until it is known what stands; and of turning, which a foot tells less of."""
LEVER = 0.15
"""So far apart, about, are points by which a turn is seen."""
STRAIGHT, TURNING = 1e3, 3e-4
"""How much a straight way counts where there is none but such, and where the ground may turn ..."""
BETTER = 0.06
"""... which it does where that leaves so much less, as a part, of what feet skate: each foot pivots a
little."""
FIT = 2.0
"""So many points, counted by their weights, are as many as the smoothing is set by."""
ROUNDS, LAST_ROUNDS = 24, 6
"""How often the weights are taken anew, and how many of these by the final scale."""
BLOCK = 16
"""So many steps are solved for at once."""


@dataclasses.dataclass(frozen=True, eq=False)
class Seen:
    """What of a clip tells of its ground.

    frames: (n,), rising by the same step. soles: (n, points, 3) points below its feet, Z up. feet: (points,)
    which foot each is of. middle: (n, 3) where the middle of its body is. length: of the leg, in the same
    unit, metres. is_cycle: whether the last frame shows what the first one does.
    """

    frames: Array
    soles: Array
    feet: Integers
    middle: Array
    length: float
    fps: float
    is_cycle: bool


@dataclasses.dataclass(frozen=True, eq=False)
class Ground:
    """How the ground passes.

    rates: (n - 1, 3) from each frame to the next, see :func:`way.along`, in the clip's own unit. standing:
    (n - 1, points) how much each point counts as standing on it, 0 to 1.
    """

    rates: Array
    standing: Array


def found(seen: Seen, turns: bool | None = None) -> Ground:
    """How the ground passes below a clip in place. At least two frames.

    turns: whether it may turn; None finds that out.
    """
    count = len(seen.frames) - 1
    soles, middle, own = seen.soles / seen.length, seen.middle / seen.length, slice(None)
    if seen.is_cycle:
        # the repetition in the middle of three, which knows of both its neighbours
        own = slice(count, 2 * count)
        soles, middle = (np.concatenate([x[:-1], x[:-1], x]) for x in (soles, middle))
    rate = seen.fps / float(np.diff(seen.frames).mean())
    points = _Points.of(soles, middle, rate, seen)
    fits = [_fitted(points, STRAIGHT)] if not turns else []
    if turns is None or turns:
        fits.append(_fitted(points, TURNING))
    fitted, standing = fits[-1]
    if turns is None and points.left(fits[1][0]) > (1.0 - BETTER) * points.left(fits[0][0]):
        fitted, standing = fits[0]
    # seen from the origin in place of the body's middle
    spin = fitted[:, 2]
    rates = np.stack(
        [
            (fitted[:, 0] + points.going[:, 0] + spin * points.centre[:, 1]) * seen.length,
            (fitted[:, 1] + points.going[:, 1] - spin * points.centre[:, 0]) * seen.length,
            spin,
        ],
        axis=1,
    )
    return Ground(rates[own], standing[own])


@dataclasses.dataclass(frozen=True, eq=False)
class _Points:
    """Points of soles from each frame to the next, in leg lengths.

    past: (n, points, 2) their velocities past the middle of the body, and across: (n, points, 2) what a turn
    about that adds to them. rising: (n, points). heights: (n, points), how much they count. going, centre:
    (n, 2) of the middle. push: of the ground. rate: steps a second. steady, hertz: see above.
    """

    past: Array
    across: Array
    rising: Array
    heights: Array
    going: Array
    centre: Array
    push: Push
    rate: float
    steady: float
    hertz: float

    @classmethod
    def of(cls, soles: Array, middle: Array, rate: float, seen: Seen) -> _Points:
        push = Push.of(soles, middle, rate, seen.length)
        velocities, going = np.diff(soles, axis=0) * rate, np.diff(middle[:, :2], axis=0) * rate
        centre = 0.5 * (middle[1:, :2] + middle[:-1, :2])
        arms = 0.5 * (soles[1:, :, :2] + soles[:-1, :, :2]) - centre[:, None]
        across = np.stack([-arms[..., 1], arms[..., 0]], axis=-1)
        past = velocities[..., :2] - going[:, None]
        how = (STEADY_CYCLE, HERTZ_CYCLE) if seen.is_cycle else (STEADY, HERTZ)
        heights = _heights(soles, rate)
        return cls(past, across, velocities[..., 2], heights, going, centre, push, rate, *how)

    def left_of(self, rates: Array) -> Array:
        """The velocities (n, points, 2) that the ground's rates (n, 3) leave."""
        return np.asarray(self.past - rates[:, None, :2] - rates[:, None, 2:] * self.across)

    def left(self, rates: Array) -> float:
        """What of all low points the ground's rates do not explain, as a part."""
        square = (self.left_of(rates) ** 2).sum(axis=-1) + self.rising**2
        total = max(float(self.heights.sum()), 1e-9)
        return float((self.heights * square / (square + self.steady**2)).sum()) / total


def _heights(soles: Array, rate: float) -> Array:
    """How much points count by their height (n - 1, points), 1 on the ground and 0 from ``LOW`` on.

    2 - 2^(h / LOW) as H. Zhang et al. count steps ("Mode-Adaptive Neural Networks for Quadruped Motion
    Control", 2018, section 8.2).
    """
    around = round(AROUND_SECONDS * rate)
    above = np.stack([z - lowest_around(z, around) for z in soles[..., 2].T], axis=1)
    higher = np.maximum(above[1:], above[:-1])
    return np.clip(2.0 - np.exp2(np.clip(higher / LOW, -1.0, 2.0)), 0.0, 1.0)


def _fitted(points: _Points, straight: float) -> tuple[Array, Array]:
    """The ground's rates (n, 3) past the middle of the body, and what stands on it (n, points)."""
    scale, rate = _scale(points), points.rate
    shrink = (points.steady / scale) ** (1.0 / (ROUNDS - LAST_ROUNDS))
    even = FIT * LEVER**2 / (2.0 * np.pi * TURN_HERTZ / rate) ** 2
    weights = standing = points.heights
    rates = np.zeros((len(weights), 3))
    for i in range(ROUNDS):
        is_last = i > ROUNDS - LAST_ROUNDS
        smooth = FIT / (2.0 * np.pi * (points.hertz if is_last else SLOW_HERTZ) / rate) ** 4
        rates = _solved(*_normal(points, weights, straight), -points.push.bends(standing), smooth, even)
        left = points.left_of(rates)
        square = (left**2).sum(axis=-1) + points.rising**2
        standing = weights = points.heights * (scale**2 / (scale**2 + square)) ** 2
        if is_last:
            ground = points.past - left + points.going[:, None]
            goes = 1.0 - np.exp(-((ground**2).sum(axis=-1) / GOES**2))
            lean = (1.0 - 2.0 * BEHIND) * goes
            behind = (left * ground).sum(axis=-1) < 0.0
            weights = standing * np.where(behind, 1.0 - lean, 1.0 + lean)
        scale = max(scale * shrink, points.steady)
    return rates, standing


def _scale(points: _Points) -> float:
    """The scale at which all low points count."""
    total = max(float(points.heights.sum()), 1e-9)
    square = float((points.heights * (points.past**2).sum(axis=-1)).sum()) / total
    return max(2.0 * float(np.sqrt(square)), points.steady)


def _normal(points: _Points, weights: Array, straight: float) -> tuple[Array, Array]:
    """The normal equations of each step (n, 3, 3) and (n, 3), for its velocity and turn."""
    across, past = points.across, points.past
    matrices = np.zeros((len(past), 3, 3))
    matrices[:, 0, 0] = matrices[:, 1, 1] = weights.sum(axis=1) + 1e-6
    levers = (weights[..., None] * across).sum(axis=1)
    matrices[:, :2, 2] = matrices[:, 2, :2] = levers
    matrices[:, 2, 2] = (weights * (across**2).sum(axis=-1)).sum(axis=1) + straight
    gone = (weights[..., None] * past).sum(axis=1)
    turned = (weights * (across * past).sum(axis=-1)).sum(axis=1)
    return matrices, np.concatenate([gone, turned[:, None]], axis=1)


def _solved(matrices: Array, sides: Array, bends: Array, smooth: float, even: float) -> Array:
    """The rates (n, 3) that fit best while velocities bend as they should and turns change little.

    bends: (n - 2, 2), the second differences of velocities that cost nothing. smooth: what the square of what
    these are beside that costs; even: of a first difference of a turn. Blocks of steps, each of which knows
    its neighbours only, are eliminated one after the other.
    """
    for i, part in enumerate((1.0, -2.0, 1.0)):
        sides[i : len(sides) - 2 + i, :2] += smooth * part * bends
    count = len(matrices)
    blocks = -(-count // BLOCK)
    size = 3 * BLOCK
    diagonal = np.zeros((blocks, BLOCK, 3, BLOCK, 3))
    beside = np.zeros((blocks, BLOCK, 3, BLOCK, 3))
    right = np.zeros((blocks, BLOCK, 3))
    at = np.arange(count)
    diagonal[at // BLOCK, at % BLOCK, :, at % BLOCK, :] = matrices
    right[at // BLOCK, at % BLOCK] = sides
    # what lies behind the end stands for nothing
    rest = np.arange(count, blocks * BLOCK)
    diagonal[rest // BLOCK, rest % BLOCK, :, rest % BLOCK, :] = np.eye(3)
    for pattern, cost, columns in (((1.0, -2.0, 1.0), smooth, (0, 1)), ((1.0, -1.0), even, (2,))):
        first = np.arange(count - len(pattern) + 1)
        for i, one in enumerate(pattern):
            for j, other in enumerate(pattern):
                row, column = first + i, first + j
                same = row // BLOCK == column // BLOCK
                for k in columns:
                    r, c = row[same], column[same]
                    diagonal[r // BLOCK, r % BLOCK, k, c % BLOCK, k] += cost * one * other
                    r, c = row[row // BLOCK < column // BLOCK], column[row // BLOCK < column // BLOCK]
                    beside[r // BLOCK, r % BLOCK, k, c % BLOCK, k] += cost * one * other
    return _eliminated(
        diagonal.reshape(blocks, size, size),
        beside.reshape(blocks, size, size),
        right.reshape(blocks, size),
    ).reshape(-1, 3)[:count]


def _eliminated(diagonal: Array, beside: Array, right: Array) -> Array:
    """The solution (blocks, size) of symmetric block tridiagonal equations.

    beside: of each block the one to the right of the diagonal, of the last none.
    """
    blocks, led, known = len(diagonal), beside.copy(), right.copy()
    for i in range(blocks):
        pivot, side = diagonal[i], right[i]
        if i:
            pivot = pivot - beside[i - 1].T @ led[i - 1]
            side = side - beside[i - 1].T @ known[i - 1]
        both = np.linalg.solve(pivot, np.column_stack([beside[i], side]))
        led[i], known[i] = both[:, :-1], both[:, -1]
    for i in range(blocks - 2, -1, -1):
        known[i] -= led[i] @ known[i + 1]
    return known
