# SPDX-License-Identifier: GPL-3.0-or-later
"""The daily path, two clips to a playing transition, by places that were measured before the first press."""

from __future__ import annotations

import pytest

from tests.window.pictures import Seen

pytestmark = pytest.mark.window

PARTS = ("daily",)


def test_three_presses_lead_from_two_clips_to_a_playing_transition(seen: Seen) -> None:
    state = seen.state
    assert state["paired"]["cut"] != state["start"]["cut"]
    assert state["baked"]["assigned"] == "Walk to Run"
    assert state["played"]["playing"]
    assert len(state["presses"]) == 3


@pytest.mark.parametrize("moment", ["paired", "baked"])
def test_the_panel_does_not_jump_where_it_is_clicked(seen: Seen, moment: str) -> None:
    places = seen.state["places"]
    # what plays a result stands below the other buttons, once there is one
    assert [name for name, at in places["start"].items() if at is None] == ["play"]
    assert {**places[moment], "play": None} == places["start"]
