# SPDX-License-Identifier: GPL-3.0-or-later
"""Goals are met in time, nobody goes back, and who waits stands."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.interpolate import PchipInterpolator

from inertia_addon.errors import InertiaError
from inertia_addon.motion.arrays import smooth
from inertia_addon.motion.matching import clip_sequence, goals, targets
from inertia_addon.motion.matching.clip_sequence import Route
from inertia_addon.motion.matching.goals import GoalGait, timing
from inertia_addon.settings.matching import Goal

FPS = 60.0
LINE = np.array([(0.0, 0.0), (4.0, 0.0), (4.0, 6.0)])
LENGTH = 10.0


@st.composite
def several(draw: st.DrawFn) -> list[Goal]:
    """Goals in time and in order, some of them where the one before is."""
    count = draw(st.integers(1, 5))
    times = np.cumsum([draw(st.integers(0, 120)), *(draw(st.integers(6, 240)) for _ in range(count - 1))])
    places = np.cumsum([draw(st.sampled_from([0.0, 0.3, 1.7])) for _ in range(count)])
    assume(times[0] > 0 or places[0] >= 0.0)
    return [Goal(float(at), float(when) / FPS) for at, when in zip(places, times, strict=True)]


@settings(max_examples=30, deadline=None)
@given(asked=several(), seed=st.integers(0, 99))
def test_a_follower_is_at_each_goal_and_never_goes_back(asked: list[Goal], seed: int) -> None:
    shuffled = [asked[i] for i in np.random.default_rng(seed).permutation(len(asked))]
    found = timing(shuffled, LINE, FPS, GoalGait(1.4))
    assert np.diff(found.places).min(initial=0.0) >= -1e-9
    for goal in asked:
        np.testing.assert_allclose(np.interp(goal.seconds, found.seconds, found.places), goal.at, atol=1e-9)
    for before, after in itertools.pairwise(asked):
        if after.at == before.at:
            meanwhile = (found.seconds >= before.seconds) & (found.seconds <= after.seconds)
            assert np.ptp(found.places[meanwhile]) < 1e-9
    # the line is followed to its end, but for less than a frame
    fastest = np.diff(found.places).max(initial=0.0)
    assert LENGTH - found.places[-1] <= fastest + 1e-6


@settings(max_examples=30, deadline=None)
@given(
    gaps=st.lists(st.floats(0.1, 4.0), min_size=2, max_size=6),
    rises=st.lists(st.sampled_from([0.0, 0.2, 1.0, 3.0]), min_size=6, max_size=6),
)
def test_the_cubic_is_as_monotone_as_one_that_is_known(gaps: list[float], rises: list[float]) -> None:
    x = np.concatenate([[0.0], np.cumsum(gaps)])
    y = np.concatenate([[0.0], np.cumsum(rises[: len(gaps)])])
    at = np.linspace(0.0, x[-1], 201)
    inner = goals.monotone(x, y, at)
    known = PchipInterpolator(x, y)
    # the two differ in how they begin and end alone
    middle = (at >= x[1]) & (at <= x[-2])
    np.testing.assert_allclose(inner[middle], known(at[middle]), atol=1e-9)
    assert np.diff(inner).min() >= -1e-9


def test_a_waiting_character_faces_where_it_is_told_to_and_then_where_the_line_goes() -> None:
    asked = [Goal(3.0, 2.0, 90.0), Goal(3.0, 4.0)]
    found = timing(asked, LINE, FPS, GoalGait(1.4))
    assert found.facing is not None
    facing = np.degrees(np.interp([0.5, 2.0, 3.0, 4.0, 5.2], found.seconds, found.facing))
    np.testing.assert_allclose(facing, [0.0, 90.0, 90.0, 90.0, 0.0], atol=0.5)
    assert timing([Goal(3.0, 2.0)], LINE, FPS, GoalGait(1.4)).facing is None


def test_the_pace_behind_the_last_goal_is_kept_or_is_the_one_asked_for() -> None:
    for pace, wanted in ((None, 1.5), (2.5, 2.5)):
        found = timing([Goal(3.0, 2.0)], LINE, FPS, GoalGait(1.4), pace)
        np.testing.assert_allclose(found.seconds[-1], 2.0 + 7.0 / wanted, atol=1.0 / FPS)
    waiting = timing([Goal(0.0, 2.0)], LINE, FPS, GoalGait(1.4))
    np.testing.assert_allclose(waiting.seconds[-1], 2.0 + LENGTH / 1.4, atol=1.0 / FPS)


def test_a_character_with_more_time_than_the_clips_need_waits_first() -> None:
    found = timing([Goal(3.0, 6.0)], LINE, FPS, GoalGait(1.5, 0.8))
    # 3 m take 2 s at the usual pace, and a little more to set out
    assert np.interp(3.6, found.seconds, found.places) == pytest.approx(0.0, abs=1e-9)
    assert np.interp(6.0, found.seconds, found.places) == pytest.approx(3.0, abs=1e-9)
    assert (np.diff(found.places) * FPS).max() < 1.25 * 1.5
    # and on at about that pace
    assert found.seconds[-1] == pytest.approx(6.0 + 7.0 / 1.25, abs=1.0 / FPS)
    # where no clip stands, nobody waits
    even = timing([Goal(3.0, 6.0)], LINE, FPS, GoalGait(1.5))
    assert np.interp(3.0, even.seconds, even.places) == pytest.approx(1.5, abs=1e-6)


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ([Goal(12.0, 2.0)], "A goal is 12.00 m along the path, which is 10.00 m long; "),
        ([Goal(1.0, 2.0), Goal(2.0, 2.0)], "Two goals are at 2.00 s; "),
        ([Goal(2.0, 2.0), Goal(1.0, 3.0)], "1.00 m behind that at 2.00 s, and nobody goes back"),
    ],
)
def test_goals_that_can_not_be_met_are_told(asked: list[Goal], sentence: str) -> None:
    with pytest.raises(InertiaError) as said:
        timing(asked, LINE, FPS, GoalGait(1.4))
    assert sentence in str(said.value)


@settings(max_examples=20, deadline=None)
@given(x=st.floats(-1.0, 6.0), y=st.floats(-2.0, 8.0))
def test_the_place_of_a_point_is_that_of_the_nearest_one(x: float, y: float) -> None:
    place = goals.place_of(LINE, np.array([x, y]))
    ways = np.linspace(0.0, LENGTH, 5001)
    away = np.linalg.norm(goals.on_line(LINE, ways) - (x, y), axis=1)
    there = np.linalg.norm(goals.on_line(LINE, np.array([place])) - (x, y))
    assert there <= away.min() + 1e-9


def test_a_warp_takes_all_of_the_drift_out_at_goals() -> None:
    rng, count = np.random.default_rng(4), 600
    ground = np.cumsum(rng.normal(0.02, 0.01, (count, 2)), axis=0)
    aim = targets.timed(np.column_stack([np.linspace(0.0, 12.0, count), np.zeros(count)]), FPS)
    way = Route((), 0.0, np.zeros(count, np.int64), ground, rng.normal(0.0, 0.1, count))
    at = [0, 100, 160, 400, 599, 9999]
    moved = clip_sequence.warp_towards(way, aim, FPS, goals=at)
    there = clip_sequence.warped(way, moved)
    np.testing.assert_allclose(there.ground[at[:-1]], aim.ground[at[:-1]], atol=1e-6)
    # on the way it sways, and faces as asked on average over a stride
    aside = clip_sequence.turned_aside(aim.ground, aim.facing, way.heading, FPS)[at[:-1]]
    np.testing.assert_allclose(moved.turn[at[:-1]], aside, atol=1e-6)
    assert np.abs(smooth(aim.facing - there.heading, clip_sequence.STRIDE * FPS)[at[1:-2]]).max() < 0.02
    still = clip_sequence.warp_towards(way, aim, FPS)
    # elsewhere it is what it was
    np.testing.assert_allclose(moved.shift[270:280], still.shift[270:280], atol=1e-3)
    assert np.abs(clip_sequence.warp_towards(way, aim, FPS, 0.0, at).shift).max() == 0.0


@pytest.mark.parametrize(
    ("along", "aside"),
    [(0.0, (0.0, 0.0)), (1.5, (0.0, 0.3)), (6.0, (0.7, 0.0)), (11.0, (0.0, -0.4)), (14.0, (-1.0, 0.0))],
)
def test_a_place_of_a_line_is_the_nearest_to_a_point_beside_it(
    along: float, aside: tuple[float, float]
) -> None:
    line = np.array([(1.0, 0.0), (5.0, 0.0), (5.0, 6.0), (1.0, 6.0)])
    (point,) = goals.on_line(line, np.array([along]))
    assert goals.place_of(line, point + aside) == pytest.approx(along)
