# SPDX-License-Identifier: GPL-3.0-or-later
"""Hops in a real window: an animator finds them, sees what they cost, bakes one and takes it back."""

from __future__ import annotations

import numpy as np
import pytest

from tests.window.pictures import Seen, changed

pytestmark = pytest.mark.window

PARTS = ("hops",)
ACTIONS = ["Jog", "Run", "Trot", "Walk"]


def test_hops_are_found_and_one_is_baked(seen: Seen) -> None:
    state, _ = seen
    assert state["before"] == {"actions": ACTIONS, "assigned": "Run", "costs": [], "frame": 1}
    found = state["found"]
    assert found["actions"] == ACTIONS
    assert found["costs"]
    assert found["costs"] == sorted(found["costs"])
    assert state["baked"]["actions"] == [*ACTIONS, "Walk to Run"]
    assert state["baked"]["assigned"] == "Walk to Run"


def test_a_baked_hop_is_taken_back_by_one_undo(seen: Seen) -> None:
    state, _ = seen
    assert state["undone"] == state["found"]


def test_esc_stops_a_search_and_leaves_all_as_it_was(seen: Seen) -> None:
    state, _ = seen
    assert state["started"] == ["RUNNING_MODAL"]
    assert state["stopped"] == state["before the search"]


def test_the_costs_show_along_the_bottom_of_the_view(seen: Seen) -> None:
    state, folder = seen
    mask = changed(folder, "off", "on", state["view"])
    rows = np.flatnonzero(mask.any(axis=1)) / len(mask)
    assert mask.mean() > 0.01
    assert np.median(rows) > 0.7
