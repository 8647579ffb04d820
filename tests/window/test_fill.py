# SPDX-License-Identifier: GPL-3.0-or-later
"""A gap in a real window: an animator looks for what fills it, fills it, and takes that back."""

from __future__ import annotations

import pytest

from tests.window.pictures import Seen, changed

pytestmark = pytest.mark.window

PARTS = ("fill",)
CLIPS = ["Bend", "Run", "Walk"]


def test_a_place_too_far_gets_the_time_that_it_takes_at_a_press(seen: Seen) -> None:
    state, _ = seen
    assert "No clips of the set arrive there" in state["refused"]["fault"]
    assert state["refused"]["actions"] == CLIPS
    assert state["given"]["gap"] > state["refused"]["gap"]
    found = state["found"]
    assert found["fault"] == ""
    # one of the fills to choose from has no clips
    assert [bool(clips) for clips in found["clips"]].count(False) == 1
    assert {name for clips in found["clips"] for name in clips} <= set(CLIPS)
    assert found["actions"] == CLIPS


def test_poses_on_the_way_are_drawn_before_it_is_baked(seen: Seen) -> None:
    state, folder = seen
    assert state["refused"]["ghosts"] == []
    assert min(state["found"]["ghosts"]) > 3
    # the tab lies over the view's right half
    left, top, right, bottom = state["view"]
    half = [left, top, (left + right) // 2, bottom]
    assert changed(folder, "refused", "found", half).sum() > 100


def test_a_fill_of_another_choice_is_shown_at_a_press(seen: Seen) -> None:
    state, folder = seen
    found, chosen = state["found"], state["chosen"]
    assert len(found["clips"]) > 1
    assert chosen == found | {"choice": 2}
    left, top, right, bottom = state["view"]
    half = [left, top, (left + right) // 2, bottom]
    assert changed(folder, "found", "chosen", half).sum() > 100


def test_a_gap_is_filled_and_one_undo_takes_it_back(seen: Seen) -> None:
    state, _ = seen
    filled = state["filled"]
    assert set(filled["actions"]) - set(CLIPS) == {"Walk to Bend"}
    assert filled["assigned"] == "Walk to Bend"
    assert state["undone"]["actions"] == CLIPS
    assert state["redone"] == filled
