# SPDX-License-Identifier: GPL-3.0-or-later
"""Least squares over where feet and hips go, each term of which concerns three frames at most."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ..arrays import Array, Flags

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
        for s, slope in enumerate(slopes):
            counted = slope * counts[:, :, None]
            self.pull[:, begin + s : begin + s + rows] += (counted @ residuals[..., None])[..., 0]
            for t in range(s, len(slopes)):
                self.near[:, begin + s : begin + s + rows, t - s] += counted @ slopes[t].swapaxes(-1, -2)

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
        count, begun = len(unknown), np.array(begins)
        ends = np.append(begun[1:], count)
        at = begun[:, None] + np.arange(int((ends - begun).max()))
        is_there = at < ends[:, None]
        at = np.minimum(at, count - 1)
        near, pull = self._joined(slice(0, count))
        found = _eliminated(near[at], pull[at], unknown[at] & is_there[..., None])
        solution = np.zeros(unknown.shape)
        solution[at[is_there]] = found[is_there]
        return solution

    def _joined(self, span: slice) -> tuple[Array, Array]:
        """Return the normal equations of all legs together on a span of frames: near and pull, new arrays.

        near: (frames, REACH, width, width); [i, k] holds the products of frame i's unknowns (rows) with frame
        i + k's (columns), k = 0, 1, 2. pull: (frames, width). width is 3 * legs + 1: x, y and z of each leg's
        foot, leg by leg, then the hips, which all legs share and whose entries are summed. span: frames
        counted from the first, with a start and a stop; the frame before the first is left out.
        """
        legs, rows = len(self.near), slice(span.start + 1, span.stop + 1)
        count, width = span.stop - span.start, 3 * legs + 1
        near, pull = np.zeros((count, REACH, width, width)), np.zeros((count, width))
        for k in range(legs):
            columns = np.array([3 * k, 3 * k + 1, 3 * k + 2, width - 1])
            near[:, :, columns[:, None], columns] += self.near[k, rows]
            pull[:, columns] += self.pull[k, rows]
        return near, pull


def _eliminated(near: Array, pull: Array, unknown: Flags) -> Array:
    """Return the x (problems, frames, width) for which near x = -pull, with 0 for what is not unknown.

    See :meth:`FewFramesApart._joined`. Some frames at a time meet only those before and behind them, and are
    eliminated from one end to the other. near: (problems, frames, REACH, width, width), the blocks of each
    frame with itself and with the next ones; those with earlier frames are the transposed ones. pull,
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
