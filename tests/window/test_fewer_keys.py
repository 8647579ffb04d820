# SPDX-License-Identifier: GPL-3.0-or-later
"""Fewer keys in a real window: an animator makes an action of them, reads how many are left, and takes it
back."""

from __future__ import annotations

import re

import pytest

from tests.window.pictures import Seen

pytestmark = pytest.mark.window

PARTS = ("fewer_keys",)


def test_a_button_makes_an_action_of_fewer_keys(seen: Seen) -> None:
    state, _ = seen
    before, made = state["before"], state["made"]
    assert made["assigned"] == "Walk fewer keys"
    assert made["keys"]["Walk"] == before["keys"]["Walk"]
    assert made["keys"]["Walk fewer keys"] < 0.5 * made["keys"]["Walk"]


def test_the_panel_says_how_many_keys_are_left(seen: Seen) -> None:
    state, _ = seen
    said = re.compile(r"([\d,]+) of ([\d,]+) keys, ([\d.]+) cm off at most\.")
    assert not any(map(said.match, state["lines before"]))
    (line,) = filter(None, map(said.match, state["lines"]))
    keys, before = (int(line[i].replace(",", "")) for i in (1, 2))
    assert [keys, before] == [state["made"]["keys"][name] for name in ("Walk fewer keys", "Walk")]
    assert 0.0 < float(line[3]) <= 0.5


def test_fewer_keys_are_taken_back_by_one_undo(seen: Seen) -> None:
    state, _ = seen
    assert state["undone"] == state["before"]
