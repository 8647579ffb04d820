# SPDX-License-Identifier: GPL-3.0-or-later
"""Ways that turn at once are found, those that turn as bodies do are not, and corners become round."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inertia_addon.motion.arrays import Array
from inertia_addon.motion.finish import turns

SIZE = 2.0


def walk(angles: Array, fps: float, speed: float = 1.4) -> Array:
    """Two joints (n, 2, 3) that go along a way; angles: (n - 1,), where each step goes, radians."""
    steps = speed / fps * np.stack([np.cos(angles), np.sin(angles), 0.0 * angles], axis=1)
    way = np.concatenate([np.zeros((1, 3)), np.cumsum(steps, axis=0)])
    beside = np.array([0.0, 0.2, 0.0])
    return np.stack([way + beside, way - beside], axis=1)


@settings(deadline=None, max_examples=25)
@given(st.integers(20, 60), st.floats(1.0, 2.8), st.sampled_from([24.0, 30.0, 60.0, 120.0]))
def test_a_way_that_turns_at_once_is_found_where_it_does(at: int, angle: float, fps: float) -> None:
    (turn,) = turns.find_turns(walk(np.where(np.arange(90) < at, 0.0, angle), fps), fps, SIZE)
    assert turn.at == at
    assert turn.angle == pytest.approx(angle, abs=1e-6)


@settings(deadline=None, max_examples=25)
@given(st.floats(0.5, 2.8), st.floats(0.2, 0.8), st.sampled_from([30.0, 120.0]))
def test_a_way_that_takes_its_time_is_no_seam(angle: float, seconds: float, fps: float) -> None:
    times = np.arange(round(3.0 * fps)) / fps
    angles = angle * np.clip((times - 1.0) / seconds, 0.0, 1.0)
    assert turns.find_turns(walk(angles, fps), fps, SIZE) == []


def test_a_character_that_hardly_moves_has_no_way() -> None:
    angles = np.where(np.arange(90) < 40, 0.0, 2.0)
    assert turns.find_turns(walk(angles, 30.0, speed=0.1), 30.0, SIZE) == []


@pytest.mark.parametrize("count", [1, 2, 8])
def test_short_ways_have_no_turns(count: int) -> None:
    assert turns.find_turns(np.zeros((count, 2, 3)), 30.0, SIZE) == []


@pytest.mark.parametrize("both_sides", [False, True])
def test_corners_become_round_and_the_way_stays(*, both_sides: bool) -> None:
    rates = np.array([1.0, 0.0]), np.array([0.0, 1.5])
    seconds = np.arange(-60, 61) / 100.0
    corner = np.where(seconds[:, None] < 0.0, seconds[:, None] * rates[0], seconds[:, None] * rates[1])
    offsets = turns.round_corner(rates, seconds, 0.25, both_sides=both_sides)
    outside = (seconds > 0.25) | (seconds < (-0.25 if both_sides else 0.0))
    np.testing.assert_array_equal(offsets[outside], 0.0)
    changes = [np.linalg.norm(np.diff(way, 2, axis=0), axis=1).max() for way in (corner, corner + offsets)]
    assert changes[1] < 0.25 * changes[0]
    assert np.linalg.norm(offsets, axis=1).max() < 0.25 * 0.3 * 1.9
