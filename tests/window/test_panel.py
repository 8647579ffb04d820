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


def test_adjusting_it_leaves_one_action(seen: Seen) -> None:
    assert seen.state["adjusted"] == {**AFTER, "cut": 21.0}


def test_one_undo_takes_it_back(seen: Seen) -> None:
    assert seen.state["undone"] == BEFORE


@pytest.mark.parametrize("name", ["before", "pressed", "adjusted", "undone"])
def test_the_panel_was_drawn(seen: Seen, name: str) -> None:
    need_pictures(seen.folder)
    # A black or empty window packs into next to nothing.
    assert (seen.folder / f"{name}.png").stat().st_size > 20_000
