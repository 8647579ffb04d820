# SPDX-License-Identifier: GPL-3.0-or-later
"""An animator clicks rows of the costs of a Rigify human in a real window, and takes the controls."""

from __future__ import annotations

import pytest

from tests.window.pictures import Seen, need_pictures

pytestmark = pytest.mark.window

PARTS = ("control",)


def test_a_click_takes_the_control_and_shows_its_collection(seen: Seen) -> None:
    """It was hidden; the row says what poses the hand, not what bends with it."""
    assert seen.state["hand"]["active"] == "hand_ik.L"
    assert seen.state["hand"]["selected"] == ["hand_ik.L"]
    assert "Arm.L (IK)" in seen.state["hand"]["shown"]


def test_a_limb_that_shows_fk_is_taken_by_fk(seen: Seen) -> None:
    assert seen.state["foot"]["active"] == "foot_fk.L"
    assert seen.state["foot"]["selected"] == ["foot_fk.L"]


def test_the_hips_are_taken_by_the_torso(seen: Seen) -> None:
    assert seen.state["torso"]["selected"] == ["torso"]


def test_the_best_pair_is_baked_and_plays(seen: Seen) -> None:
    assert seen.state["result"] == "Walk to Run"
    assert seen.state["entry is chosen"]
    first, last = seen.state["played"]
    assert first < seen.state["cut"] < last


@pytest.mark.parametrize("name", ["hand", "foot", "torso", "played"])
def test_the_panel_was_drawn(seen: Seen, name: str) -> None:
    need_pictures(seen.folder)
    assert (seen.folder / f"{name}.png").stat().st_size > 20_000
