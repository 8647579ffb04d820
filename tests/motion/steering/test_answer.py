# SPDX-License-Identifier: GPL-3.0-or-later
"""How wishes are answered, beside formulas that are written here: the filter that snaps, the gait's speeds,
and how a character and its point are drawn to each other."""

from __future__ import annotations

import cmath
import dataclasses
import functools
import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inertia_addon.errors import InertiaError
from inertia_addon.motion.decay.decay import Method
from inertia_addon.motion.matching import features
from inertia_addon.motion.matching.moves import SearchSettings
from inertia_addon.motion.steering import fitted, session
from inertia_addon.motion.steering.fitted import FittedGait
from inertia_addon.motion.steering.point import KEPT, Lead, Point
from inertia_addon.motion.steering.steering import Moment, Steering
from inertia_addon.motion.steps import finish
from inertia_addon.settings.steering import SteerSettings, Wish
from tests.motion.made_up_walks import FPS, some

ANY_SPEED = FittedGait(0.27, 0.3, ((0.0, 100.0),))
RATES = st.sampled_from([24.0, 30.0, 60.0])
HALF_LIVES = st.floats(0.02, 1.0)
SPEEDS = st.floats(-5.0, 5.0)
PLACES = st.floats(-2.0, 2.0)


def lead(fps: float = FPS, size: float = 1.0, **how: Any) -> Lead:
    return Lead(ANY_SPEED, size, fps, SteerSettings(**how))


def told(own: Lead, wishes: Sequence[Wish], facing: float = 0.0) -> list[tuple[Point, bool]]:
    """What a point that stands, facing so, is told by a wish a frame."""
    now, seen = Point.at_rest(np.zeros(2), facing), []
    for wish in wishes:
        now, snaps = own.redirected(now, wish)
        seen.append((now, snaps))
    return seen


def step_of_spring(half_life: float, seconds: float) -> float:
    """Where a critically damped spring is that has set out from 0 to 1, at rest."""
    y = 2.0 * math.log(2.0) / half_life
    return 1.0 - (1.0 + y * seconds) * math.exp(-y * seconds)


# --- the filter


@given(RATES, HALF_LIVES, SPEEDS, SPEEDS, st.integers(1, 60))
def test_half_of_what_is_wished_is_missing_after_a_half_life(
    fps: float, half_life: float, x: float, y: float, frames: int
) -> None:
    own = lead(fps, filter_half_life=half_life, snap_speed=10.0)
    seen = told(own, [Wish(0, x, y, 0.0)] * frames)
    gone = 1.0 - 0.5 ** (frames / fps / half_life)
    assert np.allclose(seen[-1][0].asked, gone * np.array([x, y]), atol=frames * KEPT)
    assert not any(snaps for _, snaps in seen)


@given(st.lists(st.tuples(SPEEDS, SPEEDS), min_size=1, max_size=30), HALF_LIVES, st.floats(0.05, 3.0))
def test_the_filtered_wish_is_never_further_away_than_it_snaps_from(
    wished: list[tuple[float, float]], half_life: float, near: float
) -> None:
    own, before = lead(filter_half_life=half_life, snap_speed=near), np.zeros(2)
    for (x, y), (point, snaps) in zip(
        wished, told(own, [Wish(0, x, y, 0.0) for x, y in wished]), strict=True
    ):
        away = np.linalg.norm((x, y) - before)
        assert snaps == (away > near)
        left = np.linalg.norm((x, y) - point.wished)
        assert left == pytest.approx(0.0 if snaps else away * 0.5 ** (1.0 / FPS / half_life), abs=1e-6)
        before = point.wished


@given(st.floats(-179.0, 179.0), st.floats(-400.0, 400.0), HALF_LIVES, st.floats(1.0, 179.0))
def test_a_facing_is_filtered_the_short_way_round_and_snaps(
    facing: float, wished: float, half_life: float, near: float
) -> None:
    own = lead(filter_half_life=half_life, snap_angle=near)
    ((point, snaps),) = told(own, [Wish(0, 0, 0, wished)], math.radians(facing))
    aside = math.degrees(cmath.phase(cmath.exp(1j * math.radians(wished - facing))))
    assert snaps == (abs(aside) > near)
    gone = 1.0 if snaps else 1.0 - 0.5 ** (1.0 / FPS / half_life)
    assert cmath.exp(1j * point.goal) == pytest.approx(
        cmath.exp(1j * math.radians(facing + gone * aside)), abs=1e-6
    )


def test_a_character_that_is_to_stand_does_so_with_clips_that_never_do() -> None:
    own = Lead(FittedGait(0.27, 0.3, ((1.0, 2.0),)), 1.0, FPS, SteerSettings(filter_half_life=0.1))
    seen = told(own, [Wish(0, 1.0, 0.0)] * 30 + [Wish(0, 0.0, 0.0)] * 30)
    speeds = [float(np.linalg.norm(point.asked)) for point, _ in seen]
    assert speeds[29] == pytest.approx(1.0)
    left = [0.5 ** ((frame + 1) / FPS / 0.1) for frame in range(30)]
    assert speeds[30:] == pytest.approx(left, abs=0.01)


def test_a_wish_without_a_filter_is_asked_for_as_it_is() -> None:
    ((point, snaps),) = told(lead(), [Wish(0, 3.0, -1.0, 90.0)])
    assert (point.asked.tolist(), point.goal, snaps) == ([3.0, -1.0], math.pi / 2.0, False)


# --- the gait

PUBLISHED = {
    "walk_forward": 1.75,
    "walk_side": 1.5,
    "walk_back": 1.25,
    "run_forward": 4.0,
    "run_side": 3.0,
    "run_back": 2.5,
}


def test_a_gait_has_the_published_speeds_unless_others_are_set() -> None:
    own = SteerSettings()
    assert {name: getattr(own, name) for name in PUBLISHED} == PUBLISHED
    assert own.gait_half_life == 0.1


@given(st.floats(0.0, 2.0), st.floats(-math.pi, math.pi), st.floats(-math.pi, math.pi))
def test_a_stick_wishes_the_speed_ahead_sideways_and_back_of_its_gait(
    length: float, way: float, facing: float
) -> None:
    own, stick = lead(wished_as="STICK", gait_half_life=0.001), cmath.rect(length, way)
    point = told(own, [Wish(0, stick.real, stick.imag, 0.0)] * 3, facing)[-1][0]
    run, size = max(length - 1.0, 0.0), min(length, 1.0)
    ahead, side, back = (
        PUBLISHED[f"walk_{name}"] * (1.0 - run) + PUBLISHED[f"run_{name}"] * run
        for name in ("forward", "side", "back")
    )
    seen = cmath.rect(size, way - facing)
    wanted = complex(seen.real * (ahead if seen.real > 0.0 else back), seen.imag * side)
    assert complex(*point.asked) == pytest.approx(wanted * cmath.exp(1j * facing), abs=1e-5)
    if length:
        assert abs(wanted) <= own.how.fastest(Wish(0, stick.real, stick.imag)) + 1e-9


@given(RATES, HALF_LIVES, st.integers(1, 40))
def test_a_gait_changes_as_a_spring_that_is_critically_damped(
    fps: float, half_life: float, frames: int
) -> None:
    own = lead(fps, wished_as="STICK", gait_half_life=half_life)
    point = told(own, [Wish(0, 2.0, 0.0)] * frames)[-1][0]
    assert point.gait == pytest.approx(step_of_spring(half_life, frames / fps), abs=1e-4)


def test_a_stick_that_is_too_long_is_refused_and_a_speed_is_not() -> None:
    SteerSettings().check([Wish(0, 3.2, 0.0)])
    with pytest.raises(InertiaError, match="has a length of 2 at most: 1 walks, and 2 runs"):
        SteerSettings(wished_as="STICK").check([Wish(0, 2.0, 0.0), Wish(1, 1.8, 1.2)])


# --- the springs of the point


@given(HALF_LIVES, HALF_LIVES, st.integers(1, 40))
def test_the_point_answers_by_half_lives_that_are_set(speed: float, turn: float, frames: int) -> None:
    own = lead(velocity_half_life=speed, turning_half_life=turn, adjust=False, clamp=False)
    point, _ = told(own, [Wish(0, 2.0, 0.0, 60.0)])[0]
    ground, heading = np.zeros(2), 0.0
    for _ in range(frames):
        ground, heading, point = own.drawn(point, ground, heading, np.zeros(2), 0.0)
    seconds = frames / FPS
    assert point.velocity == pytest.approx([2.0 * step_of_spring(speed, seconds), 0.0], abs=1e-4)
    assert point.facing == pytest.approx(math.radians(60.0) * step_of_spring(turn, seconds), abs=1e-4)
    # neither is drawn to the other
    assert (ground.tolist(), heading) == ([0.0, 0.0], 0.0)


# --- the character and its point


def standing(x: float, y: float, facing: float) -> Point:
    return Point.at_rest(np.array([x, y]), facing)


@given(PLACES, PLACES, st.floats(-3.0, 3.0), HALF_LIVES, HALF_LIVES, st.integers(1, 20))
def test_a_character_drawn_by_any_part_of_its_way_comes_by_the_half_lives(
    x: float, y: float, facing: float, half_life: float, turning: float, frames: int
) -> None:
    # it steps on the spot, which is a way, too
    own = lead(
        adjust_part=100.0,
        adjust_turn_part=100.0,
        adjust_half_life=half_life,
        adjust_turn_half_life=turning,
        pull_half_life=60.0,
        clamp=False,
    )
    point, ground, heading = standing(x, y, facing), np.zeros(2), 0.0
    for frame in range(frames):
        back = 1.0 if frame % 2 else -1.0
        ground, heading, _ = own.drawn(point, ground, heading, np.array([back, 0.0]) * 0.05, back * 0.1)
    left, turns = 0.5 ** (frames / FPS / half_life), 0.5 ** (frames / FPS / turning)
    # a step back and forth decays with what is drawn
    assert np.linalg.norm(point.place - ground) == pytest.approx(
        left * math.hypot(x, y), abs=0.05 + frames * KEPT
    )
    assert abs(facing - heading) == pytest.approx(turns * abs(facing), abs=0.1 + frames * KEPT)


@given(PLACES, PLACES, PLACES, PLACES, st.floats(0.0, 2.0), st.floats(0.3, 2.0))
def test_a_character_is_drawn_by_no_more_than_the_part_of_its_own_way(
    x: float, y: float, forth: float, aside: float, part: float, size: float
) -> None:
    own, way = lead(size=size, adjust_part=part), np.array([forth, aside]) * 0.05
    ground, _, _ = own.drawn(standing(x, y, 0.0), np.zeros(2), 0.0, way, 0.0)
    drawn = np.linalg.norm(ground - way)
    wanted = np.linalg.norm((x, y) - way) * (1.0 - 0.5 ** (1.0 / FPS / 0.2))
    assert drawn == pytest.approx(min(wanted, part * float(np.linalg.norm(way))), abs=1e-6)


def test_a_standing_character_is_not_drawn_and_one_not_to_be_drawn_goes_its_own_way() -> None:
    ground, heading, _ = lead().drawn(standing(1.0, 1.0, 1.0), np.zeros(2), 0.0, np.zeros(2), 0.0)
    assert (ground.tolist(), heading) == ([0.0, 0.0], 0.0)
    way = np.array([0.25, 0.5])
    ground, heading, _ = lead(adjust=False).drawn(standing(1.0, 1.0, 1.0), np.zeros(2), 0.0, way, 0.125)
    assert (ground.tolist(), heading) == (way.tolist(), 0.125)


@given(PLACES, PLACES, st.floats(-3.0, 3.0), st.floats(0.0, 1.0), st.floats(0.0, 180.0), st.floats(0.3, 2.0))
def test_the_point_stays_within_the_distance_and_the_angle(
    x: float, y: float, facing: float, near: float, angle: float, size: float
) -> None:
    own = lead(size=size, clamp_distance=near, clamp_angle=angle, pull_half_life=0.3)
    ground, heading, point = own.drawn(standing(x, y, facing), np.zeros(2), 0.0, np.zeros(2), 0.0)
    away = math.hypot(x, y) * 0.5 ** (1.0 / FPS / 0.3)
    assert np.linalg.norm(point.place - ground) == pytest.approx(min(away, near * size), abs=1e-6)
    assert abs(point.facing - heading) == pytest.approx(min(abs(facing), math.radians(angle)), abs=1e-6)
    free = dataclasses.replace(own, how=dataclasses.replace(own.how, clamp=False))
    ground, heading, point = free.drawn(standing(x, y, facing), np.zeros(2), 0.0, np.zeros(2), 0.0)
    assert np.linalg.norm(point.place - ground) == pytest.approx(away, abs=1e-6)
    assert point.facing == pytest.approx(facing, abs=1e-6)


@given(PLACES, PLACES, st.floats(-1.5, 1.5), st.floats(0.0, 1.0), PLACES, PLACES, st.floats(-1.0, 1.0))
def test_a_synchronised_character_is_where_its_point_is(
    x: float, y: float, facing: float, part: float, forth: float, aside: float, turn: float
) -> None:
    own, way = lead(synchronise=True, synchronise_part=part), np.array([forth, aside])
    ground, heading, point = own.drawn(standing(x, y, facing), np.zeros(2), 0.0, way, turn)
    assert np.array_equal(ground, point.place)
    assert ground == pytest.approx((1.0 - part) * np.array([x, y]) + part * way, abs=1e-6)
    assert heading == pytest.approx((1.0 - part) * facing + part * turn, abs=1e-6)
    assert point.facing == pytest.approx(heading, abs=1e-6)


# --- a whole take


@functools.cache
def led(**how: Any) -> Steering:
    base = some()
    found = features.compute(base, (1, 2), Method.SOFT, 0.4)
    searched = SearchSettings(width=8, jumps=3)
    return Steering(base, found, searched, fitted.gait_of(base), SteerSettings(**how))


def steered(own: Steering, rows: Sequence[Wish]) -> list[Moment]:
    return finish(session.steps(own, session.Wishes.of(rows, FPS), np.zeros(2), 0.0))


def trembling() -> list[Wish]:
    """A hand that wishes to walk on, and trembles; then to run."""
    shakes = [Wish(1.0 + 0.1 * i, 1.4 + 0.2 * (-1) ** i, 0.1 * (-1) ** (i // 2)) for i in range(10)]
    return [Wish(0, 0, 0), Wish(0.3, 1.4, 0), *shakes, Wish(2.0, 3.0, 0), Wish(2.4, 0, 0)]


def changes(moments: Sequence[Moment]) -> Any:
    """How much what is asked changes from moment to moment, metres a second."""
    return np.linalg.norm(np.diff([each.point.asked for each in moments], axis=0), axis=1)


def test_a_hand_that_trembles_wishes_nothing_new_and_who_runs_is_answered_at_once() -> None:
    plain, calm = steered(led(), trembling()), steered(led(filter_half_life=0.3), trembling())
    at = round(2.0 * FPS)
    shaken = slice(round(1.2 * FPS), at - 1)
    assert changes(calm)[shaken].max() < 0.2 * changes(plain)[shaken].max()
    # the wish is taken in the moment in which it is told, without a spring, and a clip is joined there
    assert calm[at].point.velocity == pytest.approx([3.0, 0.0], abs=0.01)
    assert np.linalg.norm(plain[at].point.velocity) < 1.7
    frames = [join.frame for join in calm[-1].joins]
    assert at in frames
    assert at not in [join.frame for join in plain[-1].joins]
    sources = led().database
    assert sources.sources[sources.part[calm[at].flat]].name == "run"


def test_moments_are_values_with_a_filter_and_a_gait_too() -> None:
    own = led(filter_half_life=0.2, wished_as="STICK", synchronise=True)
    rows = [Wish(0, 0, 0), Wish(0.3, 0.9, 0.0), Wish(1.2, 0.0, 1.9), Wish(2, 0, 0), Wish(2.4, 0, 0)]
    moments, asked = steered(own, rows), session.Wishes.of(rows, FPS)
    again = moments[:40]
    while len(again) < len(moments):
        again.append(own.step(again[-1], asked.at(len(again))))
    assert [each.flat for each in again] == [each.flat for each in moments]
    assert np.array_equal(again[-1].ground, moments[-1].ground)
    for each in moments[1:]:
        assert np.array_equal(each.ground, each.point.place)


def test_a_take_with_other_answers_stays_by_them() -> None:
    own = led(clamp_distance=0.05, adjust_part=0.1)
    moments = steered(own, trembling())
    away = [np.linalg.norm(each.ground - each.point.place) for each in moments]
    assert max(away) <= 0.05 * own.database.size + 1e-6
    for before, after in itertools.pairwise(moments):
        gone = np.linalg.norm(after.ground - before.ground)
        assert gone <= 1.1 * np.linalg.norm(after.moved[:2] - before.moved[:2]) + 1e-6


# --- what poses are compared by


@settings(max_examples=20)
@given(st.tuples(*[st.floats(0.1, 3.0)] * 5))
def test_feet_and_hips_count_what_they_are_given(given_: tuple[float, ...]) -> None:
    base, (place, speed, hips, moving, pose) = some(), given_
    weights = features.Weights(pose, 1.0, 1.5, place, speed, hips, moving, which=(0,))
    found = features.compute(base, (0, 1), Method.SOFT, 0.4, weights, features.POSITION_VELOCITY)
    wanted = {
        "left foot": (base.positions[:, 1], place * pose),
        "speed of left foot": (base.velocities[:, 1], speed * pose),
        "hips": (base.positions[:, 0], hips * pose),
        "speed of hips": (base.velocities[:, 0], moving * pose),
    }
    for name, (values, weight) in wanted.items():
        # in units of its own mean standard deviation
        spread = np.asarray(values, float).std(axis=0).mean()
        away = np.linalg.norm(found.values[40, found.group(name)] - found.values[7, found.group(name)])
        if spread >= features.VARIES:
            assert away == pytest.approx(
                weight * np.linalg.norm(values[40] - values[7]) / spread, rel=1e-3, abs=1e-5
            )
        else:
            assert found.group(name) == slice(0, 0)
