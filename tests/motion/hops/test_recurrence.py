# SPDX-License-Identifier: GPL-3.0-or-later
"""What bounds leave out is never the best."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inertia_addon.motion.hops import recurrence

SEEDS = st.integers(0, 2**32 - 1)


@given(seed=SEEDS, frames=st.integers(1, 70), longest=st.integers(0, 9), coarse=st.booleans())
def test_the_best_of_all_sums_is_found(seed: int, frames: int, longest: int, *, coarse: bool) -> None:
    chance = np.random.default_rng(seed)
    count = int(chance.integers(1, 12))
    # coarse numbers tie often
    table, ahead = (
        chance.integers(0, 6 if coarse else 10_000, (rows, frames)).astype(np.float32)
        for rows in (count + longest, longest + 1)
    )
    for values in (table, ahead):
        values[chance.random(values.shape) < 0.2] = np.inf
    weight = float(chance.integers(0, 3))
    beat = chance.integers(0, 12 if coarse else 20_000, count).astype(float)
    beat[chance.random(count) < 0.3] = np.inf
    triggers, chosen, entries, parts = recurrence.best_sums(table, ahead, weight, beat)
    told = dict(zip(triggers.tolist(), range(len(triggers)), strict=True))
    stays = np.arange(longest + 1)
    for t in range(count):
        sums = table[t + stays] + ahead + weight * stays[:, None]
        if not sums.min() < beat[t]:
            assert t not in told
            continue
        k, h = np.unravel_index(int(sums.argmin()), sums.shape)
        i = told[t]
        assert (chosen[i], entries[i], parts[i]) == (k, h, table[t + k, h])


@pytest.mark.parametrize("chunk", [1, 50, 10_000])
def test_chunks_of_bounds_join(monkeypatch: pytest.MonkeyPatch, chunk: int) -> None:
    chance = np.random.default_rng(1)
    table, ahead = (chance.random((rows, 90)).astype(np.float32) for rows in (40, 11))
    whole = recurrence.best_sums(table, ahead, 0.01, np.full(30, np.inf))
    monkeypatch.setattr(recurrence, "CHUNK_BOUNDS", chunk)
    some = recurrence.best_sums(table, ahead, 0.01, np.full(30, np.inf))
    for part, same in zip(some, whole, strict=True):
        np.testing.assert_array_equal(part, same)
