# SPDX-License-Identifier: GPL-3.0-or-later
"""Travel on an empty above the armature comes in with every kind of file, and goes out with every kind."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest

from inertia_addon import api
from inertia_addon.blender.data import clip_store, compat
from inertia_addon.blender.files import exporting
from tests.blender import carried_walker
from tests.blender.carried_walker import Array

CUT, FIRST, LAST = 20, 5.0, 44.0

pytestmark = pytest.mark.usefixtures("fresh_file")


def steps_of(armature: Any) -> Array:
    """How far the hips go in each frame, as the file plays."""
    hips = armature.pose.bones.keys().index("hips")
    places = carried_walker.seen(armature, np.arange(FIRST, LAST))[:, hips, :3, 3]
    return np.linalg.norm(np.diff(places, axis=0), axis=-1)


def the_armature() -> Any:
    (armature,) = (thing for thing in bpy.data.objects if thing.type == "ARMATURE")
    return armature


def play_all(action: Any) -> None:
    """Have an action play on the armature, and on all that bears the names of its other slots."""
    for slot in compat.slots(action):
        compat.assign(bpy.data.objects.get(slot.name) or the_armature(), action, slot.identifier)


def of_bones() -> Any:
    """The action with bones, of those that a file has brought."""
    (found,) = (each for each in bpy.data.actions if clip_store.fits(each, the_armature()))
    return found


@pytest.mark.variants(2)
@pytest.mark.parametrize("kind", [".fbx", ".glb", ".usda", ".bvh", ".blend"])
def test_a_character_glides_through_files(kind: str, tmp_path: Path) -> None:
    """Clips are read, joined and written; read again, the hips never step further than a clip's own do."""
    files = []
    for name in ("Source", "Destination") if kind != ".blend" else ("",):
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        armature = carried_walker.walker()
        carried_walker.on_empty(armature)
        files.append(tmp_path / f"{name or 'both'}{kind}")
        if name:
            action = bpy.data.actions[name]
            exporting.export(files[-1], armature, action, compat.slots(action)[0].identifier)
        else:
            for action in bpy.data.actions:
                action.use_fake_user = True
            exporting.save_blend(files[-1])
    api.read(*files)
    how: dict[str, Any] = {"feet": "off", "source_cycle": "off", "destination_cycle": "off"}
    made = api.bake(source="Source", destination="Destination", cut=CUT, destination_frame=9, **how)
    assert made.values["alignment"] == "POSITION_HEADING"
    usual = carried_walker.stepper.STRIDE / carried_walker.stepper.FPS
    assert steps_of(the_armature()).max() < 1.3 * usual
    out = api.write(tmp_path / f"out{kind}", made)
    api.read(out)
    play_all(bpy.data.actions[made.action] if kind == ".blend" else of_bones())
    found = steps_of(the_armature())
    assert found.max() < 1.3 * usual
    assert found.min() > 0.7 * usual
