# SPDX-License-Identifier: GPL-3.0-or-later
"""Which frames are nearest to some queries: by brute force, which is quickest up to a million frames.

All queries of a step make one matrix product. Its float32 sums differ in the last digits between machines,
so they only shorten the list: what is on it is compared anew in float64, and ties go to the earlier frame.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from ..arrays import Array, Flags, Floats, Integers
from .database import Database
from .features import Features

LONGER = 4
"""The list that is compared anew is so many times as long as what is asked for."""


@dataclasses.dataclass(frozen=True, eq=False)
class Index:
    """Candidates, ready to be searched.

    frames: (n,) flat frames, rising. values: (n, columns); squares: (n,) half of their squared lengths.
    """

    frames: Integers
    values: Floats
    squares: Floats


def index(database: Database, features: Features, every: int = 2, rest: float = 0.2) -> Index:
    """The frames that may be entered: every so many, but for those with less than ``rest`` seconds to go."""
    frames = np.arange(database.frames)
    inside = (frames - database.starts[database.part]) % every == 0
    inside &= database.last - frames >= max(1, round(rest * database.fps))
    kept = frames[inside]
    values = np.ascontiguousarray(features.values[kept])
    return Index(kept, values, np.float32(0.5) * np.einsum("ij,ij->i", values, values))


def nearest(
    index: Index,
    queries: Array,
    count: int,
    around: Integers,
    reach: int,
    apart: int,
    barred: Flags | None = None,
) -> Integers:
    """The candidates (queries, count) nearest to queries (queries, columns), as places in the index.

    around: (queries,) flat frames; what lies within ``reach`` frames of them is left out. apart: of so many
    candidates in a row the nearest alone is found, as neighbours say the same. barred: (queries, candidates),
    what else is left out. Where there are too few, the place is -1.
    """
    scores = index.squares[None] - queries.astype(np.float32) @ index.values.T
    low = np.searchsorted(index.frames, around - reach)
    high = np.searchsorted(index.frames, around + reach, "right")
    for row, a, b in zip(scores, low.tolist(), high.tolist(), strict=True):
        row[a:b] = np.inf
    if barred is not None:
        scores[barred] = np.inf
    return _shortlist(index, queries, scores, count, apart)


def _shortlist(index: Index, queries: Array, scores: Floats, count: int, apart: int) -> Integers:
    """The best of rows of scores (queries, candidates), compared anew."""
    blocks = -(-scores.shape[1] // apart)
    spare = blocks * apart - scores.shape[1]
    if spare:
        scores = np.pad(scores, ((0, 0), (0, spare)), constant_values=np.inf)
    grid = scores.reshape(len(scores), blocks, apart)
    least = grid.min(axis=2)
    kept = min(LONGER * count, blocks)
    chosen = np.argpartition(least, kept - 1, axis=1)[:, :kept] if kept < blocks else None
    chosen = np.broadcast_to(np.arange(blocks), least.shape) if chosen is None else chosen
    rows = np.arange(len(scores))[:, None]
    places = chosen * apart + np.argmin(grid[rows, chosen], axis=2)
    valid = np.isfinite(scores[rows, places])
    values = index.values[np.minimum(places, len(index.frames) - 1)].astype(float)
    exact = np.round(np.sum((values - queries[:, None]) ** 2, axis=-1), 6)
    order = np.lexsort((places, np.where(valid, exact, np.inf)), axis=-1)[:, :count]
    best = np.where(valid, places, -1)[rows, order]
    short = count - best.shape[1]
    return np.pad(best, ((0, 0), (0, short)), constant_values=-1) if short > 0 else best
