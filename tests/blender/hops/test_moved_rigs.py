# SPDX-License-Identifier: GPL-3.0-or-later
"""A hop is the same wherever the rig stands, however large it is, and whatever it hangs from."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
import pytest

from inertia_addon.blender.evaluation import joints
from inertia_addon.blender.hops import bake
from inertia_addon.blender.hops import search as hops
from inertia_addon.motion.steps import finish
from inertia_addon.settings.hops import HopSettings
from inertia_addon.settings.transition import TransitionSettings
from tests.blender import builders, led_walker, wanderer
from tests.blender.placing import PLACES, assert_moved, put


def plain() -> Any:
    return wanderer.with_clips()


def led() -> Any:
    """A control rig."""
    armature = led_walker.led(parent="")
    for number, name in enumerate(("Stand", "Bend", "Turn")):
        led_walker.walk(armature, name, 55, late=0.2 * number, skate=0.1 * number)
    return armature


@pytest.mark.variants(1)
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(
    ("rig", "distance"), [(plain, "POINT_CLOUD"), (plain, "DISPLACEMENT"), (led, "POINT_CLOUD")]
)
def test_a_hop_is_the_same_elsewhere(fresh_file: None, rig: Any, distance: str, place: str) -> None:
    armature = rig()
    once = {"source_cycle": "OFF", "destination_cycle": "OFF", "feet": "OFF", "assign": False}
    transition = TransitionSettings("Stand", "Turn", 14.0, blend_frames=6.0, **once)
    settings = HopSettings(
        transition, clips=("Bend",), find_cycles=False, weight=0.0, longest_stay=12, distance=distance
    )

    def made() -> tuple[Any, Any, np.ndarray]:
        weights = joints.named_weights(armature, "found")
        prepared = finish(hops.weighed(finish(hops.prepare(armature, settings, weights))))
        (way, *_), _ = finish(hops.ranked(prepared, 1))
        report = bake.bake_hop(armature, settings, way)
        frames = np.arange(1.0, report.cuts[-1] + 12.0, 2.0)
        return way, report, builders.played(armature, bpy.data.actions[report.result], frames)

    way, report, before = made()
    assert len(report.cuts) == 2
    there = put(armature, place)
    again, _, after = made()
    assert again.cost == pytest.approx(way.cost, rel=1e-3)
    assert_moved(there, before, after)
