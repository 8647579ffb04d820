# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet in a real window: footprints and bars show, bars are dragged, and feet are locked, by bars, too."""

from __future__ import annotations

import pytest

from tests.window.pictures import Seen, changed, spread

pytestmark = pytest.mark.window

PARTS = ("feet",)


def test_footprints_and_bars_show(seen: Seen) -> None:
    state, folder = seen
    prints = changed(folder, "off", "footprints", state["view"])
    assert prints.mean() > 0.0002
    # below the character
    assert spread(prints)[1] > 0.5
    bars = changed(folder, "bars off", "bars on", state["dope sheet"])
    assert bars.mean() > 0.05
    assert spread(bars)[1] > 0.4


def test_bars_are_dragged_added_and_removed_each_in_one_undo_step(seen: Seen) -> None:
    state, _ = seen
    found, edited = state["found"]
    assert not edited
    (first, second, third) = found
    assert state["stopped"] == state["found"]
    longer, edited = state["longer"]
    assert edited
    assert longer == [[first[0], pytest.approx(first[1] + 4.0, abs=1.0)], second, third]
    earlier, _ = state["earlier"]
    by = earlier[1][0] - second[0]
    assert by == pytest.approx(-3.0, abs=1.0)
    assert earlier == [longer[0], [second[0] + by, second[1] + by], third]
    added, _ = state["added"]
    assert len(added) == 4
    assert (added[2][0], added[2][1]) == pytest.approx((43.0, 46.0), abs=1.5)
    removed, _ = state["removed"]
    assert removed == [added[0], *added[2:]]
    assert state["removal undone"][0] == added
    assert state["adding undone"][0] == earlier
    assert state["moving undone"][0] == longer
    assert state["all undone"] == state["found"]


def test_buttons_remove_and_add_at_the_frame_each_in_one_undo_step(seen: Seen) -> None:
    state, _ = seen
    first, second, third = state["found"][0]
    assert state["remove"] == [[first, third], True]
    (_, added, _), edited = state["add"]
    assert second[0] <= added[0] <= 32.0 <= added[1] <= second[1]
    assert edited
    assert state["reset"] == state["found again"] == state["found"]
    assert (state["add again"], state["remove again"]) == (state["add"], state["remove"])


def test_a_button_locks_the_feet_of_an_action(seen: Seen) -> None:
    state, _ = seen
    action, skating, actions = state["skating"]
    assert (action, actions) == ("Skating", ["Skating", "Walk"])
    assert min(skating) > 0.1
    action, locked, actions = state["locked"]
    assert (action, actions) == ("Skating locked", ["Skating", "Skating locked", "Walk"])
    assert max(locked) < 0.5 * min(skating)


def test_the_panel_keeps_toes_above_a_plane(seen: Seen) -> None:
    state, _ = seen
    made, free = state["toes FREE"]
    assert made
    assert free < -0.02
    made, above = state["toes ABOVE"]
    assert made
    assert above > -1e-3


def test_a_contact_is_removed_and_found_again_by_buttons(seen: Seen) -> None:
    state, _ = seen
    assert sum(a != b for a, b in zip(state["remove_contact"], state["reset_contacts"], strict=True)) == 1


def test_a_planted_foot_stands_still_in_a_transition_if_it_is_locked(seen: Seen) -> None:
    state, folder = seen
    assert state["ball OFF"] > 0.02
    assert state["ball LOCK"] < 0.001
    assert changed(folder, "transition OFF", "transition LOCK", state["view"]).mean() > 0.0002


def test_feet_are_locked_anew_by_a_bar_that_was_dragged(seen: Seen) -> None:
    state, _ = seen
    held, edited = state["held"]
    assert not edited
    shorter, edited = state["shorter"]
    assert edited
    assert shorter == [[held[0][0], pytest.approx(held[0][1] - 4.0, abs=1.0)], *held[1:]]
    assert state["relocked"] == state["shorter"]
    assert state["free again"] < -0.002
