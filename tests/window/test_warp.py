# SPDX-License-Identifier: GPL-3.0-or-later
"""A warp in a real window: an animator chooses where a walk arrives, bakes it, and moves the place."""

from __future__ import annotations

import pytest

from tests.window.pictures import Seen, need_pictures

pytestmark = pytest.mark.window

PARTS = ("warp",)


def test_an_empty_at_the_cursor_is_arrived_at_without_another_object(seen: Seen) -> None:
    state, _ = seen
    assert state["before"]["warp"] == ""
    assert state["chosen"]["warp"] == "Arrival"
    assert state["chosen"]["mark"] == pytest.approx([0.4, -1.3, 0.0])


def test_the_character_arrives_there(seen: Seen) -> None:
    state, _ = seen
    assert state["baked"]["assigned"] == "Walk to Bend"
    assert state["baked"]["hips"][:2] == pytest.approx([0.4, -1.3], abs=1e-4)


def test_update_follows_the_place_and_undo_takes_that_back(seen: Seen) -> None:
    state, _ = seen
    assert state["updated"]["hips"][:2] == pytest.approx([0.7, -1.3], abs=1e-4)
    assert state["undone"]["hips"] == pytest.approx(state["baked"]["hips"], abs=1e-5)


def test_the_warp_is_taken_out_at_a_press(seen: Seen) -> None:
    assert seen.state["nowhere"]["warp"] == ""


@pytest.mark.parametrize("name", ["chosen", "baked", "nowhere"])
def test_the_panel_was_drawn(seen: Seen, name: str) -> None:
    need_pictures(seen.folder)
    assert (seen.folder / f"{name}.png").stat().st_size > 20_000
