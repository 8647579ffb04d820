# SPDX-License-Identifier: GPL-3.0-or-later
"""What dead blending is made of: a velocity that halves, an eased fade, and windows that add up."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from inertia_addon.motion.decay import dead_blending
from tests.motion.strategies import Array, seconds, vectors


@given(st.floats(0.01, 5.0), st.floats(0.0, 5.0))
def test_the_velocity_halves_each_half_life(half_life: float, t: float) -> None:
    step = 1e-5
    at = dead_blending.reach(np.array([t, t + step]), half_life)
    assert np.diff(at)[0] / step == pytest.approx(0.5 ** (t / half_life), abs=1e-3)
    assert dead_blending.reach(0.0, half_life) == 0.0
    assert dead_blending.reach(t, np.inf) == t


@given(seconds(), st.floats(0.0, 1.0))
def test_the_fade_is_eased_and_as_far_behind_as_ahead(length: float, part: float) -> None:
    left = dead_blending.source_share(
        np.array([0.0, part * length, (1.0 - part) * length, 2.0 * length]), length
    )
    assert left[0] == 1.0
    assert left[3] == 0.0
    assert left[1] + left[2] == pytest.approx(1.0)
    near = dead_blending.source_share(np.array([1e-4 * length, (1.0 - 1e-4) * length]), length)
    assert_allclose(near, [1.0, 0.0], atol=1e-7)


@given(vectors(), st.floats(0.1, 20.0))
def test_a_clamped_velocity_keeps_its_direction(rate: Array, fastest: float) -> None:
    found = dead_blending.clamped(rate, fastest)
    speed = float(np.linalg.norm(rate))
    assert np.linalg.norm(found) == pytest.approx(min(speed, fastest), abs=1e-12)
    assert_allclose(np.cross(found, rate), 0.0, atol=1e-9 * (1.0 + speed**2))


@given(seconds(), st.sampled_from([24.0, 30.0, 120.0]))
def test_an_offset_at_rest_counts_half_of_its_blend(length: float, fps: float) -> None:
    times, counts = dead_blending.samples(length, fps)
    assert times[0] == 0.0
    assert times[-1] < length
    assert len(times) <= dead_blending.MOST_SAMPLES
    assert counts.sum() == pytest.approx(0.5 * length, rel=1e-9)


def test_later_positions_are_held_at_the_end() -> None:
    frames, positions = np.arange(3.0), np.arange(3.0)[:, None, None] * np.ones((1, 2, 3))
    assert_allclose(dead_blending.positions_at(frames, positions, frames + 0.5)[:, 0, 0], [0.5, 1.5, 2.0])
    assert_allclose(
        dead_blending.positions_at(frames[:1], positions[:1] + 4.0, frames[:1] + 7.0)[:, 0, 0], [4.0]
    )
