# SPDX-License-Identifier: GPL-3.0-or-later
"""An animator previews a transition in a real window, compares it with a hard cut, and bakes it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.window.pictures import Seen

pytestmark = pytest.mark.window

PARTS = ("preview",)


def apart(state: Any, one: str, other: str) -> float:
    """How far two poses are from each other."""
    return float(np.abs(np.array(state[one]["pose"]) - np.array(state[other]["pose"])).max())


def test_a_preview_plays_around_the_window_at_once(seen: Seen) -> None:
    begun = seen.state["begun"]
    assert begun["playing"]
    assert begun["running"]
    used, start, end = begun["range"]
    assert used
    assert start < 30 < end
    first, last, frames = seen.state["seen"]
    assert start <= first < 30 < last <= end
    assert frames > 4


def test_space_stops_it_and_esc_ends_it_without_a_trace(seen: Seen) -> None:
    state = seen.state
    assert not state["stopped"]["playing"]
    assert state["stopped"]["running"]
    assert state["ended"] == state["before"]
    # to stop playing says so, with or without a preview
    assert not state["begun"]["dirty"]
    assert state["before"]["posed"][0] == 0.5


def test_a_preview_follows_the_settings(seen: Seen) -> None:
    state = seen.state
    assert apart(state, "renewed", "shown") > 0.01
    assert apart(state, "again", "renewed") > 0.01


def test_a_preview_shows_what_will_be_baked(seen: Seen) -> None:
    assert apart(seen.state, "again", "baked") == 0.0


@pytest.mark.parametrize(("cut", "after"), [("cut", "let go"), ("cut of the result", "result again")])
def test_a_preview_leaves_out_the_blend_while_the_button_is_held(seen: Seen, cut: str, after: str) -> None:
    state = seen.state
    assert apart(state, cut, after) > 0.01
    assert apart(state, "again" if cut == "cut" else "baked", after) == 0.0
    assert {**state[after], "pose": 0} == {**state["again" if cut == "cut" else "baked"], "pose": 0}


def test_saving_stores_nothing_and_the_preview_goes_on(seen: Seen) -> None:
    state = seen.state
    assert {**state["while saving"], "running": False, "dirty": False} == state["before"]
    assert apart(state, "after saving", "again") == 0.0
    assert state["after saving"]["frame"] == 34.0


def test_undo_meets_the_preview(seen: Seen) -> None:
    state = seen.state
    assert state["blend after undo"] == 6.0
    assert state["undone"]["running"]
    # what is posed and not keyed Blender 4.3 shows anew after undo, with or without a preview
    aside = {"dirty": True, "pose": [], "posed": []}
    for name in ("ended after undo", "redone"):
        assert {**state[name], **aside} == {**state["six"], **aside}, name


def test_the_character_follows_the_cut_while_the_tab_is_open(seen: Seen) -> None:
    state = seen.state
    without, following = state["without following"], state["following"]
    assert following["running"]
    assert following["frame"] == 34.0
    assert following["range"] == without["range"]
    assert apart(state, "following", "baked where it was followed") == 0.0
    assert not state["followed"]["running"]
    assert state["followed"]["noted"] == []
    assert state["followed"]["actions"] == without["actions"]
    assert state["while saving what follows"]["noted"] == []
    assert state["following after saving"]["running"]
    assert apart(state, "following after saving", "following") == 0.0
