# SPDX-License-Identifier: GPL-3.0-or-later
"""The overlays in a real window: they show, in their places, and the mouse works on them."""

from __future__ import annotations

import pytest

from tests.window.pictures import Seen, changed, spread

pytestmark = pytest.mark.window

PARTS = ("overlay",)
LOOKS = ("dark", "light")


def test_overlays_that_are_off_leave_no_trace(seen: Seen) -> None:
    state, folder = seen
    assert changed(folder, "off", "off again", state["view"]).mean() < 1e-4


@pytest.mark.parametrize("name", ["curves", "map", "offsets", "ghosts", "tint"])
def test_overlays_each_show(seen: Seen, name: str) -> None:
    state, folder = seen
    mask = changed(folder, "off", name, state["view"])
    assert mask.mean() > 0.0005
    left, top, right, _ = spread(mask)
    if name == "curves":
        assert top > 0.5
        assert right - left > 0.4
    if name == "map":
        assert left > 0.4


def test_a_click_on_the_map_chooses_the_pair_and_undo_takes_it_back(seen: Seen) -> None:
    state, _ = seen
    assert state["before the click"] == [30.0, None]
    assert state["clicked"] == state["cell"]
    assert state["undone"] == [30.0, None]
    assert state["clicked, playhead"] == state["cell"][0]
    assert state["undone, playhead"] == state["before the click, playhead"] == 30.0


def test_the_map_is_dragged_by_its_title_and_undo_puts_it_back(seen: Seen) -> None:
    state, _ = seen
    left, bottom, width, height = state["map"]
    assert state["moved map"] == pytest.approx([left - 200, bottom - 60, width, height], abs=1.0)
    assert state["map put back"] == state["map"]


def test_a_drag_on_a_curve_moves_the_frame_and_esc_puts_it_back(seen: Seen) -> None:
    state, _ = seen
    assert state["dragged and stopped"] == [30.0, None]
    assert state["dragged"] == [30.0, *state["dragged to"]]


def test_the_second_pair_is_tried(seen: Seen) -> None:
    state, _ = seen
    assert state["second pair"] == state["pairs"][1]


@pytest.mark.parametrize("kind", ["DOPESHEET_EDITOR", "GRAPH_EDITOR"])
def test_time_editors_show_the_cost_of_each_cut(seen: Seen, kind: str) -> None:
    state, folder = seen
    mask = changed(folder, "time off", "time on", state["time editors"][kind])
    assert mask.mean() > 0.002
    assert spread(mask)[1] > 0.3


def test_long_work_stops_at_esc_and_leaves_the_scene(seen: Seen) -> None:
    state, _ = seen
    assert "Evaluate Clips" in state["before evaluation"]
    assert state["started"] == ["RUNNING_MODAL"]
    assert state["stopped"] == [30, True]
    assert "Evaluate Clips" in state["after stopping"]


@pytest.mark.parametrize("kind", ["DOPESHEET_EDITOR", "GRAPH_EDITOR"])
def test_dragging_the_curve_below_the_keys_moves_the_cut_and_shows_it(seen: Seen, kind: str) -> None:
    frames = seen.state[f"dragged in {kind}"]
    cuts = [cut for cut, _ in frames]
    assert cuts[0] < cuts[1] < cuts[2] == cuts[3]
    assert all(cut == frame for cut, frame in frames)
