# SPDX-License-Identifier: GPL-3.0-or-later
"""What an animator needs first is in sight in Blender's own workspace for animation."""

from __future__ import annotations

import pytest

from tests.window.pictures import Seen

pytestmark = pytest.mark.window

PARTS = ("sight",)


def test_the_verdict_and_the_button_that_bakes_are_in_sight_without_scrolling(seen: Seen) -> None:
    """In a window of 900 pixels, 180 less than those of usual screens."""
    assert "inertia.bake_transition" in seen.state["hovered"][-1]
    assert "inertia.go_to_fault" in seen.state["beside"][-1]


def test_a_mesh_means_its_armature_to_the_end_of_what_is_pressed(seen: Seen) -> None:
    state = seen.state
    assert state["selected"] == "Body"
    assert state["pair"]
    assert state["is active"]
    assert state["baked"] == "Walk to Run"
