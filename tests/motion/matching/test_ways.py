# SPDX-License-Identifier: GPL-3.0-or-later
"""Drift is taken out smoothly, and what the clips lack is said before."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inertia_addon.motion.matching import clip_sequence, coverage, targets
from inertia_addon.motion.matching.clip_sequence import Route
from inertia_addon.motion.matching.targets import Timed, Untimed
from tests.motion.made_up_walks import FPS, some, walk
from tests.motion.matching.test_detours import outline


def drifting() -> tuple[Route, Timed]:
    """A way that drifts aside slowly, and turns away, from a straight target."""
    time = np.arange(151) / FPS
    straight = np.stack([1.4 * time, 0.0 * time], axis=1)
    way = Route((), 0.0, np.zeros(151, np.int64), straight + np.stack([0 * time, 0.1 * time], 1), 0.1 * time)
    return way, targets.timed(straight, FPS, facing=np.zeros(151))


def test_a_slow_drift_is_gone_and_half_of_it_where_half_is_asked_for() -> None:
    way, target = drifting()
    mended = clip_sequence.warped(way, clip_sequence.warp_towards(way, target, FPS))
    np.testing.assert_allclose(mended.ground, target.ground, atol=1e-6)
    np.testing.assert_allclose(mended.heading, 0.0, atol=1e-6)
    half = clip_sequence.warped(way, clip_sequence.warp_towards(way, target, FPS, 0.5))
    np.testing.assert_allclose(half.ground - target.ground, 0.5 * (way.ground - target.ground), atol=1e-6)


@pytest.mark.parametrize(("degrees", "turned"), [(-20.0, 20.0), (29.5, -29.5), (30.5, -30.0), (-120.0, 30.0)])
def test_a_way_that_faces_further_away_than_thirty_degrees_is_turned_by_no_more(
    degrees: float, turned: float
) -> None:
    way, target = drifting()
    way = dataclasses.replace(way, heading=np.full(way.frames, np.radians(degrees)))
    np.testing.assert_allclose(
        np.degrees(clip_sequence.warp_towards(way, target, FPS).turn), turned, atol=1e-9
    )


def test_matrices_of_a_warped_way_move_the_character_as_it_says() -> None:
    way, target = drifting()
    made = clip_sequence.warp_towards(way, target, FPS)
    here = np.column_stack([way.ground, np.zeros(151), np.ones(151)])
    moved = np.einsum("nij,nj->ni", made.matrices(), here)
    np.testing.assert_allclose(moved[:, :2], way.ground + made.shift, atol=1e-9)
    np.testing.assert_allclose(np.arctan2(made.matrices()[:, 1, 0], made.matrices()[:, 0, 0]), made.turn)


def test_along_a_line_it_is_the_nearest_point_that_draws() -> None:
    way, _ = drifting()
    line = targets.line([(0.0, 0.0), (7.0, 0.0)])
    mended = clip_sequence.warped(way, clip_sequence.warp_towards(way, Untimed(line, FPS), FPS))
    np.testing.assert_allclose(mended.ground[:, 1], 0.0, atol=1e-3)
    np.testing.assert_allclose(mended.ground[:, 0], way.ground[:, 0], atol=0.03)


def test_speeds_that_the_clips_lack_are_said() -> None:
    base = some(tracks=[walk("slow", 1.0, 0.1), walk("run", 3.0, 0.1)], mirror=False)
    had = coverage.speeds_of(base)
    assert [pytest.approx(pair, abs=0.11) for pair in had] == [(1.0, 1.0), (3.0, 3.0)]
    time = np.arange(301) / FPS
    speed = np.where((time > 3.0) & (time < 6.0), 2.0, 1.0)
    way = np.cumsum(speed) / FPS
    target = targets.timed(np.stack([way, 0.0 * way], axis=1), FPS)
    found = coverage.compare(base, target)
    (missed,) = found.missed
    assert (missed.first, missed.last) == (pytest.approx(3.0, abs=0.3), pytest.approx(6.0, abs=0.3))
    (sentence,) = found.sentences()
    assert "asks for 2.0 m/s" in sentence
    quick = targets.timed(np.stack([5.0 * time, 0.0 * time], axis=1), FPS)
    assert coverage.compare(base, quick).missed[0].speed == pytest.approx(5.0, abs=0.01)
    easy = targets.timed(np.stack([1.02 * time, 0.0 * time], axis=1), FPS)
    assert not coverage.compare(base, easy).missed
    # who goes over from one speed to another in less than a second only passes what lies between
    for seconds, said in ((0.4, False), (3.0, True)):
        rising = np.interp(time, [3.0, 3.0 + seconds], [1.0, 3.0])
        way = np.cumsum(rising) / FPS
        quickening = targets.timed(np.stack([way, 0.0 * way], axis=1), FPS)
        assert bool(coverage.compare(base, quickening).missed) == said


@given(
    st.floats(0.5, 7.0),
    st.floats(-0.6, 0.6),
    st.floats(0.05, 0.6),
    st.integers(1, 8),
    st.floats(0.2, 0.8),
    st.floats(0.5, 5.0),
)
def test_a_way_is_pushed_off_what_it_comes_too_near_to_and_nowhere_else(
    x: float, y: float, radius: float, corners: int, away: float, speed: float
) -> None:
    time = np.arange(300) / FPS
    ground = np.column_stack([speed * time, 0.1 * np.sin(time)])
    post, still = outline(x, y, radius, corners), np.zeros((300, 2))
    before = clip_sequence.Warp(ground, np.zeros(300), still)
    after = clip_sequence.keep_away(before, ground, [post], away, FPS)
    kept = (1.0 + clip_sequence.SWAY) * away
    near = post.depths(ground, kept)[0] > 0.0
    assert post.distances(ground + after.shift).min() >= kept - 2.0 * clip_sequence.NEARER
    if not near.any():
        assert not after.shift.any()
    # what is a few seconds off is not moved
    frames = np.arange(300)
    far = (
        np.abs(frames[:, None] - np.flatnonzero(near)).min(axis=1, initial=300)
        > 4.5 * clip_sequence.SECONDS * FPS
    )
    assert np.abs(after.shift[far]).max(initial=0.0) < 1e-3


def test_a_way_between_two_walls_that_are_too_close_stays_in_the_middle() -> None:
    time = np.arange(300) / FPS
    ground = np.column_stack([2.0 * time, 0.05 * np.ones(300)])
    walls = [outline(3.0, side, 0.2, 8) for side in (-0.5, 0.5)]
    after = clip_sequence.keep_away(
        clip_sequence.Warp(ground, np.zeros(300), np.zeros((300, 2))), ground, walls, 0.5, FPS
    )
    near = [wall.distances(ground + after.shift).min() for wall in walls]
    assert min(near) > 0.25
    assert abs(after.shift).max() < 0.3
