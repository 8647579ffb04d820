# SPDX-License-Identifier: GPL-3.0-or-later
"""What pops are told by: the more a motion itself may look like one, the clearer it has to be."""

from __future__ import annotations

import pytest

from inertia_addon.motion.pops import expected
from inertia_addon.motion.pops.templates import Kind, Template, templates_of


def kinds(fps: float) -> dict[tuple[Kind, int], Template]:
    """What is looked for in two seconds, by kind and by how many steps it takes."""
    fit = expected.precision(round(2.0 * fps), fps)
    return {(one.kind, len(one.values)): one for one in templates_of(fit, fps)}


def test_what_may_be_a_fast_turn_has_to_be_clearer_than_a_jump_and_that_than_what_leads_back() -> None:
    known = kinds(120.0)
    once, blurred = known[Kind.STEP, 1], [known[Kind.STEP, frames] for frames in (2, 3)]
    back = [one for (kind, _), one in known.items() if kind is not Kind.STEP]
    assert all(one.counts < 0.95 * once.counts for one in blurred)
    assert all(once.counts < 0.95 * one.counts for one in back)


@pytest.mark.parametrize(("fps", "steps"), [(24.0, [1]), (30.0, [1]), (60.0, [1, 2, 3]), (120.0, [1, 2, 3])])
def test_jumps_take_several_frames_where_these_are_short(fps: float, steps: list[int]) -> None:
    assert [frames for kind, frames in kinds(fps) if kind is Kind.STEP] == steps
