# SPDX-License-Identifier: GPL-3.0-or-later
"""The search: the best of all ways where it may look at all, the same on every run, and what it is asked
for."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inertia_addon.errors import InertiaError
from inertia_addon.motion.arrays import Array
from inertia_addon.motion.decay.decay import Method, displacement
from inertia_addon.motion.matching import coverage, features, search, targets
from inertia_addon.motion.matching.clip_sequence import Route
from inertia_addon.motion.matching.database import Database
from inertia_addon.motion.matching.features import Features
from inertia_addon.motion.matching.moves import Moves, SearchSettings
from inertia_addon.motion.matching.targets import Timed, Untimed
from inertia_addon.motion.steps import finish
from inertia_addon.settings.matching import Ban, Pin
from tests.motion.made_up_walks import FPS, some, walk

FEW = 10.0
"""Frames a second where every way is tried."""


def of(base: Database) -> Features:
    return features.compute(base, (1, 2), Method.SOFT, 0.4)


def circle(radius: float = 2.0, speed: float = 1.3, seconds: float = 5.0, fps: float = FPS) -> Timed:
    angle = np.arange(round(seconds * fps) + 1) * speed / radius / fps
    return targets.timed(radius * np.stack([np.sin(angle), 1.0 - np.cos(angle)], axis=1), fps)


def narrow(**values: Any) -> SearchSettings:
    """A search that follows few ways, and decides seldom, which is quicker."""
    return SearchSettings(**{"width": 8, "jumps": 3, "step": 0.2, **values})


def rms(way: Route, target: Timed) -> float:
    return float(np.sqrt(np.mean(np.sum((way.ground - target.ground[: way.frames]) ** 2, axis=1))))


def same(one: Route, other: Route) -> bool:
    return one.joins == other.joins and one.cost == other.cost


# --- the best of all ways ---


def everything(how: SearchSettings) -> SearchSettings:
    """A search that leaves nothing out, and ranks by what it has cost alone."""
    return dataclasses.replace(how, width=10**7, jumps=10**4, cell=0.0, every=1, apart=1, ahead=0.0)


def best_of_all(base: Database, target: Timed, how: SearchSettings) -> float:
    """What the cheapest way costs, by trying every one, with complex numbers for the ground."""
    step = round(how.step * base.fps)
    want, facing = target.ground @ (1.0, 1.0j), target.facing
    ground = base.ground @ (1.0, 1.0j)
    every = np.arange(base.frames)
    last, (moving, turning) = base.last(every), base.rates(every)
    x, v = (a[:, None].astype(float) - a[None].astype(float) for a in (base.positions, base.velocities))
    joined = displacement(how.method, x, v, how.seconds).sum(axis=-1) @ base.weights * how.cost / base.size

    def entries(frame: int) -> Iterator[int]:
        for other in range(base.frames):
            near = abs(other - frame) <= round(how.reach * base.fps)
            if last[other] - other >= round(how.rest * base.fps) and not near:
                yield other

    def played(frame: int, angle: float, place: complex, now: int) -> float:
        spent = 0.0
        for k in range(1, step + 1):
            at = min(frame + k, int(last[frame]))
            over = (frame + k - at) / base.fps
            here = ground[at] + over * (moving[at] @ (1.0, 1.0j))
            turn = base.heading[at] + over * turning[at] + angle
            if now + k < target.frames:
                away = abs(here * np.exp(1j * angle) + place - want[now + k]) / 0.1
                aside = ((turn - facing[now + k] + np.pi) % (2 * np.pi) - np.pi) / np.radians(15.0)
                spent += away**2 + aside**2
        return float(spent) / base.fps

    def cheapest(frame: int, angle: float, place: complex, now: int) -> float:
        if now >= target.frames - 1:
            return 0.0
        found = np.inf
        if last[frame] - frame >= step:
            found = played(frame, angle, place, now)
            found += cheapest(frame + step, angle, place, now + step)
        stands, faces = ground[frame] * np.exp(1j * angle) + place, base.heading[frame] + angle
        for other in entries(frame):
            turn = faces - base.heading[other]
            there = stands - ground[other] * np.exp(1j * turn)
            spent = float(joined[frame, other]) + how.again * float(base.part[frame] == base.part[other])
            spent += played(other, turn, there, now)
            if spent < found:
                found = min(found, spent + cheapest(other + step, turn, there, now + step))
        return found

    starts = (f for f in range(base.frames) if last[f] - f >= round(how.rest * base.fps))
    turns = {frame: float(facing[0] - base.heading[frame]) for frame in starts}
    return min(
        cheapest(frame, turn, want[0] - ground[frame] * np.exp(1j * turn), 0) for frame, turn in turns.items()
    )


@pytest.mark.parametrize("cost", [2.0, 200.0])
def test_a_search_at_full_width_finds_the_best_of_all_ways(cost: float) -> None:
    tracks = [
        walk("walk", 1.4, 0.1, 0.9, fps=FEW),
        walk("left", 1.1, 1.2, 0.8, fps=FEW),
        walk("run", 2.5, 0.4, 0.7, fps=FEW, phase=2.0),
    ]
    base = some(FEW, mirror=False, tracks=tracks)
    target = circle(1.5, 1.2, 1.0, FEW)
    how = everything(SearchSettings(cost=cost, step=0.5, shortest=0.0, rest=0.5))
    way = finish(search.steps(base, of(base), target, how))
    assert way.cost == pytest.approx(best_of_all(base, target, how), rel=1e-9)
    narrow = dataclasses.replace(how, width=4)
    assert finish(search.steps(base, of(base), target, narrow)).cost >= way.cost - 1e-9


# --- what it finds ---


def test_a_search_follows_a_circle_better_than_a_games_and_with_fewer_joins() -> None:
    base, target = some(), circle(seconds=5.0)
    found = of(base)
    way, game = finish(search.steps(base, found, target)), search.greedy(base, found, target)
    assert way.frames == game.frames == target.frames
    assert rms(way, target) < 0.1
    assert rms(way, target) < 0.5 * rms(game, target)
    assert len(way.joins) <= len(game.joins)


@pytest.mark.parametrize("kind", [features.DISPLACEMENT, features.POSITION_VELOCITY])
def test_a_games_search_jumps_to_the_nearest_of_all_frames(
    monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    base, target = some(), circle(seconds=4.0)
    found = features.compute(base, (1, 2), Method.SOFT, 0.4, kind=kind)
    way = search.greedy(base, found, target)

    def tried(index: Any, queries: Array, _: int, around: Array, reach: int, barred: Any = None) -> Array:
        away = np.sum((found.values[index.frames].astype(float) - queries[0]) ** 2, axis=1)
        away[np.abs(index.frames - around[0]) <= reach] = np.inf
        return np.array([[int(np.argmin(away))]])

    monkeypatch.setattr(features.Index, "nearest", tried)
    assert len(way.joins) > 2
    assert same(way, search.greedy(base, found, target))


def test_every_join_keeps_the_characters_place_and_heading() -> None:
    base, target = some(), circle(seconds=4.0)
    found = of(base)
    for way in (finish(search.steps(base, found, target, narrow())), search.greedy(base, found, target)):
        assert len(way.joins) > 1
        for join in way.joins[1:]:
            at = join.frame
            step = np.linalg.norm(way.ground[at] - way.ground[at - 1]) * FPS
            assert step < 3.5
            assert abs(targets.wrapped(way.heading[at] - way.heading[at - 1])) < 0.1
            assert way.flat[at] == join.entered
            assert way.flat[at - 1] == join.left - 1


def test_a_search_finds_the_same_on_every_run_and_wherever_the_target_lies() -> None:
    base, target = some(), circle(seconds=3.0)
    one, other = (finish(search.steps(base, of(base), target, narrow())) for _ in range(2))
    assert same(one, other)
    turned: Array = target.ground @ np.array([(0.0, 1.0), (-1.0, 0.0)]) + (50.0, -20.0)
    moved = finish(search.steps(base, of(base), targets.timed(turned, FPS), narrow(cell=0.0)))
    still = finish(search.steps(base, of(base), target, narrow(cell=0.0)))
    assert [(j.frame, j.entered) for j in moved.joins] == [(j.frame, j.entered) for j in still.joins]


def test_the_dearer_joins_are_the_less_they_displace() -> None:
    base, target = some(), circle(seconds=4.0)
    few, many = (
        finish(search.steps(base, of(base), target, narrow(cost=cost, width=12, jumps=4)))
        for cost in (2000.0, 20.0)
    )
    moves = Moves(base, of(base), target, narrow())

    def displaced(way: Route) -> float:
        left, entered = (np.array([getattr(j, name) for j in way.joins[1:]]) for name in ("left", "entered"))
        return float(moves.displacements(left, entered).sum())

    assert displaced(few) < displaced(many)
    assert rms(many, target) < rms(few, target)


def test_a_clip_is_not_joined_to_itself_where_that_brings_hardly_anything() -> None:
    """A walk meets itself a step later at no cost, as often as it may."""
    base = some(mirror=False, tracks=[walk("walk", 1.4, 0.05), walk("left", 1.4, 0.4)])
    target = circle(8.0, 1.4, 5.0)
    free, priced = (
        finish(search.steps(base, of(base), target, narrow(step=0.1, again=price))) for price in (0.0, 0.3)
    )

    def within(way: Route) -> int:
        return sum(int(base.part[join.left] == base.part[join.entered]) for join in way.joins[1:])

    assert within(free) > 2
    assert within(priced) == 0
    assert len(priced.joins) < len(free.joins)
    assert rms(priced, target) < 1.2 * rms(free, target)


def test_joins_are_no_nearer_than_asked() -> None:
    base, target = some(), circle(seconds=4.0)
    way = finish(search.steps(base, of(base), target, narrow(step=0.1, cost=5.0, shortest=0.5)))
    apart = np.diff([join.frame for join in way.joins])
    left = np.array([join.left for join in way.joins[1:]])
    ends = (base.last(left) - left < 3).tolist()
    assert np.all((apart >= 15) | np.array(ends))


def test_a_line_without_a_timing_is_gone_to_its_end_at_the_clips_own_speed() -> None:
    base = some()
    line = targets.line([(2.0 * np.sin(a), 2.0 - 2.0 * np.cos(a)) for a in np.linspace(0.0, 4.0, 200)])
    target = Untimed(line, FPS)
    way = finish(search.steps(base, of(base), target, narrow()))
    assert way.reached
    assert np.linalg.norm(way.ground[-1] - line.points[-1]) < 0.2
    places = line.at(np.linspace(0.0, line.length, 400))[0]
    aside = np.linalg.norm(way.ground[:, None] - places, axis=-1).min(axis=1)
    assert np.sqrt(np.mean(aside**2)) < 0.1
    assert 0.7 < line.length / (way.frames / FPS) < 3.2


@pytest.mark.slow
def test_a_way_begins_and_ends_standing_if_it_shall() -> None:
    tracks = [
        walk("stand", 0.0, 0.02, 2.0),
        walk("walk", 1.4, 0.02),
        walk("left", 1.4, 0.3),
    ]
    base = some(tracks=tracks)
    line = targets.line([(0.0, 0.0), (4.0, 0.0)])
    target = Untimed(line, FPS, standing=True)
    way = finish(search.steps(base, of(base), target, narrow(start_standing=True, cost=20.0)))
    speed = np.linalg.norm(np.diff(way.ground, axis=0), axis=1) * FPS
    assert way.reached
    assert base.place(int(way.flat[0]))[0].name == "stand"
    assert base.place(int(way.flat[-1]))[0].name == "stand"
    assert speed[0] < 0.2
    assert speed[-1] < 0.2


# --- what it is asked for ---


def test_a_pinned_clip_is_entered_at_its_place() -> None:
    base, target = some(), circle(seconds=5.0)
    way = finish(search.steps(base, of(base), target, narrow(pins=(Pin(2.0, "run", 31.0, mirrored=True),))))
    (join,) = [join for join in way.joins if join.frame == 60]
    source, frame = base.place(join.entered)
    assert (source.name, source.mirrored, frame) == ("run", True, 31.0)
    # once: from there it goes on
    assert np.diff(way.flat[60:64]).tolist() == [1, 1, 1]
    with pytest.raises(InertiaError, match="can't be entered"):
        finish(search.steps(base, of(base), target, narrow(pins=(Pin(2.0, "run", 400.0),))))


def test_a_clip_that_is_pinned_to_the_beginning_is_what_the_way_begins_with() -> None:
    base, target = some(), circle(seconds=5.0)
    for pins in ((Pin(0.0, "run", 31.0),), (Pin(0.0, "run", 31.0), Pin(2.0, "left", 20.0))):
        way = finish(search.steps(base, of(base), target, narrow(pins=pins)))
        source, frame = base.place(int(way.flat[0]))
        assert (source.name, frame) == ("run", 31.0)
        entered = {join.frame: base.place(join.entered)[0].name for join in way.joins}
        assert entered[0] == "run"
        assert [entered[60] for _ in pins[1:]] == ["left" for _ in pins[1:]]


def test_a_forbidden_clip_is_not_played_where_it_is_forbidden() -> None:
    base, target = some(), circle(seconds=5.0)

    def names(way: Route, first: int, last: int) -> set[str]:
        return {base.place(flat)[0].name for flat in way.flat[first:last].tolist()}

    assert "left" in names(finish(search.steps(base, of(base), target, narrow())), 0, 151)
    way = finish(search.steps(base, of(base), target, narrow(bans=(Ban("left"),))))
    assert "left" not in names(way, 0, 151)
    way = finish(search.steps(base, of(base), target, narrow(bans=(Ban("left", 2.0, 3.0),))))
    assert "left" not in names(way, 60, 91)
    every = tuple(Ban(name) for name in ("stand", "walk", "left", "slow", "run"))
    with pytest.raises(InertiaError, match="forbidden at the path's beginning"):
        finish(search.steps(base, of(base), target, narrow(bans=every)))
    later = tuple(dataclasses.replace(ban, first=1.0) for ban in every)
    with pytest.raises(InertiaError, match="every clip is forbidden"):
        finish(search.steps(base, of(base), target, narrow(bans=later)))


@pytest.mark.variants(1)
@pytest.mark.parametrize("timed", [True, False])
def test_a_clip_before_a_fixed_one_stays_as_it_is(*, timed: bool) -> None:
    base = some()
    target: targets.Target = circle(seconds=4.0)
    if not timed:
        target = Untimed(targets.line(target.ground), FPS)
    how = narrow(step=0.1, cost=20.0, width=12, jumps=4)
    way = finish(search.steps(base, of(base), target, how))
    told = search.reasons_of(Moves(base, of(base), target, how), way)
    assert len(told) > 3
    # as on a timed target, places on a line are passed once, but one may stand there for a while
    fixed = [Pin(join.frame / FPS, *named(base, join.entered)) for join in way.joins]
    for k, reason in [*enumerate(told, start=1)][::3]:
        other = reason.others[0]
        chosen = Pin(reason.frame / FPS, other.clip, other.frame, other.mirrored)
        # what a search would rather do there counts only from there on
        after = dataclasses.replace(how, fixed=(*fixed[:k], chosen), bans=(Ban(other.clip, 0.0, 0.01),))
        again = finish(search.steps(base, of(base), target, after))
        assert again.joins[:k] == way.joins[:k]
        assert named(base, again.joins[k].entered) == (other.clip, other.frame, other.mirrored)
        assert again.joins[k].frame == reason.frame
        np.testing.assert_array_equal(again.flat[: reason.frame], way.flat[: reason.frame])
    with pytest.raises(InertiaError, match="ends before the next one is entered"):
        finish(
            search.steps(base, of(base), target, narrow(step=0.1, fixed=(fixed[0], Pin(3.9, "run", 31.0))))
        )


def test_a_way_that_waits_for_the_first_fixed_clip_plays_one_that_lasts_until_then() -> None:
    # clips last for two or three seconds
    base, target = some(mirror=False), circle(seconds=4.0)
    for seconds in (1.0, 2.5):
        fixed = (Pin(seconds, "run", 1.0),)
        way = finish(search.steps(base, of(base), target, narrow(step=0.1, fixed=fixed)))
        at = round(seconds * FPS)
        assert len(set(base.part[way.flat[:at]])) == 1
        assert named(base, int(way.flat[at])) == ("run", 1.0, False)
    with pytest.raises(InertiaError, match="No clip lasts until the first fixed one"):
        finish(search.steps(base, of(base), target, narrow(step=0.1, fixed=(Pin(3.5, "run", 1.0),))))


def named(base: Database, flat: int) -> tuple[str, float, bool]:
    """A frame of a set, as a pin names it."""
    source, frame = base.place(flat)
    return source.name, frame, source.mirrored


# --- why ---


def test_reasons_tell_what_was_chosen_and_what_comes_next() -> None:
    base, target = some(), circle(seconds=4.0)
    how = narrow(cost=20.0)
    way = finish(search.steps(base, of(base), target, how))
    moves = Moves(base, of(base), target, how)
    told = search.reasons_of(moves, way)
    assert len(told) == len(way.joins) - 1
    for join, reason in zip(way.joins[1:], told, strict=True):
        source, frame = base.place(join.entered)
        chosen = reason.chosen
        assert (chosen.clip, chosen.mirrored, chosen.frame) == (source.name, source.mirrored, frame)
        again = how.again * float(base.part[join.left] == base.part[join.entered])
        assert chosen.parts["join"] == pytest.approx(20.0 * chosen.displacement / base.size + again)
        assert set(chosen.parts) == {"path", "facing", "join", "progress", "ahead"}
        assert reason.worst_joint in base.joints
        assert 1 <= len(reason.others) <= 3
        costs = [other.cost for other in reason.others]
        assert costs == sorted(costs)
        assert reason.going_on is None or reason.going_on.parts["join"] == 0.0
    assert max(reason.chosen.displacement for reason in told) > 0.0
    # another one is taken by pinning it
    other = told[0].others[0]
    pin = Pin(told[0].frame / FPS, other.clip, other.frame, other.mirrored)
    again = finish(search.steps(base, of(base), target, dataclasses.replace(how, pins=(pin,))))
    entered = {join.frame: base.place(join.entered) for join in again.joins}[told[0].frame]
    assert (entered[0].name, entered[1]) == (other.clip, other.frame)


def street(length: float, aside: float) -> Untimed:
    """A line that swings to both sides, metres."""
    at = np.linspace(0.0, 1.0, 61)
    points = np.column_stack([length * at, aside * np.sin(2.0 * np.pi * at)])
    return Untimed(targets.line(points), FPS, slow=1.0)


@settings(max_examples=4, deadline=None)
@given(
    st.sampled_from(("walk", "slow", "run")),
    st.lists(st.integers(0, 4), unique=True),
    st.floats(0.0, 0.4),
)
def test_clips_beside_a_walk_that_follows_alone_make_no_way_worse(
    name: str, others: list[int], aside: float
) -> None:
    tracks = {"walk": walk("walk"), "slow": walk("slow", 0.8), "run": walk("run", 3.0)}
    track = dataclasses.replace(tracks[name], bends=(-0.8, -0.4, 0.4, 0.8))
    beside = [walk(f"stand {i}", 0.0, 0.0, 4.0, phase=0.7 * i) for i in range(3)]
    beside += [walk("turn", 0.0, 1.0), walk("turn back", 0.0, -1.0)]
    target = street(2.0, aside)
    alone, together = (
        some(mirror=False, tracks=[*(beside[i] for i in which), track]) for which in ((), others)
    )
    own, way = (finish(search.steps(base, of(base), target, narrow())) for base in (alone, together))
    assert own.reached
    assert way.reached
    # heights, and so sizes, differ by what else is in the set
    assert way.cost <= own.cost + 0.02 * abs(own.cost)


def test_clips_that_can_not_go_alone_are_no_reason_to_fail() -> None:
    """One is forbidden at the beginning, and one too short to go on for so long as is asked for."""
    short = walk("short", 1.4, 0.0, 0.6)
    base = some(mirror=False, tracks=[walk("walk"), walk("left", 1.4, 0.3), short])
    target = Untimed(targets.line([(0.0, 0.0), (2.0, 0.0)]), FPS, slow=1.0)
    how = narrow(bans=(Ban("left", 0.0, 0.5), Ban("walk", 1.0)), rest=1.0)
    way = finish(search.steps(base, of(base), target, how))
    assert way.reached
    assert [base.place(join.entered)[0].name for join in way.joins] == ["walk", "left"]


def test_a_standing_clip_does_not_keep_others_from_going_on() -> None:
    """To stand costs little at once, to turn and to go on only later less: all clips stay in the search."""
    target = Untimed(targets.line([(0.0, 0.0), (1.5, 0.0), (2.2, 0.7)]), FPS, slow=1.0)
    goes = [walk("turn", 0.0, 1.0), walk("walk")]
    stands = [walk(f"stand {i}", 0.0, 0.0, 4.0, phase=0.7 * i) for i in range(3)]
    few, all_of_them = (some(mirror=False, tracks=tracks) for tracks in (goes, [*stands, *goes]))
    way, crowd = (finish(search.steps(base, of(base), target, narrow())) for base in (few, all_of_them))
    assert way.reached
    assert crowd.reached
    assert crowd.cost < way.cost + 10.0


def test_no_clip_is_left_on_the_frame_it_is_entered_on() -> None:
    """Where joins may follow at once, one at the beginning is what the way begins with."""
    base, target = some(), circle(seconds=2.0)
    often = finish(search.steps(base, of(base), target, narrow(shortest=0.0, cost=0.0)))
    twice = (Pin(0.0, "run", 31.0), Pin(0.0, "left", 20.0))
    pinned = finish(search.steps(base, of(base), target, narrow(pins=twice)))
    for way in (often, pinned, search.greedy(base, of(base), target)):
        frames = [join.frame for join in way.joins]
        assert frames[0] == 0
        assert np.all(np.diff(frames) > 0)
        assert way.joins[0].left == -1
    assert base.place(pinned.joins[0].entered)[0].name == "left"


def test_a_way_that_does_not_arrive_stops_where_clips_lead_no_further() -> None:
    base = some(mirror=False, tracks=[walk("walk", 1.4, 0.02)])
    target = Untimed(targets.line(circle(1.0, seconds=4.5).ground), FPS, slow=1.0)
    way = finish(search.steps(base, of(base), target, narrow()))
    assert not way.reached
    assert way.frames / FPS < 2.0
    sentence = coverage.why_it_stops(base, target, 1.0)
    assert "all of them go straight on" in str(sentence)
    wide = some(mirror=False, tracks=[walk("walk"), walk("bend", 1.4, 0.4)])
    assert "takes 3.5 m" in str(coverage.why_it_stops(wide, target, 1.0))
    straight = Untimed(targets.line([(0.0, 0.0), (9.0, 0.0)]), FPS, slow=1.0)
    assert "none of them leads on" in str(coverage.why_it_stops(wide, straight, 1.0))


def test_a_line_is_given_up_where_nothing_comes_further_along_it() -> None:
    base = some(mirror=False, tracks=[walk("round", 1.4, 1.4)])
    target = Untimed(targets.line([(0.0, 0.0), (40.0, 0.0)]), FPS)
    way = finish(search.steps(base, of(base), target, narrow()))
    assert not way.reached
    assert way.frames / FPS < 2.0 * search.STUCK
