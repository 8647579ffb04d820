# SPDX-License-Identifier: GPL-3.0-or-later
"""What a fill shows in a real window is dragged, its way and a joint of a ghost, and it is found anew."""

from __future__ import annotations

import math

import pytest

from inertia_addon.settings.fill_wishes import Touch, Waypoint
from tests.window.pictures import Seen, changed

pytestmark = pytest.mark.window

PARTS = ("fill.wishes",)
CLIPS = ["Bend", "Run", "Walk"]


def test_the_way_is_dragged_and_passes_there(seen: Seen) -> None:
    state, folder = seen
    assert state["left"] == {"waypoints": "", "touches": ""}
    waypoint = Waypoint.of(state["way"]["waypoints"])
    assert waypoint.frame == 35.0
    left, top, right, bottom = state["view"]
    half = [left, top, (left + right) // 2, bottom]
    assert changed(folder, "found", "way dragged", half).sum() > 100


def test_a_joint_of_a_ghost_is_dragged_and_touches_a_point(seen: Seen) -> None:
    state, _ = seen
    assert state["joint"]["waypoints"] == state["way"]["waypoints"]
    touch, nearest = (Touch.of(state[name]["touches"]) for name in ("joint", "nearest"))
    assert (touch.bone, touch.frame) == (nearest.bone, nearest.frame)
    # a thigh alone turns about the hip, and says so with what it can
    assert touch.bone == "foot.L"
    assert 0.0 < math.dist(touch.point, nearest.point) < 0.2


def test_the_fill_that_was_dragged_is_baked_and_undone(seen: Seen) -> None:
    state, _ = seen
    assert set(state["filled"]["actions"]) - set(CLIPS) == {"Walk to Walk"}
    assert state["undone"]["actions"] == CLIPS
