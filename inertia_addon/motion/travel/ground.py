# SPDX-License-Identifier: GPL-3.0-or-later
"""How the ground passes below a character that moves in place: so that feet that stand on it stand still.

In such a clip no foot is ever slow, so that a foot that stands is told by where it is and by company: it is
low, it does not rise or fall, and it goes as all else that stands does. Ground is rigid, and passes at a
velocity and turns; the rates that fit most of the low points of the soles are found by least squares whose
weights are taken anew from what is left (iteratively reweighted), first by a scale at which all of them
count, then by ever smaller ones (graduated non-convexity: A. Blake, A. Zisserman, "Visual Reconstruction",
1987, chapter 7; the loss is S. Geman's and D. McClure's, 1985). All lengths are in those of the leg.

A foot pivots while it stands, so that it says little of how the ground turns. The body knows more: between
two contacts it goes on as it went, and while it stands it is pushed, see :class:`Push`. Seen from a character
whose ground turns, what goes straight on turns, too; so that whoever is quick and is not pushed aside tells
how far it has turned, through a flight as well.
"""

from __future__ import annotations

import numpy as np

from ...records import record
from ..arrays import Array, Integers, smooth
from ..feet.contacts import lowest_around
from ..steps import Steps, part

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
PUSHED = 3e-3
"""How much it counts that the body goes as it is pushed, by the square of an acceleration."""
SLOW_HERTZ, HERTZ = 2.5, 30.0
"""In cycles, which are often made by hand, only what is quicker than this in how the body goes is left to how
it is pushed: until it is known what stands, and then."""
BESIDE, BESIDE_SECONDS = 3.0, 0.05
"""A push that differs by this much, in leg lengths a second squared, counts a quarter, as there are hands and
walls; and by what it is smoothed for that."""
TURN_HERTZ, TURN_HERTZ_CYCLE = 4.0, 1.0
"""What is quicker in how the ground turns is noise."""
LEVER = 0.15
"""So far apart, about, are points by which a turn is seen."""
STRAIGHT, TURNING = 1e3, 3e-4
"""How much a straight way counts where there is none but such, and where the ground may turn ..."""
CLEARLY, BETTER, BETTER_PUSHED = np.radians(20.0), 0.06, 0.1
"""... which it does where it turns by more than this, and that leaves so much less, as a part, of what feet
skate, or of what the body goes otherwise than it is pushed: each foot pivots a little."""
FIT = 2.0
"""So many points, counted by their weights, are as many as turns are smoothed by."""
ROUNDS, LAST_ROUNDS = 24, 6
"""How often the weights are taken anew, and how many of these by the final scale."""
BLOCK = 16
"""So many steps are solved for at once."""
GRAVITY = 9.81
"""What falls gets so much faster, in metres a second squared."""
SMALLEST, LARGEST, USUAL = 0.1, 6.0, 0.9
"""Legs of other lengths, in metres, are not in metres, and are taken to be as long as those of people."""
MOST = 3.0
"""No foot carries more than so many times the body's weight for long."""
RISE_SECONDS, STANDS_SECONDS = 0.03, 0.02
"""The standard deviations of the Gaussians by which rises and where it stands are smoothed."""
LOWEST = 0.3
"""The middle is so far above the ground at least, in leg lengths."""


@record(frozen=True, eq=False)
class ClipFeet:
    """What of a clip tells of its ground.

    frames: (n,), rising by the same step. soles: (n, points, 3) a heel, a ball and a tip below each
    of its feet, Z up. middle: (n, 3)
    where the middle of its body is. length: of the leg, in the same unit, metres. is_cycle: whether the last
    frame shows what the first one does.
    """

    frames: Array
    soles: Array
    middle: Array
    length: float
    fps: float
    is_cycle: bool


@record(frozen=True, eq=False)
class PassingGround:
    """How the ground passes.

    rates: (n - 1, 3) from each frame to the next, see :func:`way.along`, in the clip's own unit. standing:
    (n - 1, points) how much each point counts as standing on it, 0 to 1.
    """

    rates: Array
    standing: Array


def find_steps(feet: ClipFeet, *, turns: bool | None = None) -> Steps[PassingGround]:
    """Find how the ground passes below a clip in place; yield progress from 0 to 1 and return a
    PassingGround.

    feet: at least two frames. turns: whether the ground may turn; None tries both and takes a turn only if it
    explains clearly more, see :func:`_is_turning`. A cycle is treated as three repetitions, of which the
    middle one is returned.

    The result's `rates` (n - 1, 3) are from each frame to the next: how fast the ground at the world's origin
    goes, x and y in the clip's own unit a second, and how fast it turns there, radians a second, to the left
    if above 0. Its `standing` (n - 1, points) is how much each point counts as standing, 0 to 1, in the order
    of `feet.soles`: heel, ball and tip of each foot.
    """
    count = len(feet.frames) - 1
    soles, middle, span = feet.soles / feet.length, feet.middle / feet.length, slice(None)
    if feet.is_cycle:
        # the repetition in the middle of three, which knows of both its neighbours
        span = slice(count, 2 * count)
        soles, middle = (np.concatenate([x[:-1], x[:-1], x]) for x in (soles, middle))
    rate = feet.fps / float(np.diff(feet.frames).mean())
    points = _Points.of(soles, middle, rate, feet)
    priors = {None: (STRAIGHT, TURNING), False: (STRAIGHT,), True: (TURNING,)}[turns]
    fits = []
    for i, straight in enumerate(priors):
        fit = yield from part(_fit_steps(points, straight), i / len(priors), (i + 1) / len(priors))
        fits.append(fit)
    fitted, standing = fits[-1]
    if turns is None and not _is_turning(points, *fits):
        fitted, standing = fits[0]
    # seen from the origin in place of the body's middle
    spin, (x, y) = fitted[:, 2:], points.centre.T
    velocities = (fitted[:, :2] + points.going + spin * np.stack([y, -x], axis=1)) * feet.length
    return PassingGround(np.concatenate([velocities, spin], axis=1)[span], standing[span])


def _is_turning(points: _Points, straight: tuple[Array, Array], turning: tuple[Array, Array]) -> bool:
    """Tell whether ground that turns explains the feet clearly better than ground that does not.

    straight, turning: (rates, standing) of both fits. The turning fit's heading, the sum of its turns, must
    range over more than 20 degrees from its lowest to its highest. It must also do one of these:

    - leave at least 6 % less of the movement of low points unexplained: :meth:`_Points.left`, the mean of s /
    (s + steady^2) over all points and steps, weighted by height, where s is the square of what the rates
    leave of a point's velocity, its rise included;

    - have the equations of :func:`_pushes` count so much more that their mean lack, 1 minus the mean count,
    is at least 10 % smaller.
    """
    if np.ptp(np.cumsum(turning[0][:, 2])) <= CLEARLY * points.rate:
        return False
    if points.left(turning[0]) <= (1.0 - BETTER) * points.left(straight[0]):
        return True
    before, after = (1.0 - _pushes(points, *fit)[2].mean() for fit in (straight, turning))
    return bool(after <= (1.0 - BETTER_PUSHED) * before)


@record(frozen=True, eq=False)
class Push:
    """What is known of the pushes before it is known what stands.

    carried: (n,) by how much the body is carried on each step, in leg lengths a second squared. arms:
    (n, points, 3) where the points of the soles are from the middle, in leg lengths. rate: steps a second.
    """

    carried: Array
    arms: Array
    rate: float

    @classmethod
    def of(cls, soles: Array, middle: Array, rate: float, length: float) -> Push:
        """Return what is known of how the ground pushes a body, before it is known what stands.

        Parameters
        ----------
        soles : (n + 1, points, 3)
            Points of the soles, Z up, in leg lengths.
        middle : (n + 1, 3)
            The middle of the body, likewise.
        rate
            Frames a second.
        length
            Of the leg, metres; of one shorter than 0.1 m or longer than 6 m a person's 0.9 m is
            taken.

        Returns
        -------
        Push
            Of the n steps from each frame to the next, the means of the two frames. `carried` is
            gravity plus the smoothed upward acceleration of the middle, in leg lengths a second
            squared, from 0 to 3 times gravity; at both ends that acceleration counts as 0. `arms` are
            soles less middle.
        """
        falls = GRAVITY / (length if SMALLEST <= length <= LARGEST else USUAL)
        heights = smooth(middle[:, 2], RISE_SECONDS * rate)
        rises = np.zeros(len(heights))
        rises[1:-1] = np.diff(heights, 2) * rate**2
        carried = np.clip(falls + rises, 0.0, MOST * falls)
        arms = soles - middle[:, None]
        return cls(0.5 * (carried[1:] + carried[:-1]), 0.5 * (arms[1:] + arms[:-1]), rate)

    def pushed(self, standing: Array) -> Array:
        """Return how the ground pushes the body over it (n, 2), x and y in leg lengths a second squared, by
        what stands.

        standing: (n, points), how much each point counts, 0 to 1. The push points from where the feet stand
        to the middle of the body, by how much the body leans: its distance aside over its height above them,
        0.3 leg lengths at least, times what it is carried with. Where the feet stand is smoothed over time.
        Where nothing stands for a while there is no push.
        """
        sums = np.einsum("np,npk->nk", standing, np.dstack([self.arms, np.ones(standing.shape)]))
        x, y, z, weight = smooth(sums, STANDS_SECONDS * self.rate).T
        weight = np.maximum(weight, 1e-3)
        lean = -np.stack([x, y], axis=1) / weight[:, None] / np.maximum(-z / weight, LOWEST)[:, None]
        return np.asarray(self.carried[:, None] * lean)


@record(frozen=True, eq=False)
class _Points:
    """Points of soles from each frame to the next, in leg lengths.

    past: (n, points, 2) their velocities past the middle of the body, and across: (n, points, 2) what a turn
    about that adds to them. rising: (n, points). heights: (n, points), how much they count. going, centre:
    (n, 2) of the middle. push: of the ground. rate: steps a second. steady: see above.
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
    is_cycle: bool

    @classmethod
    def of(cls, soles: Array, middle: Array, rate: float, feet: ClipFeet) -> _Points:
        push = Push.of(soles, middle, rate, feet.length)
        velocities, going = np.diff(soles, axis=0) * rate, np.diff(middle[:, :2], axis=0) * rate
        centre = 0.5 * (middle[1:, :2] + middle[:-1, :2])
        arms = 0.5 * (soles[1:, :, :2] + soles[:-1, :, :2]) - centre[:, None]
        across = np.stack([-arms[..., 1], arms[..., 0]], axis=-1)
        past = velocities[..., :2] - going[:, None]
        steady = STEADY_CYCLE if feet.is_cycle else STEADY
        heights, rising = _heights(soles, rate), velocities[..., 2]
        return cls(past, across, rising, heights, going, centre, push, rate, steady, feet.is_cycle)

    def left_of(self, rates: Array) -> Array:
        """Return the velocities (n, points, 2) that the ground's rates (n, 3) leave unexplained."""
        return np.asarray(self.past - rates[:, None, :2] - rates[:, None, 2:] * self.across)

    def left(self, rates: Array) -> float:
        """Return which part of the movement of all low points the ground's rates do not explain, 0 to 1."""
        square = (self.left_of(rates) ** 2).sum(axis=-1) + self.rising**2
        total = max(float(self.heights.sum()), 1e-9)
        return float((self.heights * square / (square + self.steady**2)).sum()) / total


def _heights(soles: Array, rate: float) -> Array:
    """Return how much points count by their height (n - 1, points), for each step from a frame to the next: 1
    on the ground and 0 from 0.08 leg lengths above it on.

    soles: (n, points, 3), in leg lengths, Z up. Each point's height is above its own lowest place within 0.6
    s before and behind; of a step's two frames the higher one counts. rate: frames a second. They count by 2
    - 2^(h / 0.08) as H. Zhang et al. count steps ("Mode-Adaptive Neural Networks for Quadruped Motion
    Control", 2018, section 8.2).
    """
    around = round(AROUND_SECONDS * rate)
    above = np.stack([z - lowest_around(z, around) for z in soles[..., 2].T], axis=1)
    higher = np.maximum(above[1:], above[:-1])
    return np.clip(2.0 - np.exp2(np.clip(higher / LOW, -1.0, 2.0)), 0.0, 1.0)


def _fit_steps(points: _Points, straight: float) -> Steps[tuple[Array, Array]]:
    """Find the ground's rates past the middle of the body, and what stands on it; yield the part done, up to
    1, after each of 24 rounds.

    What is returned is (rates, standing). rates: (n, 3), the ground's velocity less that of the body's
    middle, x and y in leg lengths a second, and its turn about that middle, radians a second. standing: (n,
    points), 0 to 1: points.heights times (c^2 / (c^2 + s))^2, where s is the square of the velocity that the
    rates leave of the point, its rise included, and c is the last scale, points.steady. points: what is known
    of the n steps; it is not changed. straight: how much it counts that the ground does not turn.

    Each round solves for the rates with the standing of the round before as weights, at first the heights.
    The scale begins at twice the mean speed of low points past the body, a root mean square, and falls to
    points.steady, never below. In the last 5 rounds points that are faster than passing ground weigh more,
    and slower ones less; `standing` is without that. The equations of :func:`_pushes` hold in all rounds, in
    a cycle their changes instead; what each of them counts is only heeded in the last 5 rounds, and not in a
    cycle.
    """
    # first one at which all low points count
    total = max(float(points.heights.sum()), 1e-9)
    mean = float((points.heights * (points.past**2).sum(axis=-1)).sum()) / total
    scale = max(2.0 * float(np.sqrt(mean)), points.steady)
    shrink = (points.steady / scale) ** (1.0 / (ROUNDS - LAST_ROUNDS))
    weights = standing = points.heights
    rates = np.zeros((len(weights), 3))
    for i in range(ROUNDS):
        is_last = i > ROUNDS - LAST_ROUNDS
        parts, sides, counts = _pushes(points, rates, standing)
        if points.is_cycle:
            parts, sides = _changes(parts, points.rate), np.diff(sides, axis=0) * points.rate
            counts = np.full(len(parts), FIT / (2.0 * np.pi * (HERTZ if is_last else SLOW_HERTZ)) ** 4)
        else:
            # until it is known what stands they only smooth
            counts = PUSHED * (counts if is_last else np.ones_like(counts))
        rates = _solved(points, weights, straight, parts, sides, counts)
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
        yield (i + 1) / ROUNDS
    return rates, standing


def _pushes(points: _Points, rates: Array, standing: Array) -> tuple[Array, Array, Array]:
    """Return how the body is pushed from each step to the next, near to rates (n, 3), as linear equations.

    rates: the ground's velocity x, y and turn, past the middle of the body, in leg lengths and radians a
    second. standing: (n, points). What is returned is (coefficients, sides, counts):

    - coefficients (n - 1, 2, 6), for x and y, of the earlier step's three rates and then of the later one's;

    - sides (n - 1, 2), what these should add up to, in leg lengths a second squared;

    - counts (n - 1,), how much each pair of equations counts: (9 / (9 + r^2))^2, where r is by how much it is
    off at `rates`, smoothed over time by a Gaussian of 0.05 s. It is 1 where the pair holds, and doesn't
    depend on whether anything stands.

    The body goes opposite to the ground, so that its acceleration over it is w x v - v' (R. Murray, Z. Li, S.
    Sastry, as in :mod:`way`), where v and w are the mean velocity and turn of both steps, and v' is the later
    velocity less the earlier one, a second. It should be :meth:`Push.pushed`, the mean of both steps. The
    product (-w v_y, w v_x) is taken by its tangent at `rates`, whose constant is on the side of the push.
    """
    u = 0.5 * (rates[1:, :2] + rates[:-1, :2])
    spin = 0.5 * (rates[1:, 2] + rates[:-1, 2])
    across = np.stack([-u[:, 1], u[:, 0]], axis=1)
    parts = np.zeros((len(u), 2, 2, 3))
    parts[..., 2] = 0.5 * across[:, :, None]
    parts[:, 0, :, 1], parts[:, 1, :, 0] = -0.5 * spin[:, None], 0.5 * spin[:, None]
    for k in range(2):
        parts[:, k, :, k] = points.rate, -points.rate
    rows, pushed = parts.reshape(len(u), 2, 6), points.push.pushed(standing)
    sides = 0.5 * (pushed[1:] + pushed[:-1]) + spin[:, None] * across
    both = np.concatenate([rates[:-1], rates[1:]], axis=1)
    left = smooth(np.einsum("nij,nj->ni", rows, both) - sides, BESIDE_SECONDS * points.rate)
    return rows, sides, (BESIDE**2 / (BESIDE**2 + (left**2).sum(axis=-1))) ** 2


def _normal(points: _Points, weights: Array, straight: float) -> tuple[Array, Array]:
    """Return the normal equations of each step by itself: matrices (n, 3, 3) and right sides (n, 3).

    The unknowns are the ground's velocity past the middle of the body, x and y, and its turn about that, in
    this order, in leg lengths and radians a second. They are fitted to `points.past`, the velocities of the
    soles' points past that middle; a turn adds `points.across` to these. weights: (n, points), how much each
    point of a sole counts. straight: how much it counts that the ground does not turn; it is added to the
    turn's square. Both squares of the velocity have 1e-6 more, so that with `straight` above 0 a step without
    weights is solved by 0.
    """
    across, past = points.across, points.past
    matrices = np.zeros((len(past), 3, 3))
    matrices[:, 0, 0] = matrices[:, 1, 1] = weights.sum(axis=1) + 1e-6
    levers = (weights[..., None] * across).sum(axis=1)
    matrices[:, :2, 2] = matrices[:, 2, :2] = levers
    matrices[:, 2, 2] = (weights * (across**2).sum(axis=-1)).sum(axis=1) + straight
    gone = (weights[..., None] * past).sum(axis=1)
    turned = (weights * (across * past).sum(axis=-1)).sum(axis=1)
    return matrices, np.concatenate([gone, turned[:, None]], axis=1)


def _changes(coefficients: Array, rate: float) -> Array:
    """Return the changes, per second, of linear terms in two steps' rates (n, 2, 6), as terms in three steps'
    (n - 1, 2, 9).

    rate: steps a second.
    """
    changes = np.zeros((len(coefficients) - 1, 2, 9))
    changes[..., 3:] = coefficients[1:]
    changes[..., :6] -= coefficients[:-1]
    return changes * rate


def _solved(
    points: _Points, weights: Array, straight: float, coefficients: Array, sides: Array, counts: Array
) -> Array:
    """Return the rates (n, 3) that fit best while the body goes as it is pushed, and turns change little.

    weights: (n, points), how much each point of a sole counts. straight: how much it counts that the ground
    does not turn. coefficients: (m, 2, 3 k), linear terms in the rates of k steps in a row, from the first m
    steps on; sides: (m, 2), what they should come to; counts: (m,), how much that counts. Blocks of steps,
    each of which knows its neighbours only, are eliminated one after the other. Raise numpy's LinAlgError
    where there is no single solution.
    """
    squares, right = _normal(points, weights, straight)
    hertz = TURN_HERTZ_CYCLE if points.is_cycle else TURN_HERTZ
    even = FIT * LEVER**2 / (2.0 * np.pi * hertz / points.rate) ** 2
    count, size = len(squares), 3 * BLOCK
    blocks = -(-count // BLOCK)
    diagonal, beside = np.zeros((2, blocks, BLOCK, 3, BLOCK, 3))
    sums = np.zeros((blocks * BLOCK, 3))
    sums[:count] = right

    def add(rows: Integers, columns: Integers, terms: Array) -> None:
        """Add terms (n, 3, 3) to the matrices, in place, at rows and columns, the numbers of steps (n,) each.

        Terms go to `diagonal` if row and column are in one block, and to `beside` if the row's block comes
        before the column's. Terms whose row is in a later block than their column are left out, as the
        matrices are symmetric. No pair of row and column may come twice in one call, or one of its terms is
        lost.
        """
        at, to = np.divmod(rows, BLOCK), np.divmod(columns, BLOCK)
        for matrices, inside in ((diagonal, at[0] == to[0]), (beside, at[0] < to[0])):
            index = at[0][inside], at[1][inside], slice(None), to[1][inside], slice(None)
            matrices[index] += terms[inside]

    steps = np.arange(count)
    add(steps, steps, squares)
    # what lies behind the end stands for nothing
    rest = np.arange(count, blocks * BLOCK)
    add(rest, rest, np.broadcast_to(np.eye(3), (len(rest), 3, 3)))
    turns, first = np.diag([0.0, 0.0, even]), steps[:-1]
    for i, k, sign in ((0, 0, 1.0), (1, 1, 1.0), (0, 1, -1.0), (1, 0, -1.0)):
        add(first + i, first + k, np.broadcast_to(sign * turns, (count - 1, 3, 3)))
    weighed = counts[:, None, None] * coefficients
    square, side = np.einsum("nki,nkj->nij", weighed, coefficients), np.einsum("nki,nk->ni", weighed, sides)
    first, many = np.arange(len(coefficients)), coefficients.shape[2] // 3
    for i in range(many):
        sums[first + i] += side[:, 3 * i : 3 * i + 3]
        for k in range(many):
            add(first + i, first + k, square[:, 3 * i : 3 * i + 3, 3 * k : 3 * k + 3])
    matrices = diagonal.reshape(blocks, size, size), beside.reshape(blocks, size, size)
    return _eliminated(*matrices, sums.reshape(blocks, size)).reshape(-1, 3)[:count]


def _eliminated(diagonal: Array, beside: Array, right: Array) -> Array:
    """Return the solution (blocks, size) of symmetric block tridiagonal equations.

    diagonal: (blocks, size, size). beside: of each block the one to the right of the diagonal, of the last
    none, which must be 0. right: (blocks, size). Raise numpy's LinAlgError where there is no single solution.
    """
    blocks, led, solution = len(diagonal), beside.copy(), right.copy()
    for i in range(blocks):
        pivot, side = diagonal[i], right[i]
        if i:
            pivot = pivot - beside[i - 1].T @ led[i - 1]
            side = side - beside[i - 1].T @ solution[i - 1]
        both = np.linalg.solve(pivot, np.column_stack([beside[i], side]))
        led[i], solution[i] = both[:, :-1], both[:, -1]
    for i in range(blocks - 2, -1, -1):
        solution[i] -= led[i] @ solution[i + 1]
    return solution
