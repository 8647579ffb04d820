# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet stand along a way when its clips say so; at joins they stay, or step over first."""

from __future__ import annotations

import numpy as np
import pytest

from inertia_addon.motion.feet import handover
from inertia_addon.motion.matching import clip_sequence

FPS, LENGTH = 60.0, 1.0


def flags(*spans: tuple[int, int], count: int = 100) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    found = np.zeros(count, bool)
    for first, last in spans:
        found[first : last + 1] = True
    return found


def walked(
    away: float, join: int = 30, count: int = 100
) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """Where a foot is that a join moves by so much at once."""
    points = np.zeros((count, 3))
    points[join:, 0] = away
    return points


@pytest.mark.parametrize("speed", [0.0, 1.5])
def test_away_from_joins_a_foot_stands_as_its_clip_says_however_the_warp_moves_it(speed: float) -> None:
    points = np.linspace(0.0, speed * 100 / FPS, 100)[:, None] * (1.0, 0.0, 0.0)
    found = clip_sequence.stands(flags((10, 30), (50, 70), (80, 82)), [0], points, LENGTH, FPS)
    # what is shorter than a foot stands is no plant
    assert found == [(10, 30), (50, 70)]


def test_over_a_join_it_stays_where_it_is_nearby() -> None:
    assert clip_sequence.stands(flags((10, 60)), [0, 30], walked(0.2), LENGTH, FPS) == [(10, 60)]


def test_over_a_join_it_steps_to_what_is_further_off_and_stands_then() -> None:
    away = 0.5
    found = clip_sequence.stands(flags((10, 80)), [0, 30], walked(away), LENGTH, FPS)
    assert [found[0], found[1][1]] == [(10, 29), 80]
    assert (found[1][0] - 29) / FPS == pytest.approx(
        handover.estimate_step_seconds(away, LENGTH), abs=1.0 / FPS
    )


def test_a_foot_does_not_stand_for_too_short_to_arrive() -> None:
    assert clip_sequence.stands(flags((10, 40)), [0, 30], walked(0.9), LENGTH, FPS) == [(10, 29)]


def test_a_foot_that_swings_at_the_join_lands_where_the_next_clip_stands() -> None:
    found = clip_sequence.stands(flags((5, 15), (30, 60)), [0, 30], walked(0.9), LENGTH, FPS)
    assert found == [(5, 15), (30, 60)]
