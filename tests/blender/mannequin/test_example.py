# SPDX-License-Identifier: GPL-3.0-or-later
"""The mannequin of the guide's examples stands on the ground, and its cycles close."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender.data import compat
from inertia_addon.blender.mannequin import example, recordings

GROUND = 0.01
"""How far from the ground a sole may be, in metres."""

every_example = pytest.mark.parametrize("which", example.EXAMPLES)


def make(which: str) -> Any:
    """The character of an example, in a scene that is shown."""
    scene = bpy.context.window.scene = example.add_scene()
    return example.fill_scene(scene, example.EXAMPLES[which]).rig


@every_example
def test_feet_of_an_example_stand_on_the_ground(fresh_file: None, which: str) -> None:
    """Nothing floats or sinks, from the first frame on and between keys; but for the frames on which a thigh
    is where it should not be, which is what its page is about."""
    character = make(which)
    scene = bpy.context.scene
    (body,) = (each for each in scene.objects if each.type == "MESH")
    last = compat.assigned(character)[0].frame_range[1]
    assert abs(lowest(body)) < GROUND
    # whole frames and half ones in turn
    frames = np.arange(1.0, last + 0.5, 2.5)
    if which == "POPS":
        popping = (frames > recordings.FIRST_POP - 1) & (frames < recordings.BEHIND_POP)
        frames = frames[~popping]
    for frame in frames:
        scene.frame_set(int(frame), subframe=frame % 1.0)
        assert abs(lowest(body)) < GROUND, frame


def lowest(body: Any) -> float:
    """The height of a mesh's lowest point as it is deformed, in metres."""
    shown = body.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = shown.to_mesh()
    points = np.empty(3 * len(mesh.vertices), np.float32)
    mesh.vertices.foreach_get("co", points)
    matrix = np.array(shown.matrix_world)
    shown.to_mesh_clear()
    return float((points.reshape(-1, 3) @ matrix[2, :3] + matrix[2, 3]).min())


def test_cycles_of_the_mannequin_end_as_they_begin_and_its_hips_stay_above_its_feet(
    fresh_file: None,
) -> None:
    character = make("TRANSITION")
    scene = bpy.context.scene
    for name in ("Idle", "Walk", "Run"):
        action = bpy.data.actions[name]
        compat.assign(character, action, compat.slots(action)[0].identifier)
        first, last = action.frame_range
        poses = []
        for frame in (first, last):
            scene.frame_set(int(frame))
            root = character.pose.bones["root"].matrix.inverted()
            poses.append([np.array(root @ bone.matrix) for bone in character.pose.bones])
        np.testing.assert_allclose(poses[0], poses[1], atol=1e-5, err_msg=name)
        for frame in np.linspace(first, last, 6).astype(int).tolist():
            scene.frame_set(frame)
            hips, *feet = (character.pose.bones[bone].head for bone in ("hips", "foot.L", "foot.R"))
            # across the way that it goes, in metres
            assert min(foot.x for foot in feet) - 0.1 < hips.x < max(foot.x for foot in feet) + 0.1
