# SPDX-License-Identifier: GPL-3.0-or-later
"""What plays above the clips' strips makes of them what the action shows, whatever the clips are made of."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

from inertia_addon.motion import quaternion
from inertia_addon.settings.transition import TransitionSettings
from tests.blender import builders
from tests.blender.nla.strip_poses import away, both

pytestmark = pytest.mark.usefixtures("fresh_file")

SETTINGS = TransitionSettings("Walk", "Run", 20.0, 5.0, blend_frames=12.0, alignment="NONE")


def character(*, noisy: bool) -> Any:
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


@pytest.mark.variants(2)
@pytest.mark.parametrize("noisy", [False, True])
@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"bones": ("A",)},
        {"source_cycle": "ON"},
        {"source_cycle": "ON", "cut": 43.0},
        {"source_cycle": "ON", "cut": 96.5, "destination_cycle": "ON"},
        {"destination_cycle": "ON"},
    ],
    ids=("plain", "some bones", "from a cycle", "again", "from a cycle into one", "into a cycle"),
)
def test_strips_show_what_the_action_does(changes: dict[str, Any], *, noisy: bool) -> None:
    armature = character(noisy=noisy)
    # noise goes its own way between frames
    assert_same(armature, dataclasses.replace(SETTINGS, **changes), 1.0 if noisy else 0.5)


def assert_same(armature: Any, settings: TransitionSettings, step: float = 0.5) -> None:
    """Strips and action show the same on frames; between them what is combined is led from frame to frame."""
    frames, baked, shown, _ = both(armature, settings, step)
    apart, whole = away(baked, shown), frames == np.round(frames)
    assert apart[whole].max() < 1e-3, frames[whole][int(np.argmax(apart[whole]))]
    assert apart.max() < 1e-2, frames[int(np.argmax(apart))]
    # up to the cut nothing is
    assert apart[frames < settings.cut].max() < 1e-3


@pytest.mark.variants(3)
@pytest.mark.parametrize("cycles", [False, True])
@pytest.mark.parametrize(
    "keyed", [((1, 2), (1, 2)), ((0, 1, 2), (1, 2)), ((1, 2), ()), ((), (1, 2))], ids=str
)
@pytest.mark.parametrize(
    ("mode", "stands"),
    [
        ("QUATERNION", (0.8, 0.3, 0.4, 0.2)),
        ("XYZ", (0.5, 0.3, 0.2)),
        ("AXIS_ANGLE", (0.3, 0.5, 0.6, 0.2)),
    ],
)
def test_numbers_of_a_rotation_that_are_not_keyed_stay_where_they_stand(
    mode: str, stands: tuple[float, ...], keyed: tuple[tuple[int, ...], ...], *, cycles: bool
) -> None:
    armature = builders.rig({"A": None, "B": "A"})
    prop, _ = quaternion.rotation_property(mode)
    for name, indices, phase in zip(("Walk", "Run"), keyed, (0.3, 1.2), strict=True):
        made = builders.action(name)
        for i in indices:
            builders.wave(made, builders.bone_path("A", prop), i, 0.4, phase=phase + i)
        builders.wave(made, builders.bone_path("B", "location"), 0, 0.3, phase=phase)
    for bone in armature.pose.bones:
        bone.rotation_mode = mode
    setattr(armature.pose.bones["A"], prop, stands)
    armature.animation_data_create()
    how = {"source_cycle": "ON", "cut": 70.0} if cycles else {}
    assert_same(armature, dataclasses.replace(SETTINGS, **how))
