# SPDX-License-Identifier: GPL-3.0-or-later
"""Loops in a real window: an animator finds them, takes one from the map, makes it and takes it back."""

from __future__ import annotations

import pytest

from tests.window.pictures import Seen, changed

pytestmark = pytest.mark.window

PARTS = ("loops",)


def test_a_loop_is_found_picked_from_the_map_and_made(seen: Seen) -> None:
    state, _ = seen
    assert state["before"]["found"] == []
    found = state["found"]
    assert len(found["found"]) > 1
    assert found["chosen"] == found["found"][0]
    assert found["actions"] == state["before"]["actions"]
    start, end = state["cell"]
    assert state["picked"]["chosen"] == [start, end]
    made = state["made"]
    assert made["actions"] == sorted([*found["actions"], "Walk loop"])
    assert made["assigned"] == "Walk loop"
    assert state["cyclic"] == [True, start, end]


def test_a_loop_is_taken_back_by_one_undo(seen: Seen) -> None:
    state, _ = seen
    assert state["undone"] == state["picked"]


def test_a_hint_shows_only_while_its_panel_is_unfolded(seen: Seen) -> None:
    unfolded, closed, again, folded = seen.state["hints"]
    assert unfolded == again == "Press Find Loop in the panel Loop to see where the action loops."
    assert folded == closed == ""


def test_the_map_shows_in_the_view(seen: Seen) -> None:
    state, folder = seen
    assert changed(folder, "off", "on", state["view"]).mean() > 0.02
