# SPDX-License-Identifier: GPL-3.0-or-later
"""An animator has a rig judged that Blender has to play, in a real window, and presses what helps."""

from __future__ import annotations

import pytest

from tests.window.pictures import Seen, need_pictures

pytestmark = pytest.mark.window

PARTS = ("control_verdict",)


def test_a_control_rig_is_judged_by_a_press(seen: Seen) -> None:
    assert seen.state["unjudged"]["rating"] is None
    assert seen.state["before"]["current"]
    assert seen.state["before"]["rating"] in ("FAIR", "POOR")
    assert seen.state["before"]["helps"]


def test_the_last_verdict_is_grey_after_a_change(seen: Seen) -> None:
    before, grey = seen.state["before"], seen.state["grey"]
    assert (grey["current"], grey["total"]) == (False, before["total"])


def test_the_same_settings_are_judged_alike(seen: Seen) -> None:
    before, again = seen.state["before"], seen.state["again"]
    for part in ("settings", "rating", "total", "helps"):
        assert again[part] == before[part]


def test_a_press_does_what_helps(seen: Seen) -> None:
    before, helped = seen.state["again"], seen.state["helped"]
    remedy = before["helps"][0]
    change = {name: pytest.approx(value) for name, value in remedy["change"].items()}
    assert helped["settings"] == {**before["settings"], **change}
    assert helped["rating"] == remedy["rating"]
    assert helped["total"] == pytest.approx(remedy["total"], rel=1e-3)


@pytest.mark.parametrize("feet", ["OFF", "AUTO", "LOCK"])
def test_a_verdict_after_a_change_has_blender_show_twenty_frames_at_most(seen: Seen, feet: str) -> None:
    counts = seen.state["shown"][feet]
    assert len(counts) >= 3
    assert max(counts) <= 20
    # while the first one looks at both clips
    assert seen.state["shown"]["first"][0] > 40


@pytest.mark.parametrize("name", ["before", "grey", "helped"])
def test_the_panel_was_drawn(seen: Seen, name: str) -> None:
    need_pictures(seen.folder)
    assert (seen.folder / f"{name}.png").stat().st_size > 20_000
