# SPDX-License-Identifier: GPL-3.0-or-later
"""Pops are what they say: nothing where nothing jumps, and as much as does."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inertia_addon.motion.judging import evidence

VECTORS = st.lists(st.floats(-3.0, 3.0), min_size=3, max_size=3)


@given(start=VECTORS, velocity=VECTORS, jump=VECTORS, fps=st.sampled_from([24.0, 30.0, 120.0]))
def test_a_change_of_velocity_is_found_where_it_is(
    start: list[float], velocity: list[float], jump: list[float], fps: float
) -> None:
    seconds = np.arange(8) / fps
    line = np.array(start) + np.outer(seconds, velocity)
    bent = line + np.outer(np.maximum(seconds - seconds[4], 0.0), jump)
    both = np.stack([bent, bent], axis=1)
    found = evidence.velocity_changes(both, fps)
    expected = np.zeros(6)
    # frame 4 is the fourth that has a frame before it
    expected[3] = np.linalg.norm(jump)
    np.testing.assert_allclose(found, expected, atol=1e-9 * fps)


def test_the_change_is_rms_over_joints() -> None:
    positions = np.zeros((3, 2, 3))
    positions[2, 0, 0] = 0.1
    assert evidence.velocity_changes(positions, 30.0)[0] == pytest.approx(3.0 / np.sqrt(2.0))
