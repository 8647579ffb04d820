# SPDX-License-Identifier: GPL-3.0-or-later
"""Root motion in a real window: its plots show, in their places, and edges of ramps can be dragged."""

from __future__ import annotations

import pytest

from tests.window.pictures import Seen, changed, spread

pytestmark = pytest.mark.window

PARTS = ("root_motion",)
LOOKS = ("dark", "light")


def test_root_plots_that_are_off_leave_no_trace_and_draw_nothing(seen: Seen) -> None:
    state, folder = seen
    assert changed(folder, "off", "off again", state["view"]).mean() < 1e-4
    before, on, after = state["handles"]
    assert before == after == 0 < on


def test_root_motion_shows_along_the_bottom(seen: Seen) -> None:
    state, folder = seen
    mask = changed(folder, "off", "root_motion", state["view"])
    left, top, right, bottom = spread(mask)
    assert mask.mean() > 0.1
    assert left < 0.1
    assert right > 0.9
    assert top > 0.4
    assert bottom > 0.9


def test_the_histogram_shows_at_the_left_once_actions_are_measured(seen: Seen) -> None:
    state, folder = seen
    mask = changed(folder, "off", "root_histogram", state["view"])
    left, top, right, _ = spread(mask)
    assert mask.mean() > 0.02
    assert left < 0.1
    assert right < 0.6
    assert top > 0.4
    both = changed(folder, "root_motion", "both", state["view"])
    assert spread(both)[3] < spread(mask)[3]  # it makes room


def test_springs_of_several_half_lives_show_beside_the_fit(seen: Seen) -> None:
    state, folder = seen
    speed, turn, springs = (
        state["panels"][name] for name in ("root_motion 0", "root_motion 1", "root_springs 0")
    )
    assert speed[1] == turn[1] == springs[1]
    assert speed[0] + speed[2] < turn[0]
    assert turn[0] + turn[2] < springs[0]
    added = spread(changed(folder, "off", "springs", state["view"]))
    assert added[1] > 0.4
    assert added[3] > 0.9
    # with its curves the panel is another than a plain one
    beside = changed(folder, "springs", "with springs", state["view"])
    assert beside.mean() > 0.05


def test_modes_are_listed_with_what_they_take(seen: Seen) -> None:
    state, folder = seen
    assert state["modes"]["walk"][0] == pytest.approx(1.4, rel=0.05)
    assert state["modes"]["run"][0] == pytest.approx(3.6, rel=0.05)
    # the side bar has the panel
    assert spread(changed(folder, "before modes", "modes", state["view"]))[2] > 0.9


def test_dragging_an_edge_changes_the_half_life_and_undo_takes_it_back(seen: Seen) -> None:
    state, folder = seen
    half_life, end, by_hand = state["before"]
    assert not by_hand
    assert half_life == pytest.approx(0.25, rel=0.2)
    assert state["stopped drag"][1] < end - 4.0
    assert state["stopped"] == state["before"]
    assert state["dragged drag"] == state["dragged"]
    assert state["dragged"][1] == pytest.approx(state["stopped drag"][1], abs=1.0)
    assert f"{state['dragged'][0]:.2f}" != f"{half_life:.2f}"
    assert state["dragged"][2]
    assert state["undone"] == state["before"]
    assert state["undone ranges"] == 0
    assert changed(folder, "dragged hover", "dragged drag", state["view"]).mean() > 0.001


def test_a_button_hands_the_half_life_on_and_undo_takes_it_back(seen: Seen) -> None:
    before, used, undone = seen.state["half-lives"]
    assert used == pytest.approx(seen.state["main half-life"], rel=1e-6)
    assert undone == before != used


@pytest.mark.parametrize("kind", ["DOPESHEET_EDITOR", "GRAPH_EDITOR"])
def test_time_editors_show_root_motion_below_the_keys(seen: Seen, kind: str) -> None:
    state, folder = seen
    mask = changed(folder, f"{kind} off", f"{kind} on", state[kind])
    assert mask.mean() > 0.05
    assert spread(mask)[1] > 0.4


def test_an_edge_can_be_dragged_in_the_dope_sheet(seen: Seen) -> None:
    state, _ = seen
    assert state["dragged in time"][2]
    assert state["dragged in time"][1] < state["before"][1] - 4.0
    selected, number = state["keys"]
    assert selected == number > 0
