# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a root is in a clip, and whether that goes round, as Blender itself shows it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from inertia_addon.blender.data import clip_store, rigs, roots
from inertia_addon.blender.evaluation import cycles
from tests.blender import builders

pytestmark = pytest.mark.usefixtures("fresh_file")

FRAMES = np.arange(1.0, 30.0, 3.5)


def animated(*, local: bool, inherits: bool) -> tuple[Any, Any]:
    """A root below a bone that moves, on an object that does, too."""
    armature = builders.rig({"Base": None, "Root": "Base"})
    armature.location, armature.rotation_euler = (1.0, 2.0, 0.5), (0.2, 0.1, 0.7)
    bone = armature.data.bones["Root"]
    bone.use_local_location, bone.use_inherit_rotation = local, inherits
    action = builders.action("Clip")
    for phase, path in enumerate(("Base", "Root")):
        armature.pose.bones[path].rotation_mode = "XYZ"
        for i in range(3):
            builders.wave(action, builders.bone_path(path, "location"), i, 0.5, phase=phase + i)
            builders.wave(action, builders.bone_path(path, "rotation_euler"), i, 0.6, phase=2 * phase + i)
    return armature, action


@pytest.mark.parametrize(("local", "inherits"), [(True, True), (False, True)])
def test_a_root_is_where_blender_shows_it(*, local: bool, inherits: bool) -> None:
    armature, action = animated(local=local, inherits=inherits)
    read, clip = rigs.read(armature), clip_store.read(armature, action)
    found = roots.root_matrices(read, roots.Root("Root", moves=True), clip, FRAMES)
    shown = builders.played(armature, action, FRAMES)[:, 1]
    np.testing.assert_allclose(found, shown, atol=1e-5)


def test_a_cycle_of_modifiers_goes_where_blender_shows_the_next_repetition() -> None:
    armature = builders.rig({"Root": None, "Leg": "Root"})
    action = builders.action("Walk")
    curves = [
        builders.curve(action, builders.bone_path("Root", "location"), 0, [(1, 0.0), (21, 1.5)]),
        builders.curve(action, builders.bone_path("Root", "location"), 2, [(1, 0.0), (21, -2.0)]),
        builders.wave(action, builders.bone_path("Leg", "rotation_quaternion"), 1, 0.3, 1.0, 21.0),
    ]
    for curve in curves:
        modifier = curve.modifiers.new("CYCLES")
        modifier.mode_before = modifier.mode_after = "REPEAT_OFFSET"
    clip = clip_store.read(armature, action)
    cycle = cycles.declared(rigs.read(armature), roots.Root("Root", moves=True), clip)
    assert cycle is not None
    assert (cycle.start, cycle.end, cycle.known_by) == (1.0, 21.0, "MODIFIERS")
    first, second = builders.played(armature, action, [7.0, 27.0])[:, 0]
    np.testing.assert_allclose(cycle.motion() @ first, second, atol=1e-5)
