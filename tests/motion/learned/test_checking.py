# SPDX-License-Identifier: GPL-3.0-or-later
"""A model is as far from a clip whatever else it is compared with."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from inertia_addon.motion.learned import checking, material
from inertia_addon.motion.matching import engine
from tests.motion import made_up_moves as moves


@pytest.mark.parametrize("number", range(3))
def test_roots_go_over_the_ground_as_their_clips_do(number: int) -> None:
    """By their velocities alone, seen from where they stood at first: aside, ahead and turned."""
    known = moves.learned_from()
    own = (moves.clip(), moves.clip(speed=0.8, turn=0.6, pace=1.2), moves.clip(speed=1.0, turn=-0.7))[number]
    first, frames = 20, 90
    place = np.zeros((1, 3))
    for frame in range(first, first + frames):
        place = checking._gone(known, place, known.values[[known.starts[number] + frame]])
    ground, heading = own.root[:, :2], own.root[:, 2]
    ahead, way = heading[first], ground[first + frames] - ground[first]
    ahead, aside = np.array([np.cos(ahead), np.sin(ahead)]), np.array([-np.sin(ahead), np.cos(ahead)])
    turned = heading[first + frames] - heading[first]
    np.testing.assert_allclose(place[0], [way @ aside, way @ ahead, turned], atol=0.02)


def test_distances_of_rotations_are_told_by_bone() -> None:
    made, known = moves.exported(), moves.learned_from()
    one, other = np.array([5, 40, 90]), np.array([400, 300, 700])
    given = known.values.copy()
    given[one] = known.values[other]
    _, cosines, _ = checking._differences(known, one, given)  # type: ignore[arg-type]
    apart = np.abs(np.sum(made.rotations[one, 1:] * made.rotations[other, 1:], axis=-1))
    np.testing.assert_allclose(cosines, apart, atol=1e-4)
    assert np.ptp(cosines) > 0.01


def test_joints_are_where_turned_parents_carry_them() -> None:
    known, rng = moves.learned_from(), np.random.default_rng(4)
    rows, count = known.rows, 50
    turns = Rotation.random(count * rows.bones, rng=rng).as_matrix().reshape(count, rows.bones, 3, 3)
    places = rng.normal(size=(count, rows.bones, 3))
    values = known.values[:count].astype(float)
    values[:, rows.turns] = turns[..., :2].reshape(count, -1)
    values[:, rows.positions] = places.reshape(count, -1)
    wanted = places.copy()
    wanted[:, 1:] = places[:, :1] + np.einsum("nij,nbj->nbi", turns[:, 0], places[:, 1:])
    np.testing.assert_allclose(checking.joints(known, values), wanted, atol=1e-9)


@pytest.mark.slow
def test_clips_of_a_model_alone_are_as_they_were_learned() -> None:
    model = moves.model()
    made = moves.exported(moves.clip(), moves.clip(speed=0.8, turn=0.6, pace=1.2), moves.clip())
    features = engine.features(made, moves.LEFT, moves.RIGHT, moves.HIPS)
    some = checking.check(model, material.gathered(made, features, ("walk", "left", "again")))
    known = checking.check(model, moves.learned_from())
    for one, other in zip(some.clips[:2], known.clips[:2], strict=True):
        assert one.joints_cm == pytest.approx(other.joints_cm, rel=1e-3)
    assert some.drift_cm is not None
    assert known.drift_cm is not None
    assert some.drift_cm[20] < 1.5 * known.drift_cm[20]
