# SPDX-License-Identifier: GPL-3.0-or-later
"""How clear a jump of a motion is beside the other motions.

A foot that lands shakes the whole leg, alike at each step; a jump that does not belong there moves one bone
alone. So what the frames around do not foresee of a motion is taken for a combination of what they do not
foresee of the others, with weights that are random, and noise: a Gaussian process (C. Rasmussen, C. Williams,
*Gaussian Processes for Machine Learning*, 2006, section 2.1), whose parts are as the evidence says (section
5.4). Where the others are calm a jump has little to hide in, and where many move at once much.
"""

from __future__ import annotations

import functools

import numpy as np

from ...records import record
from ..arrays import Array, Integers

SHARES = np.array([0.0, 0.3, 0.6, 0.8, 0.9, 0.95, 0.98, 0.99])
"""The parts of a motion that may be the others'."""
KNOWN = 15
"""The noise is known as if so many more steps had told it: a short motion never seems to have none."""
MOST = 32
"""So many others are asked, those that a motion goes along with most."""
NOTHING = 1e-9
"""A combination that moves less, in parts of the one that moves most, says nothing."""


@record(frozen=True, eq=False)
class Jump:
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
        """What the others of a motion do.

        Their columns (c,), the combinations (c, k) of these that are independent and of size 1, and how much
        each of them moves, (k,), so that all of them are of size 1 in a step.
        """
        count = self.moves.shape[1]
        blocks = self._products.reshape(count, 3, count, 3)
        own = np.einsum("aiai->a", blocks)
        alike = np.sum(blocks[motion] ** 2, axis=(0, 2)) / np.maximum(own, NOTHING)
        alike[motion] = -1.0
        asked = np.sort(np.argsort(-alike, kind="stable")[: min(MOST, count - 1)])
        columns: Integers = (3 * asked[:, None] + np.arange(3)).ravel()
        sizes, axes = np.linalg.eigh(self._products[np.ix_(columns, columns)])
        says = sizes > NOTHING * max(float(sizes.max(initial=0.0)), NOTHING)
        sizes, axes = sizes[says], axes[:, says]
        return columns, axes / np.sqrt(sizes), sizes * (len(self.moves) / max(float(sizes.sum()), NOTHING))


class Beside:
    """A motion beside the others: what is not foreseen of it (n, 3), and which of them it is."""

    def __init__(self, others: Others, motion: int, unforeseen: Array) -> None:
        self._others, self._unforeseen = others, unforeseen
        self._columns, self._axes, self._sizes = others.beside(motion)
        self._parts = self._axes.T @ (others.flat.T @ unforeseen)[self._columns]
        self._squares = unforeseen.T @ unforeseen

    def times(self, jump: Jump) -> float:
        """How many times the noise, and what is around, a jump is that the others do not foretell."""
        n, factors = len(self._unforeseen), jump.factors
        near = slice(jump.first, jump.first + len(jump.shape))
        parts, part = self._parts @ factors, self._asked(near).T @ jump.shape
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
        best = int(np.argmin((n + KNOWN) * np.sum(np.log(usual), axis=1) + 3.0 * spread))
        size, usual = sizes[best], usual[best]
        around = self._around(jump, size, parts - part[:, None] * size, inverse[best], noise[best])
        loud = float(np.mean(around**2 / usual))
        return float(np.sqrt(np.sum(size**2 / usual) * weights[best] / max(1.0, loud)))

    def _asked(self, steps: slice) -> Array:
        """The combinations of the others at some steps, (those, k)."""
        return self._others.flat[steps, self._columns] @ self._axes

    def _around(self, jump: Jump, size: Array, parts: Array, inverse: Array, noise: float) -> Array:
        """What is around a jump without it, (steps, 3), each beside all that is known but itself."""
        steps = slice(max(jump.step - jump.half, 0), jump.step + jump.half + 1)
        left = self._unforeseen[steps] @ jump.factors
        at = np.arange(len(self._unforeseen))[steps] - jump.first
        inside = (at >= 0) & (at < len(jump.shape))
        left[inside] -= jump.shape[at[inside], None] * size
        asked, more = self._asked(steps), inverse - 1.0 / noise
        known = asked**2 @ more + 1.0 / noise
        return np.asarray((asked @ (more[:, None] * parts) + left / noise) / np.sqrt(known)[:, None])
