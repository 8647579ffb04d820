# SPDX-License-Identifier: GPL-3.0-or-later
"""Models play: many characters as one would be, over the ground, and joined without a jump."""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import itertools
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inertia_addon.motion import quaternion
from inertia_addon.motion.learned import checking, follow, networks, play
from inertia_addon.motion.learned.model import NoMotion, both
from inertia_addon.motion.learned.play import TICK, CharacterStates, Player, joints
from inertia_addon.motion.learned.training import compressed
from inertia_addon.motion.learned.tree import tree
from inertia_addon.motion.matching import targets
from inertia_addon.motion.matching.targets import Timed
from inertia_addon.motion.steps import finish
from inertia_addon.settings.methods import Method
from tests.motion.made_up_moves import learned_from, model


def player(frames: list[int], method: Method = Method.SOFT) -> Player:
    """Characters that stand as frames of the clips do, wherever they are."""
    own = Player(model(), np.arange(2.0 * len(frames)).reshape(-1, 2), 0.5 * np.arange(len(frames)), method)
    own.take(known(frames), np.ones(len(frames), bool))
    for _ in range(60):
        own.step()
    own._take(known(frames))
    return own


def known(frames: list[int]) -> np.ndarray:
    material = learned_from()
    return both(material.features, compressed(material, model().network("compressor")))[frames]


def test_players_go_on_together_as_one_would() -> None:
    many, frames = player([10, 300, 500]), [10, 300, 500]
    ones = [player([frame]) for frame in frames]
    for one, ground in zip(ones, many.snapshot().ground, strict=True):
        one._ground, one._heading = ground[None], many._heading[ones.index(one)][None]
    for own in (many, *ones):
        for _ in range(5):
            own.step()
    shown = many.snapshot()
    for i, own in enumerate(ones):
        alone = own.snapshot()
        np.testing.assert_allclose(alone.pose.positions[0], shown.pose.positions[i], atol=1e-4)
        np.testing.assert_allclose(alone.ground[0], shown.ground[i], atol=1e-4)


def test_the_root_goes_as_the_clip_does() -> None:
    # the second clip walks 0.8 m/s and turns by 0.6 rad/s to the left
    own = player([300])
    before = own.snapshot()
    for _ in range(9):
        own.step()
    after = own.snapshot()
    assert after.heading[0] - before.heading[0] == pytest.approx(0.09, abs=0.04)
    way = (after.ground - before.ground)[0]
    ahead = before.heading[0] + 0.045
    assert way @ (np.cos(ahead), np.sin(ahead)) == pytest.approx(0.12, abs=0.02)
    assert way @ (-np.sin(ahead), np.cos(ahead)) == pytest.approx(0.0, abs=0.02)


def velocity(one: CharacterStates, other: CharacterStates) -> list[np.ndarray]:
    turned = quaternion.multiply(other.pose.rotations, quaternion.conjugate(one.pose.rotations))
    moved = other.pose.positions - one.pose.positions
    return [moved / TICK, quaternion.log(turned) / TICK, (other.ground - one.ground) / TICK]


@pytest.mark.parametrize("method", [Method.SOFT, Method.SMOOTH, Method.SPRING])
def test_a_projection_joins_pose_and_velocity(method: Method) -> None:
    own, still = player([10, 300], method), player([10, 300], method)
    before = own.snapshot()
    own.take(known([400, 20]), np.array([True, False]))
    joined = own.snapshot()
    np.testing.assert_allclose(joined.pose.positions, before.pose.positions, atol=1e-6)
    np.testing.assert_allclose(joined.ground, before.ground, atol=1e-9)
    np.testing.assert_allclose(joined.heading, before.heading, atol=1e-9)
    for each in (own, still):
        each.step()
    going, would = velocity(joined, own.snapshot()), velocity(before, still.snapshot())
    for one, other in zip(going, would, strict=True):
        # to first order: what differs in acceleration is left
        assert np.abs(one - other).max() < 0.35
    # who was not asked for goes on as it would, but for how a processor rounds sums in memory elsewhere
    np.testing.assert_allclose(own.snapshot().ground[1], still.snapshot().ground[1], rtol=0.0, atol=1e-9)
    for _ in range(320):
        own.step()
    left = own.snapshot().pose.positions - Player.snapshot(_without(own)).pose.positions
    assert np.abs(left).max() < 1e-6


def _without(own: Player) -> Player:
    """The same without anything that decays."""
    other = copy.copy(own)
    other._since = np.full(len(own._since), np.inf)
    return other


def line(angle: float, speed: float = 1.0, seconds: float = 3.0) -> Timed:
    way = np.arange(round(seconds * 60.0)) / 60.0 * speed
    return targets.timed(np.outer(way, (np.cos(angle), np.sin(angle))), 60.0)


def test_a_character_beside_its_line_asks_to_be_back_by_more() -> None:
    aim, own = line(0.0), player([10])
    on, beside = (
        CharacterStates(own.snapshot().pose, np.array([[0.5, side]]), np.zeros(1)) for side in (0.0, 0.2)
    )
    for pull in (0.0, 0.7):
        ways = [follow.wanted([aim], shown, 30, pull)[0][0] for shown in (on, beside)]
        np.testing.assert_allclose(ways[0], [(1 / 3, 0.0), (2 / 3, 0.0), (1.0, 0.0)], atol=1e-6)
        np.testing.assert_allclose(ways[1] - ways[0], [(0.0, -0.2 * (1.0 + pull))] * 3, atol=1e-6)


@pytest.mark.parametrize("method", [Method.SOFT, Method.SPRING])
def test_a_player_that_is_tried_several_times_goes_on_as_if_taken(method: Method) -> None:
    own, ways = player([10, 300], method), [known([400, 20]), known([60, 350])]
    own.take(known([200, 100]), np.array([True, False]))
    for _ in range(5):
        own.step()
    each = [copy.copy(own) for _ in ways]
    for one, found in zip(each, ways, strict=True):
        one.take(found, np.ones(2, bool))
    tried = own.tried(np.stack(ways))
    for _ in range(9):
        for one in (tried, *each):
            one.step()
    for read in (_placed, lambda one: one.root[0], lambda one: one.root[1]):
        np.testing.assert_allclose(read(tried), np.concatenate([read(one) for one in each]), atol=1e-5)


def _placed(own: Player) -> np.ndarray:
    shown = own.snapshot()
    skeleton = tree(own.model.skeleton.parents)
    return joints(skeleton, shown.pose.positions, shown.pose.rotations, shown.ground, shown.heading)


@pytest.mark.parametrize("method", [Method.SOFT, Method.SPRING])
def test_joints_that_are_looked_ahead_at_are_those_that_are_shown(method: Method) -> None:
    own = player([10, 300, 40], method)
    for frame in range(30):
        if frame == 4:
            own.take(known([200, 100, 50]), np.array([True, True, False]))
        np.testing.assert_allclose(own.joints(tree(own.model.skeleton.parents)), _placed(own), atol=2e-6)
        own.step()
    # as well where the ground is far away
    own._ground = own._ground + 1e5
    np.testing.assert_allclose(own.joints(tree(own.model.skeleton.parents)), _placed(own), atol=2e-6)


def test_players_in_the_place_of_others_go_on_as_those_would() -> None:
    ours, theirs, which = player([10, 300, 40]), player([60, 350]), np.array([2, 0])
    theirs.take(known([200, 100]), np.ones(2, bool))
    moments: list[list[Player]] = []
    for own in (ours, theirs):
        moments.append([own])
        for _ in range(5):
            moments[-1].append(copy.copy(moments[-1][-1]))
            moments[-1][-1].step()
    mixed = play.replaced(moments[0], which, moments[1])
    for found, mine, other in zip(mixed, *moments, strict=True):
        places, still = _placed(found), _placed(mine)
        np.testing.assert_allclose(places[which], _placed(other), atol=1e-5)
        np.testing.assert_allclose(places[1], still[1], atol=1e-5)
        # how products of matrices are rounded goes by how many there are
        np.testing.assert_allclose(_placed(found.some(np.array([1]))), places[1:2], atol=1e-6)


@pytest.mark.slow
def test_a_choice_is_the_one_that_costs_least_when_it_is_played() -> None:
    there = line(0.0, speed=2.0).ground[:31]
    # straight on, and back again
    aim = targets.timed(np.concatenate([there, there[::-1]]), 60.0)
    (followed,) = finish(follow.steps(model(), [aim]))
    own = Player(model(), aim.ground[:1], aim.facing[:1])
    own.begin(*follow.wanted([aim], own.snapshot(), 0))
    taken, frames = [], range(follow.EVERY, aim.frames, follow.EVERY)
    for frame in frames:
        for _ in range(follow.EVERY):
            before = _placed(own)[0]
            own.step()
        joined = []
        for pull in follow.PULLS:
            joined.append(copy.copy(own))
            found = own.projected(*follow.wanted([aim], own.snapshot(), frame, pull))
            joined[-1].take(found, np.ones(1, bool))
        costs = [follow.JOIN + _cost(copy.copy(other), aim, frame, before) for other in joined]
        if min(costs) < _cost(copy.copy(own), aim, frame, before):
            taken.append(frame)
            own = joined[int(np.argmin(costs))]
    assert taken == followed.projected.tolist()
    assert 1 <= len(taken) < len(frames)


def _cost(own: Player, aim: Timed, frame: int, before: np.ndarray) -> float:
    """What the second behind a decision costs, as the words say it."""
    places, away = [before, _placed(own)[0]], 0.0
    for later in range(1, 61):
        own.step()
        if len(places) < follow.SEEN + 2:
            places.append(_placed(own)[0])
        if later % 3 == 0 and frame + later < aim.frames:
            (ground,), (heading,) = own.root
            beside = np.linalg.norm(ground - aim.ground[frame + later]) / 0.1
            turned = np.degrees(targets.wrapped(heading - aim.facing[frame + later])) / 15.0
            away += float(beside**2 + turned**2) * 3.0 / 60.0
    speeds = [(places[i + 1] - places[i]) * 60.0 for i in range(1 + follow.SEEN)]
    changes = [np.sqrt(np.mean(np.sum((b - a) ** 2, axis=1))) for a, b in itertools.pairwise(speeds)]
    return away + follow.SHARP * float(max(changes) / own.model.size) ** 2


def test_a_player_that_has_gone_on_for_long_is_joined_whatever_it_costs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(follow, "JOIN", np.inf)
    (followed,) = finish(follow.steps(model(), [line(0.0, seconds=4.0)]))
    longest = follow.LONGEST
    assert followed.projected.tolist() == list(range(longest, len(followed.ground), longest))
    assert len(followed.projected) > 2


def test_characters_follow_their_own_lines() -> None:
    aims = [line(0.0), line(2.0, seconds=2.0)]
    found = finish(follow.steps(model(), aims))
    for aim, own in zip(aims, found, strict=True):
        assert len(own.ground) == aim.frames
        assert np.linalg.norm(own.ground - aim.ground, axis=1).max() < 0.5
        assert own.contacts.shape == (aim.frames, 2)
        assert 0.1 < own.contacts.mean() < 0.9
        steps = np.linalg.norm(np.diff(own.positions, axis=0), axis=-1)
        assert steps.max() < 0.1


@settings(max_examples=6, deadline=None)
@given(
    name=st.sampled_from(["decompressor", "stepper", "projector"]),
    power=st.floats(-6.0, 6.0),
    seed=st.integers(0, 2**32 - 1),
)
def test_networks_of_any_weights_play_a_motion_or_none(name: str, power: float, seed: int) -> None:
    """Whatever is read of a file, what is played stays within what a character can do."""
    whole, random = model(), np.random.default_rng(seed)
    network = whole.network(name)
    weights = tuple(
        np.clip(each * random.choice([-1.0, 1.0], each.shape) * 10.0**power, -networks.MOST, networks.MOST)
        for each in network.weights
    )
    spoilt = dataclasses.replace(
        whole, **{name: dataclasses.replace(network, weights=tuple(w.astype(np.float32) for w in weights))}
    )
    aim = line(0.0, seconds=1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            (own,) = finish(follow.steps(spoilt, [aim]))
        except NoMotion:
            own = None
        with contextlib.suppress(NoMotion):
            found = checking.check(spoilt, learned_from())
            assert np.isfinite(found.whole.joints_cm)
            assert np.isfinite(found.projector_cm or 0.0)
    if own is not None:
        # as far from the mean as the clips are at most, and as far again where poses are joined
        values, places = learned_from().values.astype(float), whole.rows.positions
        most = np.sqrt(len(values) - 1.0) * values.std(axis=0)[places]
        aside = np.abs(own.positions.reshape(len(own.ground), -1) - values.mean(axis=0)[places])
        assert np.all(aside <= 2.2 * most + 0.05 * whole.size)
        np.testing.assert_allclose(np.linalg.norm(own.rotations, axis=-1), 1.0, atol=1e-6)
        steps = np.abs(np.diff(own.ground, axis=0)).max()
        assert steps <= 20.0 * (whole.size + whole.pace) / 60.0
