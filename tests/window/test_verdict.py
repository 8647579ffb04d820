# SPDX-License-Identifier: GPL-3.0-or-later
"""An animator reads the verdict in a real window, goes to a fault, and presses what helps."""

from __future__ import annotations

from typing import Any

import pytest

from tests.window.pictures import Seen, need_pictures

pytestmark = pytest.mark.window

PARTS = ("verdict",)


def order(told: dict[str, Any]) -> tuple[int, float]:
    return ("GOOD", "FAIR", "POOR").index(told["rating"]), told["total"]


def test_a_click_goes_to_the_worst_fault(seen: Seen) -> None:
    before, went = seen.state["before"], seen.state["went"]
    assert before["rating"] != "GOOD"
    assert [went["bone"], went["frame"]] == before["faults"][0]
    assert (before["bone"], before["frame"]) != (went["bone"], went["frame"])


def test_the_last_verdict_is_grey_while_the_mouse_drags(seen: Seen) -> None:
    before, dragged = seen.state["before"], seen.state["dragged"]
    assert len(dragged) > 2
    assert len({blend for blend, _, _ in dragged}) > 2
    assert not any(current for _, current, _ in dragged)
    assert {total for _, _, total in dragged} == {before["total"]}


def test_the_new_one_is_there_once_the_mouse_rests_though_it_still_holds(seen: Seen) -> None:
    before, (blend, total), after = (seen.state[name] for name in ("before", "held", "dragged to"))
    assert blend == after["settings"]["blend_frames"]
    assert total == after["total"]
    assert total != before["total"]


@pytest.mark.parametrize("name", ["undone", "undone again"])
def test_undo_brings_back_the_verdict(seen: Seen, name: str) -> None:
    before, undone = seen.state["before"], seen.state[name]
    for part in ("settings", "rating", "total", "helps"):
        assert undone[part] == before[part]


def test_a_press_does_what_helps(seen: Seen) -> None:
    before, helped = seen.state["before"], seen.state["helped"]
    remedy = before["helps"][0]
    change = {name: pytest.approx(value) for name, value in remedy["change"].items()}
    assert helped["settings"] == {**before["settings"], **change}
    assert helped["rating"] == remedy["rating"]
    assert helped["total"] == pytest.approx(remedy["total"], rel=1e-3)
    assert order(helped) < order(before)


def test_suggest_sets_the_blend_time_alone_and_it_looks_no_worse(seen: Seen) -> None:
    before, suggested = seen.state["before"], seen.state["suggested"]
    blend = suggested["settings"]["blend_frames"]
    assert suggested["settings"] == {**before["settings"], "blend_frames": blend}
    assert 0.1 * 24 <= blend <= 24
    assert order(suggested) <= order(before)


def test_rows_below_the_verdict_do_not_jump(seen: Seen) -> None:
    places = seen.state["places"]
    assert places["before"] == places["dragged to"] == places["helped"]


@pytest.mark.parametrize("name", ["before", "grey", "helped", "suggested"])
def test_the_panel_was_drawn(seen: Seen, name: str) -> None:
    need_pictures(seen.folder)
    assert (seen.folder / f"{name}.png").stat().st_size > 20_000
