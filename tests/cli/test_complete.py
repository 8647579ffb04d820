# SPDX-License-Identifier: GPL-3.0-or-later
"""The command ``complete``: clips that look the same whatever played before."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.batch.small_rig import Run

Inertia = Callable[..., Run]


def channels(name: str) -> set[tuple[str, int]]:
    import bpy

    from inertia_addon.blender.data import compat

    action = bpy.data.actions[name]
    (slot,) = compat.slots(action)
    return {(curve.data_path, curve.array_index) for curve in compat.curves(action, slot.identifier)}


@pytest.fixture
def half_keyed(rig_file: Path) -> Path:
    """The small rig, with a walk that leaves out the head."""
    import bpy

    from inertia_addon.blender.data import compat

    bpy.ops.wm.open_mainfile(filepath=str(rig_file))
    walk: Any = bpy.data.actions["Walk"]
    slot = compat.slots(walk)[0]
    bag = compat.new_bag(walk, slot)
    for curve in [curve for curve in bag.fcurves if '"Head"' in curve.data_path]:
        bag.fcurves.remove(curve)
    bpy.ops.wm.save_mainfile()
    return rig_file


def test_complete_keys_what_is_missing(inertia: Inertia, half_keyed: Path, tmp_path: Path) -> None:
    import bpy

    before = half_keyed.read_bytes()
    done = inertia("complete", half_keyed, "-o", tmp_path / "out.blend", "--json")
    assert done.code == 0
    assert done.json["completed"] == [{"action": "Walk", "channels": 4, "bones": ["Head"]}]
    assert half_keyed.read_bytes() == before
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "out.blend"))
    assert channels("Walk") == channels("Run")


def test_an_f_curve_without_keys_is_given_some(inertia: Inertia, half_keyed: Path, tmp_path: Path) -> None:
    import bpy

    from inertia_addon.blender.data import compat

    bpy.ops.wm.open_mainfile(filepath=str(half_keyed))
    walk: Any = bpy.data.actions["Walk"]
    path = 'pose.bones["Head"].rotation_quaternion'
    compat.new_bag(walk, compat.slots(walk)[0]).fcurves.new(path, index=2)
    bpy.ops.wm.save_mainfile()
    done = inertia("complete", half_keyed, "-o", tmp_path / "out.blend", "--json")
    assert done.code == 0
    assert done.json["completed"] == [{"action": "Walk", "channels": 4, "bones": ["Head"]}]
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "out.blend"))
    assert channels("Walk") == channels("Run")


def test_complete_takes_only_the_named_actions(inertia: Inertia, half_keyed: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.blend"
    done = inertia("complete", half_keyed, "--action", "Run", "-o", out, "--json")
    assert (done.code, done.json["completed"]) == (0, [])
    assert "Keys given in 0 clips: 0" in done.err


def test_complete_may_be_done_in_place(inertia: Inertia, half_keyed: Path) -> None:
    import bpy

    assert inertia("complete", half_keyed, "-o", half_keyed).code == 0
    bpy.ops.wm.open_mainfile(filepath=str(half_keyed))
    assert channels("Walk") == channels("Run")


@pytest.mark.parametrize("name", ["out.glb", "out.bvh"])
def test_a_file_of_one_clip_is_refused(inertia: Inertia, half_keyed: Path, tmp_path: Path, name: str) -> None:
    done = inertia("complete", half_keyed, "-o", tmp_path / name)
    assert done.code == 2
    assert ".blend" in done.err
    assert not (tmp_path / name).exists()


@pytest.mark.data
def test_an_imported_file_is_completed_as_it_was_imported(
    inertia: Inertia, data_dir: Path, tmp_path: Path
) -> None:
    """The neck that Idle leaves out is where the file has it, whatever has played before."""
    import bpy
    import numpy as np

    from inertia_addon.blender.data import compat
    from tests.players import gltf

    path = data_dir / "glb" / "wild" / "Trex.glb"
    assert inertia("complete", path, "-o", tmp_path / "out.blend").code == 0
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "out.blend"))
    player, scene = gltf.Player(path), bpy.context.scene
    armature = next(thing for thing in bpy.data.objects if thing.type == "ARMATURE")
    nodes = [player.names.index(bone) for bone in armature.data.bones.keys()]
    for title in ("Armature|TRex_Attack", "Armature|TRex_Idle", "Armature|TRex_Run"):
        action = bpy.data.actions.get(title) or bpy.data.actions[f"{title}_{armature.name}"]
        compat.assign(armature, action, compat.slots(action)[0].identifier)
        scene.frame_set(6, subframe=0.5)
        shown = [armature.matrix_world @ bone.head for bone in armature.pose.bones]
        seconds = 6.5 * scene.render.fps_base / scene.render.fps
        wanted = player.worlds(title, seconds)[nodes, :3, 3]
        np.testing.assert_allclose(shown, wanted, atol=1e-4 * np.ptp(wanted, axis=0).max())
