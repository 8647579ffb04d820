# SPDX-License-Identifier: GPL-3.0-or-later
"""A first-time animator's work in a real window, from an opened file to a saved transition."""

from __future__ import annotations

import numpy as np
import pytest

from tests.window.pictures import Seen, changed, spread

pytestmark = pytest.mark.window

PARTS = ("workflow",)
DEFAULT = 10.0
"""Frames that a blend takes until that is set."""
MOST_PRESSES = 6
"""Clicks and keys from an opened file with two cycles to a transition that plays, at the best cut."""


def test_a_transition_at_the_best_cut_plays_after_six_presses(seen: Seen) -> None:
    state, _ = seen
    assert state["playing"]
    assert state["stopped"]
    first, last, shown = state["played"]
    assert first < state["baked"]["settings"]["cut"] < last - 12
    assert shown > 4
    assert len(state["presses"]) <= MOST_PRESSES, state["presses"]


def test_a_click_chooses_both_actions_where_there_are_two(seen: Seen) -> None:
    settings = seen.state["chosen"]["settings"]
    assert (settings["source"], settings["destination"]) == ("Walk", "Run")
    assert seen.state["chosen"]["actions"] == ["Run", "Walk"]


def test_the_cost_curve_shows_where_the_best_cut_is(seen: Seen) -> None:
    state, folder = seen
    mask = changed(folder, "without curve", "curve", state["view"])
    assert mask.mean() > 0.02
    assert spread(mask)[1] > 0.5
    frames, costs = np.array(state["costs"]["frames"]), np.array(state["costs"]["costs"])
    # a cycle may be left at any of its frames
    assert state["best pair"]["settings"]["cut"] == frames[int(np.argmin(costs))]
    assert max(costs) > 2.0 * min(costs)


def test_undo_and_redo_take_the_bake_back_and_make_it_again(seen: Seen) -> None:
    state, _ = seen
    assert state["baked"]["actions"] == ["Run", "Walk", "Walk to Run"]
    assert state["baked"]["assigned"] == "Walk to Run"
    assert state["undone"] == state["best pair"]
    assert state["redone"] == state["baked again"] == state["baked"]


def test_the_redo_panel_changes_the_blend_time(seen: Seen) -> None:
    state, _ = seen
    before, after = state["baked again"], state["adjusted"]
    assert before["recipe"]["blend_frames"] is None
    assert after["recipe"]["blend_frames"] == pytest.approx(DEFAULT + 1.0)
    assert {**after["recipe"], "blend_frames": None} == {**before["recipe"], "blend_frames": None}
    assert after["actions"] == before["actions"]
    assert after["keys"] != before["keys"]
    # the next bake starts from there
    assert after["settings"] == {**before["settings"], "blend_frames": after["recipe"]["blend_frames"]}


def test_rebaking_follows_the_source_and_keeps_the_recipe(seen: Seen) -> None:
    state, _ = seen
    # a rebake keeps the name
    assert state["rebaked"]["recipe"] == {**state["adjusted"]["recipe"], "result": "Walk to Run"}
    assert state["rebaked"]["actions"] == state["adjusted"]["actions"]
    assert state["rebaked"]["keys"] != state["adjusted"]["keys"]


def test_saving_and_loading_brings_back_settings_result_and_overlay(seen: Seen) -> None:
    state, folder = seen
    assert state["loaded"] == state["saved"] == state["rebaked"]
    assert state["loaded"]["curves"]
    assert changed(folder, "saved", "loaded", state["view"]).mean() < 0.002
