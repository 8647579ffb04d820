# SPDX-License-Identifier: GPL-3.0-or-later
"""The recurrence behind hops: what it costs at best to get to a destination from a frame of a clip.

Everything is seen at a time after the trigger, which the destination's clock shows: a *column* is a frame of
the destination. With X the cost of leaving a clip at a frame now, and G that of leaving it now or later,

    G[j, h] = min over k in 0..longest stay of X[j + k, h + k] + w k
    X[j, h] = min(D_hd[h, j], min over clips, their frames i and blends b of D_hi[h, i] + G_i[j + b, i + b])

as both the clip and the destination play on while the character stays or blends. The first is a running
minimum on diagonals; the second adds a row to a table and takes the least, for each column.

The source is left for each trigger t by the best of ``table[t + k, h] + ahead[k, h] + w k`` over all stays k
and frames h. Neighbouring frames cost about the same: the least of some frames of ``table`` and that of the
same frames of ``ahead`` add up to a bound, which few come near. Only these are looked at, so that the result
is exact without adding up most of the sums.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
from collections.abc import Callable, Generator, Iterator, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ...records import record
from ..arrays import Integers

Costs = NDArray[Any]
"""Of whatever kind of float the distances are."""
Indices = NDArray[np.int32]
Frames = tuple[int, int]
"""The first of some frames in a row, and how many they are."""

Distances = Callable[[int, int, int, slice, slice], Costs]
"""What a blend costs: of two clips, by their numbers, a blend of so many frames that starts at some frames of
the first (rows) and of the second (columns); infinity where it would run over a clip's end."""

TABLE_CELLS = 1_500_000
"""How many distances are asked for at once, about: no more of a table is ever there."""
BLOCK_CELLS = 64_000
"""How many of these are added to at once, about: they stay in a processor's own memory."""
BOUND_FRAMES = 16
"""How many frames share a bound."""
CHUNK_BOUNDS = 400_000
"""How many bounds are looked at once, about."""


@record(frozen=True)
class ClipStrip:
    """A clip as a search sees it: how many frames it has. Those of a cycle begin anew after the last."""

    frames: int
    cyclic: bool = False

    def pieces(self, first: int, count: int) -> Iterator[tuple[int, slice]]:
        """Yield the parts of `count` frames from `first` on that exist: where each begins, from 0, and which
        frames it has.

        Frames of a cycle go on with its first; of another clip those before its beginning and behind its end
        are left out.
        """
        last = first + count if self.cyclic else min(first + count, self.frames)
        at = first if self.cyclic else max(first, 0)
        while at < last:
            inside = at % self.frames
            size = min(self.frames - inside, last - at)
            yield at - first, slice(inside, inside + size)
            at += size


@record(frozen=True)
class HopProblem:
    """From where to where, and over what. strips: all clips; the others are numbers of them. distances:
    between any two. start: the destination's frame at the trigger; alongside: at the source's first frame
    instead, so that it is later at later triggers."""

    strips: tuple[ClipStrip, ...]
    distances: Distances
    source: int
    destination: int
    candidates: tuple[int, ...]
    start: int = 0
    alongside: bool = False


@record(frozen=True)
class Objective:
    """What is to be least: the distances of all blends, and ``weight`` for each frame of waiting.
    longest_stay: how many frames the character may wait in a clip, at most, before a blend begins. blends:
    how many frames a blend may take. hops: through how many clips the way may lead, at most."""

    longest_stay: int
    weight: float
    blends: tuple[int, ...]
    hops: int = 1

    @property
    def reach(self) -> int:
        """How many frames after its beginning a clip that is hopped to can still be needed."""
        return max(self.blends) + self.longest_stay

    def columns(self) -> int:
        """Return how many of the destination's frames a trigger can need."""
        return 1 + self.longest_stay + self.hops * self.reach


class AlignedArrays:
    """Arrays whose rows belong together: the fields of a record."""

    @property
    def arrays(self) -> list[NDArray[Any]]:
        """All of them."""
        # who has this is a dataclass, which its own type does not say
        return [getattr(self, field.name) for field in dataclasses.fields(self)]  # type: ignore[arg-type]

    def chosen(self, indices: Any) -> Self:
        """Return the rows at some indices."""
        return type(self)(*(array[indices] for array in self.arrays))


@record(eq=False)
class Exits(AlignedArrays):
    """The best ways to leave a clip at each of its frames, and as it goes on behind them; (columns, frames).
    cost: to the destination. part: the distance of the first blend alone. blend: which of the objective's
    that is. clip, entry: what it leads to and at which frame; -1 for the destination itself."""

    cost: Costs
    part: Costs
    blend: NDArray[np.int8]
    clip: NDArray[np.int16]
    entry: Indices

    def writeable(self) -> Exits:
        """Return these exits in arrays that can be written to: themselves, or a copy."""
        return self if self.blend.flags.writeable else Exits(*(array.copy() for array in self.arrays))

    def better(self, other_exits: Exits) -> Exits:
        """Return the cheaper way of two exits in each cell; of equally cheap ones this object's.

        If this object's arrays can be written to they are changed and it is returned, else a changed copy.
        """
        best = self.writeable()
        better = other_exits.cost < best.cost
        for mine, theirs in zip(best.arrays, other_exits.arrays, strict=True):
            np.copyto(mine, theirs, where=better)
        return best


def stitched(problem: HopProblem, a: int, rows: Frames, b: int, columns: Frames, blend: int) -> Costs:
    """Return what a blend costs from frames of clip a to frames of clip b: problem.distances as they are.

    Parameters
    ----------
    problem
        It has the clips and the distances.
    a
        The number of the first clip.
    rows
        (first, count) of the frames of a at which the blend starts.
    b
        The number of the second clip.
    columns
        (first, count) of the frames of b at which it starts.
    blend
        How many frames it takes.

    Returns
    -------
    Costs (rows, columns)
        A new array in the type of the distances; float32 if no frame exists. In a cycle, frames
        before the beginning and beyond the end count modulo its length. In other clips the cost
        is infinite where there is no such frame, or where the blend would run over the end.
    """
    table: Costs | None = None
    # a cycle's frames begin anew, so that what is asked for may lie in several pieces of it
    pieces = itertools.product(problem.strips[a].pieces(*rows), problem.strips[b].pieces(*columns))
    for (row, from_frames), (column, to_frames) in pieces:
        part = problem.distances(a, b, blend, from_frames, to_frames)
        if table is None:
            table = np.full((rows[1], columns[1]), np.inf, part.dtype)
        table[row : row + part.shape[0], column : column + part.shape[1]] = part
    return np.full((rows[1], columns[1]), np.inf, np.float32) if table is None else table


def direct(problem: HopProblem, objective: Objective, clip: int, rows: Frames, columns: Frames) -> Exits:
    """Return the best ways to leave a clip straight for the destination, the best of all blends in each cell.

    Parameters
    ----------
    problem
        It has the clips, the distances and the destination.
    objective
        It has the blends, at least one. Its weight and its hops do not count here.
    clip
        The number of the clip that is left.
    rows
        (first, count) of its frames at which a blend may begin.
    columns
        (first, count) of the destination's frames with which it begins.

    Returns
    -------
    Exits (columns, rows)
        `cost` and `part` are both the distance of the blend, see :func:`stitched`, infinite
        where there is none. `blend` is an index into objective.blends; of equal ones the first
        counts. `clip` and `entry` are -1, for the destination.
    """
    ways = []
    for index, blend in enumerate(objective.blends):
        cost = np.ascontiguousarray(stitched(problem, clip, rows, problem.destination, columns, blend).T)
        ways.append(exits(cost, cost, index))
    return functools.reduce(Exits.better, ways)


def exits(cost: Costs, own_cost: Costs, blend: int, clip: int = -1, entry: Indices | None = None) -> Exits:
    """Return exits that all lead by the same blend into the same clip; what they share takes no space.

    Parameters
    ----------
    cost : (columns, frames)
        To the destination.
    own_cost : (columns, frames)
        Of the blend alone.
    blend
        Which of the objective's blends it is, by index.
    clip
        The number of the clip that is entered; -1 for the destination.
    entry : (columns, frames)
        At which frame that is entered; None for the destination.

    Returns
    -------
    Exits
        It holds the given arrays; the shared ones are read-only.
    """
    shape = cost.shape
    return Exits(
        cost,
        own_cost,
        np.broadcast_to(np.int8(blend), shape),
        np.broadcast_to(np.int16(clip), shape),
        np.broadcast_to(np.int32(-1), shape) if entry is None else entry,
    )


def waited(cost: Costs, longest_stay: int, weight: float) -> Costs:
    """Return the least cost of leaving a clip now or some frames later.

    Both the clip and the destination go on while one waits, so that a wait of k frames leads k down the
    diagonal.

    Parameters
    ----------
    cost : (columns, frames)
        Of leaving at a column of the destination and a frame of the clip; it is not
        changed.
    longest_stay
        The longest wait, in frames. Waits that would lead out of the array do not count.
    weight
        What each frame of waiting costs.

    Returns
    -------
    Costs (columns, frames)
        A new array.
    """
    best = cost.copy()
    scratch = np.empty_like(best)
    # a running minimum on diagonals by doubling: a pass for each binary digit of the stay, not for each frame
    covered, wanted = 1, longest_stay + 1
    while covered < wanted:
        step = min(covered, wanted - covered)
        if step >= min(best.shape):
            break  # no clip goes on for so long
        later = scratch[step:, step:]
        np.add(best[step:, step:], weight * step, out=later)
        # what was read is in the scratch array by now, so that its cells can be written to
        np.minimum(best[:-step, :-step], later, out=best[:-step, :-step])
        covered += step
    return best


def stay(cost: Costs, columns: NDArray[Any], frames: NDArray[Any], objective: Objective) -> NDArray[Any]:
    """Return how many frames to wait before the best exit, for each of some cells.

    Waiting leads down the diagonal of the costs.

    Parameters
    ----------
    cost : (columns, frames)
        Of the exits.
    columns, frames : (n,)
        The cells; each within the array.
    objective
        Its longest_stay is the longest wait, its weight what each frame of it costs.

    Returns
    -------
    NDArray (n,)
        Integers; of equally good waits the shortest.
    """
    stays = np.arange(objective.longest_stay + 1)
    j, h = columns[:, None] + stays, frames[:, None] + stays
    inside = (j < cost.shape[0]) & (h < cost.shape[1])
    values = cost[np.where(inside, j, 0), np.where(inside, h, 0)] + objective.weight * stays
    # of equal ones the shortest wait
    return np.argmin(np.where(inside, values, np.inf), axis=1)


@record(frozen=True)
class Leaving:
    """A clip that is left for another, both by index.

    rows: frames (first, count) of the clip. columns: at which to leave, each for all rows; None for the
    column that goes with the row, then results have one column.
    """

    clip: int
    rows: Frames
    into: int
    columns: Sequence[int] | None = None


def enter(
    problem: HopProblem, objective: Objective, leaving: Leaving, best: Costs
) -> Generator[int, None, Exits]:
    """Find the best frame at which to enter another clip, for each frame at which a clip is left; yield how
    many rows were done each time and return the exits.

    A blend of b frames that begins at frame j of the entered clip costs its distance, see :func:`stitched`,
    and best[column + b, j + b]. All rows are done once for each blend, so that what is yielded adds up to
    rows times blends. In each cell the best blend counts; of equal ones the first blend, then the first
    frame.

    Parameters
    ----------
    problem
        It has the clips and the distances.
    objective
        It has the blends, at least one.
    leaving
        The clip that is left, its frames, and the clip that is entered. Its columns are indices
        into the rows of `best`.
    best : (columns, frames)
        The least cost of leaving the entered clip from there on, to as far behind both as the
        longest blend reaches.

    Returns
    -------
    Exits (columns, rows)
        By leaving.columns and rows; (1, rows) if those are None, as then each row goes with the
        column of the same index. `cost` is the whole sum, `part` the blend's distance alone,
        `blend` an index into objective.blends, `clip` the one that is entered, and `entry` the
        frame j. Where there is no way `cost` is infinite, and the rest says nothing.
    """
    a, rows, into, columns = leaving.clip, leaving.rows, leaving.into, leaving.columns
    frames = problem.strips[into].frames
    ways = []
    for index, blend in enumerate(objective.blends):
        # a copy in one piece, as it is added to every row of the table
        ahead = np.ascontiguousarray(best[blend:, blend : blend + frames])
        parts = []
        height = max(1, TABLE_CELLS // frames)
        for start in range(0, rows[1], height):
            count = min(height, rows[1] - start)
            table = stitched(problem, a, (rows[0] + start, count), into, (0, frames), blend)
            if columns is None:
                parts.append(_least_by_row(table, ahead[start : start + count]))
            else:
                parts.append(_least_by_column(table, ahead, columns))
            yield count
        cost, part, entry = (np.concatenate(arrays, axis=1) for arrays in zip(*parts, strict=True))
        ways.append(exits(cost, part, index, into, entry))
    return functools.reduce(Exits.better, ways)


def _least_by_column(table: Costs, ahead: Costs, columns: Sequence[int]) -> tuple[Costs, Costs, Indices]:
    """Return the least of table[r, j] + ahead[columns[q], j] over all j, for each q and each row r of the
    table.

    Returned are those sums, the table[r, j] in them, and j, the first of equal ones; each (len(columns),
    len(table)).
    """
    shape = len(columns), len(table)
    cost, part, entry = np.empty(shape, table.dtype), np.empty(shape, table.dtype), np.empty(shape, np.int32)
    frames = table.shape[1]
    height = max(1, BLOCK_CELLS // frames)
    for start in range(0, len(table), height):
        rows = table[start : start + height]
        span = slice(start, start + len(rows))
        sums, flat, starts = np.empty_like(rows), rows.reshape(-1), np.arange(len(rows)) * frames
        for q, column in enumerate(columns):
            # argmin is as quick as min, so that nothing has to be searched for again
            at = np.add(rows, ahead[column], out=sums).argmin(axis=1)
            np.take(flat, at + starts, out=part[q, span])
            np.add(part[q, span], ahead[column][at], out=cost[q, span])
            entry[q, span] = at
    return cost, part, entry


def _least_by_row(table: Costs, ahead: Costs) -> tuple[Costs, Costs, Indices]:
    """Return for each row r the least of table[r, j] + ahead[r, j] over j: the sums, the table's parts, and
    j; (1, rows) each.

    table, ahead: (rows, frames). Of equal sums the first j counts.
    """
    sums = table + ahead
    at = sums.argmin(axis=1)[:, None]
    cost, part = (np.take_along_axis(array, at, axis=1).T for array in (sums, table))
    return cost, part, at.T.astype(np.int32)


def entries(problem: HopProblem, objective: Objective, a: int, rows: Frames, into: int, best: Costs) -> Exits:
    """Return the exits of clip a into another clip for all frames of entry, the best blend in each cell.

    Parameters
    ----------
    problem
        It has the clips and the distances.
    objective
        It has the blends, at least one.
    a
        The number of the clip that is left.
    rows
        (first, count) of its frames; the first goes with the first row of `best`, and so on.
    into
        The number of the clip that is entered.
    best : (columns, frames)
        The least cost of leaving that clip from there on: row r + b and frame j + b belong to a
        blend of b frames from row r to frame j, so that it has to reach as far behind both as
        the longest blend.

    Returns
    -------
    Exits (rows, frames)
        By rows and all frames of the entered clip. `cost` is the blend's distance and what is
        in `best` behind it, infinite where there is no way; `part` is the distance alone,
        `blend` an index into objective.blends, of equal ones the first. `clip` is `into`, and
        `entry` the frame at which the blend begins.
    """
    frames = problem.strips[into].frames
    entry = np.tile(np.arange(frames, dtype=np.int32), (rows[1], 1))
    ways = []
    for index, blend in enumerate(objective.blends):
        table = stitched(problem, a, rows, into, (0, frames), blend)
        cost = table + best[blend : blend + rows[1], blend : blend + frames]
        ways.append(exits(cost, table, index, into, entry))
    return functools.reduce(Exits.better, ways)


def best_sums(
    table: Costs, ahead: Costs, weight: float, beat: Costs
) -> tuple[Integers, Integers, Integers, Costs]:
    """Return the best stay and frame for each trigger that improves on a cost, by rising triggers.

    The sum of trigger t, stay k and frame j is table[t + k, j] + ahead[k, j] + weight * k.

    Parameters
    ----------
    table : (n + longest stay, frames)
        Costs at the source's frames.
    ahead : (longest stay + 1, frames)
        Costs from there on, by stay.
    weight
        The cost of a frame of staying.
    beat : (n,)
        The costs to improve on, by trigger; an equal sum does not.

    Returns
    -------
    tuple[Integers, Integers, Integers, Costs]
        Triggers, stays, frames, and the table's parts of the sums, (m,) each. Of equal sums the shortest stay
        counts, then the first frame.
    """
    tables = table, ahead
    lows = _lows(table), _lows(ahead)
    waiting = (weight * np.arange(len(ahead))).astype(table.dtype)
    bounds = _bounds(*lows, waiting, len(beat))
    limit = np.minimum(beat.astype(table.dtype), _likely(tables, lows, bounds, waiting))
    stays, triggers = np.nonzero((bounds <= limit) & np.isfinite(bounds))
    size = max(1, CHUNK_BOUNDS // max(len(lows[0]), 1))
    # the first part is there even where nothing comes near a bound
    sums = [
        _looked_at(tables, lows, waiting, limit, stays[start : start + size], triggers[start : start + size])
        for start in range(0, max(len(stays), 1), size)
    ]
    costs, triggers, stays, frames, parts = (np.concatenate(part) for part in zip(*sums, strict=True))
    keep = np.flatnonzero(costs < beat[triggers])
    # of equal costs the shortest stay, then the first frame, so that nothing depends on the order of the work
    order = keep[np.lexsort((frames[keep], stays[keep], costs[keep], triggers[keep]))]
    first = order[np.flatnonzero(np.diff(triggers[order], prepend=-1))]
    return triggers[first], stays[first], frames[first], parts[first]


def _lows(values: Costs) -> Costs:
    """Return the least number of each block of BOUND_FRAMES, (blocks, rows), of numbers (rows, frames)."""
    starts = np.arange(0, values.shape[1], BOUND_FRAMES)
    return np.ascontiguousarray(np.minimum.reduceat(values, starts, axis=1).T)


def _block(values: Costs, rows: Integers, blocks: Integers) -> Costs:
    """Return the numbers of some blocks (n, BOUND_FRAMES); the last block repeats the row's last number."""
    # the last number again and again: the block gets as long as the others, with the same minimum
    places = np.minimum(blocks[:, None] * BOUND_FRAMES + np.arange(BOUND_FRAMES), values.shape[1] - 1)
    return np.asarray(values[rows[:, None], places])


def _bounds(low: Costs, low_ahead: Costs, waiting: Costs, count: int) -> Costs:
    """Return lower bounds of what each stay costs at each trigger: (stays, triggers).

    With a stay k at trigger t it is the least sum, over all blocks, of `low` in row t + k and `low_ahead` in
    row k, plus the cost of the stay. low, low_ahead: the least numbers in blocks of frames of both tables,
    (blocks, rows). waiting: (stays,), the cost of each stay. count: how many triggers.
    """
    bounds = np.empty((len(waiting), count), low.dtype)
    sums = np.empty((len(low), count), low.dtype)
    for k in range(len(waiting)):
        np.add(low[:, k : k + count], low_ahead[:, k, None], out=sums)
        np.minimum.reduce(sums, axis=0, out=bounds[k])
    bounds += waiting[:, None]
    return bounds


def _likely(tables: tuple[Costs, Costs], lows: tuple[Costs, Costs], bounds: Costs, waiting: Costs) -> Costs:
    """Return a sum (triggers,) that each trigger can reach: that of the block with the lowest bound.

    tables: both tables (rows, frames). lows: the least numbers in their blocks (blocks, rows). bounds:
    (stays, triggers). waiting: (stays,). The true least sum is seldom lower.
    """
    stays = bounds.argmin(axis=0)
    rows = np.arange(bounds.shape[1]) + stays
    block = (lows[0][:, rows] + lows[1][:, stays]).argmin(axis=0)
    sums = _block(tables[0], rows, block) + _block(tables[1], stays, block)
    return np.asarray(sums.min(axis=1) + waiting[stays])


def _looked_at(
    tables: tuple[Costs, Costs],
    lows: tuple[Costs, Costs],
    waiting: Costs,
    limit: Costs,
    stays: Integers,
    triggers: Integers,
) -> tuple[Costs, Integers, Integers, Integers, Costs]:
    """Return the best sum in each block that may contain one at or below the limit: costs, triggers, stays,
    frames and parts, (m,) each.

    For each pair of a trigger t and a stay k, each block of frames is looked at whose bound, lows[0][block, t
    + k] + lows[1][block, k] + waiting[k], is finite and at most limit[t]. Its best sum is the least of
    tables[0][t + k, j] + tables[1][k, j] + waiting[k] in the block, of equal ones with the first frame j. The
    part is tables[0][t + k, j]. There may be several results for a trigger, costs above the limit among them,
    or none at all. They are ordered by block, then by pair.

    tables: both tables (rows, frames). lows: the least numbers in their blocks of 16 (BOUND_FRAMES) frames
    (blocks, rows), see :func:`_lows`. waiting: (stays,), the cost of each stay. limit: (triggers,). stays,
    triggers: (k,), the pairs to look at.
    """
    bound = lows[0][:, triggers + stays] + lows[1][:, stays] + waiting[stays]
    block, pair = np.nonzero((bound <= limit[triggers]) & np.isfinite(bound))
    at, stay = triggers[pair], stays[pair]
    first = _block(tables[0], at + stay, block)
    sums = first + _block(tables[1], stay, block)
    best = sums.argmin(axis=1)
    each = np.arange(len(best))
    return sums[each, best] + waiting[stay], at, stay, block * BOUND_FRAMES + best, first[each, best]
