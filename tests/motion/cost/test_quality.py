# SPDX-License-Identifier: GPL-3.0-or-later
"""Pops and slides are what they say: nothing where nothing jumps or slides, and as much as does."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inertia_addon.motion.cost import quality

VECTORS = st.lists(st.floats(-3.0, 3.0), min_size=3, max_size=3)


@given(start=VECTORS, velocity=VECTORS, jump=VECTORS, fps=st.sampled_from([24.0, 30.0, 120.0]))
def test_a_change_of_velocity_is_found_where_it_is(
    start: list[float], velocity: list[float], jump: list[float], fps: float
) -> None:
    seconds = np.arange(8) / fps
    line = np.array(start) + np.outer(seconds, velocity)
    bent = line + np.outer(np.maximum(seconds - seconds[4], 0.0), jump)
    both = np.stack([bent, bent], axis=1)
    found = quality.velocity_changes(both, fps)
    expected = np.zeros(6)
    # frame 4 is the fourth that has a frame before it
    expected[3] = np.linalg.norm(jump)
    np.testing.assert_allclose(found, expected, atol=1e-9 * fps)


def test_the_change_is_rms_over_joints() -> None:
    positions = np.zeros((3, 2, 3))
    positions[2, 0, 0] = 0.1
    assert quality.velocity_changes(positions, 30.0)[0] == pytest.approx(3.0 / np.sqrt(2.0))


@given(st.floats(0.0, 1.0), st.floats(-np.pi, np.pi), st.integers(2, 20))
def test_a_foot_on_the_ground_slides_as_far_as_it_goes(length: float, heading: float, count: int) -> None:
    way = np.linspace(0.0, length, count)
    foot = np.stack([way * np.cos(heading), way * np.sin(heading), np.full(count, 0.07)], axis=-1)
    (slide,) = quality.foot_slides(foot[:, None], [0.07], 0.03)
    assert slide == pytest.approx(length, abs=1e-9)


@given(st.floats(0.03, 2.0), VECTORS)
def test_a_foot_in_the_air_does_not_slide(above: float, way: list[float]) -> None:
    positions = np.zeros((5, 1, 3))
    positions[:, 0, :2] = np.outer(np.arange(5), way[:2])
    positions[:, 0, 2] = above
    np.testing.assert_allclose(quality.foot_slides(positions, [0.0], 0.03), [0.0], atol=1e-9)


@given(st.floats(0.0, 0.03), st.floats(0.0, 0.03))
def test_the_higher_the_less_it_slides(low: float, high: float) -> None:
    low, high = sorted((low, high))
    positions = np.zeros((3, 2, 3))
    positions[:, :, 0] = np.arange(3)[:, None]
    positions[:, 0, 2], positions[:, 1, 2] = low, high
    lower, higher = quality.foot_slides(positions, [0.0, 0.0], 0.03)
    assert higher <= lower + 1e-12


def test_a_single_frame_has_no_slide() -> None:
    np.testing.assert_array_equal(quality.foot_slides(np.zeros((1, 2, 3)), [0.0, 0.0], 0.03), [0.0, 0.0])
