# SPDX-License-Identifier: GPL-3.0-or-later
"""What is followed: lines, constant speeds, and targets with their own timing."""

from __future__ import annotations

import numpy as np
import pytest

from inertia_addon.errors import InertiaError
from inertia_addon.motion.matching import targets
from inertia_addon.motion.matching.targets import Untimed

CORNER = [(0.0, 0.0, 5.0), (3.0, 0.0, 5.0), (3.0, 3.0, 5.0)]


def test_a_line_has_even_steps_and_the_direction_it_goes() -> None:
    line = targets.line(CORNER)
    assert line.length == pytest.approx(6.0)
    points, facing = line.at(np.array([0.0, 1.5, 4.5, 9.0]))
    np.testing.assert_allclose(points, [(0.0, 0.0), (1.5, 0.0), (3.0, 1.5), (3.0, 3.0)], atol=1e-9)
    np.testing.assert_allclose(facing, [0.0, 0.0, np.pi / 2, np.pi / 2], atol=1e-9)


@pytest.mark.parametrize("points", [[(1.0, 1.0)], [(0.0, 0.0)] * 5, [(0.0, 0.0), (0.1, 0.0)]])
def test_a_line_without_a_length_is_refused(points: list[tuple[float, float]]) -> None:
    with pytest.raises(InertiaError, match="leaves nothing to follow"):
        targets.line(points)


def test_a_constant_speed_reaches_the_end_in_time() -> None:
    target = targets.at_speed(targets.line(CORNER), 1.5, 30.0)
    assert target.frames == 121
    np.testing.assert_allclose(target.ground[[0, 60, 120]], [(0, 0), (3, 0), (3, 3)], atol=1e-9)
    np.testing.assert_allclose(np.linalg.norm(np.diff(target.ground, axis=0), axis=1) * 30.0, 1.5)


def test_a_target_that_stands_faces_where_it_went_or_will_go() -> None:
    way = np.concatenate([np.zeros(30), np.linspace(0.0, 3.0, 61), np.full(30, 3.0)])
    target = targets.timed(np.stack([np.zeros(len(way)), -way], axis=1), 30.0)
    np.testing.assert_allclose(target.facing, -np.pi / 2, atol=1e-6)


def test_a_target_that_jumps_stays_or_is_too_short_is_refused() -> None:
    way = np.stack([np.linspace(0.0, 3.0, 61), np.zeros(61)], axis=1)
    jumping = way + np.where(np.arange(61) > 30, 4.0, 0.0)[:, None]
    with pytest.raises(InertiaError, match=r"jumps by .* at 1\.00 s"):
        targets.timed(jumping, 30.0)
    with pytest.raises(InertiaError, match="nothing to follow"):
        targets.timed(way * 0.0, 30.0)
    with pytest.raises(InertiaError, match="a second or more"):
        targets.timed(way[:3], 30.0)


def test_errors_count_as_the_square_of_ten_centimetres_and_fifteen_degrees() -> None:
    way = np.stack([np.linspace(0.0, 3.0, 61), np.zeros(61)], axis=1)
    target = targets.timed(way, 30.0, facing=np.zeros(61))
    places = way[[10, 20]] + (0.0, 0.2)
    heading = np.radians([0.0, 30.0]) + 2.0 * np.pi
    error = target.error(places[None], heading[None], 5, np.array([5, 15]), np.zeros(1))
    np.testing.assert_allclose(error.position, 4.0)
    np.testing.assert_allclose(error.facing, [[0.0, 4.0]], atol=1e-9)
    behind = target.error(places[None], heading[None], 60, np.array([0, 15]), np.zeros(1))
    assert behind.position[0, 1] == 0.0
    free = targets.timed(way, 30.0, free=True)
    assert not free.error(places[None], heading[None], 5, np.array([5, 15]), np.zeros(1)).facing.any()


def test_along_a_line_the_nearest_point_that_is_not_behind_counts() -> None:
    target = Untimed(targets.line([(0.0, 0.0), (4.0, 0.0), (4.0, 0.5), (0.0, 0.5)]), 30.0)
    ground = np.array([[(1.0, 0.1), (1.2, 0.1), (1.1, 0.1)]])
    error = target.error(ground, np.zeros((1, 3)), 0, np.array([3, 6, 9]), np.array([0.9]))
    # the way back, half a metre aside, is not near along the line, and nobody goes backwards
    np.testing.assert_allclose(error.progress, [[1.0, 1.2, 1.2]], atol=0.011)
    np.testing.assert_allclose(error.position[0, :2], 1.0, atol=0.02)
