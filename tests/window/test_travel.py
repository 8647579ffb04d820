# SPDX-License-Identifier: GPL-3.0-or-later
"""Travel in a real window: an animator sees where a walk in place would go, makes it, and takes that back."""

from __future__ import annotations

import pytest

from tests.window.pictures import Seen, changed

pytestmark = pytest.mark.window

PARTS = ("travel",)


def test_the_way_is_looked_for_only_while_it_is_shown(seen: Seen) -> None:
    state, _ = seen
    assert state["off"]["speed"] is None
    assert state["on"]["speed"] == pytest.approx(0.6, rel=0.05)
    assert state["on"]["gone"] == pytest.approx(0.6 * 59.0 / 24.0, rel=0.1)


def test_the_travel_plot_shows_in_its_mode_alone(seen: Seen) -> None:
    state, folder = seen
    # the tab shows other panels then, and the left half of the view nothing else
    left, top, right, bottom = state["view"]
    half = [left, top, (left + right) // 2, bottom]
    assert changed(folder, "off", "on", half).sum() > 100
    assert changed(folder, "off", "elsewhere", half).sum() == 0


def test_the_walk_travels_and_is_put_back_in_place_and_undo_takes_both_back(seen: Seen) -> None:
    state, _ = seen
    assert state["made"]["assigned"] == "Walk travel"
    assert state["in place"]["assigned"] == "Walk travel in place"
    assert state["undone"] == state["on"]
