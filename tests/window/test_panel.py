# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel in a real window: an animator opens the tab, presses Bake Transition, and takes it back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.window.launcher import RealBlender, reported

pytestmark = pytest.mark.window

STEPS = Path(__file__).with_name("panel_steps.py")


@pytest.fixture(scope="module")
def seen(installed_blender: RealBlender) -> Any:
    """What happened in the window; its pictures lie in the Blender's folder."""
    return reported(installed_blender.drive(STEPS).check())


BEFORE = {"actions": ["Run", "Walk"], "assigned": "Run", "mode": "POSE", "cut": None}
AFTER = {"actions": ["Run", "Walk", "Walk to Run"], "assigned": "Walk to Run", "mode": "POSE", "cut": 20.0}


def test_the_button_is_there_and_bakes(seen: Any) -> None:
    assert seen["before"] == BEFORE
    assert seen["pressed"] == AFTER


def test_adjusting_it_leaves_one_action(seen: Any) -> None:
    assert seen["adjusted"] == {**AFTER, "cut": 21.0}


def test_one_undo_takes_it_back(seen: Any) -> None:
    assert seen["undone"] == BEFORE


def test_the_panel_was_drawn(seen: Any, installed_blender: RealBlender) -> None:
    for name in ("before", "pressed", "adjusted", "undone"):
        picture = installed_blender.folder / f"{name}.png"
        if not picture.exists():
            pytest.skip("ImageMagick's import is not installed beside this Blender, so there are no pictures")
        # A black or empty window packs into next to nothing.
        assert picture.stat().st_size > 20_000
