# SPDX-License-Identifier: GPL-3.0-or-later
"""How far apart two windows of motion are, as point clouds, wherever they stand and whichever way they face.

The distance of two windows of frames is the mean square of the distance between their points, once one of
them has been turned about the vertical and moved over the ground to where it fits the other best (L. Kovar,
M. Gleicher, F. Pighin, "Motion Graphs", 2002, section 3.1). With points centred, the best turn leaves
``V_a + V_b - 2 sqrt(C^2 + S^2)`` of the horizontal part: V the windows' variances, C the sum of dot products
and S that of cross products of their points. For all pairs of frames C and S are matrix products, summed
along the diagonals.
"""

from __future__ import annotations

import dataclasses
import math

import numpy as np

from ...records import record
from .. import quaternion
from ..arrays import Array, ArrayLike, Floats

BLOCK_CELLS = 200_000
"""How many cells are worked on at once, about: what that takes stays in a processor's own memory."""


@record(frozen=True, eq=False)
class Windows:
    """A clip's windows of frames, ready to be compared.

    ground: (frames, 2 points) x of all points, then y, times the root of their weights. height: (frames,
    points) likewise. middle: (starts, 2) sums over a window, over the root of its whole weight. size:
    (starts,) what a window adds to every distance. count: how many frames the clip has at which a window
    could start; those that begin at ``starts`` or after would run over its end. window_frames: how long.
    mass: the whole weight of a window.
    """

    ground: Array
    height: Array
    middle: Array
    size: Array
    count: int
    window_frames: int
    mass: float

    @property
    def starts(self) -> int:
        """How many windows lie within the clip."""
        return len(self.size)

    def cut(self, frames: slice) -> Windows:
        """Return the windows that start at the frames of a slice."""
        covered = slice(frames.start, frames.stop + self.window_frames - 1)
        return dataclasses.replace(
            self,
            ground=self.ground[covered],
            height=self.height[covered],
            middle=self.middle[frames],
            size=self.size[frames],
            count=frames.stop - frames.start,
        )


def prepare(points: ArrayLike, weights: ArrayLike, window_frames: int, *, cyclic: bool = False) -> Windows:
    """Return a clip prepared for the comparison of its windows of frames.

    Parameters
    ----------
    points : (frames, points, 3)
        Z up, in any unit.
    weights : (points,)
        Zero or more, but not all zero.
    window_frames
        How many frames a window has, 1 or more.
    cyclic
        The last frame is the first of the next cycle; windows go on into the next cycles, as
        :func:`continued` gives them, and there is one for every frame but the last. A single
        frame is taken for a clip that is no cycle.

    Returns
    -------
    Windows
        Its `count` is the clip's number of frames, one less for a cycle, and its `starts` how many
        of these, from the first on, begin a window: all of them for a cycle; otherwise
        frames - window_frames + 1, and 0 for a clip that is shorter than a window.
    """
    at, weight = np.asarray(points, float), np.asarray(weights, float)
    count = len(at)
    if cyclic and count > 1:
        at, count = continued(at, weight, window_frames - 2), count - 1
    if len(at):
        # far from the origin the sums would lose digits; the height is what it is
        at = at - at.mean(axis=(0, 1)) * (1.0, 1.0, 0.0)
    root = np.sqrt(weight)
    ground = np.concatenate([at[..., 0] * root, at[..., 1] * root], axis=1)
    height = at[..., 2] * root
    mass = float(weight.sum()) * window_frames
    sums = np.stack([at[..., 0] @ weight, at[..., 1] @ weight], axis=1)
    middle = _window_sums(sums, window_frames) / math.sqrt(mass)
    squares = np.square(ground).sum(axis=1) + np.square(height).sum(axis=1)
    size = _window_sums(squares, window_frames) - np.square(middle).sum(axis=1)
    return Windows(ground, height, middle, size, count, window_frames, mass)


def distances(a: Windows, b: Windows) -> Floats:
    """Return the distances (a.count, b.count), float32, of the windows of one clip to those of another.

    Row i and column j are for the windows that start at those frames; a cycle has one frame less than its
    points, as its last one starts the next cycle. They are in squares of the points' unit: weighted means
    over points and frames, once both clouds fit as well as they can. Infinity stands where a window would run
    over a clip's end. Both have windows of as many frames, and the same weights.
    """
    result = np.full((a.count, b.count), np.inf, np.float32)
    rows = max(1, BLOCK_CELLS // max(b.starts, 1))
    for start in range(0, a.starts, rows):
        stop = min(start + rows, a.starts)
        result[start:stop, : b.starts] = _block(a.cut(slice(start, stop)), b)
    return result


def _block(a: Windows, b: Windows) -> Array:
    """Return the distances of all windows within clip a to all within clip b: (a.starts, b.starts), 0 or
    more.

    They are mean squares over the points and frames of a window, once one has been turned about the vertical
    and moved over the ground to fit the other best. With no window in b it is (a.starts, 0).
    """
    if not b.starts:
        return np.empty((a.starts, 0))
    points = a.height.shape[1]
    # b turned by a right angle, whose dot products with a are the cross products
    crossed = np.concatenate([b.ground[:, points:], -b.ground[:, :points]], axis=1)
    # a copy, as numpy rounds otherwise where an array meets itself
    ground = a.ground.copy()
    dots = _along_diagonals(ground @ b.ground.T, a.window_frames)
    dots -= a.middle @ b.middle.T
    crosses = _along_diagonals(ground @ crossed.T, a.window_frames)
    crosses -= a.middle @ np.stack([b.middle[:, 1], -b.middle[:, 0]])
    dots *= dots
    crosses *= crosses
    dots += crosses
    np.sqrt(dots, out=dots)
    dots += _along_diagonals(a.height @ b.height.T, a.window_frames)
    dots *= -2.0
    dots += a.size[:, None]
    dots += b.size
    dots /= a.mass
    # of what is the same only rounding is left, on either side of nothing
    return np.maximum(dots, 0.0, out=dots)


def _along_diagonals(products: Array, count: int) -> Array:
    """Return the sums of `count` cells in a row along the diagonals of products (m, n): (m - count + 1, n -
    count + 1).

    Cell [i, j] of the result starts at cell [i, j]. The products themselves are overwritten.
    """
    for i in range(1, len(products)):
        products[i, 1:] += products[i - 1, :-1]
    sums = products[count - 1 :, count - 1 :].copy()
    sums[1:, 1:] -= products[:-count, :-count]
    return sums


def _window_sums(values: Array, count: int) -> Array:
    """Return the sums (n - count + 1, ...) of `count` values in a row, of values (n, ...)."""
    if len(values) < count:
        return np.empty((0, *values.shape[1:]))
    # differences of running sums would carry the rounding of a whole clip into each window
    return np.lib.stride_tricks.sliding_window_view(values, count, axis=0).sum(axis=-1)


def align(a: ArrayLike, b: ArrayLike, weights: ArrayLike) -> tuple[float, Array]:
    """Return the turn about the vertical, and then the move over the ground, that bring b nearest to a.

    Parameters
    ----------
    a
        (frames, points, 3), or (points, 3), Z up.
    b
        The cloud that is moved, of the same shape.
    weights : (points,)
        Zero or more, but not all zero.

    Returns
    -------
    tuple[float, Array]
        The angle, radians, 0 for clouds that fit alike in any direction; and the move (3,)
        without height. They are to be applied as turned(b, angle) + move.
    """
    first, second = np.asarray(a, float), np.asarray(b, float)
    weight = np.broadcast_to(np.asarray(weights, float), first.shape[:-1])[..., None]
    axes = tuple(range(first.ndim - 1))
    centres = [(weight * cloud).sum(axis=axes) / weight.sum() for cloud in (first, second)]
    p, q = first - centres[0], second - centres[1]
    dots = float((weight * p[..., :2] * q[..., :2]).sum())
    crosses = float((weight[..., 0] * (p[..., 1] * q[..., 0] - p[..., 0] * q[..., 1])).sum())
    angle = math.atan2(crosses, dots)
    move = (centres[0] - turned(centres[1], angle)) * (1.0, 1.0, 0.0)
    return angle, move


def turned(points: ArrayLike, angle: float) -> Array:
    """Return points (..., 3) turned about the vertical through the origin by an angle, radians."""
    return quaternion.rotate(quaternion.exp([0.0, 0.0, angle]), np.asarray(points, float))


def continued(points: Array, weights: Array, extra: int) -> Array:
    """Return a cycle with some frames after it.

    They are those of the cycle itself, moved to where the last frame stands and turned as it faces.

    Parameters
    ----------
    points : (frames, points, 3)
        Its last frame is the first of the next cycle; at least two.
    weights : (points,)
        Zero or more, but not all zero.
    extra
        How many frames. With a negative number as many are left out at the end.

    Returns
    -------
    Array (frames + extra, points, 3)
        The cycle comes first.
    """
    if extra < 0:
        return points[:extra]
    period = len(points) - 1
    angle, move = align(points[-1], points[0], weights)
    parts, cycle, left = [points], points[1:], extra
    while left > 0:
        cycle = turned(cycle, angle) + move
        parts.append(cycle[:left])
        left -= period
    return np.concatenate(parts)
