# SPDX-License-Identifier: GPL-3.0-or-later
"""The buttons that lock the feet of the assigned action, and make that anew."""

from __future__ import annotations

import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender.data import compat
from tests.blender import clips, stepper


def test_feet_are_locked_and_locked_anew(fresh_file: None) -> None:
    armature = stepper.biped()
    assert not bpy.ops.inertia.lock_feet.poll()
    sliding = stepper.walk(armature, "Sliding", frames=55, slide=0.2)
    clips.play(armature, sliding)
    before = clips.contents(sliding)
    assert bpy.ops.inertia.lock_feet() == {"FINISHED"}
    locked, _ = compat.assigned(armature)
    assert locked.name == "Sliding locked"
    assert clips.contents(sliding) == before
    first = clips.contents(locked)
    assert bpy.ops.inertia.relock_feet() == {"FINISHED"}
    again, _ = compat.assigned(armature)
    assert again.name == "Sliding locked"
    assert clips.contents(again) == first
    assert [action.name for action in bpy.data.actions] == ["Sliding", "Sliding locked"]
    with pytest.raises(RuntimeError, match='no mesh object "Gone"'):
        bpy.ops.inertia.lock_feet(ground="OBJECT", ground_object="Gone")
