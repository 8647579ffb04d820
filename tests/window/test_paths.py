# SPDX-License-Identifier: GPL-3.0-or-later
"""Paths in a real window: an animator draws a curve, has it followed, asks for other clips and bakes."""

from __future__ import annotations

import pytest

from tests.window.pictures import Seen, changed

pytestmark = pytest.mark.window

PARTS = ("path",)


def test_a_curve_is_followed_and_searched_again_when_a_slider_is_dragged(seen: Seen) -> None:
    state, _ = seen
    found = state["found"]
    assert found["actions"] == ["Bend", "Run", "Walk"]
    assert found["length"] == pytest.approx(3.5, abs=0.05)
    assert found["joins"]
    dragged = state["dragged"]
    assert dragged["faithful"] < seen.state["slid from"]
    # what joins displace costs less than it did
    assert dragged["joins"] != found["joins"]


def test_a_join_is_picked_in_the_view_and_replaced_and_a_clip_is_pinned(seen: Seen) -> None:
    state, _ = seen
    picked = state["picked"]
    assert picked["looked_at"] == pytest.approx(picked["joins"][-1][0], abs=1e-3)
    (best,) = picked["next_best"]
    taken = state["taken"]
    assert taken["fixed"][-1][:3] == [best["action"], best["frame"], best["mirrored"]]
    # what comes before it is as it was, and it is still looked at
    last = len(picked["joins"]) - 1
    assert taken["joins"][:last] == picked["joins"][:last]
    assert taken["joins"][last][0] == picked["joins"][last][0]
    assert taken["joins"][last][2] == {name: best[name] for name in ("action", "frame", "mirrored")}
    assert taken["looked_at"] == picked["looked_at"]
    # a clip is forbidden, which one undo takes back
    assert state["forbidden"]["bans"] == [taken["joins"][last][2]["action"]]
    assert state["forbidden"]["joins"] != taken["joins"]
    assert state["allowed"] == taken
    (pinned,) = state["pinned"]["pins"]
    assert pinned[3] == pytest.approx(1.5, abs=0.05)


def test_a_path_is_baked_and_one_undo_takes_it_back(seen: Seen) -> None:
    state, _ = seen
    baked = state["baked"]
    (made,) = set(baked["actions"]) - {"Bend", "Run", "Walk"}
    assert baked["assigned"] == made
    assert len(baked["markers"]) > 1
    assert state["undone"] == state["pinned"]
    assert state["redone"] == baked


def test_the_joins_of_a_rig_that_blender_plays_are_judged(seen: Seen) -> None:
    state, _ = seen
    led = state["led"]
    assert led["assigned"] not in ("", "Walk", "Late")
    assert len(led["rated"]) == led["cuts"] > 0
    assert set(led["rated"]) <= {"GOOD", "FAIR", "POOR"}


def test_the_path_is_drawn_and_follows_the_curve(seen: Seen) -> None:
    state, folder = seen
    assert changed(folder, "found", "moved", state["view"]).mean() > 0.002


def test_the_way_goes_around_a_post(seen: Seen) -> None:
    state, folder = seen
    straight, around = state["around"]
    assert straight < 0.1
    assert around > 0.4
    assert changed(folder, "around 1", "around 2", state["view"]).sum() > 100


def test_goals_are_set_with_the_cursor_on_a_frame(seen: Seen) -> None:
    state, folder = seen
    goals = state["goals"]
    assert [frame for frame, _ in goals["set"]] == [30.0, 54.0]
    assert [round(at, 2) for _, at in goals["set"]] == [0.6, 0.6]
    assert max(goal["off_m"] for goal in goals["met"]) < 0.01
    assert len(goals["pins"]) == 2
    assert changed(folder, "around 1", "there", state["view"]).sum() > 100
