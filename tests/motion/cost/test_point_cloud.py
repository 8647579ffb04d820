# SPDX-License-Identifier: GPL-3.0-or-later
"""Window distances: those of each pair by itself, the least that any turn and move gives, and invariant."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.spatial.transform import Rotation

from inertia_addon.motion.cost import point_cloud

SEEDS = st.integers(0, 2**32 - 1)


def walk(chance: np.random.Generator, frames: int, points: int) -> np.ndarray:
    """A cloud that goes somewhere, turning as it goes."""
    body = chance.normal(size=(points, 3)) + 0.2 * chance.normal(size=(frames, points, 3)).cumsum(axis=0)
    yaw = Rotation.from_euler("z", chance.normal(0.0, 0.2, (frames, 1)).cumsum(axis=0))
    turned = np.stack([turn.apply(cloud) for turn, cloud in zip(yaw, body, strict=True)])
    return turned + (chance.normal(0.0, 0.3, (frames, 1, 3)).cumsum(axis=0) * (1.0, 1.0, 0.0))


def moved(points: np.ndarray, angle: float, move: tuple[float, float]) -> np.ndarray:
    turn = Rotation.from_euler("z", angle).as_matrix()
    return points @ turn.T + (*move, 0.0)


def plain_distance(a: np.ndarray, b: np.ndarray, weights: np.ndarray) -> float:
    """One pair of windows (frames, points, 3), after Kovar's own equations."""
    w = np.tile(weights, len(a)) / (weights.sum() * len(a))
    x, z, u, v = a[..., 0].ravel(), a[..., 1].ravel(), b[..., 0].ravel(), b[..., 1].ravel()
    mx, mz, mu, mv = w @ x, w @ z, w @ u, w @ v
    angle = np.arctan2(w @ (u * z - x * v) - (mu * mz - mx * mv), w @ (x * u + z * v) - (mx * mu + mz * mv))
    c, s = np.cos(angle), np.sin(angle)
    shift = mx - (c * mu - s * mv), mz - (s * mu + c * mv)
    fitted = moved(b, float(angle), shift)
    return float(w @ np.square(a - fitted).sum(axis=-1).ravel())


def rotated_best(a: np.ndarray, b: np.ndarray, weights: np.ndarray) -> float:
    """The least that scipy finds over all turns and moves."""

    def size(at: np.ndarray) -> float:
        squares = np.square(a - moved(b, at[0], (at[1], at[2]))).sum(axis=-1)
        return float((squares * weights).sum() / (weights.sum() * len(a)))

    starts = [np.array([angle, 0.0, 0.0]) for angle in (-2.0, 0.0, 2.0)]
    options = {"xatol": 1e-9, "fatol": 1e-12, "maxiter": 4000}
    return min(minimize(size, start, method="Nelder-Mead", options=options).fun for start in starts)


@given(SEEDS, st.integers(1, 6), st.integers(1, 4))
def test_distances_of_all_pairs_are_what_each_pair_is_by_itself(seed: int, window: int, points: int) -> None:
    chance = np.random.default_rng(seed)
    a, b = (walk(chance, int(chance.integers(1, 14)), points) for _ in range(2))
    weights = chance.uniform(0.1, 2.0, points)
    found = point_cloud.distances(*(point_cloud.prepare(c, weights, window) for c in (a, b)))
    assert found.shape == (len(a), len(b))
    assert found.dtype == np.float32
    for i in range(len(a)):
        for j in range(len(b)):
            if i + window > len(a) or j + window > len(b):
                assert np.isinf(found[i, j])
                continue
            plain = plain_distance(a[i : i + window], b[j : j + window], weights)
            assert found[i, j] == pytest.approx(plain, rel=1e-4, abs=1e-6)


@pytest.mark.slow
def test_the_alignment_is_the_best_of_all() -> None:
    chance = np.random.default_rng(3)
    for _ in range(4):
        a, b = walk(chance, 4, 3), walk(chance, 4, 3)
        weights = chance.uniform(0.1, 2.0, 3)
        best = rotated_best(a, b, weights)
        angle, move = point_cloud.align(a, b, weights)
        fitted = point_cloud.turned(b, angle) + move
        reached = (np.square(a - fitted).sum(axis=-1) * weights).sum() / (weights.sum() * len(a))
        found = point_cloud.distances(*(point_cloud.prepare(c, weights, 4) for c in (a, b)))[0, 0]
        assert reached == pytest.approx(best, rel=1e-6)
        assert found == pytest.approx(best, rel=1e-4)


@given(SEEDS, st.floats(-3.0, 3.0), st.floats(-50.0, 50.0), st.floats(-50.0, 50.0))
def test_distances_do_not_depend_on_where_a_clip_stands_and_faces(
    seed: int, angle: float, x: float, y: float
) -> None:
    chance = np.random.default_rng(seed)
    a, b = walk(chance, 12, 4), walk(chance, 10, 4)
    weights = np.ones(4)

    def between(first: np.ndarray, second: np.ndarray) -> np.ndarray:
        return point_cloud.distances(*(point_cloud.prepare(c, weights, 3) for c in (first, second)))

    np.testing.assert_allclose(between(a, moved(b, angle, (x, y))), between(a, b), rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(between(b, a), between(a, b).T, rtol=1e-4, atol=1e-6)
    same = between(a, moved(a, angle, (x, y)))
    assert np.diagonal(same)[:10].max() < 1e-6


def test_distances_of_some_rows_are_the_same_as_among_all() -> None:
    chance = np.random.default_rng(5)
    a, b = (point_cloud.prepare(walk(chance, 40, 3), np.ones(3), 6) for _ in range(2))
    whole = point_cloud.distances(a, b)
    for rows, columns in (
        (slice(7, 19), slice(0, 40)),
        (slice(30, 40), slice(3, 37)),
        (slice(38, 40), slice(2, 3)),
    ):
        some = point_cloud.distances(a.cut(rows), b.cut(columns))
        np.testing.assert_allclose(some, whole[rows, columns], rtol=1e-6)


@pytest.mark.parametrize("window", [1, 2, 5, 30])
def test_windows_of_a_cycle_go_on_into_the_next(window: int) -> None:
    chance = np.random.default_rng(7)
    period, points = 9, 3
    inside = 0.4 * chance.normal(size=(period, points, 3))
    cycles = np.concatenate([moved(inside, 0.3 * k, (0.0, 0.0)) for k in range(8)])
    travel = np.zeros((len(cycles), 2))
    for i in range(1, len(cycles)):
        k = 0.3 * ((i - 1) // period)
        travel[i] = travel[i - 1] + 0.1 * np.array([np.cos(k), np.sin(k)])
    long = cycles.copy()
    long[..., :2] += travel[:, None]
    other = point_cloud.prepare(walk(chance, 40, points), np.ones(points), window)
    cycle = point_cloud.prepare(long[: period + 1], np.ones(points), window, cyclic=True)
    straight = point_cloud.prepare(long, np.ones(points), window)
    assert cycle.starts == cycle.count == period
    expected = point_cloud.distances(straight, other)[:period]
    np.testing.assert_allclose(point_cloud.distances(cycle, other), expected, rtol=1e-4, atol=1e-6)


def test_far_from_the_origin_nothing_is_lost() -> None:
    chance = np.random.default_rng(9)
    a, b = walk(chance, 30, 5), walk(chance, 30, 5)
    near = point_cloud.distances(*(point_cloud.prepare(c, np.ones(5), 4) for c in (a, b)))
    far = [point_cloud.prepare(c + np.array([3000.0, -2000.0, 0.0]), np.ones(5), 4) for c in (a, b)]
    np.testing.assert_allclose(point_cloud.distances(*far), near, rtol=1e-4)
