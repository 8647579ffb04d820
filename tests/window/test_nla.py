# SPDX-License-Identifier: GPL-3.0-or-later
"""Two strips become a transition in a real NLA Editor, as an action or as strips."""

from __future__ import annotations

import pytest

from tests.window.pictures import Seen, need_pictures

pytestmark = pytest.mark.window

PARTS = ("nla",)
MOST_PRESSES = 3
"""Clicks from two strips to a baked transition."""
OWN = [["Walk"], ["Run"]]


def test_three_clicks_bake_two_strips(seen: Seen) -> None:
    state = seen.state
    assert len(state["presses"]) <= MOST_PRESSES, state["presses"]
    baked = state["baked"]
    assert baked["assigned"] == "Walk to Run"
    asked = ("source", "destination", "cut", "destination_frame", "shift")
    assert [baked["settings"][name] for name in asked] == ["Walk", "Run", 41.0, 15.0, 10.0]
    assert baked["tracks"] == OWN


def test_a_bake_of_strips_is_taken_back_by_one_undo(seen: Seen) -> None:
    assert seen.state["undone"]["actions"] == ["Run", "Walk"]
    assert seen.state["undone"]["settings"]["source"] == ""


def test_strips_come_and_go_by_a_button(seen: Seen) -> None:
    played = seen.state["strips"]
    assert played["assigned"] == ""
    assert played["tracks"][:2] == OWN
    assert played["tracks"][2:] == [["Walk.001", "Run.001"], ["Walk to Run", "Walk to Run: place"]]
    assert seen.state["removed"]["tracks"] == OWN
    assert seen.state["removed"]["actions"] == ["Run", "Walk"]


def test_the_panel_was_drawn(seen: Seen) -> None:
    need_pictures(seen.folder)
    assert (seen.folder / "strips.png").stat().st_size > 20_000
