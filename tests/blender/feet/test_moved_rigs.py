# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet are locked alike wherever the rig stands, however large it is, and whatever it hangs from."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
import pytest

from inertia_addon.blender.data import clip_store
from inertia_addon.blender.evaluation.character import read_character
from inertia_addon.blender.feet import bake, contacts
from inertia_addon.motion.steps import finish
from inertia_addon.settings.feet import LockSettings
from tests.blender import builders, led_walker, stepper
from tests.blender.placing import PLACES, assert_moved, put


@pytest.mark.variants(1)
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("kind", ["plain", "led"])
def test_locked_feet_are_the_same_elsewhere(fresh_file: None, kind: str, place: str) -> None:
    walker: Any = stepper if kind == "plain" else led_walker
    armature = stepper.biped() if kind == "plain" else led_walker.led(parent="")
    walker.walk(armature, "Skating", frames=55, skate=0.1)

    def made() -> tuple[Any, np.ndarray]:
        report = finish(bake.lock_action_steps(armature, LockSettings("Skating")))
        return report, builders.played(armature, bpy.data.actions[report.result], np.arange(1.0, 55.0, 3.0))

    report, before = made()
    there = put(armature, place)
    again, after = made()
    assert_moved(there, before, after)
    assert again.drop == pytest.approx(report.drop, abs=1e-5)
    for now, was in zip((*again.before, *again.after), (*report.before, *report.after), strict=True):
        assert now.skate_m == pytest.approx(was.skate_m, abs=1e-5)
        assert [(span.start, span.end) for span in now.spans] == [
            (span.start, span.end) for span in was.spans
        ]


@pytest.mark.variants(2)
@pytest.mark.parametrize("place", PLACES)
def test_contacts_are_the_same_elsewhere(fresh_file: None, place: str) -> None:
    """In metres, and in time."""
    armature = stepper.biped()
    action = stepper.walk(armature, "Walk", frames=55)
    before = finish(contacts.read_contacts_steps(read_character(armature), clip_store.read(armature, action)))
    there = put(armature, place)
    after = finish(contacts.read_contacts_steps(read_character(armature), clip_store.read(armature, action)))
    metres = bpy.context.scene.unit_settings.scale_length
    assert_moved(there, before.points, after.points / metres)
    np.testing.assert_allclose(after.lengths, before.lengths, rtol=1e-5)
    assert after.spans == before.spans
    assert after.ground == pytest.approx(before.ground, abs=1e-5)
