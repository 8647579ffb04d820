# SPDX-License-Identifier: GPL-3.0-or-later
"""Springs: exact for any step, and what their differential equation says."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inertia_addon.motion.root_motion import half_life
from inertia_addon.motion.steering import point

VALUES = st.floats(-5.0, 5.0)
LASTING = st.floats(0.1, 1.0)


def integrated(
    place: float, velocity: float, acceleration: float, goal: float, lasting: float, seconds: float
) -> tuple[float, float, float]:
    """By many small steps of a'' = -y^2 (v - goal) - 2 y a."""
    y, steps = float(half_life.frequency(lasting)), 2_000
    state, dt = np.array([place, velocity, acceleration]), seconds / steps

    def rate(s: np.ndarray) -> np.ndarray:
        return np.array([s[1], s[2], -y * y * (s[1] - goal) - 2.0 * y * s[2]])

    for _ in range(steps):
        middle = state + 0.5 * dt * rate(state)
        state = state + dt * rate(middle)
    return float(state[0]), float(state[1]), float(state[2])


@pytest.mark.parametrize("seconds", [0.02, 1.0])
def test_a_driven_point_goes_as_its_equation_says(seconds: float) -> None:
    given_ = (0.3, 1.0, -2.0, 2.5, 0.35)
    place, velocity, acceleration, goal, lasting = given_
    found = point.driven(
        np.array(place), np.array(velocity), np.array(acceleration), np.array(goal), lasting, seconds
    )
    assert [float(a[0]) for a in found] == pytest.approx(integrated(*given_, seconds), abs=1e-5)


@given(VALUES, VALUES, VALUES, VALUES, LASTING, st.floats(0.0, 2.0), st.floats(0.0, 2.0))
def test_two_steps_are_one(
    place: float, velocity: float, acceleration: float, goal: float, lasting: float, a: float, b: float
) -> None:
    state = tuple(np.array([value]) for value in (place, velocity, acceleration))
    aim = np.array([goal])
    first = tuple(each[0] for each in point.driven(*state, aim, lasting, a))
    second = point.driven(*first, aim, lasting, b)
    whole = point.driven(*state, aim, lasting, a + b)
    assert np.allclose([each[0, 0] for each in second], [each[0, 0] for each in whole], atol=1e-9)


@given(VALUES, VALUES, VALUES, LASTING, st.floats(0.0, 3.0))
def test_a_velocity_that_is_driven_is_a_value_on_its_way(
    value: float, rate: float, goal: float, lasting: float, seconds: float
) -> None:
    here, slope, aim = (np.array(each) for each in (value, rate, goal))
    _, velocity, acceleration = point.driven(np.array(0.0), here, slope, aim, lasting, seconds)
    both = point.towards(here, slope, aim, lasting, seconds)
    assert np.allclose((velocity, acceleration), both, atol=1e-9)


def test_a_point_from_rest_has_half_left_after_its_half_life_but_for_the_slope() -> None:
    found, _ = point.towards(np.array(0.0), np.array(0.0), np.array(1.0), 0.3, [0.0, 0.3, 30.0])
    # (1 + y t) e^(-y t) with y t = 2 ln 2
    assert found == pytest.approx([0.0, 1.0 - (1.0 + 2.0 * np.log(2.0)) / 4.0, 1.0])
