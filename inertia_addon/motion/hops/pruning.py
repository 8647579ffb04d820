# SPDX-License-Identifier: GPL-3.0-or-later
"""The least of many sums, without adding up most of them.

For each trigger t the best of ``table[t + k, h] + ahead[k, h] + w k`` is wanted over all stays k and frames
h. Neighbouring frames cost about the same: the least of some frames of ``table`` and that of the same frames
of ``ahead`` add up to a bound, which few come near. Only these are looked at, so that the result is exact.
"""

from __future__ import annotations

import numpy as np

from ...records import record
from ..arrays import Integers
from .recurrence import Costs

BLOCK = 16
"""How many frames share a bound."""
CHUNK_BOUNDS = 400_000
"""How many bounds are looked at once, about."""


@record(frozen=True, eq=False)
class Better:
    """Where something better was found, (n,) each: the triggers, and the best stays and frames there.

    parts: the table's own part of the cost. Of equals the shortest stay counts, then the first frame.
    """

    triggers: Integers
    stays: Integers
    frames: Integers
    parts: Costs


def best_sums(table: Costs, ahead: Costs, weight: float, beat: Costs) -> Better:
    """The best sums for all triggers (n,) for which they are less than ``beat`` (n,).

    table: (n + longest stay, frames). ahead: (longest stay + 1, frames).
    """
    tables = table, ahead
    lows = _lows(table), _lows(ahead)
    waiting = (weight * np.arange(len(ahead))).astype(table.dtype)
    bounds = _bounds(*lows, waiting, len(beat))
    limit = np.minimum(beat.astype(table.dtype), _likely(tables, lows, bounds, waiting))
    stays, triggers = np.nonzero((bounds <= limit) & np.isfinite(bounds))
    found = []
    size = max(1, CHUNK_BOUNDS // max(len(lows[0]), 1))
    for start in range(0, len(stays), size):
        some = slice(start, start + size)
        found.append(_looked_at(tables, lows, waiting, limit, stays[some], triggers[some]))
    if not found:
        nothing = np.empty(0, np.int64)
        return Better(nothing, nothing, nothing, np.empty(0, table.dtype))
    costs, triggers, stays, frames, parts = (np.concatenate(part) for part in zip(*found, strict=True))
    keep = np.flatnonzero(costs < beat[triggers])
    order = keep[np.lexsort((frames[keep], stays[keep], costs[keep], triggers[keep]))]
    first = order[np.flatnonzero(np.diff(triggers[order], prepend=-1))]
    return Better(triggers[first], stays[first], frames[first], parts[first])


def _lows(values: Costs) -> Costs:
    """The least of each block of numbers (rows, frames): (blocks, rows)."""
    starts = np.arange(0, values.shape[1], BLOCK)
    return np.ascontiguousarray(np.minimum.reduceat(values, starts, axis=1).T)


def _block(values: Costs, rows: Integers, blocks: Integers) -> Costs:
    """The numbers of some blocks (n, BLOCK); the last one is filled up with the last number."""
    places = np.minimum(blocks[:, None] * BLOCK + np.arange(BLOCK), values.shape[1] - 1)
    return np.asarray(values[rows[:, None], places])


def _bounds(low: Costs, low_ahead: Costs, waiting: Costs, count: int) -> Costs:
    """What each stay costs at each trigger at least: (stays, triggers)."""
    found = np.empty((len(waiting), count), low.dtype)
    sums = np.empty((len(low), count), low.dtype)
    for k in range(len(waiting)):
        np.add(low[:, k : k + count], low_ahead[:, k, None], out=sums)
        np.minimum.reduce(sums, axis=0, out=found[k])
    found += waiting[:, None]
    return found


def _likely(tables: tuple[Costs, Costs], lows: tuple[Costs, Costs], bounds: Costs, waiting: Costs) -> Costs:
    """What is reached where the bound is lowest, for each trigger: hardly anything else can be less."""
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
    """Costs, triggers, stays, frames and parts of the best of each block that may have something better."""
    bound = lows[0][:, triggers + stays] + lows[1][:, stays] + waiting[stays]
    block, pair = np.nonzero((bound <= limit[triggers]) & np.isfinite(bound))
    at, stay = triggers[pair], stays[pair]
    own = _block(tables[0], at + stay, block)
    sums = own + _block(tables[1], stay, block)
    best = sums.argmin(axis=1)
    each = np.arange(len(best))
    return sums[each, best] + waiting[stay], at, stay, block * BLOCK + best, own[each, best]
