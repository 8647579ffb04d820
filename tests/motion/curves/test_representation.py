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
