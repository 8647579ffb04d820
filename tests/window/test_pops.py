# SPDX-License-Identifier: GPL-3.0-or-later
"""Pops in a real window: an animator finds them, looks at one, smooths them and takes that back."""

from __future__ import annotations

import pytest

from tests.window.pictures import Seen, changed

pytestmark = pytest.mark.window

PARTS = ("pops",)


def test_pops_are_found_looked_at_and_smoothed(seen: Seen) -> None:
    state, _ = seen
    assert state["before"]["found"] == []
    pops = [["Bone.001", "SPIKE", 20.0, True], ["Bone.001", "SPIKE", 45.0, True]]
    assert state["found"]["found"] == pops
    assert state["looked at"]["frame"] == 45
    assert state["looked at"]["selected"] == ["Bone.001"]
    assert state["smoothed"]["actions"] == ["Take", "Take smoothed"]
    assert state["smoothed"]["assigned"] == "Take smoothed"


def test_smoothed_pops_are_taken_back_by_one_undo(seen: Seen) -> None:
    state, _ = seen
    assert state["undone"] == state["looked at"]


def test_marks_show_below_the_keys(seen: Seen) -> None:
    state, folder = seen
    mask = changed(folder, "off", "on", state["sheet"])
    assert mask.mean() > 0.01
