# SPDX-License-Identifier: GPL-3.0-or-later
"""What is told of tables of hops counts each trigger once, under the clip that it goes through first."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.motion.hops.search import Table
from inertia_addon.tasks import hops


def test_a_hop_that_wins_is_named_by_the_clip_that_is_entered_first() -> None:
    cost = np.array([1.0, 2.0, 4.0, 5.0, np.inf])
    direct = np.array([2.0, 2.1, 8.0, 5.0, np.inf])
    clips = np.array([[0, -1], [2, 0], [0, 2], [-1, -1], [-1, -1]])
    beside = np.zeros((5, 3))
    table = Table(np.arange(5), cost, direct, clips, clips, *(3 * (beside,)))
    prepared: Any = SimpleNamespace(names=("Walk", "Run", "Turn"))
    (told,) = hops.pair_values(prepared, [("Walk", "Run", table)])
    assert told["wins"] == {"direct": 1, "Walk": 2, "Turn": 1}
    assert (told["triggers"], told["reached"], told["worth"]) == (5, 4, 2)
    assert (told["median_direct"], told["median_best"]) == (3.55, 3.0)


def test_waiting_and_going_straight_is_no_hop() -> None:
    none, beside = np.full((1, 2), -1), np.zeros((1, 3))
    table = Table(np.arange(1), np.array([1.0]), np.array([9.0]), none, none, *(3 * (beside,)))
    prepared: Any = SimpleNamespace(names=("Walk", "Run"))
    (told,) = hops.pair_values(prepared, [("Walk", "Run", table)])
    assert (told["worth"], told["wins"]) == (0, {"direct": 1})
