# SPDX-License-Identifier: GPL-3.0-or-later
"""Least squares over where feet and hips go, each term of which concerns three frames at most."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ..arrays import Array, Flags, Integers

UNKNOWNS = 4
"""Of each leg: where its foot goes, along three axes, and how far the hips, which all share, go down."""
REACH = 3
"""A term concerns so many frames, at most."""
TOGETHER = 48
"""Frames are eliminated together that have about so many unknowns: one by one they would take longer; ..."""
MANY, FEW = 4, 14
"""... of so many problems at once so many, as more only mean more sums."""


class FewFramesApart:
    """The normal equations.

    near: (legs, frames, REACH, UNKNOWNS, UNKNOWNS) the products of the unknowns of a frame with those of
    itself and of the next ones. pull: (legs, frames, UNKNOWNS). Both have one frame more, before the first.
    """

    def __init__(self, legs: int, count: int) -> None:
        self.near = np.zeros((legs, count + 1, REACH, UNKNOWNS, UNKNOWNS))
        self.pull = np.zeros((legs, count + 1, UNKNOWNS))

    def add(self, begin: int, slopes: Sequence[Array], residuals: Array, counts: Array) -> None:
        """Add terms to the least-squares problem: values that are to become zero.

        `near` and `pull` change in place.

        Parameters
        ----------
        begin
            Row r concerns the frames begin + r, begin + r + 1, and so on; -1 is the frame
            before the first.
        slopes
            For each of one to three frames in a row, the derivatives (legs, rows, UNKNOWNS,
            values) of the values by that frame's unknowns.
        residuals : (legs, rows, values)
            The values as they are now.
        counts : (legs, rows, values)
            The weights of their squares.
        """
        rows, begin = residuals.shape[1], begin + 1
        # all frames of a row at once, as many small products take longer than one
        each = np.concatenate(slopes, axis=2)
        counted = each * counts[:, :, None]
        products = counted @ each.swapaxes(-1, -2)
        pull = (counted @ residuals[..., None])[..., 0]
        for s in range(len(slopes)):
            at, own = slice(begin + s, begin + s + rows), slice(UNKNOWNS * s, UNKNOWNS * (s + 1))
            self.pull[:, at] += pull[..., own]
            for t in range(s, len(slopes)):
                self.near[:, at, t - s] += products[..., own, UNKNOWNS * t : UNKNOWNS * (t + 1)]

    def add_pairs(self, rows: Integers, factors: tuple[Array, Array], values: Array, counts: Array) -> None:
        """Add terms on a few frames that draw sums of the same unknown on two frames in a row to zero.

        `near` and `pull` change in place.

        Parameters
        ----------
        rows : (some,)
            The first frame of each pair, each once.
        factors : two arrays (some,)
            By how much the unknown on the first, and on the second frame counts in a sum.
        values : (legs, some, UNKNOWNS)
            The sums as they are now.
        counts : (legs, some, UNKNOWNS)
            The weights of their squares.
        """
        each = np.arange(UNKNOWNS)
        first, second = (factor[:, None] for factor in factors)
        for at, factor in ((rows + 1, first), (rows + 2, second)):
            self.near[:, at[:, None], 0, each, each] += counts * factor**2
            self.pull[:, at] += counts * factor * values
        self.near[:, rows[:, None] + 1, 1, each, each] += counts * first * second

    def draw(
        self, unknown: int, residuals: Array, counts: Array | float, squares: Array | float = 1.0
    ) -> None:
        """Add terms that draw one unknown of each leg to a value on all frames.

        `near` and `pull` change in place.

        Parameters
        ----------
        unknown
            Its index, from 0 to UNKNOWNS - 1.
        residuals : (legs, frames)
            By how much the unknown should become less than it is; with `squares`, the
            derivative times the residual.
        counts
            The weights of the squares, a number or (legs, frames).
        squares
            The squares of the residuals' derivatives by the unknown, likewise.
        """
        self.near[:, 1:, 0, unknown, unknown] += counts * squares
        self.pull[:, 1:, unknown] += counts * residuals

    def solved(self, unknown: Flags, begins: Sequence[int] = (0,)) -> Array:
        """Return the solution of the least-squares problem: changes (frames, 3 * legs + 1), x, y and z of
        each foot, leg by leg, then the hips; 0 where nothing is unknown.

        unknown: flags (frames, 3 * legs + 1), which of them may change. begins: the frames, rising, at which
        problems begin that have no term in common; they are solved at once, each up to the next. Raise
        LinAlgError if there is no single solution.
        """
        # frames on which nothing is unknown part those before from those behind
        frames = np.flatnonzero(unknown.any(axis=1))
        edges = np.searchsorted(frames, [*begins, len(unknown)])
        counts = np.diff(edges)
        at = edges[:-1, None] + np.arange(max(int(counts.max()), 1))
        is_there = at < edges[1:, None]
        solution = np.zeros(unknown.shape)
        if not len(frames):
            return solution
        rows = frames[np.minimum(at, len(frames) - 1)]
        near, pull = self._sum_equations(rows)
        found = _eliminated(near, pull, unknown[rows] & is_there[..., None])
        solution[rows[is_there]] = found[is_there]
        return solution

    def _sum_equations(self, rows: Integers) -> tuple[Array, Array]:
        """Return the normal equations of all legs together on some frames: near and pull, new arrays.

        near: (..., frames, REACH, width, width); [i, k] holds the products of the unknowns of the i-th of the
        frames (rows) with those of the k-th behind it (columns), k = 0, 1, 2; 0 where that lies further off
        than a term reaches. pull: (..., frames, width). width is 3 * legs + 1: x, y and z of each leg's foot,
        leg by leg, then the hips, which all legs share and whose entries are summed. rows: (..., frames),
        rising, counted from the first; the frame before the first is left out.
        """
        legs = len(self.near)
        width = 3 * legs + 1
        apart = np.zeros((*rows.shape, REACH), np.int64)
        for k in range(1, REACH):
            apart[..., k] = REACH
            apart[..., :-k, k] = rows[..., k:] - rows[..., :-k]
        is_near = apart < REACH
        apart = np.where(is_near, apart, 0)
        near, pull = np.zeros((*apart.shape, width, width)), np.zeros((*rows.shape, width))
        for leg in range(legs):
            columns = np.array([3 * leg, 3 * leg + 1, 3 * leg + 2, width - 1])
            near[..., columns[:, None], columns] += self.near[leg][rows[..., None] + 1, apart]
            pull[..., columns] += self.pull[leg][rows + 1]
        near *= is_near[..., None, None]
        return near, pull


def _eliminated(near: Array, pull: Array, unknown: Flags) -> Array:
    """Return the x (problems, frames, width) for which near x = -pull, with 0 for what is not unknown.

    See :meth:`FewFramesApart._sum_equations`. Some frames at a time meet only those before and behind them,
    and are eliminated from one end to the other. near: (problems, frames, REACH, width, width), the blocks of
    each frame with itself and with the next ones; those with earlier frames are the transposed ones. pull,
    unknown: (problems, frames, width); the equations of what is not unknown are left out. Raise LinAlgError
    if there is no single solution.
    """
    problems, count, width = unknown.shape
    together = max(REACH - 1, math.ceil((TOGETHER if problems < MANY else FEW) / width))
    groups = math.ceil(count / together)
    padded = np.zeros((problems, groups * together, REACH, width, width))
    is_unknown = np.zeros((problems, groups * together + REACH, width), bool)
    padded[:, :count], is_unknown[:, :count] = near, unknown
    here = is_unknown[:, : groups * together]
    for apart in range(REACH):
        behind = is_unknown[:, apart : apart + groups * together, None, :]
        padded[:, :, apart] *= here[..., None] & behind
    padded[:, :, 0] += np.eye(width) * ~here[:, :, None, :]
    wanted = np.zeros((problems, groups * together, width))
    wanted[:, :count] = -pull * unknown
    own, behind = (
        each.reshape(problems, groups, together * width, together * width)
        for each in _grouped(padded.reshape(problems * groups, together, REACH, width, width))
    )
    wanted = wanted.reshape(problems, groups, together * width, 1)
    reduced: list[Array] = []
    for i in range(groups):
        if i:
            above = behind[:, i - 1].swapaxes(-1, -2)
            own[:, i] -= above @ reduced[-1][..., :-1]
            wanted[:, i] -= above @ reduced[-1][..., -1:]
        both = np.concatenate([behind[:, i], wanted[:, i]], axis=-1)
        reduced.append(np.linalg.solve(own[:, i], both))
    found = np.zeros((groups + 1, problems, together * width, 1))
    for i in reversed(range(groups)):
        found[i] = reduced[i][..., -1:] - reduced[i][..., :-1] @ found[i + 1]
    return found[:-1, ..., 0].swapaxes(0, 1).reshape(problems, -1, width)[:, :count]


def _grouped(near: Array) -> tuple[Array, Array]:
    """Return, for groups of frames, the products of a group's unknowns with its own and with the next
    group's.

    near: (groups, frames, REACH, width, width). Both results are (groups, frames * width, frames * width); in
    the second a row belongs to this group and a column to the next. The first is filled on both sides of its
    diagonal.
    """
    groups, together, _, width, _ = near.shape
    both = np.zeros((groups, together, width, 2 * together, width))
    for i in range(together):
        for apart in range(REACH):
            both[:, i, :, i + apart] = near[:, i, apart]
            if 0 < apart < together - i:
                both[:, i + apart, :, i] = near[:, i, apart].swapaxes(-1, -2)
    flat = both.reshape(groups, together * width, 2, together * width)
    return flat[:, :, 0].copy(), flat[:, :, 1].copy()
