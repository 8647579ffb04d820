# SPDX-License-Identifier: GPL-3.0-or-later
"""What of a motion its neighbours do not foresee, and how much of that is usual.

A motion is given by its steps, what leads from each frame to the next, which are taken for a random process:
as smooth as a Matern covariance of order 5/2 makes them, with a little noise (C. Rasmussen, C. Williams,
*Gaussian Processes for Machine Learning*, 2006, equation 4.17). Generalised least squares with the inverse of
that covariance, its precision, says how much of any template there is in the steps, also at the ends of the
motion, where less of them is known.

What is usual goes by direction: a knee bends a lot, but hardly sways.
"""

from __future__ import annotations

import functools

import numpy as np

from ...records import record
from ..arrays import Array, Integers

SMOOTH_SECONDS = 0.05
"""The length scale of the covariance: so long a bone's speed stays about the same."""
NOISE = 1e-4
"""The variance of the noise, in parts of that of the steps."""
REACH = 12
"""So many steps away nothing matters for what is foreseen, at any rate."""
QUIET = 0.05
"""What is usual in any direction is at least this part of what is in the liveliest."""
RARE = 5.0
"""What is so many times the usual counts less, the more the further it is beyond ..."""
FAR = 15.0
"""... and where pops of a short motion pass for usual, what is so many times the usual ever less."""
ROUNDS = 4
"""So often what is usual is told anew from what is not rare."""


@record(frozen=True)
class Precision:
    """The precision of so many steps: a band, alike everywhere but at its ends.

    count: of the steps. block: the precision of the first steps, or of all; what is in its middle goes on.
    """

    count: int
    block: Array

    def diagonal(self, lag: int) -> Array:
        """Return the elements (count - lag,) of the precision matrix on the diagonal `lag` off the main one.

        If there are more steps than the stored block (49), they are 0 for a lag of more than 12, and the
        block's middle element stands for all in between.
        """
        if lag > REACH and self.count > len(self.block):
            return np.zeros(self.count - lag)
        short = np.diagonal(self.block, lag)
        middle = len(short) // 2
        between = np.full(self.count - len(self.block), short[middle])
        return np.concatenate([short[:middle], between, short[middle:]])

    def column(self, step: int, near: slice) -> Array:
        """Return the elements of the precision matrix in the column of a step, for the rows of a slice:
        (near,).

        near: the steps, with a start and a stop. All elements come from one row of the stored block, and
        those that it lacks are 0. Of more than 49 steps a column in the middle so has 24 on either side, also
        those beyond a lag of 12, which :meth:`diagonal` sets to 0, and one of the first or the last 24 steps
        has those of the first or the last 49.
        """
        middle, rest = len(self.block) // 2, self.count - len(self.block)
        row = min(step, middle) + max(0, step - middle - rest)
        others = np.arange(near.start, near.stop) - step + row
        inside = (others >= 0) & (others < len(self.block))
        return np.where(inside, self.block[row, np.clip(others, 0, len(self.block) - 1)], 0.0)

    def unforeseen(self, steps: Array) -> Array:
        """Return what of steps (count, motions, 3) their neighbours do not predict: the precision matrix
        times steps, a new array of the same shape.

        Of up to 49 steps it is the whole product. Of more, each of the first and the last 24 is told by the
        first or the last 49 steps, all others by the 12 on either side.
        """
        size = len(self.block)
        if size == self.count:
            return np.einsum("ij,jmk->imk", self.block, steps)
        middle = size // 2
        views = np.lib.stride_tricks.sliding_window_view(steps, 2 * REACH + 1, axis=0)
        inside = views @ self.block[middle, middle - REACH : middle + REACH + 1]
        first = np.einsum("ij,jmk->imk", self.block[:middle], steps[:size])
        last = np.einsum("ij,jmk->imk", self.block[middle + 1 :], steps[-size:])
        return np.concatenate([first, inside[middle - REACH : len(inside) - middle + REACH], last])


def precision(count: int, fps: float, seconds: float = SMOOTH_SECONDS) -> Precision:
    """Return the precision (inverse covariance) of a motion's steps.

    It says how well neighbours predict each step. The covariance is Matern's of order 5/2.

    Parameters
    ----------
    count
        Of the steps, at least 1.
    fps
        Steps a second.
    seconds
        The covariance's length scale, above 0.

    Returns
    -------
    Precision
        For steps whose variance is 1, with a noise of 1e-4 beside it. Of more than 49 steps
        it keeps a block of 49, see :meth:`Precision.diagonal`.
    """
    size = min(count, 4 * REACH + 1)
    apart = np.sqrt(5.0) * np.arange(size) / (fps * seconds)
    of_lag = (1.0 + apart + apart * apart / 3.0) * np.exp(-apart)
    lags = np.abs(np.arange(size)[:, None] - np.arange(size)[None, :])
    return Precision(count, np.linalg.inv(of_lag[lags] + NOISE * np.eye(size)))


@record(frozen=True)
class Usual:
    """What is usual of what is not foreseen, by direction.

    alike: (n, motions, 3), what is not foreseen. weights: (n, motions), how much each counts. squares:
    (motions, 3, 3), the weighted sum of outer products. floor: the least that is usual. far: see FAR.
    """

    alike: Array
    weights: Array
    squares: Array
    floor: float
    far: float = np.inf

    @functools.cached_property
    def factors(self) -> Array:
        """What makes what is usual of size 1 in any direction, (motions, 3, 3), from the right."""
        return _factors(self.squares / len(self.alike), self.floor)

    def factors_with(self, motion: int, span: slice, replacement: Array) -> Array:
        """Return the factors of a motion in which the values in a span of steps are replaced by others.

        Parameters
        ----------
        motion
            Its index.
        span
            The steps, a slice.
        replacement : (steps, 3)
            What stands there instead; what of it is rare counts less, as of :func:`usual`.

        Returns
        -------
        Array (3, 3)
            What makes what is then usual of size 1 in any direction, from the right. Nothing is
            changed.
        """
        mine = self.alike[span, motion]
        rest = self.squares[motion] - mine.T @ (self.weights[span, motion, None] * mine)
        weights = np.ones(len(replacement))
        # each follows from the other: what is usual from the weights, and these from it
        for _ in range(2):
            square = rest + replacement.T @ (weights[:, None] * replacement)
            factors = _factors(square / len(self.alike), self.floor)
            weights = _weights(np.sum((replacement @ factors) ** 2, axis=1), self.far)
        return factors


def usual(alike: Array, floor: float, far: float = np.inf) -> Usual:
    """Return what is usual among unforeseen steps, for each motion, by direction.

    It is the weighted mean of their outer products. Rare large steps count less: one whose size is s times
    the usual has the weight 25 / s^2 beyond 5 times, as of Huber, and this times (far / s)^2 beyond `far`
    times. As the usual follows from the weights and these from it, both are found in 4 rounds, from weights
    by the median size.

    Parameters
    ----------
    alike : (n, motions, 3)
        The unforeseen steps, at least one.
    floor
        The least that is usual, in the steps' unit. Its square is added to the mean square in
        each direction, and so is (0.05)^2 of that in the liveliest.
    far
        Beyond so many times the usual, steps count ever less; inf for no such limit.

    Returns
    -------
    Usual
        It holds `alike` itself, and the last weights (n, motions) with the weighted sums of
        outer products (motions, 3, 3), without the floor, which its factors add.
    """
    sizes = np.sum(alike * alike, axis=2)
    # to begin with, by the median, which a few large steps can't spoil
    weights = 1.0 / (1.0 + sizes / np.maximum(np.median(sizes, axis=0), 1e-30))
    for _ in range(ROUNDS):
        squares = np.einsum("nm,nmi,nmj->mij", weights, alike, alike, optimize=True)
        factors = _factors(squares / len(alike), floor)
        weights = _weights(np.sum(np.einsum("nmi,mij->nmj", alike, factors, optimize=True) ** 2, axis=2), far)
    squares = np.einsum("nm,nmi,nmj->mij", weights, alike, alike, optimize=True)
    return Usual(alike, weights, squares, floor, far)


def _factors(squares: Array, floor: float) -> Array:
    """Return the factors that divide by the roots of mean squares (..., 3, 3)."""
    sizes, axes = np.linalg.eigh(squares)
    least = floor * floor + QUIET * QUIET * sizes[..., -1:]
    return np.asarray(axes / np.sqrt(np.maximum(sizes, 0.0) + least)[..., None, :])


def _weights(squares: Array, far: float) -> Array:
    """Return how much values count by their squared distance: fully near the usual, then less with
    distance.
    """
    squares = np.maximum(squares, 1e-18)
    return np.minimum(1.0, RARE * RARE / squares) * np.minimum(1.0, far * far / squares)


SHARES = np.array([0.0, 0.3, 0.6, 0.8, 0.9, 0.95, 0.98, 0.99])
"""The parts of a motion that may be the others'."""
KNOWN = 15
"""The noise is known as if so many more steps had told it: a short motion never seems to have none."""
MOST = 32
"""So many others are asked, those that a motion goes along with most."""
NOTHING = 1e-9
"""A combination that moves less, in parts of the one that moves most, says nothing."""


@record(frozen=True, eq=False)
class JumpShape:
    """A jump in the steps of a motion.

    step: where it is. first: where its shape begins, (k,), what is not foreseen of a jump of size 1. half: so
    many steps are around it. factors: (3, 3), what makes what is usual of size 1.
    """

    step: int
    first: int
    shape: Array
    half: int
    factors: Array


@record(frozen=True, eq=False)
class Others:
    """All motions that are at once: what is not foreseen of them (n, motions, 3), the usual of size 1."""

    moves: Array

    @functools.cached_property
    def flat(self) -> Array:
        """What is not foreseen, all motions side by side (n, 3 * motions)."""
        return self.moves.reshape(len(self.moves), -1)

    @functools.cached_property
    def _products(self) -> Array:
        return self.flat.T @ self.flat

    def beside(self, motion: int) -> tuple[Integers, Array, Array]:
        """Return how the other motions move while one motion does, for those (up to 32) that go along with it
        most: with the largest sum of squared products with it, for how much they move themselves.

        Returned are columns (c,) of `flat`, the three of each such motion, in the motions' own order; a
        matrix (c, k) that combines these into k independent signals, each with a sum of squares of 1 over all
        steps, the weakest first; and the variance of each signal (k,), scaled to a sum of the number of
        steps. Signals with less than 1e-9 of the strongest one's sum of squares are left out. Without other
        motions c and k are 0.
        """
        count = self.moves.shape[1]
        blocks = self._products.reshape(count, 3, count, 3)
        squares = np.einsum("aiai->a", blocks)
        alike = np.sum(blocks[motion] ** 2, axis=(0, 2)) / np.maximum(squares, NOTHING)
        alike[motion] = -1.0
        asked = np.sort(np.argsort(-alike, kind="stable")[: min(MOST, count - 1)])
        columns: Integers = (3 * asked[:, None] + np.arange(3)).ravel()
        sizes, axes = np.linalg.eigh(self._products[np.ix_(columns, columns)])
        says = sizes > NOTHING * max(float(sizes.max(initial=0.0)), NOTHING)
        sizes, axes = sizes[says], axes[:, says]
        return columns, axes / np.sqrt(sizes), sizes * (len(self.moves) / max(float(sizes.sum()), NOTHING))


class OtherMotions:
    """A motion beside the others: what is not foreseen of it (n, 3), and which of them it is.

    A foot that lands shakes the whole leg; a jump that does not belong there moves one bone alone. So what is
    not foreseen is taken for a combination of that of the others, with random weights, and noise: a Gaussian
    process (C. Rasmussen, C. Williams, 2006, section 2.1), whose parts are as the evidence says (5.4).
    """

    def __init__(self, other_motions: Others, motion: int, unforeseen: Array) -> None:
        self._others, self._unforeseen = other_motions, unforeseen
        self._columns, self._axes, self._sizes = other_motions.beside(motion)
        self._parts = self._axes.T @ (other_motions.flat.T @ unforeseen)[self._columns]
        self._squares = unforeseen.T @ unforeseen

    def times(self, jump: JumpShape) -> float:
        """Return how many times as large as usual a jump is, once what the other motions predict is taken
        off.

        The others may predict nothing of this motion or a share of it up to 99 %, whichever explains the
        whole motion best (by the evidence of a Gaussian process); the jump's size is fitted with that. What
        is usual is the rest of this motion, in each axis of the jump's factors; where what is around the jump
        is louder than that, it counts instead. The result is the root of the sum of the three axes' squares,
        not of their mean: 0 or more, without a unit. jump: the jump, in this motion.
        """
        n, factors = len(self._unforeseen), jump.factors
        near = slice(jump.first, jump.first + len(jump.shape))
        parts, part = self._parts @ factors, self._combine_others(near).T @ jump.shape
        # what is no combination of the others
        squares = np.einsum("ij,ik,kj->j", factors, self._squares, factors) - np.sum(parts**2, axis=0)
        product = jump.shape @ self._unforeseen[near] @ factors - part @ parts
        square = float(jump.shape @ jump.shape - part @ part)
        noise = 1.0 - SHARES
        inverse = 1.0 / (SHARES[:, None] * self._sizes + noise[:, None])
        weights = inverse @ part**2 + square / noise
        sizes = ((inverse * part) @ parts + product / noise[:, None]) / weights[:, None]
        rest = inverse @ parts**2 + squares / noise[:, None] - sizes**2 * weights[:, None]
        usual = (np.maximum(rest, 0.0) + KNOWN) / (n + KNOWN)
        spread = (n - len(part)) * np.log(noise) - np.sum(np.log(inverse), axis=1)
        # minus twice the log of the evidence, in three axes, but for what is alike in all
        best = int(np.argmin((n + KNOWN) * np.sum(np.log(usual), axis=1) + 3.0 * spread))
        size, usual = sizes[best], usual[best]
        around = self._view_around(jump, size, parts - part[:, None] * size, inverse[best], noise[best])
        loud = float(np.mean(around**2 / usual))
        return float(np.sqrt(np.sum(size**2 / usual) * weights[best] / max(1.0, loud)))

    def _combine_others(self, steps: slice) -> Array:
        """Return the combinations (steps, k) of the other motions at some steps."""
        return self._others.flat[steps, self._columns] @ self._axes

    def _view_around(
        self, jump: JumpShape, size: Array, amounts: Array, inverse: Array, noise: float
    ) -> Array:
        """Return what surrounds a jump, without the jump: (steps, 3), the steps within jump.half of it, as
        far as the motion has them.

        Each step's value is what the others leave of it unpredicted, in units of its spread, in the axes of
        the jump's factors. size: (3,), of the jump, in those axes. amounts, inverse, noise: how much of each
        combination of the other motions is in this one, the inverse variances of these, and the variance of
        what is none of them.
        """
        steps = slice(max(jump.step - jump.half, 0), jump.step + jump.half + 1)
        left = self._unforeseen[steps] @ jump.factors
        at = np.arange(len(self._unforeseen))[steps] - jump.first
        inside = (at >= 0) & (at < len(jump.shape))
        left[inside] -= jump.shape[at[inside], None] * size
        asked, more = self._combine_others(steps), inverse - 1.0 / noise
        certainty = asked**2 @ more + 1.0 / noise
        return np.asarray((asked @ (more[:, None] * amounts) + left / noise) / np.sqrt(certainty)[:, None])
