# SPDX-License-Identifier: GPL-3.0-or-later
"""A floor is where most stances are, and tilted only along a way on which they tell of it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inertia_addon.motion.arrays import Array
from inertia_addon.motion.finish import floor

SIZE = 2.0


def steps(slopes: tuple[float, float] = (0.0, 0.0), height: float = 0.1, seed: int = 0) -> Array:
    """Stances (n, 3) of a walk round a square on a floor, a few millimetres off it."""
    rng = np.random.default_rng(seed)
    places = rng.uniform(-3.0, 3.0, size=(24, 2))
    heights = height + places @ np.array(slopes) + 0.003 * rng.normal(size=24)
    return np.column_stack([places, heights])


@settings(deadline=None, max_examples=25)
@given(st.floats(-0.15, 0.15), st.floats(-0.15, 0.15), st.floats(-1.0, 1.0), st.integers(0, 99))
def test_a_floor_is_found_as_it_is_tilted(x: float, y: float, height: float, seed: int) -> None:
    found = floor.fit_floor(steps((x, y), height, seed), SIZE)
    assert found is not None
    np.testing.assert_allclose(found.slopes, (x, y), atol=0.004)
    assert found.heights(np.zeros((1, 2)))[0] == pytest.approx(height, abs=0.01)
    assert found.tilt == pytest.approx(np.arctan(np.hypot(*found.slopes)))
    assert found.normal @ [1.0, 0.0, found.slopes[0]] == pytest.approx(0.0, abs=1e-9)
    assert found.levelled().tilt == 0.0


def test_stances_on_a_step_say_nothing_of_the_floor() -> None:
    stances = steps()
    stances[:4, 2] += 0.3
    found = floor.fit_floor(stances, SIZE)
    assert found is not None
    assert np.degrees(found.tilt) < 0.3
    assert found.heights(np.zeros((1, 2)))[0] == pytest.approx(0.1, abs=0.01)


def test_a_straight_walk_says_nothing_of_a_tilt_across_its_way() -> None:
    along = np.linspace(0.0, 5.0, 10)
    across = np.where(np.arange(10) % 2, 0.1, -0.1)
    # one foot's point is higher than the other's
    stances = np.column_stack([along, across, 0.05 * along + 0.2 * across])
    found = floor.fit_floor(stances, SIZE)
    assert found is not None
    assert found.slopes[0] == pytest.approx(0.05, abs=0.005)
    assert abs(found.slopes[1]) < 0.005


@pytest.mark.parametrize("count", [1, 2, 3])
def test_few_stances_say_how_high_a_floor_is_and_no_more(count: int) -> None:
    found = floor.fit_floor(steps((0.1, 0.1))[:count], SIZE)
    assert found is not None
    assert (found.tilt, found.rise) == (0.0, 0.0)


def test_a_take_without_stances_has_no_floor() -> None:
    assert floor.fit_floor(np.zeros((0, 3)), SIZE) is None
