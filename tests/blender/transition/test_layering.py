# SPDX-License-Identifier: GPL-3.0-or-later
"""What plays above the clips' strips makes of them what the action shows, whatever the clips are made of."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

from inertia_addon.settings.transition import TransitionSettings
from tests.blender import builders
from tests.blender.nla.strip_poses import away, both

pytestmark = pytest.mark.usefixtures("fresh_file")

SETTINGS = TransitionSettings("Walk", "Run", 20.0, 5.0, blend_frames=12.0, alignment="NONE")


def character(noisy: bool) -> Any:
    """Two bones, of one of which not all numbers are keyed."""
    armature = builders.rig({"A": None, "B": "A"})
    for bone in armature.pose.bones:
        bone.rotation_mode = "XYZ"
    for phase, name in ((0.3, "Walk"), (1.2, "Run")):
        made = builders.action(name)
        for i in range(3):
            path = builders.bone_path("A", "rotation_euler")
            curve = builders.wave(made, path, i, 0.4, phase=phase + i)
            if noisy and i != 1:
                curve.modifiers.new("NOISE").strength = 0.2
        builders.wave(made, builders.bone_path("B", "rotation_euler"), 0, 0.3, phase=phase)
        builders.wave(made, builders.bone_path("B", "location"), 0, 0.3, phase=2.0 * phase)
    armature.animation_data_create()
    return armature


@pytest.mark.parametrize("noisy", [False, True])
@pytest.mark.parametrize(
    "changes",
    [{}, {"bones": ("A",)}, {"source_cycle": "ON"}, {"destination_cycle": "ON"}],
    ids=("plain", "some bones", "from a cycle", "into a cycle"),
)
def test_strips_show_what_the_action_does(changes: dict[str, Any], noisy: bool) -> None:
    armature = character(noisy)
    frames, baked, shown, _ = both(armature, dataclasses.replace(SETTINGS, **changes))
    assert away(baked, shown).max() < 1e-3, frames[int(np.argmax(away(baked, shown)))]
