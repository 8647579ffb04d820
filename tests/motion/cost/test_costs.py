# SPDX-License-Identifier: GPL-3.0-or-later
"""Curves and maps against the displacements that they sum, and searches against brute force."""

from __future__ import annotations

import itertools
import tracemalloc
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from inertia_addon.motion.cost import costs as cost
from inertia_addon.motion.decay.decay import Method, displacement

Array = NDArray[np.float64]

METHODS = pytest.mark.parametrize("method", list(Method))
SEEDS = st.integers(0, 2**32 - 1)


def clips(seed: int, frames: tuple[int, int], joints: int) -> tuple[Any, Any, Array]:
    """Positions and velocities of two clips that share some frames, and weights, one of which is nothing."""
    chance = np.random.default_rng(seed)
    sides = [(chance.normal(size=(n, joints, 3)), 5.0 * chance.normal(size=(n, joints, 3))) for n in frames]
    sides[1][0][0], sides[1][1][0] = sides[0][0][0], sides[0][1][0]
    sides[1][0][-1] = sides[0][0][0]  # the same place at another speed
    weights = chance.uniform(0.0, 2.0, joints)
    weights[0] = 0.0
    return sides[0], sides[1], weights


def brute(a: Any, b: Any, weights: Array, method: Method, seconds: float) -> Array:
    """Every cost, frame by frame."""
    return np.array(
        [
            (displacement(method, p - b[0], v - b[1], seconds).sum(axis=2) * weights).sum(axis=1)
            for p, v in zip(*a, strict=True)
        ]
    )


def finished(steps: Any) -> list[float]:
    """All that steps say of what is done."""
    return list(steps)


@METHODS
@given(seed=SEEDS, joints=st.integers(1, 9), seconds=st.floats(0.05, 3.0))
@pytest.mark.variants(2)
def test_maps_and_curves_are_sums_of_displacements(
    method: Method, seed: int, joints: int, seconds: float
) -> None:
    a, b, weights = clips(seed, (5, 7), joints)
    weights[-1] = 1.0
    expected = brute(a, b, weights, method, seconds)
    rows, columns = (cost.prepare(*side, weights, method, seconds) for side in (a, b))
    found = np.full(expected.shape, np.nan, np.float32)
    done = finished(cost.map_blocks(rows, columns, found))
    assert done[-1] == 1.0
    scale = expected.max()
    np.testing.assert_allclose(found, expected, rtol=2e-5, atol=2e-6 * scale)
    np.testing.assert_allclose(cost.curve(rows.cut(slice(2, 3)), columns), found[2])
    np.testing.assert_allclose(
        cost.curve(columns.cut(slice(3, 4)), rows), found[:, 3], rtol=1e-4, atol=1e-5 * scale
    )
    assert found[0, 0] <= 1e-6 * scale
    parts = cost.by_joint(a[0][1] - b[0][2], a[1][1] - b[1][2], weights, method, seconds)
    assert parts.sum() == pytest.approx(expected[1, 2], rel=1e-12)


@METHODS
def test_blocks_leave_no_seams(method: Method, monkeypatch: pytest.MonkeyPatch) -> None:
    a, b, weights = clips(5, (3, 50), 4)
    expected = brute(a, b, weights, method, 0.4)
    for size in (1, 12, 36, 100, 10_000):
        monkeypatch.setattr(cost, "BLOCK", size)
        rows, columns = (cost.prepare(*side, weights, method, 0.4) for side in (a, b))
        found = np.empty(expected.shape, np.float32)
        finished(cost.map_blocks(rows, columns, found))
        np.testing.assert_allclose(found, expected, rtol=2e-5, atol=1e-5)


@given(seed=SEEDS, joints=st.integers(1, 9))
def test_feature_maps_are_cityblock_distances(seed: int, joints: int) -> None:
    a, b, weights = clips(seed, (5, 7), joints)
    near, far = (cost.prepare_features(*side, weights, Method.SMOOTH, 0.4) for side in (a, b))
    found = np.empty((5, 7), np.float32)
    assert finished(cost.map_blocks(near, far, found))[-1] == 1.0
    expected = cdist(near.first.astype(float), far.first.astype(float), "cityblock")
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5 * max(expected.max(), 1e-3))


def test_a_map_takes_little_more_than_itself() -> None:
    a, b, weights = clips(6, (700, 900), 22)
    rows, columns = (cost.prepare(*side, weights, Method.SMOOTH, 0.4) for side in (a, b))
    costs = np.empty((700, 900), np.float32)
    tracemalloc.start()
    finished(cost.map_blocks(rows, columns, costs))
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert costs.nbytes + most < 4 * costs.nbytes


def test_a_long_map_reports_often() -> None:
    a, b, weights = clips(7, (400, 2000), 22)
    near, far = (cost.prepare(*side, weights, Method.CUBIC, 0.4) for side in (a, b))
    done = finished(cost.map_blocks(near, far, np.empty((400, 2000), np.float32)))
    assert len(done) >= 4
    assert done == sorted(done)


@given(arrays.arrays(np.float32, st.integers(0, 12), elements=st.integers(0, 4).map(float)))
def test_minima_are_lower_than_both_neighbours(curve: NDArray[np.float32]) -> None:
    found = cost.local_minima(curve)
    assert list(curve[found]) == sorted(curve[found])
    runs = [(value, len(list(group))) for value, group in itertools.groupby(curve.tolist())]
    expected = []
    start = 0
    for k, (value, length) in enumerate(runs):
        lower = [value < runs[n][0] for n in (k - 1, k + 1) if 0 <= n < len(runs)]
        if all(lower):
            expected.append(start + (length - 1) // 2)
        start += length
    assert sorted(found.tolist()) == expected


@given(
    arrays.arrays(
        np.float32, st.tuples(st.integers(1, 7), st.integers(1, 7)), elements=st.integers(0, 9).map(float)
    ),
    st.integers(1, 6),
    st.integers(1, 4),
)
def test_the_best_pairs_are_no_neighbours_and_none_is_missed(
    costs: NDArray[np.float32], count: int, apart: int
) -> None:
    costs[0, 0] = np.nan
    before = costs.copy()
    found = cost.best_pairs(costs, count, apart)
    np.testing.assert_array_equal(costs, before)
    cells = sorted(
        (float(costs[i, j]), i, j)
        for i in range(costs.shape[0])
        for j in range(costs.shape[1])
        if (i, j) != (0, 0)
    )
    expected: list[tuple[int, int, float]] = []
    for value, i, j in cells:
        if len(expected) < count and all(abs(i - a) >= apart or abs(j - b) >= apart for a, b, _ in expected):
            expected.append((i, j, value))
    assert found == expected
