# SPDX-License-Identifier: GPL-3.0-or-later
"""What a file is said to hold: how far roots go, and that long clips are not followed frame by frame."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender.data import actions, compat, rig, rigs, roots
from inertia_addon.blender.files import inventory
from tests.blender import builders

HALVES = builders.sub_frames(1.0, 41.0, 0.5)


def travelling(armature: Any, name: str, last: int, mode: str = "XYZ") -> Any:
    """An action in which a bone and what it hangs from travel and turn."""
    made = builders.action(name)
    frames = np.linspace(1.0, last, 9)
    for bone, size in (("A", 0.6), ("B", 1.1)):
        armature.pose.bones[bone].rotation_mode = mode
        prop, count = builders.ROTATIONS.get(mode, ("rotation_euler", 3))
        for path, width in (("location", 3), (prop, count), ("scale", 3)):
            points = [(frame, tuple(1.0 + size * np.sin(frame / 9.0 + np.arange(width)))) for frame in frames]
            builders.curves(made, builders.bone_path(bone, path), points)
    return made


@pytest.mark.variants(2)
@pytest.mark.parametrize("local", [True, False])
@pytest.mark.parametrize("mode", ["QUATERNION", "ZXY", "AXIS_ANGLE"])
def test_the_root_is_where_blender_has_it(fresh_file: None, mode: str, *, local: bool) -> None:
    armature = builders.rig({"A": None, "B": "A"})
    armature.location, armature.rotation_euler = (1.0, 2.0, 3.0), (0.3, 0.2, 0.9)
    for bone in armature.data.bones:
        bone.use_local_location = local
    made = travelling(armature, "Walk", 41, mode)
    bpy.context.view_layer.update()
    clip = actions.read(made, actions.choose_slot(made, armature))
    found = roots.root_matrices(rigs.read(armature), roots.Root("B", moves=True), clip, HALVES)
    expected = builders.shown(
        armature, made, HALVES, lambda: armature.matrix_world @ armature.pose.bones["B"].matrix
    )
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-4)
    one = roots.root_matrix(rigs.read(armature), roots.Root("B", moves=True), clip, float(HALVES[3]))
    np.testing.assert_array_equal(one, found[3])


def test_a_long_clip_takes_as_many_steps_as_a_short_one(
    fresh_file: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    armature = builders.rig({"A": None, "B": "A"})
    steps: list[str] = []
    counted = rig.object_frame
    monkeypatch.setattr(rig, "object_frame", lambda owner: steps.append(owner.name) or counted(owner))
    taken = []
    for last in (20, 2000):
        compat.assign(armature, None)
        made = travelling(armature, "Walk", last)
        steps.clear()
        (entry,) = inventory.of_file()["armatures"][0]["actions"]
        assert entry["moves"]
        taken.append(len(steps))
        bpy.data.actions.remove(made)
    assert taken[0] == taken[1]
