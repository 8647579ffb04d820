# SPDX-License-Identifier: GPL-3.0-or-later
"""Buttons of searches, entries of the menu and a file browser in a real window, clicked by the mouse."""

from __future__ import annotations

import json

import numpy as np
import pytest

from tests.window.pictures import Seen

pytestmark = pytest.mark.window

PARTS = ("button",)


@pytest.mark.parametrize(("button", "which"), [("best entry", 1), ("best cut", 0)])
def test_best_entry_and_best_cut_choose_a_cheap_frame_and_undo_takes_it_back(
    seen: Seen, button: str, which: int
) -> None:
    """Not always the cheapest: of some that cost little it is the one that is judged best."""
    state = seen.state
    frames, costs = state[f"{button}, costs"]
    found = state[button][which]
    # a cycle goes on: the costs are those of one repetition
    chosen = frames.index(found if found in frames else found - (frames[-1] - frames[0]))
    assert costs[chosen] == min(costs[max(chosen - 1, 0) : chosen + 2])
    assert costs[chosen] < 0.5 * (min(costs) + np.median(costs))
    assert state[f"{button}, undone"] == state["before the search"] != state[button]


def test_complete_clips_keys_in_each_clip_what_the_other_keys(seen: Seen) -> None:
    state = seen.state
    walk, run = (set(state["keyed"][name]) for name in ("Walk", "Run"))
    assert run < walk
    assert state["completed"] == {"Walk": sorted(walk), "Run": sorted(walk)}
    assert state["uncompleted"] == state["keyed"]


def test_reset_places_puts_plots_back_and_undo_where_they_were(seen: Seen) -> None:
    assert seen.state["moved"] == []
    assert seen.state["moved again"] == ["map 0"]


def test_save_as_spec_writes_the_list_where_the_file_browser_says(seen: Seen) -> None:
    spec = json.loads((seen.folder / "night.json").read_text(encoding="utf-8"))
    (job,) = spec["transitions"]
    assert (job["source"], job["destination"]) == ("Walk", "Run")


def test_velocity_from_is_chosen_and_changes_what_is_baked(seen: Seen) -> None:
    state = seen.state
    assert state["difference"] == ["CENTRAL", "BACKWARD"]
    central, backward = (np.array(poses) for poses in state["baked"])
    dots = np.abs(np.sum(central * backward, axis=2))
    at_cut, *behind = np.degrees(2.0 * np.arccos(np.minimum(dots, 1.0))).max(axis=1)
    # both begin with the same pose, and leave it at another velocity
    assert at_cut < 0.1
    assert 0.1 < behind[0] < behind[1] < 45.0


def test_the_features_of_poses_are_chosen(seen: Seen) -> None:
    assert seen.state["features"] == ["AUTO", "INERTIALIZATION"]
