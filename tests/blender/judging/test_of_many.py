# SPDX-License-Identifier: GPL-3.0-or-later
"""Many transitions between two clips are judged together as each is by itself, but for rounding."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as how
from hypothesis import strategies as st

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender.judging import verdict
from inertia_addon.blender.judging.played import Footage
from inertia_addon.blender.judging.verdict import Verdict
from inertia_addon.blender.transition import bake
from inertia_addon.blender.transition.meeting import PlanOptions
from inertia_addon.motion.steps import finish
from inertia_addon.settings.transition import TransitionSettings
from tests.blender import stepper

CASES = st.fixed_dictionaries(
    {
        "cut": st.sampled_from((20.0, 31.0, 44.5)),
        "destination_frame": st.integers(2, 60).map(float),
        "blend_frames": st.sampled_from((6.0, 25.0)),
        "feet": st.sampled_from(("OFF", "AUTO")),
        "destination_cycle": st.sampled_from(("ON", "OFF")),
        "root": st.sampled_from(("", "hips")),
    }
)


@pytest.fixture(scope="module")
def walks() -> Any:
    """A biped with two walks."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    armature = stepper.biped()
    stepper.walk(armature, "Walk", frames=55)
    stepper.walk(armature, "Late", frames=70, late=0.2)
    return armature


def judged(armature: Any, case: dict[str, Any], footage: Footage) -> Verdict:
    settings = TransitionSettings("Walk", "Late", **case)
    plan = finish(bake.plan_transition_steps(armature, settings, PlanOptions(footage=footage, constants={})))
    return finish(verdict.of_played(plan.evidence))


def rounded(found: Verdict) -> Any:
    """A verdict's values: of a cycle that is shared the last bit of a sum may be another."""
    text = json.dumps(dataclasses.asdict(found), default=str)
    return json.loads(text, parse_float=lambda number: round(float(number), 12))


@how(max_examples=2)
@given(st.lists(CASES, min_size=2, max_size=2))
def test_transitions_that_are_judged_together_are_judged_as_by_themselves(
    walks: Any, cases: list[dict[str, Any]]
) -> None:
    footage = Footage()
    with footage.of_many():
        together = [judged(walks, case, footage) for case in cases]
    by_themselves = [judged(walks, case, Footage()) for case in cases]
    assert list(map(rounded, together)) == list(map(rounded, by_themselves))


def curves_of(armature: Any, settings: TransitionSettings, footage: Footage) -> dict[Any, bytes]:
    plan = finish(bake.plan_transition_steps(armature, settings, PlanOptions(footage=footage, constants={})))
    return {at: getattr(curve, "keys", curve).points.tobytes() for at, curve in plan.slots[0].curves.items()}


@pytest.mark.parametrize("feet", ["OFF", "LOCK"])
def test_entries_in_a_row_have_the_very_keys_that_each_has_alone(walks: Any, feet: str) -> None:
    footage = Footage()
    # of one cut, of another one in between, and with velocities that come of other frames
    row = [(31.0, 5.0), (31.0, 12.0), (24.0, 12.0), (31.0, 20.0)]
    differences = ("CENTRAL", "CENTRAL", "CENTRAL", "BACKWARD")
    with footage.of_many():
        for (cut, entry), difference in zip(row, differences, strict=True):
            settings = TransitionSettings(
                "Walk", "Late", cut, destination_frame=entry, feet=feet, difference=difference
            )
            alone = curves_of(walks, settings, Footage())
            assert curves_of(walks, settings, footage) == alone
