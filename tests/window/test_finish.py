# SPDX-License-Identifier: GPL-3.0-or-later
"""Takes in a real window: an animator lists what one needs, leaves some of it, mends the rest, and takes that
back."""

from __future__ import annotations

import pytest

from tests.window.pictures import Seen

pytestmark = pytest.mark.window

PARTS = ("finish",)


def test_findings_are_listed_gone_to_and_ticked_off(seen: Seen) -> None:
    state, _ = seen
    assert state["before"]["found"] == []
    listed = state["found"]["found"]
    pops = [item for item in listed if item[0] == "POP"]
    assert pops == [["POP", "Bone.001", 20.0, True], ["POP", "Bone.001", 45.0, True]]
    kind, bone, first, _ = listed[0]
    assert state["ticked off"]["found"] == [[kind, bone, first, False], *listed[1:]]
    assert state["gone to"]["frame"] == first
    assert state["gone to"]["selected"] == [bone]
    assert any("for one frame" in line for line in state["sentence"])


def test_ticked_findings_are_mended_in_a_new_action(seen: Seen) -> None:
    state, _ = seen
    assert state["mended"]["actions"] == ["Take", "Take finished"]
    assert state["mended"]["assigned"] == "Take finished"
    (left,) = (line for line in state["result"] if "left, " in line)
    (mended,) = (line for line in state["result"] if "mended, " in line)
    assert ("20: " in left, "45: " in mended) == (True, True)


def test_a_finished_take_is_taken_back_by_one_undo(seen: Seen) -> None:
    state, _ = seen
    assert state["undone"] == state["gone to"]


def test_a_take_is_put_into_another_action_by_the_popover(seen: Seen) -> None:
    state, _ = seen
    assert state["inserted"]["assigned"] == "Other with Take"
    assert state["inserted"]["actions"] == ["Other", "Other with Take", "Take"]
    assert (state["taken out"]["assigned"], state["taken out"]["actions"]) == ("Take", ["Other", "Take"])
