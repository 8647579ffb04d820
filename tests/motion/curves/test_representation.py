# SPDX-License-Identifier: GPL-3.0-or-later
"""Rotations as the channels of a mode: as long as an animator's, and without a jump."""

from __future__ import annotations

import numpy as np
import pytest

from inertia_addon.motion import quaternion
from inertia_addon.motion.curves import representation


@pytest.mark.parametrize("seed", range(5))
def test_quaternions_have_the_lengths_that_are_asked_for_and_no_jump(seed: int) -> None:
    chance = np.random.default_rng(seed)
    q = quaternion.exp(np.cumsum(chance.normal(scale=0.2, size=(40, 3)), axis=0))
    q *= chance.choice([-1.0, 1.0], size=(40, 1))
    size = chance.uniform(0.2, 5.0, 40)
    found = representation.continuous(q, "QUATERNION", 3.0 * q[0], size)
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), size)
    np.testing.assert_allclose(np.abs(np.sum(found * q, axis=1)), size)
    assert np.all(np.sum(found[1:] * found[:-1], axis=1) > 0.0)
    assert found[0] @ q[0] > 0.0


@pytest.mark.parametrize("between", [0.0, 40.0, 85.0, 95.0, 140.0])
@pytest.mark.parametrize("turns", [0.0, -2.0, 3.0])
def test_an_axis_stays_on_the_side_of_the_one_before(between: float, turns: float) -> None:
    axis = np.array([np.sin(np.radians(between)), np.cos(np.radians(between)), 0.0])
    reference = np.array([0.6 + 2.0 * np.pi * turns, 0.0, 2.0, 0.0])
    found = representation.nearest(quaternion.exp(0.5 * axis), "AXIS_ANGLE", reference)
    sign = 1.0 if between < 90.0 else -1.0
    np.testing.assert_allclose(found[1:], sign * axis, atol=1e-9)
    assert abs(found[0] - reference[0]) <= np.pi
    assert np.cos(found[0]) == pytest.approx(np.cos(0.5))
    assert np.sin(found[0]) == pytest.approx(sign * np.sin(0.5))
