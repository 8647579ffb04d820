# SPDX-License-Identifier: GPL-3.0-or-later
"""Costs are the same wherever the rig stands, however large it is, and whatever it hangs from."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from inertia_addon.blender.cost import costing, library, meetings
from inertia_addon.blender.cost.costing import WeighedSkate
from inertia_addon.blender.evaluation import joints
from inertia_addon.blender.evaluation.character import read_character
from inertia_addon.blender.judging import verdict
from inertia_addon.blender.transition import bake
from inertia_addon.motion.steps import finish
from inertia_addon.settings.transition import TransitionSettings
from tests.blender import led_walker, stepper
from tests.blender.placing import PLACES, put

SETTINGS = TransitionSettings(
    "Walk", "Late", 20.0, 9.0, blend_frames=8.0, source_cycle="OFF", destination_cycle="OFF", assign=False
)
WEIGHT = 0.5


@pytest.mark.variants(1)
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("kind", ["plain", "led"])
def test_a_transition_costs_the_same_wherever_its_rig_is(fresh_file: None, kind: str, place: str) -> None:
    """By itself, as a map of meetings with what feet skate, and as it is judged, in metres."""
    walker: Any = stepper if kind == "plain" else led_walker
    armature = stepper.biped() if kind == "plain" else led_walker.led(parent="")
    walker.walk(armature, "Walk", skate=0.05)
    walker.walk(armature, "Late", late=0.25)

    def told() -> tuple[np.ndarray, list[float]]:
        pair = costing.read_pair(armature, SETTINGS)
        motions = finish(costing.motions(armature, pair))
        weights = joints.named_weights(armature, "found")
        plants = finish(costing.plants_of(read_character(armature), pair.destination, WEIGHT))
        compared = costing.compare(
            SETTINGS, pair.alignment, weights, motions, stepper.FPS, WeighedSkate(plants, WEIGHT)
        )
        costs, steps = meetings.start_map(compared, "FEATURE")
        done = list(steps)
        assert done == sorted(done)
        assert 0.0 <= done[0] < done[-1] <= 1.0
        plan = bake.plan_transition(armature, SETTINGS)
        seen = finish(verdict.of_played(plan.evidence))
        every = library.ClipLibrary(SETTINGS)
        finish(every.add("file", armature, weights))
        names = every.names()
        edge = every.compared(names.index("Walk"), names.index("Late")).at(20.0, 9.0)
        assert seen.skate is not None
        return costs.costs, [compared.at(20.0, 9.0), edge, seen.highest.size, seen.skate, seen.lift]

    before, figures = told()
    assert min(figures[:4]) > 1e-3
    put(armature, place)
    after, again = told()
    np.testing.assert_allclose(after, before, rtol=1e-3, atol=1e-4 * np.nanmax(before[np.isfinite(before)]))
    np.testing.assert_allclose(again, figures, rtol=1e-2, atol=1e-4)
