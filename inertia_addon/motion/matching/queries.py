# SPDX-License-Identifier: GPL-3.0-or-later
"""Which frames are nearest to some queries: by brute force, which is quickest up to a million frames.

All queries of a step make one matrix product. Its float32 sums differ in the last digits between machines,
so they only shorten the list: what is on it is compared anew in float64, and ties go to the earlier frame.
"""

from __future__ import annotations

import numpy as np

from ...records import record
from ..arrays import Array, Flags, Floats, Integers
from .database import Database
from .features import Features

LONGER = 4
"""The list that is compared anew is so many times as long as what is asked for."""
FAR = -1e30
"""How unlike any query that is which only fills up; an infinity would make a matrix product no number."""
CHUNK = 4096
"""So many places are worked on at once, which stay in the processor's cache."""


@record(frozen=True, eq=False)
class Index:
    """Candidates, ready to be searched.

    frames: (n,) flat frames, rising. apart: of so many candidates in a row the nearest alone is found, as
    neighbours say the same. rows: (apart, blocks, columns + 1), the candidates' features and minus half of
    their squared lengths: row k has every candidate whose place leaves k when it is divided by ``apart``.
    Those that fill up the last block are too far away for any query.
    """

    frames: Integers
    apart: int
    rows: Floats

    @property
    def size(self) -> int:
        """How many candidates there are."""
        return len(self.frames)

    def values(self, places: Integers) -> Array:
        """The features (..., columns) of candidates."""
        return self.rows[places % self.apart, places // self.apart, :-1].astype(float)


def index(database: Database, features: Features, every: int = 2, rest: float = 0.2, apart: int = 1) -> Index:
    """The frames that may be entered: every so many, but for those with less than ``rest`` seconds to go."""
    frames = np.arange(database.frames)
    inside = (frames - database.starts[database.part]) % every == 0
    inside &= database.last(frames) - frames >= max(1, round(rest * database.fps))
    return of_frames(frames[inside], features.values, apart)


def of_frames(frames: Integers, values: Floats, apart: int = 1) -> Index:
    """An index of some frames of features (frames, columns)."""
    blocks = -(-len(frames) // apart)
    rows = np.zeros((blocks * apart, values.shape[1] + 1), np.float32)
    rows[:, -1] = FAR
    chosen = values[frames]
    rows[: len(frames), :-1] = chosen
    rows[: len(frames), -1] = np.float32(-0.5) * np.einsum("ij,ij->i", chosen, chosen)
    parted = rows.reshape(blocks, apart, rows.shape[1])
    return Index(frames, apart, np.ascontiguousarray(parted.swapaxes(0, 1)))


def nearest(
    index: Index,
    queries: Array,
    count: int,
    around: Integers,
    reach: int,
    barred: Flags | None = None,
) -> Integers:
    """The candidates (queries, count) nearest to queries (queries, columns), as places in the index.

    around: (queries,) flat frames; what lies within ``reach`` frames of them is left out. barred: (queries,
    candidates), what else is left out. Where there are too few, the place is -1.
    """
    low = np.searchsorted(index.frames, around - reach)
    high = np.searchsorted(index.frames, around + reach, "right")
    asked = np.column_stack([queries, np.ones(len(queries))]).astype(np.float32)
    blocks = index.rows.shape[1]
    likeness = np.empty((len(queries), blocks), np.float32)
    for first in range(0, blocks, CHUNK):
        last = min(first + CHUNK, blocks)
        best = likeness[:, first:last]
        for k in range(index.apart):
            found = asked @ index.rows[k, first:last].T
            _leave_out(found, index, k, first, low, high, barred)
            if k:
                np.maximum(best, found, out=best)
            else:
                best[:] = found
    return _compared(index, queries, likeness, count, low, high, barred)


def _leave_out(
    found: Floats, index: Index, k: int, first: int, low: Integers, high: Integers, barred: Flags | None
) -> None:
    """Make those that are left out unlike any query: of a chunk of blocks from ``first`` on, their k-th
    each."""
    begins = np.maximum(-((k - low) // index.apart) - first, 0)
    ends = np.maximum(-((k - high) // index.apart) - first, 0)
    for row, a, b in zip(found, begins.tolist(), ends.tolist(), strict=True):
        row[a:b] = -np.inf
    if barred is not None:
        flags = barred[:, k :: index.apart][:, first : first + found.shape[1]]
        found[:, : flags.shape[1]][flags] = -np.inf


def _compared(
    index: Index,
    queries: Array,
    likeness: Floats,
    count: int,
    low: Integers,
    high: Integers,
    barred: Flags | None,
) -> Integers:
    """The best of blocks (queries, blocks), each told by its best candidate, compared anew."""
    kept = min(LONGER * count, likeness.shape[1])
    chosen = np.argpartition(likeness, -kept, axis=1)[:, -kept:]
    places = (chosen[:, :, None] * index.apart + np.arange(index.apart)).reshape(len(queries), -1)
    valid = (places < index.size) & ((places < low[:, None]) | (places >= high[:, None]))
    places = np.minimum(places, index.size - 1)
    if barred is not None:
        valid &= ~np.take_along_axis(barred, places, 1)
    away = np.sum((index.values(places) - queries[:, None]) ** 2, axis=-1)
    exact = np.where(valid, np.round(away, 6), np.inf).reshape(len(queries), kept, index.apart)
    of_block = np.argmin(exact, axis=2)
    exact = np.take_along_axis(exact, of_block[..., None], 2)[..., 0]
    found = chosen * index.apart + of_block
    order = np.lexsort((found, exact), axis=-1)[:, :count]
    best = np.where(np.isfinite(np.take_along_axis(exact, order, 1)), np.take_along_axis(found, order, 1), -1)
    short = count - best.shape[1]
    return np.pad(best, ((0, 0), (0, short)), constant_values=-1) if short > 0 else best
