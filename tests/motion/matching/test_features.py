# SPDX-License-Identifier: GPL-3.0-or-later
"""Features: normalised by group, of one unit with displacement, and queries that find what they ask for."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from inertia_addon.errors import InertiaError
from inertia_addon.motion.decay.decay import Method, displacement
from inertia_addon.motion.matching import engine, features
from inertia_addon.motion.matching.features import POSITION_VELOCITY, Index, Weights
from tests.motion import made_up_moves
from tests.motion.made_up_walks import some, walk

FEET = (0, 1, 2)


def test_the_engines_paths_are_where_the_simulation_bone_goes() -> None:
    """Seen from it, aside and ahead, after a third, two thirds and a whole second."""
    made = made_up_moves.exported(made_up_moves.clip(), made_up_moves.clip(turn=0.5))
    bones = (made_up_moves.LEFT, made_up_moves.RIGHT, made_up_moves.HIPS)
    found, offsets, scales = engine.features(made, *bones)
    values = found * scales + offsets
    for clip, turn in enumerate((0.0, 0.5)):
        row = values[made.starts[clip] + 50]
        later = np.array([20.0, 40.0, 60.0]) / engine.FPS
        ahead = np.stack([np.sin(turn * later), np.cos(turn * later)], axis=1)
        ways = (
            1.2 * np.stack([1.0 - np.cos(turn * later), np.sin(turn * later)], axis=1) / turn
            if turn
            else 1.2 * np.stack([0.0 * later, later], axis=1)
        )
        np.testing.assert_allclose(row[15:21].reshape(3, 2), ways, atol=0.02)
        np.testing.assert_allclose(row[21:27].reshape(3, 2), ahead, atol=0.02)


def test_the_engines_facing_has_a_unit_where_all_clips_go_straight_on() -> None:
    """Or a turn that is asked for would be millions of times what the clips ever do."""
    made = made_up_moves.exported(made_up_moves.clip(), made_up_moves.clip(speed=0.6))
    bones = (made_up_moves.LEFT, made_up_moves.RIGHT, made_up_moves.HIPS)
    found, _, scales = engine.features(made, *bones)
    turned = 0.5 / scales[21:27]
    assert np.all(turned < 30.0)
    assert np.abs(found[:, 21:27]).max() < 1.0


def test_groups_of_features_vary_as_much_as_their_weight() -> None:
    found = features.compute(some(), (1, 2), Method.SOFT, 0.4, Weights(2.0, 1.0, 1.5))
    assert [group.name for group in found.groups] == ["left foot", "right foot", "position", "facing"]
    for group, weight in zip(found.groups, (2.0, 2.0, 1.0, 1.5), strict=True):
        values = found.values[:, group.columns]
        assert np.std(values, axis=0).mean() == pytest.approx(weight, rel=1e-4)


@pytest.mark.parametrize("method", [Method.SPRING, Method.SOFT])
def test_a_pose_is_never_further_away_than_its_displacement(method: Method) -> None:
    base = some()
    found = features.compute(base, (1,), method, 0.3, Weights(1.0, 0.0, 0.0))
    raw = found.values / found.scales
    chance = np.random.default_rng(5)
    one, other = chance.integers(0, base.frames, (2, 200))
    x = base.positions[one, 1].astype(float) - base.positions[other, 1].astype(float)
    v = base.velocities[one, 1].astype(float) - base.velocities[other, 1].astype(float)
    area = displacement(method, x, v, 0.3)
    assert np.all(np.abs(raw[one] - raw[other]) <= area + 1e-5)


def test_a_query_of_a_frames_own_way_finds_its_own_features() -> None:
    base = some()
    found = features.compute(base, FEET[1:], Method.SOFT, 0.4, kind=POSITION_VELOCITY)
    frames = np.array([40, 100, 300])
    ways, turns = features.relative(base, frames, found.later)
    np.testing.assert_allclose(found.queries(frames, ways, turns), found.values[frames], atol=1e-4)


def test_a_group_that_never_varies_is_refused_and_left_out_without_a_weight() -> None:
    base = some(tracks=[walk("walk", 1.4, 0.0)], mirror=False)
    with pytest.raises(InertiaError, match='"facing" never varies'):
        features.compute(base, (1, 2), Method.SOFT, 0.4)
    found = features.compute(base, (1, 2), Method.SOFT, 0.4, Weights(facing=0.0, position=0.0))
    assert found.group("facing") == slice(0, 0)
    # hips that always are where the root is tell nothing, and are left out where feet tell something
    still = base.positions.copy()
    still[:, 0] = (0.0, 0.0, 1.0)
    held = base.velocities.copy()
    held[:, 0] = 0.0
    base = dataclasses.replace(base, positions=still, velocities=held)
    found = features.compute(base, (0, 1), Method.SOFT, 0.4, Weights(facing=0.0))
    assert [group.name for group in found.groups] == [base.joints[1], "position"]
    with pytest.raises(InertiaError, match='"pose" never varies'):
        features.compute(base, (0,), Method.SOFT, 0.4, Weights(facing=0.0))
    with pytest.raises(InertiaError, match="All groups"):
        features.compute(base, (1, 2), Method.SOFT, 0.4, Weights(0.0, 0.0, 0.0))


def test_the_nearest_are_those_of_a_plain_scan() -> None:
    base = some()
    found = features.compute(base, (1, 2), Method.SOFT, 0.4)
    index = Index.of_entries(base, found, every=2, seconds_left=0.2)
    assert np.all(base.last(index.frames) - index.frames >= 6)
    around = np.array([30, 200, 500])
    asked = found.values[around].astype(float)
    near = index.nearest(asked, 6, around, 10)
    for row, frame, query in zip(near, around, asked, strict=True):
        away = np.sum((found.values[index.frames].astype(float) - query) ** 2, axis=1)
        away[np.abs(index.frames - frame) <= 10] = np.inf
        np.testing.assert_array_equal(row, np.argsort(np.round(away, 6), kind="stable")[:6])


@pytest.mark.parametrize("apart", [1, 3, 5])
def test_entries_that_are_left_out_are_so_wherever_blocks_begin(apart: int) -> None:
    base = some()
    found = features.compute(base, (1, 2), Method.SOFT, 0.4)
    index = Index.of_entries(base, found, every=1, seconds_left=0.2, apart=apart)
    chance = np.random.default_rng(3)
    around = chance.integers(0, base.frames, 20)
    asked = found.values[chance.integers(0, base.frames, 20)].astype(float)
    barred = chance.random((20, len(index.frames))) < 0.5
    near = index.nearest(asked, 5, around, 7, barred)
    for row, frame, query, out in zip(near, around, asked, barred, strict=True):
        away = np.sum((found.values[index.frames].astype(float) - query) ** 2, axis=1)
        away[out | (np.abs(index.frames - frame) <= 7)] = np.inf
        blocks = np.pad(np.round(away, 6), (0, -len(away) % apart), constant_values=np.inf)
        blocks = blocks.reshape(-1, apart)
        best = np.argsort(blocks.min(axis=1), kind="stable")[:5]
        np.testing.assert_array_equal(row, best * apart + blocks.argmin(axis=1)[best])


def test_neighbours_are_found_once_and_missing_ones_are_told() -> None:
    base = some(tracks=[walk("left", turn=0.8, seconds=1.0)], mirror=False)
    found = features.compute(base, (1, 2), Method.SOFT, 0.4)
    index = Index.of_entries(base, found, every=1, seconds_left=0.2, apart=5)
    near = index.nearest(found.values[:1].astype(float), 8, np.array([0]), 4)
    places = near[0][near[0] >= 0]
    assert len(set((places // 5).tolist())) == len(places) == 4
    assert np.all(near[0][4:] == -1)


def test_the_engines_groups_of_features_vary_as_much_as_their_weight() -> None:
    made = made_up_moves.exported(made_up_moves.clip(), made_up_moves.clip(speed=0.6, turn=0.5))
    bones = (made_up_moves.LEFT, made_up_moves.RIGHT, made_up_moves.HIPS)
    found = engine.features(made, *bones)[0]
    groups = np.split(found, np.cumsum(engine.GROUPS)[:-1], axis=1)
    assert [group.std(axis=0).mean() for group in groups] == pytest.approx(engine.WEIGHTS, rel=1e-4)
