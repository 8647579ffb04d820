# SPDX-License-Identifier: GPL-3.0-or-later
"""Searches that compare only what can be the best find the meetings that a map of all exact costs has."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from inertia_addon.blender.cost import meetings
from inertia_addon.blender.cost.costing import Compared
from inertia_addon.blender.cost.sides import ComparedSide
from inertia_addon.motion.arrays import Array
from inertia_addon.motion.cost import costs as cost
from inertia_addon.motion.decay.decay import Method
from inertia_addon.motion.steps import finish
from inertia_addon.settings.cost import Search

JOINTS, FPS, SECONDS = 6, 30.0, 0.4
EVERYWHERE = Search(keep_frames=0.0, apart_frames=6.0)
NO_MOTIONS: Any = (None, None)


def random_side(chance: np.random.Generator, frames: int, samples: int = 0) -> ComparedSide:
    """A clip of joints that swing as those of a body do, each with rates and places of its own."""
    seconds = np.arange(frames)[:, None, None] / FPS
    rates = chance.uniform(1.0, 8.0, (1, JOINTS, 3))
    sizes, phases = chance.uniform(0.05, 0.5, (1, JOINTS, 3)), chance.uniform(0.0, 6.3, (1, JOINTS, 3))
    places = chance.normal(size=(1, JOINTS, 3))
    angles = rates * seconds + phases
    windows: Array | None = None
    if samples:
        ahead = rates[:, None] * (np.arange(samples)[None, :, None, None] / FPS)
        windows = 0.03 * (places[:, None] + sizes[:, None] * np.sin(angles[:, None] + ahead))
    return ComparedSide(
        np.arange(1.0, frames + 1.0),
        places + sizes * np.sin(angles),
        sizes * rates * np.cos(angles),
        windows,
    )


def compared_of(source: ComparedSide, destination: ComparedSide, method: Method | None) -> Compared:
    names = tuple(f"Joint {i}" for i in range(JOINTS))
    weights = np.linspace(0.5, 1.5, JOINTS)
    return Compared(source, destination, names, weights, method, SECONDS, FPS, NO_MOTIONS, "NONE")


def brute_force(compared: Compared, count: int) -> list[tuple[int, int, float]]:
    costs = np.empty((len(compared.source.frames), len(compared.destination.frames)), np.float32)
    finish(cost.map_blocks(compared.prepared_source, compared.prepared_destination, costs))
    return cost.best_pairs(costs, count, int(EVERYWHERE.apart_frames))


def assert_found(compared: Compared, count: int) -> None:
    found = finish(meetings.best_pairs(compared, count, EVERYWHERE))
    expected = brute_force(compared, count)
    cells = [(int(pair.cut) - 1, int(pair.destination_frame) - 1) for pair in found]
    # meetings are listed anew by what they cost, of which rounding may turn two around
    assert sorted(cells) == sorted((i, j) for i, j, _ in expected)
    np.testing.assert_allclose([pair.cost for pair in found], [each for *_, each in expected], rtol=1e-5)


@pytest.mark.parametrize("method", [*Method, None])
def test_the_best_meetings_in_ten_thousand_frames_are_those_of_all_exact_costs(
    method: Method | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = np.random.default_rng(3)
    # the search asks for nothing of the scene
    monkeypatch.setattr(meetings.scene, "fps", lambda: FPS)
    samples = 8 if method is None else 0
    source = random_side(chance, 130, samples)
    for frames in (150,) * 66:
        compared = compared_of(source, random_side(chance, frames, samples), method)
        assert_found(compared, 1)
    for count in (5, 200):
        assert_found(compared, count)


def test_few_exact_costs_are_computed_where_features_tell_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = np.random.default_rng(4)
    monkeypatch.setattr(meetings.scene, "fps", lambda: FPS)
    asked: list[int] = []
    at_cells = cost.at_cells

    def count_cells(rows: Any, columns: Any, i: Any, j: Any) -> Any:
        asked.append(len(i))
        return at_cells(rows, columns, i, j)

    monkeypatch.setattr(cost, "at_cells", count_cells)
    compared = compared_of(random_side(chance, 200), random_side(chance, 200), Method.SOFT)
    assert_found(compared, 1)
    assert 0 < sum(asked) < 200 * 200 / 10


def test_costs_of_some_cells_are_those_of_a_map(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = np.random.default_rng(5)
    monkeypatch.setattr(cost, "BLOCK", 100)
    for method in Method:
        compared = compared_of(random_side(chance, 40), random_side(chance, 50), method)
        costs = np.empty((40, 50), np.float32)
        finish(cost.map_blocks(compared.prepared_source, compared.prepared_destination, costs))
        i, j = chance.integers(0, 40, 60), chance.integers(0, 50, 60)
        found = cost.at_cells(compared.prepared_source, compared.prepared_destination, i, j)
        np.testing.assert_allclose(found, costs[i, j], rtol=1e-5)
