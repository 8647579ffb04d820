# SPDX-License-Identifier: GPL-3.0-or-later
"""The short ways of single clips and of paths, in presses of keys and of the mouse."""

from __future__ import annotations

import pytest

from tests.window.pictures import Seen

pytestmark = pytest.mark.window

PARTS = tuple(f"presses.{way}" for way in ("loop", "path", "pops", "transition", "fill", "finish"))
LEADS = {
    "loop": (3, "Walk loop", ["loop"], "Walk loop"),
    "path": (4, "Along Street", ["inertia_path"], "Run"),
    "transition": (3, "Walk to Run", ["inertia_recipe"], "Run"),
    "fill": (2, "Walk to Run", ["inertia_fill"], "Run"),
    "pops": (3, "Walk smoothed locked", ["feet", "pops"], "Run"),
    "finish": (2, "Walk finished", ["finish"], "Run"),
}
"""Of each way the most presses, what is assigned at its end, of which kinds that is, and the destination."""


def test_presses_to_a_result_are_few(seen: Seen) -> None:
    state = seen.state
    count, assigned, kinds, destination = LEADS[state["way"]]
    assert len(state["presses"]) <= count
    assert (state["assigned"], state["kinds"], state["destination"]) == (assigned, kinds, destination)
