# SPDX-License-Identifier: GPL-3.0-or-later
"""What else an animator presses in a real window: pickers, going on, poses, jumps, lists, crowds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.window.pictures import Seen

pytestmark = pytest.mark.window

PARTS = ("day",)
CLIPS = ["A Camera", "Jump", "Run", "Walk"]
CYCLE = 60.0
"""Frames of Run, which is found to be a cycle."""


def test_the_picker_offers_the_actions_of_the_armature_first(seen: Seen) -> None:
    state, _ = seen
    assert state["begun"]["ends"] == ["Walk", ""]
    assert state["begun"]["actions"] == CLIPS
    assert state["picked"] == {**state["begun"], "ends": ["Walk", "Run"]}


def test_the_playhead_follows_the_cut_until_the_toggle_says_otherwise(seen: Seen) -> None:
    state, _ = seen
    assert state["cut followed"] == {**state["picked"], "cut": 31.0, "frame": 31.0}
    assert state["cut alone"] == {**state["cut followed"], "cut": 32.0}


def test_a_menu_says_what_is_a_cycle(seen: Seen) -> None:
    assert (seen.state["no cycle"], seen.state["a cycle again"]) == ("OFF", "AUTO")


def test_a_cycle_goes_on_as_its_menu_says(seen: Seen) -> None:
    state, _ = seen
    before, baked = state["not gone on"], state["gone on"]
    assert before == {**state["cut alone"], "go on": "CYCLES"}
    assert (baked["assigned"], baked["actions"]) == ("Walk to Run", [*CLIPS, "Walk to Run"])
    assert baked["last"] == baked["cut"] + 2 * CYCLE


def test_the_pose_becomes_the_source_and_undo_gives_the_former_one_back(seen: Seen) -> None:
    state, _ = seen
    posed, used = state["posed"], state["pose used"]
    changes = {"actions": sorted([*CLIPS, "Rig Pose"]), "ends": ["Rig Pose", "Run"], "cut": posed["frame"]}
    assert used == {**posed, **changes}
    assert state["kept turn"] == 0.5
    assert state["pose taken back"] == posed


def steepest(values: Any) -> float:
    return float(np.abs(np.diff(values)).max())


def test_a_jump_at_the_playhead_is_smoothed_in_a_new_action(seen: Seen) -> None:
    state, _ = seen
    before = state["jumping"]
    changes = {"actions": sorted([*CLIPS, "Jump smoothed"]), "assigned": "Jump smoothed"}
    assert state["smoothed"] == {**before, **changes}
    assert steepest(state["jump"]) == 0.5
    assert steepest(state["smooth"]) < 0.15
    changed = np.flatnonzero(np.array(state["jump"]) != np.array(state["smooth"]))
    assert 0 < np.ptp(changed) < 6  # within the blend time
    assert state["jumping again"] == before


def test_a_list_of_transitions_is_baked_and_a_click_shows_a_row(seen: Seen) -> None:
    state, _ = seen
    listed, baked, second = state["listed"], state["list baked"], state["second shown"]
    assert listed["listed"] == [["Walk", "Run"], ["Run", "Walk"]]
    assert baked["results"] == ["Walk to Run", "Run to Walk"]
    assert baked["actions"] == sorted([*listed["actions"], *baked["results"]])
    for shown, row in ((baked, 0), (second, 1)):
        assert shown["assigned"] == baked["results"][row]
        assert shown["frame"] == pytest.approx(baked["windows"][row], abs=1e-3)
    assert state["first shown again"] == baked
    taken_back = state["list taken back"]
    assert (taken_back["actions"], taken_back["assigned"]) == (listed["actions"], "Walk")
    assert not any(taken_back["results"])


def test_armatures_that_are_selected_are_baked_and_one_undo_takes_them_back(seen: Seen) -> None:
    state, _ = seen
    before, baked = state["selected"], state["both baked"]
    assert (baked["assigned"], baked["other"]) == ("Walk to Run", "Walk to Run, Other")
    assert baked["actions"] == sorted({*before["actions"], baked["assigned"], baked["other"]})
    assert state["neither baked"] == before
