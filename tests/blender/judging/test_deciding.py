# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether locked feet look better, of whatever was judged."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender.judging import deciding
from inertia_addon.blender.judging.verdict import Fault, Verdict
from inertia_addon.motion.judging import faults
from inertia_addon.motion.judging.faults import Change

ratings = st.sampled_from(faults.RATED)
judged = st.builds(SimpleNamespace, rating=ratings, total=st.floats(0.0, 1e4))


def rank(each: Any) -> int:
    return faults.RATED.index(each.rating)


@given(judged, judged)
def test_automatic_is_never_worded_worse_nor_has_the_higher_total_of_the_same_word(a: Any, b: Any) -> None:
    chosen, other = (b, a) if deciding.decide([a], [b]) else (a, b)
    assert rank(chosen) <= rank(other)
    assert rank(chosen) < rank(other) or chosen.total <= other.total
    assert not deciding.decide([a], [a])


@given(st.lists(st.tuples(judged, judged), min_size=1, max_size=4))
def test_a_choice_that_is_better_in_each_part_is_better(pairs: list[tuple[Any, Any]]) -> None:
    better = [min(pair, key=lambda each: (rank(each), each.total)) for pair in pairs]
    worse = [SimpleNamespace(rating=each.rating, total=each.total + 1.0) for each in better]
    assert deciding.decide(worse, better)
    assert not deciding.decide(better, worse)


def test_skating_feet_that_are_left_free_say_why() -> None:
    free = made_up(Fault(faults.SKATE, 0.1, 0.0, 1.5, "toe.L", "", 20.0))
    locked = made_up(Fault(faults.POP, 2.0, 1.0, 1.9, "shin.L", "", 24.0))
    (said,) = deciding.explain_free(free, locked)
    assert '"shin.L" pops at 24, 2.0 times as hard as anything in the clips' in said
    assert "Choose Lock" in said
    # nobody asks why feet are free that are not seen to skate
    assert deciding.explain_free(locked, free) == ()


def made_up(fault: Fault) -> Verdict:
    """The verdict on a transition with a single fault."""
    none = Change(0.0, 0.0)
    return Verdict("FAIR", (fault,), fault.severity**2, none, none, none, 0.0, 0.0, 0.0, 32.0)
