# SPDX-License-Identifier: GPL-3.0-or-later
"""What comes along by slots of the same actions is given strips of its own."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
import pytest

from inertia_addon.blender.data import compat
from inertia_addon.blender.nla import tracks
from inertia_addon.blender.transition import bake
from inertia_addon.settings.transition import TransitionSettings
from tests.blender import builders

pytestmark = [
    pytest.mark.usefixtures("fresh_file"),
    pytest.mark.skipif(not compat.has_slots(), reason="actions of this Blender have no slots"),
]
SAME = 1e-3


def cast() -> tuple[Any, Any, Any]:
    """A rig, its mesh with a smile, and a ball beside it, which only the destination moves."""
    armature = builders.rig({"Root": None, "Hips": "Root"})
    mesh = bpy.data.meshes.new("Body")
    mesh.from_pydata([(0, 0, 0), (0, 0, 1), (1, 0, 0)], [], [(0, 1, 2)])
    body, ball = bpy.data.objects.new("Body", mesh), bpy.data.objects.new("Ball", None)
    for thing in (body, ball):
        bpy.context.collection.objects.link(thing)
    body.parent = armature
    body.shape_key_add(name="Basis")
    body.shape_key_add(name="Smile")
    for name, phase in (("Walk", 0.3), ("Run", 1.6)):
        made = builders.action(name)
        builders.wave(made, builders.bone_path("Hips", "location"), 0, 0.3, phase=phase)
        builders.wave(
            made,
            'key_blocks["Smile"].value',
            0,
            0.3,
            phase=phase,
            middle=0.5,
            slot="KE" + mesh.shape_keys.name,
        )
    builders.wave(made, "location", 2, 0.7, slot="OBBall")
    return armature, mesh.shape_keys, ball


def shown(keys: Any, ball: Any) -> Any:
    found = []
    for frame in range(1, 55):
        bpy.context.scene.frame_set(frame)
        found.append((keys.key_blocks["Smile"].value, *ball.location))
    return np.array(found)


def test_faces_and_others_play_strips_too() -> None:
    armature, keys, ball = cast()
    played = {}
    for strips in (False, True):
        settings = TransitionSettings("Walk", "Run", 20.0, 5.0, strips=strips, assign_others=True)
        report = bake.bake_transition(armature, settings)
        played[strips] = shown(keys, ball)
        if not strips:
            for owner in (armature, keys, ball):
                compat.assign(owner, None)
            bpy.data.actions.remove(bpy.data.actions[report.result])
            ball.location = (0.0, 0.0, 0.0)
    np.testing.assert_allclose(played[True], played[False], atol=SAME)
    made = bpy.data.actions[report.result]
    assert {owner.name for owner in tracks.players(made)} == {armature.name, keys.name, ball.name}
    tracks.remove(made)
    assert all(len(owner.animation_data.nla_tracks) == 0 for owner in (armature, keys, ball))
