# SPDX-License-Identifier: GPL-3.0-or-later
"""What pops are told by: the more a motion itself may look like one, the clearer it has to be."""

from __future__ import annotations

import numpy as np
import pytest

from inertia_addon.motion.pops import expected, templates
from inertia_addon.motion.pops.templates import Pop, PopKind, Template, templates_of


def kinds(fps: float) -> dict[tuple[PopKind, int], Template]:
    """What is looked for in two seconds, by kind and by how many steps it takes."""
    fit = expected.precision(round(2.0 * fps), fps)
    return {(one.kind, len(one.values)): one for one in templates_of(fit, fps)}


def test_a_fast_turn_has_to_be_clearer_than_a_jump_and_that_than_what_leads_back() -> None:
    known = kinds(120.0)
    once, blurred = known[PopKind.STEP, 1], [known[PopKind.STEP, frames] for frames in (2, 3)]
    back = [one for (kind, _), one in known.items() if kind is not PopKind.STEP]
    assert all(one.counts < 0.95 * once.counts for one in blurred)
    assert all(once.counts < 0.95 * one.counts for one in back)


@pytest.mark.parametrize(("fps", "steps"), [(24.0, [1]), (30.0, [1]), (60.0, [1, 2, 3]), (120.0, [1, 2, 3])])
def test_jumps_take_several_frames_where_these_are_short(fps: float, steps: list[int]) -> None:
    assert [frames for kind, frames in kinds(fps) if kind is PopKind.STEP] == steps


@pytest.mark.parametrize("step", [0, 3, 11, 12, 60, 107, 120, 140, 147])
def test_a_template_is_as_the_precision_says_near_the_ends_and_far_from_them(
    step: int,
) -> None:
    fit = expected.precision(150, 60.0)
    (shape,) = [one for one in templates_of(fit, 60.0) if one.kind is PopKind.STEP and len(one.values) == 2]
    near = slice(max(step - expected.REACH, 0), min(step + 2 + expected.REACH, 150))
    steps = np.zeros((150, 1, 1))
    steps[step : step + 2] = 1.0
    wanted = fit.unforeseen(steps)[near, 0, 0] / np.sqrt(fit.diagonal(0)[near])
    np.testing.assert_allclose(shape.unforeseen(step, near), wanted, atol=2e-3 * np.abs(wanted).max())


def test_places_of_the_whole_pose_are_those_where_several_motions_pop() -> None:
    nowhere = np.zeros(3)

    def at(first: int, motions: int) -> list[Pop]:
        return [Pop(i, PopKind.STEP, first, first + 1, nowhere, nowhere, 3.0) for i in range(motions)]

    several = templates.SEVERAL
    found = templates.whole_pose_places([*at(5, several), *at(20, several - 1), *at(40, several + 1)])
    assert [place.first for place in found] == [40, 5]
