# SPDX-License-Identifier: GPL-3.0-or-later
"""How far feet skate in all transitions at once is how far each of them skates when it is predicted alone."""

from __future__ import annotations

import numpy as np
import pytest

from inertia_addon.motion.cost import prediction
from inertia_addon.motion.decay import decay
from inertia_addon.motion.decay.decay import Method

FPS, SECONDS, FRAMES = 30.0, 0.4, 16


@pytest.mark.parametrize("method", Method)
def test_each_skate_is_the_way_in_its_own_prediction(method: Method) -> None:
    chance = np.random.default_rng(3)
    source = chance.normal(size=(4, 3)), chance.normal(size=(4, 3))
    destination = chance.normal(size=(5, 3)), chance.normal(size=(5, 3))
    lands, lifts = np.array([0, 0, 2, 5, 11]), np.array([12, 4, 10, 5, 15])
    found = prediction.carried(source, destination, (lands / FPS, lifts / FPS), method, SECONDS)
    assert found.shape == (4, 5)
    for i in range(4):
        for j in range(5):
            x, v = source[0][i] - destination[0][j], source[1][i] - destination[1][j]
            made = decay.make(method, x[None], v[None], np.full(1, SECONDS))
            left = decay.evaluate(made, x[None], v[None], np.arange(FRAMES)[:, None] / FPS)[:, 0, :2]
            left = left[lands[j] : lifts[j] + 1]
            steps = np.linalg.norm(np.diff(left, axis=0), axis=1)
            # where a foot turns back between two of the few times, a little of its way is not seen
            assert 0.9 * steps.sum() - 1e-9 <= found[i, j] <= steps.sum() + 1e-9


def test_a_foot_that_swings_out_and_back_has_skated() -> None:
    none, thrown = np.zeros((1, 3)), np.array([[3.0, 4.0, 7.0]])
    times = np.zeros(1), np.full(1, SECONDS)
    assert prediction.carried((none, thrown), (none, none), times, Method.CUBIC, SECONDS) > 0.3


def test_a_foot_that_stands_for_the_whole_blend_skates_all_the_way() -> None:
    none, moved = np.zeros((1, 3)), np.array([[0.3, 0.4, 7.0]])
    times = np.zeros(1), np.full(1, SECONDS)
    assert prediction.carried((moved, none), (none, none), times, Method.SMOOTH, SECONDS) == pytest.approx(
        0.5
    )
