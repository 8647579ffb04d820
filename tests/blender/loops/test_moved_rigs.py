# SPDX-License-Identifier: GPL-3.0-or-later
"""A loop is the same wherever the rig stands, however large it is, and whatever it hangs from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import bpy
import numpy as np
import pytest

from inertia_addon.blender.loops import bake
from inertia_addon.motion.steps import finish
from inertia_addon.settings.loops import LoopSettings
from tests.blender import builders, led_walker, stepper, walkers
from tests.blender.placing import PLACES, assert_moved, put


def bends() -> Any:
    """A walk that turns as it goes."""
    armature = walkers.character()
    walkers.walk(armature, "Walk", "Hips", 0.4, 0.02)
    return armature


def plain_legs() -> Any:
    armature = stepper.biped()
    stepper.walk(armature, "Walk", 70, skate=0.1)
    return armature


def led() -> Any:
    """A control rig."""
    armature = led_walker.led(parent="")
    led_walker.walk(armature, "Walk", 70, skate=0.1)
    return armature


RIGS: dict[str, Callable[[], Any]] = {rig.__name__: rig for rig in (bends, plain_legs, led)}


@pytest.mark.variants(2)
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("rig", RIGS)
def test_a_loop_is_the_same_elsewhere(fresh_file: None, rig: str, place: str) -> None:
    armature = RIGS[rig]()
    start, end = (6.0, 36.5) if rig == "bends" else (8.0, 30.0)
    settings = LoopSettings("Walk", start, end, lock_feet=rig != "bends", assign=False)

    def made() -> tuple[Any, np.ndarray]:
        report = finish(bake.make_loop_steps(armature, settings))
        frames = np.linspace(*report.frame_range, 12)
        return report, builders.played(armature, bpy.data.actions[report.result], frames)

    report, before = made()
    there = put(armature, place)
    again, after = made()
    assert_moved(there, before, after)
    assert again.heading_degrees == pytest.approx(report.heading_degrees, abs=0.01)
    was, now = (builders.rigid(one) for one in (report, again))
    # in metres, which are the same
    now[:3, 3] /= bpy.context.scene.unit_settings.scale_length
    np.testing.assert_allclose(np.linalg.inv(there) @ now @ there, was, atol=2e-4)
    assert again.quality.gap == pytest.approx(report.quality.gap, rel=1e-2, abs=2e-5)
    assert again.verdict.rating == report.verdict.rating
    assert again.verdict.total == pytest.approx(report.verdict.total, rel=0.05, abs=1e-3)
    assert again.quality.seam == pytest.approx(report.quality.seam, rel=0.05)
