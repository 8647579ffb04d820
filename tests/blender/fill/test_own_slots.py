# SPDX-License-Identifier: GPL-3.0-or-later
"""What belongs to a character, such as its face, goes through a filled gap with it."""

from __future__ import annotations

import dataclasses
from typing import Any

import bpy
import numpy as np
import pytest

from inertia_addon.blender.data import compat
from inertia_addon.blender.fill import bake, search
from inertia_addon.blender.results import update
from inertia_addon.motion.steps import finish
from inertia_addon.settings.fill import FillSettings
from inertia_addon.settings.transition import TransitionSettings
from tests.blender import builders, wanderer

CUT, ENTRY, GAP = 20.0, 30.0, 24.0
SMILE = 'key_blocks["Smile"].value'
WAVES = {"Walk": [(1.0, 0.1), (25.0, 0.8), (61.0, 0.3)], "Turn": [(1.0, 0.9), (40.0, 0.2), (61.0, 0.6)]}

pytestmark = pytest.mark.skipif(not compat.has_slots(), reason="actions of this Blender have no slots")


@pytest.fixture
def cast() -> tuple[Any, Any]:
    """A character, and the shape keys of its mesh, which two of its actions animate; a stranger, too."""
    armature = wanderer.with_clips()
    keys, stranger = builders.face(armature), bpy.data.objects.new("Stranger", None)
    bpy.context.collection.objects.link(stranger)
    for name, points in WAVES.items():
        action = bpy.data.actions[name]
        builders.curve(action, SMILE, 0, points, slot="KE" + keys.name)
        builders.curve(action, "location", 0, points, slot="OBStranger")
    return armature, keys


def smiles(keys: Any, frames: Any, action: Any = None) -> Any:
    """What the shape key shows at frames, by an action or as it is animated."""
    if action is not None:
        compat.assign(keys, action, "KE" + keys.name)
    found = []
    for frame in np.asarray(frames, float):
        bpy.context.scene.frame_set(int(frame), subframe=float(frame % 1.0))
        found.append(keys.key_blocks["Smile"].value)
    return np.array(found)


@pytest.mark.variants(2)
@pytest.mark.parametrize("strips", [False, True], ids=["as an action", "as strips"])
@pytest.mark.parametrize("use_library", [True, False], ids=["with clips", "without clips"])
def test_a_face_plays_exactly_on_both_sides_and_goes_on_between(
    cast: tuple[Any, Any], *, use_library: bool, strips: bool
) -> None:
    armature, keys = cast
    before, behind = np.arange(1.0, CUT + 0.1, 0.5), np.arange(0.0, 61.0 - ENTRY, 0.5)
    wanted = [
        smiles(keys, before, bpy.data.actions["Walk"]),
        smiles(keys, ENTRY + behind, bpy.data.actions["Turn"]),
    ]
    compat.assign(keys, None)
    own = TransitionSettings("Walk", "Turn", CUT, destination_frame=ENTRY, feet="OFF", assign=True, shift=3.0)
    asked = FillSettings(own, gap_frames=GAP, at="0.1,-1.1,-80" if use_library else "", strips=strips)
    asked = dataclasses.replace(asked, use_library=use_library)
    weights = dict.fromkeys(("hips", "toe.L", "toe.R"), 1.0)
    found = finish(search.search_fill_steps(armature, asked, weights)) if use_library else None
    report = finish(bake.fill_gap_steps(armature, asked, found, weights=weights))
    result = bpy.data.actions[report.result]
    assert {slot.id_type for slot in compat.slots(result)} == {"OBJECT", "KEY"}
    assert compat.assigned(keys)[0] == (None if strips else result)
    assert len(keys.animation_data.nla_tracks) == int(strips)
    np.testing.assert_allclose(smiles(keys, before + 3.0), wanted[0], atol=2e-5)
    np.testing.assert_allclose(smiles(keys, CUT + GAP + 3.0 + behind), wanted[1], atol=2e-5)
    again = finish(update.update_steps(armature, result))
    assert again.result == report.result
    assert len(keys.animation_data.nla_tracks) == int(strips)
    np.testing.assert_allclose(smiles(keys, before + 3.0), wanted[0], atol=2e-5)
    between = smiles(keys, np.arange(CUT, CUT + GAP + 0.1) + 3.0)
    assert np.abs(np.diff(between)).max() < 0.15
