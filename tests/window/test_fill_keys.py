# SPDX-License-Identifier: GPL-3.0-or-later
"""A gap between two keys in a real Dope Sheet: an animator selects them, fills it, and takes that back."""

from __future__ import annotations

import pytest

from tests.window.pictures import Seen, changed

pytestmark = pytest.mark.window

PARTS = ("fill.keys",)
CLIPS = ["Bend", "Run", "Walk"]


def test_two_columns_of_keys_say_where_the_gap_is(seen: Seen) -> None:
    state, folder = seen
    filled = state["filled"]
    assert set(filled["actions"]) - set(CLIPS) == {"Walk to Walk"}
    assert filled["assigned"] == "Walk to Walk"
    assert (filled["ends"], filled["gap"]) == ([21.0, 33.0], 12.0)
    assert changed(folder, "keys", "keys filled", state["view"]).sum() > 100


def test_the_filled_action_goes_with_one_undo(seen: Seen) -> None:
    state, _ = seen
    assert state["undone"]["actions"] == CLIPS
    assert state["undone"]["assigned"] == "Walk"
