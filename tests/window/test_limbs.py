# SPDX-License-Identifier: GPL-3.0-or-later
"""An animator lists the limbs of a Rigify human in a real window, where the panel is drawn, and undoes it."""

from __future__ import annotations

import pytest

from tests.window.pictures import Seen, need_pictures

pytestmark = pytest.mark.window

PARTS = ("limb",)


def test_find_lists_them_and_leaves_the_pose(seen: Seen) -> None:
    assert seen.state["before"]["listed"] == []
    found = {tuple(row) for row in seen.state["found"]["listed"]}
    assert len(found) == 4
    assert ("foot_ik.L", "thigh_parent.L", "IK_FK", "foot_ik.L") in found
    assert {**seen.state["found"], "listed": []} == seen.state["before"]
    assert seen.state["before"]["posed"] == 0.1


def test_limbs_are_taken_back_by_one_undo(seen: Seen) -> None:
    assert seen.state["undone"] == seen.state["before"]


def test_the_panel_was_drawn(seen: Seen) -> None:
    need_pictures(seen.folder)
    assert (seen.folder / "found.png").stat().st_size > 20_000
