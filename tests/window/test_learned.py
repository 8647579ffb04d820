# SPDX-License-Identifier: GPL-3.0-or-later
"""Models in a real window: one is trained in the background, stopped, gone on with, and follows a path; and
several characters do, each its own."""

from __future__ import annotations

import pytest

from tests.window.pictures import Seen, changed

pytestmark = pytest.mark.window

PARTS = ("learned",)


def test_a_model_is_trained_while_blender_stays_in_hand(seen: Seen) -> None:
    state, folder = seen
    assert 0.0 < state["begun"]["done"] < 1.0
    # a key that stops something else first stops no more than that
    assert not state["played"]["plays"]
    assert 0.0 < state["played"]["done"] < 1.0
    assert state["stopped"]["done"] is None
    assert state["stopped again"]["done"] is None
    assert state["trained"]["done"] is None
    # its losses are drawn
    assert changed(folder, "before", "trained", state["view"]).mean() > 0.002


def test_a_finished_model_stays_until_another_one_takes_its_place(seen: Seen) -> None:
    state, _ = seen
    finished, stopped = state["finished"], state["stopped over it"]
    again = state["finished over it"]
    assert state["over it"]
    assert {*stopped} - {*finished} == {"walker.learning.npz"}
    assert stopped["walker.npz"] == finished["walker.npz"]
    assert {*again} - {*finished} == {"walker.npz1"}
    assert again["walker.npz1"] == finished["walker.npz"] != again["walker.npz"]


def test_the_quality_of_a_model_can_be_looked_up(seen: Seen) -> None:
    assert seen.state["checked"]


def test_a_model_follows_the_path_and_one_undo_takes_it_back(seen: Seen) -> None:
    state, _ = seen
    (made,) = set(state["baked"]["actions"]) - {*state["trained"]["actions"]}
    assert state["baked"]["assigned"] == made
    assert state["undone"] == state["trained"]


def test_a_crowd_follows_paths_of_its_own_and_one_undo_takes_it_back(seen: Seen) -> None:
    state, _ = seen
    made = set(state["together"]["actions"]) - {*state["alone"]["actions"]}
    assert len(made) == 6
    assert set(state["together"]["crowd"]) == made
    assert state["apart"] == state["alone"]


def test_undo_while_a_crowd_is_baked_gives_it_up(seen: Seen) -> None:
    state, _ = seen
    assert (state["under way"], state["still under way"]) == (["INERTIA_OT_bake_crowd"], [])
    assert state["given up"] == state["apart"]


def test_a_model_is_steered_and_its_take_kept_and_undone(seen: Seen) -> None:
    state, _ = seen
    # from above the key S is down, which is against y
    assert state["steered"][1] < -0.3
    assert state["shows"] == "walker"
    take = state["take"]
    assert set(take["actions"]) - set(state["to steer"]["actions"]) == {take["assigned"]}
    assert take["assigned"].startswith("Steered")
    # it stands at first, goes, and stops, of which two seconds were taken back
    assert take["wishes"] >= 3
    assert state["take undone"]["actions"] == state["to steer"]["actions"]


def test_a_folder_of_networks_is_imported_and_follows_the_path(seen: Seen) -> None:
    state, _ = seen
    without_compressor, frames, fastest = state["imported"]
    assert (without_compressor, frames) == (True, 500)
    assert 0.0 < fastest[1] < 10.0
    assert set(state["by networks"]["actions"]) - set(state["take undone"]["actions"])
