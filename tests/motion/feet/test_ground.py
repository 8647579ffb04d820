# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet that stand on planes, slopes and steps."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from inertia_addon.errors import InertiaError
from inertia_addon.motion import quaternion
from inertia_addon.motion.feet import crossing
from inertia_addon.motion.feet.crossing import Locked, LockLimits
from inertia_addon.motion.feet.ground import GroundSurface
from inertia_addon.motion.feet.leg_ik import LegPose
from inertia_addon.motion.feet.locking import LegMotion

Array = NDArray[np.float64]
Sample = Callable[[Array], tuple[Array, Array]]

RATE = 120
TIMES = np.arange(2 * RATE + 1) / RATE
HELD = [(0, 60), (120, 180)]
SOLE = 0.03
"""How high the ball is above the floor while it is planted."""


def leg() -> LegMotion:
    """A leg that stands, makes a step of 0.5 m along X within half of a second, stands, and lifts."""
    u = np.clip((TIMES - 0.5) / 0.5, 0.0, 1.0)
    end = np.clip((TIMES - 1.5) / 0.5, 0.0, 1.0)
    smooth = u**3 * (u * (6.0 * u - 15.0) + 10.0)
    height = SOLE + 0.06 * 16.0 * (u * (1.0 - u)) ** 2 + 0.05 * end**3 * (end * (6.0 * end - 15.0) + 10.0)
    point = np.column_stack([0.5 * smooth, 0.0 * TIMES, height])
    ankle = point + np.array([-0.1, 0.0, 0.08])
    hip = np.column_stack([0.25 * TIMES, 0.0 * TIMES, 0.85 + 0.0 * TIMES])
    knee = 0.5 * (hip + ankle) + [0.15, 0.0, 0.0]
    pose = LegPose(hip, knee, ankle, np.tile([0.0, -1.0, 0.0], (len(TIMES), 1)))
    still = np.tile([1.0, 0.0, 0.0, 0.0], (len(TIMES), 1))
    return LegMotion(pose, point, still, 0.95, 0.98)


def plane(height: float, slope: float = 0.0) -> Sample:
    """A plane that rises along X."""
    normal = np.array([-slope, 0.0, 1.0]) / np.hypot(slope, 1.0)
    return lambda points: (height + slope * points[:, 0], np.tile(normal, (len(points), 1)))


def stairs(points: Array) -> tuple[Array, Array]:
    """A step of 0.18 m at X = 0.4."""
    return np.where(points[:, 0] > 0.4, 0.18, 0.0), np.tile([0.0, 0.0, 1.0], (len(points), 1))


def locked(sample: Sample | None, drop: float = 0.05) -> Locked:
    return crossing.stay(TIMES, [leg()], [HELD], LockLimits(drop=drop), sample and GroundSurface(sample))


def test_feet_on_the_clips_own_floor_do_not_change() -> None:
    found = locked(plane(0.0))
    np.testing.assert_allclose(found.paths[0][:, :4], locked(None).paths[0], atol=1e-9)
    np.testing.assert_allclose(found.drop, 0.0, atol=1e-9)
    np.testing.assert_allclose(found.turned[0].foot, leg().foot, atol=1e-9)


def test_a_higher_plane_carries_the_whole_body() -> None:
    found = locked(plane(0.4))
    own = locked(None)
    np.testing.assert_allclose(found.paths[0][:, :3], own.paths[0][:, :3] + [0.0, 0.0, 0.4], atol=1e-9)
    np.testing.assert_allclose(found.drop, -0.4, atol=1e-9)
    np.testing.assert_allclose(found.turned[0].thigh, own.turned[0].thigh, atol=1e-6)


def test_a_leg_without_hips_bends_alone_on_a_plane() -> None:
    found = locked(plane(0.1), drop=0.0)
    np.testing.assert_allclose(found.drop, 0.0)
    ankle = found.paths[0][:, :3] + np.array([-0.1, 0.0, 0.08])
    np.testing.assert_allclose(found.turned[0].ankle, ankle, atol=1e-6)
    assert found.paths[0][30, 2] == pytest.approx(0.1 + SOLE)


@pytest.mark.parametrize("slope", [0.3, -0.2])
def test_feet_on_a_slope_stand_still_and_are_tilted_as_it_is(slope: float) -> None:
    found = locked(plane(0.0, slope))
    normal = plane(0.0, slope)(np.zeros((1, 3)))[1]
    for first, last in HELD:
        path, turn = found.paths[0][first : last + 1], found.turned[0].foot[first : last + 1]
        np.testing.assert_array_equal(path, np.broadcast_to(path[0], path.shape))
        assert path[0, 2] == pytest.approx(slope * path[0, 0] + SOLE * np.hypot(slope, 1.0))
        up = quaternion.rotate(turn, np.array([0.0, 0.0, 1.0]))
        np.testing.assert_allclose(up, np.broadcast_to(normal, up.shape), atol=1e-9)


@pytest.mark.parametrize("sample", [plane(0.0, 0.3), plane(0.05, -0.2), stairs])
def test_feet_are_nowhere_below_the_ground_and_move_smoothly(sample: Sample) -> None:
    path = locked(sample).paths[0]
    below = sample(path[:, :3])[0] - path[:, 2]
    assert below.max() < 0.0
    # what jumps in speed does so at any rate: here the way over the step is 0.18 m within a tenth of a second
    assert np.abs(np.diff(path[:, 2], 2)).max() * RATE < 0.6


def test_feet_stay_where_there_is_no_ground_and_without_any_it_is_told() -> None:
    def edge(points: Array) -> tuple[Array, Array]:
        heights, normals = plane(0.1)(points)
        return np.where(points[:, 0] < 0.2, heights, np.nan), normals

    path = locked(edge).paths[0]
    assert path[30, 2] == pytest.approx(0.1 + SOLE)
    assert path[150, 2] == pytest.approx(SOLE)
    with pytest.raises(InertiaError, match="No planted foot is ever above or below the ground"):
        locked(lambda points: (np.full(len(points), np.nan), plane(0.0)(points)[1]))
