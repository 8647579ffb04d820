# SPDX-License-Identifier: GPL-3.0-or-later
"""When feet stand in a gap without clips."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from inertia_addon.motion.fill import unaided_steps

Array = NDArray[np.float64]

LENGTHS = np.array([0.9, 0.9])
COUNT = 21


def gliding(*ways: float, heights: tuple[float, float] = (0.0, 0.0)) -> Array:
    """Feet side by side that glide ahead by so much each, from one height to another."""
    part = np.linspace(0.0, 1.0, COUNT)
    paths = np.zeros((COUNT, len(ways), 3))
    paths[..., 0] = 0.2 * np.arange(len(ways))
    paths[..., 1] = part[:, None] * np.array(ways)
    paths[..., 2] = (heights[0] + part * (heights[1] - heights[0]))[:, None]
    return paths


def stands(points: Array, *standing: tuple[bool, bool]) -> list[list[tuple[int, int]]]:
    """standing: of each foot, whether it stands at first and at last."""
    return unaided_steps.find_stands(points, np.array(standing).T, LENGTHS)


def test_a_foot_that_stands_in_one_place_at_both_ends_stands_throughout() -> None:
    assert stands(gliding(0.01, 0.01), (True, True), (False, False)) == [[(0, 20)], []]


def test_a_foot_that_stands_at_one_end_does_so_for_as_long_as_it_can() -> None:
    assert stands(gliding(0.5, 0.5), (True, False), (False, True)) == [[(0, 19)], [(1, 20)]]


def test_feet_step_over_one_after_the_other_the_hindmost_first() -> None:
    points = gliding(0.6, 0.6)
    points[:, 0, 1] += 0.3
    ahead, behind = stands(points, (True, True), (True, True))
    assert behind == [(0, 5), (6, 20)]
    assert ahead == [(0, 15), (16, 20)]


def test_the_ground_leads_from_where_a_foot_stands_to_where_it_stands_at_last() -> None:
    heights = gliding(0.5, 0.5, 0.5, 0.5, heights=(0.1, 0.3))[..., 2]
    standing = np.array([[True, True, False, False], [True, False, True, False]])
    ground = unaided_steps.find_ground(heights, standing)
    assert ground[0] == pytest.approx([0.1, 0.1, 0.3, 0.1])
    assert ground[-1] == pytest.approx([0.3, 0.1, 0.3, 0.1])
    assert ground[COUNT // 2, 0] == pytest.approx(0.2)
