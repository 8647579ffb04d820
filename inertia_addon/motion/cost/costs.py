# SPDX-License-Identifier: GPL-3.0-or-later
"""Costs of many transitions at once: curves over a clip, and maps of one clip over another.

The cost of a meeting is the displacement of all joints, a sum over joints and axes of what
:mod:`decay` gives for the differences x in position and v in velocity, times the joints' weights.
Of each clip the two linear combinations of position and velocity are kept that the closed form asks for;
their differences are then worked on in blocks that stay in the processor's cache, in float32, and no array
of frames by frames by joints is ever made. Joints are in character space, see :mod:`character`.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ...records import record
from ..arrays import Array, ArrayLike, Floats, Integers
from ..decay.decay import FORMS, Method, calmest, displacement, feature_weights
from ..steps import Steps, finish

BLOCK = 88_000
"""How many numbers a block has, about: few enough that all of its arrays stay in the cache."""
RUN = 16
"""How many frames of a tile are filled one by one; the rest is copied from these."""
CROWD = 9
"""One of so many flags at least is set where they are looked for, or else numpy looks for each by itself."""
STEP_CELLS = 100_000
"""How many cells of a map are computed between two reports, about; fewer where there are many joints."""

ARRAYS = 4
"""How many arrays the closed forms take."""
FIT_TERMS, FIT_POINTS, FIT_ROUNDS = 9, 401, 60
"""Of the polynomial that stands for what lies behind the crossing of a curve that is not plain."""

# arrays, as numpy would make one of a number in each of thousands of calls
_SIGN = np.array(1 << 31, np.uint32)
_ZERO, _ONE, _EIGHT, _FOUR_FIFTHS, _FIVE, _FIVE_HALVES = (
    np.array(value, np.float32) for value in (0.0, 1.0, 8.0, 0.8, 5.0, 2.5)
)


@record(frozen=True, eq=False)
class PreparedClip:
    """A clip, or one frame, ready to be compared: two combinations (frames, 3 * joints) of its joints'
    positions and velocities, and how displacements are summed of these. Without that the first has
    features, whose L1 distance is the cost, and the second nothing."""

    first: Floats
    second: Floats
    form: _ClosedForm | None = None

    def cut(self, frames: slice) -> PreparedClip:
        """Return some of its frames, prepared alike."""
        return PreparedClip(self.first[frames], self.second[frames], self.form)


def prepare(
    positions: ArrayLike, velocities: ArrayLike, weights: ArrayLike, method: Method, seconds: float
) -> PreparedClip:
    """Return a clip ready to be compared by the displacement of transitions.

    Parameters
    ----------
    positions, velocities : (frames, joints, 3)
        In character space, metres and metres a second.
    weights : (joints,)
        Zero or more; the displacement of an offset grows in proportion to it.
    method
        The curve of the blend.
    seconds
        The blend time, or the half-life for SPRING, above 0.

    Returns
    -------
    PreparedClip
        In float32. Only clips prepared with the same weights, method and seconds can be
        compared.
    """
    form, weight = _closed_form(method, seconds), np.asarray(weights, float)[:, None]
    x, v = np.asarray(positions, float) * weight, np.asarray(velocities, float) * weight
    return PreparedClip(_rows(form.of_x[0] * x), _rows(v * form.of_v + form.of_x[1] * x), form)


def prepare_windows(windows: ArrayLike, weights: ArrayLike) -> PreparedClip:
    """Prepare windows (frames, samples, joints, 3), whose L1 distance is the cost; see :func:`prepare`."""
    return _featured(np.asarray(windows, float) * np.asarray(weights, float)[:, None])


def prepare_features(
    positions: ArrayLike, velocities: ArrayLike, weights: ArrayLike, method: Method, seconds: float
) -> PreparedClip:
    """Return a clip ready to be compared by features, whose distance is the size of the signed areas, summed.

    Parameters
    ----------
    positions, velocities : (frames, joints, 3)
        In character space, metres and metres a second.
    weights : (joints,)
        Zero or more; what each joint counts.
    method
        The curve of the blend; SMOOTH's pull is left out.
    seconds
        The blend time, or the half-life for SPRING, above 0.

    Returns
    -------
    PreparedClip
        In float32. The cost is never more than the displacement, but for SMOOTH.
    """
    of_x, of_v = feature_weights(method, seconds)
    weight = np.asarray(weights, float)[:, None]
    return _featured((of_x * np.asarray(positions, float) + of_v * np.asarray(velocities, float)) * weight)


def _featured(values: Array) -> PreparedClip:
    first = _rows(values)
    return PreparedClip(first, np.empty((len(first), 0), np.float32))


def _rows(values: Array) -> Floats:
    """Return values (frames, ...) with all numbers of a frame in a row: (frames, numbers), float32."""
    return np.ascontiguousarray(values.reshape(len(values), -1), np.float32)


def by_joint(x: ArrayLike, v: ArrayLike, weights: ArrayLike, method: Method, seconds: float) -> Array:
    """Return what each joint contributes to the cost of meetings.

    Parameters
    ----------
    x : (..., joints, 3)
        The differences of position, metres.
    v : (..., joints, 3)
        The differences of velocity, metres a second.
    weights : (joints,)
        What each joint counts.
    method
        The curve of the blend.
    seconds
        The blend time, or the half-life for SPRING, above 0.

    Returns
    -------
    Array (..., joints)
        Metre seconds, times the weights.
    """
    return np.asarray(weights, float) * displacement(method, x, v, seconds).sum(axis=-1)


def curve(row: PreparedClip, clip: PreparedClip) -> Floats:
    """Return the cost (frames,) of one frame with each frame of another clip, whichever of the two is the
    source.
    """
    costs = np.empty((1, len(clip.first)), np.float32)
    finish(map_blocks(row, clip, costs))
    return costs[0]


def map_blocks(rows: PreparedClip, columns: PreparedClip, costs: Floats) -> Steps[None]:
    """Write the cost of every frame of one clip with every frame of another into `costs`.

    If the clips come from :func:`prepare`, a cost is the exact displacement, in metre seconds. If they come
    from :func:`prepare_features` or :func:`prepare_windows`, it is the L1 distance of the rows.

    Parameters
    ----------
    rows
        One clip.
    columns
        The other, prepared alike; which of them is the source does not matter.
    costs : (frames of rows, frames of columns)
        A float32 array, all of which is overwritten.

    Yields
    ------
    float
        The part that is done, up to 1, after several rows each; the steps return None.
    """
    form = columns.form
    if form is None:
        yield from _feature_map_blocks(rows.first, columns.first, costs)
        return
    blocks = _blocks((columns.first, columns.second), form.factors, ARRAYS)
    every = _rows_a_step(columns.first.size)
    for i, row in enumerate(zip(rows.first, rows.second, strict=True)):
        # where no curve crosses zero, what vanishes is divided by next to nothing, see _spring
        with np.errstate(over="ignore", under="ignore"):
            for block in blocks:
                block.repeat(*row)
                np.subtract(block.clip[0], block.tiles[0], out=block.arrays[0])
                np.subtract(block.clip[1], block.tiles[1], out=block.arrays[1])
                form.sum_up(block, costs[i, block.frames])
        if (i + 1) % every == 0 or i + 1 == len(rows.first):
            yield (i + 1) / len(rows.first)


def _feature_map_blocks(rows: Floats, columns: Floats, costs: Floats) -> Steps[None]:
    """Write the L1 distance of every row of one array with every row of another into `costs`; yield the part
    that is done, up to 1.

    rows, columns: (frames, features), of equal width. costs: (frames of rows, frames of columns),
    overwritten; no distance is below 0.

    By |a - b| = 2 max(a, b) - a - b it takes a pass less than by differences. It is exact to rounding of the
    features, which are centred first so that these are of the size of the distances.
    """
    middle = columns.mean(axis=0, dtype=np.float64).astype(np.float32)
    rows, columns = rows - middle, columns - middle
    row_sums, column_sums = (a.sum(axis=1, dtype=np.float64).astype(np.float32) for a in (rows, columns))
    blocks = _blocks((columns,), (2.0,), arrays=1)
    every = 4 * _rows_a_step(columns.size)
    for i, row in enumerate(rows):
        for block in blocks:
            block.repeat(row)
            np.maximum(block.clip[0], block.tiles[0], out=block.arrays[0])
            np.dot(block.tables[0], block.factors[0], out=costs[i, block.frames])
        costs[i] -= column_sums
        costs[i] -= row_sums[i]
        np.maximum(costs[i], 0.0, out=costs[i])
        if (i + 1) % every == 0 or i + 1 == len(rows):
            yield (i + 1) / len(rows)


def _rows_a_step(size: int) -> int:
    """Return how many rows of a map make a step, for a clip of `size` numbers."""
    return max(1, 66 * STEP_CELLS // max(size, 1))


@record(frozen=True, eq=False)
class _CostBlock:
    """Some frames of a clip, and arrays to compute in; all flat, as numpy is quickest so.

    frames: which. clip: its arrays there. tiles: a row of another clip, repeated for each frame, one for
    each of the clip's arrays. arrays: to compute in; bits: the same as integers; tables: the same by
    frames. factors: what each sum over a frame is multiplied by, as many times as there are columns.
    """

    frames: slice
    clip: list[Floats]
    tiles: list[Floats]
    arrays: list[Floats]
    bits: list[NDArray[np.uint32]]
    tables: list[Floats]
    factors: list[Floats]
    tiny: Floats
    mask: NDArray[np.bool_]
    partial: Floats

    def repeat(self, *rows: Floats) -> None:
        """Fill the tiles with rows, repeated once for each frame; in place.

        rows: one for each of the clip's arrays, (columns,) each. Only the block that begins at frame 0 does
        anything, as all blocks share the memory of the tiles.
        """
        if self.frames.start == 0:
            for tile, row in zip(self.tiles, rows, strict=True):
                # numpy copies piece by piece: a few long ones are quicker than one for each frame
                run = min(len(tile), RUN * len(row))
                tile[:run].reshape(-1, len(row))[:] = row
                end = len(tile) // run * run if run else 0
                tile[run:end].reshape(-1, max(run, 1))[:] = tile[:run]
                tile[end:] = tile[: len(tile) - end]

    def turn_down(self) -> None:
        """Change the sign of the first two arrays where the first is positive, so that it no longer is; in
        place. The third array is overwritten."""
        x, u, sign = self.bits[:3]
        np.bitwise_and(x, _SIGN, out=sign)
        np.bitwise_xor(u, sign, out=u)
        np.bitwise_or(x, _SIGN, out=x)

    def part_crossing(self) -> tuple[Integers, Floats, Floats]:
        """Make the first two arrays positive in place; return the indices (n,) where one of them was negative
        and the other was positive, and copies of both there, (n,) each.

        There curves cross zero, which few do, and only for those more is computed. The third array is
        overwritten.
        """
        x, u, product = self.arrays[:3]
        np.multiply(x, u, out=product)
        np.less(product, _ZERO, out=self.mask[: len(x)])
        crossing = self.mask.nonzero()[0][: len(x) - len(self.mask)]
        np.abs(x, out=x)
        np.abs(u, out=u)
        # all indices are within, and need not be checked
        return crossing, x.take(crossing, mode="wrap"), u.take(crossing, mode="wrap")

    def sum_up(self, array: int, factor: int, costs: Floats) -> None:
        """Write an array's sums over each frame, times one of the factors, into costs."""
        np.dot(self.tables[array], self.factors[factor], out=costs)

    def add(self, array: int, factor: int, costs: Floats) -> None:
        """Add an array's sums over each frame, times one of the factors, to costs."""
        np.dot(self.tables[array], self.factors[factor], out=self.partial)
        np.add(costs, self.partial, out=costs)


def _blocks(clip: tuple[Floats, ...], factors: tuple[float, ...], arrays: int) -> list[_CostBlock]:
    """Return the blocks of consecutive frames into which a clip's arrays (frames, columns) are split, in
    order.

    With N = frames * columns / BLOCK, rounded, but 1 at least, a block gets frames / N frames, rounded up, so
    that each has about BLOCK numbers an array; the last one gets what is left. Without frames the list is
    empty.

    clip: contiguous float32 arrays, alike in shape, which the blocks view. A block's `clip`, `tiles` and
    `arrays` are flat, (frames of the block * columns,); `tables` are the same memory as `arrays`, as (frames
    of the block, columns). All blocks share the same tiles, which are not filled yet, and the same memory to
    compute in, so that each overwrites the results of the one before. A block's `mask` has a flag for each of
    these numbers, and set ones behind them. factors: what sums over a frame may be multiplied by; the block's
    `factors` has an array (columns,) full of each. arrays: how many there are to compute in.
    """
    frames, width = clip[0].shape
    # all about as large: a last one of a few frames would take as many calls as any
    height = max(1, -(-frames // max(1, round(frames * width / BLOCK))))
    size = height * width
    tiles = [np.empty(size, np.float32) for _ in clip]
    scratch = [np.empty(size, np.float32) for _ in range(arrays)]
    tiny = np.full(size, -1e-30, np.float32)
    mask = np.ones(size + size // CROWD + 1, np.bool_)
    partial = np.empty(height, np.float32)
    # a product with these sums up a frame and scales it in one pass
    scales = [np.full(width, factor, np.float32) for factor in factors]
    blocks = []
    for start in range(0, frames, height):
        count = min(height, frames - start)
        views = [array[: count * width] for array in scratch]
        blocks.append(
            _CostBlock(
                slice(start, start + count),
                [array[start : start + count].reshape(-1) for array in clip],
                [tile[: count * width] for tile in tiles],
                views,
                [view.view(np.uint32) for view in views],
                [view.reshape(count, width) for view in views],
                scales,
                tiny[: count * width],
                mask[size - count * width :],
                partial[:count],
            )
        )
    return blocks


@record(frozen=True, eq=False)
class _ClosedForm:
    """How the displacements of a method are summed, over a blend time or a half-life.

    sum_up: writes their sums over a block. factors: what its sums are multiplied by. of_x: what positions
    count in either combination; of_v: what velocities do in the second.
    """

    sum_up: Callable[[_CostBlock, Floats], None]
    factors: tuple[float, ...]
    of_x: tuple[float, float]
    of_v: float


def _closed_form(method: Method, seconds: float) -> _ClosedForm:
    if method is Method.SPRING:
        y = 2.0 * math.log(2.0) / seconds
        scale = (0.5 * seconds / math.log(2.0)) ** 2
        return _ClosedForm(_spring, (scale, -scale, -2.0 * scale), (y, y), 1.0)
    if method is Method.SMOOTH:
        factors = seconds / 30.0, seconds / 15.0
        return _ClosedForm(_smooth, factors, (2.5, 5.0), seconds)
    n = FORMS[method].power
    if FORMS[method].is_plain:
        scale = seconds / ((n + 1) * (n + 2))
        sum_up = functools.partial(_write_plain, n)
        return _ClosedForm(sum_up, (scale, -(n + 2) * scale, -2.0 * scale), (1.0, n), seconds)
    k = calmest(method)
    of_x, of_v = (float(part) for part in feature_weights(method, 1.0))
    terms = tuple(np.array(term / of_v, np.float32) for term in _fit(method))
    sum_up = functools.partial(_fitted, terms)
    return _ClosedForm(sum_up, ((of_x / k - of_v) * seconds, of_v * seconds), (k, k), seconds)


def _spring(block: _CostBlock, costs: Floats) -> None:
    """Write the displacements of SPRING over a block into costs (frames,): (w + a - 2 m e^(a / m)) / y^2,
    summed over the columns.

    Here y = 2 ln 2 / half-life, x >= 0 is the size of the offset, v its rate, below 0 where it shrinks, a = x
    y, w = v + a and m = min(w, 0), which is kept a little below 0. All are weighted.

    block: it has four arrays, of which the first two hold -a and w, and the factors 1 / y^2, -1 / y^2 and -2
    / y^2. The first and the third array are overwritten.
    """
    block.turn_down()
    a, w, m, _ = block.arrays
    block.sum_up(0, 1, costs)
    block.add(1, 0, costs)
    # without a crossing m is next to nothing, and its term vanishes: no branch, and no division by zero
    np.minimum(w, block.tiny, out=m)
    np.abs(a, out=a)
    np.divide(a, m, out=a)
    np.exp(a, out=a)
    np.multiply(a, m, out=a)
    block.add(0, 2, costs)


def _write_plain(n: int, block: _CostBlock, costs: Floats) -> None:
    """Write the displacements of a plain curve of power n over a block into costs (frames,), summed over the
    columns.

    They are S (W + (n + 2) x - 2 w r^(n + 2)), with S = T / ((n + 1) (n + 2)), T the blend time, x >= 0 the
    size of the offset, V its rate times T, below 0 where it shrinks, W = V + n x, w = min(W, -x), which is
    kept a little below 0, and r = 1 + x / w, which is 0 where there is no crossing.

    block: it has four arrays, of which the first two hold -x and W, and the factors S, -(n + 2) S and -2 S.
    All arrays but the second are overwritten.
    """
    block.turn_down()
    x, u, w, r = block.arrays
    block.sum_up(1, 0, costs)
    block.add(0, 1, costs)
    np.minimum(u, x, out=w)
    # an offset of zero would divide nothing by nothing
    np.minimum(w, block.tiny, out=w)
    np.divide(x, w, out=r)
    np.subtract(_ONE, r, out=r)
    r = _raised(r, n + 2, x)
    np.multiply(r, w, out=r)
    block.add(3, 2, costs)


def _raised(r: Floats, power: int, scratch: Floats) -> Floats:
    """Return r itself, raised in place to a whole power by repeated squares.

    power: 1 or more; 0 never ends. scratch: an array of the shape of r, which may be overwritten.
    """
    # r takes the even factors in place, so that one more array is enough for the odd rest
    while power % 2 == 0:
        np.square(r, out=r)
        power //= 2
    square = r
    while power > 1:
        square = np.square(square, out=scratch)
        power //= 2
        if power % 2:
            np.multiply(r, square, out=r)
    return r


def _smooth(block: _CostBlock, costs: Floats) -> None:
    """Write the displacements of SMOOTH over a block into costs (frames,), summed over the columns.

    They are taken in y = 2.5 x and e = V + 5 x, with T the blend time, x >= 0 the size of the offset and V
    its rate times T, below 0 where it shrinks, as most of their terms vanish in these. Without a crossing the
    displacement is T (e / 30 + max(e, y) / 15). With one e is negative. Then with f = -e, b = f + min(f, y)
    and t = 8 b, the zero lies at r = t / (t - f + sqrt(f^2 + 0.8 y t)) before the end, as a part of T, and
    the displacement is T ((2.5 r^4 (t - 0.8 (t - f) r) - 5 f) / 30 + max(f, y) / 15).

    block: it has three arrays, of which the first two hold y and e, either both as they are or both with the
    other sign, and the factors T / 30 and T / 15. These arrays are overwritten.
    """
    y, e = block.arrays[:2]
    crossing, y_there, f = block.part_crossing()
    np.maximum(e, y, out=y)
    block.sum_up(0, 1, costs)
    t = np.minimum(f, y_there)
    np.add(t, f, out=t)
    np.multiply(t, _EIGHT, out=t)
    root = np.multiply(y_there, t, out=y_there)
    np.multiply(root, _FOUR_FIFTHS, out=root)
    r = np.square(f)
    np.add(root, r, out=root)
    np.sqrt(root, out=root)
    less = np.subtract(t, f, out=r)
    np.add(root, less, out=root)
    r = np.divide(t, root, out=root)
    np.multiply(less, r, out=less)
    np.multiply(less, _FOUR_FIFTHS, out=less)
    np.subtract(t, less, out=t)
    np.square(r, out=r)
    np.square(r, out=r)
    np.multiply(t, r, out=t)
    np.multiply(t, _FIVE_HALVES, out=t)
    np.multiply(f, _FIVE, out=f)
    e[crossing] = np.subtract(t, f, out=t)
    block.add(1, 0, costs)


def _fitted(terms: tuple[Floats, ...], block: _CostBlock, costs: Floats) -> None:
    """Write the displacements of a curve that is not plain over a block into costs (frames,), summed over the
    columns.

    They are T ((p / k - q) a + q E), with T the blend time, p and q the weights of offset and rate from
    :func:`feature_weights` over a time of 1, and k from :func:`calmest`. Here a = k x and e = V + k x, with x
    >= 0 the size of the offset and V its rate times T, below 0 where it shrinks. E is e, but e - e t Q(t)
    where e is negative, that is, where the curve crosses zero, with t = sqrt(e / (e - a)): that adds twice
    what lies behind the crossing.

    terms: the coefficients of Q, highest power first, one or more, each a float32 array without axes: those
    of :func:`_fit`, divided by q. block: it has three arrays, of which the first two hold a and e, either
    both as they are or both with the other sign, and the factors (p / k - q) T and q T. These arrays are
    overwritten.
    """
    e = block.arrays[1]
    crossing, t, size = block.part_crossing()
    block.sum_up(0, 0, costs)
    np.add(t, size, out=t)
    np.divide(size, t, out=t)
    np.sqrt(t, out=t)
    first, *rest = terms
    # Horner's scheme, its last factor size t
    part = np.multiply(t, first)
    for coefficient in rest:
        np.add(part, coefficient, out=part)
        np.multiply(part, t, out=part)
    np.multiply(part, size, out=part)
    e[crossing] = np.subtract(part, size, out=part)
    block.add(1, 1, costs)


@functools.cache
def _fit(method: Method) -> tuple[float, ...]:
    """Return the FIT_TERMS coefficients of a polynomial P(t), highest power first, for what lies behind the
    crossing of a curve that is not plain; cached.

    t^3 P(t) is the displacement less the signed area, that is, twice what lies behind the crossing, of an
    offset (1 - t^2) / k with a rate of -1 over a blend time of 1, where k = calmest(method). At t = 0 there
    is no crossing, at 1 no offset but a rate. There is no formula for the crossing that is as quick. P is
    fitted to the exact displacement, the largest relative error made least; for SOFT it is off by 6
    millionths of a displacement at most. :func:`_fitted` uses it.
    """
    # closer at both ends, where polynomials err most (Chebyshev's points)
    t = 0.5 - 0.5 * np.cos(np.linspace(0.0, np.pi, FIT_POINTS))
    x = (1.0 - t * t) / calmest(method)
    exact = displacement(method, x, -1.0, 1.0)
    of_x, of_v = feature_weights(method, 1.0)
    part = (exact - (of_x * x - of_v)) / exact
    terms = t[:, None] ** np.arange(3, 3 + FIT_TERMS) / exact[:, None]
    weights = np.ones_like(t)
    # like Lawson's iteration: where the error is largest counts more the next time, which levels it
    for _ in range(FIT_ROUNDS):
        fitted, *_ = np.linalg.lstsq(terms * weights[:, None], part * weights, rcond=None)
        error = np.abs(terms @ fitted - part)
        weights *= 0.3 + error / error.max()
        weights /= weights.max()
    return tuple(fitted[::-1].tolist())


def local_minima(curve: ArrayLike) -> Integers:
    """Return the indices of the local minima of a curve (n,), the lowest first; a plateau counts once, by its
    middle, the earlier of two.

    An end is a minimum if it is lower than its neighbour. A single value is one, too, and so is the middle of
    a curve that is level throughout. Of equally low ones the earlier comes first. An empty curve has none.
    """
    values = np.asarray(curve, float)
    if not len(values):
        return np.zeros(0, np.int64)
    starts = np.concatenate([[0], np.flatnonzero(np.diff(values)) + 1])
    ends = np.concatenate([starts[1:], [len(values)]])
    level = np.concatenate([[np.inf], values[starts], [np.inf]])
    low = np.flatnonzero((level[1:-1] < level[:-2]) & (level[1:-1] < level[2:]))
    middles = (starts[low] + ends[low] - 1) // 2
    return middles[np.argsort(values[middles], kind="stable")]


def best_pairs(costs: Floats, count: int, apart: int) -> list[tuple[int, int, float]]:
    """Return the lowest cells of a map, no two of which are neighbours.

    Parameters
    ----------
    costs : (rows, columns)
        The map; NaN and infinity are left out.
    count
        How many cells at most.
    apart
        Cells are neighbours if rows and columns both differ by less; 1 makes none
        neighbours.

    Returns
    -------
    list[tuple[int, int, float]]
        (row, column, cost), the lowest first; of equal ones the first row, then the first
        column.
    """
    # a copy, as cells that are found are struck out
    left = np.where(np.isfinite(costs), costs, np.float32(np.inf))
    cells: list[tuple[int, int, float]] = []
    while len(cells) < count and left.size:
        i, j = (int(k) for k in np.unravel_index(int(np.argmin(left)), left.shape))
        if not np.isfinite(left[i, j]):
            break
        cells.append((i, j, float(left[i, j])))
        left[max(0, i - apart + 1) : i + apart, max(0, j - apart + 1) : j + apart] = np.inf
    return cells
