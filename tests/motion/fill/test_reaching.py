# SPDX-License-Identifier: GPL-3.0-or-later
"""The least changes by which something comes to where it is wanted: on lines, in chains, and out of reach."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inertia_addon.motion.arrays import Array
from inertia_addon.motion.fill.reaching import find_least_changes

NEAR = 1e-8


def draw(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)


@given(st.integers(0, 10_000))
def test_a_linear_miss_is_met_by_the_shortest_change(seed: int) -> None:
    rng = draw(seed)
    matrix, wanted = rng.normal(size=(3, 6)), 0.1 * rng.normal(size=3)
    changes, left = find_least_changes(lambda tried: tried @ matrix.T - wanted, 6, NEAR)
    assert left < 1e-7
    # numpy's own answer to the same question
    assert changes == pytest.approx(np.linalg.lstsq(matrix, wanted, rcond=None)[0], abs=1e-3)


def tip(angles: Array) -> Array:
    """Return where a chain of two links of length 1 in a plane ends (n, 2), by its two angles."""
    first, second = angles[:, 0], angles[:, 0] + angles[:, 1]
    return np.column_stack([np.cos(first) + np.cos(second), np.sin(first) + np.sin(second)])


@given(st.floats(0.2, 1.9), st.floats(-3.0, 3.0), st.floats(0.3, 2.6))
def test_a_bent_chain_comes_to_any_point_within_reach(far: float, turn: float, bend: float) -> None:
    posed, wanted = np.array([0.4, bend]), far * np.array([np.cos(turn), np.sin(turn)])
    changes, left = find_least_changes(lambda tried: tip(posed + tried) - wanted, 2, NEAR)
    assert left < 1e-6
    assert tip((posed + changes)[None])[0] == pytest.approx(wanted, abs=1e-6)


def test_a_straight_chain_bends() -> None:
    wanted = np.array([1.5, 0.0])
    changes, left = find_least_changes(lambda tried: tip(tried) - wanted, 2, NEAR)
    assert left < 1e-6
    assert abs(changes[1]) > 0.5


def test_a_point_out_of_reach_is_come_near_to() -> None:
    wanted, posed = np.array([0.0, 3.0]), np.array([0.5, 0.5])
    changes, left = find_least_changes(lambda tried: tip(posed + tried) - wanted, 2, NEAR)
    assert left == pytest.approx(1.0, abs=1e-2)
    assert tip((posed + changes)[None])[0] == pytest.approx([0.0, 2.0], abs=0.2)
