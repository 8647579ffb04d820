# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel in a real window: an animator opens the tab, presses Bake Transition, and takes it back."""

from __future__ import annotations

import pytest

from tests.window.pictures import Seen, need_pictures

pytestmark = pytest.mark.window

PARTS = ("panel",)


BEFORE = {"actions": ["Run", "Walk"], "assigned": "Run", "mode": "POSE", "cut": None}
AFTER = {"actions": ["Run", "Walk", "Walk to Run"], "assigned": "Walk to Run", "mode": "POSE", "cut": 20.0}


def test_the_button_is_there_and_bakes(seen: Seen) -> None:
    assert seen.state["before"] == BEFORE
    assert seen.state["pressed"] == AFTER


def test_the_buttons_of_a_bake_are_in_sight_on_a_screen_of_900_pixels(seen: Seen) -> None:
    """In Blender's default layout, without scrolling, the assigned result's box above it or not."""
    height, hovered = seen.state["in sight"]
    assert 600 < height < 760
    for needed in ("inertia.source", "inertia.destination", "inertia.cut", "find_meeting", "blend_time"):
        assert any(needed in button for button in hovered), needed
    assert "inertia.bake_transition" in hovered[-1]
    again = seen.state["in sight of a result"]
    assert any("goal='PAIR'" in button for button in again)
    assert "inertia.bake_transition" in again[-1]


def test_a_bake_that_is_adjusted_leaves_one_action(seen: Seen) -> None:
    assert seen.state["adjusted"] == {**AFTER, "cut": 21.0}


def test_a_bake_is_taken_back_by_one_undo(seen: Seen) -> None:
    assert seen.state["undone"] == BEFORE


@pytest.mark.parametrize("name", ["before", "pressed", "adjusted", "undone"])
def test_the_panel_was_drawn(seen: Seen, name: str) -> None:
    need_pictures(seen.folder)
    # A black or empty window packs into next to nothing.
    assert (seen.folder / f"{name}.png").stat().st_size > 20_000
