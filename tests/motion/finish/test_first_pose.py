# SPDX-License-Identifier: GPL-3.0-or-later
"""A pose in front of a take is told from the take's own beginning."""

from __future__ import annotations

import numpy as np
import pytest

from inertia_addon.motion.arrays import Array
from inertia_addon.motion.finish import first_pose

FPS = 30.0


def steps(count: int = 60, size: float = 0.03) -> Array:
    """How four bones turn from frame to frame (n - 1, 4, 3)."""
    times = np.arange(count)[:, None, None] / 8.0 + np.arange(12).reshape(4, 3)
    return size * np.sin(times)


def test_a_take_that_begins_with_its_motion_has_no_pose_in_front() -> None:
    assert first_pose.find_first_pose(steps(), FPS) is None


@pytest.mark.parametrize("held", [1, 2, 12])
def test_a_pose_in_front_is_found_with_all_its_frames(held: int) -> None:
    given = steps()
    given[: held - 1] = 0.0
    given[held - 1] = 0.5
    found = first_pose.find_first_pose(given, FPS)
    assert found is not None
    assert found.frames == held
    assert found.size == pytest.approx(0.5 * np.sqrt(3.0))


def test_a_jump_within_motion_is_no_pose_in_front() -> None:
    given = steps()
    given[10] = 0.5
    assert first_pose.find_first_pose(given, FPS) is None


def test_a_quick_start_is_no_pose_in_front() -> None:
    assert first_pose.find_first_pose(steps(size=0.4), FPS) is None


@pytest.mark.parametrize("count", [0, 1, 2])
def test_takes_of_a_few_frames_have_no_pose_in_front(count: int) -> None:
    assert first_pose.find_first_pose(np.ones((count, 2, 3)), FPS) is None
