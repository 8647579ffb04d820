# SPDX-License-Identifier: GPL-3.0-or-later
"""The chain across a gap: the best of all where one clip does, and one that arrives where more are needed."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from inertia_addon.errors import InertiaError
from inertia_addon.motion.decay.decay import Method, displacement
from inertia_addon.motion.fill import search
from inertia_addon.motion.fill.search import ClipChain, Gap
from inertia_addon.motion.matching import clip_sequence, features
from inertia_addon.motion.matching.database import Database
from inertia_addon.motion.matching.moves import SearchSettings
from inertia_addon.motion.steps import finish
from tests.motion.made_up_walks import FPS, some, walk


def gap(base: Database, frames: int, ahead: float, turn: float = 0.0, left: int | None = None) -> Gap:
    """From the middle of the walk, or another frame, to the middle of the one to the left, so many metres
    ahead.
    """
    left, met = int(base.starts[1]) + 40 if left is None else left, int(base.starts[2]) + 30
    heading = base.heading[left] + turn
    angle = float(heading - base.heading[met])
    there = base.ground[left] + ahead * np.array([np.cos(heading), np.sin(heading)])
    x, y = there - features.turned(base.ground[met], np.asarray(angle))
    return Gap(left, met, frames, angle, (float(x), float(y)), np.ones(base.frames, bool))


HOW = SearchSettings(width=12, jumps=4)
"""A search that follows few ways, which is quicker."""


def found(base: Database, asked: Gap, how: SearchSettings | None = None) -> ClipChain:
    own = features.compute(base, (1, 2), Method.SOFT, 0.4)
    return finish(search.steps(base, own, how or HOW, asked))


def test_a_fill_of_one_clip_is_the_best_of_all_that_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "EXACT_SECONDS", (2.0,))
    base, how = some(), HOW
    asked = gap(base, 24, 1.0, 0.3)
    costs = []
    here, s = complex(*base.ground[asked.left]), np.arange(1, 8) / 8.0
    (leaving, arriving), _ = base.rates(np.array([asked.left, asked.met]))
    rates = complex(*leaving) * 24.0 / FPS, complex(*arriving) * np.exp(1j * asked.angle) * 24.0 / FPS
    eased = 3.0 * s**2 - 2.0 * s**3
    there, heading = asked.arrival(base)
    for part, stop in enumerate(base.stops.tolist()):
        for entered in range(int(base.starts[part]), stop - asked.frames):
            end = entered + asked.frames
            turn = base.heading[asked.left] - base.heading[entered]
            moved = complex(*(base.ground[end] - base.ground[entered])) * np.exp(1j * turn)
            away = abs(complex(*base.ground[asked.left]) + moved - complex(*there))
            aside = abs(np.angle(np.exp(1j * (base.heading[end] + turn - heading))))
            if aside > clip_sequence.TURN_LIMIT or away > base.size * (0.15 + 0.3 * asked.frames / FPS):
                continue
            cost = (away / (0.1 * base.size)) ** 2 + (np.degrees(aside) / 15.0) ** 2
            for one, other, way in ((asked.left, entered, 1.0), (asked.met, end, -1.0)):
                if one != other:
                    x = base.positions[one].astype(float) - base.positions[other].astype(float)
                    v = way * (base.velocities[one].astype(float) - base.velocities[other].astype(float))
                    each = displacement(how.method, x, v, how.seconds).sum(axis=-1)
                    cost += float(each @ base.weights) * how.cost / base.size
            later = entered + np.arange(3, 24, 3)
            gone = (base.ground[later] - base.ground[entered]) @ (1.0, 1.0j) * np.exp(1j * turn)
            cubic = (1.0 - eased) * here + eased * complex(*there)
            cubic = cubic + (s - 2.0 * s**2 + s**3) * rates[0] + (s**3 - s**2) * rates[1]
            off = here + gone + eased * (complex(*there) - here - moved) - cubic
            first = base.heading[asked.left]
            facing = np.angle(np.exp(1j * (heading - first))) * eased + first
            left = np.angle(np.exp(1j * (heading - base.heading[end] - turn)))
            turned = np.angle(np.exp(1j * (base.heading[later] + turn + eased * left - facing)))
            strayed = np.abs(off / (0.1 * base.size)) ** 2 + (np.degrees(turned) / 15.0) ** 2
            cost += float(strayed.mean()) * 24.0 / FPS
            costs.append(cost)
    assert found(base, asked).way.cost == pytest.approx(min(costs), rel=1e-6)


@pytest.mark.variants(1)
@pytest.mark.parametrize("frames", [24, 60, 100])
def test_a_fill_arrives_drawn_by_what_is_left_and_without_a_velocity_of_that(frames: int) -> None:
    base = some()
    asked = gap(base, frames, 1.2 * frames / FPS, 0.4)
    chain = found(base, asked)
    there, heading = asked.arrival(base)
    drawn = clip_sequence.warped(chain.way, chain.warp())
    assert chain.way.frames == frames + 1
    assert drawn.ground[-1] == pytest.approx(there)
    assert np.exp(1j * drawn.heading[-1]) == pytest.approx(np.exp(1j * heading))
    assert drawn.ground[0] == pytest.approx(base.ground[asked.left])
    rates = np.diff(chain.warp().shift, axis=0)
    assert np.abs(rates[[0, -1]]).max() <= 0.1 * np.abs(rates).max() + 1e-9
    assert found(base, asked).way.joins == chain.way.joins


def test_a_clip_that_may_not_be_played_is_not() -> None:
    base = some()
    asked = gap(base, 24, 1.0)
    only = np.array([source.name == "slow" for source in base.sources])[base.part]
    chain = found(base, dataclasses.replace(asked, allowed=only))
    assert {base.place(join.entered)[0].name for join in chain.way.joins[1:]} == {"slow"}


def test_choices_play_other_actions_or_unlike_frames_and_the_best_comes_first() -> None:
    base, names = some(), []
    asked = gap(base, 24, 1.0, 0.3)
    own = features.compute(base, (1, 2), Method.SOFT, 0.4)
    chains = finish(search.choices(base, own, HOW, asked, 3))
    assert len(chains) == 3
    assert chains[0].way.cost == found(base, asked).way.cost
    assert chains[0].way.cost <= min(chain.way.cost for chain in chains)
    there, _ = asked.arrival(base)
    for i, chain in enumerate(chains):
        assert clip_sequence.warped(chain.way, chain.warp()).ground[-1] == pytest.approx(there)
        played = chain.way.flat[1:-1]
        names.append([base.sources[part].name for part in base.part[played].tolist()])
        for other, theirs in zip(chains[:i], names, strict=False):
            longest = max(theirs, key=theirs.count)
            apart = np.abs(played[:, None] - other.way.flat[1:-1][None]).min()
            assert longest not in names[-1] or apart > round(0.5 * FPS)


@pytest.mark.variants(1)
@pytest.mark.parametrize("frames", [24, 60])
def test_a_fill_goes_through_no_frames_that_may_not_be_played(frames: int) -> None:
    base = some()
    asked = gap(base, frames, 1.2 * frames / FPS)
    rest = np.ones(base.frames, bool)
    # what is taken when all may be, and some beside it
    for join in found(base, asked).way.joins[1:]:
        rest[join.entered + 5 : join.entered + 8] = False
    way = found(base, dataclasses.replace(asked, allowed=rest)).way
    assert rest[way.flat[1:]].all()


@pytest.mark.variants(1)
@pytest.mark.parametrize("frames", [24, 60])
def test_a_clip_that_pops_is_not_played_where_others_arrive(frames: int) -> None:
    base = some()
    asked = gap(base, frames, 1.2 * frames / FPS)
    sudden = np.zeros(base.frames)
    for join in found(base, asked).way.joins[1:]:
        sudden[join.entered + 6] = 4.0
    way = found(base, dataclasses.replace(asked, sudden=sudden)).way
    assert not sudden[way.flat[1:-1]].any()
    everywhere = dataclasses.replace(asked, sudden=np.full(base.frames, 4.0))
    assert found(base, everywhere).way.frames == frames + 1


def test_a_fill_does_not_spin() -> None:
    tracks = [walk("stand", 0.0, 0.0), walk("walk", 0.3, 0.4), walk("spin", 0.0, 2.0 * np.pi / 0.8)]
    base = some(tracks=tracks, mirror=False)
    left = int(base.starts[0]) + 30
    # the feet of who stands and of who spins swing alike, and those of who walks do not
    asked = Gap(left, left + 24, 24, 0.0, (0.0, 0.0), np.ones(base.frames, bool))
    names = np.array([source.name for source in base.sources])[base.part]
    others = dataclasses.replace(asked, allowed=names != "stand")
    assert np.ptp(found(base, others).way.heading) < np.pi
    with pytest.raises(InertiaError, match="give"):
        found(base, dataclasses.replace(asked, allowed=names == "spin"))


@pytest.mark.parametrize("frames", [24, 60])
def test_a_fill_does_not_arrive_where_nothing_may_be_played(frames: int) -> None:
    base = some()
    asked = dataclasses.replace(gap(base, frames, 1.0), allowed=np.zeros(base.frames, bool))
    with pytest.raises(InertiaError, match="nor in any other time"):
        found(base, asked)


def test_a_time_that_would_do_is_told() -> None:
    base = some()
    with pytest.raises(InertiaError, match=r"in 0.50 s; give them (\d\.\d) s") as told:
        found(base, gap(base, 15, 4.0))
    nearest = float(told.value.sentence.values["nearest"])  # type: ignore[arg-type]
    found(base, gap(base, round(nearest * FPS), 4.0))


@pytest.mark.parametrize("frames", [48, 70, 100])
def test_a_clip_that_ends_where_it_is_left_is_left_there(frames: int) -> None:
    base = some()
    left = int(base.stops[1]) - 1
    asked = gap(base, frames, 1.2 * frames / FPS, 0.4, left)
    first, second, *_ = found(base, asked).way.joins
    assert (first.frame, first.entered) == (0, left)
    assert (second.frame, second.left) == (0, left)
