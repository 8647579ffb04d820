# SPDX-License-Identifier: GPL-3.0-or-later
"""Ways that keep apart in time: far enough, smooth, and as they were where nobody is."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from inertia_addon.motion.arrays import Array
from inertia_addon.motion.matching import apart

FPS, APART = 60.0, 0.6


def walk(start: tuple[float, float], end: tuple[float, float], speed: float = 1.3) -> Array:
    """A straight way at an even speed."""
    a, b = np.array(start), np.array(end)
    count = max(2, round(float(np.linalg.norm(b - a)) / speed * FPS))
    return np.asarray(a + (b - a) * np.linspace(0.0, 1.0, count)[:, None])


def planned(ways: list[Array], distance: float = APART) -> list[Array]:
    """All, one after the other."""
    done: list[Array] = []
    for way in ways:
        done.append(apart.way_past(way, done, distance, FPS)[0])
    return done


def brute_nearest(ways: list[Array]) -> float:
    """The least distance of any two at any time, by comparing all."""
    count = max(map(len, ways))
    whole = [np.concatenate([way, np.repeat(way[-1:], count - len(way), axis=0)]) for way in ways]
    return min(float(np.hypot(*(a - b).T).min()) for a, b in itertools.combinations(whole, 2))


MEETINGS = {
    "head on": [walk((0, 0), (8, 0)), walk((8, 0), (0, 0))],
    "crossing": [walk((0, 0), (8, 0)), walk((4, -4), (4, 4))],
    "overtaking": [walk((1, 0), (8, 0), 1.0), walk((0, 0), (10, 0), 1.6)],
    "passing one who stands": [walk((3, 0), (4, 0)), walk((-4, 0), (10, 0))],
    "twenty across a place": [
        walk(*[(s * 6 * np.cos(a), s * 6 * np.sin(a)) for s in (1, -1)])
        for a in np.linspace(0, 2 * np.pi, 20, endpoint=False)
    ],
}


@pytest.mark.parametrize("ways", MEETINGS.values(), ids=MEETINGS)
def test_characters_that_meet_keep_apart(ways: list[Array]) -> None:
    done = planned(ways)
    assert brute_nearest(ways) < 0.1
    assert brute_nearest(done) >= APART
    assert done[0] is ways[0]
    for way, before in zip(done, ways, strict=True):
        np.testing.assert_allclose(way[0], before[0], atol=1e-9)
        speeds = np.linalg.norm(np.diff(way, axis=0), axis=1) * FPS
        assert speeds.max() < 1.5 * np.linalg.norm(np.diff(before, axis=0), axis=1).max() * FPS + 0.5


def test_a_character_does_not_go_aside_for_one_that_is_far_away() -> None:
    ways = [walk((0, 0), (8, 0)), walk((0, 2), (8, 2)), walk((0, -3), (8, -3))]
    done = [apart.way_past(way, ways[:i], APART, FPS) for i, way in enumerate(ways)]
    assert [(way is own, wait) for (way, wait), own in zip(done, ways, strict=True)] == [(True, 0)] * 3


def test_a_character_that_goes_aside_comes_back() -> None:
    first, second = MEETINGS["head on"]
    (way, wait) = apart.way_past(second, [first], APART, FPS)
    assert wait == 0
    np.testing.assert_allclose(way[-1], second[-1], atol=0.05)
    # to the right of where it goes
    assert way[:, 1].max() > APART


@given(st.integers(0, 10**6), st.integers(2, 6))
def test_random_crowds_keep_apart_or_wait_for_it(seed: int, count: int) -> None:
    chance = np.random.default_rng(seed)
    ways = [
        walk(tuple(chance.uniform(-6, 6, 2)), tuple(chance.uniform(-6, 6, 2)), chance.uniform(1.0, 1.6))
        for _ in range(count)
    ]
    starts = np.array([way[0] for way in ways])
    gaps = np.linalg.norm(starts[:, None] - starts, axis=-1) + 9.0 * np.eye(count)
    assume(gaps.min() > 3.0 * APART)
    done = planned(ways)
    metres, first, second, at = apart.nearest(done)
    assert metres == pytest.approx(brute_nearest(done))
    pair = [way[min(at, len(way) - 1)] for way in (done[first], done[second])]
    assert metres == pytest.approx(float(np.linalg.norm(pair[0] - pair[1])))
    # planning never makes it worse than it was
    assert metres >= min(brute_nearest(ways), APART) - 1e-9
