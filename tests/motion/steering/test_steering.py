# SPDX-License-Identifier: GPL-3.0-or-later
"""A character that is steered: it gets what is wished, stays with its point, and does the same again."""

from __future__ import annotations

import dataclasses
import functools
import itertools

import numpy as np
import pytest

from inertia_addon.errors import InertiaError
from inertia_addon.motion.decay.decay import Method
from inertia_addon.motion.matching import clip_sequence, features
from inertia_addon.motion.matching.moves import SearchSettings
from inertia_addon.motion.matching.targets import wrapped
from inertia_addon.motion.steering import fitted, session, steering
from inertia_addon.motion.steering.steering import Moment, Steering
from inertia_addon.motion.steps import finish
from inertia_addon.settings.matching import Ban, Pin
from inertia_addon.settings.steering import SteerSettings, Wish
from tests.motion.made_up_walks import FPS, some, walk

ROWS = (Wish(0, 0, 0), Wish(0.5, 1.375, 0), Wish(2.5, 0, 1.375), Wish(4.5, 0, 0), Wish(6, 0, 0))


@functools.cache
def led(pins: tuple[Pin, ...] = (), bans: tuple[Ban, ...] = ()) -> Steering:
    base = some()
    found = features.compute(base, (1, 2), Method.SOFT, 0.4)
    return Steering(base, found, SearchSettings(width=8, jumps=3, pins=pins, bans=bans), fitted.gait_of(base))


def steered(own: Steering, rows: tuple[Wish, ...] = ROWS) -> list[Moment]:
    asked = session.Wishes.of(rows, FPS)
    return finish(session.steps(own, asked, np.array([2.0, -1.0]), 0.5))


@functools.cache
def whole() -> list[Moment]:
    """Return the take of the usual wishes, with neither pins nor bans."""
    return steered(led())


def flat(moments: list[Moment]) -> list[int]:
    return [moment.flat for moment in moments]


def test_a_steered_character_begins_where_it_is_told_and_comes_to_what_is_wished() -> None:
    moments = whole()
    assert moments[0].ground.tolist() == [2.0, -1.0]
    assert moments[0].heading == 0.5
    for second, goal, facing in ((2.4, (1.375, 0.0), 0.0), (4.4, (0.0, 1.375), 90.0)):
        at = round(second * FPS)
        gone = (moments[at].ground - moments[at - 15].ground) * FPS / 15
        assert gone == pytest.approx(goal, abs=0.15)
        assert abs(np.degrees(wrapped(moments[at].heading - np.radians(facing)))) < 5.0
    assert np.linalg.norm(moments[-1].ground - moments[-15].ground) < 0.05


def test_the_point_and_the_character_stay_together() -> None:
    moments = whole()
    away = [np.linalg.norm(each.ground - each.point.place) for each in moments]
    assert max(away) <= SteerSettings().clamp_distance * led().database.size + 1e-6
    assert np.sqrt(np.mean(np.square(away))) < 0.1


def test_no_more_of_its_way_is_given_than_half_of_its_own() -> None:
    moments = whole()
    for before, after in itertools.pairwise(moments):
        own = np.linalg.norm(after.moved[:2] - before.moved[:2])
        gone = np.linalg.norm(after.ground - before.ground)
        assert gone <= (1.0 + SteerSettings().adjust_part) * own + 1e-6


def test_the_same_wishes_make_the_same_take_from_any_of_its_moments_on() -> None:
    moments = whole()
    assert flat(steered(led())) == flat(moments)
    asked, again = session.Wishes.of(ROWS, FPS), moments[: len(moments) // 2]
    while len(again) < len(moments):
        again.append(led().step(again[-1], asked.at(len(again))))
    assert flat(again) == flat(moments)
    assert np.array_equal(again[-1].ground, moments[-1].ground)


def test_a_moment_stays_as_it_is() -> None:
    now = whole()[40]
    before = now.flat, now.ground.copy(), now.joins
    for _ in range(30):
        led().step(now, Wish(0, -1, 0))
    assert (now.flat, now.joins) == (before[0], before[2])
    assert np.array_equal(now.ground, before[1])


def test_a_clip_plays_on_between_joins_which_are_not_too_near_to_each_other() -> None:
    moments, own = whole(), led()
    frames = [join.frame for join in moments[-1].joins]
    for before, after in itertools.pairwise(moments):
        assert after.flat == before.flat + 1 or after.frame in frames
    stood = np.array([own.database.sources[own.database.part[m.flat]].name for m in moments])
    assert "stand" in stood[-30:]
    gaps = np.diff(frames)
    assert gaps.min() >= own.moves.shortest // 2


def test_a_take_is_the_way_that_was_shown() -> None:
    moments = whole()
    take = steering.take(led(), moments)
    shown = clip_sequence.warped(take.way, take.warp)
    away = np.abs(shown.ground - [each.ground for each in moments]).max(axis=1)
    # the root decays from clip to clip when it is baked, which is told a little otherwise before
    begins = [join.frame for join in moments[-1].joins]
    blends = np.any([(i <= np.arange(len(away))) & (np.arange(len(away)) < i + 20) for i in begins], axis=0)
    assert away[blends].max() < 0.05
    assert away[~blends].max() < 0.015
    assert np.abs(wrapped(shown.heading - np.array([each.heading for each in moments]))).max() < 0.05
    assert np.array_equal(take.target.ground, [each.point.place for each in moments])


def test_a_pin_is_entered_when_it_is_due_and_what_is_forbidden_is_not_played() -> None:
    shorter = (*ROWS[:2], Wish(3, 0, 0))
    pinned = steered(led((Pin(2.5, "slow", 31.0),)), shorter)
    base = led().database
    at = round(2.5 * FPS)
    assert base.place(pinned[at].flat) == (base.sources[3], 31.0)
    assert flat(pinned)[: at - 20] == flat(whole())[: at - 20]
    without = steered(led((), (Ban("walk", 0.0, 100.0),)), shorter)
    assert "walk" in {base.place(each)[0].name for each in flat(whole())[: len(without)]}
    assert "walk" not in {base.place(each)[0].name for each in flat(without)}


def test_a_steered_character_faces_where_it_is_wished_to() -> None:
    rows = (Wish(0, 0, 0), Wish(0.3, 1.375, 0, 0), Wish(2, 1.375, 0, 0))
    assert steered(led(), rows)[-1].point.goal == 0.0
    turned = steered(led(), (Wish(0, 0, 0), Wish(0.3, 1.375, 0, 45), Wish(4, 1.375, 0, 45)))
    assert turned[-1].point.facing == pytest.approx(np.radians(45.0), abs=1e-3)


def test_speeds_that_no_clip_has_are_not_asked_for() -> None:
    gait = led().gait
    for speed in (0.0, 0.5, 1.4, 2.2, 3.0, 9.0):
        asked = np.linalg.norm(gait.attainable(np.array([0.6, 0.8]) * speed))
        assert any(low - 1e-9 <= asked <= high + 1e-9 for low, high in gait.speeds)
    assert gait.top == pytest.approx(3.0, abs=0.15)
    assert np.linalg.norm(gait.attainable(np.array([9.0, 0.0]))) == pytest.approx(gait.top)


@pytest.mark.parametrize("lasting", [0.2, 0.4])
def test_the_spring_is_that_of_the_clips(lasting: float) -> None:
    times = np.arange(150) / FPS
    y = 2.0 * np.log(2.0) / lasting
    late = np.maximum(times - 1.5, 0.0) * y
    speed = 2.0 * (1.0 - (1.0 + late) * np.exp(-late))
    track = walk("from a stand", 1.0, seconds=149 / FPS)
    place = np.concatenate([[0.0], np.cumsum(0.5 * (speed[1:] + speed[:-1]))]) / FPS
    for array in (track.positions, track.root_position[:, None]):
        array[..., 0] += (place - track.root_position[:, 0])[:, None]
    base = some(mirror=False, tracks=[track])
    # the root is smoothed by a tenth of a second
    assert fitted.gait_of(base).speed_seconds == pytest.approx(lasting, abs=0.07)


def test_the_last_of_wishes_at_the_same_frame_counts() -> None:
    asked = session.Wishes.of((Wish(0, 0, 0), Wish(1.0, 1, 0), Wish(1.001, 2, 0), Wish(3, 0, 0)), FPS)
    assert (asked.frames, asked.starts) == (91, (0, 30))
    assert asked.at(29).x == 0
    assert asked.at(30).x == asked.at(90).x == 2


def leaps() -> Steering:
    """A set with a clip that is a move."""
    tracks = [walk("stand", 0.0, 0.0, 2.0), walk("walk", 1.4, 0.02), walk("leap", 1.6, 0.0, 1.2, phase=0.5)]
    base = some(mirror=False, tracks=[*tracks, walk("left", 1.3, 0.8, facing=1.0)])
    found = features.compute(base, (1, 2), Method.SOFT, 0.4)
    return Steering(base, found, SearchSettings(width=12, jumps=4, moves=("leap",)), fitted.gait_of(base))


def test_a_move_is_played_soon_once_and_to_its_end_and_only_when_it_is_wished() -> None:
    own = leaps()
    rows = (Wish(0, 0, 0), Wish(0.5, 1.375, 0), Wish(1.5, 1.375, 0, None, "leap"), Wish(4, 1.375, 0))
    played = [own.database.place(each.flat)[0].name for each in steered(own, rows)]
    leap = [i for i, name in enumerate(played) if name == "leap"]
    asked = round(1.5 * FPS)
    assert asked <= leap[0] <= asked + round(steering.SOON * FPS)
    assert np.array_equal(leap, np.arange(leap[0], leap[-1] + 1))
    # but for what is left out at its beginning, and a step of the search at its end
    assert len(leap) / FPS > 1.2 - steering.SOON - 0.15
    assert played[-1] == "walk"
    without = steered(own, tuple(Wish(row.seconds, row.x, row.y) for row in rows))
    assert "leap" not in {own.database.place(each.flat)[0].name for each in without}


def test_the_entry_of_a_move_is_the_cheapest_that_is_near() -> None:
    own = leaps()
    moments = steered(own, (Wish(0, 1.375, 0), Wish(2, 1.375, 0, None, "leap"), Wish(4, 1.375, 0)))
    (join,) = (each for each in moments[-1].joins if own.database.place(each.entered)[0].name == "leap")
    first = int(own.database.starts[2])
    taken = own.moves.displacements(np.array([join.left]), np.array([join.entered]))[0]
    at_once = own.moves.displacements(np.array([moments[round(2 * FPS)].flat]), np.array([first]))[0]
    assert taken <= at_once + 1e-9


def test_a_move_that_is_no_clip_is_named() -> None:
    base = some()
    found = features.compute(base, (1, 2), Method.SOFT, 0.4)
    with pytest.raises(InertiaError, match='move "Fly" is not one of the clips: left, run, slow'):
        Steering(base, found, SearchSettings(moves=("Fly",)), fitted.gait_of(base))
    every = tuple(source.name for source in base.sources)
    with pytest.raises(InertiaError, match="All clips are moves"):
        Steering(base, found, SearchSettings(moves=every), fitted.gait_of(base))


def test_clips_that_are_too_short_to_be_steered_with_are_named_so() -> None:
    speeds = ((0.0, 0.0), (1.4, 0.1), (1.3, 0.8), (3.0, 0.3))
    base = some(tracks=[walk(f"{speed}", speed, turn, 0.5, speed) for speed, turn in speeds])
    found = features.compute(base, (1, 2), Method.SOFT, 0.4)
    with pytest.raises(InertiaError, match="No clip is long enough to be entered anywhere"):
        Steering(base, found, SearchSettings(), fitted.gait_of(base))


@pytest.mark.parametrize("since", [1, 4, 9])
def test_an_offset_decays_at_the_rate_that_its_places_show(since: int) -> None:
    own = led()
    now = dataclasses.replace(whole()[0], offset=np.array([0.3, -0.2, 0.4]), rate=np.array([0.1, 0.0, -0.3]))
    (before, _), (_, rate), (after, _) = (own._decayed(now, since + shift) for shift in (-1, 0, 1))
    np.testing.assert_allclose(rate, (after - before) * 0.5 * FPS, rtol=0.1, atol=0.01)
