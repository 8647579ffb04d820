# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel in a real window: an animator opens the tab, presses Bake Transition, and takes it back."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.window.launcher import RealBlender
from tests.window.pictures import Seen, need_pictures, watch

pytestmark = pytest.mark.window

STEPS = Path(__file__).with_name("panel_steps.py")


@pytest.fixture(scope="module")
def seen(installed_blender: RealBlender) -> Seen:
    """What happened in the window, and its pictures."""
    return watch(installed_blender, STEPS)


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
    _, folder = need_pictures(seen, name)
    # A black or empty window packs into next to nothing.
    assert (folder / f"{name}.png").stat().st_size > 20_000
