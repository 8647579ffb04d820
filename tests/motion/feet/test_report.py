# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures of made-up feet: how far they skate and sink."""

from __future__ import annotations

import numpy as np
import pytest

from inertia_addon.motion.feet import contacts
from inertia_addon.motion.feet.contacts import FootTrack, Span

FPS = 20.0
FRAMES = np.arange(1.0, 41.0)
LOW = 0.02


def foot(way: np.ndarray, high: np.ndarray | float = 0.0) -> np.ndarray:
    return np.column_stack([way, 0.0 * way, high + 0.0 * way])


def test_a_low_foot_skates_by_its_way_over_the_ground() -> None:
    # 0.5 m/s until frame 11, then at rest until 21, then quick
    way = np.cumsum(np.where(FRAMES <= 11.0, 0.5, np.where(FRAMES <= 21.0, 0.0, 3.0))) / FPS
    found = contacts.figures_of_foot(FootTrack("Foot", foot(way), FRAMES, FPS, [Span(6.0, 18.0)]), LOW)
    # it never leaves the ground
    assert found.skate_m == pytest.approx(way[-1] - way[0])
    assert found.skate_speed == pytest.approx((way[-1] - way[0]) / (39.0 / FPS))
    assert found.penetration_p95_m == 0.0
    # planted it goes on only until frame 11
    assert found.stance_m == pytest.approx(0.5 * 5.0 / FPS)
    # on ground that passes by as fast, it is the rest that skates
    passing = contacts.figures_of_foot(
        FootTrack("Foot", foot(way), FRAMES, FPS, [Span(6.0, 18.0)]), LOW, np.array([0.5, 0.0])
    )
    assert passing.skate_m == pytest.approx(np.abs(np.diff(way) - 0.5 / FPS).sum())
    assert passing.stance_m == pytest.approx(0.5 * 7.0 / FPS)
    assert found.as_dict()["spans"] == [[6.0, 18.0]]


def test_a_foot_that_is_never_low_has_no_speed() -> None:
    found = contacts.figures_of_foot(FootTrack("Foot", foot(FRAMES, FRAMES), FRAMES, FPS, []), LOW)
    assert found.skate_m == found.stance_m == 0.0
    assert found.skate_speed is found.penetration_p95_m is None


def test_below_the_ground_is_lower_than_the_plants_around() -> None:
    high = np.where(FRAMES < 20.0, 0.2, 0.5)
    high[9:12] = 0.15
    deep = contacts.penetrations(high, FRAMES, [Span(1.0, 5.0), Span(25.0, 40.0)])
    assert deep is not None
    # up a step: between two plants the lower one is what is known
    np.testing.assert_allclose(deep, np.where((FRAMES > 9.5) & (FRAMES < 12.5), 0.05, 0.0), atol=1e-12)
